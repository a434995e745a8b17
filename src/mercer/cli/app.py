"""The command and its verbs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mercer import __version__
from mercer.cli.compare import compare
from mercer.cli.console import BAD_INPUT, JSON_ASKED, show_json_error
from mercer.cli.describe import describe
from mercer.cli.evaluate import evaluate
from mercer.cli.explain import explain
from mercer.cli.predict import predict
from mercer.cli.report import report
from mercer.cli.reproduce import reproduce
from mercer.cli.train import train
from mercer.formatting import visible


@contextmanager
def _usage_errors(as_json: bool) -> Iterator[None]:
    """Usage errors repeat words of the command line: as in every message, what a terminal would obey is escaped."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # ClickException, of click or of the copy in typer
            error.message = visible(error.message) + _hint(error.message)  # type: ignore[attr-defined]
            if as_json:
                context = getattr(error, "ctx", None)
                where = "mercer" if context is None else context.command_path
                message = f"{error.format_message().rstrip('.')}. Try '{where} -h' for help."
                show_json_error("UsageError", message, where, getattr(error, "exit_code", BAD_INPUT))
        raise


def _hint(message: str) -> str:
    """What to do where the shell made several files of a pattern."""
    extra = message.startswith("Got unexpected extra argument")
    return ". Several files are one table as a pattern in quotes, e.g. 'data/*.csv'." if extra else ""


class _Verbs(TyperGroup):
    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **kwargs: Any) -> Any:
        as_json = "--json" in (args[: args.index("--")] if "--" in args else args)
        with _usage_errors(as_json):
            context = super().make_context(info_name, args, *rest, **kwargs)
        context.meta[JSON_ASKED] = as_json
        return context

    def invoke(self, ctx: Any) -> Any:
        with _usage_errors(ctx.meta[JSON_ASKED]):
            return super().invoke(ctx)


app = typer.Typer(
    cls=_Verbs,
    name="mercer",
    help="Learn from mixed tables: numbers, categories, missing cells and text, as they are.",
    epilog="Start with [bold]mercer train[/bold]: it runs on the embedded table and writes a report.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (train, predict, evaluate, compare, explain, describe, report, reproduce):
    app.command()(verb)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"mercer {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass  # typer needs a function to hang --version on; a docstring would replace the help of the program

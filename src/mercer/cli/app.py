"""The command and its verbs."""

from __future__ import annotations

from typing import Annotated

import typer

from mercer import __version__
from mercer.cli.describe import describe
from mercer.cli.predict import predict
from mercer.cli.train import train

app = typer.Typer(
    name="mercer",
    help="Learn from mixed tables: numbers, categories, missing cells and text, as they are.",
    epilog="Start with [bold]mercer train[/bold]: it runs on the embedded table and writes a report.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (train, predict, describe):
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

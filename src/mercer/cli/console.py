"""Messages of a command: notes, and errors in one line with an exit code."""

from __future__ import annotations

import json
import re
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from mercer.cli import INTERRUPTED
from mercer.errors import MercerError, MercerWarning
from mercer.formatting import ESCAPES, visible

BAD_INPUT = 2
UNEXPECTED = 1
JSON_ASKED = "mercer.json"  # in the meta data of a context: whether --json is among the words of the command line
_shown: dict[str, None] = {}  # in order
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+(?=[A-Z`])")
_ESCAPES_IN_LINES = {code: escape for code, escape in ESCAPES.items() if chr(code) != "\n"}


@contextmanager
def reporting(verb: str, debug: bool, as_json: bool) -> Iterator[None]:
    """Run a verb: warnings as notes, an error as one line and an exit code, a traceback only with --debug.

    Under --json the error is written to the standard output, too, in one shape for all verbs (`show_json_error`).
    """
    _shown.clear()

    def fail(kind: str, message: str, code: int, opening: str = "") -> None:
        typer.secho(_one_line(opening + message), fg=typer.colors.RED, err=True)
        if as_json:
            show_json_error(kind, message, f"mercer {verb}", code)
        raise typer.Exit(code)

    try:
        with warnings.catch_warnings():
            _show_notes(debug)
            yield
    except MercerError as error:
        fail(type(error).__name__, str(error), BAD_INPUT, "Error: ")
    except KeyboardInterrupt:
        typer.secho("Interrupted. Nothing was written.", fg=typer.colors.RED, err=True)  # as other signals: no result
        raise typer.Exit(INTERRUPTED) from None
    except MemoryError:
        message = "There is not enough memory for this table. Try fewer rows or columns."
        fail("MemoryError", message, BAD_INPUT, "Error: ")
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:
        if debug:
            typer.echo(traceback.format_exc().translate(_ESCAPES_IN_LINES), err=True)
        ask = "please report it" if debug else "please report it with what --debug shows"
        message = f"Unexpected {type(error).__name__}: {error}. This is a fault of mercer: {ask}."
        fail(type(error).__name__, message, UNEXPECTED)


def show_json_error(kind: str, message: str, where: str, code: int) -> None:
    """{"error": {kind, what, where, next, exit_code}}: the first sentence of a message says what, the others what next.

    Parameters
    ----------
    kind : str
        Class of the error.
    message : str
        As it is shown without --json.
    where : str
        The verb, as it is called.
    code : int
        Exit code.
    """
    what, *others = _SENTENCE_END.split(" ".join(message.split()))
    error = {"kind": kind, "what": what, "where": where, "next": " ".join(others) or None, "exit_code": code}
    typer.echo(json.dumps({"error": error}, indent=2))


def _one_line(message: str) -> str:
    return visible(" ".join(message.split()))


def _show_notes(debug: bool) -> None:
    """MercerWarnings as notes; warnings of other libraries only when debugging."""
    warnings.simplefilter("default" if debug else "ignore")
    warnings.simplefilter("always", MercerWarning)
    plain = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: object) -> None:
        if issubclass(category, MercerWarning):
            note(str(message))
        else:
            plain(message, category, *place)  # type: ignore[arg-type]

    warnings.showwarning = show  # type: ignore[assignment]


def note(message: str) -> None:
    """A message to the user beside the result; each is shown once."""
    if message in _shown:
        return
    _shown[message] = None
    typer.secho(f"Note: {_one_line(message)}", fg=typer.colors.YELLOW, err=True)


def with_notices(document: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON document with what was noted beside it so far, which the terminal shows on its standard error."""
    return {**document, "notices": list(_shown)}


def written(path: Path, replaced: bool) -> str:
    """The name of a file that was written, and whether there was one before."""
    return f"{visible(path)}{' (replaced)' if replaced else ''}"

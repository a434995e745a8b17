"""Messages of a command: notes, and errors in one line with an exit code."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from mercer.cli import INTERRUPTED
from mercer.errors import MercerError, MercerWarning
from mercer.formatting import ESCAPES, visible

BAD_INPUT = 2
UNEXPECTED = 1
_shown: set[str] = set()
_ESCAPES_IN_LINES = {code: escape for code, escape in ESCAPES.items() if chr(code) != "\n"}


@contextmanager
def reporting(debug: bool) -> Iterator[None]:
    """Run a command: warnings as notes, an error as one line and an exit code, a traceback only with --debug."""
    _shown.clear()
    try:
        with warnings.catch_warnings():
            _show_notes(debug)
            yield
    except MercerError as error:
        _fail(f"Error: {error}", BAD_INPUT)
    except KeyboardInterrupt:
        _fail("Interrupted. Nothing was written.", INTERRUPTED)
    except MemoryError:
        _fail("Error: There is not enough memory for this table. Try fewer rows or columns.", BAD_INPUT)
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:
        if debug:
            typer.echo(traceback.format_exc().translate(_ESCAPES_IN_LINES), err=True)
        ask = "please report it" if debug else "please report it with what --debug shows"
        _fail(f"Unexpected {type(error).__name__}: {error}. This is a fault of mercer: {ask}.", UNEXPECTED)


def _fail(message: str, code: int) -> None:
    typer.secho(_one_line(message), fg=typer.colors.RED, err=True)
    raise typer.Exit(code)


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
    _shown.add(message)
    typer.secho(f"Note: {_one_line(message)}", fg=typer.colors.YELLOW, err=True)


def written(path: Path, replaced: bool) -> str:
    """The name of a file that was written, and whether there was one before."""
    return f"{visible(path)}{' (replaced)' if replaced else ''}"

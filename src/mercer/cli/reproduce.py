"""mercer reproduce: the worked examples of the texts behind mercer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_NAME_HELP = "Which examples, as the list names them; `lim` is all of that text. Without any, they are listed."
_ALL_HELP = "Run all of them and write one page, gallery.html."
_DATA_HELP = "The folder of the tables that are not embedded; nothing is fetched."
_OUT_HELP = "The folder for pictures and page."


def reproduce(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help=_NAME_HELP, show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help=_ALL_HELP)] = False,
    data: Annotated[Path | None, typer.Option(metavar="FOLDER", help=_DATA_HELP, show_default=False)] = None,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help=_OUT_HELP)] = Path("mercer-gallery"),
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Run worked examples of five texts on supervised learning: what the text says beside what mercer gives.

    \b
    Examples:
      mercer reproduce
      mercer reproduce lim/bayes_rule
      mercer reproduce --all --data tables
    """
    with reporting("reproduce", debug, as_json):
        with loading():
            from mercer.cli.jobs import reproduce as job

        if every:
            job.write_page(names or [], data, out, as_json)
        elif names:
            job.run(names, data, out, as_json)
        else:
            job.show_list(as_json)

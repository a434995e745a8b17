"""mercer report: the report of a run, written again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_RUN_HELP = "A folder that `mercer train` wrote, or the result.json in it."
_OUT_HELP = "The page to write; report.html in the folder of the run when not given."


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help=_RUN_HELP)],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help=_OUT_HELP, show_default=False)] = None,
    force: options.Force = False,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Write the report of RUN again, from its result.json: after an update of mercer, or to another place.

    \b
    Examples:
      mercer report mercer-out
      mercer report mercer-out --out churn.html
    """
    with reporting("report", debug, as_json):
        with loading():
            from mercer.cli.jobs.report import write

        write(run, out, force, as_json)

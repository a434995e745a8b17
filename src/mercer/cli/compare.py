"""mercer compare: two runs of `mercer train`, or two stored models on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_WHICH = "A folder that `mercer train` wrote, or a model.mercer."
_TABLE_HELP = "For models: rows with a known target, not trained on."


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN|MODEL", help=_WHICH)],
    second: Annotated[Path, typer.Argument(metavar="RUN|MODEL", help="Another of the same.")],
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help=_TABLE_HELP, show_default=False)] = None,
    target: options.KnownTarget = None,
    positive: options.Positive = None,
    group: options.Group = None,
    weight: options.Weight = None,
    level: options.Level = 0.95,
    out: options.ResultFile = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Compare two runs on the same table, or two models on TABLE: differences of every metric with intervals.

    Runs with the same folds are compared fold by fold; models row by row.

    \b
    Examples:
      mercer compare run-a run-b
      mercer compare run-a/model.mercer run-b/model.mercer new.csv
      mercer compare old.mercer new.mercer test.csv --json
    """
    with reporting("compare", debug, as_json):
        with loading():
            from mercer.cli.jobs.compare import compare_models, compare_run_folders

        if table is None:
            compare_run_folders(first, second, level, out, as_json)
        else:
            reading = options.Reading(table, tuple(missing or ()), separator, header, (), sheet, query, table_name)
            compare_models(
                (first, second), reading, options.Scoring(target, positive, group, weight, level), out, as_json
            )

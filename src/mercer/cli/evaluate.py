"""mercer evaluate: how good a stored model is on rows whose target is known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting

_TARGET_HELP = "The column to compare with; the one that the model was trained to predict when not given."
_OUT_HELP = "Also write the result: all of it to a file that ends in .json, tables to one that ends in .html."
_POSITIVE_HELP = "Which of two classes is the positive one; the rarer when not given."
_GROUP_HELP = "Rows with the same value are not independent: intervals count groups. Copies of a row are found anyway."
_LEVEL_HELP = "Confidence level of the intervals."


def evaluate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model.mercer that `mercer train` wrote.")],
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Rows with a known target, not trained on.")],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help=_TARGET_HELP, show_default=False)
    ] = None,
    positive: Annotated[str | None, typer.Option(metavar="CLASS", help=_POSITIVE_HELP, show_default=False)] = None,
    group: Annotated[str | None, typer.Option(metavar="COLUMN", help=_GROUP_HELP, show_default=False)] = None,
    level: Annotated[float, typer.Option(min=0.5, max=0.999, help=_LEVEL_HELP)] = 0.95,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help=_OUT_HELP, show_default=False)] = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Score MODEL on TABLE: every metric with an interval, and the confusion matrix.

    The rows must be others than those the model was trained on: on its training rows every model looks too good.

    \b
    Examples:
      mercer evaluate mercer-out/model.mercer new.csv
      mercer evaluate mercer-out/model.mercer new.csv --target churned --positive yes
      mercer evaluate mercer-out/model.mercer new.csv --out scores.json
    """
    with reporting(debug):
        from mercer.cli.jobs.evaluate import run

        reading = options.Reading(table, tuple(missing or ()), separator, header, (), sheet, query, table_name)
        run(model, reading, target, positive, group, level, out, as_json)

"""mercer evaluate: how good a stored model is on rows whose target is known."""

from __future__ import annotations

from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading


def evaluate(
    model: options.Model,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Rows with a known target, not trained on.")],
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
    """Score MODEL on TABLE: every metric with an interval, and the confusion matrix.

    The rows must be others than those the model was trained on: on its training rows every model looks too good.

    \b
    Examples:
      mercer evaluate mercer-out/model.mercer new.csv
      mercer evaluate mercer-out/model.mercer new.csv --target churned --positive yes
      mercer evaluate mercer-out/model.mercer new.csv --out scores.json
    """
    with reporting("evaluate", debug, as_json):
        with loading():
            from mercer.cli.jobs.evaluate import run

        reading = options.Reading(table, tuple(missing or ()), separator, header, (), sheet, query, table_name)
        run(model, reading, options.Scoring(target, positive, group, weight, level), out, as_json)

"""mercer predict: a stored model on new rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_OUT_HELP = "Ends in .csv or .parquet; - prints CSV to the terminal."
_KEEP_HELP = "A column of TABLE to carry along, or all. Repeatable. Columns that identify the rows always are."


def predict(
    model: options.Model,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Rows to predict: any file that train reads.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help=_OUT_HELP)] = Path("predictions.csv"),
    keep: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=_KEEP_HELP, show_default=False)] = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Predict each row of TABLE with MODEL: the prediction and, for classes, their probabilities.

    Columns are found by name, in any order; columns that the model does not know are ignored. Numbers far outside the
    training range and levels never seen are flagged; columns that drifted against the training rows are named. Where
    TABLE brings the target along, every metric is shown with its interval. A pattern in quotes, a folder and a large
    Parquet or CSV file are read in chunks, whatever their size, without drift and intervals.

    \b
    Examples:
      mercer predict mercer-out/model.mercer new.csv
      mercer predict mercer-out/model.mercer new.csv --out predictions.parquet
      mercer predict mercer-out/model.mercer new.csv --keep age --keep zip
      mercer predict mercer-out/model.mercer new.csv --out - | head
      mercer predict mercer-out/model.mercer 'data/*.parquet'
    """
    with reporting("predict", debug, as_json):
        with loading():
            from mercer.cli.jobs.predict import run

        reading = options.Reading(table, tuple(missing or ()), separator, header, (), sheet, query, table_name)
        run(model, reading, out, tuple(keep or ()), as_json)

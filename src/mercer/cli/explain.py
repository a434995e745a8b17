"""mercer explain: why a stored model answers as it does for single rows, and what would change the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mercer.cli import options
from mercer.cli.console import reporting
from mercer.cli.loading import loading

_ROW_HELP = "Number of a row, from 1, as in the output of mercer predict. Repeatable."
_BACKGROUND_HELP = (
    "Rows to compare with and to take changed values from, such as the training table. "
    "Without it: the column summaries in MODEL, else TABLE."
)
_TARGET_HELP = "Of a model of several targets, the one to explain; all when not given."
_HTML_HELP = "Write a page with the explanations; ends in .html."


def explain(
    model: options.Model,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="Rows to explain: any file that train reads.")],
    row: Annotated[list[int] | None, typer.Option("--row", "-r", metavar="N", help=_ROW_HELP)] = None,
    target: Annotated[str | None, typer.Option(metavar="COLUMN", help=_TARGET_HELP, show_default=False)] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="CLASS", help="The class that a change is to lead to.")
    ] = None,
    above: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="The number or date that a changed prediction is to exceed.")
    ] = None,
    below: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="The number or date that it is to stay below.")
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="COLUMN", help="A column that cannot change. Repeatable.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, help="Most columns that may change.")] = 3,
    background: Annotated[Path | None, typer.Option("--background", metavar="FILE", help=_BACKGROUND_HELP)] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help=_HTML_HELP)] = None,
    missing: options.Missing = None,
    separator: options.Separator = None,
    header: options.Header = None,
    sheet: options.Sheet = None,
    query: options.Query = None,
    table_name: options.TableName = None,
    as_json: options.Json = False,
    debug: options.Debug = False,
) -> None:
    """Explain the answer of MODEL for rows of TABLE: what each column adds, and what would change the answer.

    The contributions add up to the score of the row: exact for naive Bayes, linear models, perceptrons and trees,
    Shapley values by sampling with their standard errors for the others.

    \b
    Examples:
      mercer explain mercer-out/model.mercer new.csv --row 3
      mercer explain mercer-out/model.mercer new.csv --row 3 --row 17 --fixed age --html rows.html
      mercer explain mercer-out/model.mercer houses.csv --row 1 --above 300000
    """
    with reporting("explain", debug, as_json):
        with loading():
            from mercer.cli.jobs.explain import Asked, Changing, run

        reading = options.Reading(table, tuple(missing or ()), separator, header, (), sheet, query, table_name)
        changing = Changing(to, above, below, tuple(fixed or ()), most)
        run(model, Asked(reading, tuple(row or (1,)), changing, background, target), html, as_json)

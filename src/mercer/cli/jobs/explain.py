"""Explanations of rows in the terminal: bars, words, and what would change the answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from mercer.atomic import refuse_unwritable, write_file
from mercer.cli.console import note, with_notices, written
from mercer.cli.jobs.progress import progress_bar
from mercer.cli.jobs.reading import read
from mercer.cli.options import Reading
from mercer.errors import BadOutput, MercerError
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.evaluation.attribution.changes import Counterfactual
from mercer.evaluation.result import plain
from mercer.formatting import visible
from mercer.report.explained_rows import explained_rows_page
from mercer.store import StoredModel, open_model
from mercer.table import Kind, Source, Table
from mercer.table.build import new_rows
from mercer.table.formats.binary.database import without_password
from mercer.workbench.counterfactual import counterfactual
from mercer.workbench.explain import explain

MOST_SHOWN = 12  # columns of a row
BAR, SHORT_BAR = 16, 8  # letters of the longest bar, either way
WIDE = 100  # letters of a terminal that has room for it


@dataclass(frozen=True, slots=True)
class Changing:
    """Which change of the answer is looked for."""

    to: str | None
    above: float | str | None
    below: float | str | None
    fixed: tuple[str, ...]
    most: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Which rows of which table are explained, and of which target where the model has several."""

    reading: Reading
    rows: tuple[int, ...]
    changing: Changing
    background: Path | None
    target: str | None = None


def run(model: Path, asked: Asked, html: Path | None, as_json: bool) -> None:
    """Explain rows of a table."""
    _refuse_page(html)
    stored = open_model(model)
    outputs = stored.outputs if asked.target is None else (stored.output(asked.target),)
    several, table = len(outputs) > 1, without_password(str(asked.reading.table))
    meant = [replace(asked, changing=_meant(one, asked.changing, several)) for one in outputs]
    answers = [_answers(stored, one, what) for one, what in zip(outputs, meant, strict=True)]
    pages = [
        _as_dict(found, i, change) | ({"target": one.card.target} if several else {})
        for one, (found, changes) in zip(outputs, answers, strict=True)
        for i, change in enumerate(changes)
    ]
    replaced = html is not None and html.exists()
    if html is not None:
        write_file(html, [explained_rows_page(stored.card.target, pages).encode()])
    if as_json:
        print(json.dumps(with_notices({"model": str(model), "table": table, "rows": pages}), indent=2))
        return
    for one, (found, changes) in zip(outputs, answers, strict=True):
        for i, change in enumerate(changes):
            _show(found, i, change, one.card.target if several else "")
    if html is not None:
        print(f"Page: {written(html, replaced)}")


def _answers(whole: StoredModel, stored: StoredModel, asked: Asked) -> tuple[Explanation, list[Counterfactual | None]]:
    """The explanation of the rows by the model of one target of the whole, and what would change each answer."""
    table, source = _table(whole, stored, asked.reading)
    for number in asked.rows:
        if not 1 <= number <= len(table):
            raise MercerError(
                f"There is no row {number}: {without_password(str(asked.reading.table))} has {len(table):,} rows, "
                "from 1."
            )
    _note_unseen(table, source, asked.rows)
    background = asked.background
    others = None if background is None else _table(whole, stored, replace(asked.reading, table=background))[0]
    changes: list[Counterfactual | None] = []
    with progress_bar("Contributions of columns") as tell:
        found = explain(stored, table, [number - 1 for number in asked.rows], background=others)
        for done, number in enumerate(asked.rows, 1):
            tell(f"What would change row {number}", done / (len(asked.rows) + 1))
            changes.append(_change(stored, table, number - 1, asked.changing, others))
    return found, changes


def _meant(stored: StoredModel, changing: Changing, several: bool) -> Changing:
    """Of several targets, a class is asked for of those that have it, and a number of numbers."""
    if not stored.card.date_unit:
        limits = _number("--above", changing.above), _number("--below", changing.below)
        changing = replace(changing, above=limits[0], below=limits[1])
    if not several:
        _refuse_other_task(stored, changing)
        return changing
    if stored.card.task != "classification":
        return replace(changing, to=None)
    known = changing.to in {str(label) for label in stored.model.classes_}
    return replace(changing, to=changing.to if known else None, above=None, below=None)


def _refuse_other_task(stored: StoredModel, changing: Changing) -> None:
    if stored.card.task == "classification":
        if changing.above is not None or changing.below is not None:
            raise MercerError("The model predicts classes: give --to CLASS, or nothing for any other class.")
    elif changing.to is not None:
        raise MercerError(f"--to {changing.to}: the model predicts numbers. Give --above or --below.")


def _number(option: str, given: float | str | None) -> float | None:
    try:
        return None if given is None else float(given)
    except ValueError:
        raise MercerError(f"{option} {given}: give a number.") from None


def _refuse_page(html: Path | None) -> None:
    if html is None:
        return
    if html.suffix.lower() != ".html":
        raise BadOutput(f"--html {html}: give a name that ends in .html.")
    refuse_unwritable(html)


def _table(whole: StoredModel, stored: StoredModel, reading: Reading) -> tuple[Table, Source]:
    schema = stored.model.schema_
    source = read(reading, stored.card.missing, schema)
    source = replace(source, columns=whole.columns_of(stored, source.columns))
    source.columns.pop(stored.card.target, None)
    return new_rows(source, schema), source


def _note_unseen(table: Table, source: Source, rows: tuple[int, ...]) -> None:
    for column in (c for c in table.schema if c.kind.categorical):
        codes = table.codes(column.name)[:, 0]
        for number in rows:
            if codes[number - 1] == len(column.levels):
                cell = source.columns[column.name][number - 1]
                note(f"Row {number}: {column.name} = {cell!r} is a level that the model has never seen.")


def _change(stored: StoredModel, table: Table, row: int, changing: Changing, others: Any) -> Counterfactual | None:
    """What would change the answer; None for a number when none is given to pass, and of rows that are text alone."""
    if changing.to is None and all(column.kind is Kind.TEXT for column in table.schema):
        return None
    if stored.card.task != "classification" and changing.above is None and changing.below is None:
        return None
    return counterfactual(
        stored, table, row, to=changing.to, above=changing.above, below=changing.below, fixed=changing.fixed,
        most=changing.most, background=others,
    )  # fmt: skip


def _as_dict(found: Explanation, i: int, change: Counterfactual | None) -> dict[str, Any]:
    """One row as plain data; its number counts from 1."""
    row: dict[str, Any] = found.to_dict(i)
    row["row"] += 1
    row["change"] = None if change is None else {**plain(change), "row_number": row["row"], "words": str(change)}
    row["answer"] = None if change is None else change.before
    return row


def _show(found: Explanation, i: int, change: Counterfactual | None, target: str = "") -> None:
    console, wide = Console(highlight=False, markup=False), Console(highlight=False, markup=False, soft_wrap=True)
    number = int(found.row_numbers[i]) + 1 if found.row_numbers is not None else i + 1
    answer = "" if change is None else f": {change.before}"
    of = f", {target}" if target else ""
    wide.print(Text(visible(f"Row {number}{of}{answer}"), style="bold"))
    console.print(_bars(found, i, BAR if console.width >= WIDE else SHORT_BAR))
    wide.print(visible(found.words(i)))
    if change is not None:
        wide.print(visible(str(change)))
    wide.print(Text(f"({found.method})\n", style="dim"))


def _bars(found: Explanation, i: int, size: int) -> Grid:
    """A bar for each column, to the left where it lowers the score, to the right where it raises it."""
    grid = Grid(box=None, pad_edge=False, header_style="bold")
    grid.add_column("Column", overflow="fold")
    grid.add_column("Cell", overflow="fold")
    grid.add_column("", min_width=2 * size + 1, no_wrap=True)
    of = "" if found.for_class is None else f" of {visible(str(found.for_class[i]))}"
    grid.add_column(Text(f"{found.unit.capitalize()}{of}"), justify="right", min_width=8, overflow="fold")
    if not found.exact:
        grid.add_column("± error", justify="right", style="dim", no_wrap=True)
    order = found.strongest(i)
    values = np.nan_to_num(found.values[i], posinf=1e300, neginf=-1e300)
    longest = float(np.abs(values).max(initial=0.0)) or 1.0
    grid.add_row("(base)", "", "", found.number(found.base[i]))
    for j in order[:MOST_SHOWN]:
        error = [] if found.error is None else [f"{found.error[i, j]:.2g}"]
        cells = [Text(visible(found.columns[j])), Text(visible(found.cells[i][j])), _bar(values[j] / longest, size)]
        grid.add_row(*cells, found.signed(found.values[i, j]), *error)
    if rest := order[MOST_SHOWN:]:
        grid.add_row(f"{len(rest)} more columns", "", "", found.signed(float(found.values[i, rest].sum())))
    grid.add_row("(sum)", "", "", Text(found.number(found.total[i]), style="bold"))
    return grid


def _bar(share: float, size: int) -> Text:
    filled = round(abs(share) * size)
    if share < 0:
        return Text(" " * (size - filled)).append("█" * filled, style="blue").append("│")
    return Text(" " * size + "│").append("█" * filled, style="dark_orange")

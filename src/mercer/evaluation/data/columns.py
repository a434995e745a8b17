"""Columns of a table: a summary of each, and those to look at before the scores are believed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.uncertainty.areas import auc_interval
from mercer.table import Column, Kind, Table
from mercer.table.formats.notation import DATES
from mercer.table.infer import BLANK
from mercer.table.kinds.identifiers import is_called_id, looks_like_names, nearly_all_differ
from mercer.table.kinds.markers import missing_marker
from mercer.table.target_column import Target

MOST_LEVELS = 8
LEAK_AREA, LEAK_SHARE = 0.99, 0.97  # by one column alone: ROC AUC; accuracy of several classes, R^2
MOST_ROWS, MOST_COLUMNS = 20_000, 1000  # looked at for columns that give the target away
_RANGES, _ROWS_PER_RANGE = 100, 20
_CHANCE = np.log(1e-6)
_FEWEST_NAMED, _ROWS_EACH = 20, (1.5, 50.0)  # things with several rows each, rather than rows or groups of a few kinds
_FEWEST_MOMENTS, _IN_ORDER = 20, 0.99  # of rows in order of time: changes of it, and the share in one direction


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column: its kind and the reason for it, the share of missing cells, its first levels."""

    name: str
    kind: str
    reason: str
    missing: float
    n_levels: int
    levels: list[str]


def summarise_columns(table: Table) -> list[ColumnSummary]:
    """A summary of every column that learners see, in order."""
    return [
        ColumnSummary(
            c.name,
            str(c.kind),
            c.reason,
            0.0 if table.is_sparse else float(table.missing(c.name).mean()),
            len(c.levels),
            list(c.levels[:MOST_LEVELS]),
        )
        for c in table.schema
    ]


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A column to look at before the scores are believed, and why, in a sentence."""

    column: str
    why: str


def suspicious_columns(table: Table, target: Target) -> list[Suspicion]:
    """Columns that give the target away by themselves, and whole numbers that look like names of rows.

    A column gives the target away when half of the rows, sorted into its levels or up to 100 ranges, predict the other
    half almost perfectly; when its numbers, as they are, rank the classes or follow the target so; or when its cells
    are known, or missing, for rows of one class alone. Of a date, the date is named, not its parts.

    Parameters
    ----------
    table : Table
        What learners see.
    target : Target
        What they predict.

    Returns
    -------
    list of Suspicion
        Those that give the target away first.
    """
    if table.is_sparse or len(table.schema) > MOST_COLUMNS:
        return []
    rows = np.unique(np.linspace(0, len(table) - 1, min(len(table), MOST_ROWS)).astype(np.int64))
    table, values = table.take(rows), target.values[rows]
    leaks: list[Suspicion] = []
    names: list[Suspicion] = []
    for column in table.schema:
        if column.kind is Kind.TEXT or column.origin in {leak.column for leak in leaks}:
            continue
        why = _gives_away(table, column, values, target)
        if why:
            leaks.append(Suspicion(column.origin or column.name, why))
        elif looks_like := _looks_like_a_name(table, column):
            names.append(Suspicion(column.name, looks_like))
    return leaks + names


def missing_markers(table: Table) -> dict[float, list[str]]:
    """Numbers such as -999 that may stand for a missing value, each with the columns in which it does.

    Parameters
    ----------
    table : Table
        What learners see.

    Returns
    -------
    dict of float to list of str
        In the order of the columns.
    """
    found: dict[float, list[str]] = {}
    for column in () if table.is_sparse else table.schema:
        if column.kind is not Kind.NUMERIC or column.is_date or column.part:
            continue
        marker = missing_marker(table.numbers([column.name])[:, 0].astype(np.float64))
        for value in () if marker is None else marker.values:
            found.setdefault(value, []).append(column.name)
    return found


def several_rows_each(table: Table) -> dict[str, tuple[int, float]]:
    """Columns that by their name tell things apart, such as patient_id, with several rows for most of them.

    Parameters
    ----------
    table : Table
        What learners see.

    Returns
    -------
    dict of str to (int, float)
        Of each such column how many different cells it has, and the mean number of rows of one.
    """
    found = {}
    for column in () if table.is_sparse else table.schema:
        if column.kind is Kind.TEXT or column.part or not is_called_id(column.name):
            continue
        cells = table.codes([column.name]) if column.kind.categorical else table.numbers([column.name])
        n_rows = np.unique(cells[~table.missing(column.name), 0], return_counts=True)[1]
        mean = float(n_rows.mean()) if len(n_rows) else 0.0
        if len(n_rows) >= _FEWEST_NAMED and _ROWS_EACH[0] <= mean <= _ROWS_EACH[1]:
            found[column.name] = len(n_rows), mean
    return found


def in_order_of(table: Table) -> str | None:
    """The first column of dates by which the rows lie in order, from the earliest or from the latest on.

    Parameters
    ----------
    table : Table
        What learners see, its rows as they were read.

    Returns
    -------
    name : str or None
        None where rows are in no order of time.
    """
    for column in () if table.is_sparse else table.schema:
        if column.format not in DATES or column.part:
            continue
        cells = table.numbers([column.name])[:, 0]
        steps = np.diff(cells[~np.isnan(cells)])
        moved = steps[steps != 0]
        if len(moved) >= _FEWEST_MOMENTS and max((moved > 0).mean(), (moved < 0).mean()) >= _IN_ORDER:
            return column.name
    return None


def _gives_away(table: Table, column: Column, values: NDArray[Any], target: Target) -> str:
    missing = table.missing(column.name) | _is_blank(table, column)
    alone = _one_class_alone(missing, values, target)
    if alone:
        return alone
    codes = _levels_or_ranges(table, column)
    codes = np.where(missing, codes.max(initial=0) + 1, codes)
    share = max(_predicted_by(codes, values, target), _predicted_by_order(table, column, values, target))
    if share < (LEAK_SHARE if target.positive is None else LEAK_AREA):
        return ""
    measure = (
        "the variance explained" if not target.classes else "ROC AUC" if target.positive is not None else "accuracy"
    )
    return f"by itself it predicts {target.name!r} almost perfectly ({measure} {share:.3f})"


def _is_blank(table: Table, column: Column) -> Bools:
    """Which cells are the blanks of a column of one value and blanks, where they are a level."""
    if BLANK not in column.levels:
        return np.zeros(len(table), dtype=bool)
    found: Bools = table.codes([column.name])[:, 0] == column.levels.index(BLANK)
    return found


def _one_class_alone(missing: Bools, values: NDArray[Any], target: Target) -> str:
    """Whether its cells are known, or missing, in rows of one class alone, more of them than chance accounts for."""
    if not target.classes:
        return ""
    shares = np.bincount(values, minlength=len(target.classes)) / len(values)
    for rows, word in ((~missing, "known"), (missing, "missing")):
        found = np.unique(values[rows])
        if len(found) == 1 and rows.sum() * np.log(shares[found[0]]) < _CHANCE:
            return f"its cells are {word} only where {target.name!r} is {target.classes[int(found[0])]!r}"
    return ""


def _levels_or_ranges(table: Table, column: Column) -> Longs:
    """A code for each row: its level, or the range of numbers that it is in."""
    if column.kind.categorical:
        return table.codes([column.name])[:, 0].astype(np.int64)
    cells = table.numbers([column.name])[:, 0].astype(np.float64)
    if np.isnan(cells).all():
        return np.zeros(len(cells), dtype=np.int64)
    n_ranges = int(np.clip(len(cells) // _ROWS_PER_RANGE, 2, _RANGES))
    edges = np.unique(np.nanquantile(cells, np.linspace(0, 1, n_ranges + 1)[1:-1]))
    return np.searchsorted(edges, np.nan_to_num(cells), side="right")


def _predicted_by(codes: Longs, values: NDArray[Any], target: Target) -> float:
    """How well the mean of each code in one half of the rows predicts the other half: area, accuracy or R^2."""
    half = np.random.default_rng(0).permutation(len(codes)) % 2 == 0
    n_codes = int(codes.max(initial=0)) + 1
    truth = (values[:, None] == np.arange(max(len(target.classes), 1))) if target.classes else values[:, None]
    predicted = np.empty(truth.shape)
    for part in (half, ~half):
        counts = np.bincount(codes[part], minlength=n_codes)
        for j in range(truth.shape[1]):
            sums = np.bincount(codes[part], truth[part, j], n_codes)
            mean = truth[part, j].mean()
            predicted[~part, j] = np.where(counts > 0, sums / np.maximum(counts, 1), mean)[codes[~part]]
    if not target.classes:
        spread = np.square(values - values.mean()).sum()
        return float(1 - np.square(values - predicted[:, 0]).sum() / spread) if spread > 0 else 0.0
    if target.positive is not None:
        return _sure_area(values == target.positive, predicted[:, target.positive])
    return float((predicted.argmax(axis=1) == values).mean())


def _predicted_by_order(table: Table, column: Column, values: NDArray[Any], target: Target) -> float:
    """How well numbers as they are rank two classes (area), or follow a target of numbers (squared correlation)."""
    if column.kind is not Kind.NUMERIC or (target.classes and target.positive is None):
        return 0.0
    cells = table.numbers([column.name])[:, 0].astype(np.float64)
    known = ~np.isnan(cells)
    if known.mean() < LEAK_SHARE or np.ptp(cells[known]) == 0:
        return 0.0
    if target.positive is not None:
        positive = values[known] == target.positive
        return max(_sure_area(positive, sign * cells[known]) for sign in (1.0, -1.0))
    with np.errstate(all="ignore"):
        return float(np.nan_to_num(np.corrcoef(cells[known], values[known])[0, 1] ** 2))


def _sure_area(positive: Bools, scores: Floats) -> float:
    """The area under the ROC curve; 0 where few rows leave it open, as ten positives may be ranked first by chance."""
    area = auc_interval(positive, scores)
    return area.value if area.value is not None and area.low is not None and area.low >= LEAK_SHARE else 0.0


def _looks_like_a_name(table: Table, column: Column) -> str:
    """Why whole numbers look like the name of something rather than an amount; '' where they do not."""
    if column.kind is not Kind.NUMERIC or column.is_date or column.part:
        return ""
    cells = table.numbers([column.name])[:, 0]
    known = cells[~np.isnan(cells)]
    if not len(known) or (known != np.round(known)).any():
        return ""
    return looks_like_names(column.name, len(known), partial(nearly_all_differ, known))

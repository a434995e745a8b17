"""New rows compared with the training rows: cells unlike any of these, and columns whose distribution has moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from mercer.arrays import Array, Floats, Longs
from mercer.formatting import visible
from mercer.store.summary import ColumnSummary, TrainingSummary, bin_counts
from mercer.table import Column, Kind, Table

DRIFT_LEVEL = 0.01  # of the tests of all columns together
LEAST_PSI, LEAST_GAPS = 0.1, 0.05  # smaller moves are not called drift, however many rows show them
MOST_LETTERS = 40  # of a cell in a flag
_NEW_LEVELS = 0.05  # share of rows with a new level from which these are usual
_RAREST = 10  # training rows of a level that may count as rare
_LEAST_EXPECTED = 5.0  # new rows in a cell of the test, for which its distribution holds
_MOST_EXACT = 100_000  # rows up to which shares of missing cells are compared exactly


@dataclass(frozen=True)
class Flags:
    """Cells unlike any training row.

    Attributes
    ----------
    texts : list of str or None
        The unusual cells of each row, None for most.
    far : dict of str to int
        Rows whose number is far outside the training range, by column.
    unseen : dict of str to int
        Rows with a level that no training row had, by column.
    """

    texts: list[str | None]
    far: dict[str, int]
    unseen: dict[str, int]

    @property
    def n_rows(self) -> int:
        """Rows with at least one such cell."""
        return sum(text is not None for text in self.texts)


@dataclass(frozen=True)
class ColumnDrift:
    """How the distribution of one column moved from the training rows to the new ones.

    Attributes
    ----------
    name : str
        The column.
    psi : float
        Population stability index, sum of (q - p) ln(q / p) over bins between the training deciles or levels, with
        missing cells as one more.
    p_value : float
        Of the test that nothing moved, times the number of columns.
    missing_before, missing_after : float
        Share of missing cells in training rows and in new rows.
    change : str
        What moved most, in words.
    drifted : bool
        Whether the p-value is below 0.01, and the move is not small: PSI of 0.1, or 5 % more or fewer missing cells.
    """

    name: str
    psi: float
    p_value: float
    missing_before: float
    missing_after: float
    change: str
    drifted: bool


def flag_rows(table: Table, summary: TrainingSummary | None, written: Callable[[str, int], Any]) -> Flags:
    """Numbers beyond the training range by more than the width of its middle 80 %, and levels never seen.

    Where one row in twenty or more is expected to bring a new level (Good and Turing: the share of training rows whose
    level no other has, as of ticket numbers), new levels are not unusual.
    `written` is asked for the cell of a column and row.
    """
    notes: dict[int, list[str]] = {}
    far: dict[str, int] = {}
    unseen: dict[str, int] = {}
    ranges = {} if summary is None else {c.column.name: c for c in summary.columns}
    for column in table.schema if not table.is_sparse else ():
        if column.kind is Kind.NUMERIC and column.name in ranges:
            _flag_numbers(table.numbers(column.name)[:, 0], ranges[column.name], notes, far)
        elif column.kind.categorical and not _expects_new_levels(ranges.get(column.name)):
            rows = np.flatnonzero(table.codes(column.name)[:, 0] == len(column.levels))
            if len(rows):
                unseen[column.name] = len(rows)
            for row in rows.tolist():
                notes.setdefault(row, []).append(
                    f"{column.name}: {_shortened(written(column.name, row))!r} was never seen"
                )
    return Flags(["; ".join(notes[i]) if i in notes else None for i in range(len(table))], far, unseen)


def _expects_new_levels(held: ColumnSummary | None) -> bool:
    return held is not None and int((held.counts == 1).sum()) > _NEW_LEVELS * held.counts.sum()


def _flag_numbers(values: Array, held: ColumnSummary, notes: dict[int, list[str]], far: dict[str, int]) -> None:
    low, high = held.quantiles[0], held.quantiles[-1]
    if np.isnan(low):
        return
    margin = (held.quantiles[-2] - held.quantiles[1]) or (high - low)
    rows = np.flatnonzero((values < low - margin) | (values > high + margin))
    if len(rows):
        far[held.column.name] = len(rows)
    known = f"{_number(held.column, low)} to {_number(held.column, high)}"
    for row in rows.tolist():
        text = f"{held.column.name}: {_number(held.column, values[row])} is far outside {known}"
        notes.setdefault(row, []).append(text)


def _shortened(cell: Any) -> str:
    text = str(cell).strip()
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


def _number(column: Column, value: Any) -> str:
    if column.is_date and abs(value) < 10**6:
        return str(np.datetime64("1970-01-01") + np.timedelta64(int(np.floor(value)), "D"))
    return f"{value:.6g}"


def column_drift(table: Table, summary: TrainingSummary) -> list[ColumnDrift]:
    """Every column of new rows against the training rows, the most moved first.

    Bins of numbers between the training deciles, or levels, are compared by the chi-squared test of homogeneity,
    neighbouring bins and rare levels put together until each expects five of the new rows. Levels never seen are one
    with those that few training rows had: by Good and Turing, these rows are as many as are expected to bring a level
    at least as rare. Shares of missing cells are compared by Fisher's exact test. The lesser p-value is doubled, then
    multiplied by the number of columns (Bonferroni).
    """
    found = [_drift(table, held, summary) for held in summary.columns]
    return sorted(found, key=lambda drift: (not drift.drifted, -drift.psi))


def _drift(table: Table, held: ColumnSummary, summary: TrainingSummary) -> ColumnDrift:
    column, n_old, n_new = held.column, summary.n_rows, len(table)
    gaps = int(table.missing(column.name).sum())
    labels, old, new = _cells(table, held)
    p_known = _homogeneity(old, new, ordered=column.kind is Kind.NUMERIC)
    p_gaps = _same_share(held.n_missing, n_old, gaps, n_new)
    p_value = min(1.0, 2 * min(p_known, p_gaps) * len(summary.columns))
    psi = _stability(np.append(old, held.n_missing), np.append(new, gaps))
    before, after = held.n_missing / n_old, gaps / n_new
    change = f"missing {before:.0%} → {after:.0%}" if p_gaps < p_known else _change(table, held, labels, old, new)
    moved = psi >= LEAST_PSI or abs(after - before) >= LEAST_GAPS
    return ColumnDrift(column.name, psi, p_value, before, after, change, p_value < DRIFT_LEVEL and moved)


def _cells(table: Table, held: ColumnSummary) -> tuple[list[str], Longs, Longs]:
    """Bins or levels: their names, training rows and new rows."""
    column = held.column
    if column.kind is Kind.NUMERIC and not np.isnan(held.quantiles[0]):
        values = table.numbers(column.name)[:, 0].astype(np.float64)
        return [], held.counts, bin_counts(held.edges, values[~np.isnan(values)])
    if not column.kind.categorical:
        return [], np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    codes = table.codes(column.name)[:, 0]
    counts = np.bincount(codes[codes >= 0], minlength=len(column.levels) + 1)
    rare = held.counts <= _rare(held.counts)
    labels = [repr(level) for level, one in zip(column.levels, rare, strict=True) if not one]
    pooled = held.counts[rare].sum(), counts[:-1][rare].sum() + counts[-1]
    old, new = (np.append(c[~rare], p) for c, p in ((held.counts, pooled[0]), (counts[:-1], pooled[1])))
    return [*labels, "rare and new levels" if pooled[0] else "levels never seen"], old, new


def _rare(counts: Longs) -> int:
    """The most rows of a rare level: where the fewest rows are of levels that have one more."""
    sizes = np.bincount(np.minimum(counts, _RAREST + 2), minlength=_RAREST + 3)[2 : _RAREST + 2]
    return 1 + int((sizes * np.arange(2, _RAREST + 2)).argmin())


def _homogeneity(old: Longs, new: Longs, *, ordered: bool) -> float:
    """The p-value of the chi-squared test that both samples are of one distribution; 1 where it cannot be made."""
    if not old.sum() or not new.sum():
        return 1.0
    expected = (old + new) * (new.sum() / (old.sum() + new.sum()))
    order = np.arange(len(old)) if ordered else np.argsort(expected, kind="stable")
    cells = _pooled(expected[order])
    pairs = np.array([np.bincount(cells, weights=counts[order]) for counts in (old, new)])
    return float(stats.chi2_contingency(pairs, correction=False).pvalue) if pairs.shape[1] > 1 else 1.0


def _pooled(expected: Floats) -> Longs:
    """The cell of each bin: neighbours share one until it expects enough rows; what is left over joins the last."""
    cells, cell, held = [], 0, 0.0
    for rows in expected.tolist():
        cells.append(cell)
        held += rows
        if held >= _LEAST_EXPECTED:
            cell, held = cell + 1, 0.0
    found = np.array(cells, dtype=np.int64)
    return np.minimum(found, max(cell - 1, 0)) if held < _LEAST_EXPECTED else found


def _same_share(k_old: int, n_old: int, k_new: int, n_new: int) -> float:
    """The p-value of the test that two shares are the same."""
    if k_old + k_new in (0, n_old + n_new):
        return 1.0
    pairs = [[k_old, n_old - k_old], [k_new, n_new - k_new]]
    if n_old + n_new <= _MOST_EXACT:
        return float(stats.fisher_exact(pairs).pvalue)
    return float(stats.chi2_contingency(pairs).pvalue)


def _stability(old: Longs, new: Longs) -> float:
    """The population stability index; half a row is added to each cell, so that none is empty."""
    used = (old + new) > 0
    p, q = ((counts[used] + 0.5) / (counts[used] + 0.5).sum() for counts in (old, new))
    return float(np.sum((q - p) * np.log(q / p)))


def _change(table: Table, held: ColumnSummary, labels: list[str], old: Longs, new: Longs) -> str:
    if not new.sum() or not old.sum():
        return ""
    if held.column.kind is Kind.NUMERIC:
        median = held.quantiles[len(held.quantiles) // 2]
        after = np.nanmedian(table.numbers(held.column.name)[:, 0])
        return f"median {_number(held.column, median)} → {_number(held.column, after)}"
    shares = old / old.sum(), new / new.sum()
    place = int(np.abs(shares[1] - shares[0]).argmax())
    return f"{visible(labels[place])} {shares[0][place]:.0%} → {shares[1][place]:.0%}"

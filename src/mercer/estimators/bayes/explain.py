"""What a naive Bayes model has learned and why it decides as it does, readable in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.text_table import html_table, shown_cells, text_table
from mercer.likelihoods import ColumnTable, Likelihood
from mercer.table import Table

_MOST_ROWS = 12  # levels or words shown of one column


@dataclass(frozen=True)
class BayesTables:
    """Priors, and one table per column."""

    classes: list[str]
    prior: NDArray[np.float64]
    count: NDArray[np.float64]
    columns: list[ColumnTable]

    def __getitem__(self, name: str) -> ColumnTable:
        return next(t for t in self.columns if t.name == name)

    def __iter__(self) -> Iterator[ColumnTable]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def _grids(self) -> Iterator[tuple[str, list[list[str]]]]:
        rows = [["", *self.classes], ["P(class)", *(f"{p:.4g}" for p in self.prior)]]
        yield "classes", [*rows, ["rows", *(f"{n:g}" for n in self.count)]]
        for table in self.columns:
            yield f"{table.name} ({table.likelihood})", [["", *self.classes], *_cells(table)]

    def __repr__(self) -> str:
        return "\n\n".join(f"{title}\n{text_table(rows)}" for title, rows in self._grids())

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{escape(title)}</h4>{html_table(rows)}" for title, rows in self._grids())


def _cells(table: ColumnTable) -> list[list[str]]:
    rows = []
    for i, label in enumerate(table.rows[:_MOST_ROWS]):
        counted = table.counts is not None
        cells = [
            f"{v:.4g} ({table.counts[i, c]:g})" if counted and table.counts is not None else f"{v:.6g}"
            for c, v in enumerate(table.values[i])
        ]
        rows.append([label, *cells])
    if len(table.rows) > _MOST_ROWS:
        rows.append([f"... {len(table.rows) - _MOST_ROWS} more", *("" for _ in range(table.values.shape[1]))])
    return rows


def explain_rows(
    table: Table,
    parts: Sequence[Likelihood],
    prior: NDArray[np.float64],
    classes: NDArray[Any],
    joint: NDArray[np.float64],
) -> Explanation:
    """Compare two classes a row, cell by cell."""
    n, names = len(table), table.schema.names
    if len(classes) == 1:
        chosen = other = np.zeros(n, dtype=np.intp)
    elif len(classes) == 2:
        chosen, other = np.ones(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
    else:
        order = np.argsort(-joint, axis=1, kind="stable")
        chosen, other = order[:, 0], order[:, 1]
    values, rows = np.empty((n, len(names))), np.arange(n)
    for part in parts:
        scores = part.column_log_prob(table)
        with np.errstate(invalid="ignore"):
            values[:, [names.index(c) for c in part.names]] = scores[rows, :, chosen] - scores[rows, :, other]
    # -inf against -inf: the cell is impossible in both classes and tells them not apart.
    values[np.isnan(values)] = 0.0
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    base = log_prior[chosen] - log_prior[other]
    return Explanation(names, values, base, classes[chosen], classes[other], shown_cells(table, names))

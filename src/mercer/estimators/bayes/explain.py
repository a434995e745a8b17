"""What a naive Bayes model estimated, as tables, and why it predicts as it does, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import MercerError, did_you_mean
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import html_table, shown_cells, text_table
from mercer.likelihoods import ColumnTable, Likelihood
from mercer.table import Table

_ROWS_SHOWN = 12  # levels or words of one column


@dataclass(frozen=True)
class BayesTables:
    """P(class), and a table for each column; text in a terminal, HTML in a notebook.

    Parameters
    ----------
    classes : list of str
        Names of the classes.
    prior : ndarray of shape (n_classes,)
        P(class).
    count : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    columns : list of ColumnTable
        One for each column, in the order of the data; `tables["name"]` is that of a column.
    """

    classes: list[str]
    prior: Floats
    count: Floats
    columns: list[ColumnTable]

    def __getitem__(self, name: str) -> ColumnTable:
        return next(t for t in self.columns if t.name == name)

    def value(self, column: str, row: str, given: str) -> float:
        """P(column = row | class), or a statistic of the column in that class.

        Parameters
        ----------
        column : str
            Name of the column.
        row : str
            A level, a word, a bin, or a statistic such as "mean".
        given : str
            Name of the class.

        Returns
        -------
        value : float
            What the table of the column says.

        Raises
        ------
        MercerError
            If there is no such column, row or class.
        """
        tables = {table.name: table for table in self.columns}
        for name, known in ((column, tables), (given, self.classes)):
            if name not in known:
                raise MercerError(f"There is no {name!r} in these tables. {did_you_mean(str(name), known)}")
        rows = tables[column].rows
        if row not in rows:
            raise MercerError(f"The table of {column!r} has no row {row!r}. {did_you_mean(str(row), rows)}")
        return float(tables[column].values[rows.index(row), self.classes.index(given)])

    def __iter__(self) -> Iterator[ColumnTable]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def _shown(self) -> Iterator[tuple[str, list[list[str]]]]:
        """(title, rows of texts) of each table."""
        rows = [["", *self.classes], ["P(class)", *(f"{p:.4g}" for p in self.prior)]]
        yield "classes", [*rows, ["rows", *(f"{n:g}" for n in self.count)]]
        for table in self.columns:
            yield f"{table.name} ({table.likelihood})", [["", *self.classes], *_rows_of(table)]

    def __repr__(self) -> str:
        return "\n\n".join(f"{title}\n{text_table(rows)}" for title, rows in self._shown())

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{escape(title)}</h4>{html_table(rows)}" for title, rows in self._shown())


def _rows_of(table: ColumnTable) -> list[list[str]]:
    rows = []
    for i, label in enumerate(table.rows[:_ROWS_SHOWN]):
        if table.counts is None:
            cells = [table.text(i, value) for value in table.values[i]]
        else:
            cells = [f"{value:.4g} ({n:g})" for value, n in zip(table.values[i], table.counts[i], strict=True)]
        rows.append([label, *cells])
    if len(table.rows) > _ROWS_SHOWN:
        rows.append([f"... {len(table.rows) - _ROWS_SHOWN} more", *("" for _ in range(table.values.shape[1]))])
    return rows


def explain_rows(
    table: Table, likelihoods: Sequence[Likelihood], log_prior: Floats, classes: NDArray[Any], joint: Floats
) -> Explanation:
    """The log odds of two classes in each row, cell by cell; `joint` is log P(c) + log p(x | c)."""
    chosen, other = _compared(joint)
    names, rows = tuple(table.schema.names), np.arange(len(table))
    values = np.empty((len(table), len(names)))
    for likelihood in likelihoods:
        scores = likelihood.column_log_prob(table)
        with np.errstate(invalid="ignore"):
            odds = scores[rows, :, chosen] - scores[rows, :, other]
        values[:, [table.schema.position(name) for name in likelihood.names]] = odds
    # -inf - (-inf): the cell is impossible in both classes and speaks for neither.
    values[np.isnan(values)] = 0.0
    base = log_prior[chosen] - log_prior[other]
    return Explanation(names, values, base, classes[chosen], classes[other], shown_cells(table, names))


def _compared(joint: Floats) -> tuple[Ints, Ints]:
    """The two classes compared in each row: second and first of two, most probable and runner-up of more."""
    n_rows, n_classes = joint.shape
    if n_classes > 2:
        order = np.argsort(-joint, axis=1, kind="stable").astype(np.int32)
        return order[:, 0], order[:, 1]
    return np.full(n_rows, n_classes - 1, dtype=np.int32), np.zeros(n_rows, dtype=np.int32)

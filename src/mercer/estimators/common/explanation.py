"""The explanation of a classifier whose score is a sum over columns: naive Bayes, logistic regression, perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.common.text_table import text_table

Unit = Literal["log odds", "score"]
_ROWS_SHOWN = 3  # rows in the repr


@dataclass(frozen=True)
class Explanation:
    """log P(for | x) / P(against | x), or score(for, x) - score(against, x), = prior + sum over columns, row by row.

    With two classes `for_class` is the second of `classes_` and `against_class` the first; with more, they are the most
    probable class of the row and the runner-up.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    values : ndarray of shape (n_rows, n_columns)
        What each cell adds to the log odds, or the score, of its row.
    prior : ndarray of shape (n_rows,)
        Log odds or score before any column is looked at.
    for_class : ndarray of shape (n_rows,)
        The class that positive values speak for.
    against_class : ndarray of shape (n_rows,)
        The class that negative values speak for.
    cells : list of tuple of str
        The cells of each row as texts.
    unit : {"log odds", "score"}, default "log odds"
        What adds up: log odds of the probabilities that the model gives or, where it gives none, its scores.
    """

    columns: tuple[str, ...]
    values: Floats
    prior: Floats
    for_class: NDArray[Any]
    against_class: NDArray[Any]
    cells: list[tuple[str, ...]]
    unit: Unit = "log odds"

    @property
    def total(self) -> Floats:
        """Log odds, or score, of each row, (n_rows,)."""
        total: Floats = self.prior + self.values.sum(axis=1)
        return total

    def __len__(self) -> int:
        return len(self.prior)

    def row(self, i: int) -> str:
        """One row as a text table, its columns in decreasing order of what they add, either way.

        Parameters
        ----------
        i : int
            Position of the row.

        Returns
        -------
        text : str
            A line for the prior, one for each column, and their sum.
        """
        order = np.argsort(-np.abs(self.values[i]), kind="stable")
        rows = [["column", "cell", self.unit], ["(prior)", "", f"{self.prior[i]:+.3f}"]]
        rows += [[self.columns[j], self.cells[i][j], f"{self.values[i, j]:+.3f}"] for j in order]
        rows.append(["(sum)", "", f"{self.total[i]:+.3f}"])
        return f"row {i}: {self.for_class[i]} against {self.against_class[i]}\n{text_table(rows)}"

    def __repr__(self) -> str:
        shown = "\n\n".join(self.row(i) for i in range(min(len(self), _ROWS_SHOWN)))
        more = len(self) - _ROWS_SHOWN
        return shown + (f"\n\n... {more} more rows" if more > 0 else "")

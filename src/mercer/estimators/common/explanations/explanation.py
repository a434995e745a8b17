"""The explanation of single rows: what each column adds to the score that a model gives a row. One shape for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.common.explanations.text_table import html_table, text_table
from mercer.formatting import four_digits
from mercer.table.kinds.parts import DateUnit, date_text

Unit = Literal["log odds", "probability", "score", "vote", "prediction"]
SUM = "exact: the score is a sum over columns"
_ROWS_SHOWN = 3  # rows in the repr
_REASONS = 3  # columns named in words
_SIZABLE = 0.05  # of the largest contribution: what is named in words


@dataclass(frozen=True)
class Explanation:
    """score(x) = base + sum over columns of what the column adds, row by row.

    The score is what the model predicts: log odds or probability of a class, a score where it gives no probabilities,
    the number predicted in a regression. With two classes `for_class` is the second of `classes_`, or the one asked
    for, and `against_class` the other; with more, the most probable class of the row and, where scores are compared,
    the runner-up.

    Parameters
    ----------
    columns : tuple of str
        Names of the columns.
    values : ndarray of shape (n_rows, n_columns)
        What each cell adds to the score of its row.
    base : ndarray of shape (n_rows,)
        The score before any column is looked at.
    for_class : ndarray of shape (n_rows,) or None, default None
        The class that positive values speak for; None in a regression.
    against_class : ndarray of shape (n_rows,) or None, default None
        The class that negative values speak for; None for every other class, and in a regression.
    cells : sequence of tuple of str, default ()
        The cells of each row as texts.
    unit : {"log odds", "probability", "score", "vote", "prediction"}, default "log odds"
        What adds up: "vote" is 1 where the model predicts the class and 0 elsewhere, "prediction" a number predicted.
    error : ndarray of shape (n_rows, n_columns) or None, default None
        Standard errors of values that were estimated by sampling; None for exact values.
    method : str, default "exact: the score is a sum over columns"
        How the values were computed.
    row_numbers : ndarray of shape (n_rows,) or None, default None
        Where the rows stand in the table that they were taken from, from 0; None for 0, 1, ...
    date_unit : {"", "D", "s"}, default ""
        "D" or "s" where the number predicted is a date or a moment: days since 1970-01-01, to which columns add days.

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0], "shop": ["a", "b", "a"]}
    >>> found = mercer.explain(mercer.LinearRegression().fit(rows, [10.0, 20.0, 30.0]), rows)
    >>> found.total.round(6).tolist(), found.columns
    ([10.0, 20.0, 30.0], ('size', 'shop'))
    """

    columns: tuple[str, ...]
    values: Floats
    base: Floats
    for_class: NDArray[Any] | None = None
    against_class: NDArray[Any] | None = None
    cells: Sequence[tuple[str, ...]] = ()
    unit: Unit = "log odds"
    error: Floats | None = None
    method: str = SUM
    row_numbers: NDArray[Any] | None = None
    date_unit: DateUnit = ""

    @property
    def total(self) -> Floats:
        """The score of each row, (n_rows,): base plus what every column adds."""
        total: Floats = self.base + self.values.sum(axis=1)
        return total

    @property
    def exact(self) -> bool:
        """Whether the values are exact, not estimated from a sample."""
        return self.error is None

    def __len__(self) -> int:
        return len(self.base)

    def row(self, i: int) -> str:
        """One row as a text table, its columns in decreasing order of what they add, either way.

        Parameters
        ----------
        i : int
            Position of the row among those explained.

        Returns
        -------
        text : str
            A line for the base, one for each column, and their sum.
        """
        return f"{self._title(i)}\n{text_table(self._lines(i))}"

    def words(self, i: int) -> str:
        """One row in a sentence: the score, and the columns that made it so.

        Parameters
        ----------
        i : int
            Position of the row among those explained.

        Returns
        -------
        text : str
            The columns that add most for and against.
        """
        score = f"{self._what(i)} {self.number(self.total[i])} (base {self.number(self.base[i])})"
        largest = np.abs(self.values[i]).max(initial=0.0)
        if not largest:
            return f"{score}; no column makes a difference."
        order = [j for j in self.strongest(i) if abs(self.values[i, j]) >= _SIZABLE * largest]
        risen = self.total[i] >= self.base[i]
        reasons = [self._reason(i, j) for j in order if (self.values[i, j] > 0) == risen][:_REASONS]
        others = [self._reason(i, j) for j in order if (self.values[i, j] > 0) != risen][:_REASONS]
        parts = [f"Mostly because {_listed(reasons)}"] if reasons else []
        parts += [f"{'against it' if parts else 'Against each other'}: {_listed(others)}"] if others else []
        return f"{score}. {'; '.join(parts)}."

    def strongest(self, i: int) -> list[int]:
        """Places of the columns of one row, those that add most, either way, first.

        Parameters
        ----------
        i : int
            Position of the row among those explained.

        Returns
        -------
        places : list of int
            Of all columns.
        """
        return [int(j) for j in np.argsort(-np.abs(self.values[i]), kind="stable")]

    def spoken_for(self, positive: Any) -> Self:
        """The same explanation from the side of one of two classes.

        Parameters
        ----------
        positive : label
            The class that positive values are to speak for.

        Returns
        -------
        explanation : Explanation
            With classes swapped and values negated if they spoke for the other class.

        Raises
        ------
        MercerError
            If there are not two classes, or none is called so.
        """
        if self.for_class is None or self.against_class is None or len({*self.for_class, *self.against_class}) > 2:
            raise MercerError(f"positive={positive!r}: this explanation is not one of two classes.")
        if not len(self) or str(self.for_class[0]) == str(positive):
            return self
        if str(self.against_class[0]) != str(positive):
            raise MercerError(f"positive={positive!r} is no class: {self.against_class[0]!r}, {self.for_class[0]!r}.")
        base = 1 - self.base if self.unit in ("probability", "vote") else -self.base
        sides = self.against_class, self.for_class
        return replace(self, values=-self.values, base=base, for_class=sides[0], against_class=sides[1])

    def _title(self, i: int) -> str:
        number = i if self.row_numbers is None else int(self.row_numbers[i])
        if self.for_class is None:
            return f"row {number}"
        against = "" if self.against_class is None else f" against {self.against_class[i]}"
        return f"row {number}: {self.for_class[i]}{against}"

    def _what(self, i: int) -> str:
        verb = "are" if self.unit == "log odds" else "is"
        if self.for_class is None:
            return f"The {self.unit} {verb}"
        against = "" if self.against_class is None else f" against {str(self.against_class[i])!r}"
        against = "" if self.unit in ("probability", "vote") else against
        return f"The {self.unit} of {str(self.for_class[i])!r}{against} {verb}"

    def number(self, value: float) -> str:
        """A score as a text, with the digits of its unit.

        Parameters
        ----------
        value : float
            The score.

        Returns
        -------
        text : str
            Without a sign where it is positive; a date where dates are predicted.
        """
        if self.date_unit:
            return date_text(value, self.date_unit)
        return four_digits(value) if self.unit == "prediction" else f"{value:.3f}"

    def signed(self, value: float) -> str:
        """A contribution as a text, with its sign.

        Parameters
        ----------
        value : float
            The contribution.

        Returns
        -------
        text : str
            With the digits of its unit; days where dates are predicted.
        """
        if self.date_unit:
            return f"{round(value, 6) + 0.0:+.4g} days"  # the sixth digit is a tenth of a second
        return four_digits(value, "+") if self.unit == "prediction" else f"{value:+.3f}"

    def to_dict(self, i: int) -> dict[str, Any]:
        """One row as plain data, ready for JSON: numbers that are not finite become None.

        Parameters
        ----------
        i : int
            Position of the row among those explained.

        Returns
        -------
        row : dict
            Its number from 0, score, base, classes, words, and for each column the cell and what it adds.
        """
        columns = [self._column_dict(i, j) for j in self.strongest(i)]
        sides = {"for": self.for_class, "against": self.against_class}
        return {
            "row": i if self.row_numbers is None else int(self.row_numbers[i]),
            "unit": self.unit,
            **{name: None if side is None else str(side[i]) for name, side in sides.items()},
            "score": _finite(self.total[i]),
            "score_text": self.number(self.total[i]),
            "base": _finite(self.base[i]),
            "base_text": self.number(self.base[i]),
            "sampled": not self.exact,
            "method": self.method,
            "words": self.words(i),
            "columns": columns,
        }

    def _column_dict(self, i: int, j: int) -> dict[str, Any]:
        error = None if self.error is None else float(self.error[i, j])
        return {
            "column": self.columns[j],
            "cell": self.cells[i][j] if self.cells else "",
            "adds": _finite(self.values[i, j]),
            "adds_text": self.signed(self.values[i, j]),
            "error": error,
            "error_text": "" if error is None else _error(error),
        }

    def _reason(self, i: int, j: int) -> str:
        cell = self.cells[i][j] if self.cells else ""
        return f"{self.columns[j]}{f' = {cell}' if cell else ''} ({self.signed(self.values[i, j])})"

    def _lines(self, i: int) -> list[list[str]]:
        sampled = self.error is not None
        score = self.number if self.date_unit else self.signed
        rows = [["column", "cell", self.unit, "± error"], ["(base)", "", score(self.base[i]), ""]]
        for j in self.strongest(i):
            error = "" if self.error is None else _error(float(self.error[i, j]))
            cell = self.cells[i][j] if self.cells else ""
            rows.append([self.columns[j], cell, self.signed(self.values[i, j]), error])
        rows.append(["(sum)", "", score(self.total[i]), ""])
        return rows if sampled else [row[:3] for row in rows]

    def __repr__(self) -> str:
        shown = "\n\n".join(self.row(i) for i in range(min(len(self), _ROWS_SHOWN)))
        more = len(self) - _ROWS_SHOWN
        return shown + (f"\n\n... {more} more rows" if more > 0 else "")

    def _repr_html_(self) -> str:
        parts = []
        for i in range(min(len(self), _ROWS_SHOWN)):
            parts.append(f"<h4>{escape(self._title(i))}</h4><p>{escape(self.words(i))}</p>{html_table(self._lines(i))}")
        more = len(self) - _ROWS_SHOWN
        return "".join(parts) + (f"<p>... {more} more rows</p>" if more > 0 else "")


def _error(value: float) -> str:
    return f"{value:,.0f}" if 100 <= value < 1e9 else f"{value:.2g}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None

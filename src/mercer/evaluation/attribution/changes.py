"""What would change the answer of a model for one row, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import MercerError
from mercer.evaluation.attribution.candidates import ChangedRows
from mercer.evaluation.attribution.counterfactual import CellChanges, Search
from mercer.evaluation.attribution.goal import Goal


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that is changed.

    Parameters
    ----------
    column : str
        Its column.
    before, after : str
        The cell as it is, and as it would be.
    distance : float
        Standard deviations (by quartiles) between two numbers; 1 for another level, and for a cell that was missing.

    Examples
    --------
    >>> import mercer
    >>> mercer.Change("contract", "month", "year", 1.0).after
    'year'
    """

    column: str
    before: str
    after: str
    distance: float


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The nearest row that gets another answer, as `mercer.counterfactual` returns it.

    Parameters
    ----------
    changes : tuple of Change
        The cells that differ, the largest change first; none when no such row was found.
    before, after : str
        The answer for the row as it is, and for the changed row ('' when none was found).
    score_before, score_after : float
        What the model gives them, in the unit `what`; NaN when none was found.
    what : str
        The unit, such as "probability of 'yes'".
    asked : str
        The answer that was looked for.
    most : int
        Most columns that were changed at once.
    complete : bool
        Whether every candidate value of so many columns was tried. Otherwise a nearer row may exist.
    row_number : int, default 0
        Where the row stands in its table, from 0.

    Examples
    --------
    >>> import mercer
    >>> month = mercer.Change("contract", "month", "year", 1.0)
    >>> print(mercer.Counterfactual((month,), "leaves", "stays", 0.8, 0.3, "probability", "not 'leaves'", 3, True))
    It would be 'stays' instead of 'leaves' (probability 0.300 instead of 0.800) if contract were year instead of month.
    """

    changes: tuple[Change, ...]
    before: str
    after: str
    score_before: float
    score_after: float
    what: str
    asked: str
    most: int
    complete: bool
    row_number: int = 0

    @property
    def found(self) -> bool:
        """Whether there is such a row."""
        return bool(self.changes)

    def __str__(self) -> str:
        if not self.changes:
            columns = "one column" if self.most == 1 else f"up to {self.most} columns"
            if self.complete:
                return f"No change of {columns} within the training ranges makes the answer {self.asked}."
            return (
                f"No change of {columns} within the training ranges was found that makes the answer {self.asked}; "
                "not every combination was tried."
            )
        cells = [f"{c.column} were {c.after} instead of {c.before}" for c in self.changes]
        if self.what in ("prediction", "score"):  # of a number; of a class it is named
            head = f"The {self.what} would be {self.after} instead of {self.before}"
        else:
            scores = f"{self.what} {self.score_after:.3f} instead of {self.score_before:.3f}"
            head = f"It would be {self.after!r} instead of {self.before!r} ({scores})"
        return f"{head} if {' and '.join(cells)}."

    def __repr__(self) -> str:
        return str(self)


def find_changes(row: Any, others: Any, goal: Goal, fixed: set[str], most: int) -> Counterfactual:
    """The nearest row with another answer.

    Parameters
    ----------
    row, others : rows
        The row, and rows whose cells are what may be taken, in the same container.
    goal : Goal
        The answer asked for.
    fixed : set of str
        Columns that stay as they are.
    most : int
        Most columns that may change.

    Returns
    -------
    Counterfactual
        Without changes when there is no such row.
    """
    rows = ChangedRows(row, others, fixed)
    if not rows.free:
        raise MercerError("No column can be changed: all are fixed, text or without other values.")
    search = Search(rows, goal.margin)
    attempt, complete = search.nearest(most)
    before, score = goal.answer(row)[0], float(goal.shown(row)[0])
    if attempt is None:
        return Counterfactual((), before, "", score, np.nan, goal.what, goal.asked, most, complete)
    changed = _built(rows, attempt)
    if not goal.margin(changed)[0] > 0:  # a model that answers rows differently in other company
        return Counterfactual((), before, "", score, np.nan, goal.what, goal.asked, most, False)
    if goal.by_labels is not None and not goal.by_labels.margin(changed)[0] > 0:  # the scores are not what decides
        return find_changes(row, others, goal.by_labels, fixed, most)
    places = sorted(attempt.columns, key=lambda j: -attempt.distance[j])
    changes = [
        Change(rows.names[j], rows.cell(j, row, 0), rows.cell(j, changed, 0), attempt.distance[j]) for j in places
    ]
    after = goal.answer(changed)[0], float(goal.shown(changed)[0])
    return Counterfactual(tuple(changes), before, after[0], score, after[1], goal.what, goal.asked, most, complete)


def _built(rows: ChangedRows, attempt: CellChanges) -> Any:
    index = np.zeros((1, len(rows.names)), dtype=np.int64)
    numbers = np.full((1, len(rows.names)), np.nan)
    for j, place in attempt.places.items():
        index[0, j] = place
    for j, value in attempt.numbers.items():
        numbers[0, j] = value
    return rows.build(index, numbers)

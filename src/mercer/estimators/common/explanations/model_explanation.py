"""What a fitted model found, as plain data: the shape that every family's `model_explanation.py` fills in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.table import Table
from mercer.table.target_column import Target


@dataclass(frozen=True)
class HeldOut:
    """Rows that were held out, and the model of the other rows with its predictions for them.

    `rows` are the held-out rows and `training_rows` those that the model was fitted to, in its order, both as row
    numbers of the whole table. `predicted` has a column of probabilities per class of the target, or is (n_rows,).
    """

    model: Any
    table: Table
    predicted: Floats
    rows: Longs
    training_rows: Longs


@dataclass(frozen=True)
class FittedLearner:
    """A model to be explained, and what is known of it.

    Attributes
    ----------
    model : estimator
        Fitted to the whole table when it is the best learner (`full`), to the training rows when not.
    full : bool
        Whether to explain in full, or in short.
    classes : tuple of str
        Names of the model's classes, in its order; empty for a regression.
    columns : sequence of str
        Columns of the table, the most important first.
    target : Target
        The column that is predicted, over the whole table.
    held_out : HeldOut
        Rows that the model of the training rows has not seen.
    level : float
        Confidence level of intervals.
    fit_seconds : float
        Time of the fit to the training rows.
    deviations : dict of str to float
        Standard deviation of each numeric column.
    dates : collection of str
        Numeric columns that are dates, as days.
    """

    model: Any
    full: bool
    classes: tuple[str, ...]
    columns: Sequence[str]
    target: Target
    held_out: HeldOut
    level: float
    fit_seconds: float
    deviations: Mapping[str, float] = field(default_factory=dict)
    dates: Collection[str] = ()

    def rows_per_class(self) -> Longs:
        """How many rows of the table each of the model's classes has."""
        counts = np.bincount(self.target.codes, minlength=len(self.target.classes))
        return np.array([counts[self.target.classes.index(name)] for name in self.classes], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of an explanation: what, how much, and a remark on it."""

    label: str
    value: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ModelExplanation:
    """How a model predicts, in one sentence; its formula; facts about it; and details that its family defines.

    `family` names the template of the report that shows `details`; without one, the rest is all that is shown.
    """

    family: str
    lead: str
    facts: list[Fact]
    details: Any = None
    formula: str = ""
    formula_notes: tuple[str, ...] = ()


Explain: TypeAlias = Callable[[FittedLearner], ModelExplanation]

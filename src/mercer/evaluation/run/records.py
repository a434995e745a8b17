"""What a comparison keeps: what learners share, what a fold gave, a run of a learner, its line of the leaderboard."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.forward import Selection
from mercer.estimators.registry import Learner
from mercer.evaluation.data.row_columns import KnownCosts
from mercer.evaluation.data.splits import SplitPlan
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import Metric
from mercer.evaluation.notice import Notice
from mercer.evaluation.options import ComparisonOptions
from mercer.table import Source, Table
from mercer.table.target_column import Target


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the leaderboard: scores by metric key, or the error that stopped the learner."""

    key: str
    title: str
    summary: str
    is_baseline: bool
    holds_rows: bool
    cross_validated: dict[str, Score] = field(default_factory=dict)
    held_out: dict[str, Score] = field(default_factory=dict)
    training: dict[str, float | None] = field(default_factory=dict)
    folds: dict[str, list[float]] = field(default_factory=dict)  # cross-validated score of each fold
    seconds: float = 0.0
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    behind: Score | None = None  # difference to the best, above 0 where that is better; None of the best itself
    tied: bool = False  # the interval of that difference holds 0
    near: bool = False  # it is at most one standard error: prefer="simple" may keep this learner
    note: str = ""
    recalibrated: bool = False  # whether the scores are those after calibration, which no other learner had
    weighting: str = ""  # whether class weights were used, and what they do to the cost
    error: str | None = None

    @classmethod
    def of(cls, learner: Learner, **found: Any) -> Entry:
        """The entry of a learner with what was found of it."""
        return cls(learner.key, learner.title, learner.summary, learner.is_baseline, learner.holds_rows, **found)


@dataclass(frozen=True)
class FoldResult:
    """The test rows of one fold, what was predicted for them, and the scores of those and of the training rows.

    `fitted` are some of the training rows and what was predicted for them; `guess` is the class that each test row is
    called, where that is not the most probable one; `costs` of the test rows, when these are known.
    """

    rows: Longs
    predicted: Floats
    scores: dict[str, float]
    training: dict[str, float]
    fitted: tuple[Longs, Floats] = field(default_factory=lambda: (np.zeros(0, dtype=np.int64), np.zeros((0, 0))))
    guess: Longs | None = None
    costs: Floats | None = None


@dataclass(frozen=True)
class Run:
    """A learner, its entry, the model of the training rows and its predictions for the held-out rows.

    `training_rows` are the row numbers that the model was fitted to, in its order. `inner` has for each fold the others
    as models without both predict them (see `selection.nested`). Of an ensemble, `members` are the runs of its members
    with their weights, and `selection` is how these were found. `stays` says that the model of the training rows is
    kept in place of a fit to every row.
    """

    learner: Learner
    entry: Entry
    model: Any = None
    held_out_table: Table | None = None
    predicted: Floats | None = None
    training_rows: Longs = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    notices: tuple[Notice, ...] = ()
    folds: tuple[FoldResult, ...] = ()
    inner: tuple[tuple[FoldResult, ...], ...] = ()
    class_weights: Floats | None = None
    members: tuple[tuple[Run, float], ...] = ()
    selection: Selection | None = None
    stays: bool = False


@dataclass(frozen=True)
class Context:
    """What every learner of a comparison shares. `source` holds the cells that `table` was built from."""

    table: Table
    target: Target
    plan: SplitPlan
    options: ComparisonOptions
    source: Source
    metric: Metric
    weight: Floats | None = None  # of each row, in fits and scores
    costs: KnownCosts | None = None
    class_weights: Floats | None = None  # by which a learner is fitted, where that lowers its cost
    row_sample: str = ""  # which rows of the table the plan has, where a time budget is too short for all

    def weight_of(self, rows: Longs) -> Floats | None:
        """Weights of some of the rows; None where none were given."""
        return None if self.weight is None else self.weight[rows]

    def groups_of(self, rows: Longs) -> Longs | None:
        """The group, or the distinct row, that each of some rows belongs to; None where rows are independent."""
        return None if self.plan.groups is None else self.plan.groups[rows]


def can_stay(run: Run, context: Context) -> bool:
    """Whether a model that was fitted to class codes answers in the order of the classes by name."""
    target = context.target
    if not target.classes:
        return True
    in_order = np.array_equal(np.unique(target.labels), np.array(target.originals or target.classes))
    return in_order and len(run.model.classes_) == len(target.classes)


def describe_error(error: Exception) -> str:
    """Type and message of an error."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__

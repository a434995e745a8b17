"""The result of a comparison of learners as plain dataclasses, and as JSON."""

from __future__ import annotations

import hashlib
import math
import platform
from dataclasses import dataclass, fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.evaluation.attribution.examples import RowExample
from mercer.evaluation.data.columns import ColumnSummary
from mercer.evaluation.data.splits import SplitPlan
from mercer.evaluation.decisions.decision import Decision
from mercer.evaluation.diagnostics import Diagnostics
from mercer.evaluation.effects import PartialDependence
from mercer.evaluation.explanations import LearnerExplanation
from mercer.evaluation.metrics import METRICS, Metric
from mercer.evaluation.run.records import Entry
from mercer.table import LeftOut
from mercer.table.kinds.parts import DateUnit
from mercer.table.target import Task
from mercer.table.target_column import Target

FORMAT = "mercer result 7"
_PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn", "polars")


@dataclass(frozen=True, slots=True)
class TargetSummary:
    """The target: why it is a class or a number, and its distribution."""

    name: str
    reason: str
    n_missing: int
    classes: list[str]
    counts: list[int]  # rows of each class
    positive: str | None
    quantiles: list[float]  # minimum, quartiles and maximum of a number
    date_unit: DateUnit = ""  # of dates, as numbers of days
    notation: str = ""  # how numbers are written

    @classmethod
    def of(cls, target: Target) -> Self:
        """The summary of a target that was read."""
        if target.task is Task.REGRESSION:
            quantiles = np.quantile(target.numbers, [0, 0.25, 0.5, 0.75, 1]).tolist()
            about = quantiles, target.date_unit, target.notation
            return cls(target.name, target.reason, target.n_missing, [], [], None, *about)
        counts = np.bincount(target.codes, minlength=len(target.classes)).tolist()
        positive = None if target.positive is None else target.classes[target.positive]
        return cls(target.name, target.reason, target.n_missing, list(target.classes), counts, positive, [])


@dataclass(frozen=True, slots=True)
class SplitSummary:
    """How the rows were used."""

    n_rows: int
    n_train: int
    n_held_out: int
    n_folds: int
    n_repeats: int
    stratified: bool
    kind: str  # "random", "groups" or "time"
    test_share: float  # n_test / n_train of one fold
    rows_digest: str  # of the target in every row: runs with the same are of the same rows
    folds_digest: str  # of the row numbers: runs with the same can be compared fold by fold

    @classmethod
    def of(cls, plan: SplitPlan, target: Target) -> Self:
        """The counts of a plan."""
        n_train, n_test = len(plan.train), len(plan.test)
        counts = n_train + n_test, n_train, n_test, plan.n_folds, plan.n_repeats, plan.stratified, plan.kind
        rows = digest(np.array(target.classes), target.values)
        parts = digest(plan.train, plan.test, *(part for fold in plan.folds for part in fold))
        return cls(*counts, plan.test_share, rows, parts)


@dataclass(frozen=True)
class Comparison:
    """All that was found. `leaderboard` is best first; `best_model` is the learner `kept` fitted to every row."""

    name: str
    task: Task
    target: TargetSummary
    metric: Metric
    splits: SplitSummary
    columns: list[ColumnSummary]
    left_out: list[LeftOut]
    leaderboard: list[Entry]
    kept: str  # key of the learner whose model is kept
    preference: str  # by which: "accurate", "simple" or "fast"
    diagnostics: Diagnostics
    explanations: list[LearnerExplanation]
    effects: list[PartialDependence]  # of the most important columns on the best model
    examples: list[RowExample]  # held-out rows, explained by the best learner
    hint: str
    doubts: list[str]  # of the notices: why the scores may not hold
    notices: list[str]
    seed: int
    level: float
    seconds: float
    versions: dict[str, str]
    headline: str  # the sturdier estimate: "held_out" or "cross_validated"
    decision: Decision | None  # how rows are called, where not by the most probable class
    simpler: str | None  # key of a simpler learner that ties with the best
    training_rows: int  # that the best model was fitted to
    row_limit: str  # which of the rows these are, where they are not all
    best_model: Any
    confusions: list[Floats]  # of the kept model on each fold, as its rows are called; none of many classes
    command: str = ""  # that repeats the run

    @property
    def best(self) -> Entry:
        """The entry of the model that is kept: the first of the leaderboard, unless another was preferred."""
        return next(entry for entry in self.leaderboard if entry.key == self.kept)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON (NaN becomes None); the fitted model is not in it."""
        content = {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name != "best_model"}
        unfit = {"mape"} if self.target.date_unit else set()  # a date has no share
        metrics = {key: plain(m) for key, m in METRICS.items() if m.task is self.task and key not in unfit}
        return {"format": FORMAT, **content, "metrics": metrics}


def digest(*arrays: NDArray[Any]) -> str:
    """A short name of the content of arrays: others have another."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(f"{array.dtype} {array.shape}".encode())
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a source tree that is not installed
            continue
    return found


def plain(value: Any) -> Any:
    """Dataclasses, arrays and enums as what JSON knows; numbers that are not finite become None."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, str) else value

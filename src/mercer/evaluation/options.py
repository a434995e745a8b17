"""Options of a comparison of learners, and how it reports progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.table import KindSpec

Progress: TypeAlias = Callable[[str, float], None]  # (what is being done, share of the work done)


@dataclass(frozen=True)
class Budget:
    """Seconds for a whole run, from reading to report.

    Attributes
    ----------
    seconds : float
        What may be spent.
    clock : callable
        The time in seconds.
    start : float
        When the run began, by that clock.
    whole : float or None
        Seconds of the budget that this is a share of, where several targets share one.
    """

    seconds: float
    clock: Callable[[], float] = time.perf_counter
    start: float = field(default_factory=time.perf_counter)
    whole: float | None = None

    def __str__(self) -> str:
        """As it was asked for; of a share, both."""
        if self.whole is None:
            return f"time budget of {self.seconds:g} s"
        return f"share of {self.seconds:.2g} s in the time budget of {self.whole:g} s"

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.start

    @property
    def left(self) -> float:
        """Seconds left, 0 when the budget is used up."""
        return max(0.0, self.seconds - self.spent)


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """How to compare learners.

    Attributes
    ----------
    name : str
        What the data are called in the report.
    task : {"classification", "regression"}, optional
        Inferred from the target when None.
    kinds : mapping of str to kind, optional
        Kinds of columns, as in `mercer.read_table`.
    learners : tuple of str, optional
        Keys of the learners to run (see `mercer.estimators.registry`), among them "ensemble" for the mean of the
        others; None for all.
    drop : tuple of str
        Columns that learners do not see.
    weight, group, time : str, optional
        Columns that are not learned from either: the weight of each row in fits and scores; groups of rows that are
        kept together in folds and held-out rows; a number or date, by which learners are fitted to earlier rows and
        tested on later ones.
    metric : str, optional
        Key of the metric that learners search by and are ranked by (see `mercer.evaluation.metrics`); None for the main
        metric of the task. Where it depends on the threshold of two classes, it chooses that too.
    positive : str, optional
        Which of two classes the areas, thresholds and costs are about; None for the rarer one.
    costs : Costs, str, mapping or array, optional
        What errors cost, as `Costs.read` takes it: decisions are by it, and learners are ranked by it.
    threshold : Threshold, str or float, optional
        From which probability a row is called positive, as `Threshold.read` takes it. None: that of least cost where
        `costs` are given, the best one by a `metric` that depends on it, else the more probable class.
    prefer : {"accurate", "simple", "fast"}
        Which model is kept: the first of the ranking, or of those within one standard error of it the simplest, or the
        one that predicts fastest.
    imbalance : str
        Remedies for rare classes: "none", "auto" for all of `mercer.evaluation.selection.remedies`, or one of them.
    calibrate : str
        Whether probabilities of the model that is kept are recalibrated where that pays: "none", "auto" or a method.
    folds : int
        Folds of the cross-validation, 2 to 20.
    repeats : int, optional
        Repetitions of the cross-validation; None: 3 below 1,000 rows or 100 rows of one of at most 20 classes, else 1.
    held_out : float
        Share of the rows that are held out, 0.05 to 0.5.
    seed : int
        Seed of every random choice.
    level : float
        Confidence level of the intervals, 0.5 to 1.
    n_jobs : int, optional
        Threads that a learner may use; None for all cores.
    time_limit : float
        Seconds that one learner may take: its searches stop when their share of it is used up, and its
        cross-validation before the fold in which it would be.
    budget : Budget, optional
        Seconds that the whole run may take, reading included; None for no limit. Learners are then run in order of
        cheapness, on as many rows and folds as there is time for, then further settings of them.
    """

    name: str = "table"
    task: str | None = None
    kinds: Mapping[str, KindSpec] | None = None
    learners: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    weight: str | None = None
    group: str | None = None
    time: str | None = None
    metric: str | None = None
    positive: str | None = None
    costs: Costs | str | Mapping[Any, Any] | Sequence[Sequence[float]] | None = None
    threshold: Threshold | str | float | None = None
    prefer: str = "accurate"
    imbalance: str = "none"
    calibrate: str = "none"
    folds: int = 5
    repeats: int | None = None
    held_out: float = 0.2
    seed: int = 0
    level: float = 0.95
    n_jobs: int | None = None
    time_limit: float = 120.0
    budget: Budget | None = None

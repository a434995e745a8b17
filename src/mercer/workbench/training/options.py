"""The options of training, as Python and the terminal give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mercer.errors import MercerError
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.selection.calibration import checked_calibration
from mercer.evaluation.selection.preference import checked_preference
from mercer.evaluation.selection.remedies import checked_remedy
from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.table import KindSpec
from mercer.workbench.training.durations import budget_and_column

FOLDS, QUICK_FOLDS = 5, 3


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """The options of `mercer.train`; its docstring says what each means."""

    task: str | None = None
    kinds: Mapping[str, KindSpec] | None = None
    missing: tuple[str, ...] = ()
    separator: str | None = None
    header: bool | None = None
    sheet: str | int | None = None
    query: str | None = None
    table_name: str | None = None
    learners: tuple[str, ...] | None = None
    metric: str | None = None
    cost: Any = None
    positive: Any = None
    threshold: Threshold | str | float | None = None
    drop: tuple[str, ...] = ()
    weight: Any = None
    group: Any = None
    prefer: str = "accurate"
    imbalance: str = "none"
    calibrate: str = "auto"
    time: str | float | None = None
    time_budget: str | float | None = None
    time_column: str | None = None
    folds: int | None = None
    test_size: float = 0.2
    quick: bool = False
    seed: int = 0
    scheduler: Any = None

    @property
    def arrays(self) -> tuple[str, ...]:
        """Of weight and group, those that are arrays rather than names of columns."""
        given = {"weight": self.weight, "group": self.group}
        return tuple(role for role, value in given.items() if value is not None and not isinstance(value, str))

    def comparison(self, name: str, kinds: Mapping[str, KindSpec], target: str, start: float) -> ComparisonOptions:
        """The options of the comparison of learners; `start` is when the time budget began."""
        seconds, column = budget_and_column(self.time, self.time_budget, self.time_column)
        if target in kinds:
            raise MercerError(
                f"kind of {target!r}: that is the target. Say that the task is classification or regression."
            )
        return ComparisonOptions(
            name=name,
            task=self.task,
            kinds=kinds,
            learners=self.learners or None,
            metric=self.metric,
            positive=None if self.positive is None else str(self.positive),
            costs=Costs.read(self.cost),
            threshold=Threshold.read(self.threshold),
            drop=self.drop,
            weight=self.weight,
            group=self.group,
            prefer=checked_preference(self.prefer),
            imbalance=checked_remedy(self.imbalance),
            calibrate=checked_calibration(self.calibrate),
            time=column,
            budget=None if seconds is None else Budget(seconds, start=start),
            folds=self.folds or (QUICK_FOLDS if self.quick else FOLDS),
            repeats=1 if self.quick else None,
            held_out=self.test_size,
            seed=self.seed,
        )


def names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name or several as a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) else tuple(map(str, given))

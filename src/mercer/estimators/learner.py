"""What is known of a learner: how it is named, made, stored and explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mercer.errors import MercerError
from mercer.estimators.common.explanations.model_explanation import Explain
from mercer.table.target import Task

Settings: TypeAlias = Callable[[int, int | None], dict[str, Any]]  # (seed, n_jobs) -> constructor parameters


@dataclass(frozen=True, slots=True)
class TaskModel:
    """The estimator of a learner for one task.

    Attributes
    ----------
    estimator : type
        Its class, which a model file may name.
    explain : callable, optional
        What the report says of a fitted model.
    settings : callable, optional
        Its parameters in `mercer train`, which does not run an estimator without settings.
    """

    estimator: type[Any]
    explain: Explain | None = None
    settings: Settings | None = None


@dataclass(frozen=True, slots=True)
class ManyRows:
    """Further settings of a learner for tables beyond its row limit, what they are, and a row limit of their own."""

    settings: dict[str, Any]
    what: str
    max_rows: int


@dataclass(frozen=True, slots=True)
class Learner:
    """One learner: how it is named, made, stored and explained.

    Attributes
    ----------
    key, title, summary : str
        Its name in options, in tables, and one sentence on what it does.
    classification, regression, outliers : TaskModel, optional
        The estimator for each task that it can do.
    is_baseline : bool
        Whether it ignores the columns.
    holds_rows : bool
        Whether a fitted model contains rows of the training table.
    complexity : int
        How hard a fitted model is to read: 0 (nothing to read) to 4. Of learners that tie, the least is offered.
    on_request : bool
        Whether `mercer train` runs it only where it is named.
    max_rows : int, optional
        Row limit in `mercer train`: a longer table is sampled down to it.
    max_classes : int, optional
        Of a target with more, `mercer train` runs it only where it is named.
    many_rows : ManyRows, optional
        Settings for a longer table, taken where they predict training rows left out better.
    searches : bool
        Whether it has a `grid` to search, which is given the metric that ranks the learners, and a time limit.
    scores_neighbours : bool
        Whether its `scoring` of classes, by which it chooses k, is that metric.
    effort : int
        How long it takes beside the others, 0 (nothing) to 6: under a time budget the least comes first.
    variant_of : str, optional
        Key of the learner that it is with other settings.
    time_share : float
        Of the seconds for fits under a time budget, what it may take beyond an even share.
    """

    key: str
    title: str
    summary: str
    classification: TaskModel | None = None
    regression: TaskModel | None = None
    outliers: TaskModel | None = None
    is_baseline: bool = False
    holds_rows: bool = False
    complexity: int = 4
    on_request: bool = False
    max_rows: int | None = None
    max_classes: int | None = None
    many_rows: ManyRows | None = None
    searches: bool = False
    scores_neighbours: bool = False
    effort: int = 6
    variant_of: str | None = None
    time_share: float = 0.0

    @property
    def models(self) -> tuple[TaskModel, ...]:
        """The models of all tasks."""
        return tuple(m for m in (self.classification, self.regression, self.outliers) if m is not None)

    def model(self, task: Task) -> TaskModel | None:
        """The model that `mercer train` runs for a task; None when it runs none."""
        found = self.classification if task is Task.CLASSIFICATION else self.regression
        return found if found is not None and found.settings is not None else None

    def make(self, task: Task, seed: int = 0, n_jobs: int | None = None) -> Any:
        """An estimator as `mercer train` uses it, not fitted."""
        found = self.model(task)
        if found is None or found.settings is None:
            raise MercerError(f"mercer train does not run {self.title} for {task}.")
        return found.estimator(**found.settings(seed, n_jobs))

    def with_settings(self, settings: Mapping[str, Any]) -> Learner:
        """The learner with other parameters of its models."""

        def changed(model: TaskModel | None) -> TaskModel | None:
            if model is None or model.settings is None:
                return model
            usual = model.settings
            return replace(model, settings=lambda seed, n_jobs: {**usual(seed, n_jobs), **settings})

        return replace(self, classification=changed(self.classification), regression=changed(self.regression))

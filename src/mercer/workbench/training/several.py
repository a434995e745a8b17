"""Training for several targets: learners are compared for each of them, on the columns that are no target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from mercer.errors import BadTarget, MercerError
from mercer.estimators.registry import learner_keys
from mercer.evaluation.metrics import METRICS, metric_key
from mercer.evaluation.options import Budget, Progress
from mercer.evaluation.run.records import Context
from mercer.table import Source, Task
from mercer.table.target_column import read_target
from mercer.workbench.chunked.job import ChunkTable, ChunkTraining, prepare_training, read_chunks
from mercer.workbench.training.command import command
from mercer.workbench.training.job import Training, read_source, split_source, with_row_columns
from mercer.workbench.training.options import TrainOptions
from mercer.workbench.training.result import TrainResult
from mercer.workbench.training.results import TrainResults

_OF_ONE_TARGET = ("cost", "positive", "threshold")


@dataclass(frozen=True)
class TargetsTraining:
    """The training of each of several targets.

    Attributes
    ----------
    trainings : tuple of Training
        In the order in which the targets were named.
    command : str
        That repeats the run.
    """

    trainings: tuple[Training, ...]
    command: str = ""

    @property
    def context(self) -> Context:
        """That of the first target: the columns are the same for all."""
        return self.trainings[0].context

    def run(self, progress: Progress | None = None) -> TrainResults:
        """Compare the learners for one target after the other; a time budget is shared out among those to come."""
        n, report = len(self.trainings), progress or (lambda _what, _share: None)
        results: dict[str, TrainResult] = {}
        for i, training in enumerate(self.trainings):
            name = training.context.target.name
            shown = _part(report, name, i, n)
            results[name] = _with_share(training, n - i).run(shown)
        return TrainResults(results, self.command)


def _part(progress: Progress, target: str, place: int, n: int) -> Progress:
    return lambda what, share: progress(f"{target}: {what}", (place + share) / n)


def _with_share(training: Training, n_left: int) -> Training:
    """The training with its share of the seconds that are left."""
    budget = training.context.options.budget
    if budget is None:
        return training
    share = Budget(max(budget.left / n_left, 1e-3), start=perf_counter(), whole=budget.seconds)
    options = replace(training.context.options, budget=share)
    return replace(training, context=replace(training.context, options=options))


def open_any(
    data: Any, target: Any, options: TrainOptions, progress: Progress | None = None
) -> Training | TargetsTraining | ChunkTraining:
    """Read a table for training on one target or several."""
    start, report = perf_counter(), progress or (lambda _what, _share: None)
    found = read_chunks(data, options, lambda what, _: report(what, 0.0))
    if isinstance(found, ChunkTable):
        if options.arrays:
            raise MercerError(f"{options.arrays[0]}: a table in chunks has it in a column. Give the name of that.")
        return prepare_training(found, data, target, options, None, report)
    return split_any(found or read_source(data, options), data, target, options, start=start)


def split_any(
    source: Source, data: Any, target: Any, options: TrainOptions, name: str | None = None, *, start: float | None
) -> Training | TargetsTraining:
    """`split_source`, for several targets where several columns are named."""
    source, options = with_row_columns(source, data, options)
    names = _several(source, target)
    if len(names) < 2:
        return split_source(source, data, names[0] if names else target, options, name, start=start)
    for option in _OF_ONE_TARGET:
        if getattr(options, option) is not None:
            raise MercerError(f"{option} is about one target, and there are {len(names)}. Train them one by one.")
    each = (_options_of(source, one, names, options) for one in names)
    trainings = [
        split_source(replace(source, columns=dict(source.columns)), data, one, chosen, name, start=start)
        for one, chosen in zip(names, each, strict=True)
    ]
    return TargetsTraining(tuple(trainings), command(data, names, options))


def _several(source: Source, target: Any) -> tuple[str, ...]:
    """The columns that a list names; none where the target is one column, or its values."""
    if not isinstance(target, list | tuple) or not target or not all(isinstance(t, str) for t in target):
        return ()
    named = [t in source.columns for t in target]
    if not any(named) or (len(target) == source.n_rows and not all(named)):
        return ()  # a label for each row
    names = tuple(source.find(t) for t in target)
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise BadTarget(f"The target {twice[0]!r} is named twice. Name each column once.")
    return names


def _options_of(source: Source, target: str, names: Sequence[str], options: TrainOptions) -> TrainOptions:
    """The options for one target: the others are dropped, and a metric or learner of the other task is not meant."""
    task = read_target(source, target, options.task)[0].task
    able, known = learner_keys(task), {key for other in Task for key in learner_keys(other)}
    asked = options.learners or ()
    chosen = tuple(key for key in asked if key in able or key not in known) or asked or None
    ranking = METRICS.get(metric_key(options.metric or ""))
    metric = options.metric if ranking is None or ranking.task is task else None
    others = tuple(n for n in names if n != target)
    kinds = {n: kind for n, kind in (options.kinds or {}).items() if n not in others}
    remedy = options.imbalance if task is Task.CLASSIFICATION else "none"
    dropped = (*options.drop, *others)
    return replace(options, learners=chosen, metric=metric, drop=dropped, kinds=kinds, imbalance=remedy)

"""A library of models that fills a time budget: settings of the learners, cross-validated one after the other.

A model of the library is a run without held-out rows: only those that the ensemble takes are fitted further.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer.evaluation.budget import report_seconds
from mercer.evaluation.decisions.scores import with_decisions
from mercer.evaluation.intervals import Score
from mercer.evaluation.options import Budget
from mercer.evaluation.run.learner import cross_validate, run_held_out
from mercer.evaluation.run.records import Context, Entry, Run, describe_error
from mercer.evaluation.selection.portfolio import Further, doubled, portfolio
from mercer.evaluation.selection.weighing import FEW_ROWS, candidates, kinds_of, weigh
from mercer.evaluation.uncertainty.paired import behind, standard_error

MOST_MODELS, MOST_BYTES = 150, 1e9  # of the library, and of its predictions
MEMBERS, BAGGED_MEMBERS = 8, 20  # that an ensemble is expected to have, each fitted to the training rows and to all
MORE_MEMBERS = 1.3  # times as long the members of the last ensemble may take as those of the one before
MORE_ROWS = 1.4  # times as long a fit to all rows takes as one to the rows of a fold
_SKIPPED = 20  # settings in a row for which there is no time: then the library ends


def grow(runs: Sequence[Run], context: Context, step: Callable[[str], None]) -> list[Run]:
    """Further settings of the learners that did not fail, cross-validated until the time for it is over.

    The settings of boosted trees that are the best yet, by more than noise, are followed by the same with twice the
    rounds.

    Parameters
    ----------
    runs : sequence of Run
        Of the learners.
    context : Context
        What the runs share, with a time budget.
    step : callable
        Called with a line that says what is being done.

    Returns
    -------
    list of Run
        Without held-out rows; `completed` adds them.
    """
    budget = context.options.budget
    assert budget is not None
    library = _Library({run.learner.key: run for run in runs if run.entry.error is None}, context, budget)
    settings = portfolio(context.target.task, context.options.seed)
    following: deque[Further] = deque()
    skipped = 0
    while library.bases and skipped < _SKIPPED and library.has_room():
        further = following.popleft() if following else next(settings)
        if not library.has_time(further):
            skipped += 1
            continue
        skipped = 0
        if library.add(further, step) and (more := doubled(further)):
            following.append(more)
    return library.found


@dataclass
class _Library:
    """The models of a library as it grows, and what they cost."""

    bases: dict[str, Run]
    context: Context
    budget: Budget

    def __post_init__(self) -> None:
        self.found: list[Run] = []
        self.reserve = report_seconds(self.budget)
        self.chosen = (-1, 0.0)  # with so many models found, the seconds of the members of their ensemble
        self.n_members = MEMBERS if len(self.context.plan.train) > FEW_ROWS else BAGGED_MEMBERS
        self.pace = {key: run.entry.seconds / (len(run.folds) + 1) for key, run in self.bases.items() if run.folds}
        self.best = {key: run for key, run in self.bases.items() if run.folds}
        first = max(self.best.values(), key=self._score, default=None)
        n_folds = len(first.folds) if first else 0  # models are selected on the folds that they all have
        plan = self.context.plan
        self.context = replace(self.context, plan=replace(plan, folds=plan.folds[:n_folds]))

    def has_room(self) -> bool:
        """Whether the library may have one more model."""
        n_folds, outputs = len(self.context.plan.folds), max(1, len(self.context.target.classes))
        cells = sum(len(test) for _, test in self.context.plan.folds) + n_folds * 10_000
        return len(self.found) < min(MOST_MODELS, MOST_BYTES / (8.0 * cells * outputs))

    def has_time(self, further: Further) -> bool:
        """Whether its folds, and then the fits of members, end before the report has to be begun."""
        if further.key not in self.pace:
            return False
        one = self.pace[further.key] * further.effort
        needed = (1.3 * len(self.context.plan.folds) + MORE_ROWS) * one
        left = self.budget.left - self.reserve - needed
        return self._leading_seconds() <= left or MORE_MEMBERS * self._member_seconds() <= left

    def add(self, further: Further, step: Callable[[str], None]) -> bool:
        """Cross-validate the settings; whether they are the best of their learner yet by more than a standard error."""
        base = self.bases[further.key]
        learner = further.variant(base.learner)
        limit = max(self.budget.left - self.reserve, 1e-3)
        options = replace(self.context.options, time_limit=limit)
        context = replace(self.context, options=options, class_weights=base.class_weights)
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # those of the learner were recorded
                tested = with_decisions(cross_validate(learner, context, step), context)
        except Exception as error:
            self.found.append(Run(learner, Entry.of(learner, error=describe_error(error))))
            return False
        taken = time.perf_counter() - start
        one = taken / len(tested)
        self.pace[further.key] = (self.pace[further.key] + one / further.effort) / 2
        key = self.context.metric.key
        mean = Score(float(np.mean([fold.scores[key] for fold in tested])))
        entry = Entry.of(learner, cross_validated={key: mean}, seconds=taken, fit_seconds=one)
        run = Run(learner, entry, folds=tuple(tested), class_weights=base.class_weights)
        self.found.append(run)
        best = self.best[further.key]
        if not self._score(run) > self._score(best):  # worse, or not known
            return False
        self.best[further.key] = run
        level = self.context.options.level
        gain = behind(run.folds, best.folds, self.context.metric, self.context, level)
        return gain.value is not None and gain.value > standard_error(gain, len(run.folds), level)

    def _leading_seconds(self) -> float:
        """What the fits of as many of the best models take as an ensemble is expected to have."""
        return sum(map(_last_seconds, self._ranked()[: self.n_members]))

    def _member_seconds(self) -> float:
        """What those of the ensemble of the models so far take: often it has fewer and cheaper ones than the best."""
        if self.chosen[0] != len(self.found):
            able = candidates(self._ranked())
            folds = [run.folds for run in able]
            members = weigh(folds, self.context, kinds_of(able)).members.tolist() if len(able) > 1 else [0]
            seconds = sum(_last_seconds(able[m]) for m in {0, *members} if able)  # the best is compared with the mean
            self.chosen = len(self.found), seconds
        return self.chosen[1]

    def _ranked(self) -> list[Run]:
        able = [run for run in (*self.bases.values(), *self.found) if run.folds and not run.learner.is_baseline]
        return sorted(able, key=self._score, reverse=True)

    def _score(self, run: Run) -> float:
        metric = self.context.metric
        n = len(self.context.plan.folds)
        mean = float(np.mean([fold.scores[metric.key] for fold in run.folds[:n]]))
        return mean if metric.higher_is_better else -mean


def _last_seconds(run: Run) -> float:
    """What a member is expected to take after its folds: a fit to the training rows, unless it has one, and to all."""
    return (MORE_ROWS if run.predicted is not None else 1 + MORE_ROWS) * run.entry.fit_seconds


def completed(run: Run, context: Context) -> Run:
    """The run with its model of the training rows and scores on the held-out rows, where it has none yet."""
    if run.predicted is not None:
        return run
    found = run_held_out(run.learner, replace(context, class_weights=run.class_weights), list(run.folds))
    return replace(found, entry=replace(found.entry, seconds=run.entry.seconds + found.entry.fit_seconds))

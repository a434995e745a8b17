"""Learners compared on a table in chunks: each is fitted by passes over the training rows and scored on rows drawn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer._core.threads import single_blas_thread
from mercer.errors import BadFile, ClusterLost, MercerError
from mercer.estimators.registry import Learner, learners
from mercer.evaluation.comparison import Chosen, described, ranked, refit, with_recalibrated
from mercer.evaluation.decisions.scores import with_decisions
from mercer.evaluation.notice import with_notices
from mercer.evaluation.options import Progress
from mercer.evaluation.result import Comparison, SplitSummary, TargetSummary, digest
from mercer.evaluation.run.fitting import predict
from mercer.evaluation.run.learner import scored_entry
from mercer.evaluation.run.records import Entry, FoldResult, Run, describe_error
from mercer.evaluation.selection.calibration import with_calibration
from mercer.evaluation.selection.ensemble import without_ensemble
from mercer.evaluation.selection.preference import checked_preference
from mercer.evaluation.uncertainty.learner import row_scores
from mercer.report.sentences import in_words_of
from mercer.scale.fitting import fit_rows
from mercer.scale.registry import FITS
from mercer.scale.rows import Rows
from mercer.table import Task
from mercer.workbench.chunked.preparation import Prepared

# Settings of `mercer train` that need all rows at once, and what is taken in chunks.
# Trees without a limit would grow with the table, and each level of each tree is asked of all chunks.
_SHALLOW = {"max_depth": 12, "prune": None, "n_estimators": 30}
SETTINGS: dict[str, dict[str, Any]] = {
    "linear": {"scale": False},
    "tree": _SHALLOW,
    "forest": _SHALLOW,
    "extra_trees": _SHALLOW,
}
_SLOWING = 0.7  # of what is left of a learner's part of the bar, after each pass


def able_learners(task: Task, keys: tuple[str, ...] | None) -> tuple[Learner, ...]:
    """The learners that can be fitted in chunks; those named, or all. MercerError names one that cannot be."""
    asked = learners(task, without_ensemble(keys))
    able = tuple(learner for learner in asked if _is_able(learner, task))
    refused = [learner.key for learner in asked if learner not in able]
    if keys is not None and refused:
        known = ", ".join(learner.key for learner in learners(task) if _is_able(learner, task))
        raise MercerError(f"{refused[0]} needs all rows at once. In chunks these can be fitted: {known}.")
    return able


def _is_able(learner: Learner, task: Task) -> bool:
    """Whether it can be fitted in chunks; a model that holds rows would grow with the table."""
    model = learner.model(task)
    return model is not None and not learner.holds_rows and issubclass(model.estimator, tuple(FITS))


@single_blas_thread()
def compare_chunks(prepared: Prepared, progress: Progress) -> Comparison:
    """Fit each learner to the training rows, rank them by the validation rows, and fit the best to every row."""
    start = time.perf_counter()
    context = prepared.context
    prefer = checked_preference(context.options.prefer)
    running = able_learners(context.target.task, context.options.learners)
    bar = _Bar(progress, len(running) + 2)
    runs = ranked([_run(learner, prepared, bar) for learner in running], context.metric)
    model, bare, runs = refit(
        runs, context, prefer, bar.step, lambda run: _fitted(run.learner, prepared, prepared.rows, bar)
    )
    best, kept, calibration = with_calibration(model, bare, context)
    kept = replace(kept, entry=replace(kept.entry, note=in_words_of(context.plan.kind, kept.entry.note)))
    kept, runs = with_recalibrated(runs, bare, kept, context)
    bar.step("Describing the model")
    said = [
        "Learners that need all rows at once were left out: the table is read in chunks.",
        *filter(None, [in_words_of(context.plan.kind, calibration)]),
    ]
    found = described(Chosen(kept, best, bare, model, runs, said), context, prefer, bar.rename)
    progress("Done", 1.0)
    return replace(_of_all_rows(found, prepared), seconds=time.perf_counter() - start)


@dataclass
class _Bar:
    """Progress over learners: how many passes one makes is not known before, so that each pass goes part of the way."""

    progress: Progress
    n_steps: int
    done: int = -1
    what: str = ""
    n_passes: int = 0
    last: float = 0.0

    def step(self, what: str) -> None:
        """The next learner."""
        self.done, self.what, self.n_passes, self.last = self.done + 1, what, 0, 0.0
        self.progress(what, self.done / self.n_steps)

    def rename(self, what: str) -> None:
        """Other work of the same step."""
        self.progress(what, min(0.99, self.done / self.n_steps))

    def __call__(self, share: float) -> None:
        """Part of a pass over the chunks."""
        self.n_passes, self.last = self.n_passes + (share < self.last), share
        passed = 1 - _SLOWING ** (self.n_passes + share)
        self.progress(f"{self.what}: pass {self.n_passes + 1}", min(0.99, (self.done + passed) / self.n_steps))


def _run(learner: Learner, prepared: Prepared, bar: _Bar) -> Run:
    """Run one learner; an error becomes its entry's, unless no other could be fitted either."""
    start = time.perf_counter()
    bar.step(learner.title)
    try:
        run, notices = with_notices(learner.title, lambda: _scored(learner, prepared, bar))
    except (BadFile, ClusterLost):
        raise
    except Exception as error:
        return Run(learner, Entry.of(learner, seconds=time.perf_counter() - start, error=describe_error(error)))
    return replace(run, notices=notices, entry=replace(run.entry, seconds=time.perf_counter() - start))


def _scored(learner: Learner, prepared: Prepared, bar: _Bar) -> Run:
    context = prepared.context
    start = time.perf_counter()
    model = _fitted(learner, prepared, prepared.training, bar)
    fitted = time.perf_counter()
    predicted = predict(model, context.table, context.target)
    seconds = {"fit_seconds": fitted - start, "predict_seconds": time.perf_counter() - fitted}
    plan = context.plan
    training = row_scores(predicted[plan.train], context, plan.train)
    tested = [
        FoldResult(
            rows,
            predicted[rows],
            row_scores(predicted[rows], context, rows),
            training,
            (plan.train, predicted[plan.train]),
        )
        for _, rows in plan.folds
    ]
    tested, held_out = with_decisions(tested, context), predicted[plan.test]
    entry = scored_entry(learner, context, tested, held_out, **seconds)
    return Run(learner, entry, model, context.table.take(plan.test), held_out, plan.train, folds=tuple(tested))


def _fitted(learner: Learner, prepared: Prepared, rows: Rows, progress: Callable[[float], None]) -> Any:
    options = prepared.context.options
    model = learner.make(prepared.context.target.task, options.seed, options.n_jobs)
    known = model.get_params(deep=False)
    model.set_params(**{k: value for k, value in SETTINGS.get(learner.key, {}).items() if k in known})
    fit_rows(model, rows.anew(progress), tuple(prepared.columns))
    return model


def _of_all_rows(found: Comparison, prepared: Prepared) -> Comparison:
    """The comparison of the rows that were drawn, with the counts of all rows."""
    context, about = prepared.context, prepared.about
    target, plan = TargetSummary.of(context.target), context.plan
    if about.labels is None:
        low, high = about.ends
        target = replace(target, quantiles=[low, *target.quantiles[1:-1], high])
    else:
        target = replace(target, counts=about.counts.tolist())
    rows = digest(np.array(context.target.classes), context.target.values, np.array([about.n_known]))
    folds = digest(plan.train, plan.test, *(test for _, test in plan.folds))
    counts = about.n_known, plan.n_train, len(plan.test), plan.n_folds, 1, False, plan.kind  # type: ignore[attr-defined]
    splits = SplitSummary(*counts, plan.test_share, rows, folds)
    found = replace(found, target=target, splits=splits, training_rows=about.n_known, row_limit="")
    return _in_words_of_splits(found)


def _in_words_of_splits(found: Comparison) -> Comparison:
    """With what it says of scores in words of validation rows; other notices may hold names from the table."""
    found = replace(found, hint=in_words_of(found.splits.kind, found.hint))
    if found.decision is None:
        return found
    usual = found.decision.statement
    said = in_words_of(found.splits.kind, usual)
    notices = [said if notice == usual else notice for notice in found.notices]
    return replace(found, decision=replace(found.decision, statement=said), notices=notices)

"""One learner run: cross-validated on the training rows, then fitted to them and scored on the held-out rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.estimators.registry import Learner
from mercer.evaluation.data.splits import split_table
from mercer.evaluation.decisions.scores import held_out_classes, weights_pay, weights_sentence, with_decisions
from mercer.evaluation.intervals import corrected_t
from mercer.evaluation.notice import with_notices
from mercer.evaluation.run.fitting import fit, limited, predict, row_limit_note
from mercer.evaluation.run.parallel import for_several, in_threads, workers
from mercer.evaluation.run.records import Context, Entry, FoldResult, Run, describe_error
from mercer.evaluation.uncertainty.learner import cross_validated_scores, held_out_scores, row_scores
from mercer.table import Table

MIN_FOLDS = 2  # that are scored however long they take
MOST_TRAINING_ROWS = 10_000  # on which the training score is taken, evenly spaced
Beside = TypeVar("Beside")


def run_learner(learner: Learner, context: Context, step: Callable[[str], None]) -> Run:
    """Run one learner; whatever it raises becomes its entry's error, so that the others go on."""
    start = time.perf_counter()
    try:
        run, notices = with_notices(learner.title, lambda: _run(learner, context, step))
    except Exception as error:
        return Run(learner, Entry.of(learner, seconds=time.perf_counter() - start, error=describe_error(error)))
    return replace(run, notices=notices, entry=replace(run.entry, seconds=time.perf_counter() - start))


def _run(learner: Learner, context: Context, step: Callable[[str], None]) -> Run:
    if context.costs is None and context.options.budget is None:
        tested, fitted = _test_folds(learner, context, step, partial(_fit_training, learner, for_several(context)))
        step(f"{learner.title}: held-out rows")
        return run_held_out(learner, context, with_decisions(tested, context), fitted=fitted)
    context, tested, weighting = _with_best_weights(learner, context, step)
    step(f"{learner.title}: held-out rows")
    return run_held_out(learner, context, tested, weighting)


def run_held_out(
    learner: Learner,
    context: Context,
    tested: list[FoldResult],
    weighting: str = "",
    fitted: tuple[Any, Table, float] | None = None,
) -> Run:
    """The run of a learner that was cross-validated: fitted to the training rows and scored on the held-out rows.

    `fitted` is its model of the training rows, the held-out rows and the seconds of the fit, where there is one.
    """
    plan, target = context.plan, context.target
    model, test, fit_seconds = _fit_training(learner, context) if fitted is None else fitted
    predict_start = time.perf_counter()
    predicted = predict(model, test, target, context.class_weights)
    predict_end = time.perf_counter()
    notes = row_limit_note(learner, context, plan.train), _time_limit_note(len(tested), context)
    entry = scored_entry(
        learner,
        context,
        tested,
        predicted,
        fit_seconds=fit_seconds,
        predict_seconds=predict_end - predict_start,
        weighting=weighting,
        note="; ".join(filter(None, notes)),
    )
    rows = plan.train[limited(learner, context, plan.train)[0]]
    weights = context.class_weights
    return Run(learner, entry, model, test, predicted, rows, folds=tuple(tested), class_weights=weights)


def scored_entry(
    learner: Learner, context: Context, tested: list[FoldResult], predicted: Floats, **found: Any
) -> Entry:
    """The entry of a learner with its scores on folds and on the held-out rows, and what else was found of it."""
    called = held_out_classes(tested, context, predicted)
    return Entry.of(
        learner,
        cross_validated=cross_validated_scores(tested, context),
        held_out=held_out_scores(context, context.plan.test, predicted, called),
        folds={k: [t.scores[k] for t in tested] for k in tested[0].scores},
        training={k: corrected_t([t.training[k] for t in tested], 0.0).value for k in tested[0].training},
        **found,
    )


def _with_best_weights(
    learner: Learner, context: Context, step: Callable[[str], None]
) -> tuple[Context, list[FoldResult], str]:
    """Cross-validated with class weights as the costs are, where that lowers the cost; and a sentence on it."""
    start = time.perf_counter()
    plain = with_decisions(cross_validate(learner, context, step), context)
    weights = None if context.costs is None else context.costs.matrix.class_weights()
    able = not learner.is_baseline and "class_weight" in learner.make(context.target.task).get_params()
    if weights is None or not able or (weights == weights[0]).all() or not (weights > 0).all():
        return context, plain, ""
    if time.perf_counter() - start > 0.4 * context.options.time_limit:  # the last fit is to come
        return context, plain, "fitted without class weights: its time limit left none to try them"
    weighing = replace(context, class_weights=weights)
    weighted = with_decisions(cross_validate(learner, weighing, step), weighing)
    pays = weights_pay(plain, weighted, context)
    sentence = weights_sentence(weights, plain, weighted, pays)
    return (weighing, weighted, sentence) if pays else (context, plain, sentence)


def cross_validate(learner: Learner, context: Context, step: Callable[[str], None]) -> list[FoldResult]:
    """The learner fitted without each fold in turn, and scored on it and on its training rows."""
    return _test_folds(learner, context, step, None)[0]


def _test_folds(
    learner: Learner, context: Context, step: Callable[[str], None], beside: Callable[[], Beside] | None
) -> tuple[list[FoldResult], Beside | None]:
    """The folds as in `cross_validate`; and what `beside` gives, where a thread is free for it beside the last fold."""
    folds, limit = context.plan.folds, context.options.time_limit
    at_once = workers(context)
    tests: list[Callable[[], Any]] = [partial(_test_fold, learner, for_several(context), fold) for fold in folds]
    found: list[Any] = []
    start = time.perf_counter()
    for first in range(0, len(folds), at_once):
        spent = time.perf_counter() - start
        if first >= MIN_FOLDS and spent + 2 * spent / first > limit:  # this fold, and the fit to all training rows
            break
        batch = tests[first : first + at_once]
        for place in range(first, first + len(batch)):
            step(f"{learner.title}: fold {place + 1} of {len(folds)}")
        found += in_threads(_call, batch if beside is None or len(batch) == at_once else [*batch, beside], context)
    return found[: len(folds)], found[len(folds)] if len(found) > len(folds) else None


def _call(work: Callable[[], Any]) -> Any:
    return work()


def _fit_training(learner: Learner, context: Context) -> tuple[Any, Table, float]:
    """The learner fitted to the training rows, the held-out rows, and the seconds of the fit."""
    plan = context.plan
    train, test = split_table(context.table, plan.train, plan.test)
    start = time.perf_counter()
    model = fit(learner, context, train, plan.train)
    return model, test, time.perf_counter() - start


def _test_fold(learner: Learner, context: Context, fold: tuple[Longs, Longs]) -> FoldResult:
    """The learner fitted to the training rows of a fold, and scored on its test rows."""
    train_rows, test_rows = fold
    train, test = split_table(context.table, train_rows, test_rows)
    model = fit(learner, context, train, train_rows)
    predicted = predict(model, test, context.target, context.class_weights)
    few = np.linspace(0, len(train_rows) - 1, min(len(train_rows), MOST_TRAINING_ROWS)).astype(np.int64)
    again = predict(model, train.take(few), context.target, context.class_weights)
    scores = row_scores(predicted, context, test_rows), row_scores(again, context, train_rows[few])
    return FoldResult(test_rows, predicted, *scores, (train_rows[few], again))


def _time_limit_note(n_done: int, context: Context) -> str:
    n_folds = len(context.plan.folds)
    if n_done == n_folds:
        return ""
    return f"scored on {n_done} of {n_folds} folds, where it met its time limit of {context.options.time_limit:.2g} s"

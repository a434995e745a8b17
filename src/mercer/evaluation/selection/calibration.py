"""Probabilities of the model that is kept, recalibrated where cross-validated log loss falls by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.combine.adapted.recalibrated import Method, RecalibratedClassifier, fit_calibrators, recalibrated
from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.decisions.scores import pooled, with_decisions
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import METRICS, Metric
from mercer.evaluation.run.learner import scored_entry
from mercer.evaluation.run.records import Context, FoldResult, Run
from mercer.evaluation.uncertainty.learner import row_scores
from mercer.evaluation.uncertainty.paired import behind, mean_difference, standard_error
from mercer.select.calibration import Calibrator
from mercer.table.target import Task

AUTO, NONE = "auto", "none"
LOSS = METRICS["log_loss"]


def checked_calibration(given: str) -> str:
    """Whether probabilities may be recalibrated: "auto", "none", or one of the methods."""
    known = (AUTO, NONE, *get_args(Method))
    if given not in known:
        raise MercerError(f"There is no calibration {given!r}. {did_you_mean(given, known)}")
    return given


def with_calibration(model: Any, run: Run, context: Context) -> tuple[Any, Run, str]:
    """The model and its run with probabilities recalibrated where that pays, and a sentence; else as they were.

    Each fold is recalibrated by calibrators of the other folds of its round, so that its scores include calibration;
    the model gets those of all rows held out in cross-validation. It pays where the interval of the paired difference
    of log loss over the rows of a round lies above 0, at the level of all methods tried together (Bonferroni), the mean
    Brier score is not worse, and the ranking metric is not worse by more than its standard error.

    Parameters
    ----------
    model : estimator
        The learner that is kept, fitted to every row.
    run : Run
        Of that learner.
    context : Context
        What the runs share; `options.calibrate` says which methods are tried.

    Returns
    -------
    model, run : estimator, Run
        Recalibrated, or as they came.
    notice : str
        Why a method that was asked for was not taken; the note of the entry tells of a recalibration.
    """
    asked = context.options.calibrate
    wanted: tuple[Method, ...] = get_args(Method) if asked == AUTO else (asked,)
    if asked == NONE or context.target.task is not Task.CLASSIFICATION or not _can_be_recalibrated(model, run, context):
        return model, run, ""
    before = [fold.scores[LOSS.key] for fold in run.folds]
    tried = {method: _recalibrated_folds(run, context, method) for method in wanted}
    means = {m: float(np.mean([f.scores[LOSS.key] for f in folds])) for m, folds in tried.items() if folds}
    if not means:
        said = f"Calibration: {run.entry.title} is not recalibrated: a fold lacks a class."
        return model, run, "" if asked == AUTO else said
    best = min(means, key=lambda m: means[m])
    figures = f"log loss {means[best]:.4g} in place of {np.mean(before):.4g} in cross-validation"
    if not _pays(tried[best], run, context, n_tried=len(means)):
        said = f"Calibration: {run.entry.title} is not recalibrated, which would not pay ({best}: {figures})."
        return model, run, "" if asked == AUTO else said
    how = "a sigmoid" if best == "sigmoid" else "isotonic regression"
    said = f"probabilities recalibrated by {how}, fitted to rows held out in cross-validation: {figures}"
    found = _recalibrated_run(run, context, tried[best], best, said)
    names = [str(label) for label in model.classes_]
    order = [context.target.classes.index(name) for name in names]
    return RecalibratedClassifier(model, _calibrators(run, context, best, order)), found, ""


def _can_be_recalibrated(model: Any, run: Run, context: Context) -> bool:
    """Whether the learner has probabilities of every class, of its own, on every fold of a round."""
    n, names = len(context.target.classes), sorted(context.target.classes)
    whole = sorted(map(str, model.classes_)) == names and len(run.model.classes_) == n
    own = not run.learner.is_baseline and run.class_weights is None
    return whole and own and run.predicted is not None and len(run.folds) >= context.plan.n_folds


def _calibrators(run: Run, context: Context, method: Method, order: Sequence[int]) -> list[Calibrator]:
    """Of all rows held out in a round of cross-validation, for a model that has the classes in this order."""
    rows, shares = pooled(list(run.folds[: context.plan.n_folds]))
    weight = context.weight_of(rows)
    return fit_calibrators(shares[:, order], np.argsort(order)[context.target.codes[rows]], weight, method)


def _recalibrated_folds(run: Run, context: Context, method: Method) -> list[FoldResult]:
    """Each fold recalibrated by the others of its round; none where a class is lacking."""
    n, found = context.plan.n_folds, []
    for i, fold in enumerate(run.folds):
        first = i - i % n
        others = [t for j, t in enumerate(run.folds[first : first + n], first) if j != i]
        if not others:
            return []
        rows, shares = pooled(others)
        weight = context.weight_of(rows)
        calibrators = fit_calibrators(shares, context.target.codes[rows], weight, method)
        if not calibrators:
            return []
        seen, again = fold.fitted
        predicted, fitted = recalibrated(fold.predicted, calibrators), recalibrated(again, calibrators)
        scores, training = row_scores(predicted, context, fold.rows), row_scores(fitted, context, seen)
        found.append(replace(fold, predicted=predicted, scores=scores, training=training, fitted=(seen, fitted)))
    return with_decisions(found, context)


def _pays(folds: list[FoldResult], run: Run, context: Context, n_tried: int) -> bool:
    """Whether log loss falls beyond error, the Brier score does not rise, and the ranking metric is not worse."""
    rows, after = pooled(folds[: context.plan.n_folds])
    _, before = pooled(list(run.folds[: context.plan.n_folds]))
    level = 1 - (1 - context.options.level) / n_tried
    codes = context.target.codes[rows]
    worth = context.weight_of(rows), context.groups_of(rows)
    fall = mean_difference(_log_loss(before, codes), _log_loss(after, codes), level, *worth)

    def gain(metric: Metric) -> Score:
        return behind(folds, run.folds, metric, context, context.options.level)

    squares, ranked = gain(METRICS["brier"]), gain(context.metric)
    worse = -(ranked.value or 0.0) > standard_error(ranked, len(run.folds), context.options.level)
    return fall.low is not None and fall.low > 0 and (squares.value or 0.0) >= 0 and not worse


def _log_loss(shares: Floats, codes: Longs) -> Floats:
    own = shares[np.arange(len(codes)), codes]
    found: Floats = -np.log(np.clip(own, np.finfo(np.float64).eps, 1.0))
    return found


def _recalibrated_run(run: Run, context: Context, folds: list[FoldResult], method: Method, said: str) -> Run:
    assert run.predicted is not None
    calibrators = _calibrators(run, context, method, range(len(context.target.classes)))
    predicted = recalibrated(run.predicted, calibrators)
    fresh = scored_entry(run.learner, context, folds, predicted)
    scores: dict[str, Any] = {n: getattr(fresh, n) for n in ("cross_validated", "held_out", "folds", "training")}
    entry = replace(run.entry, note="; ".join(filter(None, [run.entry.note, said])), recalibrated=True, **scores)
    model = RecalibratedClassifier(run.model, calibrators)
    return replace(run, entry=entry, model=model, predicted=predicted, folds=tuple(folds))

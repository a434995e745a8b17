"""Diagnostics of the best model on the held-out rows: errors by class, curves, residuals, column importance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.curves import Bin, Curve, Separation, calibration, precision_recall_curve, roc_curve, separation
from mercer.evaluation.decisions.scores import decided, incurred
from mercer.evaluation.importance import Importance, table_importance
from mercer.evaluation.metrics import ClassLine, Metric, class_report
from mercer.evaluation.run.fitting import predict
from mercer.evaluation.run.records import Context, Run
from mercer.select.decisions import DecisionRule
from mercer.select.weighted import scorer
from mercer.table import Table, Task

MOST_POINTS = 1500  # of the scatter plot
IMPORTANCE_SHARE = 0.3  # of the seconds that a time budget has left
MOST_CONFUSED = 12  # classes whose confusion matrices are kept of every fold
CURVES = 4  # classes that get a curve when there are more than two
_RESIDUAL_BINS = 40


@dataclass(frozen=True, slots=True)
class Residuals:
    """A sample of actual and predicted values, and a histogram of actual minus predicted over all held-out rows."""

    actual: list[float]
    predicted: list[float]
    edges: list[float]
    counts: list[int]
    quantiles: dict[str, float]


@dataclass(frozen=True)
class Diagnostics:
    """What the report shows of the best model's errors; empty where it does not apply."""

    classes: list[ClassLine] = field(default_factory=list)
    confusion: list[list[float]] = field(default_factory=list)
    roc: list[Curve] = field(default_factory=list)
    precision_recall: list[Curve] = field(default_factory=list)
    calibration: list[Bin] = field(default_factory=list)
    separation: Separation | None = None
    residuals: Residuals | None = None
    importance: list[Importance] = field(default_factory=list)


def diagnose(run: Run, context: Context, metric: Metric, rule: DecisionRule | None = None) -> Diagnostics:
    """Diagnostics of a run that succeeded; `rule` is how rows are called, where not the most probable class."""
    assert run.predicted is not None
    assert run.held_out_table is not None
    target, options, truth = context.target, context.options, context.target.values[context.plan.test]
    guess = np.zeros(0, dtype=np.int64)
    if target.task is Task.CLASSIFICATION:
        guess = (
            run.predicted.argmax(axis=1) if rule is None else decided(context, rule, context.plan.test, run.predicted)
        )
    rows, named = context.plan.test, (target.classes, target.positive)
    weight, groups = context.weight_of(rows), context.groups_of(rows)
    tested = Predictions(target.task, truth, run.predicted, guess, *named, weight, groups=groups)
    importance = [] if run.entry.is_baseline else _importance(run, run.held_out_table, context, metric, rule)
    return replace(diagnose_errors(tested, options.level, options.seed), importance=importance)


def diagnose_errors(tested: Predictions, level: float, seed: int) -> Diagnostics:
    """Errors by class and curves, or residuals; curves and calibration where there are scores or probabilities."""
    truth, predicted, positive, weight = tested.truth, tested.predicted, tested.positive, tested.weight
    if tested.task is Task.REGRESSION:
        return Diagnostics(residuals=residuals(truth, predicted, seed))
    lines, matrix = class_report(truth, tested.guess, tested.classes, weight)
    found = Diagnostics(classes=lines, confusion=matrix)
    if tested.scale == "label":
        return found
    roc, pr = class_curves(truth, predicted, tested.classes, positive, level, seed, weight, tested.groups)
    found = replace(found, roc=roc, precision_recall=pr)
    if tested.scale == "score":
        return found
    return replace(
        found,
        calibration=class_calibration(truth, predicted, positive, level, weight, tested.groups),
        separation=None if positive is None else separation(truth == positive, predicted[:, positive], weight),
    )


def fold_confusions(run: Run, context: Context) -> list[Floats]:
    """Of each fold the weight of rows by true class and class called; none of numbers or of many classes."""
    n = len(context.target.classes)
    if not 2 <= n <= MOST_CONFUSED:
        return []
    found = []
    for fold in run.folds:
        called = fold.predicted.argmax(axis=1) if fold.guess is None else fold.guess
        cells = context.target.codes[fold.rows] * n + called
        found.append(np.bincount(cells, context.weight_of(fold.rows), n * n).astype(np.float64).reshape(n, n))
    return found


def _importance(
    run: Run, table: Table, context: Context, metric: Metric, rule: DecisionRule | None
) -> list[Importance]:
    sign = 1 if metric.higher_is_better else -1
    truth = context.target.values[context.plan.test]

    def answer(part: Table) -> Floats:
        return predict(run.model, part, context.target, context.class_weights)

    def measure(predicted: Floats, rows: Longs) -> float:
        some = context.plan.test[rows]
        guess = None if rule is None else decided(context, rule, some, predicted)
        if metric.key == "cost" and guess is not None:
            return sign * float(incurred(context, some, guess).mean())
        scores = scorer(context.target.task, truth[rows], predicted, context.target.positive, guess)
        return sign * scores(np.ones(len(rows)))[metric.key]

    budget = context.options.budget
    seconds = None if budget is None else IMPORTANCE_SHARE * budget.left
    return table_importance(table, answer, measure, context.options.seed, seconds=seconds)


def class_curves(
    truth: Longs,
    proba: Floats,
    classes: Sequence[str],
    positive: int | None,
    level: float,
    seed: int,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> tuple[list[Curve], list[Curve]]:
    """ROC and precision-recall curves of the positive class, or of the most frequent of several."""
    counts = np.bincount(truth, minlength=len(classes))
    wanted = np.argsort(-counts, kind="stable")[:CURVES].tolist() if positive is None else [positive]
    wanted = [c for c in wanted if 0 < counts[c] < len(truth)]
    rest = seed, level, weight, groups
    roc = [roc_curve(truth == c, proba[:, c], classes[c], *rest) for c in wanted]
    pr = [precision_recall_curve(truth == c, proba[:, c], classes[c], *rest) for c in wanted]
    return roc, pr


def class_calibration(
    truth: Longs,
    proba: Floats,
    positive: int | None,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> list[Bin]:
    """Of the positive class; of several classes, of the one predicted."""
    if positive is not None:
        return calibration(truth == positive, proba[:, positive], level, weight, groups)
    return calibration(truth == proba.argmax(axis=1), proba.max(axis=1), level, weight, groups)


def residuals(truth: Floats, predicted: Floats, seed: int) -> Residuals:
    """Actual minus predicted."""
    rows = np.random.default_rng(seed).permutation(len(truth))[:MOST_POINTS]
    left = truth - predicted
    low, high = np.quantile(left, [0.005, 0.995])
    if low == high:
        low, high = low - 1, high + 1
    counts, edges = np.histogram(np.clip(left, low, high), bins=_RESIDUAL_BINS, range=(low, high))
    names = {"5 %": 0.05, "25 %": 0.25, "50 %": 0.5, "75 %": 0.75, "95 %": 0.95}
    quantiles = {name: float(np.quantile(left, q)) for name, q in names.items()}
    return Residuals(truth[rows].tolist(), predicted[rows].tolist(), edges.tolist(), counts.tolist(), quantiles)

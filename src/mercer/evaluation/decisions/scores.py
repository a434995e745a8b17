"""What the decisions of a learner cost: chosen on other rows than those it is measured on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import METRICS, SearchScore, positive_scores
from mercer.evaluation.uncertainty.costs import cost_interval
from mercer.evaluation.uncertainty.paired import behind, standard_error
from mercer.select.costs import CostMatrix
from mercer.select.decisions import DecisionRule
from mercer.select.thresholds import (
    METRIC_RULES,
    ChosenThreshold,
    Operating,
    RowCosts,
    Rule,
    Threshold,
    choose_threshold,
)
from mercer.select.weighted import ClassScores

if TYPE_CHECKING:
    from mercer.evaluation.run.records import Context, FoldResult

COST = METRICS["cost"]


def wanted_threshold(context: Context) -> Threshold | None:
    """Of two classes the threshold that was asked for, else that of least cost, else the best one by the metric.

    None of several classes, and where the metric depends on no threshold. Recall alone is largest where every row is
    called positive, precision alone where hardly one is: they choose none either.
    """
    given, key = Threshold.read(context.options.threshold), context.metric.key
    if given is not None or context.target.positive is None:
        return given
    if context.costs is not None:
        return Threshold("cost")
    return Threshold(cast(Rule, key)) if key in METRIC_RULES else None


def asks_for_decisions(context: Context) -> bool:
    """Whether rows are called by costs or a threshold, and not the most probable class."""
    return context.costs is not None or wanted_threshold(context) is not None


def chooses_by_metric(context: Context) -> bool:
    """Whether the threshold is the best one by the metric that ranks, cost among them."""
    wanted = wanted_threshold(context)
    return wanted is not None and wanted.rule == context.metric.key and wanted.rule in ("cost", *METRIC_RULES)


def ranks_by_decisions(context: Context) -> bool:
    """Whether the metric depends on decisions that are chosen on the predictions of cross-validation."""
    return context.metric.needs_decision and asks_for_decisions(context)


def row_costs(context: Context, rows: Longs) -> RowCosts | None:
    """Of two classes, what each of the rows costs when called positive and when not; None without costs."""
    target, costs = context.target, context.costs
    if costs is None or target.positive is None:
        return None
    truth, amounts = target.codes[rows], costs.of(rows)
    called = (target.positive, 1 - target.positive)
    return RowCosts(*(costs.matrix.incurred(truth, place, amounts) for place in called))


def choose_rule(context: Context, rows: Longs, proba: Floats) -> tuple[DecisionRule, ChosenThreshold | None]:
    """How rows are called which class, chosen on these rows, whose probabilities are of models not fitted to them.

    Of several classes, the least expected cost. Of two, by `wanted_threshold`; where a column has the cost of each row,
    the least expected cost of the row, and that threshold where it is lacking.
    """
    target, costs = context.target, context.costs
    matrix = None if costs is None else costs.matrix
    weights = None if context.class_weights is None else tuple(context.class_weights.tolist())
    if target.positive is None:
        return DecisionRule(target.classes, costs=matrix, class_weights=weights, prices=matrix), None
    asked = wanted_threshold(context)
    assert asked is not None
    if asked.rule == "top":
        asked = Threshold("top", min(asked.value or 1, len(rows)))
    weight = context.weight_of(rows)
    positive = target.codes[rows] == target.positive
    chosen = choose_threshold(positive, proba[:, target.positive], asked, row_costs(context, rows), weight)
    by_row = matrix if matrix is not None and matrix.columns and asked.rule == "cost" else None
    top = int(asked.value or 1) if asked.rule == "top" else None
    return DecisionRule(target.classes, target.positive, chosen.value, top, by_row, weights, matrix), chosen


def decided(context: Context, rule: DecisionRule, rows: Longs, proba: Floats) -> Longs:
    """The class that each of the rows is called; of `top`, by the threshold, since these rows are no table."""
    amounts = {} if context.costs is None else context.costs.of(rows)
    return replace(rule, top=None).decide(proba, amounts)


def incurred(context: Context, rows: Longs, called: Longs) -> Floats:
    """What each of the rows cost that was called so."""
    assert context.costs is not None
    return context.costs.matrix.incurred(context.target.codes[rows], called, context.costs.of(rows))


def mean_cost(context: Context, rows: Longs, called: Longs) -> Score:
    """The mean cost of rows that are called so, with its interval."""
    assert context.costs is not None
    codes, known = context.target.codes[rows], (context.weight_of(rows), context.groups_of(rows))
    return cost_interval(context.costs.matrix, codes, called, context.costs.of(rows), context.options.level, *known)


def with_decisions(tested: list[FoldResult], context: Context) -> list[FoldResult]:
    """Each fold with its rows called as the other folds of the same round say is best; scores and costs are of that."""
    if not asks_for_decisions(context):
        return tested
    n_folds, found = context.plan.n_folds, []
    for i, fold in enumerate(tested):
        first = i - i % n_folds
        others = [t for j, t in enumerate(tested[first : first + n_folds], first) if j != i]
        others = others or [t for j, t in enumerate(tested) if j != i] or [fold]
        rule, _ = choose_rule(context, *pooled(others))
        found.append(fold_by(rule, fold, context))
    return found


def fold_by(rule: DecisionRule, fold: FoldResult, context: Context) -> FoldResult:
    """The fold with its rows called by a rule: classes, the scores that depend on them, and costs."""
    seen, again = fold.fitted
    guess, trained = decided(context, rule, fold.rows, fold.predicted), decided(context, rule, seen, again)
    return replace(
        fold,
        guess=guess,
        costs=None if context.costs is None else incurred(context, fold.rows, guess),
        scores=fold.scores | _scores_of_classes(context, fold.rows, guess),
        training=fold.training | _scores_of_classes(context, seen, trained),
    )


def _scores_of_classes(context: Context, rows: Longs, guess: Longs) -> dict[str, float]:
    """The metrics that depend on which class rows are called, with their cost where that is known."""
    target, weight = context.target, context.weight_of(rows)
    labels = np.eye(len(target.classes))[guess]
    scores = ClassScores(target.codes[rows], labels, target.positive, guess, "label")
    every = scores(np.ones(len(rows)) if weight is None else weight)
    found = {key: value for key, value in every.items() if METRICS[key].needs_decision}
    if context.costs is not None:
        found["cost"] = float(np.average(incurred(context, rows, guess), weights=weight))
    return found


def held_out_classes(tested: list[FoldResult], context: Context, predicted: Floats) -> Longs | None:
    """The class that each held-out row is called, as cross-validation says is best; None for the most probable."""
    if not asks_for_decisions(context):
        return None
    rule, _ = choose_rule(context, *pooled(tested[: context.plan.n_folds]))
    return decided(context, rule, context.plan.test, predicted)


def pooled(tested: list[FoldResult]) -> tuple[Longs, Floats]:
    """The test rows of some folds, and what was predicted for them."""
    return np.concatenate([t.rows for t in tested]), np.concatenate([t.predicted for t in tested])


def weights_pay(plain: list[FoldResult], weighted: list[FoldResult], context: Context) -> bool:
    """Whether class weights lower the cost of a row by more than one standard error of the paired difference."""
    gap = behind(weighted, plain, COST, context, context.options.level)
    n_folds = min(len(weighted), len(plain))
    return gap.value is not None and gap.value > standard_error(gap, n_folds, context.options.level)


def weights_sentence(weights: Floats, plain: list[FoldResult], weighted: list[FoldResult], pays: bool) -> str:
    """Which of the two it was, and what they cost."""
    before, after = (float(np.mean([t.scores["cost"] for t in tested])) for tested in (plain, weighted))
    ratio = " to ".join(f"{w:.4g}" for w in weights) if len(weights) <= 4 else f"from 1 to {weights.max():.4g}"
    figures = f"cost of a row {after:.4g} with them, {before:.4g} without, in cross-validation"
    if pays:
        return f"fitted with class weights {ratio}, as the costs are ({figures})"
    return (
        f"fitted without class weights: {ratio}, as the costs are, did not lower the cost beyond its error ({figures})"
    )


def search_score(context: Context, rows: Longs, values: NDArray[Any], positive: int | None) -> Any:
    """What a learner's own search maximises on these rows: the metric that ranks, by name where that is faster.

    Parameters
    ----------
    context : Context
        Metric, costs and target.
    rows : ndarray of shape (n_rows,)
        Numbers of the training rows.
    values : ndarray of shape (n_rows,)
        Their target, as the learner is given it.
    positive : int or None
        Place of the positive one of two classes among the sorted values.

    Returns
    -------
    str or callable
        As scikit-learn's `scoring`.
    """
    key = context.metric.key
    if key in ("accuracy", "r2"):  # accuracy is largest near the thresholds that learners have by themselves
        return key
    if key == "cost" and context.costs is not None:
        labels, first = np.unique(values, return_index=True)
        return CostSearchScore(context.costs.matrix.take(context.target.codes[rows][first]), labels, positive)
    return SearchScore(context.metric, positive, chooses_threshold=chooses_by_metric(context))


class CostSearchScore:
    """Minus the cost of a row as the scorer of a learner's own search, (estimator, X, y) -> larger is better.

    Of two classes, the least cost over all thresholds on the scores; of several, that of the classes predicted.

    Parameters
    ----------
    matrix : CostMatrix
        Over the classes in `labels`.
    labels : ndarray
        The classes as the estimator is given them, sorted.
    positive : int or None
        Place of the positive class among them.
    """

    def __init__(self, matrix: CostMatrix, labels: NDArray[Any], positive: int | None) -> None:
        self.matrix, self.labels, self.positive, self.__name__ = matrix, labels, positive, "cost"

    def __call__(self, estimator: Any, X: Any, y: NDArray[Any], sample_weight: Any = None) -> float:
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        truth = np.searchsorted(self.labels, y)
        if self.positive is None or len(estimator.classes_) != 2:
            called = np.searchsorted(self.labels, estimator.predict(X))
            return -float(np.average(self.matrix.incurred(truth, called), weights=weight))
        costs = RowCosts(*(self.matrix.incurred(truth, place) for place in (self.positive, 1 - self.positive)))
        points = Operating(truth == self.positive, positive_scores(estimator, X, self.positive), costs, weight)
        return float(points.goal("cost").max())

"""What the decisions of a learner cost: chosen on other rows than those it is measured on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.evaluation.intervals import Score, share
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.evaluation.uncertainty.held_out import mean_loss
from mercer.evaluation.uncertainty.paired import behind, standard_error
from mercer.select.costs import CostMatrix
from mercer.select.decisions import DecisionRule
from mercer.select.thresholds import ChosenThreshold, Operating, RowCosts, Threshold, choose_threshold

if TYPE_CHECKING:
    from mercer.evaluation.run import Context, FoldResult

COST = METRICS["cost"]
UNSEEN = "Agresti-Coull of errors not seen"


def asks_for_decisions(context: Context) -> bool:
    """Whether costs or a threshold were given."""
    return context.costs is not None or context.options.threshold is not None


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

    Of several classes, the least expected cost. Of two, the threshold that was asked for, or that of least cost; where
    a column has the cost of each row, the least expected cost of the row, and that threshold where it is lacking.
    """
    target, costs = context.target, context.costs
    matrix = None if costs is None else costs.matrix
    weights = None if context.class_weights is None else tuple(context.class_weights.tolist())
    if target.positive is None:
        return DecisionRule(target.classes, costs=matrix, class_weights=weights, prices=matrix), None
    asked = Threshold.read(context.options.threshold) or Threshold("cost")
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


def mean_cost(context: Context, rows: Longs, losses: Floats) -> Score:
    """The mean cost of a row with its interval; where none cost anything, up to what rows that err unseen might."""
    found = mean_loss(losses, context.options.level, context.weight_of(rows), context.groups_of(rows))
    return found if found.value != 0 or context.costs is None else Score(0.0, 0.0, _unseen_cost(context, rows), UNSEEN)


def _unseen_cost(context: Context, rows: Longs) -> float:
    """sqrt(sum_c (w_c u_c n_c / n)^2): u_c is the share of the n_c rows of class c that may err unseen, w_c their cost.

    Rows in groups are worth as many as if those of a group were alike.
    """
    codes, level = context.target.codes[rows], context.options.level
    effect = design_effect(np.zeros(len(rows)), context.groups_of(rows), level)
    called = range(len(context.target.classes))
    worst = np.max([incurred(context, rows, np.full(len(rows), k)) for k in called], axis=0)
    parts = []
    for of_class in (codes == c for c in np.unique(codes)):
        most = share(0, float(of_class.sum()) / effect, level).high or 0.0
        parts.append(most * float(worst[of_class].sum()) / len(rows))
    return float(np.linalg.norm(parts))


def with_costs(tested: list[FoldResult], context: Context) -> list[FoldResult]:
    """Each fold with the cost of its rows, decided as the other folds of the same round say is best."""
    if context.costs is None:
        return tested
    n_folds, found = context.plan.n_folds, []
    for i, fold in enumerate(tested):
        first = i - i % n_folds
        others = [t for j, t in enumerate(tested[first : first + n_folds], first) if j != i]
        others = others or [t for j, t in enumerate(tested) if j != i] or [fold]
        rule, _ = choose_rule(context, *pooled(others))
        costs = incurred(context, fold.rows, decided(context, rule, fold.rows, fold.predicted))
        seen, again = fold.fitted
        training = incurred(context, seen, decided(context, rule, seen, again))
        found.append(
            replace(
                fold,
                costs=costs,
                scores={**fold.scores, "cost": _mean(costs, context, fold.rows)},
                training={**fold.training, "cost": _mean(training, context, seen)},
            )
        )
    return found


def held_out_cost(tested: list[FoldResult], context: Context, predicted: Floats) -> dict[str, Score]:
    """The cost of a held-out row, decided as cross-validation says is best; nothing without costs."""
    if context.costs is None:
        return {}
    rule, _ = choose_rule(context, *pooled(tested[: context.plan.n_folds]))
    rows = context.plan.test
    return {"cost": mean_cost(context, rows, incurred(context, rows, decided(context, rule, rows, predicted)))}


def pooled(tested: list[FoldResult]) -> tuple[Longs, Floats]:
    """The test rows of some folds, and what was predicted for them."""
    return np.concatenate([t.rows for t in tested]), np.concatenate([t.predicted for t in tested])


def _mean(losses: Floats, context: Context, rows: Longs) -> float:
    return float(np.average(losses, weights=context.weight_of(rows)))


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
        decides = hasattr(estimator, "decision_function")
        scores = estimator.decision_function(X) if decides else estimator.predict_proba(X)[:, 1]
        costs = RowCosts(*(self.matrix.incurred(truth, place) for place in (self.positive, 1 - self.positive)))
        points = Operating(truth == self.positive, scores if self.positive == 1 else -scores, costs, weight)
        assert points.cost is not None
        return -float(points.cost.min())

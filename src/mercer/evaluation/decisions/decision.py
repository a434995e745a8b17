"""The decision of the best learner: which class a row is called, what that leads to, and what the usual rule would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.curves import Curve, cost_curve, gains_curve, lift_curve
from mercer.evaluation.decisions.scores import (
    COST,
    asks_for_decisions,
    choose_rule,
    decided,
    fold_by,
    incurred,
    mean_cost,
    pooled,
    row_costs,
    wanted_threshold,
)
from mercer.evaluation.intervals import Score
from mercer.evaluation.run.records import Context, Run
from mercer.evaluation.uncertainty.learner import cross_validated_scores, held_out_gain, held_out_scores
from mercer.evaluation.uncertainty.paired import behind, mean_difference
from mercer.select.costs import CostMatrix
from mercer.select.decisions import DecisionRule
from mercer.select.thresholds import (
    ChosenThreshold,
    Operating,
    Threshold,
    ThresholdLine,
    called_line,
    threshold_line,
)

USUAL = 0.5
FEW_CALLED = 30  # rows called positive: the precision of fewer is hardly more than a guess
_MISSED = (0.5, 0.3, 0.2, 0.1, 0.05, 0.01)  # shares of the positive rows missed, of the thresholds listed
_STEPS = 100  # of the slider, by positive rows and by all rows


@dataclass(frozen=True, slots=True)
class ScoreOfRules:
    """A score of the decisions, that of the usual rule, and how much better the first is, with intervals.

    Of costs, `saved` is how much less a row costs. The usual rule is a threshold of 0.5, or the most probable of
    several classes. In cross-validation each fold is decided as the other folds say is best: a threshold is not
    measured on the rows that it was chosen on.
    """

    chosen: Score
    usual: Score
    saved: Score


@dataclass(frozen=True, slots=True)
class Steps:
    """What every threshold of a slider leads to, in falling order of the thresholds.

    Attributes
    ----------
    positive, negative : float
        Rows of either class, or their weights.
    thresholds, true, false : list of float
        Each threshold, with the positive and the other rows that it calls positive.
    cost : list of float or None
        Mean cost of a row.
    chosen, usual : int
        Places of the threshold that was chosen and of 0.5.
    """

    positive: float
    negative: float
    thresholds: list[float]
    true: list[float]
    false: list[float]
    cost: list[float] | None
    chosen: int = 0
    usual: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """Which class a row is called, chosen on rows held out in cross-validation.

    Attributes
    ----------
    rule : str
        That of the `Threshold` of two classes; "expected cost" of several.
    asked : str
        As the user wrote it.
    threshold : float or None
        From which probability a row is called positive.
    positive : str or None
        The positive one of two classes.
    costs : CostMatrix or None
        What errors cost.
    stored : DecisionRule
        As the model file holds it and `mercer predict` follows it.
    statement : str
        What was asked for and cannot be had; '' otherwise.
    cross_validated, held_out : list of ThresholdLine
        What the decision leads to, what 0.5 would, and what others would; empty of several classes.
    cost_cross_validated, cost_held_out : ScoreOfRules or None
        What it costs, and what the usual rule would.
    score_cross_validated, score_held_out : ScoreOfRules or None
        The metric that ranks, where that depends on the decisions and is no cost.
    steps : Steps or None
        For a slider, on the rows of `cross_validated`.
    cost_curve, gains, lift : Curve or None
        On the same rows.
    """

    rule: str
    asked: str
    threshold: float | None
    positive: str | None
    costs: CostMatrix | None
    stored: DecisionRule
    statement: str = ""
    cross_validated: tuple[ThresholdLine, ...] = ()
    held_out: tuple[ThresholdLine, ...] = ()
    cost_cross_validated: ScoreOfRules | None = None
    cost_held_out: ScoreOfRules | None = None
    score_cross_validated: ScoreOfRules | None = None
    score_held_out: ScoreOfRules | None = None
    steps: Steps | None = None
    cost_curve: Curve | None = None
    gains: Curve | None = None
    lift: Curve | None = None

    def in_order_of(self, classes: Any) -> DecisionRule:
        """The rule for a model whose classes are the same in another order, such as by name."""
        return self.stored.in_order_of([str(label) for label in classes])


def decision_of(run: Run, context: Context) -> Decision | None:
    """The decision that the options ask for; None when they ask for none.

    Parameters
    ----------
    run : Run
        Of the best learner.
    context : Context
        With the class weights of that learner.

    Returns
    -------
    Decision or None
        Chosen on rows held out in cross-validation.
    """
    if not asks_for_decisions(context):
        return None
    assert run.predicted is not None
    tests = pooled(list(run.folds[: context.plan.n_folds])), (context.plan.test, run.predicted)
    rule, chosen = choose_rule(context, *tests[0])
    found = _chosen(context, rule, chosen, tests)
    costs, scores = _costs_of_rules(context, run, rule), _scores_of_rules(context, run, rule)
    return replace(
        found,
        cost_cross_validated=costs[0],
        cost_held_out=costs[1],
        score_cross_validated=scores[0],
        score_held_out=scores[1],
    )


def _chosen(
    context: Context, rule: DecisionRule, chosen: ChosenThreshold | None, tests: Sequence[tuple[Longs, Floats]]
) -> Decision:
    """The decision with what its threshold leads to, on the rows of cross-validation and the held-out ones."""
    known = None if context.costs is None else context.costs.matrix
    asked, (rows, proba) = wanted_threshold(context), tests[0]
    if chosen is None or asked is None or rule.positive is None:
        return Decision("expected cost", "cost", None, None, known, rule)
    usual = np.quantile(proba[context.target.codes[rows] == rule.positive, rule.positive], _MISSED).tolist()
    first, second = (_lines(context, rule, *test, sorted(set(usual), reverse=True)) for test in tests)
    name, statement = rule.classes[rule.positive], _statement(asked, chosen, first[0])
    found = Decision(asked.rule, str(asked), chosen.value, name, known, rule, statement, first, second)
    return _with_curves(found, context, rows, proba)


def _statement(asked: Threshold, chosen: ChosenThreshold, line: ThresholdLine) -> str:
    """What was asked for and cannot be had, and what is done instead."""
    called = line.true_positive + line.false_positive
    if not called:
        return (
            f"threshold {str(asked)!r}: no row held out in cross-validation is that probable, so that none is called "
            "positive. Ask for less."
        )
    if chosen.reached and asked.rule == "precision" and called < FEW_CALLED:
        return (
            f"threshold {str(asked)!r} is reached by {called:.4g} rows held out in cross-validation alone, a recall of "
            f"{line.recall or 0.0:.3f}: too few to promise it. A lower precision finds more."
        )
    if chosen.reached:
        return ""
    return (
        f"threshold {str(asked)!r} is not reached by any threshold on rows held out in cross-validation. The largest "
        f"precision is {line.precision or 0.0:.3f}, with a recall of {line.recall or 0.0:.3f}, from a probability of "
        f"{chosen.value:.4f}: that is used."
    )


def _costs_of_rules(context: Context, run: Run, rule: DecisionRule) -> tuple[ScoreOfRules | None, ScoreOfRules | None]:
    """Costs in cross-validation, where each fold was decided as the others say is best, and of the held-out rows."""
    if context.costs is None:
        return None, None
    assert run.predicted is not None
    folds = [fold_by(_usual(rule), fold, context) for fold in run.folds]
    tested = cross_validated_scores(folds, context)["cost"]
    gain = behind(run.folds, folds, COST, context, context.options.level)
    first = ScoreOfRules(run.entry.cross_validated["cost"], tested, gain)
    return first, _held_out_costs(context, rule, context.plan.test, run.predicted)


def _usual(rule: DecisionRule) -> DecisionRule:
    """A threshold of 0.5, or the most probable of several classes."""
    return DecisionRule(rule.classes, rule.positive, None if rule.positive is None else USUAL)


def _scores_of_rules(context: Context, run: Run, rule: DecisionRule) -> tuple[ScoreOfRules | None, ScoreOfRules | None]:
    """The metric that ranks in cross-validation and of the held-out rows, by the rule and by the usual one."""
    key, rows = context.metric.key, context.plan.test
    if not context.metric.needs_decision or key == "cost":
        return None, None
    assert run.predicted is not None
    folds = [fold_by(_usual(rule), fold, context) for fold in run.folds]
    gain = behind(run.folds, folds, context.metric, context, context.options.level)
    tested = cross_validated_scores(folds, context)[key]
    ours, theirs = (decided(context, one, rows, run.predicted) for one in (rule, _usual(rule)))
    held_out = held_out_scores(context, rows, run.predicted, theirs)[key]
    held_out_saved = held_out_gain(context, rows, (run.predicted, ours), (run.predicted, theirs))
    return (
        ScoreOfRules(run.entry.cross_validated[key], tested, gain),
        ScoreOfRules(run.entry.held_out[key], held_out, held_out_saved),
    )


def _held_out_costs(context: Context, rule: DecisionRule, rows: Longs, proba: Floats) -> ScoreOfRules:
    ours, theirs = (decided(context, one, rows, proba) for one in (rule, _usual(rule)))
    paid, otherwise = (incurred(context, rows, called) for called in (ours, theirs))
    known = context.weight_of(rows), context.groups_of(rows)
    saved = mean_difference(otherwise, paid, context.options.level, *known)
    return ScoreOfRules(mean_cost(context, rows, ours), mean_cost(context, rows, theirs), saved)


def _lines(
    context: Context, rule: DecisionRule, rows: Longs, proba: Floats, others: list[float]
) -> tuple[ThresholdLine, ...]:
    """What the decision leads to, what 0.5 would, and what other thresholds would."""
    assert rule.positive is not None
    assert rule.threshold is not None
    truth, p = context.target.codes[rows] == rule.positive, proba[:, rule.positive]
    rest = row_costs(context, rows), context.weight_of(rows)
    called = decided(context, rule, rows, proba) == rule.positive
    first = called_line(truth, called, rule.threshold, *rest)
    return (first, *(threshold_line(truth, p, t, *rest) for t in (USUAL, *others)))


def _with_curves(decision: Decision, context: Context, rows: Longs, proba: Floats) -> Decision:
    """The decision with curves and the steps of the slider."""
    options, place = context.options, decision.stored.positive
    assert place is not None
    truth, p = context.target.codes[rows] == place, proba[:, place]
    weight, costs = context.weight_of(rows), row_costs(context, rows)
    rest = (context.target.classes[place], options.seed, options.level, weight, context.groups_of(rows))
    return replace(
        decision,
        steps=slider_steps(Operating(truth, p, costs, weight), decision.threshold or 0.0),
        cost_curve=None if costs is None else cost_curve(truth, p, costs, *rest),
        gains=gains_curve(truth, p, *rest),
        lift=lift_curve(truth, p, *rest),
    )


def slider_steps(points: Operating, chosen: float) -> Steps:
    """Some of the thresholds: evenly by positive rows found and by rows called positive, with the chosen and 0.5.

    Parameters
    ----------
    points : Operating
        Every threshold.
    chosen : float
        The threshold that was chosen.

    Returns
    -------
    Steps
        At most a few hundred, however many rows.
    """
    flagged = points.true + points.false
    shares = np.linspace(0, 1, _STEPS + 1)
    kept = [np.searchsorted(counts, shares * counts[-1] * (1 - 1e-12)) for counts in (points.true, flagged)]
    named = [points.place(chosen), points.place(USUAL)]
    places = np.unique(np.concatenate([*kept, [*named, 0, len(flagged) - 1]]))
    cost = None if points.cost is None else points.cost[places].tolist()
    return Steps(
        float(points.true[-1]),
        float(points.false[-1]),
        points.thresholds[places].tolist(),
        points.true[places].tolist(),
        points.false[places].tolist(),
        cost,
        *(int(np.searchsorted(places, place)) for place in named),
    )

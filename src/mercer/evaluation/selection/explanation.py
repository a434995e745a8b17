"""What the report says of an ensemble: members, weights, how the score rose, and the gain over the best learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mercer.arrays import Floats
from mercer.combine.ensemble.forward import Selection
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.decisions.scores import choose_rule, decided, incurred, pooled
from mercer.evaluation.intervals import Score
from mercer.evaluation.run import Context, FoldResult, Run
from mercer.evaluation.uncertainty.difference import row_differences
from mercer.evaluation.uncertainty.paired import behind, mean_difference
from mercer.formatting import counted
from mercer.table import Task

_Side: TypeAlias = tuple[Sequence[FoldResult], Floats]  # of one model: its folds, and its held-out rows


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A member: its weight, and its scores alone."""

    title: str
    weight: float
    cross_validated: float | None
    held_out: float | None


@dataclass(frozen=True, slots=True)
class EnsembleDetails:
    """Members by weight; the score after each model that was added; the gain over the best learner.

    Of several bags, each a selection from some of the models, the score is the mean of theirs.
    `ranked_by` is the metric of the scores and gains, `selected_by` that of the trajectory. `gain` is in
    cross-validation, with the selection inside; `gain_held_out` on the held-out rows, which neither the members nor
    their weights have seen. Both are above 0 where the ensemble is better.
    """

    members: list[MemberLine]
    trajectory: list[float]
    size: int
    n_bags: int
    ranked_by: str
    selected_by: str
    n_candidates: int
    best: str
    gain: Score
    gain_held_out: Score


def summarise(
    best: Run,
    members: Sequence[tuple[Run, float]],
    found: Selection,
    tested: Sequence[FoldResult],
    predicted: Floats,
    context: Context,
    *,
    n_candidates: int,
) -> EnsembleDetails:
    """The details of an ensemble that was selected from runs.

    Parameters
    ----------
    best : Run
        Of those that it was selected from.
    members : sequence of (Run, float)
        With their weights, the largest first.
    found : Selection
        How they were found.
    tested : sequence of FoldResult
        The ensemble on folds, with weights from the others.
    predicted : ndarray
        What it predicts for the held-out rows.
    context : Context
        What the runs share.
    n_candidates : int
        Runs that it was selected from.

    Returns
    -------
    EnsembleDetails
        For the report.
    """
    metric, key = context.metric, context.metric.key
    lines = [
        MemberLine(run.entry.title, weight, run.entry.cross_validated[key].value, run.entry.held_out[key].value)
        for run, weight in members
    ]
    gain = behind(tested, best.folds, metric, context, context.options.level)
    steps = found.trajectory.mean(axis=0).tolist()
    size = 1 + int(np.argmax(steps) if found.higher_is_better else np.argmin(steps))
    assert best.predicted is not None
    sides = (tested, predicted), (best.folds, best.predicted)
    held_out = _cost_gain(*sides, context) if key == "cost" else _held_out_gain(predicted, best.predicted, context)
    return EnsembleDetails(
        lines, steps, size, len(found.trajectory), key, found.metric, n_candidates, best.entry.title, gain, held_out
    )


def _held_out_gain(ours: Floats, theirs: Floats, context: Context) -> Score:
    """How much better the first predictions for the held-out rows are than the second."""
    target, rows, options = context.target, context.plan.test, context.options
    weight, groups = context.weight_of(rows), context.groups_of(rows)
    pair = []
    for predicted in (ours, theirs):
        guess = predicted.argmax(axis=1) if target.task is Task.CLASSIFICATION else np.zeros(0, dtype=np.int64)
        given = target.task, target.values[rows], predicted, guess, target.classes, target.positive, weight
        pair.append(Predictions(*given, groups=groups))
    differences = row_differences(pair[0], pair[1], options.level, options.seed)
    found = next((d for d in differences if d.metric == context.metric.key), None)
    if found is None or found.value is None:
        return Score(None)
    if context.metric.higher_is_better:
        return Score(found.value, found.low, found.high, found.method)
    low, high = (None if end is None else -end for end in (found.high, found.low))
    return Score(-found.value, low, high, found.method)


def _cost_gain(ours: _Side, theirs: _Side, context: Context) -> Score:
    """How much less a held-out row costs, each side deciding as its own folds say is best."""
    rows, n_folds = context.plan.test, context.plan.n_folds
    costs = []
    for folds, predicted in (ours, theirs):
        rule, _ = choose_rule(context, *pooled(list(folds[:n_folds])))
        costs.append(incurred(context, rows, decided(context, rule, rows, predicted)))
    known = context.weight_of(rows), context.groups_of(rows)
    return mean_difference(costs[1], costs[0], context.options.level, *known)


def explain_ensemble(details: EnsembleDetails, fitted: FittedLearner) -> ModelExplanation:
    """Members with their weights; the trajectory is drawn by the template of the family.

    Parameters
    ----------
    details : EnsembleDetails
        From the run.
    fitted : FittedLearner
        The ensemble.

    Returns
    -------
    ModelExplanation
        Of the family "ensemble".
    """
    n_members = f"{len(details.members)} of {counted(details.n_candidates, 'model')}"
    added = f"added {details.size} times in all"
    bags = f"the mean of {details.n_bags} selections, each from half of the models"
    facts = [Fact("Members", n_members, added if details.n_bags == 1 else bags)]
    lead = (
        "Models were added one by one, each the one that makes the mean of all best on rows that none of them was "
        "fitted to; a model added twice counts twice. The members are fitted to all rows, and their answers averaged."
    )
    return ModelExplanation("ensemble", lead, facts, details)

"""What the report says of an ensemble: members, weights, how the score rose, and the gain over the best learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats
from mercer.combine.ensemble.forward import Selection
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.evaluation.decisions.scores import held_out_classes
from mercer.evaluation.intervals import Score
from mercer.evaluation.run.records import Context, FoldResult, Run
from mercer.evaluation.uncertainty.learner import held_out_gain
from mercer.evaluation.uncertainty.paired import behind
from mercer.formatting import counted


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
    sides = (
        (one, held_out_classes(list(folds), context, one))
        for folds, one in ((tested, predicted), (best.folds, best.predicted))
    )
    held_out = held_out_gain(context, context.plan.test, *sides)
    return EnsembleDetails(
        lines, steps, size, len(found.trajectory), key, found.metric, n_candidates, best.entry.title, gain, held_out
    )


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
    bags = f"the mean of {details.n_bags} selections, each from half of the best"
    facts = [Fact("Members", n_members, added if details.n_bags == 1 else bags)]
    lead = (
        "Models were added one by one, each the one that makes the mean of all best on rows that none of them was "
        "fitted to; a model added twice counts twice. The members are fitted to all rows, and their answers averaged."
    )
    return ModelExplanation("ensemble", lead, facts, details)

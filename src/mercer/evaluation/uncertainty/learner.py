"""Scores of a learner in a comparison: of given rows, of held-out rows and of folds, the last two with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.decisions.scores import incurred, mean_cost, pooled
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import score
from mercer.evaluation.uncertainty.difference import row_differences
from mercer.evaluation.uncertainty.held_out import fold_intervals, score_intervals
from mercer.evaluation.uncertainty.paired import mean_difference
from mercer.select.weighted import scorer
from mercer.table import Task

if TYPE_CHECKING:
    from mercer.evaluation.run.records import Context, FoldResult

Called: TypeAlias = tuple[Floats, Longs | None]  # what was predicted, and the class called where not the most probable


def row_scores(predicted: Floats, context: Context, rows: Longs) -> dict[str, float]:
    """Every metric of predictions for these rows, by their weights."""
    target = context.target
    if context.weight is None:
        return score(target.task, target.values[rows], predicted, target.positive)
    return scorer(target.task, target.values[rows], predicted, target.positive)(context.weight[rows])


def held_out_scores(context: Context, rows: Longs, predicted: Floats, guess: Longs | None = None) -> dict[str, Score]:
    """Every metric with an interval, of predictions for these rows; their cost where that is known.

    `guess` is the class that each row is called, where that is not the most probable one.
    """
    target, options = context.target, context.options
    weight, groups = context.weight_of(rows), context.groups_of(rows)
    asked = target.task, target.values[rows], predicted, target.positive, options.level
    found = score_intervals(*asked, weight=weight, groups=groups, guess=guess)
    if context.costs is None or guess is None:
        return found
    return found | {"cost": mean_cost(context, rows, guess)}


def held_out_gain(context: Context, rows: Longs, ours: Called, theirs: Called) -> Score:
    """How much better the first predictions for these rows are than the second, by the metric that ranks."""
    target, options, metric = context.target, context.options, context.metric
    weight, groups = context.weight_of(rows), context.groups_of(rows)
    if metric.key == "cost":
        costs = [incurred(context, rows, guess) for _, guess in (ours, theirs) if guess is not None]
        return mean_difference(costs[1], costs[0], options.level, weight, groups)
    pair = []
    for predicted, guess in (ours, theirs):
        most = predicted.argmax(axis=1) if target.task is Task.CLASSIFICATION else np.zeros(0, dtype=np.int64)
        called = most if guess is None else guess
        given = target.task, target.values[rows], predicted, called, target.classes, target.positive, weight
        pair.append(Predictions(*given, groups=groups))
    differences = row_differences(pair[0], pair[1], options.level)
    found = next((d for d in differences if d.metric == metric.key), None)
    if found is None or found.value is None:
        return Score(None)
    if metric.higher_is_better:
        return Score(found.value, found.low, found.high, found.method)
    low, high = (None if end is None else -end for end in (found.high, found.low))
    return Score(-found.value, low, high, found.method)


def cross_validated_scores(tested: list[FoldResult], context: Context) -> dict[str, Score]:
    """Means over the folds, with intervals."""
    once = tested[: context.plan.n_folds]
    rows, predicted = pooled(once)
    called = [t.guess for t in once if t.guess is not None]
    found = held_out_scores(context, rows, predicted, np.concatenate(called) if called else None)
    plan = context.plan
    return fold_intervals([t.scores for t in tested], found, len(once), plan.test_share, context.options.level)

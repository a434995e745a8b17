"""Scores of a learner in a comparison: of given rows, of held-out rows and of folds, the last two with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.decisions.scores import mean_cost
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import score
from mercer.evaluation.uncertainty.held_out import fold_intervals, score_intervals
from mercer.select.weighted import scorer

if TYPE_CHECKING:
    from mercer.evaluation.run import Context, FoldResult


def row_scores(predicted: Floats, context: Context, rows: Longs) -> dict[str, float]:
    """Every metric of predictions for these rows, by their weights."""
    target = context.target
    if context.weight is None:
        return score(target.task, target.values[rows], predicted, target.positive)
    return scorer(target.task, target.values[rows], predicted, target.positive)(context.weight[rows])


def held_out_scores(context: Context, rows: Longs, predicted: Floats) -> dict[str, Score]:
    """Every metric with an interval, of predictions for these rows."""
    target, options = context.target, context.options
    asked = target.positive, options.level, options.seed
    weight, groups = context.weight_of(rows), context.groups_of(rows)
    return score_intervals(target.task, target.values[rows], predicted, *asked, weight=weight, groups=groups)


def cross_validated_scores(tested: list[FoldResult], context: Context) -> dict[str, Score]:
    """Means over the folds, with intervals."""
    once = tested[: context.plan.n_folds]
    rows, predicted = (np.concatenate([getattr(t, name) for t in once]) for name in ("rows", "predicted"))
    pooled = held_out_scores(context, rows, predicted)
    if context.costs is not None:
        pooled["cost"] = mean_cost(context, rows, np.concatenate([t.costs for t in once if t.costs is not None]))
    plan = context.plan
    return fold_intervals([t.scores for t in tested], pooled, len(once), plan.test_share, context.options.level)

"""Weights of learners in an ensemble, from the predictions of their cross-validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.forward import Forward, Selection, select
from mercer.errors import MercerError
from mercer.evaluation.decisions.scores import ranks_by_decisions
from mercer.evaluation.run.records import Context, FoldResult, Run
from mercer.select.sampling import sample_rows
from mercer.table import Task

_BEST = 3
FEW_ROWS = 5000  # of a table whose models are selected in bags
_MOST_MODELS = 40  # that bags are drawn from, the best...
_MOST_ALIKE = 10  # ...at most so many of each learner
MOST_ROWS = 20_000  # on which weights are chosen: each step sorts them once for every learner
HURRIED_ROWS = 5_000  # in a time budget


def candidates(ranked: Sequence[Run]) -> list[Run]:
    """The runs to choose from, best first: those that did not fail, with the folds that they all have.

    A time limit may have ended some after few folds. The best three are always among them, on as many folds as each of
    the three has; others with fewer folds are left out.
    """
    able = [run for run in ranked if run.entry.error is None and not run.learner.is_baseline]
    n_folds = min((len(run.folds) for run in able[:_BEST]), default=0)
    return [replace(run, folds=run.folds[:n_folds]) for run in able if len(run.folds) >= n_folds]


def forward(context: Context, n_models: int = 1) -> Forward:
    """How models are selected: in a time budget, from many models for few rows, in bags, which lowers the variance.

    Of 28 models on 14 small tables (six of KEEL, german_credit, titanic, telco_churn, breast cancer; ames_housing,
    abalone, wine_quality, diabetes; 1,500 rows at most) bags gave a mean AUC or R^2 of .7904 for .7879 on test rows.
    The mean of the five models of the folds in place of a member's fit to all rows gave .7908: not worth five fits.
    The best 40 of a library of 30 to 150 models are mostly boosted trees. With at most ten settings of each learner
    among them AUC or R^2 rises by .0022 (standard error .0007) on test rows of 22 small tables, 15 ahead and 5 behind;
    three, six, eight and all models give .0018 to .0026.
    """
    if context.options.budget is None or len(context.plan.train) > FEW_ROWS:
        return Forward(steps=25)
    return Forward(steps=15, start=3, bags=10, keep=min(1.0, _MOST_MODELS / n_models))


def kinds_of(runs: Sequence[Run]) -> list[str]:
    """The learner of which each run has a setting."""
    return [run.learner.variant_of or run.learner.key for run in runs]


def weigh(folds: Sequence[Sequence[FoldResult]], context: Context, kinds: Sequence[str] = ()) -> Selection:
    """Weights of learners by forward selection on rows that they were not fitted to.

    By the metric that ranks the learners; by log loss where that depends on a threshold, which is chosen later, and
    where it is not defined on these rows.

    Parameters
    ----------
    folds : sequence of sequence of FoldResult
        Of each learner, on the same folds.
    context : Context
        Target, metric, and weights of the rows.
    kinds : sequence of str
        From `kinds_of`; without them each learner is of its own kind.

    Returns
    -------
    Selection
        A weight for each learner.
    """
    rows = np.concatenate([fold.rows for fold in folds[0]])
    cube = np.stack([np.concatenate([fold.predicted for fold in tested]) for tested in folds])
    target, seed = context.target, context.options.seed
    most = MOST_ROWS if context.options.budget is None else HURRIED_ROWS
    if len(rows) > most:
        classes = target.codes[rows] if target.classes else None
        kept = sample_rows(classes, len(rows), most, seed)
        rows, cube = rows[kept], cube[:, kept]
    rule = forward(context, len(folds))
    by = partial(
        select,
        cube,
        target.values[rows],
        task=target.task,
        forward=rule,
        weight=context.weight_of(rows),
        positive=1 if target.positive is None else target.positive,
        kinds=kinds if rule.bags > 1 else (),
        most_alike=_MOST_ALIKE,
        random_state=seed,
    )
    safe = "mse" if target.task is Task.REGRESSION else "log_loss"
    try:
        return by(safe if ranks_by_decisions(context) else context.metric.key)
    except MercerError:  # one class alone among these rows
        return by(safe)


def inner_weights(inner: Sequence[Sequence[Sequence[FoldResult]]], context: Context) -> list[Floats]:
    """For each fold of a round the weights chosen on the others, predicted by models that did not see the fold.

    Parameters
    ----------
    inner : sequence of sequence of sequence of FoldResult
        Of each learner, for each fold, the others.
    context : Context
        Target and metric.

    Returns
    -------
    list of ndarray of shape (n_learners,)
        For each fold.
    """
    return [weigh([one[i] for one in inner], context).weights for i in range(len(inner[0]))]


def nested_weights(folds: Sequence[Sequence[FoldResult]], context: Context, kinds: Sequence[str] = ()) -> list[Floats]:
    """For each fold the weights chosen on the others: its rows have no part in the weights that they are scored with.

    They have a part in the models that predict the others, as not in `inner_weights`. Of rows split by time, the others
    are those before it, and the first fold has equal weights.

    Parameters
    ----------
    folds : sequence of sequence of FoldResult
        Of each learner, on the same folds.
    context : Context
        Splits, target and metric.
    kinds : sequence of str
        From `kinds_of`.

    Returns
    -------
    list of ndarray of shape (n_learners,)
        For each fold.
    """
    found = []
    for i in range(len(folds[0])):
        others = _others(i, len(folds[0]), context)
        if len(others):
            found.append(weigh([[tested[j] for j in others] for tested in folds], context, kinds).weights)
        else:
            found.append(np.full(len(folds), 1 / len(folds)))
    return found


def _others(place: int, n_folds: int, context: Context) -> Longs:
    """The other folds of the same round; of splits by time, those before."""
    plan = context.plan
    if plan.kind == "time":
        return np.arange(place)
    first = place - place % plan.n_folds
    same = np.arange(first, min(first + plan.n_folds, n_folds))
    same = same if len(same) > 1 else np.arange(n_folds)  # a round that a time limit ended after one fold
    return same[same != place]

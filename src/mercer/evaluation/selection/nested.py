"""Models that two folds had no part in: by what they predict, a choice for one fold is made without its rows.

What is predicted for fold j comes from models that were fitted to fold i as well. A pattern that both hold by chance
raises the score on j of the models that find it, and then their score on i: a choice for i by such scores looks better
than it is. On targets of pure noise (160 rows, 20 linear models) it had a mean AUC of .532, the best of all .585, and
the choice by models that saw neither fold .497 +- .007 (benchmarks/ensemble_bias.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from mercer.arrays import Longs
from mercer.evaluation.data.splits import MANY_CLASSES, split_table
from mercer.evaluation.decisions.scores import ranks_by_decisions
from mercer.evaluation.notice import with_notices
from mercer.evaluation.run.fitting import fit, predict
from mercer.evaluation.run.parallel import for_several, in_threads
from mercer.evaluation.run.records import Context, FoldResult, Run
from mercer.evaluation.uncertainty.learner import row_scores

MOST_ROWS = 1000  # of a table for which pairs of folds are left out: the bias falls as the rows grow
FEWEST_FOLDS, MOST_FOLDS = 4, 6  # models without two of three folds see a third of the rows; n have n (n - 1) / 2 pairs


def n_pairs(context: Context) -> int:
    """Pairs of folds left out for each learner; 0 of many rows or classes, with few folds, by time, in a budget."""
    plan = context.plan
    small = len(plan.train) <= MOST_ROWS and len(context.target.classes) <= MANY_CLASSES
    small = small and context.options.budget is None and plan.kind != "time"
    return plan.n_folds * (plan.n_folds - 1) // 2 if small and FEWEST_FOLDS <= plan.n_folds <= MOST_FOLDS else 0


def with_inner_folds(run: Run, context: Context, step: Callable[[str], None]) -> Run:
    """The run with `inner`: for each fold of the first round, the other folds as models without both predict them.

    Parameters
    ----------
    run : Run
        Of a learner.
    context : Context
        What the runs share.
    step : callable
        Called with a line that says what is being done.

    Returns
    -------
    Run
        As it came where no pairs are left out, or where it failed, met its time limit, or fails without a pair.
    """
    n = context.plan.n_folds
    if not n_pairs(context) or run.entry.error is not None or len(run.folds) < n:
        return run
    context = for_several(replace(context, class_weights=run.class_weights))
    found: list[dict[int, FoldResult]] = [{} for _ in range(n)]
    pairs = list(combinations(range(n), 2))
    for i, j in pairs:
        step(f"{run.learner.title}: without folds {i + 1} and {j + 1}")
    try:
        tested, _ = with_notices(run.learner.title, lambda: in_threads(partial(_tested, run, context), pairs, context))
    except Exception:  # its own folds are scored as before; fewer rows may be too few for it
        return run
    for (i, j), (other, own) in zip(pairs, tested, strict=True):
        found[i][j], found[j][i] = other, own
    return replace(run, inner=tuple(tuple(one[j] for j in sorted(one)) for one in found))


def _tested(run: Run, context: Context, pair: tuple[int, int]) -> list[FoldResult]:
    """The second fold of a pair and the first, as the learner predicts them, fitted to neither."""
    (first, _), (second, _) = (context.plan.folds[place] for place in pair)
    rows: Longs = first[np.isin(first, second, assume_unique=True)]
    tests = [context.plan.folds[place][1] for place in reversed(pair)]
    tables = [split_table(context.table, rows, test) for test in tests]
    model = fit(run.learner, context, tables[0][0], rows)
    found = [predict(model, table, context.target, context.class_weights) for _, table in tables]
    return [FoldResult(t, p, row_scores(p, context, t), {}) for t, p in zip(tests, found, strict=True)]


def choice_notice(runs: Sequence[Run], kept: Run, context: Context) -> str:
    """What the score is with the learner chosen anew for every fold, by models that did not see it; '' where unknown.

    An ensemble is scored with its own choice inside; thresholds of decisions are chosen later.
    """
    key, sign = context.metric.key, 1 if context.metric.higher_is_better else -1
    able = [run for run in runs if run.inner]
    if len(able) < 2 or kept.members or not kept.folds or ranks_by_decisions(context):
        return ""
    chosen = []
    for i in range(context.plan.n_folds):
        means = [sign * float(np.mean([fold.scores[key] for fold in run.inner[i]])) for run in able]
        if np.isfinite(means).any():
            chosen.append(able[int(np.nanargmax(means))].folds[i].scores[key])
    same = [fold.scores[key] for fold in kept.folds[: context.plan.n_folds]]
    score, shown = (float(np.mean(found)) if found else np.nan for found in (chosen, same))
    if not np.isfinite([score, shown]).all():
        return ""
    rounds = "" if context.plan.n_repeats == 1 else " of the first round"
    return (
        f"{kept.learner.title} was chosen among {len(able)} learners by the folds that it is scored on: in "
        f"cross-validation{rounds} its {context.metric.title} is {shown:.3g}; with the learner chosen anew for every "
        f"fold, without its rows, it is {score:.3g}."
    )

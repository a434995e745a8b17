"""Which way a learner takes with more rows than its limit: a sample of them, or settings that take more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np

from mercer.arrays import Longs
from mercer.errors import MercerError
from mercer.estimators.registry import Learner
from mercer.evaluation.data.splits import split_table
from mercer.evaluation.decisions.scores import ranks_by_decisions
from mercer.evaluation.run.fitting import fit, predict
from mercer.evaluation.run.records import Context
from mercer.evaluation.uncertainty.learner import row_scores
from mercer.formatting import amount

LEFT_OUT = 2_000  # training rows that both ways predict


def for_many_rows(learner: Learner, context: Context, step: Callable[[str], None]) -> tuple[Learner, str]:
    """The learner as it is, or with its settings for many rows where these predict training rows better; a notice.

    Both are fitted without some training rows of the comparison and predict them. The choice is made once, and the
    held-out rows have no part in it. No choice is made by a score that needs a threshold, which is chosen later.
    """
    train, more, limit = context.plan.train, learner.many_rows, learner.max_rows
    if more is None or limit is None or ranks_by_decisions(context) or len(train) <= limit + LEFT_OUT:
        return learner, ""
    step(f"{learner.title}: {len(train):,} rows")
    order = np.random.default_rng(context.options.seed).permutation(train)
    left_out, others = np.sort(order[:LEFT_OUT]), np.sort(order[LEFT_OUT:])
    longer = replace(learner.with_settings(more.settings), max_rows=more.max_rows, many_rows=None)
    with suppress(MercerError, ValueError, MemoryError):  # what fails here is told when the learner is run
        found, usual = (_score(one, context, others, left_out) for one in (longer, learner))
        if (found > usual) == context.metric.higher_is_better and found != usual:
            n = f"{min(len(train), more.max_rows):,}"
            return longer, (
                f"{learner.title}: learns from {n} rows {more.what}, for {context.metric.title} {amount(found)} on "
                f"{LEFT_OUT:,} training rows left out; from {limit:,} rows it was {amount(usual)}."
            )
    return learner, ""


def _score(learner: Learner, context: Context, rows: Longs, left_out: Longs) -> float:
    train, test = split_table(context.table, rows, left_out)
    model = fit(learner, context, train, rows)
    return row_scores(predict(model, test, context.target, context.class_weights), context, left_out)[
        context.metric.key
    ]

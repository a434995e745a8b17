"""What a reader should know of a comparison beside its scores: the most important first, alike ones as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.evaluation.data.columns import Suspicion, suspicious_columns
from mercer.evaluation.data.splits import SplitPlan
from mercer.evaluation.notice import MOST_NAMES, Notice, listed, merged
from mercer.evaluation.run import Context, Run
from mercer.formatting import counted
from mercer.select.costs import Costs

FEW_ROWS = 30  # of a class: with fewer, its scores are hardly more than a guess


def comparison_doubts(context: Context) -> list[str]:
    """Why the scores may not hold: columns that give the target away, classes of few rows, copies of rows.

    Parameters
    ----------
    context : Context
        What the runs share.

    Returns
    -------
    list of str
        A sentence or two each.
    """
    target, plan = context.target, context.plan
    copies = _copies(plan, len(target.values)) if not plan.keeps_copies_together else ""
    suspected = _to_look_at(suspicious_columns(context.table, target), target.name)
    return [*suspected, *filter(None, [_few_rows(context), copies])]


def comparison_notices(context: Context, runs: Sequence[Run], decision: str = "") -> list[str]:
    """Notices beside the doubts: options that do not apply, learners that failed, notices of the file.

    Parameters
    ----------
    context : Context
        What the runs share.
    runs : sequence of Run
        Best first.
    decision : str, default=""
        What was asked of the decision and cannot be had.

    Returns
    -------
    list of str
        A sentence or two each.
    """
    target, plan = context.target, context.plan
    costs = Costs.read(context.options.costs)
    copies = _copies(plan, len(target.values)) if plan.keeps_copies_together else ""
    found = [*filter(None, [decision, costs.assumption if costs else "", copies])]
    if target.lone:
        names = ", ".join(repr(c) for c in target.lone[:5]) + (", ..." if len(target.lone) > 5 else "")
        found.append(
            f"{counted(len(target.lone), 'class', 'classes')} of {target.name!r} with a single row ({names}): set "
            "aside, since one row cannot be both learned from and tested on."
        )
    found += [f"{run.entry.title} failed: {run.entry.error}" for run in runs if run.entry.error is not None]
    if target.n_missing:
        found.append(f"{counted(target.n_missing, 'row')} without a value of {target.name!r} left out.")
    limits = [Notice(f"{run.entry.note}.", run.entry.title) for run in runs if run.entry.note]
    read = [Notice(said) for said in context.source.notices]
    return merged([*map(Notice, found), *limits, *read, *(notice for run in runs for notice in run.notices)])


def _to_look_at(found: Sequence[Suspicion], target: str) -> list[str]:
    """A notice for each reason, with the columns that it holds for."""
    groups: dict[str, list[str]] = {}
    for one in found:
        groups.setdefault(one.why, []).append(one.column)
    notices = []
    for why, columns in groups.items():
        drop = " ".join(f"--drop {name!r}" for name in columns[:MOST_NAMES])
        alone = len(columns) == 1
        advice = (
            f"If it is not known before {target!r} is, or means nothing as a number, leave it out"
            if alone
            else f"Leave out those that are not known before {target!r} is, or mean nothing as numbers"
        )
        names = listed([repr(name) for name in columns])
        notices.append(f"Look at {names}: {'' if alone else 'of each, '}{why}. {advice}: {drop}.")
    return notices


def _few_rows(context: Context) -> str:
    """A warning where a class has few rows; '' elsewhere."""
    target = context.target
    counts = np.bincount(target.codes, minlength=len(target.classes)) if target.classes else np.array([FEW_ROWS])
    few = np.flatnonzero(counts < FEW_ROWS)
    if not len(few):
        return ""
    names = ", ".join(f"{target.classes[i]!r} ({counts[i]})" for i in few[:3])
    more = f" and {len(few) - 3} more" if len(few) > 3 else ""
    return f"Few rows of {names}{more}: what is said of {'it' if len(few) == 1 else 'them'} is uncertain. Add rows."


def _copies(plan: SplitPlan, n_rows: int) -> str:
    if not plan.n_copies:
        return ""
    found = f"{plan.n_copies:,} of {n_rows:,} rows repeat another row, target included"
    if plan.keeps_copies_together:
        return (
            f"{found}: copies are kept together in folds and held-out rows, so that no learner is scored on them, and "
            "intervals count distinct rows."
        )
    return f"{found}. The distinct rows are too few to keep copies together: every score is too good."

"""What a reader should know of a comparison beside its scores: the most important first, alike ones as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.evaluation.data.columns import (
    Suspicion,
    in_order_of,
    missing_markers,
    several_rows_each,
    suspicious_columns,
)
from mercer.evaluation.data.splits import SplitPlan
from mercer.evaluation.decisions.scores import asks_for_decisions
from mercer.evaluation.metrics import Metric
from mercer.evaluation.notice import MOST_NAMES, Notice, listed, merged
from mercer.evaluation.run.records import Context, Entry, Run
from mercer.formatting import counted
from mercer.select.costs import Costs
from mercer.table.formats.notation import FIRST
from mercer.table.kinds.levels import spelt_alike
from mercer.table.kinds.markers import option
from mercer.table.kinds.sums import sums

FEW_ROWS = 30  # of a class: with fewer, its scores are hardly more than a guess


def comparison_doubts(context: Context, kept: Entry) -> list[str]:
    """Why the scores may not hold, or mean less than they seem to.

    Levels in several spellings, columns that give the target away, numbers that may stand for missing values, rows that
    may belong together, recall or precision alone, other held-out rows, few rows, copies of rows.

    Parameters
    ----------
    context : Context
        What the runs share.
    kept : Entry
        Of the model that is kept.

    Returns
    -------
    list of str
        A sentence or two each.
    """
    target, plan = context.target, context.plan
    copies = _copies(plan, len(target.values)) if not plan.keeps_copies_together else ""
    suspected = _to_look_at(suspicious_columns(context.table, target), target.name)
    return [
        *_totals(context),
        *_spelt_alike(context),
        *suspected,
        *_meant_as_missing(context),
        *([*_belong_together(context), *_follow_in_time(context)] if plan.kind == "random" else []),
        *filter(None, [_one_sided(kept, context), _one_class(context), _other_rows(kept, context)]),
        *filter(None, [_few_rows(context), copies]),
    ]


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
    said = [decision, costs.assumption if costs else "", copies, _fewer_folds(runs, context.metric), _numbered(context)]
    said.append(_in_two(context))
    found = [*filter(None, said)]
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
    read = [Notice(one) for one in context.source.notices]
    return merged([*map(Notice, found), *limits, *read, *(notice for run in runs for notice in run.notices)])


def _numbered(context: Context) -> str:
    """That whole numbers were taken for classes, which have no order and no distance."""
    classes = context.target.classes
    if context.options.task is not None or len(classes) < 3 or not all(name.lstrip("-").isdigit() for name in classes):
        return ""
    return (
        f"The {len(classes)} whole numbers of {context.target.name!r} are taken as classes, without their order. Where "
        "they are amounts or ratings, say --task regression."
    )


def _in_two(context: Context) -> str:
    """That cells such as 135/80 were read as two numbers."""
    names = [c.origin for c in context.table.schema if c.part == FIRST]
    if not names:
        return ""
    asked = " ".join(f"--kind {f'{name}=category'!r}" for name in names[:MOST_NAMES])
    return (
        f"Cells of {listed([repr(name) for name in names])} hold two numbers: a column of each takes their place. "
        f"Where they are names, say so: {asked}."
    )


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


def _totals(context: Context) -> list[str]:
    """That one of the last rows looks like the sum of the others, as sheets have it."""
    return [
        f"{cell!r} in {name!r}, in one of the last rows: where that row sums up the others, delete it from the table."
        for name, cell in sums(context.source)
    ]


def _spelt_alike(context: Context) -> list[str]:
    """That classes, or levels of a column, differ in capitals or blanks alone."""
    target = context.target
    named = {target.name: target.classes} | {c.name: c.levels for c in context.table.schema}
    found = {name: groups for name, levels in named.items() if (groups := spelt_alike(levels))}
    shown = [f"{name!r} ({listed([' = '.join(map(repr, group)) for group in found[name]])})" for name in found]
    if not found:
        return []
    return [
        f"Spellings that differ in capitals or blanks alone are levels of their own in {listed(shown)}. Where they "
        "mean the same, write them alike."
    ]


def _meant_as_missing(context: Context) -> list[str]:
    """That a number such as -999 stands apart from all others of its columns."""
    return [
        f"{value:.0f} in {listed([repr(name) for name in names])} stands apart from all other numbers there. Where it "
        f"means that a value is missing, say so: {' '.join(option(name, value) for name in names[:MOST_NAMES])}"
        f"{', and of each of the others' if len(names) > MOST_NAMES else ''}."
        for value, names in missing_markers(context.table).items()
    ]


def _belong_together(context: Context) -> list[str]:
    """That rows of one patient, customer and the like lie in several folds."""
    return [
        f"{name!r} has {n:,} different cells, each in {mean:.1f} rows on average. Where it names what several rows are "
        "of, such as a patient, and new rows will be of others, the scores are too good: keep the rows of each "
        f"together by --group {name!r}."
        for name, (n, mean) in several_rows_each(context.table).items()
    ]


def _follow_in_time(context: Context) -> list[str]:
    """That rows in the order of a date are scored among earlier and later ones."""
    name = in_order_of(context.table)
    return [] if name is None else [
        f"The rows are in the order of {name!r}. Where new rows will be later than these, and what holds changes with "
        f"time, the scores are too good: be scored on later rows than were learned from by --time {name!r}."
    ]  # fmt: skip


def _one_sided(kept: Entry, context: Context) -> str:
    """What the other of recall and precision is, where learners are ranked by one and no threshold was asked for."""
    sides = {"recall": ("precision", "where every row is called positive"), "precision": ("recall", "of hardly a row")}
    key = context.metric.key
    if key not in sides or asks_for_decisions(context):
        return ""
    other, largest = sides[key]
    values = [kept.cross_validated[side].value or 0.0 for side in (key, other)]
    return (
        f"Ranked by {key} alone, which is largest {largest}: {kept.title} has a {key} of {values[0]:.1%} and a {other} "
        f"of {values[1]:.1%} in cross-validation. For both, take --metric f1, or --threshold {other}=0.5."
    )


def _other_rows(kept: Entry, context: Context) -> str:
    """A warning where the held-out rows are predicted worse than cross-validation says, beyond both intervals."""
    metric, plan = context.metric, context.plan
    folds, held = kept.cross_validated.get(metric.key), kept.held_out.get(metric.key)
    if folds is None or held is None:
        return ""
    near, far = (held.high, folds.low) if metric.higher_is_better else (folds.high, held.low)
    if near is None or far is None or near >= far:
        return ""
    first, second = (f"{s.value:.4g} ({s.low:.4g} to {s.high:.4g})" for s in (held, folds))
    why = "these rows differ from the others, or are harder by chance"
    if plan.kind == "time":
        why = "what holds for earlier rows does not hold for the latest ones, nor should it be relied on for the next"
    return f"{kept.title}: {metric.title} {first} on the held-out rows, {second} in cross-validation: {why}."


def _one_class(context: Context) -> str:
    """A warning where the held-out rows are of one class, so that many scores are not defined; '' elsewhere."""
    target, rows = context.target, context.plan.test
    found = set(target.codes[rows].tolist()) if target.classes else set()
    if len(found) != 1:
        return ""
    return (
        f"All of the {len(rows):,} held-out rows are {target.classes[found.pop()]!r}: what tells classes apart has no "
        "score on them. Hold out more rows (--test-size), or other ones."
    )


def _fewer_folds(runs: Sequence[Run], metric: Metric) -> str:
    """Why one learner is ranked before another whose mean reads better, over fewer or more folds; '' where none is."""
    scored = [run for run in runs if run.entry.error is None and run.folds]
    sign = 1 if metric.higher_is_better else -1
    for place, first in enumerate(scored):
        others = [r for r in scored[place + 1 :] if len(r.folds) != len(first.folds) and _ahead(r, first, metric, sign)]
        if not others:
            continue
        other = max(others, key=lambda r: sign * _mean(r, metric, len(r.folds)))
        short, full = sorted((first, other), key=lambda r: len(r.folds))
        n = len(short.folds)
        return (
            f"{short.entry.title} was scored on the first {n} of {len(full.folds)} folds, and learners are ranked by "
            f"those that both have: there its {metric.title} is {_mean(short, metric, n):.4g}, that of "
            f"{full.entry.title} {_mean(full, metric, n):.4g}."
        )
    return ""


def _ahead(run: Run, other: Run, metric: Metric, sign: int) -> bool:
    return sign * (_mean(run, metric, len(run.folds)) - _mean(other, metric, len(other.folds))) > 0


def _mean(run: Run, metric: Metric, n_folds: int) -> float:
    return float(np.mean([fold.scores[metric.key] for fold in run.folds[:n_folds]]))


def _few_rows(context: Context) -> str:
    """A warning where a class has few rows that are no copies of each other and of other groups; '' elsewhere."""
    target, plan = context.target, context.plan
    rows = plan.independent(np.arange(len(target.values)), target)
    counts = np.bincount(target.codes[rows], minlength=len(target.classes)) if target.classes else np.array([FEW_ROWS])
    few = np.flatnonzero(counts < FEW_ROWS)
    if not len(few):
        return ""
    names = ", ".join(f"{target.classes[i]!r} ({counts[i]})" for i in few[:3])
    more = f" and {len(few) - 3} more" if len(few) > 3 else ""
    kind = "rows" if plan.groups is None else "independent rows"
    return f"Few {kind} of {names}{more}: what is said of {'it' if len(few) == 1 else 'them'} is uncertain. Add rows."


def _but_for(columns: Sequence[str]) -> str:
    """The columns in which copies differ, in words."""
    return f" but for {' and '.join(map(repr, columns))}" if columns else ""


def _copies(plan: SplitPlan, n_rows: int) -> str:
    if not plan.n_copies:
        return ""
    verb = "repeats" if plan.n_copies == 1 else "repeat"
    found = f"{plan.n_copies:,} of {n_rows:,} rows {verb} another row{_but_for(plan.copies_but_for)}, target included"
    if plan.keeps_copies_together:
        return (
            f"{found}: copies are kept together in folds and held-out rows, so that no learner is scored on them, and "
            "intervals count distinct rows."
        )
    return f"{found}. The distinct rows are too few to keep copies together: every score is too good."

"""Every learner compared: on the same rows, by the same folds and the same held-out rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from mercer._core.threads import single_blas_thread
from mercer.errors import BadFile, BadTable, ClusterLost, MercerError
from mercer.estimators.registry import Learner, learners
from mercer.evaluation.advice import fitting_hint
from mercer.evaluation.attribution.examples import row_examples
from mercer.evaluation.budget import last_fit, run_within, sampled, with_fewer_folds
from mercer.evaluation.data.columns import summarise_columns
from mercer.evaluation.data.row_columns import (
    KnownCosts,
    check_weight,
    dropped_parts,
    read_amounts,
    take_row_columns,
    without,
    without_parts,
)
from mercer.evaluation.data.splits import plan_splits
from mercer.evaluation.decisions.decision import decision_of
from mercer.evaluation.diagnostics import diagnose, fold_confusions
from mercer.evaluation.explanations import effects_of, explain_learners
from mercer.evaluation.metrics import Metric, check_defined, chosen_metric
from mercer.evaluation.notice import columns_told, with_notices
from mercer.evaluation.notices import FEW_ROWS, comparison_doubts, comparison_notices
from mercer.evaluation.options import ComparisonOptions, Progress
from mercer.evaluation.result import Comparison, SplitSummary, TargetSummary, versions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.run.records import Context, Run, describe_error
from mercer.evaluation.selection.calibration import with_calibration
from mercer.evaluation.selection.ensemble import ENSEMBLE, fit_run, fitted_rows, run_ensemble, without_ensemble
from mercer.evaluation.selection.further import run_further
from mercer.evaluation.selection.many_classes import for_many_classes
from mercer.evaluation.selection.many_rows import for_many_rows
from mercer.evaluation.selection.nested import choice_notice, n_pairs, with_inner_folds
from mercer.evaluation.selection.portfolio import FURTHER
from mercer.evaluation.selection.preference import Preference, checked_preference, preferred, simpler_tie
from mercer.evaluation.selection.remedies import expect_classes_to_remedy, with_remedies
from mercer.evaluation.uncertainty.paired import behind, is_near, is_tie, ranking
from mercer.select.copies import find_copies
from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.table import Source, infer
from mercer.table.build import build
from mercer.table.target_column import Target, read_target
from mercer.tasks import cluster_client, each_task


def prepare(source: Source, target: str, options: ComparisonOptions) -> Context:
    """Read the target, infer the kinds of the other columns, build the table and split its rows.

    Parameters
    ----------
    source : Source
        Cells as they were read, with the target among the columns; rows without a target are left out.
    target : str
        Name or place of the column to predict.
    options : ComparisonOptions
        Task, kinds, folds and held-out share.

    Returns
    -------
    Context
        What every learner shares: the one table that all of them are fitted to and scored on.
    """
    kept = without(source, options.drop, target).columns
    found, rest = read_target(source, target, options.task)
    found = with_positive(found, options)
    learners(found.task, without_ensemble(options.learners))  # an unknown name is refused before work is done
    costs = known_costs(options, found, rest)
    for role, name in (("weight", options.weight), ("group", options.group), ("time", options.time)):
        if name is not None and source.find(name) == found.name:
            raise MercerError(f"{role} = {name!r}: that is the target. Name another column.")
    rest = replace(rest, columns={name: cells for name, cells in rest.columns.items() if name in kept})
    rows = take_row_columns(rest, options)
    check_weight(options.weight, rows.weight, found)
    rest = replace(rest, notices=[*rest.notices, *rows.notices])
    metric = chosen_metric(options.metric, found.task, len(found.classes), has_costs=costs is not None)
    check_defined(metric, found.values, dates=bool(found.date_unit))
    used = {n: k for n, k in (options.kinds or {}).items() if n in rest.columns or n not in source.columns}
    schema = infer(rest, used)  # kinds of columns that were taken out are not asked for
    table = build(rest, without_parts(schema, dropped_parts(rest, options.drop)))
    if not len(table.schema):
        reasons = "; ".join(f"{c.name!r}: {c.reason}" for c in table.schema.left_out[:3])
        raise BadTable(f"No column is left to learn {found.name!r} from. {reasons}".strip())
    plan = plan_splits(found, options, find_copies(table, found.values), groups=rows.groups, times=rows.times)
    return Context(table, found, plan, options, rest, metric, rows.weight, costs)


def with_positive(target: Target, options: ComparisonOptions) -> Target:
    """The target with the positive class that was asked for; thresholds are for two classes, costs for classes."""
    threshold = Threshold.read(options.threshold)
    if options.costs is not None and not target.classes:
        raise MercerError(f"cost: costs are for classes; {target.name!r} has numbers.")
    if options.positive is None and threshold is None:
        return target
    if target.positive is None:
        found = f"{len(target.classes)} classes" if target.classes else "numbers"
        raise MercerError(f"positive and threshold are for two classes; {target.name!r} has {found}.")
    if threshold is not None and threshold.rule == "cost" and options.costs is None:
        raise MercerError("threshold 'cost': say what the errors cost, for example --cost fn=20,fp=1.")
    if threshold is not None and threshold.rule == "top" and (threshold.value or 0) > len(target.codes):
        raise MercerError(f"threshold '{threshold}': the table has {len(target.codes):,} rows. Ask for fewer.")
    if options.positive is None:
        return target
    if options.positive not in target.classes:
        raise MercerError(
            f"positive = {options.positive!r}: the classes are {' and '.join(map(repr, target.classes))}."
        )
    return replace(target, positive=target.classes.index(options.positive))


def known_costs(options: ComparisonOptions, target: Target, source: Source) -> KnownCosts | None:
    """What errors cost, with the columns that say so of each row; a column that is dropped may be one of them."""
    costs = Costs.read(options.costs)
    if costs is None:
        return None
    matrix = costs.matrix(target.classes, target.positive)
    if target.name in matrix.names:
        raise MercerError(f"cost = {target.name!r}: that is the target. Name a column with amounts.")
    amounts = read_amounts(source, matrix.names)
    return KnownCosts(matrix.with_means(target.codes, amounts), amounts)


@single_blas_thread()
def compare_learners(context: Context, progress: Progress) -> Comparison:
    """Cross-validate each learner, score it on the held-out rows, rank them, and fit the best to every row.

    A learner that fails is listed with its error; the comparison fails only when all of them do. The same seed gives
    the same result, except for times. BLAS has one thread: on a busy machine two took 20 times as long for least
    squares on a fold, waiting for each other; native code has its own threads.

    Parameters
    ----------
    context : Context
        From `prepare`.
    progress : callable
        Called as `progress(what, share)` while work goes on, `share` rising from 0 to 1.

    Returns
    -------
    Comparison
        Leaderboard, diagnostics of the best learner, explanations of all, and the best model.
    """
    start = time.perf_counter()
    target, options, metric = context.target, context.options, context.metric
    prefer = checked_preference(options.prefer)
    expect_classes_to_remedy(context)
    running = learners(target.task, without_ensemble(options.learners))
    has_ensemble = options.learners is None or ENSEMBLE.key in options.learners
    n_runs = len(running) + (len(FURTHER) if has_ensemble and options.budget is None else 0)
    rounds = 1 if context.costs is None else 2  # with class weights and without
    pairs = n_pairs(context) if has_ensemble else 0
    steps = _Steps(progress, n_runs * (rounds * len(context.plan.folds) + 1 + pairs) + 4)
    context, found, said = _run_all(running, context, steps, has_ensemble)
    runs = ranked(found, metric)
    runs = _with_ensemble(runs, context, steps) if has_ensemble else runs
    runs, remedies = with_remedies(runs, context, steps)
    every = context.plan.every
    table = context.table if len(every) == len(context.table) else context.table.take(every)
    runs = ranked(runs, metric)
    bare_model, bare, runs = refit(runs, context, prefer, steps, lambda run: fit_run(run, context, table, every))
    best_model, kept, calibration = with_calibration(bare_model, bare, context)
    kept, runs = with_recalibrated(runs, bare, kept, context)
    choice = choice_notice(runs, kept, context)
    notices = [*said, *remedies, *filter(None, [choice, calibration])]
    chosen = Chosen(kept, best_model, bare, bare_model, runs, notices)
    found_out = described(chosen, context, prefer, steps)
    progress("Done", 1.0)
    return replace(found_out, seconds=time.perf_counter() - start)


@dataclass(frozen=True)
class Chosen:
    """The run that is kept and its model fitted to every row; both before calibration; the ranking; what to say."""

    run: Run
    model: Any
    bare: Run
    bare_model: Any
    ranking: list[Run]
    said: list[str]


@columns_told()
def described(chosen: Chosen, context: Context, prefer: Preference, steps: Callable[[str], None]) -> Comparison:
    """What the report says of the kept model and of all learners; the seconds are filled in later."""
    target, options, kept, runs = context.target, context.options, chosen.run, chosen.ranking
    steps("Permutation importance")
    best = replace(context, class_weights=kept.class_weights)
    decision = decision_of(kept, best)
    diagnostics = diagnose(kept, best, context.metric, decision.stored if decision else None)
    ordered = [chosen.bare, *(run for run in runs if run is not kept)]
    explanations = explain_learners(ordered, chosen.bare_model, context, [i.column for i in diagnostics.importance])
    steps("Partial dependence")
    entries, doubts = [run.entry for run in runs], comparison_doubts(context, kept.entry)
    training_rows, row_limit = fitted_rows(kept, context, context.plan.every)
    return Comparison(
        name=options.name,
        task=target.task,
        target=TargetSummary.of(target),
        metric=context.metric,
        splits=SplitSummary.of(context.plan, target),
        columns=summarise_columns(context.table),
        left_out=list(context.table.schema.left_out),
        leaderboard=entries,
        kept=kept.entry.key,
        preference=prefer,
        diagnostics=diagnostics,
        explanations=explanations,
        effects=effects_of(kept, chosen.model, context, diagnostics.importance),
        examples=row_examples(kept, context, decision.threshold if decision else None),
        hint=fitting_hint(kept.entry, entries, context.metric),
        doubts=doubts,
        notices=[*doubts, *chosen.said, *comparison_notices(context, runs, decision.statement if decision else "")],
        seed=options.seed,
        level=options.level,
        seconds=0.0,
        versions=versions(),
        headline=sturdier_estimate(context, kept),
        decision=decision,
        simpler=simpler_tie(runs, kept, options.level),
        training_rows=training_rows,
        row_limit="; ".join(filter(None, [context.row_sample, row_limit])),
        best_model=chosen.model,
        confusions=fold_confusions(kept, context),
    )


def _run_all(
    running: Sequence[Learner], context: Context, steps: Callable[[str], None], has_library: bool
) -> tuple[Context, list[Run], list[str]]:
    """The learners run, all or within the time budget, on the rows that there is time for; and what to say of it."""
    budget = context.options.budget
    running, left_out = for_many_classes(running, context)
    if budget is None:
        chosen = [for_many_rows(learner, context, steps) for learner in running]
        runs = _each_run([learner for learner, _ in chosen], context, steps)
        return context, runs, [*left_out, *(said for _, said in chosen if said)]
    context, said = sampled(context, budget)
    context = with_fewer_folds(context)
    runs, notices = run_within(running, context, steps, budget, has_library=has_library)
    return context, runs, [*left_out, *filter(None, [said]), *notices]


def _each_run(running: Sequence[Learner], context: Context, steps: Callable[[str], None]) -> list[Run]:
    """Every learner run, as tasks where there is a cluster; workers do not say how far they are."""
    if cluster_client() is None:
        return [run_learner(learner, context, steps) for learner in running]
    steps(f"{len(running)} learners on the cluster")
    return each_task(partial(run_learner, context=context, step=_silent), running)


def _silent(what: str) -> None:
    """No progress."""


class _Steps:
    """Counts steps and reports them as shares of all."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, what: str) -> None:
        self.progress(what, min(0.99, self.done / self.total))
        self.done += 1


def ranked(runs: list[Run], metric: Metric) -> list[Run]:
    """Best first by the cross-validated main metric; failures last. A tie keeps the order of the registry."""
    scored = [run for run in runs if run.entry.error is None]
    if not scored:
        raise _all_failed(runs)
    order = ranking([[fold.scores[metric.key] for fold in run.folds] for run in scored], metric)
    return [*(scored[i] for i in order), *(run for run in runs if run.entry.error is not None)]


def _with_ensemble(runs: list[Run], context: Context, steps: Callable[[str], None]) -> list[Run]:
    """The ranking with the ensemble of the learners and of further settings of them.

    Where further settings of a learner alone are better than any mean, they have the ensemble's place.
    """
    every = [with_inner_folds(run, context, steps) for run in (*runs, *run_further(runs, context, steps))]
    runs = every[: len(runs)]
    found = run_ensemble(ranked(every, context.metric), context, steps)
    if found is None or any(found is run for run in runs):
        return runs
    return ranked([*runs, found], context.metric)


def compared_with_best(runs: list[Run], context: Context) -> list[Run]:
    """Each learner with its difference to the first, fold by fold."""

    def compared(run: Run) -> Run:
        if run.entry.error is not None:
            return run
        difference = behind(runs[0].folds, run.folds, context.metric, context, context.options.level)
        near = is_near(difference, min(len(run.folds), len(runs[0].folds)), context.options.level)
        return replace(run, entry=replace(run.entry, behind=difference, tied=is_tie(difference), near=near))

    first = replace(runs[0], entry=replace(runs[0].entry, behind=None, tied=False, near=True))
    return [first, *map(compared, runs[1:])]


def with_recalibrated(runs: list[Run], bare: Run, kept: Run, context: Context) -> tuple[Run, list[Run]]:
    """The run that is kept and the ranking by its scores after calibration, which may be worse by the metric."""
    if kept is bare:
        return kept, runs
    runs = ranked([kept if run is bare else run for run in runs], context.metric)
    place = next(i for i, run in enumerate(runs) if run is kept)
    runs = compared_with_best(runs, context)
    return runs[place], runs


def refit(
    runs: list[Run],
    context: Context,
    prefer: Preference,
    step: Callable[[str], None],
    fit_every: Callable[[Run], Any],
) -> tuple[Any, Run, list[Run]]:
    """The preferred model fitted to every row, its run, and the ranking, at whose end are learners that fail at it."""
    budget = context.options.budget
    while runs[0].entry.error is None:
        runs = compared_with_best(runs, context)
        chosen = preferred(runs, prefer, context.options.level, from_library=budget is not None)
        others = [run for run in runs if run is not chosen]
        step(f"{chosen.entry.title}: fitting to every row")
        run = chosen if budget is None else last_fit(chosen, context, budget)
        try:
            model, notices = with_notices(run.learner.title, partial(fit_every, run))
        except (BadFile, ClusterLost):  # no other learner could be fitted either
            raise
        except Exception as error:
            runs = [*others, replace(chosen, entry=replace(chosen.entry, error=describe_error(error)))]
        else:
            kept = replace(run, notices=run.notices + notices)
            return model, kept, [kept if one is chosen else one for one in runs]
    raise _all_failed(runs)


def _all_failed(runs: list[Run]) -> BadTable:
    reasons = "; ".join(f"{run.entry.title}: {run.entry.error}" for run in runs)
    return BadTable(f"No learner could be fitted. {reasons}")


def sturdier_estimate(context: Context, kept: Run) -> Literal["held_out", "cross_validated"]:
    """Which score the headline is of: that of the held-out rows, unless these are few, or few of one of two classes.

    Cross-validation has tested every training row then, four times as many as were held out. Copies of a row, and rows
    of one group, count once. An ensemble of a library
    has the score of the held-out rows even so: its weights for a fold are chosen among many models, on predictions of
    models that had learned from that fold, and a pattern that is there by chance favours the same ones in both.
    """
    if kept.members and context.options.budget is not None:
        return "held_out"
    target = context.target
    rows = context.plan.independent(context.plan.test, target)
    fewest = len(rows) if target.positive is None else int(np.bincount(target.codes[rows], minlength=2).min())
    return "held_out" if fewest >= FEW_ROWS else "cross_validated"

"""The ensemble of the learners as a run of its own: cross-validated with its selection, and kept as a model.

Its members were fitted to the folds already, so an ensemble costs no fit: the weighted means of their predictions are
scored as the predictions of a learner are, with weights that were chosen on other rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.base import Member
from mercer.combine.ensemble.classifier import EnsembleSelection
from mercer.combine.ensemble.forward import Selection, weighted_mean
from mercer.combine.ensemble.regressor import EnsembleSelectionRegressor
from mercer.estimators.common.explanations.model_explanation import Explain
from mercer.estimators.registry import Learner, TaskModel
from mercer.evaluation.decisions.scores import with_decisions
from mercer.evaluation.run.fitting import answering_by_name, fit, limited, row_limit_note
from mercer.evaluation.run.learner import scored_entry
from mercer.evaluation.run.parallel import in_threads
from mercer.evaluation.run.records import Context, Entry, FoldResult, Run, describe_error
from mercer.evaluation.selection.explanation import explain_ensemble, summarise
from mercer.evaluation.selection.library import completed
from mercer.evaluation.selection.weighing import candidates, forward, inner_weights, kinds_of, nested_weights, weigh
from mercer.evaluation.uncertainty.learner import row_scores
from mercer.table import Table, Task

ENSEMBLE = Learner(
    "ensemble",
    "Ensemble",
    "A weighted mean of learners, chosen one by one as long as the mean of all gains.",
    complexity=5,
)


def without_ensemble(keys: Sequence[str] | None) -> Sequence[str] | None:
    """The keys of learners among those that were named; None, all of them, where the ensemble alone was."""
    return [key for key in keys or () if key != ENSEMBLE.key] or None


def run_ensemble(ranked: Sequence[Run], context: Context, step: Callable[[str], None]) -> Run | None:
    """The ensemble as a run, or the run of its only member; None where there are not two learners to choose from.

    A model of a library is not returned in its place: the score of the best of many is too high, while the folds of the
    ensemble have the choice inside.

    Parameters
    ----------
    ranked : sequence of Run
        Of the learners, best first.
    context : Context
        What the runs share.
    step : callable
        Called with a line that says what is being done.

    Returns
    -------
    Run or None
        Its folds are predicted with weights chosen on the other folds, where models have `inner` folds those of the
        first round with weights chosen by models that did not see the fold; the held-out rows with those of all folds.
    """
    able = candidates(ranked)
    if len(able) < 2:
        return None
    step("Ensemble: choosing its members")
    start = time.perf_counter()
    try:
        run = _run(able, context)
    except Exception as error:
        return Run(ENSEMBLE, Entry.of(ENSEMBLE, error=describe_error(error)))
    alone = next((one for one in ranked if len(run.members) == 1 and one.entry is run.members[0][0].entry), None)
    if alone is not None:
        return alone
    return replace(run, entry=replace(run.entry, seconds=time.perf_counter() - start))


def _run(able: Sequence[Run], context: Context) -> Run:
    folds, kinds = [run.folds for run in able], kinds_of(able)
    found = weigh(folds, context, kinds)
    wanted = list(dict.fromkeys([0, *found.members.tolist()]))  # the best is compared with the mean, in it or not
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the learners were recorded
        whole = dict(zip(wanted, in_threads(lambda m: completed(able[m], context), wanted, context), strict=True))
    members = tuple((whole[m], float(found.weights[m])) for m in found.members.tolist())
    inner = [run.inner for run in able]
    chosen = inner_weights(inner, context) if all(inner) else nested_weights(folds, context, kinds)
    tested = [_fold([tested[i] for tested in folds], weights, context) for i, weights in enumerate(chosen)]
    tested = with_decisions(tested, context)
    parts = [run.predicted for run, _ in members if run.predicted is not None]
    predicted = weighted_mean(parts, found.weights[found.members])
    shown = summarise(whole[0], members, found, tested, predicted, context, n_candidates=len(able))
    holds_rows = any(run.learner.holds_rows for run, _ in members)
    learner = _learner(partial(explain_ensemble, shown), holds_rows)
    entry = scored_entry(
        learner,
        context,
        tested,
        predicted,
        fit_seconds=sum(run.entry.fit_seconds for run, _ in members),
        predict_seconds=sum(run.entry.predict_seconds for run, _ in members),
    )
    table = members[0][0].held_out_table
    assert table is not None
    return Run(
        learner,
        entry,
        _assembled([run.model for run, _ in members], members, found, context, table, named=None),
        table,
        predicted,
        context.plan.train,
        folds=tuple(tested),
        members=members,
        selection=found,
    )


def _learner(explain: Explain, holds_rows: bool) -> Learner:
    """The record of an ensemble, with what it says of itself."""

    def settings(seed: int, n_jobs: int | None) -> dict[str, Any]:
        return {"random_state": seed, "n_jobs": n_jobs}

    classes = TaskModel(EnsembleSelection, explain, settings)
    numbers = TaskModel(EnsembleSelectionRegressor, explain, settings)
    return replace(ENSEMBLE, classification=classes, regression=numbers, holds_rows=holds_rows)


def _fold(parts: Sequence[FoldResult], weights: Floats, context: Context) -> FoldResult:
    """The weighted mean of what learners predicted for one fold."""
    rows, (seen, _) = parts[0].rows, parts[0].fitted
    predicted = weighted_mean([part.predicted for part in parts], weights)
    again = weighted_mean([part.fitted[1] for part in parts], weights)
    scores = row_scores(predicted, context, rows), row_scores(again, context, seen)
    return FoldResult(rows, predicted, *scores, (seen, again))


def fit_run(run: Run, context: Context, table: Table, rows: Longs) -> Any:
    """The learner of a run fitted to these rows, or every member of its ensemble; classes by name.

    Parameters
    ----------
    run : Run
        What is fitted.
    context : Context
        What the runs share.
    table : Table
        The rows.
    rows : ndarray
        Their row numbers.

    Returns
    -------
    estimator
        Fitted.
    """
    if run.stays:
        return answering_by_name(run.model, context)
    if run.selection is None:
        return fit(run.learner, replace(context, class_weights=run.class_weights), table, rows, named=True)
    models = in_threads(lambda member: fit_run(member[0], context, table, rows), run.members, context)
    return _assembled(models, run.members, run.selection, context, table, named=rows)


def _assembled(
    models: Sequence[Any],
    members: Sequence[tuple[Run, float]],
    selection: Selection,
    context: Context,
    table: Table,
    *,
    named: Longs | None,
) -> Any:
    """An ensemble of fitted models: its classes are codes, or the names of the classes of the rows `named`."""
    target, options = context.target, context.options
    library = [(run.entry.title, run.learner.make(target.task, options.seed, None)) for run, _ in members]
    given: dict[str, Any] = {"metric": selection.metric, "combiner": forward(context), "random_state": options.seed}
    scores = selection.scores[selection.members]
    parts = [
        Member(run.entry.title, weight, float(score), model, run.class_weights)
        for (run, weight), score, model in zip(members, scores, models, strict=True)
    ]
    if target.task is Task.REGRESSION:
        return EnsembleSelectionRegressor(library, **given).assemble(table, parts, selection)
    if named is None:
        return EnsembleSelection(library, **given).assemble(table, np.arange(len(target.classes)), parts, selection)
    classes = np.unique(target.labels[named])
    order = [target.classes.index(str(label)) for label in classes]
    parts = [replace(p, class_weights=None if p.class_weights is None else p.class_weights[order]) for p in parts]
    return EnsembleSelection(library, **given).assemble(table, classes, parts, selection)


def fitted_rows(run: Run, context: Context, rows: Longs) -> tuple[int, str]:
    """How many of the rows a model is fitted to, and which, where they are not all.

    Parameters
    ----------
    run : Run
        Whose model it is.
    context : Context
        What the runs share.
    rows : ndarray
        Row numbers.

    Returns
    -------
    n_rows : int
        Of an ensemble, of the member with the most.
    note : str
        '' where they are all.
    """
    if run.stays:
        n = len(run.training_rows)
        return n, f"learned from {n:,} of {len(rows):,} rows, those of the comparison, to keep the time budget"
    if run.selection is None:
        return len(limited(run.learner, context, rows)[0]), row_limit_note(run.learner, context, rows)
    found = [(member.entry.title, *fitted_rows(member, context, rows)) for member, _ in run.members]
    notes = [f"{title} {note}" for title, _, note in found if note]
    return max(n for _, n, _ in found), f"has members with a row limit ({'; '.join(notes)})" if notes else ""

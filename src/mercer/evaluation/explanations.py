"""Every learner of the leaderboard explained: the best in full, with the direction of effects, the others in short."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from mercer.errors import MercerError
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, HeldOut, ModelExplanation
from mercer.estimators.registry import Learner
from mercer.evaluation.budget import rows_for
from mercer.evaluation.effects import EffectLine, PartialDependence, partial_dependence
from mercer.evaluation.importance import Importance
from mercer.evaluation.run.records import Context, Run, describe_error
from mercer.table import Kind, Table

MOST_EFFECTS, MOST_VALUES = 8, 12  # columns whose effect is shown, the most important; values of each
MOST_CLASSES = 4  # of several: the most frequent
_ROWS, _FEWEST_ROWS = 200, 20  # averaged over
_SHARE = 0.2  # of the seconds that a time budget has left
_COMPARED = 5e10  # cells, at most: of the rows predicted against the rows that a model holds

REPORT_SHARE = 0.1  # of a time budget, kept for writing report and model


@dataclass(frozen=True, slots=True)
class LearnerExplanation:
    """One learner explained. `family` says what `details` are; '' when it could not be explained, with `error` why."""

    key: str
    title: str
    full: bool
    family: str = ""
    lead: str = ""
    facts: list[Fact] = field(default_factory=list)
    details: Any = None
    formula: str = ""
    formula_notes: tuple[str, ...] = ()
    error: str | None = None


def explain_learners(
    runs: Sequence[Run], best_model: Any, context: Context, columns: Sequence[str]
) -> list[LearnerExplanation]:
    """An explanation of every learner that did not fail.

    Parameters
    ----------
    runs : sequence of Run
        Best first.
    best_model : estimator
        The learner of the first run, fitted to every row.
    context : Context
        What the runs share.
    columns : sequence of str
        Names of the columns, the most important first.

    Returns
    -------
    list of LearnerExplanation
        In the order of `runs`.
    """
    done = [run for run in runs if run.entry.error is None]
    models = [best_model] + [run.model for run in done[1:]]
    budget = context.options.budget
    found: list[LearnerExplanation] = []
    for run, model in zip(done, models, strict=True):
        if found and budget is not None and budget.left < REPORT_SHARE * budget.seconds:
            late = "left out to keep the time budget"
            found.append(LearnerExplanation(run.learner.key, run.learner.title, full=False, error=late))
        else:
            found.append(_explained(run, _fitted(run, model, context, columns, full=not found)))
    return found


def effects_of(run: Run, model: Any, context: Context, importance: Sequence[Importance]) -> list[PartialDependence]:
    """Which way predictions go with the most important columns: their partial dependence.

    Parameters
    ----------
    run : Run
        Of the best learner.
    model : estimator
        That learner, fitted to every row.
    context : Context
        What the runs share.
    importance : sequence of Importance
        Of its columns, largest first.

    Returns
    -------
    list of PartialDependence
        Of the probability of the positive class, of the most frequent of several, or of the number predicted; none of
        a text column, nor of one that does not matter.
    """
    table, target = context.table, context.target
    if run.entry.is_baseline:
        return []
    kinds = {c.name: c.kind for c in table.schema}
    columns = [i.column for i in importance if i.mean > 0 and kinds.get(i.column, Kind.TEXT) is not Kind.TEXT]
    held = len(table) * len(table.schema) if run.entry.holds_rows else 1
    within = rows_for(_SHARE, MOST_EFFECTS * MOST_VALUES, run, context.options.budget)
    affordable = int(_COMPARED / (MOST_EFFECTS * MOST_VALUES * held))
    rows = max(_FEWEST_ROWS, min(_ROWS, affordable, _ROWS if within is None else within))
    label = None if target.positive is None else target.classes[target.positive]
    found = []
    for column in columns[:MOST_EFFECTS]:
        try:
            one = partial_dependence(
                model, table, column, label=label, n_values=MOST_VALUES, n_lines=0, max_rows=rows,
                level=context.options.level, random_state=context.options.seed,
            )  # fmt: skip
        except MercerError:  # every cell is missing
            continue
        found.append(replace(one, lines=_most_frequent(one.lines, context)))
    return found


def _most_frequent(lines: tuple[EffectLine, ...], context: Context) -> tuple[EffectLine, ...]:
    """The lines of the most frequent classes."""
    target = context.target
    if len(lines) <= 1:
        return lines
    rows = dict(zip(target.classes, np.bincount(target.codes, minlength=len(target.classes)).tolist(), strict=True))
    return tuple(sorted(lines, key=lambda line: -rows.get(line.label, 0))[:MOST_CLASSES])


def _fitted(run: Run, model: Any, context: Context, columns: Sequence[str], *, full: bool) -> FittedLearner:
    assert run.predicted is not None
    assert run.held_out_table is not None
    target = context.target
    found = getattr(model, "classes_", np.empty(0))
    names = found if full else [target.classes[int(c)] for c in found]  # codes, where not fitted to every row
    held_out = HeldOut(run.model, run.held_out_table, run.predicted, context.plan.test, run.training_rows)
    return FittedLearner(
        model, full, tuple(map(str, names)), columns, target, held_out, context.options.level, run.entry.fit_seconds,
        _deviations(context.table), [c.name for c in context.table.schema if c.is_date],
    )  # fmt: skip


def _deviations(table: Table) -> dict[str, float]:
    """Standard deviation of each numeric column, where it is above 0."""
    names = [] if table.is_sparse else [c.name for c in table.schema if c.kind is Kind.NUMERIC]
    if not names:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without a known cell
        spread = np.nanstd(table.numbers(names).astype(np.float64), axis=0)
    return {name: float(s) for name, s in zip(names, spread, strict=True) if np.isfinite(s) and s > 0}


def _explained(run: Run, fitted: FittedLearner) -> LearnerExplanation:
    """An explanation that fails is left out with its error: the model itself is not in doubt."""
    names = (run.learner.key, run.learner.title, fitted.full)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # given once already, when the model was fitted
            found = _explain(run.learner, fitted)
    except Exception as error:
        return LearnerExplanation(*names, error=describe_error(error))
    return LearnerExplanation(*names, **{f.name: getattr(found, f.name) for f in fields(found)})


def _explain(learner: Learner, fitted: FittedLearner) -> ModelExplanation:
    model = learner.model(fitted.target.task)
    if model is None or model.explain is None:
        return ModelExplanation("", "", [])
    return model.explain(fitted)

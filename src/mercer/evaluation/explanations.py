"""Every learner of the leaderboard explained: the best in full, the others in short."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from mercer.estimators.common.model_explanation import Fact, FittedLearner, HeldOut, ModelExplanation
from mercer.estimators.registry import Learner
from mercer.evaluation.run import Context, Run, describe_error

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


def _fitted(run: Run, model: Any, context: Context, columns: Sequence[str], *, full: bool) -> FittedLearner:
    assert run.predicted is not None
    assert run.held_out_table is not None
    target = context.target
    found = getattr(model, "classes_", np.empty(0))
    names = found if full else [target.classes[int(c)] for c in found]  # codes, where not fitted to every row
    held_out = HeldOut(run.model, run.held_out_table, run.predicted, context.plan.test, run.training_rows)
    return FittedLearner(
        model, full, tuple(map(str, names)), columns, target, held_out, context.options.level, run.entry.fit_seconds
    )


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

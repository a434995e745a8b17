"""One fit of a learner to some rows of a comparison, its search, row limit and weights, and what it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import has_fit_parameter

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.registry import Learner
from mercer.evaluation.decisions.scores import search_score
from mercer.evaluation.run.records import Context
from mercer.select.decisions import without_class_weights
from mercer.select.sampling import limit_rows
from mercer.table import Table
from mercer.table.target import Task
from mercer.table.target_column import Target


def row_limit_note(learner: Learner, context: Context, rows: Longs) -> str:
    """Which of the rows the learner was fitted to, where its row limit is met; '' elsewhere."""
    kept, _, whole = limited(learner, context, rows)
    if len(kept) == len(rows):
        return ""
    why = "its row limit" if context.options.budget is None else "its row limit in the time budget"
    return sample_note(len(kept), len(rows), why, [context.target.classes[int(c)] for c in whole])


def sample_note(n_kept: int, n_rows: int, why: str, whole: Sequence[str]) -> str:
    """What was learned from, where that are not all rows: "learned from 100 of 600 rows, its row limit: ...".

    Parameters
    ----------
    n_kept, n_rows : int
        Rows that are used, and all of them.
    why : str
        What limits them.
    whole : sequence of str
        The classes of which every row is used.

    Returns
    -------
    str
        A sentence without its subject.
    """
    found = f"learned from {n_kept:,} of {n_rows:,} rows, {why}"
    if not len(whole):
        return f"{found}: a random sample"
    listed = f"{len(whole)} rare classes" if len(whole) > 3 else " and ".join(map(repr, whole))
    return f"{found}: every row of {listed} and a random sample of the others, weighted to stand for all of them"


def fit(learner: Learner, context: Context, table: Table, rows: Longs, *, named: bool = False) -> Any:
    """A fitted estimator; a table beyond the learner's row limit is sampled down to it.

    Parameters
    ----------
    learner : Learner
        What is fitted.
    context : Context
        What the learners share.
    table : Table
        The training rows.
    rows : ndarray
        Their row numbers.
    named : bool, default False
        Whether classes are fitted by name, as in the model that is kept, or by code.

    Returns
    -------
    estimator
        Fitted.
    """
    options, target = context.options, context.target
    values = (target.labels if named else target.values)[rows]
    model = learner.make(target.task, options.seed, options.n_jobs)
    if settings := _search_settings(learner, context, rows, values):
        known = model.get_params(deep=False)
        model.set_params(**{name: value for name, value in settings.items() if name.split("__")[0] in known})
    kept, weight, _ = limited(learner, context, rows)
    if len(kept) < len(table):
        table, values = table.take(kept), values[kept]
    if context.class_weights is not None:
        names = target.classes if named else range(len(target.classes))
        present = set(np.unique(target.codes[rows][kept]).tolist())
        pairs = enumerate(zip(names, context.class_weights.tolist(), strict=True))
        model.set_params(class_weight={name: factor for code, (name, factor) in pairs if code in present})
    if context.weight is not None:
        weight = context.weight[rows][kept] * (1.0 if weight is None else weight)
    extra = {} if weight is None or not has_fit_parameter(model, "sample_weight") else {"sample_weight": weight}
    return model.fit(table, values, **extra)


def answering_by_name(model: Any, context: Context) -> Any:
    """A copy of a model that was fitted to class codes, as a fit to the names of the classes would have made it.

    Parameters
    ----------
    model : estimator
        Fitted to numbers or class codes, which are in the order of the names (`can_stay`).
    context : Context
        What the learners share.

    Returns
    -------
    estimator
        Fitted.
    """
    if not context.target.classes:
        return model
    names = np.unique(context.target.labels)
    named = copy(model)
    named.classes_ = names
    if hasattr(model, "labels_"):  # of nearest neighbours, in a column per target
        named.labels_ = [replace(column, classes=names) for column in model.labels_]
    weights = model.get_params(deep=False).get("class_weight")
    if isinstance(weights, dict):
        named.set_params(class_weight={names[code]: factor for code, factor in weights.items()})
    return named


def _search_settings(learner: Learner, context: Context, rows: Longs, values: NDArray[Any]) -> dict[str, Any]:
    """What a learner's own search is to maximise, and how long it may take."""
    target, positive = context.target, None
    if target.positive is not None and (target.values[rows] == target.positive).any():
        positive = int(np.searchsorted(np.unique(values), values[target.values[rows] == target.positive][0]))
    score = search_score(context, rows, values, positive)
    if learner.searches:
        share = context.options.time_limit / (len(context.plan.folds) + 2) / 2  # half for the search, half for the fit
        return {"grid__scoring": score, "grid__time_limit": share, "time_limit": share}
    chooses_k = learner.scores_neighbours and target.task is Task.CLASSIFICATION
    return {"scoring": None if score == "accuracy" else score} if chooses_k else {}


def limited(learner: Learner, context: Context, rows: Longs) -> tuple[Longs, Floats | None, NDArray[Any]]:
    """Which of the rows a learner is fitted to, their weights, and the classes kept whole, as `limit_rows` has it."""
    target, most = context.target, learner.max_rows
    classes = None if target.task is Task.REGRESSION else target.values[rows]
    return limit_rows(classes, len(rows), len(rows) if most is None else most, context.options.seed)


def predict(model: Any, table: Table, target: Target, class_weights: Floats | None = None) -> Floats:
    """Numbers, or probabilities in a column per class of the target (0 for a class that the model has not seen).

    Parameters
    ----------
    model : estimator
        Fitted to class codes or numbers.
    table : Table
        Rows to predict.
    target : Target
        What is predicted.
    class_weights : ndarray of shape (n_classes,), optional
        That the model was fitted with: they are taken out of its probabilities.

    Returns
    -------
    ndarray of shape (n_rows,) or (n_rows, n_classes)
        Numbers or probabilities.
    """
    if target.task is Task.REGRESSION:
        values = np.asarray(model.predict(table), dtype=np.float64)
    else:
        values = np.zeros((len(table), len(target.classes)))
        values[:, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(table)
        values = values if class_weights is None else without_class_weights(values, class_weights)
    if not np.isfinite(values).all():
        row = int((~np.isfinite(values)).reshape(len(values), -1).any(axis=1).argmax())
        raise MercerError(f"The prediction for row {row + 1} of the test rows is not a finite number.")
    return values

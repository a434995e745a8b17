"""Three held-out rows explained: where the best learner is most certain, least certain, and wrong."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.evaluation.attribution.explain import exact_explanation, sampled_explanation
from mercer.evaluation.attribution.shapley import MOST_ROWS
from mercer.evaluation.run.fitting import predict
from mercer.evaluation.run.records import Context, Run
from mercer.formatting import four_digits
from mercer.table import Table, Task
from mercer.table.kinds.parts import date_text

SECONDS = 3.0  # that must be left of a time budget: sampling takes up to one a row
MOST_COLUMNS = 200  # of tables whose rows are sampled for the report: more take seconds


@dataclass(frozen=True, slots=True)
class RowExample:
    """One held-out row.

    `role` says why it is shown; `row` is its place among the rows with a target, from 1; `truth` and `predicted` are
    class names or numbers as texts; `explanation` is `Explanation.to_dict` of the model of the training rows.
    """

    role: str
    row: int
    truth: str
    predicted: str
    explanation: dict[str, Any]


def row_examples(run: Run, context: Context, threshold: float | None) -> list[RowExample]:
    """Examples of the best learner; none where it cannot be explained, or ignores the columns.

    Parameters
    ----------
    run : Run
        The best learner: its model of the training rows has not seen the held-out rows.
    context : Context
        Table, target and splits.
    threshold : float or None
        From which probability a row is called positive, where that was asked for.

    Returns
    -------
    list of RowExample
        At most three.
    """
    if run.learner.is_baseline or run.held_out_table is None or run.predicted is None or not len(run.predicted):
        return []
    budget = context.options.budget
    if budget is not None and budget.left < SECONDS:
        return []
    chosen = _numbers(run, context) if context.target.task is Task.REGRESSION else _classes(run, context, threshold)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # given once already, when the model was fitted
            found = _explained(run, context, np.array([i for _, i, _, _ in chosen], dtype=np.int64))
    except Exception:  # the report goes without examples: the model itself is not in doubt
        return []
    if found is None:
        return []
    rows = context.plan.test
    return [
        RowExample(role, int(rows[i]) + 1, truth, predicted, found.to_dict(k) | {"row": int(rows[i])})
        for k, (role, i, truth, predicted) in enumerate(chosen)
    ]


def _explained(run: Run, context: Context, places: Any) -> Explanation | None:
    assert run.held_out_table is not None
    rows = run.held_out_table.take(places)
    found = exact_explanation(run.model, rows) if run.class_weights is None else None
    if found is None:
        if len(rows.schema) > MOST_COLUMNS or rows.is_sparse:
            return None
        some = run.training_rows[np.linspace(0, len(run.training_rows) - 1, MOST_ROWS).astype(np.int64)]
        background = context.table.take(np.unique(some)).select(list(rows.schema.names))
        model = run.model if run.class_weights is None else _Unweighted(run.model, context, run.class_weights)
        found = sampled_explanation(model, rows, background)
    if found.for_class is None:
        return replace(found, date_unit=context.target.date_unit)
    names = np.array(context.target.classes, dtype=object)  # the model of the training rows knows their codes
    against = None if found.against_class is None else names[found.against_class.astype(int)]
    found = replace(found, for_class=names[found.for_class.astype(int)], against_class=against)
    positive = context.target.positive
    return found if positive is None or against is None else found.spoken_for(context.target.classes[positive])


class _Unweighted:
    """A model fitted with class weights, by the probabilities that are reported: without them."""

    def __init__(self, model: Any, context: Context, weights: Floats) -> None:
        self.model, self.context, self.weights = model, context, weights
        self.classes_ = np.arange(len(context.target.classes))

    def predict_proba(self, rows: Table) -> Floats:
        return predict(self.model, rows, self.context.target, self.weights)

    def predict(self, rows: Table) -> Any:
        return self.predict_proba(rows).argmax(axis=1)


def _classes(run: Run, context: Context, threshold: float | None) -> list[tuple[str, int, str, str]]:
    """The surest right answer, the least sure one, and the surest wrong one: role, place, truth, prediction."""
    assert run.predicted is not None
    shares: Floats = run.predicted
    target, n = context.target, np.arange(len(shares))
    answer = shares.argmax(axis=1)
    certainty = shares[n, answer]
    if threshold is not None and target.positive is not None:
        over = shares[:, target.positive] >= threshold
        answer = np.where(over, target.positive, 1 - target.positive)
        certainty = np.abs(shares[:, target.positive] - threshold)
    truth = target.codes[context.plan.test]
    right = answer == truth
    picks = [("Most certain", np.where(right, certainty, -np.inf)), ("Least certain", -certainty)]
    picks.append(("Most certain and wrong", np.where(right, -np.inf, certainty)))
    found: dict[int, tuple[str, int, str, str]] = {}
    for role, worth in picks:
        i = int(np.argmax(worth))
        if np.isfinite(worth[i]):
            found[i] = (role, i, target.classes[truth[i]], target.classes[answer[i]])
    return list(found.values())


def _numbers(run: Run, context: Context) -> list[tuple[str, int, str, str]]:
    """The lowest and the highest prediction, and the one furthest from the truth."""
    assert run.predicted is not None
    predicted, truth, unit = run.predicted, context.target.numbers[context.plan.test], context.target.date_unit
    error = np.abs(predicted - truth)
    picks = [("Highest prediction", predicted), ("Lowest prediction", -predicted), ("Largest error", error)]
    found: dict[int, tuple[str, int, str, str]] = {}
    for role, worth in picks:
        i = int(np.argmax(worth))
        texts = [date_text(v, unit) if unit else four_digits(float(v)) for v in (truth[i], predicted[i])]
        found[i] = (role, i, texts[0], texts[1])
    return list(found.values())

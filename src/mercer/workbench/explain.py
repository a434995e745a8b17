"""mercer.explain: why a model answers as it does for single rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from mercer.arrays import Longs
from mercer.errors import MercerError
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.evaluation.attribution.explain import exact_explanation, model_rows, sampled_explanation
from mercer.evaluation.attribution.shapley import MOST_ROWS
from mercer.evaluation.attribution.synthetic import synthetic_rows
from mercer.select.decisions import DecisionRule
from mercer.store import StoredModel, open_model
from mercer.store.model import Card
from mercer.table import Kind, Table, conform_table
from mercer.table.estimator import TableEstimator
from mercer.table.formats.containers import row_count, take_rows
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.decided import Decided
from mercer.workbench.rows import expect_fitted, model_name
from mercer.workbench.training.result import TrainResult

MOST_SAMPLED = 500  # rows of one call that are sampled, some minutes


@checks_arguments
def explain(
    model: Any,
    X: Any,
    rows: int | Sequence[int] | None = None,
    *,
    background: Any = None,
    positive: Any = None,
    samples: int | None = None,
    random_state: int = 0,
) -> Explanation:
    """score(x) = base + sum over columns of what each adds, for single rows of any model.

    Naive Bayes, linear and logistic models, linear SVMs and perceptrons are sums over columns and decision trees have
    exact Shapley values ("path dependent": by the weights of the nodes); both in milliseconds. Of any other model,
    mercer's, scikit-learn's or a pipeline, Shapley values are taken over the columns as they came in, categories and
    missing cells included: what a column adds when its cell takes the place of that of a background row, over orders of
    the columns, drawn with their standard errors where there are more than eight columns. The sum is the score in
    every case.

    Parameters
    ----------
    model : estimator, TrainResult, str or Path
        Fitted, what `mercer.train` returned, or the path of a model file.
    X : array, sparse matrix, data frame, mapping, Table or Path
        Rows, in any container that the model takes.
    rows : int, sequence of int or None, default None
        Positions of the rows to explain, from 0; None for all of them.
    background : rows like X, optional
        What the row is compared with. Without it: of sums over columns, the average training row (of naive Bayes, the
        shares of the classes); of trees, the training rows by the weights of the nodes; of other models, 50 rows made
        up from the column summaries in a model file (each column by itself, so that no training row is in the file),
        else the rows of X. Trees, and sums over columns for more than two classes, do not use it.
    positive : label, optional
        The class of two that positive values speak for; when not given, the positive class of `mercer.train`, else the
        second of `classes_`.
    samples : int, optional
        Pairs of orders for each background row, 2 or more (2 when not given): the error falls with its square root.
    random_state : int, default 0
        Seed of what is drawn.

    Returns
    -------
    explanation : Explanation
        Contributions, base, standard errors, cells as texts.

    Raises
    ------
    MercerError
        If a row is not there, the model has several targets, or nothing is known to compare a row with.

    See Also
    --------
    mercer.counterfactual : What would change the answer.
    mercer.permutation_importance : What the columns are worth over many rows.

    Examples
    --------
    >>> import mercer
    >>> rows = {"contract": ["month", "year", "month", "year"] * 5, "tenure": [1.0, 30.0, 40.0, 5.0] * 5}
    >>> model = mercer.DecisionTreeClassifier().fit(rows, ["leaves", "stays"] * 10)
    >>> found = mercer.explain(model, rows, rows=[0], positive="leaves")
    >>> print(found.words(0))
    The probability of 'leaves' is 1.000 (base 0.500). Mostly because contract = month (+0.500).
    """
    opened = open_stored(model)
    X = readable(opened, X)
    every = model_rows(opened.model, X)
    places = row_places(rows, row_count(every))
    table = take_rows(every, places)
    if samples is not None and samples < 2:
        raise MercerError(f"samples={samples!r}: at least 2 pairs of orders are needed for a standard error.")
    given = None if background is None else model_rows(opened.model, readable(opened, background))
    found = exact_explanation(opened.model, table, given)
    rule = opened.card.decision
    if rule is not None and rule.class_weights is not None:
        found = None if found is None else _without_weights(found, rule)
    if found is None:
        if len(places) > MOST_SAMPLED:
            raise MercerError(
                f"{len(places):,} rows would take minutes: name at most {MOST_SAMPLED} with rows=[...]. "
                "For what columns are worth over all rows, see mercer.permutation_importance."
            )
        found = sampled_explanation(
            _scored(opened), table, _background(opened, given, every, random_state), samples=samples, seed=random_state
        )
    side = opened.card.positive or None if positive is None else positive
    found = found if side is None else found.spoken_for(side)
    return replace(found, row_numbers=places, date_unit=opened.card.date_unit)


def _scored(opened: StoredModel) -> Any:
    """The model, whose probabilities are those that `mercer predict` gives: without the class weights of the fit."""
    rule = opened.card.decision
    return opened.model if rule is None or rule.class_weights is None else Decided(opened.model, rule)


def _without_weights(found: Explanation, rule: DecisionRule) -> Explanation | None:
    """Log odds without the class weights of the fit, which are a constant in them; None for other units."""
    if found.unit != "log odds" or found.for_class is None or found.against_class is None:
        return None
    assert rule.class_weights is not None
    log = dict(zip(rule.classes, np.log(rule.class_weights), strict=True))
    pairs = zip(found.for_class, found.against_class, strict=True)
    return replace(found, base=found.base - np.array([log[str(a)] - log[str(b)] for a, b in pairs]))


def _background(opened: StoredModel, given: Any, every: Any, seed: int) -> Any:
    """The rows that a row is compared with."""
    if given is not None:
        return given
    made = stored_background(opened, MOST_ROWS, seed)
    if made is not None:
        return made
    if row_count(every) < 2:
        raise MercerError(
            f"{type(opened.model).__name__} is explained by comparison with other rows, and X has one alone. "
            "Give some, such as training rows: background=."
        )
    return every


def stored_background(opened: StoredModel, n: int, seed: int = 0) -> Table | None:
    """Rows made up from the column summaries of a model file; None where there are none, or texts."""
    summary, schema = getattr(opened, "summary", None), getattr(opened.model, "schema_", None)
    if summary is None or schema is None or schema.of_kind(Kind.TEXT):
        return None
    return synthetic_rows(summary, schema, n, seed)


def open_stored(model: Any) -> StoredModel:
    """The model of a file with its card; a result of `mercer.train`, or a model behind a fixed threshold, likewise."""
    if isinstance(model, StoredModel | str | Path):
        return (model if isinstance(model, StoredModel) else open_model(model)).only()
    card = Card()
    if isinstance(model, TrainResult):
        about = model.comparison.target
        model, card = model.model, Card(date_unit=about.date_unit, positive_class=about.positive or "")
    if isinstance(model, Decided):
        model, card = model.estimator, replace(card, decision=model.rule)
    elif isinstance(model, FixedThresholdClassifier) and _cuts_probabilities(model):
        inner = getattr(model, "estimator_", model.estimator)  # around a frozen model it need not be fitted
        names = [str(c) for c in inner.classes_]
        side = len(names) - 1 if model.pos_label is None else names.index(str(model.pos_label))
        model, card = inner, Card(decision=DecisionRule(tuple(names), side, float(model.threshold)))
    while isinstance(model, FrozenEstimator):
        model = model.estimator
    if isinstance(model, BaseEstimator) and is_classifier(model) and not hasattr(model, "classes_"):
        expect_fitted(model, model_name(model))
    return StoredModel(model, card)


def _cuts_probabilities(model: FixedThresholdClassifier) -> bool:
    given = isinstance(model.threshold, float | int) and model.response_method in ("auto", "predict_proba")
    return given and hasattr(getattr(model, "estimator_", model.estimator), "predict_proba")


def readable(opened: StoredModel, X: Any) -> Any:
    """X, or the table of a path under the schema of the model."""
    if isinstance(X, Path) and isinstance(opened.model, TableEstimator):
        return conform_table(X, opened.model.schema_, opened.card.missing)
    return X


def row_places(rows: int | Sequence[int] | None, n_rows: int) -> Longs:
    """Positions from 0, checked; all when none are named."""
    if rows is None:
        return np.arange(n_rows)
    found = np.atleast_1d(np.asarray(rows))
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu":
        raise MercerError(f"rows={rows!r}: name rows by their positions, whole numbers from 0.")
    outside = found[(found < -n_rows) | (found >= n_rows)]
    if len(outside):
        raise MercerError(f"There is no row {outside[0]}: the table has {n_rows:,}, from 0 to {n_rows - 1}.")
    return np.where(found < 0, found + n_rows, found).astype(np.int64)

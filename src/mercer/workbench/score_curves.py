"""Would more rows help, and which value of a parameter: scores of training and test rows with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.assessment.cross_validation import Split, cross_validate, splits_of
from mercer.evaluation.assessment.predictions import row_weights
from mercer.evaluation.assessment.score_curves import LearningCurve, ValidationCurve, fold_means, nested_rows
from mercer.evaluation.metrics import chosen_metric
from mercer.parameters import Number
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.evaluate import check_level, labels_for
from mercer.workbench.row_groups import given_groups, row_groups
from mercer.workbench.rows import assessed_model, rows_and_target

SIZES = (0.1, 0.325, 0.55, 0.775, 1.0)


@checks_arguments
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] = SIZES,
    cv: Any = 5,
    groups: Any = None,
    metric: str | None = None,
    positive: Any = None,
    level: float = 0.95,
    random_state: int = 0,
) -> LearningCurve:
    """Scores of training and test rows over the number of training rows: would more rows help?

    Every fold's training rows are put into a random order that keeps the shares of the classes; the first of them are
    learned from, all test rows are scored. Intervals are corrected resampled t (Nadeau and Bengio 2003).

    Parameters
    ----------
    estimator : estimator
        mercer's, scikit-learn's or a pipeline.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Rows.
    y : array of shape (n_rows,) or str
        Their target, or the name of the column of X that holds it.
    sizes : sequence of int or float, default (0.1, 0.325, 0.55, 0.775, 1.0)
        Training rows: whole numbers, or shares of a fold's training rows.
    cv : int, splitter or iterable, default 5
        Folds, as in `mercer.evaluate`.
    groups : array of shape (n_rows,), optional
        Rows of a group go together into folds.
    metric : str, optional
        Key of the metric; None for the area under the ROC curve of two classes, accuracy of several, R^2 of numbers.
    positive : label, optional
        The positive class of two; the rarer when None.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of the order of the rows.

    Returns
    -------
    curve : LearningCurve
        Sizes, and scores of training and test rows with intervals.

    Raises
    ------
    MercerError
        A size is more than a fold has, or the metric does not score this target.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.learning_curve(mercer.DecisionTreeClassifier(), X, y, sizes=[0.1, 1.0])
    >>> found.sizes, found.test[0].value < found.test[1].value
    ((12, 120), True)
    """
    check_level(level)
    assessed = assessed_model(estimator)
    X, y = rows_and_target(assessed, X, y)
    labels = labels_for([assessed], X, y, positive, fitted=False)
    chosen = chosen_metric(metric, labels.task, len(labels.names))
    splits = splits_of(cv, X, y, labels, groups, given_groups(groups, len(labels)))
    counts = _counts(sizes, min(len(train) for train, _ in splits))
    ordered = [(nested_rows(train, labels, random_state), test) for train, test in splits]
    means = []
    for count in counts:
        parts: list[Split] = [(train[:count], test) for train, test in ordered]
        means.append(fold_means(cross_validate(estimator, X, y, labels, parts, None), chosen, level))
    train, test = (tuple(part) for part in zip(*means, strict=True))
    return LearningCurve(assessed.name, chosen, counts, train, test, level)


@checks_arguments
def validation_curve(
    estimator: Any,
    X: Any,
    y: Any,
    parameter: str,
    values: Sequence[Any],
    *,
    cv: Any = 5,
    groups: Any = None,
    metric: str | None = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> ValidationCurve:
    """Scores of training and test rows over the values of a parameter: where does it begin to overfit?

    Parameters
    ----------
    estimator : estimator
        mercer's, scikit-learn's or a pipeline.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Rows.
    y : array of shape (n_rows,) or str
        Their target, or the name of the column of X that holds it.
    parameter : str
        As `set_params` takes it, e.g. "max_depth" or "svc__C".
    values : sequence
        Its values.
    cv : int, splitter or iterable, default 5
        Folds, as in `mercer.evaluate`.
    groups : array of shape (n_rows,), optional
        Rows of a group go together into folds; when None, copies of a row are groups.
    metric : str, optional
        Key of the metric; None for the area under the ROC curve of two classes, accuracy of several, R^2 of numbers.
    positive : label, optional
        The positive class of two; the rarer when None.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    level : float, default 0.95
        Confidence level of the intervals, by corrected resampled t.

    Returns
    -------
    curve : ValidationCurve
        Values, and scores of training and test rows with intervals.

    Raises
    ------
    MercerError
        The estimator has no such parameter, or the metric does not score this target.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.validation_curve(mercer.KNeighborsClassifier(), X, y, "n_neighbors", [1, 100])
    >>> found.train[0].value, found.best
    (1.0, 1)
    """
    check_level(level)
    assessed = assessed_model(estimator)
    known = estimator.get_params()
    if parameter not in known:
        raise MercerError(f"{assessed.name} has no parameter {parameter!r}. {did_you_mean(parameter, known)}")
    if not len(values):
        raise MercerError("values is empty: give the values to try.")
    X, y = rows_and_target(assessed, X, y)
    labels, weight = labels_for([assessed], X, y, positive, fitted=False), row_weights(sample_weight, len(y))
    chosen = chosen_metric(metric, labels.task, len(labels.names))
    splits = splits_of(cv, X, y, labels, groups, row_groups(groups, X, labels.values))
    means = []
    for value in values:
        model = clone(estimator).set_params(**{parameter: value})
        means.append(fold_means(cross_validate(model, X, y, labels, splits, weight), chosen, level))
    train, test = (tuple(part) for part in zip(*means, strict=True))
    return ValidationCurve(assessed.name, chosen, parameter, tuple(values), train, test, level)


def _counts(sizes: Sequence[float], most: int) -> tuple[int, ...]:
    """Sizes as numbers of rows, each once, in increasing order."""
    found = set()
    for size in sizes:
        if not Number().accepts(size):
            raise MercerError(f"sizes: {size!r} is no number of rows, and no share of them.")
        whole = isinstance(size, int | np.integer)
        count = int(size) if whole else round(float(size) * most)
        if not 1 < count <= most or not (whole or 0 < size <= 1):
            raise MercerError(
                f"sizes: {size!r} is not between 2 and the {most:,} training rows of a fold. Give whole numbers, or "
                "shares above 0 up to 1.0."
            )
        found.add(count)
    if not found:
        raise MercerError("sizes is empty: give the numbers of training rows to try.")
    return tuple(sorted(found))

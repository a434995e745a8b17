"""How good a model, an estimator or given predictions are, with an interval for every metric."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from mercer.errors import MercerError, did_you_mean
from mercer.evaluation.assessment.cross_validation import cross_validate, splits_of
from mercer.evaluation.assessment.evaluation import Evaluation, evaluate_folds, evaluate_predictions
from mercer.evaluation.assessment.labels import Labels, label_name, read_labels
from mercer.evaluation.assessment.predictions import given_predictions, predictions_of, row_weights
from mercer.parameters import Number
from mercer.select.costs import RowAmounts
from mercer.table import Task
from mercer.table.formats.containers import row_count
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.row_groups import given_groups, group_numbers, row_groups
from mercer.workbench.rows import Assessed, assessed_model, expect_fitted, rows_and_target


@checks_arguments
def evaluate(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    groups: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    amounts: RowAmounts | None = None,
) -> Evaluation:
    """Every metric of a model with its interval, on test rows or by cross-validation.

    Parameters
    ----------
    model : estimator, str or Path
        Fitted, or with `cv` any estimator: mercer's, scikit-learn's or a pipeline; or a `model.mercer` file, whose
        threshold is used.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Rows in any container that the model takes: test rows without `cv`, that the model was not fitted to.
    y : array of shape (n_rows,) or str, optional
        Their target, or the name of the column of X that holds it; of a model file, that column when None.
    cv : int, splitter or iterable, optional
        Folds of a cross-validation (shuffled, by class, when a number), any splitter of scikit-learn, or pairs of
        training and test rows. The model is fitted to each fold's training rows alone, and scored there too.
    groups : array of shape (n_rows,), optional
        Rows of a group are not independent, such as visits of a patient: they go together into folds, and intervals
        count groups. When None, copies of a row are groups.
    positive : label, optional
        The positive class of two; the rarer when None.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows, in scores and, with `cv`, in fits that take weights: of a pipeline, that of its last step.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of what is drawn for intervals and bands.
    amounts : mapping of str to array of shape (n_rows,), optional
        Costs of each row by name, where the model file decides by such columns and X does not hold them.

    Returns
    -------
    evaluation : Evaluation
        Scores with intervals, confusion matrix, curves with bands, calibration or residuals; with `cv` the scores
        of training rows too. It prints as a table, also in a notebook; `to_dict()` is JSON.

    Raises
    ------
    MercerError
        The rows and the target do not belong together, a label is missing, or no class of y is known to the model.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    >>> found = mercer.evaluate(model, X[1::2], y[1::2])
    >>> found["accuracy"].value > 0.9 > found["accuracy"].low
    True
    >>> mercer.evaluate(mercer.NaiveBayes(), X, y, cv=5).n_folds
    5
    """
    check_level(level)
    assessed = assessed_model(model)
    X, y = rows_and_target(assessed, X, y)
    labels, weight = labels_for([assessed], X, y, positive, fitted=cv is None), row_weights(sample_weight, len(y))
    together = row_groups(groups, X, labels.values)
    if cv is None:
        assessed.check_new(X)
        assessed = assessed.deciding(X, amounts)
        tested = replace(predictions_of(assessed.model, X, labels, weight), groups=group_numbers(together))
        found = evaluate_predictions(tested, assessed.name, level, random_state)
        return replace(found, scores=found.scores | assessed.costs(tested, level))
    splits = splits_of(cv, X, y, labels, groups, together)
    folds = cross_validate(assessed.model, X, y, labels, splits, weight, group_numbers(together))
    return evaluate_folds(folds, assessed.name, level, random_state)


@checks_arguments
def score_predictions(
    y: Any,
    predicted: Any = None,
    *,
    probabilities: Any = None,
    classes: Sequence[Any] | None = None,
    task: str | None = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    name: str = "Predictions",
    groups: Any = None,
) -> Evaluation:
    """Every metric of given predictions with its interval.

    Parameters
    ----------
    y : array of shape (n_rows,)
        The target: labels or numbers.
    predicted : array of shape (n_rows,), optional
        Labels or numbers predicted; None for the most probable class.
    probabilities : array of shape (n_rows,) or (n_rows, n_classes), optional
        Of the positive class (1 or True, or `positive`), or of each class in the order of `classes`.
    classes : sequence, optional
        Classes of the columns of `probabilities`; the sorted labels of y when None.
    task : {"classification", "regression"}, optional
        When None: probabilities, text, truth values and up to 20 different whole numbers are classes.
    positive : label, optional
        The positive class of two; the rarer when None, or with one column of probabilities 1 or True.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of what is drawn for intervals and bands.
    name : str, default "Predictions"
        What the result is called.
    groups : array of shape (n_rows,), optional
        Rows of a group are not independent, such as copies of a row: intervals count groups.

    Returns
    -------
    evaluation : Evaluation
        Scores with intervals, confusion matrix, curves with bands, calibration or residuals.

    Raises
    ------
    MercerError
        Lengths differ, a value is missing or out of range, or a class is not known.

    Examples
    --------
    >>> import mercer
    >>> found = mercer.score_predictions([1, 0, 1, 1, 0, 0], probabilities=[0.9, 0.2, 0.7, 0.4, 0.5, 0.1])
    >>> round(found["roc_auc"].value, 3), found.positive
    (0.889, '1')
    >>> print(mercer.score_predictions([1.0, 2.5, 3.0], [1.5, 2.0, 3.5]).n_rows)
    3
    """
    check_level(level)
    labels = given_labels(y, predicted, probabilities, classes, task, positive)
    weight = row_weights(sample_weight, len(labels))
    tested = given_predictions(labels, predicted, probabilities, weight, classes)
    tested = replace(tested, groups=group_numbers(given_groups(groups, len(labels))))
    return evaluate_predictions(tested, name, level, random_state)


def labels_for(models: Sequence[Assessed], X: Any, y: Any, positive: Any, *, fitted: bool) -> Labels:
    """The labels that all of these models predict."""
    tasks = {Task.CLASSIFICATION if is_classifier(m.model) else Task.REGRESSION for m in models}
    if len(tasks) > 1:
        raise MercerError("Some of the models predict classes, others numbers: they cannot be compared.")
    task = tasks.pop()
    for one in models if fitted else ():
        expect_fitted(one.model, one.name, ", or give cv=5 to fit and score it in cross-validation")
    known: dict[str, None] = {}
    if fitted and task is Task.CLASSIFICATION:
        known = {label_name(c): None for m in models for c in np.asarray(m.model.classes_).tolist()}
    labels = read_labels(y, row_count(X), task, np.array(list(known)) if known else None)
    if positive is None and len(labels.names) == 2:  # with a class that the models do not know there is none
        positive = next((m.positive for m in models if m.positive is not None), None)
    return labels.with_positive(positive)


def given_labels(
    y: Any, predicted: Any, probabilities: Any, classes: Sequence[Any] | None, task: str | None, positive: Any
) -> Labels:
    """The labels that predictions were given for."""
    if predicted is None and probabilities is None:
        raise MercerError("Give `predicted` (labels or numbers) or `probabilities`.")
    if y is None or isinstance(y, str | Mapping):
        raise MercerError(f"y={reprlib.repr(y)}: give the label or number of each row.")
    if task is not None and task not in list(Task):
        raise MercerError(f"task={task!r}. {did_you_mean(task, list(Task))}")
    chosen = None if task is None else Task(task)
    if chosen is None and probabilities is not None:
        chosen = Task.CLASSIFICATION
    if chosen is None and np.asarray(predicted).dtype.kind == "f" and (np.asarray(predicted) % 1 != 0).any():
        chosen = Task.REGRESSION
    labels = read_labels(y, len(y), chosen, None if classes is None else np.asarray(classes))
    if predicted is not None and labels.task is Task.CLASSIFICATION:
        labels = labels.including(_column_of_labels(predicted))
    single = probabilities is not None and np.ndim(probabilities) == 1
    if single and positive is None and labels.task is Task.CLASSIFICATION:
        positive = next((name for name in ("1", "True") if name in labels.names), None)
        if positive is None:
            raise MercerError(f"One probability a row: of which class? Give positive, one of {labels.names}.")
    return labels.with_positive(positive)


def _column_of_labels(predicted: Any) -> NDArray[Any]:
    """Predicted labels as an array (n_rows,)."""
    found = np.asarray(predicted)
    cells = found.tolist() if found.dtype == object else []
    if found.ndim != 1 or any(not isinstance(cell, Hashable) for cell in cells):
        raise MercerError(f"predicted={reprlib.repr(predicted)}: give one label or number a row.")
    return found


LEVEL = Number(0, 1, above=True, below=True)


def check_level(level: float) -> None:
    """Refuse a level that is not a share."""
    if not LEVEL.accepts(level):
        raise MercerError(f"level={level!r}: a confidence level lies between 0 and 1, e.g. 0.95.")

"""Models side by side on the same rows: paired differences of every metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from mercer.errors import MercerError
from mercer.evaluation.assessment.cross_validation import cross_validate, splits_of
from mercer.evaluation.assessment.paired import PairedComparison, compare_folds, compare_rows
from mercer.evaluation.assessment.predictions import Predictions, given_predictions, predictions_of, row_weights
from mercer.store import StoredModel
from mercer.workbench.arguments import checks_arguments
from mercer.workbench.evaluate import check_level, given_labels, labels_for
from mercer.workbench.labelled import LabelledRows
from mercer.workbench.prices import Prices, with_costs
from mercer.workbench.row_groups import given_groups, group_numbers, row_groups
from mercer.workbench.rows import Assessed, assessed_model, rows_and_target


@checks_arguments
def compare(
    a: Any,
    b: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = None,
    groups: Any = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    cost: Any = None,
) -> PairedComparison:
    """The difference of two models in every metric, on the same rows, with its interval and test.

    On test rows: DeLong's test for the area under the ROC curve, McNemar's for accuracy and recall, paired t for mean
    losses and errors, the infinitesimal jackknife for average precision, draws of the joint counts for balanced
    accuracy and F1; where it is known what errors cost, a paired t for the cost of a row. With `cv`: the corrected
    resampled t (Nadeau and Bengio 2003) over the same folds.

    Parameters
    ----------
    a : estimator, str or Path
        The first model: fitted, or with `cv` any estimator; or a `model.mercer` file.
    b : estimator, str or Path; or a list or dict of them
        The model or models that it is compared with; the keys of a dict are their names.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Test rows, that no model was fitted to; with `cv` all rows.
    y : array of shape (n_rows,) or str, optional
        Their target, or the name of the column of X that holds it; of a model file, that column when None.
    cv : int, splitter or iterable, optional
        Folds, the same for every model, as in `mercer.evaluate`.
    groups : array of shape (n_rows,), optional
        Rows of a group are not independent: they go together into folds, and intervals count groups. When None, copies
        of a row are groups.
    positive : label, optional
        The positive class of two; the rarer when None.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of what is drawn for intervals.
    cost : str, mapping or array, optional
        What errors cost, as in `mercer.train`; when None, what the first model file that knows it says. Without `cv`.

    Returns
    -------
    comparison : PairedComparison
        Every metric of each model, and its difference to the first. It prints as a table, also in a notebook.

    Raises
    ------
    MercerError
        The models do not predict the same kind of target, or the rows do not fit them.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.compare(mercer.NaiveBayes(), mercer.MajorityClass(), X, y, cv=5)
    >>> found.names, found.better("accuracy"), found.difference("accuracy").low > 0.4
    (('NaiveBayes', 'MajorityClass'), 'NaiveBayes', True)
    """
    check_level(level)
    models = _models(a, b)
    X, y = rows_and_target(models[0], X, y)
    labels = labels_for(models, X, y, positive, fitted=cv is None)
    weight = row_weights(sample_weight, len(y))
    names = [m.name for m in models]
    together = row_groups(groups, X, labels.values)
    numbers = group_numbers(together)
    if cv is None:
        for one in models:
            one.check_new(X)
        models = [m.deciding(X) for m in models]
        tested = [replace(predictions_of(m.model, X, labels, weight), groups=numbers) for m in models]
        found, prices = compare_rows(tested, names, level, random_state), Prices.given(cost, tested[0], X)
        return with_costs(found, tested, prices) if prices else _with_file_costs(found, tested, models)
    if cost is not None:
        raise MercerError("cost is for fitted models on test rows: leave cv out.")
    splits = splits_of(cv, X, y, labels, groups, together)
    folds = [cross_validate(m.model, X, y, labels, splits, weight, numbers) for m in models]
    return compare_folds(folds, names, level, random_state)


@checks_arguments
def compare_predictions(
    y: Any,
    a: Any,
    b: Any,
    *,
    kind: Literal["predicted", "probabilities"] = "predicted",
    classes: Sequence[Any] | None = None,
    task: Literal["classification", "regression"] | None = None,
    positive: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    random_state: int = 0,
    names: Sequence[str] = ("A", "B"),
    groups: Any = None,
    cost: Any = None,
) -> PairedComparison:
    """The difference of given predictions for the same rows in every metric, with its interval and test.

    Parameters
    ----------
    y : array of shape (n_rows,)
        The target: labels or numbers.
    a, b : array of shape (n_rows,) or (n_rows, n_classes)
        What each predicts, as `kind` says.
    kind : {"predicted", "probabilities"}, default "predicted"
        Whether these are labels or numbers, or probabilities as in `mercer.score_predictions`.
    classes : sequence, optional
        Classes of the columns of probabilities; the sorted labels of y when None.
    task : {"classification", "regression"}, optional
        As in `mercer.score_predictions`.
    positive : label, optional
        The positive class of two; the rarer when None, or with one column of probabilities 1 or True.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows.
    level : float, default 0.95
        Confidence level of the intervals.
    random_state : int, default 0
        Seed of what is drawn for intervals.
    names : sequence of str, default ("A", "B")
        What the two are called.
    groups : array of shape (n_rows,), optional
        Rows of a group are not independent, such as copies of a row: intervals count groups.
    cost : str, mapping or array, optional
        What errors cost, as in `mercer.train`, by numbers.

    Returns
    -------
    comparison : PairedComparison
        Every metric of each, and their differences.

    Raises
    ------
    MercerError
        Lengths differ, a value is missing or out of range, or a class is not known.

    Examples
    --------
    >>> import mercer
    >>> y, a, b = [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3], [0.6, 0.4, 0.3, 0.5]
    >>> mercer.compare_predictions(y, a, b, kind="probabilities").difference("roc_auc").value
    0.5
    """
    check_level(level)
    if kind not in ("predicted", "probabilities"):
        raise MercerError(f"kind={kind!r}: give 'predicted' or 'probabilities'.")
    weight = row_weights(sample_weight, len(y))
    pairs: list[tuple[Any, Any]] = [(values, None) if kind == "predicted" else (None, values) for values in (a, b)]
    labels = given_labels(y, *pairs[0], classes, task, positive)
    if kind == "predicted" and labels.names:
        labels = given_labels(y, *pairs[1], labels.names, task, positive)
    numbers = group_numbers(given_groups(groups, len(labels)))
    tested = [replace(given_predictions(labels, *pair, weight, classes), groups=numbers) for pair in pairs]
    return with_costs(compare_rows(tested, names, level, random_state), tested, Prices.given(cost, tested[0], {}))


def compare_stored(
    models: Sequence[tuple[str, StoredModel, LabelledRows]],
    *,
    positive: Any = None,
    level: float = 0.95,
) -> PairedComparison:
    """Stored models on the same rows of a table, which each of them reads by its own schema.

    Parameters
    ----------
    models : sequence of (name, StoredModel, LabelledRows)
        Models, and the rows as `labelled_rows` reads them for each.
    positive : label, optional
        The positive class of two; the rarer when None.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    PairedComparison
        The first against each of the others.
    """
    check_level(level)
    rows = [part for _, _, part in models]
    assessed = []
    for name, stored, part in models:
        one = replace(assessed_model(stored), name=name)
        one.check_new(part.table)
        assessed.append(one.deciding(part.table, part.amounts))
    labels = labels_for(assessed, rows[0].table, rows[0].target, positive, fitted=True)
    groups = group_numbers(rows[0].groups or row_groups(None, rows[0].table, labels.values))
    pairs = zip(assessed, rows, strict=True)
    tested = [replace(predictions_of(m.model, p.table, labels, rows[0].weight), groups=groups) for m, p in pairs]
    return _with_file_costs(compare_rows(tested, [m.name for m in assessed], level, 0), tested, assessed)


def _with_file_costs(
    found: PairedComparison, tested: Sequence[Predictions], models: Sequence[Assessed]
) -> PairedComparison:
    """With the costs of the first model file that holds them, which is named where another holds other ones."""
    known = [(m.name, prices) for m in models if (prices := Prices.of_model(m.model)) is not None]
    if not known:
        return found
    name, prices = known[0]
    alike = len(known) == len(models) and all(p.matrix.alike(prices.matrix) for _, p in known)
    return with_costs(found, tested, prices, "" if alike else name)


def _models(a: Any, b: Any) -> list[Assessed]:
    """The models under names that differ."""
    if isinstance(b, Mapping):
        others = [replace(m, name=str(name)) for name, m in _assessed(b)]
    else:
        others = [assessed_model(m) for m in (b if isinstance(b, list | tuple) else [b])]
    if not others:
        raise MercerError("There is no model to compare with: b is empty.")
    models = [assessed_model(a), *others]
    if len({m.name for m in models}) == len(models):
        return models
    return [replace(m, name=f"{m.name} {i}") for i, m in enumerate(models, 1)]


def _assessed(models: Mapping[Any, Any]) -> list[tuple[Any, Assessed]]:
    return [(name, assessed_model(model)) for name, model in models.items()]

"""k nearest neighbours for classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints
from mercer.distances import Neighbours
from mercer.distances.search import Algorithm
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget, MercerError
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import stack_labels
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.neighbours.choose_k import KPredictions, score_curve
from mercer.estimators.neighbours.metric import MetricLike
from mercer.estimators.neighbours.model import (
    NEIGHBOUR_DOCS,
    NEIGHBOUR_PARAMETERS,
    NeighbourModel,
    NeighbourWeights,
)
from mercer.estimators.neighbours.votes import VOTE_NAMES, LabelColumn, NeighbourExplanation, joint_codes, label_columns
from mercer.parameters import Either, ListOf, Parameters, Text, Unstored, check_parameters
from mercer.select.grid import Scoring
from mercer.state import Reader, State
from mercer.table.missingness import MissingIndicator
from mercer.table.target import one_column, target_columns


@shares_docs(**NEIGHBOUR_DOCS)
class KNeighborsClassifier(TableClassifier, NeighbourModel):
    """P(c | x) = share of class c among the votes of the k rows nearest to x.

    How missing cells compare is up to the distance. Equal distances go to the row that came first, equal votes to the
    class that comes first in `classes_`. The model keeps the training rows. Several targets, the columns of y, are
    predicted from one search; "cv" then scores their mean.

    Parameters
    ----------
    {n_neighbors}
    {weights}
    {algorithm}
    {leaf_size}
    {p}
    {metric}
    {metric_params}
    {n_jobs}
    class_weight : dict, "balanced", None, or list of these, default None
        Factor on the votes of each class; "balanced" makes the classes weigh alike in sum. A list has one for each of
        several targets.
    {max_neighbors}
    {cv}
    scoring : str, callable or None, default None
        What "cv" compares numbers of neighbours by: a scorer of scikit-learn by name, or a function of (estimator, X,
        y) such as `make_scorer` makes; None for accuracy. For one target.
    {words}
    {kinds}
    {missing_indicator}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,), or list of ndarray
        The classes in increasing order; for several targets a list, one for each.
    {outputs_2d_}
    {n_neighbors_}
    {weights_}
    {curve_}
    {recall_}
    {distance_}
    {rows_}
    labels_ : list of LabelColumn
        For each target the classes of the rows of `rows_`.
    {effective_metric_}
    {effective_metric_params_}
    {n_samples_fit_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"height": [150.0, 160.0, 185.0, 190.0], "sport": ["swim", "swim", None, "row"]}
    >>> model = mercer.KNeighborsClassifier(3).fit(rows, ["a", "a", "b", "b"])
    >>> model.predict_proba({"height": [187.0], "sport": ["row"]}).round(2)
    array([[0.33, 0.67]])
    >>> both = mercer.KNeighborsClassifier(1).fit(rows, [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]])
    >>> both.predict({"height": [151.0], "sport": ["swim"]}).tolist()
    [['a', 'x']]
    """

    parameters: ClassVar[Parameters] = {
        **NEIGHBOUR_PARAMETERS,
        "class_weight": Either(CLASS_WEIGHT, ListOf(CLASS_WEIGHT)),
        "scoring": Either(Text(optional=True), Unstored("a function of (estimator, X, y)", callable)),
    }
    classes_: Any

    def __init__(
        self,
        n_neighbors: int | Literal["cv"] = 5,
        *,
        weights: NeighbourWeights = "uniform",
        algorithm: Algorithm = "auto",
        leaf_size: int = 30,
        p: float | None = 2,
        metric: MetricLike = "minkowski",
        metric_params: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        class_weight: ClassWeight | Sequence[ClassWeight] = None,
        max_neighbors: int = 100,
        cv: Any = "loo",
        scoring: Scoring = None,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.scoring = scoring
        self.words = words
        self.kinds = kinds
        self.missing_indicator = missing_indicator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows and, with "cv", choose k.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The class of each row: texts, numbers or truth values; a column for each of several targets.
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        weight = row_counts(self._weights(sample_weight, len(table)))
        labels = label_columns(y, len(table), self.class_weight, weight)
        rows = self._fit_rows(table, [column.codes for column in labels], weight, joint_codes(labels))
        self._set_labels([column.take(rows.kept) for column in labels])

        binary = all(len(column.classes) == 2 for column in self.labels_)
        curve = self._accuracy if self.scoring is None else self._scores
        self._choose_k(joint_codes(self.labels_), curve, classes=True, odd=binary)
        return self

    def _accuracy(self, found: Neighbours) -> Floats:
        """Of 1, 2, ... neighbours for votes 1, 1/d, 1/d^2, (3, k); the mean over several targets."""
        weight = self.rows_.weight
        mean: Floats = np.mean([c.accuracy(found, weight, self._jobs) for c in self.labels_], axis=0)
        return mean

    def _scores(self, found: Neighbours) -> Floats:
        """The same by `scoring`."""
        if len(self.labels_) > 1:
            raise MercerError(f"scoring={self.scoring!r} compares one target, but y has {len(self.labels_)} columns.")
        column = self.labels_[0]
        classes = column.classes if column.classes.dtype.kind in "biuf" else np.arange(len(column.classes))

        def predict(row: Ints, votes: Floats) -> KPredictions:
            shares = column.shares(row, votes)
            return KPredictions(classes[shares.argmax(axis=1)], shares, classes)

        names = tuple(name for name in VOTE_NAMES if (self.weights or "uniform") in ("cv", name))
        odd = len(classes) == 2 and self.n_neighbors == "cv"
        return score_curve(predict, found, classes[column.codes], self.rows_.weight, self.scoring, names, odd)

    def _set_labels(self, labels: list[LabelColumn]) -> None:
        self.labels_, self.outputs_2d_ = labels, len(labels) > 1
        self.classes_ = [c.classes for c in labels] if self.outputs_2d_ else labels[0].classes

    @shares_docs(**NEIGHBOUR_DOCS)
    def predict(self, X: Any = None) -> NDArray[Any]:
        """The class with most votes.

        Parameters
        ----------
        {X_or_None}

        Returns
        -------
        classes : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The class predicted for each row, of the type of the labels.
        """
        shares = self._shares(X)
        predicted = [c.classes[s.argmax(axis=1)] for c, s in zip(self.labels_, shares, strict=True)]
        return stack_labels(predicted) if self.outputs_2d_ else predicted[0]

    @shares_docs(**NEIGHBOUR_DOCS)
    def predict_proba(self, X: Any = None) -> Any:
        """Share of each class in the votes.

        Parameters
        ----------
        {X_or_None}

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes), or list of ndarray
            The share of each class, columns in the order of `classes_`; for several targets a list, one for each.
        """
        shares = self._shares(X)
        return shares if self.outputs_2d_ else shares[0]

    def _shares(self, X: Any) -> list[Floats]:
        found, votes = self._votes(self._queries(X))
        return [column.shares(found.row, votes) for column in self.labels_]

    @shares_docs()
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows that are classified correctly; of several targets, in all of them.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The true classes.
        {sample_weight}

        Returns
        -------
        accuracy : float
            From 0 to 1.
        """
        check_is_fitted(self)
        if not self.outputs_2d_:
            return float(super().score(X, y, sample_weight))
        predicted = self.predict(X)
        truth = target_columns(y, len(predicted)) or [y]
        if len(truth) != predicted.shape[1]:
            raise BadTarget(f"The model predicts {predicted.shape[1]} targets, but y has {len(truth)}.")
        correct = [one_column(t, len(predicted)) == p for t, p in zip(truth, predicted.T, strict=True)]
        return float(np.average(np.all(correct, axis=0), weights=self._weights(sample_weight, len(predicted))))

    @shares_docs(**NEIGHBOUR_DOCS)
    def explain(self, X: Any) -> list[NeighbourExplanation]:
        """The neighbours of each row, with their votes and classes.

        Parameters
        ----------
        {X}

        Returns
        -------
        {explanations}
        """
        check_is_fitted(self)
        labels = [column.classes[column.codes] for column in self.labels_]
        return self._explain(X, stack_labels(labels) if self.outputs_2d_ else labels[0])

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {"labels": [column.to_state() for column in self.labels_]}

    def _restore_fitted(self, state: Reader) -> None:
        super()._restore_fitted(state)
        labels = [LabelColumn.from_state(child, len(self.rows_)) for child in state.children("labels")]
        if not labels:
            raise state.refuse("labels", "at least one column")
        self._set_labels(labels)

"""k nearest neighbours on mixed tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._core.neighbours import mean_curve
from mercer.arrays import Floats
from mercer.distances import Distance, Neighbours
from mercer.distances.pairwise.function import Pairwise
from mercer.errors import BadTarget, MercerError
from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.neighbours.label_column import ClassWeight, LabelColumn, combined, side_by_side
from mercer.estimators.neighbours.model import NeighbourModel, NeighbourPath, Vote
from mercer.state import Reader, State
from mercer.table.target import one_column, target_columns

Metric: TypeAlias = str | Distance | Callable[..., float] | Pairwise


class KNeighborsClassifier(TableClassifier, NeighbourModel):
    """P(c | x) = share of class c among the votes of the k rows nearest to x.

    Missing cells are the distance's business, on either side. Equal distances go to the row that came first, equal
    votes to the class that comes first in `classes_`. The model keeps the training rows. Several targets, the columns
    of y, are answered from one search; "cv" then scores their mean.

    Parameters
    ----------
    n_neighbors : k, or "cv": every k up to `max_neighbors` is scored from one search, odd ones for two classes
    weights : votes: "uniform", "distance" (1/d), "distance2" (1/d^2), a callable of distances (n, k), or "cv"
    algorithm : "brute" measures every row; "kd_tree" (SciPy's) is exact too, for few numeric columns without missing
        cells; "auto" takes it for up to four columns and from 2,000 rows; "hnsw" is approximate, for a million rows
        and more, by distances that order rows as Euclid's or the cosine do (pip install mercer[ann])
    leaf_size : rows in a leaf of the kd-tree, at most; the answers do not depend on it
    metric : "auto" (Minkowski's for numbers alone, HEOM for mixed tables), a name ("euclidean", "manhattan", "cosine",
        "hamming", "gower", "heom", "hvdm", "haversine", ...), a Distance, a function of two rows of numbers, an object
        with `pairwise` (scikit-learn's DistanceMetric), or "precomputed": X holds distances to the training rows, all
        of them or, in a sparse matrix, those to the nearest (as `kneighbors_graph` gives)
    p : power of Minkowski's distance
    metric_params : parameters of the named distance ({"w": [1, 2]}, {"scale": "std"}), or arguments of the function
    class_weight : None, "balanced", or class -> factor on its votes; a list of these for several targets
    max_neighbors : largest k that "cv" tries
    cv : "loo" (leave one out) or a number of folds
    words : how many of the commonest words of a text column are counted
    kinds : column -> kind, overriding what is inferred from a data frame
    n_jobs : threads; None for all. Results do not depend on it.

    Attributes
    ----------
    n_neighbors_, weights_ : as given, or as chosen
    curve_ : the score of every k, when it was chosen
    recall_ : share of the nearest rows that the search finds: 1 when exact, measured on 200 rows for "hnsw"
    classes_ : labels in order; a list of them, one for each target, when there are several (`outputs_2d_`)
    schema_, distance_, n_samples_fit_

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

    classes_: Any

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: Vote = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Metric = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        class_weight: ClassWeight | Sequence[ClassWeight] = None,
        max_neighbors: int = 100,
        cv: int | str = "loo",
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.class_weight = class_weight
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.classifier_tags.multi_label = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows; a row of weight w counts as w rows. y : labels, (n_rows,) or (n_rows, n_targets)."""
        table = self._fit_table(X)
        n = len(table)
        columns = target_columns(y, n) or [y]
        self.outputs_2d_ = len(columns) > 1
        columns = columns if self.outputs_2d_ else [y]  # one column of an array is flattened, with a warning
        factors = self._class_weights(len(columns))
        labels = [LabelColumn.learn(c, n, w) for c, w in zip(columns, factors, strict=True)]
        self._fit_rows(table, combined(labels), self._weights(sample_weight, n))
        self._set_labels([c.take(self.kept_) for c in labels])

        def score(found: Neighbours) -> Floats:
            right: Floats = np.mean([c.right(found, self.weight_, self._jobs) for c in self.labels_], axis=0)
            return right

        classes = combined(self.labels_)
        folds = self._folds(classes, True) if "cv" in (self.n_neighbors, self.weights) else classes
        self._choose(folds, score, odd=all(len(c.classes) == 2 for c in self.labels_), lowest=False)
        self._prepare_search()
        return self

    def _class_weights(self, n_targets: int) -> Sequence[ClassWeight]:
        """`class_weight` for each target."""
        given: Any = self.class_weight
        if isinstance(given, list | tuple):
            if len(given) != n_targets:
                raise MercerError(f"class_weight has {len(given)} entries for {n_targets} targets. Give one for each.")
            return given
        if isinstance(given, Mapping) and n_targets > 1:
            raise MercerError(f"class_weight={given!r} is for one target of {n_targets}. Give a list, one for each.")
        return [given] * n_targets

    def _set_labels(self, labels: list[LabelColumn]) -> None:
        self.labels_ = labels
        self.classes_ = [c.classes for c in labels] if self.outputs_2d_ else labels[0].classes

    def predict(self, X: Any = None) -> NDArray[Any]:
        """The class with most votes, (n_rows,) or (n_rows, n_targets).

        None asks about each training row, answered by the others (leave one out).
        """
        shares = self._shares(X)
        said = [c.classes[s.argmax(axis=1)] for c, s in zip(self.labels_, shares, strict=True)]
        return side_by_side(said) if self.outputs_2d_ else said[0]

    def predict_proba(self, X: Any = None) -> Any:
        """Share of each class in the votes, (n_rows, n_classes), a list of them for several targets; X as above."""
        shares = self._shares(X)
        return shares if self.outputs_2d_ else shares[0]

    def _shares(self, X: Any) -> list[Floats]:
        check_is_fitted(self)
        found, votes = self._votes(self._query(X))
        return [c.shares(found.row, votes) for c in self.labels_]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows whose label is right; of several targets, all of them."""
        check_is_fitted(self)
        if not self.outputs_2d_:
            return float(super().score(X, y, sample_weight))
        said = self.predict(X)
        truth = target_columns(y, len(said)) or [y]
        if len(truth) != said.shape[1]:
            raise BadTarget(f"The model predicts {said.shape[1]} targets, but y has {len(truth)}.")
        right = [one_column(t, len(said)) == s for t, s in zip(truth, said.T, strict=True)]
        return float(np.average(np.all(right, axis=0), weights=self._weights(sample_weight, len(said))))

    def explain(self, X: Any) -> list[NeighbourPath]:
        """For each row its neighbours: row number, distance, vote, class, and what each column adds to the distance."""
        check_is_fitted(self)
        labels = [c.classes[c.codes] for c in self.labels_]
        return self.explain_with(X, side_by_side(labels) if self.outputs_2d_ else labels[0])

    def to_state(self) -> State:
        return self._rows_state() | {"labels": [c.to_state() for c in self.labels_]}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        n = model._restore_rows(state)
        labels = [LabelColumn.from_state(child, n) for child in state.children("labels")]
        if not labels:
            raise state.refuse("labels", "at least one column")
        model.outputs_2d_ = len(labels) > 1
        model._set_labels(labels)
        if model.outputs_2d_ and any(c.factor is not None for c in labels):
            model.class_weight = [c.class_weight for c in labels]
        state.finish()
        return model


class KNeighborsRegressor(TableRegressor, NeighbourModel):
    """f(x) = mean of the targets of the k rows nearest to x, weighted by their votes.

    Parameters and attributes as for KNeighborsClassifier; "cv" minimises the squared error.

    Examples
    --------
    >>> import mercer
    >>> mercer.KNeighborsRegressor(2).fit([[0.0], [1.0], [2.0], [10.0]], [0.0, 1.0, 2.0, 10.0]).predict([[1.6]])
    array([1.5])
    """

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: Vote = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        metric: Metric = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        max_neighbors: int = 100,
        cv: int | str = "loo",
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows; a row of weight w counts as w rows. y : numbers, (n_rows,) or (n_rows, n_targets)."""
        table = self._fit_table(X)
        columns = target_columns(y, len(table))
        self.outputs_2d_ = columns is not None
        target = np.column_stack([self._fit_target(c, len(table)) for c in ([y] if columns is None else columns)])
        self._fit_rows(table, None, self._weights(sample_weight, len(table)))
        self.targets_ = [np.ascontiguousarray(column) for column in target[self.kept_].T]

        folds = np.zeros(0, np.int32)
        if "cv" in (self.n_neighbors, self.weights):
            folds = self._folds(self.targets_[0], False)
        self._choose(folds, self._errors, odd=False, lowest=True)
        self._prepare_search()
        return self

    def _errors(self, found: Neighbours) -> Floats:
        """Squared error of 1, 2, ... neighbours, for votes 1, 1/d, 1/d^2; of several targets the mean, each in units
        of its variance."""
        mass = len(self.cells_) if self.weight_ is None else self.weight_.sum()
        losses = []
        for y in self.targets_:
            loss = mean_curve(found.row, found.distance, y, None, y, self.weight_, self._jobs) / mass
            spread = np.var(y) if self.outputs_2d_ else 1.0
            losses.append(loss / (spread if spread > 0 else 1.0))
        mean: Floats = np.mean(losses, axis=0)
        return mean

    def predict(self, X: Any = None) -> Floats:
        """The weighted mean of the neighbours' targets, (n_rows,), or (n_rows, n_targets) when y had columns.

        None asks about each training row, answered by the others.
        """
        check_is_fitted(self)
        found, votes = self._votes(self._query(X))
        total = votes.sum(axis=1)
        return self._as_given([(votes * y[found.row]).sum(axis=1) / total for y in self.targets_])

    def _as_given(self, columns: list[Floats]) -> Floats:
        """A value per row, or a row of them when y had columns."""
        return np.column_stack(columns) if self.outputs_2d_ else columns[0]

    def explain(self, X: Any) -> list[NeighbourPath]:
        """For each row its neighbours: row number, distance, vote, target, and what each column adds."""
        check_is_fitted(self)
        return self.explain_with(X, self._as_given(self.targets_))

    def to_state(self) -> State:
        return self._rows_state() | {"target": np.column_stack(self.targets_), "outputs_2d": self.outputs_2d_}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        target = state.array("target", "float64", (model._restore_rows(state), None))
        model.outputs_2d_ = state.flag("outputs_2d")
        if target.shape[1] < 1 or (target.shape[1] > 1 and not model.outputs_2d_):
            raise state.refuse("target", "a column for each target")
        model.targets_ = [np.ascontiguousarray(column) for column in target.T]
        state.finish()
        return model

"""k nearest neighbours on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from mercer._core.neighbours import mean_curve, vote_curve
from mercer.distances import Distance, Neighbours
from mercer.errors import MercerError
from mercer.estimators.base import TableClassifier, TableRegressor
from mercer.estimators.labels import labels_from_state, labels_state
from mercer.estimators.neighbour_model import Floats, NeighbourModel, NeighbourPath, Vote
from mercer.state import Reader, State


class KNeighborsClassifier(TableClassifier, NeighbourModel):
    """P(c | x) = share of class c among the votes of the k rows nearest to x.

    Missing cells are the distance's business, on either side. Equal distances go to the row that came first, equal
    votes to the class that comes first in `classes_`. The model keeps the training rows.

    Parameters
    ----------
    n_neighbors : k, or "cv": every k up to `max_neighbors` is scored from one search, odd ones for two classes
    weights : votes: "uniform", "distance" (1/d), "distance2" (1/d^2), a callable of distances (n, k), or "cv"
    algorithm : "brute" measures every row; "kd_tree" (SciPy's) is exact too, for few numeric columns without missing
        cells; "auto" takes it for up to four columns and from 2,000 rows; "hnsw" is approximate, for a million rows
        and more, by distances that order rows as Euclid's or the cosine do (pip install mercer[ann])
    metric : "auto" (Minkowski's for numbers alone, HEOM for mixed tables), a name ("euclidean", "manhattan", "cosine",
        "hamming", "gower", "heom", "hvdm", ...), a Distance, or "precomputed": X holds distances to the training rows
    p : power of Minkowski's distance
    class_weight : None, "balanced", or class -> factor on its votes
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
    classes_, schema_, distance_, n_samples_fit_

    Examples
    --------
    >>> import mercer
    >>> rows = {"height": [150.0, 160.0, 185.0, 190.0], "sport": ["swim", "swim", None, "row"]}
    >>> model = mercer.KNeighborsClassifier(3).fit(rows, ["a", "a", "b", "b"])
    >>> model.predict_proba({"height": [187.0], "sport": ["row"]}).round(2)
    array([[0.33, 0.67]])
    """

    def __init__(
        self,
        n_neighbors: int | str = 5,
        *,
        weights: Vote = "uniform",
        algorithm: str = "auto",
        metric: str | Distance = "auto",
        p: float = 2,
        class_weight: str | Mapping[Any, float] | None = None,
        max_neighbors: int = 100,
        cv: int | str = "loo",
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.metric = metric
        self.p = p
        self.class_weight = class_weight
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows; a row of weight w counts as w rows."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        self._fit_rows(table, codes, self._weights(sample_weight, len(table)))
        self.class_factor_ = None
        if self.class_weight is not None:
            self.class_factor_ = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
            if not (np.isfinite(self.class_factor_).all() and (self.class_factor_ >= 0).all()):
                raise MercerError(f"class_weight={self.class_weight!r}: factors must be numbers of at least 0.")
        self.codes_ = codes[self.kept_]
        factor = None if self.class_factor_ is None else self.class_factor_[self.codes_]

        def score(found: Neighbours) -> Floats:
            right = vote_curve(
                found.row,
                found.distance,
                self.codes_,
                factor,
                self.codes_,
                self.weight_,
                len(self.classes_),
                self._jobs,
            )
            return right / (len(self.codes_) if self.weight_ is None else self.weight_.sum())

        folds = self._folds(self.codes_, True) if "cv" in (self.n_neighbors, self.weights) else self.codes_
        self._choose(folds, score, odd=len(self.classes_) == 2, lowest=False)
        self._prepare_search()
        return self

    def predict(self, X: Any = None) -> NDArray[Any]:
        """The class with most votes; None asks about each training row, answered by the others (leave one out)."""
        return super().predict(X)

    def predict_proba(self, X: Any = None) -> Floats:
        """Share of each class in the votes, (n_rows, n_classes); X as for `predict`."""
        check_is_fitted(self)
        found, votes = self._votes(self._query(X))
        label = self.codes_[found.row]
        if self.class_factor_ is not None:
            votes = votes * self.class_factor_[label]
        sums = np.zeros((len(votes), len(self.classes_)))
        np.add.at(sums, (np.arange(len(votes))[:, None], label), votes)
        total = sums.sum(axis=1, keepdims=True)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1.0 / len(self.classes_))

    def explain(self, X: Any) -> list[NeighbourPath]:
        """For each row its neighbours: row number, distance, vote, class, and what each column adds to the distance."""
        check_is_fitted(self)
        return self.explain_with(X, self.classes_[self.codes_])

    def to_state(self) -> State:
        factor = {} if self.class_factor_ is None else {"class_factor": self.class_factor_}
        return self._rows_state() | {"classes": labels_state(self.classes_), "labels": self.codes_, **factor}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        n = model._restore_rows(state)
        model.classes_ = labels_from_state(state.child("classes"))
        size = len(model.classes_)
        model.codes_ = state.array("labels", "int32", (n,), low=0, high=size - 1)
        given = state.has("class_factor")
        model.class_factor_ = state.array("class_factor", "float64", (size,), low=0.0) if given else None
        if model.class_factor_ is not None:
            model.class_weight = dict(zip(model.classes_.tolist(), model.class_factor_.tolist(), strict=True))
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
        metric: str | Distance = "auto",
        p: float = 2,
        max_neighbors: int = 100,
        cv: int | str = "loo",
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.metric = metric
        self.p = p
        self.max_neighbors = max_neighbors
        self.cv = cv
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows; a row of weight w counts as w rows."""
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        self._fit_rows(table, None, self._weights(sample_weight, len(table)))
        self.target_ = np.ascontiguousarray(target[self.kept_])

        def score(found: Neighbours) -> Floats:
            loss = mean_curve(found.row, found.distance, self.target_, None, self.target_, self.weight_, self._jobs)
            return loss / (len(self.target_) if self.weight_ is None else self.weight_.sum())

        folds = self._folds(self.target_, False) if "cv" in (self.n_neighbors, self.weights) else np.zeros(0, np.int32)
        self._choose(folds, score, odd=False, lowest=True)
        self._prepare_search()
        return self

    def predict(self, X: Any = None) -> Floats:
        """The weighted mean of the neighbours' targets; None asks about each training row, answered by the others."""
        check_is_fitted(self)
        found, votes = self._votes(self._query(X))
        return (votes * self.target_[found.row]).sum(axis=1) / votes.sum(axis=1)

    def explain(self, X: Any) -> list[NeighbourPath]:
        """For each row its neighbours: row number, distance, vote, target, and what each column adds."""
        check_is_fitted(self)
        return self.explain_with(X, self.target_)

    def to_state(self) -> State:
        return self._rows_state() | {"target": self.target_}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model.target_ = state.array("target", "float64", (model._restore_rows(state),))
        state.finish()
        return model

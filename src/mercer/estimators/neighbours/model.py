"""What neighbour classifiers and regressors share: the distance, the search, votes, and choosing k from one search."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints
from mercer.distances import (
    ALGORITHMS,
    Distance,
    Neighbours,
    PrecomputedDistance,
    Search,
    SumDistance,
    as_distance,
    make_search,
)
from mercer.distances.mixture import Cells
from mercer.distances.search import GraphSearch
from mercer.encode import BagOfWords
from mercer.errors import BadFile, BadTable, MercerError
from mercer.estimators.common.pairwise_input import MatrixInput
from mercer.state import Reader, State
from mercer.table import Kind, Table
from mercer.table.parameters import parameters_state, read_parameters

Vote: TypeAlias = str | Callable[[Floats], Floats]

VOTES = ("uniform", "distance", "distance2")


@dataclass(frozen=True)
class KCurve:
    """The score of every k from 1 to len(k), per vote: accuracy of classes, or mean squared error of numbers."""

    k: NDArray[np.int64]
    scores: dict[str, Floats]
    folds: int  # 0: leave one out


@dataclass(frozen=True)
class NeighbourPath:
    """Why one row was answered so: its neighbours, their distances and votes, and what each column adds."""

    rows: Ints
    distances: Floats
    votes: Floats
    targets: NDArray[Any]
    columns: tuple[str, ...]
    terms: Floats  # (k, n_columns); empty for distances that are not sums over columns


class NeighbourModel(MatrixInput):
    """Keeps the training rows; answers from the nearest."""

    _takes_graphs = True
    distance_: Distance
    cells_: Any
    n_neighbors_: int
    weights_: Vote
    curve_: KCurve | None
    search_: Search | None = None  # None: every row is measured

    def _fit_rows(self, table: Table, classes: Ints | None, weight: Floats | None) -> Table:
        """Fit the distance and keep the rows that count; returns them, texts as counts of words."""
        self._check_options()
        self.words_ = None
        if table.schema.of_kind(Kind.TEXT):
            self.words_ = BagOfWords(self.words)
            table = self.words_.fit_transform(table)
        kept = np.arange(len(table)) if weight is None else np.flatnonzero(weight > 0)
        self.n_samples_fit_ = len(table)
        if len(kept) < len(table):
            table, classes = table.take(kept), None if classes is None else classes[kept]
            table = table.select([table.schema.names[i] for i in kept]) if self._given else table
        self.distance_ = self._distance(table).fit(table, classes)
        self.cells_ = self.distance_.cells(table)
        self.weight_ = None if weight is None else weight[kept]
        self.kept_ = kept
        return table

    @property
    def _given(self) -> bool:
        return isinstance(self.metric, PrecomputedDistance) or (
            isinstance(self.metric, str) and self.metric == "precomputed"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self._given
        return tags

    def _distance(self, table: Table) -> Distance:
        params = getattr(self, "metric_params", None)
        if self._given:
            if params:
                raise MercerError("metric_params: distances measured beforehand have no parameters. Leave it out.")
            return PrecomputedDistance()
        metric = self.metric
        if isinstance(metric, str) and metric == "auto":
            plain = len(table.schema.of_kind(Kind.NUMERIC)) == len(table.schema)
            metric = "minkowski" if plain else "heom"
        if params and "p" in params and metric == "minkowski":
            warnings.warn(f"p of metric_params counts, and p={self.p!r} does not.", SyntaxWarning, stacklevel=4)
        return clone(as_distance(metric, p=getattr(self, "p", 2.0), params=params))

    def _check_options(self) -> None:
        if not is_count(self.n_neighbors) and not (isinstance(self.n_neighbors, str) and self.n_neighbors == "cv"):
            raise MercerError(f"n_neighbors={self.n_neighbors!r} must be a whole number of at least 1, or 'cv'.")
        if not callable(self.weights) and self.weights not in (*VOTES, "cv", None):
            raise MercerError(f"weights={self.weights!r} is not one of {', '.join(VOTES)}, 'cv', or a callable.")
        if not is_count(self.max_neighbors):
            raise MercerError(f"max_neighbors={self.max_neighbors!r} must be a whole number of at least 1.")
        if not is_count(self.leaf_size):
            raise MercerError(f"leaf_size={self.leaf_size!r} must be a whole number of at least 1.")
        if self.algorithm not in ALGORITHMS:
            raise MercerError(f"algorithm={self.algorithm!r} is not one of {', '.join(ALGORITHMS)}.")

    def _choose(self, folds: Ints, score: Callable[[Neighbours], Floats], *, odd: bool, lowest: bool) -> None:
        """Set `n_neighbors_` and `weights_`, from one search when either is "cv"."""
        self.curve_ = None
        self.n_neighbors_, self.weights_ = self.n_neighbors, self.weights or "uniform"
        if self.n_neighbors != "cv" and self.weights != "cv":
            return
        n = len(self.cells_)
        largest = int(n - np.bincount(folds).max())
        most = min(self.max_neighbors if self.n_neighbors == "cv" else int(self.n_neighbors), largest)
        if most < 1:
            raise BadTable("Choosing k needs at least two rows.")
        found = self.distance_.nearest(self.cells_, self.cells_, most, groups=(folds, folds), n_jobs=self._jobs)
        scores = score(found)
        ways = list(VOTES) if self.weights == "cv" else [w for w in VOTES if w == self.weights_]
        if not ways:
            raise MercerError(
                "n_neighbors='cv' scores the votes it knows. Use weights 'uniform', 'distance', 'distance2' or 'cv'."
            )
        allowed = np.arange(1, most + 1) if self.n_neighbors == "cv" else np.array([most])
        if odd and self.n_neighbors == "cv":
            allowed = allowed[allowed % 2 == 1]
        table = np.array([scores[VOTES.index(w)][allowed - 1] for w in ways]) * (-1.0 if lowest else 1.0)
        way, place = np.unravel_index(int(np.argmax(table)), table.shape)
        self.n_neighbors_, self.weights_ = int(allowed[place]), ways[int(way)]
        curve = {w: scores[VOTES.index(w)] for w in ways}
        self.curve_ = KCurve(np.arange(1, most + 1), curve, 0 if self.cv == "loo" else int(self.cv))

    def _prepare_search(self) -> None:
        """Build what `algorithm` needs; `recall_` is the share of the nearest rows that it finds, 1 when exact."""
        self.search_ = self._make_search()
        self.recall_ = 1.0
        if isinstance(self.search_, GraphSearch):
            self.recall_ = self.search_.recall(self.n_neighbors_, n_jobs=self._jobs)

    def _make_search(self) -> Search | None:
        return make_search(self.algorithm, self.distance_, self.cells_, self.n_neighbors_, int(self.leaf_size))

    def _folds(self, target: NDArray[Any], classes: bool) -> Ints:
        """The fold of each row; leave one out makes every row its own."""
        n = len(target)
        if self.cv == "loo":
            return np.arange(n, dtype=np.int32)
        if not isinstance(self.cv, int) or not 2 <= self.cv <= n:
            raise MercerError(f"cv={self.cv!r} must be 'loo' or a number of folds from 2 to the {n} rows.")
        stratify = classes and np.bincount(target).min() >= self.cv
        split = StratifiedKFold(self.cv) if stratify else KFold(self.cv)
        folds = np.zeros(n, np.int32)
        for number, (_, test) in enumerate(split.split(np.zeros(n), target)):
            folds[test] = number
        return folds

    def _query(self, X: Any) -> Any:
        """The rows asked about as the distance wants them; None stays None, for the training rows themselves."""
        if X is None:
            if len(self.kept_) < self.n_samples_fit_:
                raise MercerError("Rows of weight 0 were not kept: say which rows are asked about.")
            return None
        return self.distance_.cells(self._query_table(X))

    def _query_table(self, X: Any) -> Table:
        """The rows asked about, texts as counts of words."""
        table = self._predict_table(X)
        return table if self.words_ is None else self.words_.transform(table)

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Distances and training row numbers of the nearest rows, each (n_rows, k), ties by row number.

        X : a table; None for the training rows, none of which is its own neighbour
        """
        check_is_fitted(self)
        k = self.n_neighbors_ if n_neighbors is None else n_neighbors
        found = self._search(self._query(X), k)
        rows = self.kept_[found.row]
        return (found.distance, rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity") -> Any:
        """(n_rows, n_training_rows), sparse: 1 for a neighbour ("connectivity"), or its distance ("distance")."""
        if mode not in ("connectivity", "distance"):
            raise MercerError(f'Unsupported mode {mode!r}: "connectivity" or "distance".')
        distance, rows = self.kneighbors(X, n_neighbors)
        values = np.ones_like(distance) if mode == "connectivity" else distance
        ends = np.arange(len(rows) + 1) * rows.shape[1]
        return sp.csr_matrix((values.ravel(), rows.ravel(), ends), shape=(len(rows), self.n_samples_fit_))

    def _search(self, queries: Any, k: int) -> Neighbours:
        """The k nearest rows of each query; of each training row but itself when queries is None."""
        n = len(self.cells_)
        if queries is None and is_count(k) and k < n:
            own = np.arange(n, dtype=np.int32)
            return self.distance_.nearest(self.cells_, self.cells_, k, groups=(own, own), n_jobs=self._jobs)
        if not is_count(k) or k > n or queries is None:
            raise MercerError(
                f"n_neighbors={k} must be at least 1 and at most the {n} training rows (n_samples = {n}), less the row "
                "itself when it is a training row."
            )
        if self.search_ is None:
            return self.distance_.nearest(self.cells_, queries, k, n_jobs=self._jobs)
        return self.search_.nearest(queries, k, n_jobs=self._jobs)

    def _votes(self, queries: Any) -> tuple[Neighbours, Floats]:
        """Neighbours and what each counts. A row of weight w counts as w rows: the last one taken may count in part."""
        k = self.n_neighbors_
        if self.weight_ is None:
            found = self._search(queries, k)
            return found, self._count(found.distance, np.ones_like(found.distance))
        most = len(self.weight_) - (queries is None)
        mass = self.weight_.sum() - (self.weight_.max() if queries is None else 0.0)
        if k > mass:
            raise MercerError(f"n_neighbors={k} exceeds the weight {mass:g} of the training rows (n_samples).")
        asked = min(k, most)
        while True:
            found = self._search(queries, asked)
            before = np.cumsum(self.weight_[found.row], axis=1) - self.weight_[found.row]
            if asked == most or (before[:, -1] + self.weight_[found.row[:, -1]] >= k).all():
                break
            asked = min(2 * asked, most)
        mass = np.clip(k - before, 0.0, self.weight_[found.row])
        return found, self._count(found.distance, mass)

    def _count(self, distance: Floats, mass: Floats) -> Floats:
        """mass x vote. Neighbours at distance 0, where there are any, vote alone; infinitely far ones as equals."""
        if callable(self.weights_):
            return _called(self.weights_, distance, mass)
        if self.weights_ == "uniform":
            return mass
        zero = (distance == 0) & (mass > 0)
        power = 1 if self.weights_ == "distance" else 2
        with np.errstate(divide="ignore", invalid="ignore"):
            near = distance / np.where(distance[:, :1] > 0, distance[:, :1], 1.0)  # relative: nothing overflows
            votes = np.where(zero.any(axis=1, keepdims=True), zero, 1.0 / near**power)
        votes = np.where(np.isfinite(votes), votes, 0.0) * mass
        return np.where(votes.sum(axis=1, keepdims=True) > 0, votes, mass)

    def explain_with(self, X: Any, targets: NDArray[Any]) -> list[NeighbourPath]:
        """For each row its neighbours with distances, votes and targets."""
        check_is_fitted(self)
        queries = self._query(X)
        found, votes = self._votes(queries)
        total = votes.sum(axis=1, keepdims=True)
        shares = votes / np.where(total > 0, total, 1.0)
        sums = isinstance(self.distance_, SumDistance)
        columns = self.distance_.columns if isinstance(self.distance_, SumDistance) else ()
        paths = []
        for i, row in enumerate(found.row):
            terms = np.zeros((len(row), 0))
            if sums and not self.distance_.mixture_.cosine:
                terms = self.distance_.terms(queries.take([i]), self.cells_.take(row))
            paths.append(NeighbourPath(self.kept_[row], found.distance[i], shares[i], targets[row], columns, terms))
        return paths

    def _rows_state(self) -> State:
        check_is_fitted(self)
        if callable(self.weights_):
            raise MercerError("Only votes by name can be stored, not a callable.")
        found = {"n_neighbors": int(self.n_neighbors_), "votes": str(self.weights_), "recall": self.recall_}
        return self._cells_state() | found

    def _cells_state(self) -> State:
        """The model keeps its training rows: whoever has the file has them."""
        check_is_fitted(self)
        if not isinstance(self.distance_, SumDistance):
            raise MercerError("Only neighbours by a distance that is a sum over columns can be stored.")
        weight = {} if self.weight_ is None else {"weight": self.weight_}
        words = {} if self.words_ is None else {"words": self.words_.to_state()}
        return {
            "input": self._input_state(), "distance": self.distance_.to_state(), "numbers": self.cells_.numbers,
            "codes": self.cells_.codes, "kept": self.kept_.astype(np.int64), **weight, **words,
            "parameters": parameters_state(self.get_params(deep=False)),
        }  # fmt: skip

    def _restore_rows(self, state: Reader) -> int:
        n = self._restore_cells(state)
        self.curve_ = None
        self.n_neighbors_ = state.integer("n_neighbors", 1, n if self.weight_ is None else 2**53)
        self.weights_ = state.text("votes", VOTES)
        self.recall_ = state.number("recall", 0, 1)
        try:
            self.search_ = self._make_search()
        except MercerError as error:
            raise BadFile(f"{state.where}.parameters: {error}") from None
        return n

    def _restore_cells(self, state: Reader) -> int:
        self._restore_input(state.child("input"))
        self.words_ = BagOfWords.from_state(state.child("words")) if state.has("words") else None
        distance = SumDistance.from_state(state.child("distance"))
        expected = self.schema_ if self.words_ is None else self.words_.schema_out_
        if distance.schema_.columns != expected.columns:
            raise BadFile(f"{state.where}.distance is of other columns.")
        mixture = distance.mixture_
        numbers = state.array("numbers", "float64", (None, len(mixture.scale)), finite=False)
        n = len(numbers)
        codes = state.array("codes", "int32", (n, len(mixture.levels)), low=-1)
        if np.isinf(numbers).any() or (codes > mixture.levels).any() or n < 1:
            raise BadFile(f"{state.where}: a training row does not fit the columns.")
        self.distance_, self.cells_ = distance, Cells(numbers, codes)
        self._restore_parameters(state)
        self.weight_ = state.array("weight", "float64", (n,), low=0.0) if state.has("weight") else None
        self.kept_ = state.array("kept", "int64", (n,), low=0)
        self.n_samples_fit_ = int(self.kept_.max()) + 1
        return n

    def _restore_parameters(self, state: Reader) -> None:
        """As they were given; the fitted distance stands for a metric that was no name, or not of plain parameters."""
        known = self.get_params(deep=False)
        found = read_parameters(state.child("parameters"), known)
        self.set_params(**found)
        told = {"metric", "p", "metric_params"} & set(known)
        if not told <= set(found):
            self.set_params(**dict.fromkeys(told & {"metric_params"}), metric=clone(self.distance_))
        try:
            self._check_options()
        except (MercerError, TypeError) as error:
            raise BadFile(f"{state.where}.parameters: {error}") from None
        if not isinstance(self.n_jobs, int | None):
            raise state.refuse("parameters", "a whole number of jobs, or None")


def is_count(value: Any) -> bool:
    """Whether it is a whole number of at least 1."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 1


def _called(vote: Callable[[Floats], Floats], distance: Floats, mass: Floats) -> Floats:
    """mass x a caller's votes; infinite ones, where there are any, vote alone."""
    votes = np.asarray(vote(distance), dtype=np.float64)
    if votes.shape != distance.shape:
        raise MercerError(f"weights: the callable gave shape {votes.shape} for distances of shape {distance.shape}.")
    if not (votes >= 0).all():
        raise MercerError("weights: the callable gave a vote that is negative or not a number.")
    endless = np.isinf(votes) & (mass > 0)
    votes = np.where(endless.any(axis=1, keepdims=True), endless, np.where(np.isinf(votes), 0.0, votes)) * mass
    silent = ~(votes.sum(axis=1) > 0)
    if silent.any():
        raise MercerError(f"weights: the callable gave no neighbour of row {int(silent.argmax()) + 1} a vote above 0.")
    return votes

"""What the two k-nearest-neighbour estimators share: parameters, the fit of the rows, kneighbors, and storing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors._base import KNeighborsMixin
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints
from mercer.distances import METRIC, Distance, Neighbours, SumDistance, make_search
from mercer.distances.search import Algorithm, GraphSearch, TreeSearch
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.attached import attached
from mercer.estimators.common.base import TableEstimator
from mercer.estimators.common.pairwise_input import as_matrix, matrix_table, matrix_tags
from mercer.estimators.neighbours.choose_k import KCurve, KSearch, is_splits
from mercer.estimators.neighbours.metric import (
    check_power,
    compares_numbers,
    distance_for,
    effective_metric,
    indicators_for,
    is_precomputed,
)
from mercer.estimators.neighbours.training_rows import SharedNeighbours, TrainingRows
from mercer.estimators.neighbours.votes import VOTE_NAMES, NeighbourExplanation, VoteFunction, VoteName, votes
from mercer.parameters import Choice, Dictionary, Either, Number, Parameters, Unstored
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.missingness import MISSING_INDICATOR

NeighbourWeights: TypeAlias = VoteName | Literal["cv"] | VoteFunction | None

NEIGHBOUR_PARAMETERS: Parameters = {
    "n_neighbors": Number(1, whole=True, words=("cv",)),
    "weights": Either(Choice((*VOTE_NAMES, "cv", None)), Unstored("a function of distances", callable, "uniform")),
    "algorithm": Choice(Algorithm),
    "leaf_size": Number(1, whole=True),
    "metric": METRIC,
    "p": Number(0, np.inf, above=True, optional=True),
    "metric_params": Either(
        Dictionary(), Unstored("a dict of other arguments", lambda value: isinstance(value, Mapping))
    ),
    "max_neighbors": Number(1, whole=True),
    "cv": Either(Number(2, whole=True, words=("loo",)), Unstored("a splitter or a list of splits", is_splits, "loo")),
    "words": Number(1, whole=True),
    "kinds": Dictionary(),
    "missing_indicator": MISSING_INDICATOR,
    "n_jobs": Number(whole=True, optional=True),
}

# Docstring entries of both estimators.
NEIGHBOUR_DOCS = {
    "n_neighbors": """
        n_neighbors : int or "cv", default 5
            k, the number of neighbours. "cv" scores every k up to `max_neighbors` from one search and takes the best;
            for two classes the odd ones.""",
    "weights": """
        weights : {"uniform", "distance", "distance2", "cv"}, callable or None, default "uniform"
            The vote of a neighbour at distance d: 1, 1/d or 1/d^2; a callable gives votes for distances of shape
            (n_rows, k). "cv" takes the best of the three. None is "uniform".""",
    "algorithm": """
        algorithm : {"auto", "ball_tree", "kd_tree", "brute", "hnsw"}, default "auto"
            How the nearest rows are found; all but "hnsw" are exact and give the same answers. "brute" measures every
            row. "kd_tree" and "ball_tree" search SciPy's kd-tree where there are only numbers, none missing, under
            Minkowski's distance or one like it, and measure every row elsewhere. "auto" takes the tree for up to four
            columns and from 2,000 rows. "hnsw" is approximate, for a million rows and more, by distances that order
            rows as Euclid's or the cosine do (pip install mercer[ann]).""",
    "leaf_size": """
        leaf_size : int, default 30
            Rows in a leaf of the kd-tree, at most. Results do not depend on it.""",
    "metric": """
        metric : str, Distance, callable or object with `pairwise`, default "minkowski"
            "minkowski" is Minkowski's distance; in a table with levels, with p = 2 and without metric_params, it is
            HEOM ("auto" is so for every p; Minkowski() itself counts levels as dummies). Or a name ("euclidean",
            "manhattan", "cosine", "hamming", "canberra", "gower", "heom", "hvdm", "haversine", ...), a Distance, a
            function of two rows of numbers, or an object like scikit-learn's DistanceMetric. "precomputed": X holds
            distances to the training rows, all of them or, in a sparse matrix, those to the nearest (as
            `kneighbors_graph` gives).""",
    "p": """
        p : float or None, default 2
            Power of Minkowski's distance, above 0; below 1, with a warning, it is no distance in the strict sense. None
            for 2.""",
    "metric_params": """
        metric_params : dict or None, default None
            Parameters of the named distance ({"w": [1, 2]}, {"scale": "std"}), or further arguments of the
            function.""",
    "max_neighbors": """
        max_neighbors : int, default 100
            Largest k that "cv" tries.""",
    "cv": """
        cv : int, "loo", splitter or list of splits, default "loo"
            Number of folds by which "cv" scores, or leave-one-out; copies of a row go together. A splitter of
            scikit-learn, or a list of (train, test) rows, must put every row into one test fold; its neighbours come
            from the other folds.""",
    "words": """
        words : int, default 100
            How many of the most frequent words of a text column are counted.""",
    "n_neighbors_": """
        n_neighbors_ : int
            k, as given or as chosen.""",
    "weights_": """
        weights_ : str or callable
            The votes, as given or as chosen.""",
    "curve_": """
        curve_ : KCurve or None
            The score of every k, when it was chosen.""",
    "recall_": """
        recall_ : float
            Share of the nearest rows that the search finds: 1 when exact, measured on 200 rows for "hnsw".""",
    "distance_": """
        distance_ : Distance
            The fitted distance.""",
    "rows_": """
        rows_ : TrainingRows
            The rows of positive weight, as the distance compares them.""",
    "effective_metric_": """
        effective_metric_ : str, Distance or callable
            The metric that counts: "euclidean" for "minkowski" with p = 2, "manhattan" with 1, "chebyshev" with inf,
            "heom" in a table with levels.""",
    "effective_metric_params_": """
        effective_metric_params_ : dict
            The parameters of it.""",
    "n_samples_fit_": """
        n_samples_fit_ : int
            Number of training rows.""",
    "outputs_2d_": """
        outputs_2d_ : bool
            Whether predictions have a column for each target.""",
    "X_or_None": """
        X : table of shape (n_rows, n_columns) or None, default None
            The rows: array, sparse matrix, data frame, dict of columns or Table. None stands for the training rows,
            none of which is its own neighbour.""",
    "explanations": """
        explanations : list of NeighbourExplanation
            For each row its neighbours: row number, distance, vote, target, and what each column adds to the
            distance.""",
}  # fmt: skip


# What decides the rows as the distance sees them, the distance, and the search.
_SEARCH_SIDE = ("metric", "p", "metric_params", "algorithm", "leaf_size", "words", "kinds", "missing_indicator")


def search_key(model: NeighbourModel) -> str | None:
    """The same for estimators that find the same neighbours on the same rows; None for one that shares none."""
    alone = model.n_neighbors == "cv" or model.algorithm == "hnsw" or model._precomputed
    if alone or not isinstance(model.metric, str | Distance):
        return None
    return repr([type(model).__name__, *(getattr(model, name) for name in _SEARCH_SIDE)])


@contextmanager
def sharing_neighbours(models: Sequence[NeighbourModel]) -> Iterator[None]:
    """While it lasts, estimators of one `search_key` fitted to the same rows search once for rows that all predict."""
    shared = SharedNeighbours(lambda: max(m.n_neighbors_ for m in models if hasattr(m, "n_neighbors_")))
    with attached(models, "_shared_neighbours", shared):
        yield


class NeighbourModel(TableEstimator, KNeighborsMixin):
    """Base of the k-nearest-neighbour estimators: keeps the training rows and predicts from the nearest.

    scikit-learn's mixin gives nothing that is not overridden: libraries ask by it whether an estimator has neighbours.
    """

    distance_: Distance
    rows_: TrainingRows
    n_neighbors_: int
    weights_: VoteName | VoteFunction
    curve_: KCurve | None
    recall_: float
    outputs_2d_: bool
    _shared_neighbours: SharedNeighbours

    @property
    def _precomputed(self) -> bool:
        """Whether X holds distances rather than columns."""
        return is_precomputed(self.metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        if self._precomputed:
            matrix_tags(tags, sparse=True)
            tags.input_tags.positive_only = True
        return tags

    def _fit_table(self, X: Any) -> Table:
        return super()._fit_table(as_matrix(X) if self._precomputed else X)

    def _input_table(self, X: Any) -> Table:
        return super()._input_table(as_matrix(X) if self._precomputed else X)

    def _reads_as_numbers(self) -> bool:
        return compares_numbers(self.metric)

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        if self._precomputed:
            return matrix_table(self, X, reset=reset, sparse=True)
        return super()._array_table(X, reset=reset)

    def _fit_rows(
        self, table: Table, targets: Sequence[Any], weight: Floats | None, classes: Ints | None = None
    ) -> TrainingRows:
        """Choose and fit the distance, and keep the rows that it compares; `targets` as `_flag_missing` takes them."""
        p = 2 if self.p is None else self.p
        check_power(self.metric, p, self.metric_params, self.algorithm)
        kind = None if self.metric_params else indicators_for(self.metric, table.schema, p)
        if kind is not None:
            table = self._flag_missing(table, targets, weight, kind)
        choose = partial(distance_for, metric=self.metric, p=p, params=self.metric_params)
        self.rows_, _ = TrainingRows.fit(table, choose, weight, classes=classes, n_words=self.words)
        self.distance_, self.n_samples_fit_ = self.rows_.distance, len(table)
        return self.rows_

    def _choose_k(
        self, target: NDArray[Any], score: Callable[[Neighbours], Floats], *, classes: bool = False, odd: bool = False
    ) -> None:
        """Set `n_neighbors_` and `weights_`, by cross-validation when either is "cv", and build the search index."""
        search = KSearch(self.n_neighbors, self.weights, self.max_neighbors, self.cv)
        self.n_neighbors_, self.weights_, self.curve_ = self.n_neighbors, self.weights or "uniform", None
        if search.needed:
            folds = search.folds(target, stratify=classes, copies=self.rows_.copies(target))
            self.n_neighbors_, self.weights_, self.curve_ = search.choose(
                self.rows_, folds, score, odd=odd, lowest=not classes, n_jobs=self._jobs
            )
        self._build_index()
        index = self.rows_.index
        self.recall_ = index.recall(self.n_neighbors_, n_jobs=self._jobs) if isinstance(index, GraphSearch) else 1.0

    def _build_index(self) -> None:
        rows = self.rows_
        rows.index = make_search(self.algorithm, rows.distance, rows.cells, self.n_neighbors_, int(self.leaf_size))

    @property
    def _fit_method(self) -> str:
        """How the nearest rows are found: "brute", "kd_tree" or "hnsw"."""
        index = self.rows_.index
        return "kd_tree" if isinstance(index, TreeSearch) else "hnsw" if isinstance(index, GraphSearch) else "brute"

    @property
    def effective_metric_(self) -> Any:
        """The metric that counts."""
        check_is_fitted(self)
        return effective_metric(self.metric, self.distance_)

    @property
    def effective_metric_params_(self) -> dict[str, Any]:
        """The parameters of `effective_metric_`."""
        given = {} if self.metric_params is None else dict(self.metric_params)
        if self.effective_metric_ != "minkowski":
            return {name: value for name, value in given.items() if name != "p" or self.metric != "minkowski"}
        return {"p": 2 if self.p is None else self.p, "w": None} | given

    def _queries(self, X: Any) -> Any:
        """The rows of X as the distance compares them; None stays None, for the training rows themselves."""
        check_is_fitted(self)
        if X is None:
            if len(self.rows_) < self.n_samples_fit_:
                raise MercerError("Training rows of weight 0 were not kept: pass the rows to predict as X.")
            return None
        return self.distance_.cells(self.rows_.encode(self._predict_table(X)))

    def _votes(self, queries: Any) -> tuple[Neighbours, Floats]:
        """The neighbours of each query and their votes, (n_queries, n_found)."""
        shared = self.__dict__.get("_shared_neighbours")
        found, mass = self.rows_.nearest_by_weight(queries, self.n_neighbors_, n_jobs=self._jobs, shared=shared)
        return found, votes(self.weights_, found.distance, mass)

    @shares_docs(**NEIGHBOUR_DOCS)
    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training rows of each row, equal distances by row number.

        Parameters
        ----------
        {X_or_None}
        n_neighbors : int or None, default None
            How many; None for `n_neighbors_`.
        return_distance : bool, default True
            Whether distances are returned too.

        Returns
        -------
        distances : ndarray of shape (n_rows, n_neighbors)
            Distances, nearest first; only with `return_distance`.
        rows : ndarray of shape (n_rows, n_neighbors)
            Numbers of the training rows.
        """
        queries = self._queries(X)
        found = self.rows_.nearest(
            queries, self.n_neighbors_ if n_neighbors is None else n_neighbors, n_jobs=self._jobs
        )
        rows = self.rows_.kept[found.row]
        return (found.distance, rows) if return_distance else rows

    @shares_docs(**NEIGHBOUR_DOCS)
    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """The nearest training rows of each row as a sparse matrix.

        Parameters
        ----------
        {X_or_None}
        n_neighbors : int or None, default None
            How many; None for `n_neighbors_`.
        mode : {"connectivity", "distance"}, default "connectivity"
            Whether a neighbour is stored as 1 or by its distance.

        Returns
        -------
        graph : csr_matrix of shape (n_rows, n_samples_fit_)
            Row i stores the neighbours of row i.
        """
        if mode not in ("connectivity", "distance"):
            raise MercerError(f'Unsupported mode {mode!r}: "connectivity" or "distance".')
        distance, rows = self.kneighbors(X, n_neighbors)
        values = np.ones_like(distance) if mode == "connectivity" else distance
        ends = np.arange(len(rows) + 1) * rows.shape[1]
        return sp.csr_matrix((values.ravel(), rows.ravel(), ends), shape=(len(rows), self.n_samples_fit_))

    def _explain(self, X: Any, targets: NDArray[Any]) -> list[NeighbourExplanation]:
        """The neighbours of each row; `targets` are those of the training rows kept."""
        queries = self._queries(X)
        found, counts = self._votes(queries)
        total = counts.sum(axis=1, keepdims=True)
        shares = counts / np.where(total > 0, total, 1.0)
        distance, kept = self.distance_, self.rows_.kept
        columns = distance.columns if isinstance(distance, SumDistance) else ()
        explanations = []
        for i, row in enumerate(found.row):
            terms = np.zeros((len(row), 0))
            if isinstance(distance, SumDistance) and not distance.column_sum_.cosine:
                terms = distance.terms(queries.take([i]), self.rows_.cells.take(row))
            explanations.append(
                NeighbourExplanation(kept[row], found.distance[i], shares[i], targets[row], columns, terms)
            )
        return explanations

    def _fitted_state(self) -> State:
        if callable(self.weights_):
            raise MercerError("Only votes by name can be stored, not a callable.")
        return {
            "rows": self.rows_.to_state(), "n_samples": self.n_samples_fit_, "n_neighbors": int(self.n_neighbors_),
            "votes": str(self.weights_), "recall": self.recall_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.rows_ = TrainingRows.from_state(state.child("rows"), self._learned_schema)
        self.distance_, self.curve_ = self.rows_.distance, None
        self.n_samples_fit_ = state.integer("n_samples", int(self.rows_.kept.max()) + 1)
        self.n_neighbors_ = state.integer("n_neighbors", 1, int(self.rows_.mass))
        self.weights_ = next(name for name in VOTE_NAMES if name == state.text("votes", VOTE_NAMES))
        self.recall_ = state.number("recall", 0, 1)
        try:
            self._build_index()
        except MercerError as error:
            raise BadFile(f"{state.where}: {error}") from None

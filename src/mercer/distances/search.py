"""Ways to find the nearest rows without measuring every one: a kd-tree, exact, and an HNSW graph, approximate.

Both end as brute force does: distances are measured again by the formula, nearest first, equal ones by row number.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from mercer.arrays import Floats
from mercer.distances.base import Distance, Neighbours
from mercer.distances.column_sum import Cells
from mercer.distances.sum_distance import SumDistance
from mercer.errors import MercerError

Algorithm = Literal["auto", "ball_tree", "kd_tree", "brute", "hnsw"]
ALGORITHMS = get_args(Algorithm)
# With k = 10 a tree was 3 to 30 times as fast up to here, 0.9 to 2.5 times with six columns, slower with eight.
FEW_COLUMNS = 4
MANY_ROWS = 2000  # below, both take milliseconds
_FEW_NEIGHBOURS = 100  # that "auto" leaves to the tree
_TIE = 1e-9  # distances this close, relatively, may be equal: brute force says which row comes first
_CELLS = 4_000_000  # measured again at once
_LINKS, _BREADTH = 16, 128  # of the graph: neighbours a row is linked to, rows kept in view while searching


class Search(ABC):
    """An index of rows that finds neighbours; queries that it cannot answer go to brute force.

    Parameters
    ----------
    distance : SumDistance
        The fitted distance.
    rows : Cells
        The rows to search, as `distance.cells` gives them.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Euclidean, Search, make_search
    >>> rows = read_table({"x": [0.0, 5.5, 1.5]})
    >>> distance = Euclidean().fit(rows)
    >>> search = make_search("kd_tree", distance, distance.cells(rows), 2)
    >>> isinstance(search, Search), search.nearest(distance.cells(rows), 2).row[0]
    (True, array([0, 2], dtype=int32))
    """

    def __init__(self, distance: SumDistance, rows: Cells) -> None:
        self.distance = distance
        self.rows = rows

    @abstractmethod
    def _find(self, points: Floats, k: int, n_jobs: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Candidates of each query, (n_queries, k or more), and which queries are left to brute force."""

    @abstractmethod
    def _points(self, queries: Cells) -> Floats:
        """Queries as points, (n_queries, n_columns)."""

    @abstractmethod
    def _measure(self, candidates: NDArray[Any], points: Floats) -> Floats:
        """The distance's sum from each query to its candidates, (n_queries, n_candidates)."""

    def nearest(self, queries: Cells, k: int, *, n_jobs: int = 1) -> Neighbours:
        """The k nearest rows of each query.

        Parameters
        ----------
        queries : Cells
            The rows whose neighbours are sought, as `distance.cells` gives them.
        k : int
            How many.
        n_jobs : int, default 1
            Threads. Results do not depend on it.

        Returns
        -------
        found : Neighbours
            Distances and row numbers, nearest first, equal distances by row number.
        """
        sums, row = np.zeros((len(queries), k)), np.zeros((len(queries), k), np.int32)
        whole = np.logical_and((np.abs(queries.numbers) < 1e100).all(axis=1), (queries.codes >= 0).all(axis=1))
        asked = np.flatnonzero(whole)
        points = self._points(queries.take(asked)) if len(asked) else np.zeros((0, 1))
        size = max(1, _CELLS // (max(points.shape[1], 1) * (k + 1)))
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            here = points[start : start + size]
            candidates, unsure = self._find(here, k, n_jobs)
            measured = self._measure(candidates, here)
            best = np.lexsort((candidates, measured))[:, :k]
            sums[part], row[part] = (np.take_along_axis(a, best, axis=1) for a in (measured, candidates))
            whole[part[unsure]] = False
        distance = self.distance._from_sums(sums)
        left = np.flatnonzero(~whole)
        if len(left):
            exact = self.distance.nearest(self.rows, queries.take(left), k, n_jobs=n_jobs)
            distance[left], row[left] = exact.distance, exact.row
        return Neighbours(distance, row)


class TreeSearch(Search):
    """Exact, by SciPy's kd-tree: for sums of powers over few numeric columns without missing cells."""

    def __init__(self, distance: SumDistance, rows: Cells, leaf_size: int) -> None:
        super().__init__(distance, rows)
        self.tree = cKDTree(rows.numbers * distance.column_sum_.scale, leafsize=leaf_size)

    def _points(self, queries: Cells) -> Floats:
        return queries.numbers * self.distance.column_sum_.scale

    def _find(self, points: Floats, k: int, n_jobs: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        asked = list(range(1, min(k + 1, len(self.rows)) + 1))
        distance, row = self.tree.query(points, asked, p=self.distance.column_sum_.power, workers=n_jobs)
        if len(asked) == k:
            return row, np.zeros(len(row), bool)
        return row[:, :k], distance[:, k] <= distance[:, k - 1] * (1 + _TIE)

    def _measure(self, candidates: NDArray[Any], points: Floats) -> Floats:
        power = self.distance.column_sum_.power
        apart = np.abs(self.tree.data[candidates] - points[:, None, :])
        return apart.max(axis=2) if np.isinf(power) else (apart**power).sum(axis=2)


class GraphSearch(Search):
    """Approximate, by usearch's navigable small world graph (Malkov & Yashunin 2018): for very many rows.

    For distances that order rows as points in space do: Euclid's and the cosine, HEOM, levels as dummies, without
    missing cells. `recall` is the share of the true k nearest rows that it finds, measured on a sample.
    """

    def __init__(self, distance: SumDistance, rows: Cells) -> None:
        super().__init__(distance, rows)
        view = distance._euclidean_view(rows, rows.take([0]))
        if view is None:
            raise MercerError(
                f"algorithm='hnsw' needs rows that are points in space, but {type(distance).__name__} on these columns "
                "has missing cells, another power than 2, or too many levels. Use algorithm='brute'."
            )
        self.points = view[0]
        self.centre = self.points.mean(axis=0)
        self.size = float(np.abs(self.points - self.centre).max()) or 1.0  # float32 holds what is left
        self.index = _index_class()(
            ndim=self.points.shape[1], metric="l2sq", dtype="f32", connectivity=_LINKS, expansion_search=_BREADTH
        )
        self.index.add(np.arange(len(rows)), self._small(self.points), threads=1)  # with more, the graph would vary

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "index": bytes(self.index.save())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = {**state, "index": _index_class().restore(state["index"])}

    def _small(self, points: Floats) -> NDArray[np.float32]:
        return np.ascontiguousarray((points - self.centre) / self.size, dtype=np.float32)

    def _points(self, queries: Cells) -> Floats:
        view = self.distance._euclidean_view(queries, queries)
        assert view is not None  # rows had a view, and these queries are complete
        return view[1]

    def _find(self, points: Floats, k: int, n_jobs: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        asked = min(2 * k + 10, len(self.rows))
        self.index.expansion_search = max(_BREADTH, 2 * asked)
        small = self._small(points)
        try:
            found = self.index.search(small, asked, threads=n_jobs)
        except ValueError:  # usearch 2.16 searches with no more threads than rows were added with
            found = self.index.search(small, asked, threads=1)
        keys = np.asarray(found.keys).reshape(len(points), -1).astype(np.int64)
        few = np.asarray(found.counts).reshape(-1) < keys.shape[1] if hasattr(found, "counts") else np.zeros(1, bool)
        return np.clip(keys, 0, len(self.rows) - 1), np.broadcast_to(few, len(points))

    def _measure(self, candidates: NDArray[Any], points: Floats) -> Floats:
        squared: Floats = ((self.points[candidates] - points[:, None, :]) ** 2).sum(axis=2)
        return self.distance._from_squared(squared)

    def recall(self, k: int, sample: int = 200, n_jobs: int = 1) -> float:
        """Share of the exact k nearest rows found, on rows spread over the table, each beside itself."""
        rows = np.unique(np.linspace(0, len(self.rows) - 1, sample).astype(np.int32))
        k = min(k + 1, len(self.rows))
        queries = self.rows.take(rows)
        ours, exact = (
            self.nearest(queries, k, n_jobs=n_jobs),
            self.distance.nearest(self.rows, queries, k, n_jobs=n_jobs),
        )
        hits = [len(np.setdiff1d(np.intersect1d(a, b), [r])) for a, b, r in zip(ours.row, exact.row, rows, strict=True)]
        others = [len(np.setdiff1d(b, [r])) for b, r in zip(exact.row, rows, strict=True)]
        return sum(hits) / max(sum(others), 1)


def _index_class() -> Any:
    try:
        from usearch.index import Index  # noqa: PLC0415
    except ImportError:
        raise MercerError(
            "algorithm='hnsw' needs the package usearch. Install it with: pip install mercer[ann]"
        ) from None
    return Index


def make_search(algorithm: Algorithm, distance: Distance, rows: Any, k: int, leaf_size: int = 30) -> Search | None:
    """The index that `algorithm` names, or the one that suits; None for brute force, which every distance has.

    Parameters
    ----------
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "hnsw"}
        "kd_tree" and "ball_tree" take a kd-tree for numeric columns without missing cells under a sum of powers of at
        least 1, and brute force otherwise; "auto" takes it only for few columns and many rows. "hnsw" is approximate.
    distance : Distance
        The fitted distance.
    rows : object
        The rows to search, as `distance.cells` gives them.
    k : int
        How many neighbours will be sought.
    leaf_size : int, default 30
        Most rows in a leaf of the tree.

    Returns
    -------
    search : Search or None
        The index; None for brute force.

    Raises
    ------
    MercerError
        When the distance or the rows do not suit "hnsw".

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import Euclidean, make_search
    >>> rows = read_table({"x": [0.0, 5.5, 1.5]})
    >>> distance = Euclidean().fit(rows)
    >>> make_search("auto", distance, distance.cells(rows), 1) is None  # few rows
    True
    """
    if algorithm == "brute":
        return None
    sums = isinstance(distance, SumDistance) and isinstance(rows, Cells)
    if algorithm == "hnsw":
        if not sums:
            raise MercerError("algorithm='hnsw' needs a distance that is a sum over columns. Use algorithm='brute'.")
        return GraphSearch(distance, rows)
    if not sums or rows.codes.shape[1] or not rows.complete:
        return None
    if distance.column_sum_.cosine or distance.column_sum_.power < 1:
        return None
    few = rows.numbers.shape[1] <= FEW_COLUMNS and k <= _FEW_NEIGHBOURS and len(rows) >= MANY_ROWS
    return TreeSearch(distance, rows, leaf_size) if few or algorithm != "auto" else None

"""Nearest neighbours among training rows that do not fit: each chunk is searched by itself, and the nearest merge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.arrays import Floats, Longs
from mercer.distances import Cosine, SumDistance
from mercer.distances.column_sum import Cells
from mercer.distances.numeric.minkowski import PowerDistance
from mercer.errors import MercerError
from mercer.estimators.common.weights.class_weight import class_factors, class_weight_of_each
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.metric import check_power, distance_for, indicators_for
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.neighbours.votes import LabelColumn, votes
from mercer.parameters import check_parameters
from mercer.scale.engine import engine_of
from mercer.scale.fitting import set_columns, survey_rows
from mercer.scale.learners.encoding import NumberMoments, count_moments
from mercer.scale.learners.missing import class_indicators, number_indicators
from mercer.scale.rows import Part, Rows
from mercer.table import Kind, Schema
from mercer.table.assemble import number_table


@dataclass(frozen=True)
class NearestRows:
    """The nearest training rows of some rows, and what is predicted from them.

    Attributes
    ----------
    distances : ndarray of shape (n_rows, k)
        Of the nearest training rows, nearest first.
    rows : ndarray of shape (n_rows, k)
        Their numbers among the training rows that have a target, in the order of the chunks, from 0.
    targets : ndarray of shape (n_rows, k)
        Their classes or numbers.
    predicted : ndarray of shape (n_rows,)
        The class with most votes, or the mean of the targets weighted by votes.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Share of each class in the votes; None where numbers are predicted.
    classes : ndarray of shape (n_classes,) or None
        The classes in increasing order; None where numbers are predicted.

    Examples
    --------
    >>> import mercer
    >>> chunks = [{"x": [0.0, 1.0], "y": [5.0, 6.0]}, {"x": [9.0, 8.0], "y": [1.0, 2.0]}]
    >>> found = mercer.scale.nearest(mercer.KNeighborsRegressor(2), chunks, "y", {"x": [8.6]})
    >>> found.rows, found.targets, found.predicted
    (array([[2, 3]]), array([[1., 2.]]), array([1.5]))
    """

    distances: Floats
    rows: Longs
    targets: NDArray[Any]
    predicted: NDArray[Any]
    probabilities: Floats | None
    classes: NDArray[Any] | None


@dataclass(frozen=True)
class Nearest:
    """The k nearest of some training rows for each query, nearest first; equal distances by row number."""

    k: int
    n_rows: int
    distance: Floats
    row: Longs
    target: NDArray[Any]

    def merge(self, other: Nearest) -> Nearest:
        """Of both samples together, the rows of `other` behind: so equal distances stay in the order of the rows."""
        distance = np.hstack([self.distance, other.distance])
        best = np.argsort(distance, axis=1, kind="stable")[:, : self.k]
        row = np.hstack([self.row, other.row + self.n_rows])
        pairs = distance, row, np.hstack([self.target, other.target])
        return Nearest(self.k, self.n_rows + other.n_rows, *(np.take_along_axis(a, best, axis=1) for a in pairs))


@dataclass(frozen=True)
class FindNearest:
    """The nearest rows of a chunk for each query; gaps : whether a cell of any chunk is missing."""

    distance: SumDistance
    queries: Cells
    k: int
    gaps: bool
    n_jobs: int

    def __call__(self, part: Part) -> Nearest:
        cells, n = self.distance.cells(part.table), len(part.table)
        groups = None
        if self.gaps:
            # A table with gaps is compared by a formula that rounds differently. A row of gaps, which no query finds
            # since it is of their group, makes every chunk such a table.
            row = np.full((1, cells.numbers.shape[1]), np.nan)
            cells = Cells(np.vstack([cells.numbers, row]), np.empty((n + 1, 0), np.int32))
            groups = np.append(np.zeros(n, np.int32), np.int32(1)), np.ones(len(self.queries), np.int32)
        found = self.distance.nearest(cells, self.queries, min(self.k, n), groups=groups, n_jobs=self.n_jobs)
        return Nearest(self.k, n, found.distance, found.row.astype(np.int64), part.target[found.row])


def nearest(
    model: KNeighborsClassifier | KNeighborsRegressor,
    data: Any,
    target: str,
    X: Any,
    *,
    client: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> NearestRows:
    """Find the nearest of training rows that do not fit in memory, and predict from them as `model.fit` would.

    Every chunk is searched by itself, and the nearest merge: 24 bytes for each neighbour of each row of X. Neighbours,
    distances and predictions are those of `algorithm="brute"` on all training rows at once, equal distances by row
    number; where cells are missing, and against a tree, distances are the same up to rounding. For distances that learn
    nothing from the rows: Minkowski's (Euclid's, Manhattan, ...) without `scale`, and the cosine, of numeric columns.

    Parameters
    ----------
    model : KNeighborsClassifier or KNeighborsRegressor
        Says how many neighbours, by which distance, and how they vote. It is not fitted and stays so.
    data : str, Path, Dask data frame, data frame, mapping, sequence, callable or Chunks
        The training rows, with the target among the columns: what `as_chunks` takes.
    target : str
        The name of the column to predict.
    X : table of shape (n_rows, n_columns)
        The rows to predict: data frame, mapping of columns or Table. They have to fit in memory.
    client : distributed.Client or None, default None
        A Dask cluster that does the work; None for this process, unless `on` names a cluster.
    progress : callable or None, default None
        Called as `progress(what, share)` while work goes on.

    Returns
    -------
    found : NearestRows
        Neighbours and predictions.

    Raises
    ------
    MercerError
        The model asks for what needs all training rows at once.
    BadFile
        A file cannot be read, or has changed between two passes; the message names it.
    BadColumn
        The chunks differ in their columns or types, or X lacks a column.
    BadTarget
        The target is not there, or every cell of it is missing.

    Examples
    --------
    >>> import mercer
    >>> chunks = [{"x": [0.0, 1.0, 2.0], "y": ["a", "a", "b"]}, {"x": [9.0, 8.0], "y": ["b", "b"]}]
    >>> found = mercer.scale.nearest(mercer.KNeighborsClassifier(3), chunks, "y", {"x": [1.1, 6.0]})
    >>> found.rows, found.predicted
    (array([[1, 2, 0],
           [4, 3, 2]]), array(['a', 'b'], dtype=object))
    """
    _expect_plain(model)
    engine, asked = engine_of(client), clone(model)
    rows, found = survey_rows(asked, data, target, engine, progress, "Searching")
    try:
        set_columns(asked, rows, tuple(found.columns))
        rows = _flagged(asked, rows)
        _expect_numbers(asked._learned_schema)
        moments, n_rows = rows.merge(count_moments), found.target.n_known
        distance, gaps = _distance(asked, moments), bool((moments.known < n_rows).any())
        if asked.n_neighbors > n_rows:
            raise MercerError(f"n_neighbors={asked.n_neighbors} must be at most the {n_rows:,} training rows.")
        queries = distance.cells(asked._predict_table(X))
        work = FindNearest(distance, queries, int(asked.n_neighbors), gaps, asked._jobs)
        return _predicted(asked, rows, rows.merge(work))
    finally:
        engine.forget()


def _expect_plain(model: Any) -> None:
    """MercerError for what is learned from all training rows."""
    if not isinstance(model, KNeighborsClassifier | KNeighborsRegressor):
        raise MercerError(
            f"{type(model).__name__} has no neighbours. Give KNeighborsClassifier or KNeighborsRegressor; for other "
            "models there is mercer.scale.fit."
        )
    check_parameters(model)
    for name in ("n_neighbors", "weights"):
        if getattr(model, name) == "cv":
            raise MercerError(f"{name}='cv' needs all training rows at once. Choose it on a sample of the rows.")
    if model.algorithm == "hnsw":
        raise MercerError("algorithm='hnsw' needs all training rows at once. Use algorithm='brute'.")


def _flagged(model: Any, rows: Rows) -> Rows:
    """The rows with the columns "<name> is missing" that the model would add."""
    p = 2 if model.p is None else model.p
    check_power(model.metric, p, model.metric_params, model.algorithm)
    kind = None if model.metric_params else indicators_for(model.metric, rows.schema, p)
    if kind is None:
        return rows
    learn = number_indicators if rows.labels is None else class_indicators
    model.missing_indicators_ = learn(rows, kind, model.missing_indicator)
    return rows.flagged(model.missing_indicators_)


def _expect_numbers(schema: Schema) -> None:
    odd = next((c for c in schema if c.kind is not Kind.NUMERIC), None)
    if odd is not None:
        raise MercerError(
            f"In chunks, rows of numbers are compared, and {odd.name!r} is {odd.kind}. Leave it out (kinds={{...: "
            "'skip'}; missing_indicator=False for columns of gaps), or fit a sample of the rows."
        )


def _distance(model: Any, moments: NumberMoments) -> SumDistance:
    """The distance, fitted to the ends of the columns, which are all that it looks at."""
    ends = number_table(model._learned_schema.columns, np.array([moments.low, moments.high]))
    found = distance_for(ends, model.metric, 2 if model.p is None else model.p, model.metric_params)
    plain = isinstance(found, Cosine) or (isinstance(found, PowerDistance) and found.scale == "none")
    if not plain:
        raise MercerError(
            f"{found!r} needs all training rows at once. In chunks, take Minkowski's distances without scale "
            "(metric='euclidean', 'manhattan', ...) or 'cosine'."
        )
    found.fit(ends)
    return found


def _predicted(model: Any, rows: Rows, found: Nearest) -> NearestRows:
    """What the neighbours vote for."""
    counts = votes(model.weights or "uniform", found.distance, np.ones_like(found.distance))
    if rows.labels is None:
        mean = (counts * found.target).sum(axis=1) / counts.sum(axis=1)
        return NearestRows(found.distance, found.row, found.target, mean, None, None)
    (chosen,) = class_weight_of_each(model.class_weight, 1)
    mass = rows.counts.astype(np.float64)
    factor = None if chosen is None else class_factors(chosen, rows.classes, rows.class_codes(), mass)
    labels = LabelColumn(rows.classes, found.target.ravel(), factor)
    place: Any = np.arange(found.target.size).reshape(found.target.shape)
    shares = labels.shares(place, counts)
    predicted = rows.classes[shares.argmax(axis=1)]
    return NearestRows(found.distance, found.row, rows.classes[found.target], predicted, shares, rows.classes)

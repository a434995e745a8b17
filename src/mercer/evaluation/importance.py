"""Permutation importance: how much the score decreases when one column is permuted among the test rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.metrics import check_scoring
from sklearn.utils import check_consistent_length

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, MercerError
from mercer.evaluation.intervals import corrected_t
from mercer.table import Table
from mercer.table.estimator import TableEstimator, prediction_table
from mercer.table.formats.containers import (
    as_container,
    column_names,
    moved_rows,
    permute_column,
    row_count,
    take_rows,
)

REPEATS = 5
FEWEST = 200
MOST_ROWS = 4000  # rows permuted and predicted; more change the third decimal only
MOST_COLUMNS = 1000
_CELLS = 1e8  # cells predicted in all: fewer rows when there are many columns


@dataclass(frozen=True, slots=True)
class Importance:
    """Decrease of the score when one column is permuted.

    `low` and `high` bound the mean over all permutations that could have been drawn (Student's t); they do not account
    for the choice of the rows.

    Parameters
    ----------
    column : str
        Name of the column.
    mean : float
        Mean decrease over the permutations.
    spread : float
        Standard deviation of the decrease over the permutations.
    low, high : float
        Confidence interval of the mean.

    Examples
    --------
    >>> import mercer
    >>> mercer.Importance("age", mean=0.2, spread=0.05, low=0.14, high=0.26).column
    'age'
    """

    column: str
    mean: float
    spread: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Importances:
    """The importance of every column, as `permutation_importance` returns it.

    Parameters
    ----------
    columns : tuple of Importance
        Every column, largest decrease first.
    score : float
        Score of the rows as they are.
    repeats : int
        Permutations of each column.
    level : float
        Confidence level of the intervals.
    metric : str, default ""
        Name of the score: accuracy, R², or that of a scorer; "" where it is not known.

    Examples
    --------
    >>> import mercer
    >>> age = mercer.Importance("age", mean=0.2, spread=0.05, low=0.14, high=0.26)
    >>> print(mercer.Importances((age,), score=0.9, repeats=5, level=0.95))
    column  decrease       low      high   (score: 0.9000)
    age       0.2000    0.1400    0.2600
    """

    columns: tuple[Importance, ...]
    score: float
    repeats: int
    level: float
    metric: str = ""

    def __str__(self) -> str:
        width = max(6, *(len(c.column) for c in self.columns))
        head = f"{'column':<{width}} {'decrease':>9} {'low':>9} {'high':>9}   (score: {self.score:.4f})"
        lines = (f"{c.column:<{width}} {c.mean:>9.4f} {c.low:>9.4f} {c.high:>9.4f}" for c in self.columns)
        return "\n".join([head, *lines])


def permutation_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    scoring: str | Callable[..., float] | None = None,
    repeats: int = REPEATS,
    level: float = 0.95,
    sample_weight: Any = None,
    max_rows: int | None = None,
    random_state: Any = None,
) -> Importances:
    """I_j = score(X, y) - mean over permutations p of score(X with column j permuted by p, y).

    The mean decrease in accuracy (Breiman 2001), of any fitted estimator, mercer's, scikit-learn's or a pipeline, by
    the columns as they came in: a category is one column, however it is encoded inside. Use rows that the estimator
    was not fitted to: on training rows, columns that it overfits look important (section 10 there). Correlated columns
    replace each other, so each looks less important than they are together.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : array, sparse matrix, data frame or Table of shape (n_rows, n_columns)
        Test rows, in any container that the estimator takes.
    y : array of shape (n_rows,)
        Their target.
    scoring : str or callable, optional
        Name of a scikit-learn scorer, or a callable (estimator, X, y) where more is better; None for
        `estimator.score` (accuracy, or R^2).
    repeats : int, default=5
        Permutations of each column, 2 or more.
    level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.
    sample_weight : array of shape (n_rows,), optional
        Weights of the rows, passed to the scorer.
    max_rows : int, optional
        Use a random sample of so many rows; None for all.
    random_state : int, optional
        Seed of the permutations.

    Returns
    -------
    importances : Importances
        Mean decrease and interval of every column, largest first.

    Raises
    ------
    MercerError
        If `repeats`, `level` or `max_rows` is out of range.
    BadTable
        If there are fewer than two rows, or their score is not finite.

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0, 4.0] * 10, "shop": ["a", "b", "b", "a", "a"] * 8}
    >>> model = mercer.DecisionTreeRegressor().fit(rows, [10.0, 20.0, 30.0, 40.0] * 10)
    >>> found = mercer.permutation_importance(model, rows, [10.0, 20.0, 30.0, 40.0] * 10, random_state=0)
    >>> [c.column for c in found.columns], found.columns[1].mean, found.columns[0].low > 1
    (['size', 'shop'], 0.0, True)
    """
    _check(repeats, level, max_rows)
    scorer, rng = check_scoring(estimator, scoring), np.random.default_rng(random_state)
    X, truth, weight = _rows(estimator, X, y, sample_weight, max_rows, rng)
    extra = {} if weight is None else {"sample_weight": weight}

    def score(part: Any) -> float:
        found = float(scorer(estimator, part, truth, **extra))
        if not np.isfinite(found):
            raise BadTable(f"The score of these {len(truth)} rows is {found}. Give more rows, or another scoring.")
        return found

    names, intact = column_names(X), score(X)
    found = [_importance_of(X, j, name, intact, score, rng, repeats, level) for j, name in enumerate(names)]
    found += [Importance(name, 0.0, 0.0, 0.0, 0.0) for name in _ignored(estimator, X)]
    return Importances(_ranked(found), intact, repeats, level, _metric(estimator, scoring))


def _metric(estimator: Any, scoring: Any) -> str:
    if scoring is None:
        return "accuracy" if is_classifier(estimator) else "R²" if is_regressor(estimator) else ""
    return scoring.replace("_", " ") if isinstance(scoring, str) else ""


def _check(repeats: int, level: float, max_rows: int | None) -> None:
    if isinstance(repeats, bool) or not isinstance(repeats, int | np.integer) or repeats < 2:
        raise MercerError(f"repeats={repeats!r} must be a whole number of at least 2: one permutation has no interval.")
    if not 0 < level < 1:
        raise MercerError(f"level={level!r} must lie between 0 and 1.")
    if max_rows is not None and max_rows < 2:
        raise MercerError(f"max_rows={max_rows!r} must be at least 2, or None for all rows.")


def _rows(
    estimator: Any, X: Any, y: Any, weight: Any, max_rows: int | None, rng: np.random.Generator
) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """The test rows; for mercer's own estimators as a table, built once and not for every permutation."""
    X = prediction_table(estimator, X) if isinstance(estimator, TableEstimator) else as_container(X)
    y, weight = np.asarray(y), None if weight is None else np.asarray(weight, dtype=np.float64)
    n = row_count(X)
    check_consistent_length(np.empty(n), y, weight)
    if n < 2:
        raise BadTable(f"Permutation needs at least two rows; found {n}.")
    if max_rows is None or max_rows >= n:
        return X, y, weight
    rows = np.sort(rng.permutation(n)[:max_rows])
    return take_rows(X, rows), y[rows], None if weight is None else weight[rows]


def _ignored(estimator: Any, X: Any) -> list[str]:
    """Columns that the estimator left out: permuting them changes nothing."""
    if not isinstance(X, Table) or not isinstance(estimator, TableEstimator):
        return []
    return [c.name for c in estimator.schema_.left_out]


def _importance_of(
    X: Any, place: int, name: str, intact: float, score: Callable[[Any], float], rng: np.random.Generator,
    repeats: int, level: float,
) -> Importance:  # fmt: skip
    n = row_count(X)
    decreases = [intact - score(permute_column(X, place, rng.permutation(n))) for _ in range(repeats)]
    return _summarised(name, decreases, level)


def _summarised(name: str, decreases: Sequence[float], level: float) -> Importance:
    bounds = corrected_t(decreases, 0.0, level)  # permutations are independent: nothing to correct
    mean, spread = float(np.mean(decreases)), float(np.std(decreases, ddof=1))
    low, high = (mean if end is None else end for end in (bounds.low, bounds.high))
    return Importance(name, mean, spread, low, high)


def _ranked(found: Sequence[Importance]) -> tuple[Importance, ...]:
    return tuple(sorted(found, key=lambda f: -f.mean))


def table_importance(
    table: Table,
    predict: Callable[[Table], Floats],
    score: Callable[[Floats, Longs], float],
    seed: int,
    repeats: int = REPEATS,
    seconds: float | None = None,
) -> list[Importance]:
    """Every column of the held-out rows, largest decrease first.

    predict : the model. It is asked once for all permutations of a column, and only for rows that these change, which
    are few where most cells are alike.
    score : of predictions for the given rows of the held-out part; higher is better.
    seconds : that it may take; with time for fewer than FEWEST rows, nothing is said.
    Empty for a sparse table or one with more than MOST_COLUMNS columns: there, single columns hardly matter; and where
    the score is not defined.
    """
    n_columns = len(table.schema)
    if table.is_sparse or n_columns > MOST_COLUMNS or n_columns < 1:
        return []
    rng = np.random.default_rng(seed)
    affordable = int(_CELLS / (repeats * n_columns**2))
    rows = np.sort(rng.permutation(len(table))[: max(FEWEST, min(MOST_ROWS, affordable))])
    start = perf_counter()
    copies = table.take(np.tile(rows, repeats))
    usual = predict(copies)
    if seconds is not None:
        spent = (perf_counter() - start) * (n_columns + 1)
        fewer = int(len(rows) * seconds / max(spent, 1e-9))
        if fewer < min(FEWEST, len(rows)):
            return []
        if fewer < len(rows):
            rows = np.sort(rng.permutation(rows)[:fewer])
            copies = table.take(np.tile(rows, repeats))
            usual = predict(copies)
    found, n = [], len(rows)
    intact = score(usual[:n], rows)
    if not np.isfinite(intact):  # as of ROC AUC, where the rows have one class alone
        return []
    for j, name in enumerate(table.columns):
        order = np.concatenate([rng.permutation(n) + n * k for k in range(repeats)])
        predicted, moved = usual.copy(), moved_rows(copies, j, order)
        if len(moved):
            predicted[moved] = predict(permute_column(copies, j, order).take(moved))
        decreases = [intact - score(predicted[n * k : n * (k + 1)], rows) for k in range(repeats)]
        found.append(_summarised(name, decreases, 0.95))
    return list(_ranked(found))

"""What drives the predictions: how much the score falls when one column is shuffled among the rows checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring
from sklearn.utils import check_consistent_length

from mercer.errors import BadTable, MercerError
from mercer.estimators.common.base import TableEstimator
from mercer.evaluate.intervals import corrected_t
from mercer.table import Table
from mercer.table.containers import as_container, column_names, permute_column, row_count, take_rows

REPEATS = 5
MOST_ROWS = 4000  # rows shuffled and predicted; more change the third decimal only
MOST_COLUMNS = 1000
_CELLS = 2e8  # cells predicted in all: fewer rows when there are many columns


@dataclass(frozen=True, slots=True)
class Importance:
    """Fall of the score when the column is shuffled: mean and standard deviation over the repeats.

    `low` and `high` bound the mean over all shuffles that could have been drawn (Student's t); how much the rows
    themselves are a matter of chance they do not say.
    """

    column: str
    mean: float
    spread: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Importances:
    """Every column, largest fall first, and the score of the rows as they are."""

    columns: tuple[Importance, ...]
    score: float
    repeats: int
    level: float

    def __str__(self) -> str:
        width = max(6, *(len(c.column) for c in self.columns))
        head = f"{'column':<{width}} {'fall':>9} {'low':>9} {'high':>9}   (score as is: {self.score:.4f})"
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
    """I_j = score(X, y) - mean over shuffles s of score(X with column j shuffled by s, y): mean decrease in accuracy.

    Of any fitted estimator, mercer's, scikit-learn's or a pipeline, by the columns as they came in: a category is one
    column, however it is encoded inside. Give rows that were not learned from: on training rows, columns learned by
    heart look important (Breiman 2001, section 10). Two columns that say the same stand in for each other, so both
    look less important than they are together.

    Parameters
    ----------
    estimator : fitted
    X, y : rows to check, in any container that the estimator takes
    scoring : name of a scikit-learn scorer, a callable (estimator, X, y) where more is better, or None for
        `estimator.score` (accuracy, or R^2)
    repeats : shuffles of each column, 2 or more
    level : of the interval, between 0 and 1
    sample_weight : of the rows, handed to the scorer
    max_rows : check a random sample of so many rows; None for all
    random_state : seed of the shuffles

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
    found = [_fall(X, j, name, intact, score, rng, repeats, level) for j, name in enumerate(names)]
    found += [Importance(name, 0.0, 0.0, 0.0, 0.0) for name in _ignored(estimator, X)]
    return Importances(_ranked(found), intact, repeats, level)


def _check(repeats: int, level: float, max_rows: int | None) -> None:
    if isinstance(repeats, bool) or not isinstance(repeats, int | np.integer) or repeats < 2:
        raise MercerError(f"repeats={repeats!r} must be a whole number of at least 2: one shuffle has no interval.")
    if not 0 < level < 1:
        raise MercerError(f"level={level!r} must lie between 0 and 1.")
    if max_rows is not None and max_rows < 2:
        raise MercerError(f"max_rows={max_rows!r} must be at least 2, or None for all rows.")


def _rows(
    estimator: Any, X: Any, y: Any, weight: Any, max_rows: int | None, rng: np.random.Generator
) -> tuple[Any, NDArray[Any], NDArray[Any] | None]:
    """The rows to check; mercer's own estimators read them once, not once for every shuffle."""
    X = estimator._predict_table(X) if isinstance(estimator, TableEstimator) else as_container(X)
    y, weight = np.asarray(y), None if weight is None else np.asarray(weight, dtype=np.float64)
    n = row_count(X)
    check_consistent_length(np.empty(n), y, weight)
    if n < 2:
        raise BadTable(f"Shuffling needs at least two rows; found {n}.")
    if max_rows is None or max_rows >= n:
        return X, y, weight
    rows = np.sort(rng.permutation(n)[:max_rows])
    return take_rows(X, rows), y[rows], None if weight is None else weight[rows]


def _ignored(estimator: Any, X: Any) -> list[str]:
    """Columns that the estimator was given and left out: shuffling them changes nothing."""
    if not isinstance(X, Table) or not isinstance(estimator, TableEstimator):
        return []
    return [c.name for c in estimator.schema_.left_out]


def _fall(
    X: Any, place: int, name: str, intact: float, score: Callable[[Any], float], rng: np.random.Generator,
    repeats: int, level: float = 0.95,
) -> Importance:  # fmt: skip
    n = row_count(X)
    falls = [intact - score(permute_column(X, place, rng.permutation(n))) for _ in range(repeats)]
    bounds = corrected_t(falls, 0.0, level)  # shuffles are independent: nothing to correct
    mean, spread = float(np.mean(falls)), float(np.std(falls, ddof=1))
    low, high = (mean if edge is None else edge for edge in (bounds.low, bounds.high))
    return Importance(name, mean, spread, low, high)


def _ranked(found: Sequence[Importance]) -> tuple[Importance, ...]:
    return tuple(sorted(found, key=lambda f: -f.mean))


def table_importance(
    table: Table, score: Callable[[Table, NDArray[np.int64]], float], seed: int, repeats: int = REPEATS
) -> list[Importance]:
    """Every column of the held-out rows, largest decrease first.

    score : of a table standing for the given rows of the held-out part; higher is better.
    Empty for a sparse table or one with more than MOST_COLUMNS columns: there, single columns hardly matter.
    """
    n_columns = len(table.schema)
    if table.is_sparse or n_columns > MOST_COLUMNS or n_columns < 1:
        return []
    rng = np.random.default_rng(seed)
    affordable = int(_CELLS / (repeats * n_columns**2))
    rows = np.sort(rng.permutation(len(table))[: max(200, min(MOST_ROWS, affordable))])
    sample = table.take(rows)
    intact = score(sample, rows)
    found = [
        _fall(sample, j, name, intact, lambda t: score(t, rows), rng, repeats) for j, name in enumerate(table.columns)
    ]
    return list(_ranked(found))

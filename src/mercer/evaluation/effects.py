"""Partial dependence: the average prediction when one column is set to a value in every row, value by value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Longs
from mercer.errors import BadColumn, BadTable, MercerError, did_you_mean
from mercer.evaluation.assessment.labels import label_name, label_names, names_as_known
from mercer.evaluation.pairwise import decides_pairs
from mercer.table import Column, Kind, Table, read_table
from mercer.table.build import with_date_parts
from mercer.table.display.frames import date_cells
from mercer.table.estimator import TableEstimator, prediction_table
from mercer.table.formats.containers import as_container, column_names, permute_column, row_count, take_rows

MISSING_LEVEL = "(missing)"
Unit = Literal["probability", "decision", "prediction"]
_CELLS = 2e7  # predicted at once
_ENDS = 0.01, 0.99  # quantiles between which the values lie: a single outlier would take most of the axis
_MOST_LEVELS = 20
_SPREAD = 0.1, 0.9


@dataclass(frozen=True, slots=True)
class EffectLine:
    """The partial dependence of one class, or of the number predicted: one entry per value of the column.

    Parameters
    ----------
    label : str
        The class; "" for a number.
    average : list of float
        Mean prediction over the rows.
    low, high : list of float
        Confidence interval of that mean, over the choice of the rows.
    lower, upper : list of float
        Between them lie the predictions of the middle 80 % of the rows.
    individual : list of list of float
        Predictions of single rows (individual conditional expectation), a line per row.

    Examples
    --------
    >>> from mercer import EffectLine
    >>> EffectLine("yes", [0.25, 0.75], [0.2, 0.7], [0.3, 0.8], [0.1, 0.6], [0.4, 0.9], []).average
    [0.25, 0.75]
    """

    label: str
    average: list[float]
    low: list[float]
    high: list[float]
    lower: list[float]
    upper: list[float]
    individual: list[list[float]]


@dataclass(frozen=True, slots=True)
class PartialDependence:
    """How the predictions of a model go with one column, as `partial_dependence` returns it.

    Parameters
    ----------
    column : str
        Name of the column.
    scale : {"numbers", "levels", "dates"}
        What its values are.
    values : list of float or list of str
        Numbers in rising order, levels, or dates as "2024-12-31".
    counts : list of int
        Rows of the table nearest to each value, or with that level.
    unit : {"probability", "decision", "prediction"}
        What is averaged.
    lines : tuple of EffectLine
        One for a number, or for the second of two classes; one for each of several classes.
    n_rows : int
        Rows averaged over.
    level : float
        Confidence level of the intervals.

    Examples
    --------
    >>> import mercer
    >>> line = mercer.EffectLine("", [1.0, 3.0], [1.0, 3.0], [1.0, 3.0], [1.0, 3.0], [1.0, 3.0], [])
    >>> mercer.PartialDependence("age", "numbers", [20.0, 40.0], [5, 5], "prediction", (line,), 10, 0.95).range
    2.0
    """

    column: str
    scale: Literal["numbers", "levels", "dates"]
    values: list[float] | list[str]
    counts: list[int]
    unit: Unit
    lines: tuple[EffectLine, ...]
    n_rows: int
    level: float

    @property
    def range(self) -> float:
        """Largest average minus smallest, of the line where it is largest."""
        return max(max(line.average) - min(line.average) for line in self.lines)


def partial_dependence(
    model: Any,
    X: Any,
    column: str | int,
    *,
    label: Any = None,
    n_values: int = 20,
    n_lines: int = 50,
    max_rows: int | None = 500,
    level: float = 0.95,
    random_state: Any = 0,
) -> PartialDependence:
    """PD(v) = mean over rows i of f(x_i with its cell of the column set to v)  (Friedman 2001, section 8.2).

    Of any fitted model, mercer's or scikit-learn's, by the columns as they came in: a category is one column, however
    it is encoded inside. f is the probability of a class, the decision function where there are no probabilities, or
    the number predicted. Values of numbers and dates are quantiles that occur in the table; of levels, the 20 most
    frequent. With a date go its parts (month, weekday, days since another date), which models read as columns. The
    lines of single rows show what the average hides: an effect that differs from row to row.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
        Rows to average over, in any container that the model takes.
    column : str or int
        Its name, or its position.
    label : object, optional
        The class whose probability is taken; None for the second of two classes, and for each of several.
    n_values : int, default=20
        Most values of numbers and dates, 2 or more.
    n_lines : int, default=50
        Most lines of single rows that are kept.
    max_rows : int, optional
        Average over a random sample of so many rows; None for all. 500 when not given.
    level : float, default=0.95
        Confidence level of the intervals.
    random_state : int, default=0
        Seed of the sample of rows.

    Returns
    -------
    effect : PartialDependence
        The values with the average, its interval and the lines of single rows, for each class asked for.

    Raises
    ------
    BadColumn
        If there is no such column, or it holds text or nothing.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0, 4.0] * 5, "shop": ["a", "b", "b", "a", "a"] * 4}
    >>> model = mercer.LinearRegression().fit(rows, [10.0, 20.0, 30.0, 40.0] * 5)
    >>> effect = mercer.partial_dependence(model, rows, "size")
    >>> effect.values, [round(v, 6) for v in effect.lines[0].average]
    ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0])
    """
    _check(n_values, n_lines, max_rows, level)
    check_is_fitted(model)
    X = prediction_table(model, X) if isinstance(model, TableEstimator) else as_container(X)
    place, described, cells = column_cells(X, column)
    donors, values, counts = _grid(described, cells, n_values)
    rng = np.random.default_rng(random_state)
    n = row_count(X)
    rows = np.arange(n) if max_rows is None or max_rows >= n else np.sort(rng.permutation(n)[:max_rows])
    given = _Moved(X, place, described.is_date)
    labels, unit, answers = _answers(model, given, rows, donors, label)
    kept = np.sort(rng.permutation(len(rows))[:n_lines])
    lines = tuple(_line(name, answers[:, :, k], kept, level) for k, name in enumerate(labels))
    return PartialDependence(
        described.name, _scale(described), values, counts, unit, lines, len(rows), level
    )  # fmt: skip


def _check(n_values: int, n_lines: int, max_rows: int | None, level: float) -> None:
    if n_values < 2 or n_lines < 0 or (max_rows is not None and max_rows < 1):
        raise MercerError(
            f"n_values={n_values!r}, n_lines={n_lines!r} and max_rows={max_rows!r} must be at least 2, 0 and 1."
        )
    if not 0 < level < 1:
        raise MercerError(f"level={level!r} must lie between 0 and 1.")


def column_cells(X: Any, column: str | int) -> tuple[int, Column, NDArray[Any]]:
    """Place of a column, what it is, and its cells: numbers (NaN is missing) or codes of levels (-1 is missing)."""
    names = column_names(X)
    place = _place(names, column, X)
    table = X if isinstance(X, Table) else read_table(X)
    described = table.schema[names[place]]  # says why, if the column was left out
    if described.kind is Kind.TEXT:
        raise BadColumn(f"Column {described.name!r} is text: it has no values to go through. Choose another column.")
    numeric = described.kind is Kind.NUMERIC
    cells = (table.numbers(described.name) if numeric else table.codes(described.name))[:, 0]
    if table.missing(described.name).all():
        raise BadColumn(f"Every cell of column {described.name!r} is missing in these rows.")
    return place, described, cells


def _place(names: Sequence[str], column: str | int, X: Any) -> int:
    if isinstance(column, str):
        if column in names:
            return list(names).index(column)
        if isinstance(X, Table):
            X.schema.position(column)
        raise BadColumn(f"There is no column {column!r}. {did_you_mean(column, names)}")
    if not isinstance(column, int | np.integer):
        raise BadColumn(f"column={column!r}: give one column, by its name or position.")
    if not 0 <= column < len(names):
        raise BadColumn(f"There is no column at position {column}: there are {len(names)} columns.")
    return int(column)


def _scale(column: Column) -> Literal["numbers", "levels", "dates"]:
    return "levels" if column.kind.categorical else "dates" if column.is_date else "numbers"


def _grid(column: Column, cells: NDArray[Any], n_values: int) -> tuple[Longs, Any, list[int]]:
    """A row that holds each value, the values as they are shown, and how many rows are near each."""
    if column.kind.categorical:
        return _levels(column, cells)
    known = cells[~np.isnan(cells)]
    distinct = np.unique(known)
    if len(distinct) > n_values:
        shares = np.linspace(*_ENDS, n_values)
        distinct = np.unique(np.quantile(known, shares, method="closest_observation"))
    donors = np.array([np.flatnonzero(cells == value)[0] for value in distinct])
    nearest = np.searchsorted((distinct[1:] + distinct[:-1]) / 2, known)
    counts = np.bincount(nearest, minlength=len(distinct)).tolist()
    return donors, _dates(column, distinct) if column.is_date else distinct.astype(float).tolist(), counts


def _dates(column: Column, days: Floats) -> list[str]:
    moments = date_cells(column, days)
    if (days == np.floor(days)).all():
        return [str(day) for day in moments.astype("datetime64[D]")]
    return [str(moment) for moment in moments.astype("datetime64[s]")]


def _levels(column: Column, codes: NDArray[Any]) -> tuple[Longs, list[str], list[int]]:
    """The most frequent levels, in order if they have one, and missing cells behind them."""
    found, first, counts = np.unique(codes, return_index=True, return_counts=True)
    known = found < len(column.levels)  # a level that the model has never seen has no name
    found, first, counts = found[known], first[known], counts[known]
    order = np.argsort(-counts, kind="stable")[:_MOST_LEVELS]
    if column.kind is not Kind.CATEGORY:
        order = np.sort(order)
    order = np.concatenate([order[found[order] >= 0], order[found[order] < 0]])
    names = [column.levels[c] if c >= 0 else MISSING_LEVEL for c in found[order]]
    return first[order], names, counts[order].tolist()


@dataclass(frozen=True, slots=True)
class _Moved:
    """Rows, and the place of the column whose cells are set: with a date go its month, weekday and other parts."""

    rows: Any
    place: int
    is_date: bool

    def of(self, some: Longs, source: Longs) -> Any:
        """Rows `some` whose cells in the column are those of their rows `source`."""
        found = permute_column(take_rows(self.rows, some), self.place, source)
        return with_date_parts(found) if self.is_date and isinstance(found, Table) else found


def _answers(model: Any, given: _Moved, rows: Longs, donors: Longs, label: Any) -> tuple[list[str], Unit, Floats]:
    """Names of the lines, their unit, and predictions of shape (n_rows, n_values, n_lines)."""
    at_once = max(1, int(_CELLS / (max(1, len(rows)) * len(column_names(given.rows)))))
    parts = []
    for start in range(0, len(donors), at_once):
        some = donors[start : start + at_once]
        n = len(rows) * len(some)
        # every row once per value, and behind them the rows that hold the values
        stacked = np.concatenate([np.tile(rows, len(some)), some])
        source = n + np.concatenate([np.repeat(np.arange(len(some)), len(rows)), np.arange(len(some))])
        names, unit, found = predictions(model, given.of(stacked, source), label)
        parts.append(found[:n].reshape(len(some), len(rows), -1))
    return names, unit, np.concatenate(parts).swapaxes(0, 1)


def predictions(model: Any, X: Any, label: Any = None) -> tuple[list[str], Unit, Floats]:
    """Names of the classes asked for, what is predicted, and (n_rows, n_classes) or (n_rows, 1) of it.

    label : a class; None for the second of two, and for each of several
    """
    classes = getattr(model, "classes_", None)
    if classes is None or not (is_classifier(model) or hasattr(model, "predict_proba")):
        return [""], "prediction", _columns(model.predict(X))
    classes = np.asarray(classes)
    proba = hasattr(model, "predict_proba")
    if not proba and (decides_pairs(model) or not hasattr(model, "decision_function")):
        raise MercerError(
            f"The {type(model).__name__} gives neither probabilities nor a decision for each class, but labels or "
            "decisions of pairs. Take a model that does, such as a soft vote, or a machine that decides one against "
            "the rest."
        )
    found = _columns(model.predict_proba(X) if proba else model.decision_function(X))
    unit: Unit = "probability" if proba else "decision"
    if found.shape[1] == 1 and len(classes) == 2:
        found = np.hstack([-found, found])
    if found.shape[1] != len(classes):
        raise MercerError(f"The model gives {found.shape[1]} decisions for {len(classes)} classes: one each is needed.")
    wanted = [class_place(classes, label)] if label is not None else [1] if len(classes) == 2 else range(len(classes))
    names = label_names(classes)
    return [names[k] for k in wanted], unit, found[:, list(wanted)]


def class_place(classes: NDArray[Any], label: Any) -> int:
    """Where a class stands among those of a model, by itself or by its name.

    Raises
    ------
    MercerError
        If it is none of them.
    """
    names = label_names(classes)
    named = names_as_known([label_name(label)], names)[0]
    if named not in names:
        raise MercerError(f"There is no class {label!r}. {did_you_mean(named, names)}")
    return names.index(named)


def _columns(found: Any) -> Floats:
    values = np.asarray(found, dtype=np.float64)
    if values.ndim > 1 and values.shape[1] == 0:
        raise BadTable("The model predicts nothing for these rows.")
    return values.reshape(len(values), -1)


def _line(label: str, answers: Floats, kept: Longs, level: float) -> EffectLine:
    """answers : (n_rows, n_values)"""
    n, average = len(answers), answers.mean(axis=0)
    error = answers.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(len(average))
    half = error * (stdtrit(n - 1, (1 + level) / 2) if n > 1 else 0.0)
    lower, upper = np.quantile(answers, _SPREAD, axis=0).tolist()
    low, high = (average - half).tolist(), (average + half).tolist()
    return EffectLine(label, average.tolist(), low, high, lower, upper, answers[kept].tolist())

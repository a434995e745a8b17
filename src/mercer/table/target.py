"""The target: a class or a number, as one column or several, labels as codes."""

from __future__ import annotations

import contextlib
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mercer.errors import BadTarget
from mercer.table.formats.cells import LONG
from mercer.table.formats.frames import column_values, is_frame, moments
from mercer.table.kinds.parts import seconds, typed_days

_SHOWN = 5


class Task(StrEnum):
    """What is predicted: a class or a number.

    Examples
    --------
    >>> from mercer.table import Task
    >>> Task("regression") is Task.REGRESSION
    True
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


def target_columns(y: Any, n_rows: int) -> list[Any] | None:
    """The columns of a target of two dimensions, each to be checked on its own; None when it has one dimension."""
    if sp.issparse(y):
        raise BadTarget("The target is a sparse matrix. Use y.toarray().")
    if is_frame(y):
        return column_values(y)
    y = in_64_bits(y)
    cells = np.asarray(y)
    if cells.ndim < 2:
        return None
    _expect_no_label_missing(y, cells)
    if cells.ndim > 2 or not cells.shape[1]:
        raise BadTarget(f"The target must be a column, or columns side by side; its shape is {cells.shape}.")
    check_consistent_length(np.empty(n_rows), cells)
    return list(cells.T)


def in_numbers(y: Any) -> Any:
    """Dates as days since 1970-01-01, times and durations in seconds, as in a table; anything else as it is."""
    cells = moments("y", y)
    if cells is None:
        return y
    return (typed_days(cells) if cells.dtype in (pl.Date, pl.Datetime) else seconds(cells)).to_numpy()


def one_column(y: Any, n_rows: int) -> NDArray[Any]:
    """The target as an array (n_rows,), checked: one dimension, that many rows, no cell missing."""
    if y is None:
        raise ValueError("y cannot be None: this estimator requires y to be passed, but the target y is None.")
    if isinstance(y, str):
        raise BadTarget(
            f"y is the text {y!r}, not a column of labels. If it names a column of X, give that column as y and leave "
            f"it out of X: fit(X.drop(columns={y!r}), X[{y!r}]). mercer.train(X, {y!r}) takes the name."
        )
    y = in_64_bits(y)
    if hasattr(y, "to_numpy"):
        y = np.asarray(y) if hasattr(y, "to_pylist") else y.to_numpy()  # pyarrow's own refuses to copy texts
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf"  # for which the check takes a millisecond
    values: NDArray[Any] = y if plain else column_or_1d(y, warn=True)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise _missing("NaN or infinity", ~np.isfinite(values))
    _expect_no_label_missing(y, values)
    check_consistent_length(np.empty(n_rows), values)
    return _unboxed(values)


def _unboxed(values: NDArray[Any]) -> NDArray[Any]:
    """Truth values or whole numbers among objects, as pandas keeps them beside a missing cell, as an array of these."""
    if values.dtype != object or not len(values):
        return values
    kind = type(values[0])
    if kind not in (bool, int, np.bool_) or any(type(v) is not kind for v in values):
        return values
    typed = np.array(values.tolist())
    return typed if typed.dtype.kind in "bi" else values  # beyond 64 bits


def in_64_bits(y: Any) -> Any:
    """Whole numbers of polars' 128 bits in 64, since NumPy has no more; anything else as it is."""
    if not isinstance(y, pl.Series) or y.dtype not in LONG:
        return y
    cells = y.cast(pl.Int64, strict=False)
    if cells.null_count() > y.null_count():
        row = int((cells.is_null() & y.is_not_null()).arg_max() or 0)
        raise BadTarget(
            f"Input y holds {y[row]} in y[{row}], beyond 64 bits: use y.cast(pl.Float64) for amounts, or pl.String for "
            "classes."
        )
    return cells


def _expect_no_label_missing(y: Any, cells: NDArray[Any]) -> None:
    """Refuse None, NaN, NaT and pandas.NA, also where NumPy wrote NaN in a list of labels as the text 'nan'."""
    if cells.dtype.kind in "Mm" and np.isnat(cells).any():
        raise _missing("missing values (NaT)", np.isnat(cells))
    if cells.dtype.kind in "US" and not isinstance(y, np.ndarray):
        cells = np.asarray(y, dtype=object)
    if cells.dtype != object:
        return
    labels = cells.ravel().tolist()
    with contextlib.suppress(TypeError):  # a label without a hash
        labels = list(set(labels))
    if any(map(_is_missing, labels)):
        where = np.array([_is_missing(v) for v in cells.ravel().tolist()]).reshape(cells.shape)
        raise _missing("missing values (None, NaN or NA)", where)


def _is_missing(label: Any) -> bool:
    return label is None or type(label).__name__ in ("NAType", "NaTType") or bool(np.any(label != label))


def _missing(what: str, where: NDArray[np.bool_]) -> BadTarget:
    """The error, with the first rows (counted from 0, as arrays are) in which a label is missing."""
    rows = np.flatnonzero(where.reshape(len(where), -1).any(axis=1))
    shown = ", ".join(map(str, rows[:_SHOWN])) + (f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else "")
    named = f"y[{shown}]" if len(rows) == 1 else f"rows {shown} of y"
    return BadTarget(f"Input y contains {what} in {named}: leave out the rows whose target is missing.")


def class_codes(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Classes in increasing order and each row's place among them; a target that is not classes is refused.

    Classes of objects are objects, as scikit-learn's are: predictions can then be written beside longer labels.
    """
    y = one_column(y, n_rows)
    if y.dtype == object and not all(isinstance(v, str) for v in y):
        check_classification_targets(y)
    classes, codes = label_codes(y)
    if classes.dtype.kind not in "biu":  # whole numbers are classes
        check_classification_targets(np.repeat(classes, 3))  # once each, scikit-learn would warn of a class per row
    return classes.astype(y.dtype, copy=False) if y.dtype == object else classes, codes


def label_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Sorted distinct labels and each row's place among them. Small whole numbers are looked up, not sorted."""
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < max(1000, len(y)):
            shifted = y - low
            present = np.zeros(high - low + 1, dtype=bool)
            present[shifted] = True
            place = (np.cumsum(present) - 1).astype(np.int32)
            return (np.flatnonzero(present) + low).astype(y.dtype), place[shifted]
    if y.dtype == object:
        names = sorted(set(y))
        place_of = {name: k for k, name in enumerate(names)}
        return np.array(names), np.fromiter((place_of[v] for v in y), dtype=np.int32, count=len(y))
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32)

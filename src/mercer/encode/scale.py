"""Numbers on a common scale: z-score, min-max, unit length."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_is_fitted

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder, known_numbers
from mercer.errors import BadColumn, MercerError
from mercer.parameters import Choice, Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Columns, Kind, Schema, Selector, Table, conform_table
from mercer.table.assemble import with_numbers, without_formats
from mercer.table.estimator import is_array

Center = Literal[True, False, "auto"]
Norm = Literal["l2", "l1", "max"]
_HUGE = 1e150  # squares of larger numbers, and of numbers below its reciprocal, leave the range of a double


class Affine(Encoder):
    """Base of ZScore and MinMax: z = (x - shift) / scale, a shift and a scale for each column."""

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    shift_: Floats
    scale_: Floats

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        return without_formats(schema, names)  # a scaled date is a date no more

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        if table.is_sparse:
            return _changed(self, table, _divide_sparse(table.csr(self.names_), self.scale_))
        values = table.numbers(self.names_)
        z = (values - self.shift_) / self.scale_
        return _changed(self, table, z.astype(values.dtype, copy=False))

    def inverse_transform(self, X: Any) -> Any:
        """x = z * scale + shift: the numbers that `transform` was given.

        Parameters
        ----------
        X : Table, data frame or array-like of shape (n_rows, n_columns)
            What `transform` returned.

        Returns
        -------
        original : Table or ndarray of shape (n_rows, n_columns)
            The rows before `transform`.
        """
        check_is_fitted(self, "schema_out_")
        if not is_array(X):
            table = conform_table(X, self.schema_out_)
            original = with_numbers(table, self.names_, table.numbers(self.names_) * self.scale_ + self.shift_)
            return replace(original, schema=self.schema_)
        values = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", copy=True)
        if values.shape[1] != len(self.schema_):
            raise BadColumn(f"X has {values.shape[1]} columns; {len(self.schema_)} were transformed.")
        places = [self.schema_.position(n) for n in self.names_]
        values[:, places] = values[:, places] * self.scale_ + self.shift_
        return values

    def _fitted_state(self) -> State:
        return {"shift": self.shift_, "scale": self.scale_}

    def _restore_fitted(self, state: Reader) -> None:
        self.shift_ = state.array("shift", "float64", (len(self.names_),))
        self.scale_ = state.array("scale", "float64", (len(self.names_),), low=np.nextafter(0.0, 1.0))


@shares_docs()
class ZScore(Affine):
    """z = (x - m) / s,  m the mean of the column, s = sqrt(sum (x - m)^2 / (n - ddof)).

    For learners that compare columns with each other: distances, kernels, penalties, gradient descent. A
    constant column becomes 0. Missing cells are skipped in m and s, and stay missing.

    Parameters
    ----------
    center : {True, False, "auto"}, default True
        Whether m is subtracted; False divides by s alone, which keeps sparse numbers sparse; "auto" centres unless
        sparse.
    ddof : int, default 0
        0 or 1; 1 gives the sample standard deviation.
    {encoded_numeric}

    Attributes
    ----------
    shift_ : ndarray of shape (n_selected,)
        m, or 0 where it is not subtracted.
    scale_ : ndarray of shape (n_selected,)
        s; 1 for a constant column.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import ZScore
    >>> ZScore().fit_transform([[1.0], [2.0], [3.0]]).ravel().round(3).tolist()
    [-1.225, 0.0, 1.225]
    """

    parameters: ClassVar[Parameters] = {
        "center": Choice(Center), "ddof": Number(0, 1, whole=True), "on": Columns(),
    }  # fmt: skip

    def __init__(self, center: Center = True, ddof: int = 0, *, on: Selector = None) -> None:
        self.center = center
        self.ddof = ddof
        self.on = on

    def _sparse_allowed(self) -> bool:
        return self.center is not True

    def _learn(self, table: Table, y: Any) -> None:
        if table.is_sparse:
            mean, deviation = _sparse_moments(table.csr(self.names_), self.ddof, self.names_)
        else:
            mean, deviation = _moments(known_numbers(table, self.names_), self.ddof, self.names_)
        self._set_moments(mean, deviation, sparse=table.is_sparse)

    def _set_moments(self, mean: Floats, deviation: Floats, *, sparse: bool) -> None:
        centred = self.center is True or (self.center == "auto" and not sparse)
        self.shift_ = mean if centred else np.zeros_like(mean)
        self.scale_ = np.where(deviation > 0, deviation, 1.0)


def _moments(values: Floats, ddof: int, names: tuple[str, ...]) -> tuple[Floats, Floats]:
    """Mean and deviation of each column; exact for constant ones, safe for very large and small numbers."""
    count = (~np.isnan(values)).sum(axis=0)
    enough_numbers(count, ddof, names)
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    unit = safe_unit(low, high)
    scaled = values if (unit == 1).all() else values / unit
    mean = np.nanmean(scaled, axis=0)
    deviation = np.sqrt(np.nansum((scaled - mean) ** 2, axis=0) / (count - ddof))
    constant = low == high
    return np.where(constant, low, mean * unit), np.where(constant, 0.0, deviation * unit)


def safe_unit(low: Floats, high: Floats) -> Floats:
    """What numbers from low to high are divided by so that their squares are within the range of a double."""
    peak = np.maximum(np.abs(low), np.abs(high))
    return np.where((peak > _HUGE) | ((peak < 1 / _HUGE) & (peak > 0)), peak, 1.0)


def _sparse_moments(values: sp.csr_array, ddof: int, names: tuple[str, ...]) -> tuple[Floats, Floats]:
    known, unknown = values.copy(), values.copy()
    known.data, unknown.data = np.nan_to_num(values.data), np.isnan(values.data).astype(np.float64)
    count = values.shape[0] - np.asarray(unknown.sum(axis=0)).ravel()
    enough_numbers(count, ddof, names)
    mean = np.asarray(known.sum(axis=0)).ravel() / count
    residual = known.copy()
    residual.data = np.where(np.isnan(values.data), 0.0, (known.data - mean[known.indices]) ** 2)
    zeros = count - np.bincount(known.indices, ~np.isnan(values.data), minlength=known.shape[1])
    squares = np.asarray(residual.sum(axis=0)).ravel() + zeros * mean**2
    low, high = (np.asarray(m.todense()).ravel() for m in (known.min(axis=0), known.max(axis=0)))
    return mean, np.where(low == high, 0.0, np.sqrt(squares / (count - ddof)))


def enough_numbers(count: NDArray[Any], ddof: int, names: tuple[str, ...]) -> None:
    """BadColumn where a column has no more known numbers than `ddof`."""
    few = count <= ddof
    if few.any():
        name = names[int(few.argmax())]
        raise BadColumn(f"Column {name!r} has {int(count[few][0])} known numbers; {ddof + 1} are needed.")


def _divide_sparse(values: sp.csr_array, scale: Floats) -> sp.csr_array:
    result = values.copy()
    result.data = values.data / scale[values.indices]
    return result


@shares_docs()
class MinMax(Affine):
    """z = low + (high - low) (x - a) / (b - a),  [a, b] the range of the column.

    For learners that want bounded inputs. Numbers outside the fitted range leave [low, high] unless `clip`; a
    constant column becomes `low`. Missing cells stay missing.

    Parameters
    ----------
    low : float, default 0.0
        What the least number of a column becomes.
    high : float, default 1.0
        What the largest number of a column becomes, above `low`.
    clip : bool, default False
        Whether numbers outside the fitted range are cut back to it.
    {encoded_numeric}

    Attributes
    ----------
    shift_ : ndarray of shape (n_selected,)
        What is subtracted from each column.
    scale_ : ndarray of shape (n_selected,)
        What each column is then divided by.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import MinMax
    >>> MinMax().fit_transform([[10.0], [15.0], [30.0]]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """

    parameters: ClassVar[Parameters] = {
        "low": Number(-_HUGE, _HUGE), "high": Number(-_HUGE, _HUGE), "clip": Flag(), "on": Columns(),
    }  # fmt: skip
    keeps_zeros = False

    def __init__(self, low: float = 0.0, high: float = 1.0, *, clip: bool = False, on: Selector = None) -> None:
        self.low = low
        self.high = high
        self.clip = clip
        self.on = on

    def _learn(self, table: Table, y: Any) -> None:
        values = known_numbers(table, self.names_)
        self._set_range(np.nanmin(values, axis=0), np.nanmax(values, axis=0))

    def _set_range(self, least: Floats, most: Floats) -> None:
        if self.low >= self.high:
            raise MercerError(f"MinMax(low={self.low}, high={self.high}): low must be below high.")
        # Halves, because the whole range of very large numbers is beyond a double.
        half = most / 2 - least / 2
        if (half >= np.finfo(np.float64).max / 2).any():
            name = self.names_[int(half.argmax())]
            raise BadColumn(f"Column {name!r} spans more than a double can hold. Divide its numbers first.")
        half = np.where(half > 0, half, 0.5)
        self.scale_ = half / (self.high / 2 - self.low / 2)
        self.shift_ = least - self.low * self.scale_

    def _apply(self, table: Table) -> Table:
        out = super()._apply(table)
        if not self.clip or not self.names_:
            return out
        return with_numbers(out, self.names_, np.clip(out.numbers(self.names_), self.low, self.high))


@shares_docs()
class UnitLength(Encoder):
    """z = x / |x| for each row x over the chosen columns; |x| is the l2, l1 or max norm.

    For rows whose direction matters and not their size, e.g. word counts of long and short texts. A row of
    zeros stays. The norm skips missing cells, which stay missing.

    Parameters
    ----------
    norm : {"l2", "l1", "max"}, default "l2"
        What the length of a row is.
    {encoded_numeric}

    Attributes
    ----------
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import UnitLength
    >>> UnitLength().fit_transform([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {"norm": Choice(Norm), "on": Columns()}

    def __init__(self, norm: Norm = "l2", *, on: Selector = None) -> None:
        self.norm = norm
        self.on = on

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        return without_formats(schema, names)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        if table.is_sparse:
            return _changed(self, table, self._sparse(table.csr(self.names_)))
        values = table.numbers(self.names_)
        known = np.nan_to_num(np.abs(values))
        # Divide by the largest first, so that squares neither overflow nor vanish.
        peak = _or_one(known.max(axis=1, keepdims=True))
        unit = values / peak
        return _changed(self, table, unit / self._length(known / peak))

    def _length(self, known: NDArray[Any]) -> NDArray[Any]:
        if self.norm == "max":
            return _or_one(known.max(axis=1, keepdims=True))
        lengths = known.sum(axis=1) if self.norm == "l1" else np.sqrt(np.einsum("ij,ij->i", known, known))
        return _or_one(lengths[:, None])

    def _sparse(self, values: sp.csr_array) -> sp.csr_array:
        known = values.copy()
        known.data = np.nan_to_num(np.abs(values.data))
        peak = _or_one(np.asarray(known.max(axis=1).todense()).ravel())
        rows = np.repeat(np.arange(values.shape[0]), np.diff(values.indptr))
        known.data = known.data / peak[rows]
        if self.norm == "max":
            lengths = np.asarray(known.max(axis=1).todense()).ravel()
        else:
            power = known if self.norm == "l1" else known.multiply(known)
            lengths = np.asarray(power.sum(axis=1)).ravel()
            lengths = lengths if self.norm == "l1" else np.sqrt(lengths)
        result = values.copy()
        result.data = values.data / peak[rows] / _or_one(lengths)[rows]
        return result


def _or_one(lengths: NDArray[Any]) -> NDArray[Any]:
    found: NDArray[Any] = np.where(lengths == 0, np.ones_like(lengths), lengths)
    return found


def _changed(encoder: Encoder, table: Table, values: Any) -> Table:
    """The table with these numbers in the columns that the encoder changes."""
    return replace(with_numbers(table, encoder.names_, values), schema=encoder.schema_out_)

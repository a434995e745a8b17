"""The clinical kernel: continuous, ordinal and nominal columns on equal terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadColumn, NotNumeric
from mercer.kernels.base import Kernel
from mercer.kernels.registry import register
from mercer.parameters import Choice, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Kind, Selector, Table, kind

Missing = Literal["level", "ignore"]


@register
@shares_docs()
class Clinical(Kernel):
    """k(a, b) = 1/d sum_k S_k, with S_k = max(0, 1 - |a_k - b_k| / r_k) for numbers and ordered levels, and
    S_k = [a_k = b_k] for other levels

    r_k is the range in fit, for ordered levels the number of steps between the first and the last. Every column counts
    alike, whatever its unit, and needs no scaling. Within the range it is the formula of Daemen and De Moor; cells
    further apart than the range have nothing in common, which keeps the kernel positive semi-definite.

    Parameters
    ----------
    missing : {"level", "ignore"}, default "level"
        "level" treats missing cells as alike, and as unlike all others; "ignore" as no evidence: the column adds
        nothing to the similarity, not even between two missing cells.
    on : selector, default kind("numeric", "binary", "category", "ordinal")
        The columns compared.

    Attributes
    ----------
    ranges_ : ndarray of shape (n_columns,)
        r_k of each column; 0 where levels have no order.
    {compared_schema_}

    References
    ----------
    Daemen and De Moor (2009), Development of a kernel function for clinical data.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Clinical
    >>> rows = read_table({"age": [20.0, 60.0, 30.0], "stage": ["I", "III", "II"]}, kinds={"stage": ["I", "II", "III"]})
    >>> Clinical().fit(rows).gram(rows)
    array([[1.   , 0.   , 0.625],
           [0.   , 1.   , 0.375],
           [0.625, 0.375, 1.   ]])
    """

    parameters: ClassVar[Parameters] = {"missing": Choice(Missing), "on": Columns()}

    def __init__(
        self, missing: Missing = "level", *, on: Selector = kind("numeric", "binary", "category", "ordinal")
    ) -> None:
        self.missing = missing
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        self.ranges_ = np.array([self._range(column, tables, weight) for column in self.schema_])

    def _range(self, column: Column, tables: Sequence[Table], weight: Array) -> float:
        if column.kind is Kind.ORDINAL:
            return float(len(column.levels) - 1)
        if column.kind is not Kind.NUMERIC:
            return 0.0
        cells = np.concatenate([t.numbers(column.name)[:, 0] for t in tables]).astype(np.float64)
        known = cells[np.isfinite(cells) & (weight > 0)]
        return float(known.max() - known.min()) if len(known) else 0.0

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = np.zeros((len(a), len(b)))
        for column, width in zip(self.schema_, self.ranges_, strict=True):
            x = _places(column, a)
            y = x if b is a else _places(column, b)
            found += self._similarity(x[:, None], y[None, :], width)
        return np.asarray((found / len(self.schema_)).astype(dtype, copy=False))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        own = np.zeros(len(a))
        for column, width in zip(self.schema_, self.ranges_, strict=True):
            x = _places(column, a)
            own += self._similarity(x, x, width)
        return (own / len(self.schema_)).astype(dtype)

    def _similarity(self, x: Floats, y: Floats, width: float) -> Floats:
        gaps = np.isnan(x) & np.isnan(y)
        with np.errstate(invalid="ignore"):
            alike = np.maximum(1 - np.abs(x - y) / width, 0) if width > 0 else (x == y).astype(np.float64)
            alike = np.where(x == y, 1.0, np.where(np.isnan(alike), 0.0, alike))
        return np.asarray(np.where(gaps, float(self.missing == "level"), alike))

    def _refuse(self, column: Column) -> BadColumn | None:
        if column.kind is not Kind.TEXT:
            return None
        return NotNumeric(f"Clinical compares numbers and levels, but column {column.name!r} is text. Use Words.")

    def _learned(self) -> State:
        return super()._learned() | {"ranges": self.ranges_}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.ranges_ = state.array("ranges", "float64", (len(self.schema_),), low=0.0)


def _places(column: Column, table: Table) -> Floats:
    """Numbers as they are and levels by their place, NaN where missing; a level never seen is far from all others."""
    if column.kind is Kind.NUMERIC:
        return np.asarray(table.numbers(column.name)[:, 0], dtype=np.float64)
    codes = table.codes(column.name)[:, 0].astype(np.float64)
    codes[codes < 0] = np.nan
    codes[codes >= len(column.levels)] = 4.0 * len(column.levels)
    return codes

"""Any table as numbers for a numeric kernel: scaled, filled, levels as dummies; all learned from the training
rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from mercer._core.gram import KernelSpec
from mercer.arrays import Array
from mercer.errors import BadFile, BadTable
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.kernels.composite import Composite
from mercer.kernels.registry import register
from mercer.parameters import Choice, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Kind, Schema, Table
from mercer.table.blocks import Codes, Numbers, SparseNumbers

_CELLS = 1 << 21  # cells of which copies are made at a time


@register
class Encoded(Composite):
    """k(a, b) = kernel(E(a), E(b)), with E the numbers of a row scaled and filled, and dummies of its levels

    Parameters
    ----------
    kernel : a kernel
    scaling : of numbers: "standard" ((x - mean) / standard deviation), "minmax" (to [0, 1]) or "none". Sparse
        numbers are divided without being shifted. A constant column becomes 0 ("none": stays as it is)
    missing : what a missing number becomes: "mean" or "median" of the column
    levels : "dummies" adds a column of 0 and 1 per level, which is 0 throughout for a missing cell and for a
        level never seen; "keep" leaves categories to the kernel, as categories

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Encoded, Linear
    >>> rows = read_table({"age": [30.0, 50.0, 40.0, None], "job": ["sales", "clerk", "sales", "clerk"]})
    >>> Encoded(Linear(), scaling="minmax").fit(rows).gram(rows)
    array([[1.  , 0.  , 1.  , 0.  ],
           [0.  , 2.  , 0.5 , 1.5 ],
           [1.  , 0.5 , 1.25, 0.25],
           [0.  , 1.5 , 0.25, 1.25]])
    """

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL_OBJECT,
        "scaling": Choice(("standard", "minmax", "none")),
        "missing": Choice(("mean", "median")),
        "levels": Choice(("dummies", "keep")),
    }

    def __init__(
        self, kernel: Kernel, *, scaling: str = "standard", missing: str = "mean", levels: str = "dummies"
    ) -> None:
        self.kernel = kernel
        self.scaling = scaling
        self.missing = missing
        self.levels = levels

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        first = tables[0]
        self.input_ = Schema(first.schema.columns, named=first.schema.named)
        blocks = [t.number_block for t in tables]
        if any(isinstance(b, SparseNumbers) for b in blocks):
            self._learn_sparse(sp.vstack([sp.csr_array(b.values) for b in blocks], format="csr"), weight)
        else:
            self._learn_dense([b.dense() for b in blocks], weight)
        super()._fit([self.encode(t) for t in tables], weight)
        self.schema_ = self.input_

    def _learn_dense(self, blocks: list[Array], weight: Array) -> None:
        """A few columns at a time: copies of a long table would take more memory than the kernel may."""
        width, step = blocks[0].shape[1], max(1, _CELLS // len(weight))
        found = [np.zeros((3, 0))]
        for start in range(0, width, step):
            x = np.vstack([b[:, start : start + step] for b in blocks]).astype(np.float64, copy=False)
            found.append(self._learn_columns(x, weight, self.input_.of_kind(Kind.NUMERIC)[start : start + step]))
        self.fill_, self.shift_, self.factor_ = np.hstack(found)

    def _learn_columns(self, x: Array, weight: Array, names: Sequence[str]) -> Array:
        """What becomes of a missing cell, what is taken off, and the factor; (3, n_columns)."""
        if np.isinf(x).any():
            row, place = (int(i) for i in np.argwhere(np.isinf(x))[0])
            name = names[place]
            raise BadTable(
                f"Encoded cannot scale infinity: column {name!r}, row {row + 1}. Mend it, or make it missing."
            )
        known = ~np.isnan(x) & (weight > 0)[:, None]
        mass = np.where(known, weight[:, None], 0.0)
        total = np.where(known.any(axis=0), mass.sum(axis=0), 1.0)
        filled = np.where(known, x, 0.0)  # a column without any number is filled with 0
        with np.errstate(over="ignore", invalid="ignore"):
            mean = (mass * filled).sum(axis=0) / total
            deviation = np.sqrt((mass * (filled - mean) ** 2).sum(axis=0) / total)
        self._refuse_overflow(deviation, names)
        low, high = np.where(known, x, mean).min(axis=0), np.where(known, x, mean).max(axis=0)
        fill = mean if self.missing == "mean" else _medians(x, mass)
        none = np.zeros(x.shape[1])
        shift = {"standard": mean, "minmax": low, "none": none}[self.scaling]
        width = {"standard": deviation, "minmax": high - low, "none": none + 1}[self.scaling]
        factor = width if self.scaling == "none" else _inverse(width, np.maximum(np.abs(low), np.abs(high)))
        return np.array([fill, shift, factor])

    def _learn_sparse(self, x: Any, weight: Array) -> None:
        filled = x.copy()
        filled.data = np.nan_to_num(filled.data)
        share = sp.csr_array(weight[None, :] / weight.sum())
        mean = (share @ filled).toarray().ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            square = (share @ filled.multiply(filled)).toarray().ravel()
        self._refuse_overflow(square, self.input_.of_kind(Kind.NUMERIC))
        largest = np.abs(filled[weight > 0]).max(axis=0).toarray().ravel()
        none = np.zeros(x.shape[1])
        deviation = np.sqrt(np.maximum(square - mean**2, 0))
        width = {"standard": deviation, "minmax": largest, "none": none + 1}[self.scaling]
        self.fill_, self.shift_ = mean, none
        self.factor_ = width if self.scaling == "none" else _inverse(width, largest)

    def _refuse_overflow(self, size: Array, names: Sequence[str]) -> None:
        if not np.isfinite(size).all():
            name = names[int(np.argmin(np.isfinite(size)))]
            raise BadTable(
                f"Column {name!r} is too large to compare: its squares overflow. Divide it, or take its log."
            )

    def encode(self, table: Table) -> Table:
        """The table as the inner kernel sees it."""
        numbers = self._numbers(table)
        if self.levels == "keep":
            return replace(table.select(self.input_.names), number_block=numbers)
        values: Any = numbers.values
        dummies = [_dummies(table.codes(c.name)[:, 0], len(c.levels), values.dtype) for c in self._coded()]
        if dummies:
            stack: Any = sp.hstack if table.is_sparse else np.hstack
            values = stack([values, *dummies])
        block = SparseNumbers(values.tocsr()) if table.is_sparse else Numbers(values)
        nothing = Codes(np.empty((len(table), 0), dtype=np.int32))
        texts = table.text_block.select([])
        return Table(self._encoded_schema(), len(table), block, nothing, texts)

    def _numbers(self, table: Table) -> Numbers | SparseNumbers:
        names = self.input_.of_kind(Kind.NUMERIC)
        if table.is_sparse:
            x = table.sparse(names).copy()
            columns = x.indices
            x.data = np.where(np.isnan(x.data), self.fill_[columns], x.data) * self.factor_[columns]
            return SparseNumbers(x)
        raw = table.numbers(names)
        if self.scaling == "none" and not np.isnan(raw).any():
            return Numbers(raw)
        out, step = np.empty(raw.shape, dtype=raw.dtype), max(1, _CELLS // max(1, raw.shape[1]))
        for rows in (slice(start, start + step) for start in range(0, len(raw), step)):
            filled = np.where(np.isnan(raw[rows]), self.fill_, raw[rows])
            out[rows] = (filled - self.shift_) * self.factor_
        return Numbers(out)

    def _coded(self) -> list[Column]:
        return [c for c in self.input_ if c.kind.categorical]

    def _encoded_schema(self) -> Schema:
        numbers = tuple(c for c in self.input_ if c.kind is Kind.NUMERIC)
        dummies = tuple(Column(f"{c.name}={level}", Kind.NUMERIC) for c in self._coded() for level in c.levels)
        return Schema(numbers + dummies, named=self.input_.named)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left = self.encode(a)
        return self.kernel_._gram(left, left if b is a else self.encode(b), dtype)

    def formula(self, a: Table, dtype: np.dtype[Any]) -> tuple[Any, KernelSpec] | None:
        return self.kernel_.formula(self.encode(a), dtype)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self.kernel_._diag(self.encode(a), dtype)

    def _learned(self) -> State:
        found = {"fill": self.fill_, "shift": self.shift_, "factor": self.factor_}
        return super()._learned() | {"input": self.input_.to_state()} | found

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.input_ = self.schema_ = Schema.from_state(state.child("input"))
        p = (len(self.input_.of_kind(Kind.NUMERIC)),)
        self.fill_, self.shift_, self.factor_ = (state.array(k, "float64", p) for k in ("fill", "shift", "factor"))
        known = self._encoded_schema().names if self.levels == "dummies" else self.input_.names
        for column in self.kernel_.schema_:
            if column.name not in known:
                raise BadFile(f"{state.where}: the kernel compares {column.name!r}, which the table does not have.")


def _medians(x: Array, mass: Array) -> Array:
    """The value of each column below and above which lies half of the mass; 0 for a column without any."""
    found = np.zeros(x.shape[1])
    for j in range(x.shape[1]):
        used = mass[:, j] > 0
        values, order = x[used, j], np.argsort(x[used, j])
        running = np.cumsum(mass[used, j][order])
        if len(running):
            half = running[-1] / 2
            low, high = np.searchsorted(running, half), np.searchsorted(running, half, side="right")
            found[j] = (values[order][low] + values[order][min(high, len(values) - 1)]) / 2
    return found


def _inverse(width: Array, size: Array) -> Array:
    """1 / width; 0 for a column that is constant up to rounding."""
    constant = width <= 1e-12 * size
    return np.divide(1.0, width, out=np.zeros_like(width), where=~constant & (width > 0))


def _dummies(codes: Array, n_levels: int, dtype: np.dtype[Any]) -> Array:
    found: Array = (codes[:, None] == np.arange(n_levels)).astype(dtype)
    return found

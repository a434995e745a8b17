"""Numeric columns as numbers without gaps, scaled or as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Array, Bools, Floats
from mercer.encode.blocks.scaling import (
    LARGE,
    Missing,
    Scaling,
    Weight,
    any_nan,
    dense_scale,
    known_median,
    largest_cell,
    sparse_fill,
    sparse_mean,
    sparse_scale,
)
from mercer.state import Reader, State
from mercer.table import Schema, Table
from mercer.table.missingness import flag_name

_CELLS = 1 << 21  # cells of which copies are made at a time: those of a long table would take a kernel's memory


@dataclass(frozen=True)
class NumberBlock:
    """(x - shift) * factor with `fill` where x is missing, and '<name> is missing' (0 or 1) for each flagged column.

    shift and factor are None where numbers stay as they are.
    """

    columns: Sequence[str]
    fill: Floats
    flagged: Bools
    shift: Floats | None = None
    factor: Floats | None = None

    @classmethod
    def flagging(cls, table: Table, names: Sequence[str], weight: Weight) -> NumberBlock:
        """Numbers as they are; columns with missing cells are filled with their weighted median and flagged."""
        if table.is_sparse:
            fill, gaps = sparse_fill(table.csr(names), names)
            return cls(names, fill, gaps)
        values = table.numbers(names)
        total = values.sum(axis=0, dtype=np.float64) if weight is None else weight @ values
        mass = len(values) if weight is None else float(weight.sum())
        lacking = np.flatnonzero(np.isnan(total)).tolist()  # of these alone: a median of every column is slow
        medians = {j: known_median(values[:, j], weight, names[j]) for j in lacking}
        return cls.of_totals(table.schema, names, total / mass, medians)

    @classmethod
    def of_totals(cls, schema: Schema, names: Sequence[str], mean: Floats, medians: Mapping[int, float]) -> NumberBlock:
        """The same from the mean of each column, NaN for those with missing cells, and the medians of these."""
        fill, gaps = np.nan_to_num(mean), np.isnan(mean)
        for j, median in medians.items():
            fill[j] = median
            gaps[j] = flag_name(names[j]) not in schema  # a column of the table says it already
        return cls(names, fill, gaps)

    @classmethod
    def scaled(
        cls, tables: Sequence[Table], names: Sequence[str], weight: Floats, scaling: Scaling, missing: Missing
    ) -> NumberBlock:
        """Numbers standardised, brought to [0, 1] or as they are, missing ones as the mean or median of their column.

        weight : (n_rows of all tables,)
        """
        if any(t.is_sparse for t in tables):
            blocks = [sp.csr_array(t.number_block.values) for t in tables]
            x = sp.vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]
            if scaling == "none" and largest_cell(x.data) < LARGE:
                return cls(names, sparse_mean(x, weight), np.zeros(len(names), bool))
            found = sparse_scale(x, names, weight, scaling)
        else:
            blocks, step = [t.numbers(names) for t in tables], max(1, _CELLS // len(weight))
            parts = [np.zeros((3, 0))]
            for start in range(0, len(names), step):
                some = slice(start, start + step)
                x = np.vstack([b[:, some] for b in blocks]).astype(np.float64, copy=False)
                parts.append(dense_scale(x, names[some], weight, scaling, missing))
            found = np.hstack(parts)
        fill, shift, factor = found
        plain = scaling == "none"
        return cls(names, fill, np.zeros(len(names), bool), None if plain else shift, None if plain else factor)

    @property
    def names(self) -> Sequence[str]:
        return [*self.columns, *(flag_name(n) for n in self._flags)] if self.flagged.any() else self.columns

    @property
    def owners(self) -> Sequence[str]:
        return [*self.columns, *self._flags] if self.flagged.any() else self.columns

    @property
    def _flags(self) -> list[str]:
        return [self.columns[j] for j in np.flatnonzero(self.flagged).tolist()]

    def matrix(self, table: Table) -> Any:
        """(n_rows, n_names), dense or CSR; the table's own array when nothing changes."""
        if table.is_sparse:
            return self._sparse_matrix(table.csr(self.columns))
        values = table.numbers(self.columns)
        if self.shift is not None and self.factor is not None:
            return self._scale(values, self.shift, self.factor)
        with np.errstate(over="ignore"):  # an infinite sum takes the slower way too
            finite = np.isfinite(values.sum())
        if finite and not self.flagged.any():
            return values
        gaps = np.isnan(values)
        filled = np.where(gaps, self.fill, values) if gaps.any() else values
        return np.hstack([filled, gaps[:, self.flagged]]) if self.flagged.any() else filled

    def _scale(self, values: Array, shift: Floats, factor: Floats) -> Array:
        scaled, step = np.empty(values.shape, dtype=values.dtype), max(1, _CELLS // max(1, values.shape[1]))
        for rows in (slice(start, start + step) for start in range(0, len(values), step)):
            filled = np.where(np.isnan(values[rows]), self.fill, values[rows])
            scaled[rows] = (filled - shift) * factor
        return scaled

    def _sparse_matrix(self, values: sp.csr_array) -> sp.csr_array:
        if self.factor is None and not any_nan(values.data) and not self.flagged.any():
            return values
        gaps = np.isnan(values.data)
        data = np.where(gaps, self.fill[values.indices], values.data)
        data = data if self.factor is None else data * self.factor[values.indices]
        filled = sp.csr_array((data, values.indices, values.indptr), shape=values.shape)
        if not self.flagged.any():
            return filled
        flags = sp.csr_array((gaps.astype(np.float64), values.indices, values.indptr), shape=values.shape)
        return sp.csr_array(sp.hstack([filled, flags[:, np.flatnonzero(self.flagged)]], format="csr"))

    def to_state(self) -> State:
        state: State = {"fill": np.ascontiguousarray(self.fill), "flagged": self.flagged.astype(np.uint8)}
        return state if self.shift is None else state | {"shift": self.shift, "factor": self.factor}

    @classmethod
    def from_state(cls, state: Reader, names: Sequence[str]) -> NumberBlock:
        shape, is_scaled = (len(names),), state.has("shift")
        shift, factor = (state.array(k, "float64", shape) if is_scaled else None for k in ("shift", "factor"))
        flagged = state.array("flagged", "uint8", shape, high=0 if is_scaled else 1).astype(bool)
        block = cls(names, state.array("fill", "float64", shape), flagged, shift, factor)
        state.finish()
        return block

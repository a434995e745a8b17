"""The numeric encoding of kernels and linear machines, learned in chunks: moments of the columns merge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Array, Floats
from mercer.encode.blocks import NumberBlock
from mercer.encode.blocks.scaling import standard_scale
from mercer.encode.numeric import NumericEncoding
from mercer.scale.learners.design import KeptMatrix
from mercer.scale.rows import Part, Rows
from mercer.table import CATEGORICAL, Schema, Table

_MAX_DENSE = 64  # a matrix with more dummies than this is held sparse


@dataclass(frozen=True)
class NumberMoments:
    """Of the known cells of each numeric column: how many, mean, sum of squares about it, smallest and largest.

    The last two are NaN where no cell is known."""

    known: Floats
    mean: Floats
    scatter: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, x: Array) -> NumberMoments:
        """Of the columns of an array, NaN where a cell is missing."""
        gaps = np.isnan(x)
        known = (~gaps).sum(axis=0).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.where(gaps, 0.0, x).sum(axis=0, dtype=np.float64) / np.maximum(known, 1.0)
            scatter = (np.where(gaps, 0.0, x - mean) ** 2).sum(axis=0)
        return cls(known, mean, scatter, np.fmin.reduce(x, axis=0), np.fmax.reduce(x, axis=0))

    def deviation(self) -> Floats:
        """Standard deviations."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.sqrt(self.scatter / np.maximum(self.known, 1.0)))

    def largest(self) -> Floats:
        """The largest size of a cell, 0 where none is known."""
        return np.nan_to_num(np.maximum(np.abs(self.low), np.abs(self.high)))

    def merge(self, other: NumberMoments) -> NumberMoments:
        """Of both samples together (Chan et al. 1983)."""
        known = self.known + other.known
        share = other.known / np.maximum(known, 1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            gap = np.where((self.known > 0) & (other.known > 0), other.mean - self.mean, 0.0)
            mean = np.where(self.known > 0, self.mean + gap * share, other.mean)
            scatter = self.scatter + other.scatter + gap**2 * share * self.known
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        return NumberMoments(known, mean, scatter, low, high)


def count_moments(part: Part) -> NumberMoments:
    """Of the numeric columns of a chunk."""
    return NumberMoments.of(part.table.numbers(part.table.schema.numeric_names).astype(np.float64, copy=False))


def learn_encoding(rows: Rows, schema: Schema) -> NumericEncoding:
    """What `NumericEncoding.learn` finds in all rows at once: standardised beside categories, else as they are."""
    found, names = rows.merge(count_moments), schema.numeric_names
    fill, shift, factor = standard_scale(found.mean, found.deviation(), found.largest(), names)
    nothing = np.zeros(len(names), bool)
    mixed = bool(schema.of_kind(*CATEGORICAL))
    numbers = NumberBlock(names, fill, nothing, shift, factor) if mixed else NumberBlock(names, fill, nothing)
    return NumericEncoding.of_numbers(Schema(schema.columns, named=schema.named), numbers)


@dataclass(frozen=True)
class EncodedRows:
    """The encoded rows of a chunk, kept from pass to pass while there is room; they are not to be written to."""

    encoding: NumericEncoding

    def __call__(self, part: Part) -> Any:
        return part.recall("encoded rows", lambda: KeptMatrix(self.of(part.table))).X

    def of(self, table: Table) -> Any:
        """The encoded rows of a table."""
        return self.encoding.matrix(table, sparse=self.sparse)

    @property
    def sparse(self) -> bool:
        """Whether they are CSR."""
        return sum(len(block.names) for block in self.encoding.levels) > _MAX_DENSE

    @property
    def bytes_a_row(self) -> int:
        """At most; in CSR, a cell for each column of the table."""
        if self.sparse:
            return 12 * len(self.encoding.schema.names) + 8
        return 8 * len(self.encoding.names)

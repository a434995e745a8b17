"""The design matrix of linear models, learned in chunks: levels and words are counted, medians are exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.encode.blocks import Baseline, LevelBlock, NumberBlock, WordBlock, level_counts
from mercer.encode.blocks.words import MAX_WORDS
from mercer.encode.design import Design
from mercer.encode.text import common_words
from mercer.errors import BadColumn
from mercer.scale.ranks import order_statistics
from mercer.scale.rows import Part, Rows
from mercer.solvers.linear.moments import Moments
from mercer.table import CATEGORICAL, Kind
from mercer.table.profile.counts import Counts

_MOST_DENSE, _BLOCK = 1000, 1 << 20  # dummies of a dense matrix, and its cells


@dataclass(frozen=True)
class ColumnCounts:
    """Sums and numbers of known cells of the numeric columns, counts of levels, and in how many texts words stand."""

    n_rows: int
    sums: Floats
    known: Floats
    levels: tuple[Floats, ...]
    words: tuple[Counts, ...]

    def merge(self, other: ColumnCounts) -> ColumnCounts:
        """Of both samples together."""
        return ColumnCounts(
            self.n_rows + other.n_rows,
            self.sums + other.sums,
            self.known + other.known,
            tuple(a + b for a, b in zip(self.levels, other.levels, strict=True)),
            tuple(a.merge(b) for a, b in zip(self.words, other.words, strict=True)),
        )


def count_columns(part: Part) -> ColumnCounts:
    """What the design needs of a chunk."""
    table = part.table
    numbers = table.numbers(table.schema.numeric_names)
    words = [common_words(table.texts(n)[:, 0], None, None, 1) for n in table.schema.of_kind(Kind.TEXT)]
    return ColumnCounts(
        len(table),
        np.nansum(numbers, axis=0, dtype=np.float64),
        (~np.isnan(numbers)).sum(axis=0).astype(np.float64),
        tuple(level_counts(table, n, None) for n in table.schema.of_kind(*CATEGORICAL)),
        tuple(Counts.of_numbers(found, n_texts.astype(np.int64).tolist()) for found, n_texts in words),
    )


def learn_design(rows: Rows, terms: tuple[str, ...], baseline: Baseline) -> Design:
    """What `Design.learn` finds in all rows at once."""
    schema, found = rows.schema, rows.merge(count_columns)
    names = schema.numeric_names
    gaps = found.known < found.n_rows
    mean = np.where(gaps, np.nan, found.sums / found.n_rows)
    categories = zip(schema.of_kind(*CATEGORICAL), found.levels, strict=True)
    texts = zip(schema.of_kind(Kind.TEXT), found.words, strict=True)
    return Design(
        schema,
        NumberBlock.of_totals(schema, names, mean, medians(rows, found.known, np.flatnonzero(gaps).tolist())),
        tuple(LevelBlock.of_counts(schema[n], mass, baseline) for n, mass in categories),
        tuple(WordBlock(n, _commonest(counts)) for n, counts in texts),
        terms,
    ).checked()


def _numbers(part: Part) -> Floats:
    return part.table.numbers(part.table.schema.numeric_names).astype(np.float64, copy=False)


def medians(rows: Rows, known: Floats, columns: list[int]) -> dict[int, float]:
    """The median of the known cells of each of these numeric columns."""
    for j in columns:
        if not known[j]:
            name = rows.schema.numeric_names[j]
            raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    middle = {j: [int(known[j] - 1) // 2, int(known[j]) // 2] for j in columns}
    return {j: float(np.mean(two)) for j, two in order_statistics(rows, _numbers, middle).items()}


def _commonest(counts: Counts) -> tuple[str, ...]:
    words = sorted(counts.met, key=lambda word: (-counts.met[word][0], word))[:MAX_WORDS]
    return tuple(sorted(word for word in words if counts.met[word][0] >= 2))


@dataclass(frozen=True)
class Matrix:
    """The design matrix of a chunk by blocks of rows, kept from pass to pass while there is room.

    A block is not to be written to. It is dense up to 1,000 dummies, as products of all columns need it."""

    design: Design

    def blocks(self, part: Part) -> Iterator[tuple[Part, Any]]:
        """Some rows of a chunk at a time with their matrix."""
        for some in part.blocks(max(256, _BLOCK // (len(self.design.names) + 1))):
            yield some, some.recall("dense", partial(self._dense, some)).X

    def _dense(self, part: Part) -> KeptMatrix:
        return KeptMatrix(self.design.matrix(part.table, _MOST_DENSE))


@dataclass(frozen=True)
class ColumnMoments:
    """Means and products of the columns of the design matrix and the target; factors: weight of each class, or None."""

    matrix: Matrix
    factors: Floats | None = None

    def __call__(self, part: Part) -> Moments:
        found = (
            Moments.of(X, some.target.astype(np.float64), weight_of(some, self.factors))
            for some, X in self.matrix.blocks(part)
        )
        return reduce(Moments.merge, found)


def weight_of(part: Part, factors: Floats | None) -> Floats | None:
    """The weight of each row, by its class."""
    return None if factors is None else factors[part.target]


@dataclass(frozen=True)
class KeptMatrix:
    """An array, or a CSR array, which by itself does not say how large it is."""

    X: Any

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.X.data, self.X.indices, self.X.indptr) if sp.issparse(self.X) else (self.X,)
        return sum(int(a.nbytes) for a in arrays)

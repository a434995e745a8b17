"""The design matrix of linear models, learned in chunks: levels and words are counted, medians are exact."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.encode.blocks import Baseline, LevelBlock, NumberBlock, WordBlock, level_counts, level_matrix
from mercer.encode.blocks.words import MAX_WORDS
from mercer.encode.design import Design
from mercer.encode.text import common_words
from mercer.errors import BadColumn
from mercer.scale.ranks import Pieces, first_buckets, order_statistics
from mercer.scale.rows import Part, Rows, Together
from mercer.solvers.linear.dummies import Dummies
from mercer.solvers.linear.moments import Moments
from mercer.solvers.linear.split_matrix import SplitMatrix
from mercer.table import CATEGORICAL, Kind, Table
from mercer.table.profile.counts import Counts

_MOST_DENSE, _BLOCK = 1000, 1 << 20  # dummies of a dense matrix, and its cells
_CODED = 8  # dummies of a column from which sums by code take less time than products


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
    schema, names = rows.schema, rows.schema.numeric_names
    expected = [j for j, name in enumerate(names) if name in rows.gaps]
    found, buckets = rows.merge(Together((count_columns, first_buckets(_numbers, expected)))).states
    gaps = np.flatnonzero(found.known < found.n_rows).tolist()
    first = Pieces(tuple(buckets.found[expected.index(j)] for j in gaps)) if {*gaps} <= {*expected} else None
    mean = found.sums / found.n_rows
    mean[gaps] = np.nan
    categories = zip(schema.of_kind(*CATEGORICAL), found.levels, strict=True)
    texts = zip(schema.of_kind(Kind.TEXT), found.words, strict=True)
    return Design(
        schema,
        NumberBlock.of_totals(schema, names, mean, medians(rows, found.known, gaps, first)),
        tuple(LevelBlock.of_counts(schema[n], mass, baseline) for n, mass in categories),
        tuple(WordBlock(n, _commonest(counts)) for n, counts in texts),
        terms,
    ).checked()


def _numbers(part: Part) -> Floats:
    return part.table.numbers(part.table.schema.numeric_names).astype(np.float64, copy=False)


def medians(rows: Rows, known: Floats, columns: list[int], first: Pieces | None) -> dict[int, float]:
    """The median of the known cells of each of these numeric columns; first : as of `order_statistics`."""
    for j in columns:
        if not known[j]:
            name = rows.schema.numeric_names[j]
            raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    middle = {j: [int(known[j] - 1) // 2, int(known[j]) // 2] for j in columns}
    return {j: float(np.mean(two)) for j, two in order_statistics(rows, _numbers, middle, first).items()}


def _commonest(counts: Counts) -> tuple[str, ...]:
    words = sorted(counts.met, key=lambda word: (-counts.met[word][0], word))[:MAX_WORDS]
    return tuple(sorted(word for word in words if counts.met[word][0] >= 2))


@dataclass(frozen=True)
class Matrix:
    """The design matrix of a chunk by blocks of rows, kept from pass to pass while there is room.

    A block is not to be written to. Columns of many dummies stay codes; where terms or words are made of the columns,
    it is dense up to 1,000 dummies, as products of all columns need it.
    """

    design: Design

    def blocks(self, part: Part) -> Iterator[tuple[Part, Any]]:
        """Some rows of a chunk at a time with their matrix."""
        for some in part.blocks(max(256, _BLOCK // (len(self.design.names) + 1))):
            yield some, some.recall("matrix", partial(self._made, some.table)).X

    def _made(self, table: Table) -> KeptMatrix:
        found = split_matrix(self.design, table)
        return KeptMatrix(self.design.matrix(table, _MOST_DENSE) if found is None else found)


def split_matrix(design: Design, table: Table) -> SplitMatrix | None:
    """The design matrix with the columns of many levels as codes; None where that is not to be had."""
    many = [b for b in design.levels if len(b.names) >= _CODED]
    if not many or design.terms or design.words or table.is_sparse:
        return None
    codes = table.codes([b.column for b in many])
    averaged = [len(b.place) - 2 if b.place[-2] < 0 else np.iinfo(codes.dtype).max for b in many]
    if (codes >= averaged).any():  # a level never seen is the average row
        return None
    few = [b for b in design.levels if len(b.names) < _CODED]
    parts = [design.numbers.matrix(table)] if design.numbers.columns else []
    dense = np.hstack([*parts, *([level_matrix(few, table, False)] if few else []), np.empty((len(table), 0))])
    sizes = tuple(len(b.names) for b in many)
    starts = np.cumsum([1, *(size + 1 for size in sizes[:-1])])
    places = [b.place[codes[:, j]] + starts[j] for j, b in enumerate(many)]
    dummies = Dummies(np.column_stack(places).astype(np.int32), sizes)
    return SplitMatrix(dense, dummies, _order(design))


def _order(design: Design) -> NDArray[np.intp]:
    """Which column of numbers, few dummies and many each column of the design is."""
    sizes = [len(b.names) for b in design.levels]
    first = np.cumsum([len(design.numbers.names), *sizes])
    blocks = [np.arange(first[0]), *(np.arange(a, a + size) for a, size in zip(first, sizes, strict=False))]
    coded = [False, *(size >= _CODED for size in sizes)]
    arranged = np.concatenate(
        [b for b, c in zip(blocks, coded, strict=True) if not c] + [b for b, c in zip(blocks, coded, strict=True) if c]
    )
    found: NDArray[np.intp] = np.argsort(arranged)[design.order]
    return found


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
    """An array, a matrix whose dummies are codes, or a CSR array, which by itself does not say how large it is."""

    X: Any

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.X.data, self.X.indices, self.X.indptr) if sp.issparse(self.X) else (self.X,)
        return sum(int(a.nbytes) for a in arrays)

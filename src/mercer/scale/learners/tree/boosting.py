"""Boosted trees in chunks: cells become bins of a byte each, chunk by chunk, and stay where the chunk was binned.

Trees are grown on histograms that the chunks count and the process that asks adds up, or, of a table whose bins are few
enough to be sent, on the bins of all rows in that process. Either gives the model of a single fit bit for bit, but for
the mean losses in `train_score_`, which agree to rounding where chunks count. There are three passes (target, sample,
bins), and one more for rows set aside where bins are sent, however many rounds there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._core.memory import physical_memory
from mercer.arrays import Bools, Floats, Longs
from mercer.errors import BadColumn, BadParameter, TooLarge
from mercer.estimators.boosting.base import BaseBoosting
from mercer.estimators.boosting.classifier import HistGradientBoostingClassifier
from mercer.estimators.boosting.regressor import HistGradientBoostingRegressor
from mercer.estimators.boosting.training.rows import BinRules, LabelledRows, Score
from mercer.estimators.common.weights.class_weight import class_weighted
from mercer.estimators.tree.columns import TreeColumns
from mercer.formatting import byte_size
from mercer.parameters import check_parameters
from mercer.scale.engine import Local, Progress
from mercer.scale.held.room import ROOM, HeldBytes, budget
from mercer.scale.learners.tree.split import split_rows
from mercer.scale.rows import Part, Rows
from mercer.solvers.boost.apart import Labels, PartsWork
from mercer.solvers.boost.binning import Binning, Bytes, LevelCounts, level_counts, sample_rows
from mercer.solvers.boost.boost import Boosted, Method, add_trees
from mercer.solvers.boost.boost import Rows as BinnedRows
from mercer.solvers.boost.parts import Part as BoostedPart
from mercer.solvers.boost.parts import PartRows
from mercer.solvers.tree.tree import Columns
from mercer.table import Kind

_NOWHERE = np.iinfo(np.uint32).max
_CELL_BYTES, _ROW_BYTES = 3, 60  # bins, tiles by rows and by groups; target, predictions, gradients, order of rows
SENT = 1 << 27  # bytes up to which a cluster sends its bins: 64 million cells, which a core sees in half a second
MOST_ROWS = 1 << 30  # that integers of 64 bits add up
_SORTED = ("absolute_error", "quantile", "huber")  # losses whose leaves take all their residuals


def fit_boosted_classifier(model: HistGradientBoostingClassifier, rows: Rows) -> None:
    """Trees for classes."""
    found = _labelled_rows(model, rows)
    model.classes_ = rows.classes
    if model.class_weight is not None:
        weight = class_weighted(model.class_weight, model.classes_, found.y.astype(np.int32), None)
        found = replace(found, weight=weight)
    model._boost_classes(found)


def fit_boosted_regressor(model: HistGradientBoostingRegressor, rows: Rows) -> None:
    """Trees for numbers."""
    model._boost_numbers(_labelled_rows(model, rows))


def _labelled_rows(model: BaseBoosting, rows: Rows) -> ChunkRows:
    """All rows with their target, which one pass collects; an error where chunks cannot do what is asked."""
    check_parameters(model)
    if model.warm_start:
        raise BadParameter("warm_start=True is not for rows in chunks. Use warm_start=False.")
    if not (model.categorical_features is None or isinstance(model.categorical_features, str)):
        raise BadParameter("Rows in chunks take kinds={'name': 'category'} in place of categorical_features.")
    texts = rows.schema.of_kind(Kind.TEXT)
    if texts:
        raise BadColumn(
            f"Boosting in chunks does not count words, and {texts[0]!r} is text. Leave the column out, or encode "
            "it first."
        )
    y, start = learned_target(rows)
    given = y, None, rows, start
    needed = len(y) * (_CELL_BYTES * len(rows.schema) + _ROW_BYTES)
    here = isinstance(rows.engine, Local)
    if needed <= (budget() if here else SENT):
        return ChunkRows(*given)
    sorts = model.loss in _SORTED
    if (sorts and needed > physical_memory()) or len(y) > MOST_ROWS:
        instead = "Leave out columns, or fit a sample of the rows."
        raise TooLarge(
            f"loss={model.loss!r} takes about {byte_size(needed)} for {len(y):,} rows of {len(rows.schema)} "
            f"columns in bins; this machine has {byte_size(physical_memory())}. {instead}"
            if sorts
            else f"Boosting adds up at most {MOST_ROWS:,} rows, and these are {len(y):,}. {instead}"
        )
    return ChunkRows(*given) if sorts else HeldRows(*given)


def learned_target(rows: Rows) -> tuple[NDArray[Any], Longs]:
    """The target of all rows, by one pass, and the number of the first row of each chunk, and of all rows.

    Class codes are of the smallest type that holds them: a byte a row, not eight.
    """
    small = np.dtype(np.float64) if rows.labels is None else np.min_scalar_type(rows.n_classes)
    parts = [np.empty(0, small) if y is None else y for y in rows.each(lambda k: _Target(small))]
    return np.concatenate(parts), np.append(0, np.cumsum([len(y) for y in parts]))


@dataclass(frozen=True)
class ChunkRows(LabelledRows):
    """Some rows of a table in chunks.

    start: number of the first row of each chunk, and of all rows. rows: which ones of the table these are, in their
    order; None for all.
    """

    table: Rows
    start: Longs
    rows: Longs | None = None

    @property
    def progress(self) -> Progress | None:
        """That of the passes."""
        return self.table.progress

    def take(self, rows: Longs) -> Self:
        """Those rows."""
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, y=self.y[rows], weight=weight, rows=rows if self.rows is None else self.rows[rows])

    def learn_bins(self, rules: BinRules) -> tuple[TreeColumns, Binning, BinnedRows]:
        """The columns that trees test, their bins, and these rows in them."""
        columns, binning = self.learned_bins(rules)
        return columns, binning, self.binned(columns, binning, rules.n_jobs)

    def learned_bins(self, rules: BinRules) -> tuple[TreeColumns, Binning]:
        """The columns that trees test, and their bins."""
        chosen = sample_rows(len(self.y), rules.seed)
        chosen = np.arange(len(self.y)) if chosen is None else chosen
        numbers_of = chosen if self.rows is None else self.rows[chosen].astype(np.int64)
        order = np.argsort(numbers_of)  # in which chunks have the rows of the sample
        edges, bits = np.searchsorted(numbers_of[order], self.start), self.chunk_bits()
        weight = self._weight_of_all()

        def work(k: int) -> _Sample:
            own, span = order[edges[k] : edges[k + 1]], slice(self.start[k], self.start[k + 1])
            return _Sample(bits[k], numbers_of[own] - self.start[k], None if weight is None else weight[span], rules)

        found = [(k, cells) for k, cells in enumerate(self.table.each(work)) if cells is not None]
        first = found[0][1]
        numbers = np.empty((len(chosen), first.numbers.shape[1]))
        for k, cells in found:
            numbers[order[edges[k] : edges[k + 1]]] = cells.numbers
        counts = tuple(
            None if c[0] is None else sum(c) for c in zip(*(cells.counts for _, cells in found), strict=True)
        )
        of_sample = None if self.weight is None else self.weight[chosen]
        binning = Binning.of(numbers, of_sample, counts, first.like, rules.max_bins, rules.n_jobs)
        return first.columns, binning

    def chunk_bits(self) -> list[Bytes]:
        """Of each chunk, bits that say which of its rows are among these."""
        among = np.full(self.start[-1], self.rows is None)
        if self.rows is not None:
            among[self.rows] = True
        return [np.packbits(among[first:end]) for first, end in pairwise(self.start.tolist())]

    def _weight_of_all(self) -> Floats | None:
        """Of all rows of the table, 0 of those that are not among these; None where each counts 1."""
        if self.weight is None or self.rows is None:
            return self.weight
        found = np.zeros(self.start[-1])
        found[self.rows] = self.weight
        return found

    def binned(self, columns: TreeColumns, binning: Binning, n_jobs: int) -> BinnedRows:
        """These rows in bins that are known."""
        out = np.empty((len(self.y), len(binning.bins)), dtype=np.uint8)
        made = self.table.each(lambda k: _Bins(columns, binning, n_jobs))
        for bits, place, bins in zip(self.chunk_bits(), self.places(), made, strict=True):
            if bins is not None:
                out[place] = bins[_chosen(bits, len(bins))]
        return self.in_bins(out)

    def places(self) -> Iterator[NDArray[np.uint32]]:
        """Of each chunk: where its rows that are among these are."""
        where = np.arange(self.start[-1], dtype=np.uint32)
        if self.rows is not None:
            where[:] = _NOWHERE
            where[self.rows] = np.arange(len(self.rows), dtype=np.uint32)
        for first, end in pairwise(self.start.tolist()):
            yield where[first:end][where[first:end] != _NOWHERE]


@dataclass(frozen=True)
class HeldRows(ChunkRows):
    """Rows whose bins stay where their chunks are binned."""

    def learn_bins(self, rules: BinRules) -> tuple[TreeColumns, Binning, Any]:
        """The columns that trees test, their bins, and what is known here of these rows."""
        columns, binning = self.learned_bins(rules)
        return columns, binning, self.binned(columns, binning, rules.n_jobs)

    def split(self, share: float, stratify: bool, seed: int) -> tuple[Any, Any]:
        """As of rows in memory, in fewer bytes."""
        found = split_rows(self.y, share, stratify, seed) if isinstance(share, float) else None
        return super().split(share, stratify, seed) if found is None else found

    def binned(self, columns: TreeColumns, binning: Binning, n_jobs: int) -> Any:
        """What is known here of these rows; they are binned when they are boosted."""
        return HeldLabels(self.y, self.weight, self.count, {}, columns, self.chunk_bits(), self.places)

    def boosted(
        self, learned: Any, tested: Any, binning: Binning, method: Method, score: Score, **going: Any
    ) -> Boosted:
        """Trees boosted on the histograms of the chunks."""
        weights = None
        if learned.weight is not None:  # which is that of a class
            n_classes = int(self.y.max()) + 1
            weights = np.zeros(n_classes)
            weights[learned.y.astype(np.int64)] = learned.weight
        make = _Held(learned.columns, binning, method.n_jobs, method.loss.n_outputs, weights, learned.count is not None)
        held = self.table.hold(
            lambda k: replace(make, train=learned.bits[k], test=None if tested is None else tested.bits[k])
        )
        if method.row_share < 1 or (score is not None and method.patience is not None):
            learned = learned.placed()
        tested = None if tested is None else tested.placed()
        work = PartsWork(held, learned, tested, method, binning.bins, binning.nominal, score)
        return add_trees(work, going["begin"], going["step"])


@dataclass(frozen=True)
class HeldLabels(Labels):
    """The labels of rows that chunks hold: columns that trees test, bits of the rows of each chunk, what finds them."""

    columns: TreeColumns
    bits: list[Bytes]
    find: Callable[[], Iterator[NDArray[np.uint32]]]

    def placed(self) -> Self:
        """The same with the places of the rows of each chunk, four bytes a row."""
        return replace(self, places=dict(enumerate(self.find(), 1)))


@dataclass(frozen=True)
class _Held:
    """The rows of a chunk in bins, as boosting asks them.

    weights: of each class. counted: whether these count rows. train, test: bits of the rows of the chunk.
    """

    columns: TreeColumns
    binning: Binning
    n_jobs: int
    n_outputs: int
    weights: Floats | None
    counted: bool
    train: Bytes = field(default_factory=lambda: np.empty(0, np.uint8))
    test: Bytes | None = None

    def __call__(self, part: Part) -> BoostedPart | None:
        cells = self.binning.transform(self.columns.transform(part.table), self.n_jobs)
        train = self._rows(part, cells, self.train)
        test = None if self.test is None else self._rows(part, cells, self.test)
        found = BoostedPart(part.place, train, test)
        n_bytes = sum(self._row_bytes(rows) * len(rows.y) for rows in (train, test) if rows is not None)
        ROOM.take(found, n_bytes, must=True)
        return found

    def _rows(self, part: Part, cells: Bytes, bits: Bytes) -> PartRows:
        chosen = _chosen(bits, len(cells))
        y = part.target[chosen]
        weight = None if self.weights is None else self.weights[y]
        count = weight.astype(np.uint32) if weight is not None and self.counted else None
        if y.dtype.kind == "i":
            y = y.astype(np.min_scalar_type(int(y.max(initial=0))))
        return PartRows(HeldBytes(cells[chosen]), y, weight, count)

    def _row_bytes(self, rows: PartRows) -> int:
        """Of a row beside its bins: target, weight, count; raw predictions and places in trees."""
        given = (rows.y, rows.weight, rows.count)
        return sum(a.itemsize for a in given if a is not None) + self.n_outputs * (8 + 2)


@dataclass(frozen=True)
class _Target:
    """The target of a chunk, in a type that holds it."""

    small: np.dtype[Any]

    def __call__(self, part: Part) -> NDArray[Any]:
        return part.target.astype(self.small)


def _chosen(bits: Bytes, n_rows: int) -> Bools:
    return np.unpackbits(bits, count=n_rows).astype(bool)


@dataclass(frozen=True)
class _Cells:
    """What bins are made of: columns that are tested, what they are (`like` has no rows), numbers, counts of levels."""

    columns: TreeColumns
    like: Columns
    numbers: Floats
    counts: LevelCounts


@dataclass(frozen=True)
class _Sample:
    """The numbers of the rows of a chunk that are `wanted`, and the levels of those whose bits are set.

    weight: of every row of the chunk, or None.
    """

    bits: Bytes
    wanted: Longs
    weight: Floats | None
    rules: BinRules

    def __call__(self, part: Part) -> _Cells:
        found, columns = TreeColumns.fit(part.table, self.rules.words, 0)
        here = _chosen(self.bits, len(part.target))
        weight = None if self.weight is None else self.weight[here]
        counts = level_counts(replace(columns, codes=columns.codes[here]), self.rules.max_bins, weight)
        like = replace(columns, numbers=columns.numbers[:0], codes=columns.codes[:0])
        return _Cells(found, like, columns.numbers[self.wanted], counts)


@dataclass(frozen=True)
class _Bins:
    """The cells of a chunk as bins."""

    columns: TreeColumns
    binning: Binning
    n_jobs: int

    def __call__(self, part: Part) -> Bytes:
        return self.binning.transform(self.columns.transform(part.table), self.n_jobs)

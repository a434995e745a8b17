"""Rows drawn by class: how many of each, and which; new rows made of old ones are in `synthetic.py`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadTarget
from mercer.table import Table
from mercer.table.blocks import Codes, Numbers, SparseNumbers, Texts


@dataclass(frozen=True)
class Sample:
    """Rows to fit to, with their class codes and weights (None weighs all alike)."""

    table: Table
    codes: Ints
    weight: Floats | None = None

    def take(self, rows: Longs) -> Sample:
        """Some of the rows, in the order given, a row as often as it is named."""
        weight = None if self.weight is None else self.weight[rows]
        return Sample(self.table.take(rows), self.codes[rows], weight)

    def with_rows(self, new: Table, codes: Ints) -> Sample:
        """These rows, then new ones of the classes given; a new row weighs the mean of its class."""
        weight = self.weight
        if weight is not None:
            mean = np.bincount(self.codes, weight) / np.bincount(self.codes)
            weight = np.concatenate([weight, mean[codes]])
        return Sample(stacked(self.table, new), np.concatenate([self.codes, codes]), weight)

    def counts(self) -> Longs:
        """Rows of each class."""
        return np.bincount(self.codes)

    def shares(self, n_classes: int) -> Floats:
        """Share of each class, by weight."""
        found = np.bincount(self.codes, self.weight, minlength=n_classes).astype(np.float64)
        return found / found.sum()


def stacked(a: Table, b: Table) -> Table:
    """The rows of two tables of one schema, one after the other."""
    numbers: Numbers | SparseNumbers
    if isinstance(a.number_block, SparseNumbers) and isinstance(b.number_block, SparseNumbers):
        numbers = SparseNumbers(sp.csr_array(sp.vstack([a.number_block.values, b.number_block.values])))
    else:
        numbers = Numbers(np.concatenate([a.numbers(), b.numbers()]))
    codes = Codes(np.asfortranarray(np.concatenate([a.codes(), b.codes()])))
    texts = Texts(np.concatenate([a.texts(), b.texts()]))
    return replace(a, n_rows=len(a) + len(b), number_block=numbers, code_block=codes, text_block=texts)


def wanted_more(counts: Longs, ratio: float) -> Longs:
    """Rows to add to each class so that none is below `ratio` of the largest."""
    return np.maximum((counts.max() * ratio).astype(np.int64) - counts, 0)


def wanted_at_most(counts: Longs, ratio: float) -> Longs:
    """Rows to keep of each class so that the smallest is `ratio` of the largest."""
    return np.minimum(counts, np.int64(counts.min() / ratio))


def expect_classes(counts: Longs) -> None:
    """BadTarget where there is one class only."""
    if len(counts) < 2:
        raise BadTarget(
            "All rows are of one class, so no class is rare. Give rows of both; to learn from one class alone, use "
            "OneClassSVM."
        )


def undersample(rows: Sample, ratio: float, random: np.random.RandomState) -> Sample:
    """Every row of the smallest class, and rows of the others drawn without replacement."""
    counts = rows.counts()
    keep = [
        random.permutation(np.flatnonzero(rows.codes == c))[:n] for c, n in enumerate(wanted_at_most(counts, ratio))
    ]
    return rows.take(np.sort(np.concatenate(keep)))


def oversample(rows: Sample, ratio: float, random: np.random.RandomState) -> Sample:
    """Rows of the smaller classes repeated: all of them equally often, then some drawn without replacement.

    So with a whole factor every row of the class is that many rows, and nothing is left to chance.
    """
    added = []
    for c, n in enumerate(wanted_more(rows.counts(), ratio)):
        own = np.flatnonzero(rows.codes == c)
        added += [np.repeat(own, n // len(own)), random.permutation(own)[: n % len(own)]]
    return rows.take(np.concatenate([np.arange(len(rows.codes)), *added]))

"""New rows between a row and its neighbours: SMOTE's rule on numbers, levels and missing cells.

Of a row a with its k nearest neighbours, one of them b drawn at random, and u drawn from [0, 1]:

- a number is a + u (b - a) (Chawla et al. 2002, SMOTE, section 4.2);
- a level is the most frequent among the neighbours (their section 6.1); the row's own where several are;
- a cell is missing with the share of the neighbours whose cell is missing. Otherwise only known cells count: where a or
  b is missing, the mean of the known numbers of the row and its neighbours stands for it;
- a text is that of the row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints, Longs
from mercer.table import Table
from mercer.table.blocks import MISSING, Codes, Numbers, SparseNumbers


def between_neighbours(table: Table, base: Longs, neighbours: Longs, random: np.random.RandomState) -> Table:
    """New rows of the table's schema.

    base : (n_new,), the row that each is made from; neighbours : (n_new, k), the nearest rows of that row
    """
    n_new, k = neighbours.shape
    other = neighbours[np.arange(n_new), random.randint(k, size=n_new)]
    step: Floats = np.asarray(random.uniform(size=n_new))
    cells = table.numbers()
    numbers = np.empty((n_new, cells.shape[1]), dtype=cells.dtype)
    for j, column in enumerate(cells.T):
        numbers[:, j] = _numbers(column, base, other, step, neighbours, random)
    codes = np.empty((n_new, table.codes().shape[1]), dtype=np.int32, order="F")
    for j, levels in enumerate(table.codes().T):
        codes[:, j] = _levels(levels, base, neighbours, random)
    block = SparseNumbers(sp.csr_array(numbers)) if table.is_sparse else Numbers(numbers)
    return replace(
        table, n_rows=n_new, number_block=block, code_block=Codes(codes), text_block=table.text_block.take(base)
    )


def _numbers(
    column: Floats, base: Longs, other: Longs, step: Floats, neighbours: Longs, random: np.random.RandomState
) -> Floats:
    start, end = column[base], column[other]
    if not np.isnan(column).any():
        return start + step * (end - start)
    around = np.column_stack([start, column[neighbours]])
    known = ~np.isnan(around)
    mean = np.where(known, around, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    start, end = np.where(np.isnan(start), mean, start), np.where(np.isnan(end), mean, end)
    gone = random.uniform(size=len(base)) < (~known[:, 1:]).mean(axis=1)
    return np.where(gone, np.nan, start + step * (end - start))


def _levels(column: Ints, base: Longs, neighbours: Longs, random: np.random.RandomState) -> Ints:
    around = column[neighbours]
    n_levels = int(column.max()) + 1
    if n_levels == 0:
        return np.full(len(base), MISSING, dtype=np.int32)
    votes = np.zeros((len(base), n_levels + 1))  # the last place is for missing cells
    np.add.at(votes, (np.arange(len(base))[:, None], around), 1.0)
    votes[np.arange(len(base)), column[base]] += 0.5
    found = votes[:, :-1].argmax(axis=1).astype(np.int32)
    if not (column == MISSING).any():
        return found
    gone = random.uniform(size=len(base)) < (around == MISSING).mean(axis=1)
    return np.where(gone, np.int32(MISSING), found)

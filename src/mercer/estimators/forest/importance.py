"""Mean decrease in accuracy: what shuffling a column among the out-of-bag rows of each tree costs (Breiman 2001)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats
from mercer.estimators.tree.fit import TrainingRows
from mercer.solvers.tree.tree import Columns, Tree


def permutation_decreases(
    forest: Sequence[Tree],
    seeds: Sequence[int],
    out: Sequence[Bools],
    rows: TrainingRows,
    owners: Floats,
    max_rows: int | None,
    n_jobs: int,
) -> Floats:
    """A_t - A_t(column shuffled) of each tree t and column, (n_trees, n_columns); NaN without two rows out of bag.

    A_t is the accuracy of tree t on its out-of-bag rows, or minus its mean squared error, mean over the outputs.

    Parameters
    ----------
    forest : sequence of Tree
        The trees.
    seeds : sequence of int
        Seed of each tree, from which the shuffling is drawn too.
    out : sequence of ndarray of shape (n_rows,)
        Which rows each tree did not draw.
    rows : TrainingRows
        The rows of fit.
    owners : ndarray of shape (n_tested, n_columns)
        Positive where a tested column belongs to a column: those of one column (words of a text) move together.
    max_rows : int or None
        Out-of-bag rows of a tree that are looked at; None for all.
    n_jobs : int
        Threads.

    Returns
    -------
    decreases : ndarray of shape (n_trees, n_columns)
        0 where a tree has no test of a column.
    """
    found = np.full((len(forest), owners.shape[1]), np.nan)
    for t, (tree, seed, free) in enumerate(zip(forest, seeds, out, strict=True)):
        random = np.random.default_rng([seed, 1])  # not the stream that the rows of the tree were drawn from
        asked = np.flatnonzero(free)
        if max_rows is not None and len(asked) > max_rows:
            asked = np.sort(random.choice(asked, max_rows, replace=False))
        if len(asked) < 2:
            continue
        found[t] = _tree_decreases(tree, rows.take(asked), owners, random, n_jobs)
    return found


def _tree_decreases(tree: Tree, rows: TrainingRows, owners: Floats, random: np.random.Generator, n_jobs: int) -> Floats:
    intact = _accuracy(tree, rows.columns, rows, n_jobs)
    decreases = np.zeros(owners.shape[1])
    tested = np.unique(tree.column[tree.branches > 0])
    for column in np.flatnonzero((owners[tested] > 0).any(axis=0)):
        order = random.permutation(len(rows.target))
        with _shuffled(rows.columns, np.flatnonzero(owners[:, column] > 0), order):
            decreases[column] = intact - _accuracy(tree, rows.columns, rows, n_jobs)
    return decreases


@contextmanager
def _shuffled(columns: Columns, own: NDArray[Any], order: NDArray[Any]) -> Iterator[None]:
    """While it lasts, some of the columns are in another order of rows; a copy of all would take most of the time."""
    p = columns.numbers.shape[1]
    parts: list[tuple[Any, Any]] = [(columns.numbers, own[own < p]), (columns.codes, own[own >= p] - p)]
    kept = [cells[:, places] for cells, places in parts]
    for (cells, places), intact in zip(parts, kept, strict=True):
        cells[:, places] = intact[order]
    yield
    for (cells, places), intact in zip(parts, kept, strict=True):
        cells[:, places] = intact


def _accuracy(tree: Tree, columns: Columns, rows: TrainingRows, n_jobs: int) -> float:
    values = tree.values(columns, n_jobs=n_jobs)
    truth = rows.target.reshape(len(rows.target), -1)
    if not rows.by_class:
        return -float(np.square(values - truth).mean())
    ends = np.cumsum(np.atleast_1d(rows.n_classes))[:-1]
    best = np.column_stack([part.argmax(axis=1) for part in np.split(values, ends, axis=1)])
    return float((best == truth).mean())

"""Shapley values of any score, by the columns of the table as they are.

Problem: v(S) = mean over background rows b of f(the cells of x in the columns S, those of b in the others);
phi_j = mean over the orders in which columns become known of what j adds to v when its turn comes (Shapley 1953; the
"interventional" expectation of Janzing et al. 2020).
Givens: f, the row x, background rows. Result: phi with sum_j phi_j = f(x) - mean_b f(b), exactly; standard errors.
Method: with few columns, all sets S. With more, orders are drawn, each together with its reverse (antithetic pairs,
Mitchell et al. 2022), the same number for each background row; the error is that of the mean over pairs within
background rows, which are taken as given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb

import numpy as np

from mercer.arrays import Bools, Floats, Longs

BUDGET = 4000  # scores computed for one row: half a second where 10,000 training rows are compared with each
PAIRS = 2  # of orders for each background row: the fewest that have a spread
MOST_ROWS, FEWEST_ROWS = 50, 8  # of the background
_MOST_EXACT = 8  # columns up to which every set is taken

Mixed = Callable[[Bools, Longs], Floats]  # (which cells are of x, background rows) -> f


@dataclass(frozen=True)
class Shapley:
    """Shapley values of one row, (n_columns,), and their standard errors; None where they are exact."""

    values: Floats
    error: Floats | None


def background_rows(n_columns: int, pairs: int | None = None) -> int:
    """How many background rows the budget allows."""
    each = 2**n_columns if n_columns <= _MOST_EXACT else 2 * (pairs or PAIRS) * n_columns
    return int(np.clip(BUDGET // each, FEWEST_ROWS, MOST_ROWS))


def shapley_values(
    mixed: Mixed, n_columns: int, n_rows: int, ends: tuple[float, Floats], pairs: int, seed: int
) -> Shapley:
    """The Shapley values of one row.

    Parameters
    ----------
    mixed : callable
        Score of rows whose cells are those of x where a mask (n, n_columns) is true, and else of background rows (n,).
    n_columns : int
        Number of columns.
    n_rows : int
        Number of background rows.
    ends : (float, ndarray of shape (n_rows,))
        f(x), and f of every background row.
    pairs : int
        Pairs of orders for each background row, where they are drawn.
    seed : int
        Of the orders.

    Returns
    -------
    Shapley
        Values and errors.
    """
    if n_columns <= _MOST_EXACT:
        return Shapley(_over_sets(mixed, n_columns, n_rows, ends), None)
    drawn = _over_orders(mixed, n_columns, n_rows, ends, pairs, np.random.default_rng(seed))
    if pairs < 2:
        return Shapley(drawn.mean(axis=(0, 1)), np.full(n_columns, np.nan))
    error = np.sqrt(drawn.var(axis=1, ddof=1).mean(axis=0) / (n_rows * pairs))
    return Shapley(drawn.mean(axis=(0, 1)), error)


def _over_sets(mixed: Mixed, n_columns: int, n_rows: int, ends: tuple[float, Floats]) -> Floats:
    """Every set of columns, with weights |S|! (d - 1 - |S|)! / d!."""
    sets = (np.arange(2**n_columns)[:, None] >> np.arange(n_columns) & 1).astype(bool)
    inner = sets[1:-1]
    rows = np.tile(np.arange(n_rows), len(inner))
    worth = np.empty(len(sets))
    worth[0], worth[-1] = ends[1].mean(), ends[0]
    if len(inner):
        worth[1:-1] = mixed(np.repeat(inner, n_rows, axis=0), rows).reshape(len(inner), n_rows).mean(axis=1)
    size = sets.sum(axis=1)
    weight = np.array([1 / (n_columns * comb(n_columns - 1, k)) for k in range(n_columns)])
    values = np.empty(n_columns)
    for j in range(n_columns):
        without = np.flatnonzero(~sets[:, j])
        values[j] = weight[size[without]] @ (worth[without | 1 << j] - worth[without])
    return values


def _over_orders(
    mixed: Mixed, n_columns: int, n_rows: int, ends: tuple[float, Floats], pairs: int, rng: np.random.Generator
) -> Floats:
    """What each column adds, (n_rows, pairs, n_columns): mean of an order and its reverse."""
    n = n_rows * pairs
    rank = rng.permuted(np.tile(np.arange(n_columns), (n, 1)), axis=1)  # when each column becomes known
    steps = np.arange(1, n_columns)
    known = rank[:, None, :] < steps[:, None]  # (n, n_columns - 1, n_columns), the reverse knows the others
    rows = np.repeat(np.arange(n_rows), pairs)
    masks = np.concatenate([known, ~known]).reshape(-1, n_columns)
    scores = mixed(masks, np.tile(np.repeat(rows, len(steps)), 2)).reshape(2, n, len(steps))
    empty, full = ends[1][rows][:, None], np.full((n, 1), ends[0])
    forward = np.diff(np.hstack([empty, scores[0], full]), axis=1)
    backward = -np.diff(np.hstack([full, scores[1], empty]), axis=1)
    gained = np.take_along_axis((forward + backward) / 2, rank, axis=1)
    return np.asarray(gained.reshape(n_rows, pairs, n_columns))

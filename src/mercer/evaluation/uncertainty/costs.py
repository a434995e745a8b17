"""What a row costs on average, with an interval that knows of errors which have not been seen yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.intervals import Score, moved, share
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.select.costs import CostMatrix, RowAmounts

COSTS = "shares of errors, joined by their costs"
_LIMITS = (0.0, np.inf)


@dataclass(frozen=True)
class _Errors:
    """Errors of one kind: how many rows, what these cost, and how that varies from error to error."""

    n_rows: float
    cost: float
    variation: float = 0.0  # standard deviation over mean


def cost_interval(
    matrix: CostMatrix,
    truth: Longs,
    called: Longs,
    by_row: RowAmounts | None,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Score:
    """sum_k p_k m_k of the shares p_k of errors of kind k and their mean costs m_k, with the intervals of all joined.

    With d_k how far the end of p_k m_k is, the end of the sum is sqrt(sum_kl r_kl d_k d_l) away (Zou and Donner 2008);
    r_kl = -sqrt(p_k p_l / ((1 - p_k) (1 - p_l))) is the correlation of the shares. Errors are of one kind where they
    cost the same to a factor of 2, or what the same column says. p_k has the interval of `share`, and m_k, where it
    varies, that of t with x_k + 1 degrees for its logarithm, x_k being the errors seen; what a column says varies as it
    does over the class. The dearest of the kinds that were not seen is joined with the share that none among n rows
    has: where a missed row costs 20, none among 100 does not say that none will be. Of 100 rows and 1 % such errors
    beside 5 % that cost 1, Student's t of the logarithm of the mean covers 60 %, this 97 %.

    Parameters
    ----------
    matrix : CostMatrix
        What errors cost.
    truth, called : ndarray of shape (n_rows,)
        Places of the classes in the matrix.
    by_row : mapping of str to ndarray or None
        Costs of each row, by the name of their column.
    level : float
        Confidence level.
    weight : ndarray of shape (n_rows,), optional
        Of each row; the interval is then wider by the root of Kish's design effect.
    groups : ndarray of shape (n_rows,), optional
        The group of each row; rows are then worth what `design_effect` says.

    Returns
    -------
    Score
        Mean cost of a row and interval.
    """
    losses = matrix.incurred(truth, called, by_row)
    effect = design_effect(losses - losses.mean(), groups, level)
    columns = list(_columns(matrix, truth, called, by_row or {}))
    seen = [*_of_columns(losses, columns), *_of_amounts(losses, columns)]
    unseen = _Errors(0.0, _dearest_unseen(matrix, truth, called, columns))
    found = _joined(
        [*(replace(kind, n_rows=kind.n_rows / effect) for kind in seen), unseen], len(truth) / effect, level
    )
    if weight is None:
        return found
    stretch = float(np.sqrt(len(weight) * np.square(weight).sum()) / weight.sum())
    return moved(found, float(np.average(losses, weights=weight)), stretch, _LIMITS)


@dataclass(frozen=True)
class _Column:
    """A cell of the matrix whose cost a column says: its place, its rows, and what the column says of the class."""

    place: tuple[int, int]
    rows: Bools
    known: Floats


def _columns(matrix: CostMatrix, truth: Longs, called: Longs, by_row: RowAmounts) -> Iterator[_Column]:
    for i, j, name in matrix.columns:
        if name in by_row:
            of_class = truth == i
            known = by_row[name][of_class] if of_class.any() else by_row[name]
            yield _Column((i, j), of_class & (called == j), known)


def _of_columns(losses: Floats, columns: list[_Column]) -> Iterator[_Errors]:
    for one in columns:
        costs = losses[one.rows]
        if costs.any():
            yield _Errors(float(len(costs)), float(costs.mean()), float(one.known.std() / one.known.mean()))


def _of_amounts(losses: Floats, columns: list[_Column]) -> Iterator[_Errors]:
    """Errors whose cost stands in the matrix, by its octave."""
    elsewhere = np.any([one.rows for one in columns], axis=0) if columns else np.zeros(len(losses), dtype=np.bool_)
    costs = losses[(losses > 0) & ~elsewhere]
    octaves = _octave(costs)
    for octave in np.unique(octaves):
        alike = costs[octaves == octave]
        yield _Errors(float(len(alike)), float(alike.mean()), float(alike.std() / alike.mean()))


def _octave(costs: Floats) -> Floats:
    return np.floor(np.log2(costs))


def _dearest_unseen(matrix: CostMatrix, truth: Longs, called: Longs, columns: list[_Column]) -> float:
    """The largest cost of an error of whose kind there is none; 0 where all were seen."""
    size, amounts = len(matrix.classes), matrix.amounts.copy()
    there = np.bincount(truth * size + called, minlength=size**2).reshape(size, size) > 0
    unseen = [float(one.known.mean()) for one in columns if not one.rows.any()]
    for one in columns:
        amounts[one.place] = 0.0
    octaves = _octave(amounts[there & (amounts > 0)])
    costs = amounts[amounts > 0]
    return max([*unseen, *costs[~np.isin(_octave(costs), octaves)].tolist()], default=0.0)


def _joined(kinds: list[_Errors], n: float, level: float) -> Score:
    below, above, spread, value = [], [], [], 0.0
    for kind in kinds:
        part = share(kind.n_rows, n, level)
        p, low, high = part.value or 0.0, part.low or 0.0, part.high or 0.0
        t = float(stats.t.ppf((1 + level) / 2, kind.n_rows + 1))
        half = t * kind.variation / np.sqrt(kind.n_rows) if kind.n_rows else 0.0
        value += p * kind.cost
        below.append(kind.cost * np.hypot(p - low, p * -np.expm1(-half)))
        above.append(kind.cost * np.hypot(high - p, p * np.expm1(min(half, 700.0))))
        spread.append(np.sqrt(p / (1 - p)) if p < 1 else 0.0)
    low, high = (_length(np.array(ends), np.array(spread)) for ends in (below, above))
    return Score(value, max(value - low, 0.0), value + high, COSTS)


def _length(ends: Floats, spread: Floats) -> float:
    """sqrt(d' R d) with 1 on the diagonal of R, and -s_k s_l elsewhere."""
    square = np.sum(np.square(ends) * (1 + np.square(spread))) - np.square(ends @ spread)
    return float(np.sqrt(max(square, 0.0)))

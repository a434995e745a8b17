"""ROC, precision-recall, gains, lift, cost and calibration as plain numbers, with a band at each point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats, Longs
from mercer.evaluation.intervals import REPLICATES, percentiles, wilson
from mercer.evaluation.uncertainty.clusters import design_effect
from mercer.select.auc import Ranked
from mercer.select.thresholds import RowCosts

GRID = 101
BINS = 10
STEPS = 1000  # of each class, in which bands are drawn


@dataclass(frozen=True, slots=True)
class Curve:
    """y over x with a pointwise bootstrap band; `label` is the class it is about."""

    label: str
    x: list[float]
    y: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of similar predicted probability: its mean, the observed share (Wilson interval), their number or weight."""

    predicted: float
    observed: float | None
    low: float | None
    high: float | None
    n_rows: float


@dataclass(frozen=True, slots=True)
class Separation:
    """How many rows of the positive class, and of the others, fall into each range of predicted probability."""

    edges: list[float]
    positive: list[float]
    others: list[float]


def separation(positive: Bools, probability: Floats, weight: Floats | None = None) -> Separation:
    """Twenty ranges of equal width."""
    counts = [
        np.histogram(probability[rows], 2 * BINS, (0, 1), weights=None if weight is None else weight[rows])[0].tolist()
        for rows in (positive, ~positive)
    ]
    return Separation(np.linspace(0, 1, 2 * BINS + 1).tolist(), *counts)


def roc_curve(
    positive: Bools,
    score: Floats,
    label: str,
    seed: int,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Curve:
    """True positive rate over false positive rate."""
    grid = np.linspace(0, 1, GRID)

    def found(true: Floats, false: Floats) -> Floats:
        if true[-1] <= 0 or false[-1] <= 0:
            return np.full(GRID, np.nan)
        # the curve is vertical where several true positive rates share one false positive rate: take the upper end
        return _upper(np.append(0, false) / false[-1], np.append(0, true) / true[-1], grid)

    return Curve(label, grid.tolist(), *_with_band(found, Ranked(positive, score), seed, level, weight, groups))


def precision_recall_curve(
    positive: Bools,
    score: Floats,
    label: str,
    seed: int,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Curve:
    """Precision over recall."""
    grid = np.linspace(0, 1, GRID)[1:]

    def precision(true: Floats, false: Floats) -> Floats:
        if true[-1] <= 0:
            return np.full(len(grid), np.nan)
        first = np.searchsorted(true, grid * true[-1] * (1 - 1e-12))  # the first threshold with that recall
        share: Floats = true[first] / (true[first] + false[first])
        return share

    return Curve(label, grid.tolist(), *_with_band(precision, Ranked(positive, score), seed, level, weight, groups))


def gains_curve(
    positive: Bools,
    score: Floats,
    label: str,
    seed: int,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Curve:
    """Share of the positive rows found over the share of rows called positive, the most probable first.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
        Which rows are of the positive class.
    score : ndarray of shape (n_rows,)
        Larger for rows that look more like it.
    label : str
        Name of the class.
    seed : int
        Of the bootstrap.
    level : float
        Confidence level of the band.
    weight : ndarray of shape (n_rows,), optional
        Of each row.
    groups : ndarray of shape (n_rows,), optional
        The group of each row: whole groups are drawn for the band.

    Returns
    -------
    Curve
        From 0 to 1; among rows of equal score, straight.
    """
    grid = np.linspace(0, 1, GRID)

    def gains(true: Floats, false: Floats) -> Floats:
        return _gains(true, false, grid)

    return Curve(label, grid.tolist(), *_with_band(gains, Ranked(positive, score), seed, level, weight, groups))


def lift_curve(
    positive: Bools,
    score: Floats,
    label: str,
    seed: int,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Curve:
    """How many times as many positive rows are found as by calling as many rows positive at random.

    Parameters
    ----------
    positive, score, label, seed, level, weight, groups
        As for `gains_curve`.

    Returns
    -------
    Curve
        Over the share of rows called positive, from 0.01 to 1, where the lift is 1.
    """
    grid = np.linspace(0, 1, GRID)[1:]

    def lift(true: Floats, false: Floats) -> Floats:
        found: Floats = _gains(true, false, grid) / grid
        return found

    return Curve(label, grid.tolist(), *_with_band(lift, Ranked(positive, score), seed, level, weight, groups))


def cost_curve(
    positive: Bools,
    probability: Floats,
    costs: RowCosts,
    label: str,
    seed: int,
    level: float,
    weight: Floats | None = None,
    groups: Longs | None = None,
) -> Curve:
    """Mean cost of a row over the threshold from which a row is called positive.

    Parameters
    ----------
    positive, label, seed, level, weight, groups
        As for `gains_curve`.
    probability : ndarray of shape (n_rows,)
        Of the positive class.
    costs : RowCosts
        What each row costs when called positive, and when not.

    Returns
    -------
    Curve
        From 0 to 1, finer below 0.1, where the threshold of a rare or costly class is.
    """
    order = np.argsort(probability, kind="stable")
    grid = np.unique(np.concatenate([np.linspace(0, 0.1, GRID), np.linspace(0, 1, GRID)]))
    below = np.searchsorted(probability[order], grid)  # rows that are not called positive
    called, not_called = costs.positive[order], costs.negative[order]

    def cost(weights: Floats) -> Floats:
        mass = weights[order]
        missed, alarms = (np.append(0.0, np.cumsum(mass * part)) for part in (not_called, called))
        found: Floats = (missed[below] + alarms[-1] - alarms[below]) / mass.sum()
        return found

    mass = np.ones(len(probability)) if weight is None else weight
    low, high = percentiles(np.array([cost(drawn * mass) for drawn in _draws(len(mass), groups, seed)]), level)
    return Curve(label, grid.tolist(), cost(mass).tolist(), low.tolist(), high.tolist())


def _gains(true: Floats, false: Floats, grid: Floats) -> Floats:
    true, false = np.append(0.0, true), np.append(0.0, false)
    if true[-1] <= 0:
        return np.full(len(grid), np.nan)
    called = true + false
    found: Floats = np.interp(grid, called / called[-1], true / true[-1])
    return found


def calibration(
    happened: Bools, probability: Floats, level: float, weight: Floats | None = None, groups: Longs | None = None
) -> list[Bin]:
    """Predicted probability against observed share, in ten bins of equally many rows (fewer if values repeat)."""
    mass = np.ones(len(probability)) if weight is None else weight
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, BINS + 1)[1:-1]))
    which = np.searchsorted(edges, probability, side="right")
    bins = []
    for b in np.unique(which):
        rows = which == b
        w, p = mass[rows], probability[rows]
        if w.sum() <= 0:
            continue
        observed = float(np.average(happened[rows], weights=w))
        n = float(w.sum() ** 2 / np.square(w).sum())  # rows of equal weight that say as much (Kish)
        n /= design_effect(w * (happened[rows] - observed), None if groups is None else groups[rows], level)
        share = wilson(n * observed, n, level)
        total = float(w.sum()) if weight is not None else int(rows.sum())
        bins.append(Bin(float(np.average(p, weights=w)), share.value, share.low, share.high, total))
    return bins


def _upper(x: Floats, y: Floats, grid: Floats) -> Floats:
    """y at the grid by straight lines, the upper end where the curve is vertical."""
    place = np.searchsorted(x, grid, side="right") - 1
    beyond = np.minimum(place + 1, len(x) - 1)
    width = x[beyond] - x[place]
    share = np.where(width > 0, (grid - x[place]) / np.where(width > 0, width, 1), 0)
    result: Floats = y[place] + share * (y[beyond] - y[place])
    return result


def _with_band(
    curve: Callable[[Floats, Floats], Floats],
    ranked: Ranked,
    seed: int,
    level: float,
    weight: Floats | None,
    groups: Longs | None,
) -> tuple[list[float], ...]:
    """Centre, lower and upper end at each point, from the counts of true and false positives by threshold."""
    mass = np.ones(len(ranked.order)) if weight is None else weight
    true, false = ranked.counts(mass)
    kept = _steps(true, false)
    if groups is None:
        rows = round(mass.sum() ** 2 / np.square(mass).sum())  # as many as the weights are worth (Kish)
        cells = np.concatenate([np.diff(part[kept], prepend=0.0) for part in (true, false)]).clip(0.0)  # not -1e-17
        drawn = np.random.default_rng(seed).multinomial(rows, cells / cells.sum(), REPLICATES).astype(np.float64)
    else:
        drawn = _drawn_cells(ranked, kept, mass, groups, seed)
    counts = np.cumsum(drawn.reshape(REPLICATES, 2, -1), axis=2)
    low, high = percentiles(np.array([curve(*parts) for parts in counts]), level)
    return curve(true, false).tolist(), low.tolist(), high.tolist()


def _steps(true: Floats, false: Floats) -> Longs:
    """The thresholds at which a further 1/STEPS of a class is passed.

    Rows of one class between two thresholds are alike: how many are drawn is multinomial, whatever their number. A
    million rows take no longer than 4,000.
    """
    passed = [np.floor(STEPS * part / max(part[-1], 1e-300)) for part in (true, false)]
    return np.flatnonzero((np.diff(passed[0], append=np.inf) > 0) | (np.diff(passed[1], append=np.inf) > 0))


def _drawn_cells(ranked: Ranked, kept: Longs, mass: Floats, groups: Longs, seed: int) -> Floats:
    """Mass of each class between two thresholds where whole groups are drawn, (REPLICATES, 2 * n_thresholds)."""
    cell = np.searchsorted(kept, ranked.places()) + len(kept) * (ranked.hits == 0)
    cell = ranked.in_row_order(cell.astype(np.float64)).astype(np.int64)
    draws = _draws(len(mass), groups, seed)
    return np.array([np.bincount(cell, drawn * mass, 2 * len(kept)) for drawn in draws])


def _draws(n_rows: int, groups: Longs | None, seed: int) -> Iterator[Floats]:
    """How often each row is drawn with replacement, by itself or with its group, REPLICATES times."""
    which = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    n, rng = int(which.max()) + 1, np.random.default_rng(seed)
    for _ in range(REPLICATES):
        yield np.bincount(rng.integers(0, n, n), minlength=n)[which].astype(np.float64)

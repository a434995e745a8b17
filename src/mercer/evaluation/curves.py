"""ROC, precision-recall and calibration as plain numbers, with a band at each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats
from mercer.evaluation.intervals import REPLICATES, percentiles, wilson
from mercer.select.auc import Ranked

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
    """Rows of similar predicted probability: its mean, the observed share (Wilson interval), their number."""

    predicted: float
    observed: float | None
    low: float | None
    high: float | None
    n_rows: int


@dataclass(frozen=True, slots=True)
class Separation:
    """How many rows of the positive class, and of the others, fall into each range of predicted probability."""

    edges: list[float]
    positive: list[int]
    others: list[int]


def separation(positive: Bools, probability: Floats) -> Separation:
    """Twenty ranges of equal width."""
    counts = [np.histogram(probability[rows], 2 * BINS, (0, 1))[0].tolist() for rows in (positive, ~positive)]
    return Separation(np.linspace(0, 1, 2 * BINS + 1).tolist(), *counts)


def roc_curve(
    positive: Bools, score: Floats, label: str, seed: int, level: float, weight: Floats | None = None
) -> Curve:
    """True positive rate over false positive rate."""
    grid = np.linspace(0, 1, GRID)

    def found(true: Floats, false: Floats) -> Floats:
        if true[-1] <= 0 or false[-1] <= 0:
            return np.full(GRID, np.nan)
        # the curve is vertical where several true positive rates share one false positive rate: take the upper end
        return _upper(np.append(0, false) / false[-1], np.append(0, true) / true[-1], grid)

    return Curve(label, grid.tolist(), *_with_band(found, Ranked(positive, score), seed, level, weight))


def precision_recall_curve(
    positive: Bools, score: Floats, label: str, seed: int, level: float, weight: Floats | None = None
) -> Curve:
    """Precision over recall."""
    grid = np.linspace(0, 1, GRID)[1:]

    def precision(true: Floats, false: Floats) -> Floats:
        if true[-1] <= 0:
            return np.full(len(grid), np.nan)
        first = np.searchsorted(true, grid * true[-1] * (1 - 1e-12))  # the first threshold with that recall
        share: Floats = true[first] / (true[first] + false[first])
        return share

    return Curve(label, grid.tolist(), *_with_band(precision, Ranked(positive, score), seed, level, weight))


def calibration(happened: Bools, probability: Floats, level: float) -> list[Bin]:
    """Predicted probability against observed share, in ten bins of equally many rows (fewer if values repeat)."""
    edges = np.unique(np.quantile(probability, np.linspace(0, 1, BINS + 1)[1:-1]))
    which = np.searchsorted(edges, probability, side="right")
    bins = []
    for b in np.unique(which):
        rows = which == b
        share = wilson(float(happened[rows].sum()), float(rows.sum()), level)
        bins.append(Bin(float(probability[rows].mean()), share.value, share.low, share.high, int(rows.sum())))
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
    curve: Callable[[Floats, Floats], Floats], ranked: Ranked, seed: int, level: float, weight: Floats | None
) -> tuple[list[float], ...]:
    """Centre, lower and upper end at each point, from the counts of true and false positives by threshold."""
    mass = np.ones(len(ranked.order)) if weight is None else weight
    true, false = ranked.counts(mass)
    rows = round(mass.sum() ** 2 / np.square(mass).sum())  # as many as the weights are worth (Kish)
    replicates = [curve(*counts) for counts in zip(*_resampled(true, false, rows, seed), strict=True)]
    low, high = percentiles(np.array(replicates), level)
    return curve(true, false).tolist(), low.tolist(), high.tolist()


def _resampled(true: Floats, false: Floats, n_rows: int, seed: int) -> tuple[Floats, Floats]:
    """True and false positives of resampled rows, (REPLICATES, n_thresholds) each.

    Rows of one class between two thresholds are alike: how many are drawn is multinomial, whatever their number. Of
    many thresholds those are kept at which a further 1/STEPS of a class is passed: a million rows take no longer than
    4,000.
    """
    passed = [np.floor(STEPS * part / max(part[-1], 1e-300)) for part in (true, false)]
    kept = np.flatnonzero((np.diff(passed[0], append=np.inf) > 0) | (np.diff(passed[1], append=np.inf) > 0))
    cells = np.concatenate([np.diff(part[kept], prepend=0.0) for part in (true, false)]).clip(0.0)  # not -1e-17
    drawn = np.random.default_rng(seed).multinomial(n_rows, cells / cells.sum(), REPLICATES).astype(np.float64)
    counts = np.cumsum(drawn.reshape(REPLICATES, 2, -1), axis=2)
    return counts[:, 0], counts[:, 1]

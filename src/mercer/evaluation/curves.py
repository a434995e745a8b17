"""ROC, precision-recall and calibration as plain numbers, with a band at each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats
from mercer.evaluation.intervals import bootstrap, percentiles, wilson
from mercer.select.auc import Ranked

GRID = 101
BINS = 10


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


def roc_curve(positive: Bools, score: Floats, label: str, seed: int, level: float) -> Curve:
    """True positive rate over false positive rate."""
    ranked = Ranked(positive, score)
    grid = np.linspace(0, 1, GRID)

    def found(weights: Floats) -> Floats:
        true, false = ranked.counts(weights)
        if true[-1] <= 0 or false[-1] <= 0:
            return np.full(GRID, np.nan)
        # the curve is vertical where several true positive rates share one false positive rate: take the upper end
        return _upper(np.append(0, false) / false[-1], np.append(0, true) / true[-1], grid)

    return Curve(label, grid.tolist(), *_with_band(found, len(score), seed, level))


def precision_recall_curve(positive: Bools, score: Floats, label: str, seed: int, level: float) -> Curve:
    """Precision over recall."""
    ranked = Ranked(positive, score)
    grid = np.linspace(0, 1, GRID)[1:]

    def precision(weights: Floats) -> Floats:
        true, false = ranked.counts(weights)
        if true[-1] <= 0:
            return np.full(len(grid), np.nan)
        first = np.searchsorted(true, grid * true[-1] * (1 - 1e-12))  # the first threshold with that recall
        share: Floats = true[first] / (true[first] + false[first])
        return share

    return Curve(label, grid.tolist(), *_with_band(precision, len(score), seed, level))


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


def _with_band(curve: Callable[[Floats], Floats], n: int, seed: int, level: float) -> tuple[list[float], ...]:
    """Centre, lower and upper end at each point."""
    low, high = percentiles(bootstrap(curve, n, seed), level)
    return curve(np.ones(n)).tolist(), low.tolist(), high.tolist()

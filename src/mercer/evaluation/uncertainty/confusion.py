"""Intervals of what a confusion matrix says, by the likelihood of the matrices that have another score."""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
from scipy import optimize, special

from mercer.arrays import Floats
from mercer.evaluation.intervals import ONE_SIDED, Score
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.uncertainty.matrices import MATRIX_SCORES, MatrixScore, f1_bias, mean_f1, seen_classes

LIKELIHOOD = "likelihood of the confusion matrix"
_ADDED = 1.0  # row, spread over the cells: none that is empty could have rows otherwise
_OF_LIKELIHOOD = 0.8  # part of r in R
_LEAST_WORTH = 1 / 3  # of the rows of a class, after what was fitted to them
_PER_RIGHT_ROW = 0.7  # by how much of a power of e the low end of Matthews correlation needs less
_PRECISE = 1e-3  # of half the interval, to which its ends are found
_FAR = 2.0  # standard errors: of a score that no matrix near by has, or but one without chance
_STEPS = 100  # to the nearest shares
_LEAST_PART = 0.05  # of a step
_CLOSE = 1e-7  # last step of the shares


def matrix_interval(key: str, counts: Floats, level: float) -> Score:
    """The scores t that the matrix x does not reject: |R(t)| below the normal quantile, R = 4/5 r + 1/5 z - b / s.

    Of all shares p of rows in the cells with T(p) = t, those under which x is likeliest, maximising sum x log p, give

        r = +-sqrt(2 sum x log(x / n p)),   z = (T(x) - t) / s,   s^2 = sum p g^2 / n

    with the slope g of T at p: the roots of the likelihood ratio and of the score test, which of a share of rows is
    Wilson's. Ends by r alone are missed too seldom where few rows decide, those by z too often. One row is spread over
    the cells. The mean of T over samples is T(p) + b: of the F1 of a class with e errors among s rows of it or called
    so, b = -F e / s^2; other scores have next to none. Of balanced accuracy, the variance of a class of x rows with the
    part w of all variance is taken x / (x - 1 + w) times, for what was fitted to them. Where hardly a row of all but
    one class is called rightly, none can speak against a higher Matthews correlation: its low end then has the level of
    an interval that can miss on one side alone.

    Parameters
    ----------
    key : str
        "balanced_accuracy", "f1_macro", "f1_weighted" or "mcc".
    counts : ndarray of shape (n_classes, n_classes)
        Rows by true class and class predicted; where they come in groups, what they are worth.
    level : float
        Confidence level.

    Returns
    -------
    Score
        Value and interval.
    """
    there = counts.sum(axis=0) + counts.sum(axis=1) > 0
    kept = np.append(np.flatnonzero(there), np.flatnonzero(~there)[:1])  # one stands for all that nothing is known of
    test = _TESTS.get(key, LikelihoodTest)(MATRIX_SCORES[key], METRICS[key].limits, counts[np.ix_(kept, kept)], level)
    found = Score(test.value, test.end(-1), test.end(1), LIKELIHOOD)
    return _with_unknown(found, there.sum() / len(there)) if key == "f1_macro" else found


def _with_unknown(known: Score, part: float) -> Score:
    """Classes that no row is of or called do not count in macro F1, but other rows may be, with any F1."""
    assert known.low is not None and known.high is not None
    return Score(known.value, known.low * part, known.high * part + 1 - part, known.method)


class LikelihoodTest:
    """Of each score that the counts could have had, as `matrix_interval` has it.

    Parameters
    ----------
    score : callable
        T of counts or shares, and its slope by each cell; T is of ratios, so that both have the same.
    limits : tuple of float
        Least and largest T.
    counts : ndarray
        Rows in each cell.
    level : float
        Confidence level.
    """

    def __init__(self, score: MatrixScore, limits: tuple[float, float], counts: Floats, level: float) -> None:
        self.score, self.limits, self.level = score, limits, level
        self.n, self.value = float(counts.sum()), min(max(score(counts)[0], limits[0]), limits[1])
        self.counts = counts + _ADDED / counts.size
        self.shares = self.counts / self.counts.sum()
        self.middle = score(self.shares)[0]

    def end(self, side: int) -> float:
        """The score nearest to the middle that is rejected, sought below (-1) or above it (1)."""
        width = -float(special.ndtri((1 - self.level) / 2)) * self.error(self.shares, self.score(self.shares)[1])
        limit, near, step = self.limits[side > 0], self.middle, width
        at = self.shares

        @cache
        def excess(score: float) -> float:
            nonlocal at
            found = None if score == limit else nearest(self.score, self.counts, score, at)
            if found is None:
                return _FAR
            at = found
            return self.excess(score, found, side)

        rejected = excess(near) >= 0
        while not rejected and near != limit:
            far = near + side * min(step, abs(limit - near))
            rejected = excess(far) >= 0
            near = float(optimize.brentq(excess, near, far, xtol=_PRECISE * width)) if rejected else far
            step *= 1.5
        return float(min(near, self.value) if side < 0 else max(near, self.value))

    def excess(self, score: float, shares: Floats, side: int) -> float:
        """How much farther R is than the normal quantile."""
        return -side * self.root(score, shares) + float(special.ndtri(self.tail(shares, side)))

    def root(self, score: float, shares: Floats) -> float:
        """R"""
        error = self.error(shares, self.score(shares)[1])
        ratio = 2 * float((self.counts * np.log(self.shares / shares)).sum())
        r, z = math.copysign(math.sqrt(max(ratio, 0.0)), self.middle - score), (self.value - score) / error
        return _OF_LIKELIHOOD * r + (1 - _OF_LIKELIHOOD) * z - self.bias(shares) / error

    def error(self, shares: Floats, slope: Floats) -> float:
        """s"""
        return float(np.sqrt((shares * np.square(slope)).sum() / self.n))

    def bias(self, shares: Floats) -> float:
        """b"""
        return 0.0

    def tail(self, shares: Floats, side: int) -> float:
        """Chance of a matrix that rejects the score, from this side."""
        return (1 - self.level) / 2


class _MacroF1(LikelihoodTest):
    def __init__(self, score: MatrixScore, limits: tuple[float, float], counts: Floats, level: float) -> None:
        self.weight = seen_classes(counts)
        super().__init__(partial(mean_f1, weight=self.weight), limits, counts, level)

    def bias(self, shares: Floats) -> float:
        return f1_bias(shares, self.weight, self.n)


class _BalancedAccuracy(LikelihoodTest):
    def __init__(self, score: MatrixScore, limits: tuple[float, float], counts: Floats, level: float) -> None:
        present = counts.sum(axis=1) > 0
        super().__init__(score, limits, counts[present][:, np.argsort(~present, kind="stable")], level)

    def error(self, shares: Floats, slope: Floats) -> float:
        variance = (shares * np.square(slope)).sum(axis=1) / self.n
        rows = shares.sum(axis=1) * self.n
        fitted = 1 - variance / variance.sum()
        return float(np.sqrt((variance * rows / np.maximum(rows - fitted, _LEAST_WORTH * rows)).sum()))


class _Matthews(LikelihoodTest):
    def tail(self, shares: Floats, side: int) -> float:
        usual = (1 - self.level) / 2
        if side > 0:
            return usual
        right = shares.diagonal()
        others = float(right.sum() - right.max()) * self.n
        return usual * (1 + (2 * ONE_SIDED - 1) * math.exp(-_PER_RIGHT_ROW * others))


_TESTS: dict[str, type[LikelihoodTest]] = {
    "f1_macro": _MacroF1,
    "balanced_accuracy": _BalancedAccuracy,
    "mcc": _Matthews,
}


def nearest(score: MatrixScore, counts: Floats, wanted: float, start: Floats) -> Floats | None:
    """p that maximises sum x log p subject to T(p) = t, by solving it for T made linear at the last p again and again.

    Where T(p') + g (p' - p) = t is asked, g p = 0 since T is of ratios, p' = x / (n + h u) with u = g - (t - T(p)) and
    the h at which sum p' u = 0. Stops where no share changes by more than 1e-7. Goes the part of each step that
    would have been right for the one before (Irons and Tuck 1969), since whole ones swing where classes are small.

    Parameters
    ----------
    score : callable
        T and its slope, as `MATRIX_SCORES` has them.
    counts : ndarray
        x, more than 0.
    wanted : float
        t.
    start : ndarray
        First p.

    Returns
    -------
    ndarray or None
        Shares, after a hundred steps the last; None where no matrix near by has this score.
    """
    shares, n, factor, part = start, float(counts.sum()), 0.0, 1.0
    last: Floats | None = None
    for _ in range(_STEPS):
        value, slope = score(shares)
        slope = slope - (wanted - value)
        if not slope.min() < 0 < slope.max():
            return None
        factor = _multiplier(slope, counts, n, factor)
        way = counts / (n + factor * slope) - shares
        if last is not None:
            turn = last - way
            scale = max(float(np.square(turn).sum()), 1e-300)
            part = min(max(part * float((last * turn).sum()) / scale, _LEAST_PART), 1.0)
        shares, last = shares + part * way, way
        if np.abs(way).max() <= _CLOSE:
            break
    return shares


def _multiplier(slope: Floats, counts: Floats, n: float, start: float) -> float:
    """h with sum u x / (n + h u) = 0, which falls as h grows: Newton's steps, halved where they leave the bracket.

    Within the bracket each x / (n + h u) is at most 1.
    """
    above, below = slope > 0, slope < 0
    low = float(((counts[above] - n) / slope[above]).max())
    high = float(((counts[below] - n) / slope[below]).min())
    at = start if low < start < high else 0.0
    for _ in range(_STEPS):
        ratio = slope / (n + at * slope)
        parts = ratio * counts
        excess = float(parts.sum())
        if excess > 0:
            low = at
        else:
            high = at
        step = excess / float((parts * ratio).sum())
        far = at + step
        if not low < far < high:
            far = (low + high) / 2
        if abs(far - at) <= 1e-9 * n:
            return far
        at = far
    return at

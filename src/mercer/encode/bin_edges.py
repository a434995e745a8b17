"""Edges of bins: each function takes known numbers and returns increasing inner edges.

An edge c puts x < c on its left and x >= c on its right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs


def equal_width(values: Floats, n: int) -> Floats:
    """Edges a + (b - a) i / n, [a, b] the range of the numbers."""
    return width_edges(values[0], values[-1], n)


def width_edges(low: float, high: float, n: int) -> Floats:
    """The same edges, of the range alone."""
    shares = np.arange(1, n) / n
    # Weighted ends rather than low + share * (high - low), whose difference may be beyond a double.
    return inside(low * (1 - shares) + high * shares, low, high)


def equal_frequency(values: Floats, n: int) -> Floats:
    """Quantiles i / n, so that each bin holds as many numbers as ties allow; a bin that would be empty is not made.

    The quantile is x_(k+1), k = floor(i N / n), or halfway from x_(k) to x_(k+1) when k is exact; in whole numbers,
    since i / n * N may round to either side.
    """
    left, right = quantile_ranks(len(values), n)
    edges = inside(values[left] / 2 + values[right] / 2, values[0], values[-1])
    return filled_bins(edges, np.searchsorted(values, edges))


def quantile_ranks(n_values: int, n: int) -> tuple[Longs, Longs]:
    """Ranks, from 0, of the numbers that the quantiles i / n of so many numbers are halfway between."""
    place, rest = np.divmod(np.arange(1, n) * n_values, n)
    place, rest = place[place > 0], rest[place > 0]
    return np.where(rest > 0, place, place - 1), place


def filled_bins(edges: Floats, n_below: Longs) -> Floats:
    """The edges between which there are numbers, from how many numbers are below each edge."""
    _, first = np.unique(n_below, return_index=True)
    return edges[first]


def clusters(values: Floats, n: int, max_iter: int = 300) -> Floats:
    """Midpoints between the centres of n clusters of numbers.

    Problem: min over centres c of sum_i min_j (x_i - c_j)^2, a local minimum.
    Givens: sorted numbers; the first centres are the middles of n bins of equal width.
    Result: midpoints of neighbouring centres; a cluster that holds nothing is dropped.
    Stop rule: no number changes its cluster, or `max_iter` rounds.
    Reference: Lloyd (1982), Least squares quantization in PCM; in one dimension a cluster is a run of sorted
    numbers.
    """
    middle = values.mean()
    total = np.concatenate([[0.0], np.cumsum(values - middle)])
    centres = values[0] + (np.arange(n) + 0.5) / n * (values[-1] - values[0])
    bounds = np.empty(0, dtype=np.int64)
    for _ in range(max_iter):
        found = np.searchsorted(values, (centres[1:] + centres[:-1]) / 2)
        edges = np.unique(np.concatenate([[0], found, [len(values)]]))
        if np.array_equal(edges, bounds):
            break
        bounds = edges
        centres = middle + np.diff(total[bounds]) / np.diff(bounds)
    return inside((centres[1:] + centres[:-1]) / 2, values[0], values[-1])


def inside(edges: Floats, low: float, high: float) -> Floats:
    """Distinct edges with numbers on both sides, the numbers being from low to high."""
    distinct = np.unique(edges)
    found: Floats = distinct[(distinct > low) & (distinct <= high)]
    return found


def entropy_mdl(values: Floats, classes: NDArray[np.int32], n_classes: int) -> Floats:
    """Recursive minimal-entropy partition, stopped by minimal description length.

    Problem: cut a set S of N rows at T where the class entropy of the parts is least; keep the cut if
        Gain(T; S) > log2(N - 1) / N + D(T; S) / N,
        D = log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2)),
    k, k1, k2 the numbers of classes in S and its parts; then cut both parts in the same way.
    Givens: numbers and class codes, in any order.
    Result: midpoints of neighbouring distinct numbers, increasing; none when no cut is kept.
    Stop rule: no part has a cut that is kept.
    Reference: Fayyad & Irani (1993), Multi-interval discretization of continuous-valued attributes.
    """
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.zeros((len(distinct) + 1, n_classes), dtype=np.int64)
    np.add.at(counts, (place + 1, classes), 1)
    below = np.cumsum(counts, axis=0)  # row i: rows of each class among the first i distinct numbers
    cuts: list[int] = []
    parts = [(0, len(distinct))]
    while parts:
        start, stop = parts.pop()
        cut = _best_cut(below[start : stop + 1] - below[start])
        if cut is not None:
            cuts.append(start + cut)
            parts += [(start, start + cut), (start + cut, stop)]
    at = np.sort(np.array(cuts, dtype=np.int64))
    return midpoints(distinct[at - 1], distinct[at])


def midpoints(left: Floats, right: Floats) -> Floats:
    """Halfway between neighbours; the right one when there is no double between them."""
    middle: Floats = left / 2 + right / 2
    return np.where((middle > left) & (middle <= right), middle, right)


def _best_cut(below: Longs) -> int | None:
    """The number of distinct values left of the best cut of one part, None when it is not kept."""
    total, candidates = below[-1], _boundaries(below)
    if not len(candidates):
        return None
    left = below[candidates]
    right = total - left
    n, n_left, n_right = total.sum(), left.sum(axis=1), right.sum(axis=1)
    entropy_left, entropy_right = entropy(left), entropy(right)
    inside = (n_left * entropy_left + n_right * entropy_right) / n
    best = int(inside.argmin())
    whole = float(entropy(total[None])[0])
    k, k1, k2 = (int((c > 0).sum()) for c in (total, left[best], right[best]))
    gained = k * whole - k1 * entropy_left[best] - k2 * entropy_right[best]
    needed = (np.log2(n - 1) + _log2_choices(k) - gained) / n
    return int(candidates[best]) if whole - inside[best] > needed else None


def _boundaries(below: Longs) -> Longs:
    """Cuts between neighbours that are not both pure in one same class: the best cut is among them."""
    cells = np.diff(below, axis=0)
    classes, pure = cells.argmax(axis=1), (cells > 0).sum(axis=1) == 1
    same = pure[1:] & pure[:-1] & (classes[1:] == classes[:-1])
    return np.flatnonzero(~same) + 1


def _log2_choices(k: int) -> float:
    """log2(3^k - 2), also for so many classes that 3^k is beyond a double."""
    return float(np.log2(3.0**k - 2)) if k < 600 else k * float(np.log2(3.0))


def entropy(counts: Longs) -> Floats:
    """-sum p log2 p of each row of counts."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found: Floats = -(shares * logs).sum(axis=1)
    return found

"""Several classes by machines of two: which rows and signs each machine sees, and how their answers become one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats


@dataclass(frozen=True, slots=True)
class Duel:
    """One machine: its training rows, and +1 or -1 for each."""

    rows: NDArray[np.int32]
    y: Floats


def duels(codes: NDArray[np.int32], n_classes: int, strategy: str) -> list[Duel]:
    """Two classes: one machine, +1 for the second. More: "ovo" has +1 for the first of a pair, "ovr" for the class."""
    every = np.arange(len(codes), dtype=np.int32)
    if n_classes == 2:
        return [Duel(every, np.where(codes == 1, 1.0, -1.0))]
    if strategy == "ovr":
        return [Duel(every, np.where(codes == c, 1.0, -1.0)) for c in range(n_classes)]
    found = []
    for first, second in combinations(range(n_classes), 2):
        rows = np.flatnonzero((codes == first) | (codes == second)).astype(np.int32)
        found.append(Duel(rows, np.where(codes[rows] == first, 1.0, -1.0)))
    return found


def pair_votes(decisions: Floats, n_classes: int) -> NDArray[np.int64]:
    """How many of its pairs each class wins, (n_rows, n_classes)."""
    first, second = np.triu_indices(n_classes, 1)  # the order of combinations()
    wins = decisions > 0
    won = np.zeros((len(decisions), n_classes, n_classes), dtype=bool)
    won[:, first, second], won[:, second, first] = wins, ~wins
    found: NDArray[np.int64] = won.sum(axis=2, dtype=np.int64)
    return found


def couple(pair_probability: Floats, n_classes: int) -> Floats:
    """Class probabilities p from r_ij = P(i | i or j), (n_rows, n_classes).

    Minimises sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 with sum p = 1, a linear system per row.
    Reference: Wu, Lin and Weng 2004, Probability estimates for multi-class classification by pairwise coupling, eq. 21.
    """
    n, k = len(pair_probability), n_classes
    r = np.zeros((n, k, k))
    for p, (first, second) in enumerate(combinations(range(k), 2)):
        r[:, first, second] = np.clip(pair_probability[:, p], 1e-7, 1 - 1e-7)
        r[:, second, first] = 1 - r[:, first, second]
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -np.swapaxes(r, 1, 2) * r
    places = np.arange(k)
    system[:, places, places] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    found: Floats = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)


def agree(probability: Floats, chosen: NDArray[np.int64]) -> Floats:
    """Probabilities in which the chosen class is never behind: where it was, it and the class ahead share alike.

    The smallest change that keeps rows adding up to 1 and lets the largest probability name the predicted class.
    """
    rows = np.arange(len(probability))
    found = probability.copy()
    ahead = np.argmax(found, axis=1)
    wrong = ahead != chosen
    while wrong.any():
        i = rows[wrong]
        middle = (found[i, chosen[i]] + found[i, ahead[i]]) / 2
        found[i, ahead[i]] = np.nextafter(middle, 0.0)
        found[i, chosen[i]] = np.nextafter(middle, 1.0)
        ahead = np.argmax(found, axis=1)
        wrong = ahead != chosen
    return found

"""Probabilities of classes from those of binary problems."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.estimators.multiclass.codes import Code

_SURE = 1e-7  # no problem is surer than this
_MOST_STEPS = 1000


def pairwise_coupling(pair_probability: Floats, n_classes: int) -> Floats:
    """Class probabilities p from r_ij = P(i | i or j), (n_rows, n_classes).

    Minimises sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2 with sum p = 1, a linear system per row.
    Reference: Wu, Lin and Weng 2004, Probability estimates for multi-class classification by pairwise coupling, eq. 21.
    """
    n, k = len(pair_probability), n_classes
    r = np.zeros((n, k, k))
    for p, (first, second) in enumerate(combinations(range(k), 2)):
        r[:, first, second] = np.clip(pair_probability[:, p], _SURE, 1 - _SURE)
        r[:, second, first] = 1 - r[:, first, second]
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -np.swapaxes(r, 1, 2) * r
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = (r**2).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    found: Floats = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    return found / found.sum(axis=1, keepdims=True)


def code_coupling(bit_probability: Floats, code: Code) -> Floats:
    """Class probabilities p from r_l = P(+1 | problem l), (n_rows, n_classes).

    Minimises sum_l KL(r_l, P_l / (P_l + N_l)), with P_l and N_l the sums of p over the classes of +1 and -1, by
    p_c <- p_c (sum_{+} r_l / P_l + sum_{-} (1 - r_l) / N_l) / sum_{+, -} 1 / (P_l + N_l), until p changes by 1e-10.
    Reference: Huang, Weng and Lin 2006, Generalized Bradley-Terry models and multi-class probability estimates.
    """
    r = np.clip(bit_probability, _SURE, 1 - _SURE)
    positive, negative = (code > 0).astype(np.float64), (code < 0).astype(np.float64)
    p = np.full((len(r), len(code)), 1 / len(code))
    for _ in range(_MOST_STEPS):
        of_positive, of_negative = (np.maximum(p @ side, 1e-300) for side in (positive, negative))
        gain = (r / of_positive) @ positive.T + ((1 - r) / of_negative) @ negative.T
        new = p * gain / ((1 / (of_positive + of_negative)) @ (positive + negative).T)
        new /= new.sum(axis=1, keepdims=True)
        change = np.abs(new - p).max(initial=0.0)
        p = new
        if change <= 1e-10:
            break
    return p


def agreeing(probability: Floats, chosen: Longs) -> Floats:
    """Probabilities whose largest is that of the chosen class: where another was larger, both get their mean.

    The smallest change that keeps rows adding up to 1 and lets the largest probability name the predicted class.
    """
    rows = np.arange(len(probability))
    found = probability.copy()
    largest = np.argmax(found, axis=1)
    wrong = largest != chosen
    while wrong.any():
        i = rows[wrong]
        mean = (found[i, chosen[i]] + found[i, largest[i]]) / 2
        found[i, largest[i]] = np.nextafter(mean, 0.0)
        found[i, chosen[i]] = np.nextafter(mean, 1.0)
        largest = np.argmax(found, axis=1)
        wrong = largest != chosen
    return found

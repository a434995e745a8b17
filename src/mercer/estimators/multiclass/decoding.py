"""The class whose row of a code is nearest to the answers of its binary problems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from mercer.arrays import Floats, Ints
from mercer.estimators.multiclass.codes import Code

Loss: TypeAlias = Literal["hinge", "exponential", "squared"]
Decoding: TypeAlias = Literal["hamming", "weighted", "hinge", "exponential", "squared", "probabilistic"]
_LOSSES: dict[Loss, Callable[[Floats], Floats]] = {
    "hinge": lambda z: np.maximum(0.0, 1 - z),
    "exponential": lambda z: np.exp(-np.clip(z, -500, 500)),
    "squared": lambda z: (1 - z) ** 2,
}


def hamming_scores(margins: Floats, code: Code) -> Floats:
    """Minus d(c) = sum_l (1 - m_cl sign f_l) / 2, (n_rows, n_classes); equal ones by s = sum_l m_cl f_l.

    For that s / (4 (|s| + 1)) is added, less than half of the least difference of two distances.
    """
    m = code.astype(np.float64)
    agreement = margins @ m.T
    distance = (code.shape[1] - np.sign(margins) @ m.T) / 2
    return np.asarray(agreement / (4 * (np.abs(agreement) + 1)) - distance)


def weighted_scores(margins: Floats, code: Code, weights: Floats) -> Floats:
    """Minus sum_l w_cl (1 - m_cl sign f_l) / 2, (n_rows, n_classes)."""
    return np.asarray((np.sign(margins) @ (weights * code).T - weights.sum(axis=1)) / 2)


def bit_weights(margins: Floats, code: Code, classes: Ints, counts: Floats | None) -> Floats:
    """w_cl: the share of the rows of class c that problem l puts on its side, (n_classes, n_problems); rows sum to 1.

    Reference: Escalera, Pujol and Radeva 2010, On the decoding process in ternary error-correcting output codes.
    """
    right = (np.sign(margins) == code[classes]) & (code[classes] != 0)
    own = np.ones(len(classes)) if counts is None else counts
    sums = np.stack([own[classes == c] @ right[classes == c] for c in range(len(code))])
    sums[sums.sum(axis=1) == 0] = 1.0  # a class that no problem gets right
    sums *= code != 0
    return np.asarray(sums / sums.sum(axis=1, keepdims=True))


def loss_scores(margins: Floats, code: Code, loss: Loss) -> Floats:
    """Minus sum_l L(m_cl f_l), (n_rows, n_classes): L(z) = max(0, 1 - z), exp(-z) or (1 - z)^2.

    Reference: Allwein, Schapire and Singer 2000, Reducing multiclass to binary, eq. 7.
    """
    of = _LOSSES[loss]
    for_positive, for_negative = of(margins), of(-margins)
    left_out = float(of(np.zeros(1))[0]) * (code == 0).sum(axis=1)
    return np.asarray(-(for_positive @ (code > 0).T + for_negative @ (code < 0).T + left_out))

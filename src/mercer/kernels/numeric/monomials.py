"""The feature space of a polynomial kernel, written out."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.errors import TooLarge

_MOST_FEATURES = 1_000_000


def polynomial_map(
    x: ArrayLike, degree: int = 2, *, gamma: float = 1.0, coef0: float = 0.0
) -> tuple[NDArray[np.float64], list[tuple[int, ...]]]:
    """phi with phi(a) . phi(b) = (gamma a . b + coef0)^degree: what a polynomial kernel compares, written out.

    phi_m(x) = sqrt(degree! / (m_0! m_1! ... m_d!) coef0^m_0 gamma^(m_1 + ... + m_d)) x_1^m_1 ... x_d^m_d, for every way
    m to share the degree among a constant and the d columns (without the constant when coef0 is 0).

    Parameters
    ----------
    x : array-like of shape (n_rows, n_columns)
        Numbers.
    degree : int, default 2
        At least 1.
    gamma : float, default 1.0
        Factor of the dot product, above 0.
    coef0 : float, default 0.0
        Constant, at least 0.

    Returns
    -------
    features : ndarray of shape (n_rows, n_features)
        phi of each row.
    monomials : list of tuple of int
        The columns that each feature multiplies, with repetition; () is the constant.

    Examples
    --------
    >>> from mercer.kernels import polynomial_map
    >>> features, monomials = polynomial_map([[3.0, 2.0]])
    >>> monomials, features.round(3)
    ([(0, 0), (0, 1), (1, 1)], array([[9.   , 8.485, 4.   ]]))
    """
    rows = np.asarray(x, dtype=np.float64)
    if rows.ndim != 2 or degree < 1 or not gamma > 0 or not coef0 >= 0:
        raise ValueError(
            "polynomial_map takes rows of numbers, degree of at least 1, gamma above 0 and coef0 of 0 or more."
        )
    d = rows.shape[1]
    if comb(d + degree, degree) > _MOST_FEATURES:
        raise TooLarge(f"{d} columns have {comb(d + degree, degree):,} products of degree {degree}. Use Polynomial.")
    orders = range(degree + 1) if coef0 > 0 else [degree]
    monomials = [m for order in orders for m in combinations_with_replacement(range(d), order)]
    features = np.empty((len(rows), len(monomials)))
    for place, monomial in enumerate(monomials):
        constants = degree - len(monomial)
        ways = factorial(degree) / factorial(constants)
        for column in set(monomial):
            ways /= factorial(monomial.count(column))
        size = np.sqrt(ways * coef0**constants * gamma ** len(monomial))
        features[:, place] = size * rows[:, list(monomial)].prod(axis=1)
    return features, monomials

"""Least squares without iterations: triangular factors of the data or of its products, and aliased columns by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl
from numpy.typing import NDArray
from scipy.optimize import nnls

from mercer.arrays import Floats
from mercer.solvers.linear.moments import Moments
from mercer.solvers.row_chunks import chunks

ALIASED = 1e-7  # share of a column that the columns before it leave unexplained, at which it counts as explained
_UNSURE = 1e-4  # products of columns have half the digits: shares from ALIASED up to this are not to be trusted
_IN_ORDER = 400  # columns up to which earlier ones are kept and later ones aliased; beyond, as pivoting chooses


@dataclass(frozen=True)
class Root:
    """F with F'F = X'WX (columns centred, then divided by `scale`), and g with F'g = X'Wy."""

    factor: Floats  # (k, d)
    target: Floats  # (k,), or (k, t) for several targets, to be solved one at a time
    scale: Floats  # (d,), 0 for a constant column


@dataclass(frozen=True)
class LeastSquares:
    """Minimiser of |Xb - y|^2 + alpha |b|^2; `inverse` is (X'WX + alpha I)^-1 on the kept columns, 0 elsewhere.

    `aliased` maps each column that is a combination of others to the (d,) coefficients of that combination.
    """

    coef: Floats
    inverse: Floats
    aliased: dict[int, Floats]


def scales(moments: Moments, n_targets: int = 1) -> Floats:
    """sqrt(S_jj), and 0 where that is rounding of a constant column."""
    d = len(moments.mean) - n_targets
    spread = np.sqrt(np.maximum(np.diag(moments.scatter)[:d], 0.0))
    noise = 1e-13 * np.abs(moments.mean[:d]) * np.sqrt(moments.weight)
    found: Floats = np.where(spread > noise, spread, 0.0)
    return found


def root_of_rows(X: Any, y: Floats, weight: Floats | None, moments: Moments) -> Root:
    """Orthogonal triangulation of the rows, chunk after chunk (Golub & Van Loan 5.2); keeps all digits.

    y : (n, t), moments : of the columns and all targets
    """
    d, t = X.shape[1], y.shape[1]
    scale = scales(moments, t)
    divide = np.append(np.where(scale > 0, scale, 1.0), np.ones(t))
    factor: Floats = np.empty((0, d + t))
    for rows, part in chunks(X):
        z = (np.column_stack([part, y[rows]]) - moments.mean) / divide
        z = z if weight is None else z * np.sqrt(weight[rows])[:, None]
        factor = np.asarray(np.linalg.qr(np.vstack([factor, z]), mode="r"))
    return Root(factor[:, :d] * (scale > 0), factor[:, d:], scale)


def root_of_moments(moments: Moments) -> tuple[Root, bool]:
    """A factor of the products alone; False beside it when too few digits are left to tell aliased columns."""
    scale = scales(moments)
    divide = np.where(scale > 0, scale, 1.0)
    gram = moments.scatter[:-1, :-1] / np.outer(divide, divide)
    gram[scale == 0], gram[:, scale == 0] = 0.0, 0.0
    cross = moments.scatter[:-1, -1] / divide * (scale > 0)
    try:
        factor = np.linalg.cholesky(gram).T
        if len(factor) == 0 or np.diag(factor).min() > _UNSURE:
            return Root(factor, sl.solve_triangular(factor.T, cross, lower=True), scale), True
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(gram)
    large = values > values[-1] * len(values) * np.finfo(float).eps
    factor = np.sqrt(values[large])[:, None] * vectors[:, large].T
    target = (vectors[:, large].T @ cross) / np.sqrt(values[large])
    shares = _shares(factor)
    sure = not ((shares > 3 * ALIASED) & (shares < _UNSURE)).any()
    return Root(factor, target, scale), sure


def solve(root: Root, alpha: float = 0.0, smallest: bool = False) -> LeastSquares:
    """Least squares from a factor of the columns.

    Problem: min over b of |F b - g|^2 + alpha |b / scale|^2. With alpha = 0, columns explained by others get 0,
    or all share (`smallest`: the b of least norm, by singular values).
    """
    d = root.factor.shape[1]
    factor, target, divide = _penalised(root, alpha)
    kept = root.scale > 0 if alpha > 0 else independent(factor)
    coef, inverse = np.zeros(d), np.zeros((d, d))
    q, r = np.linalg.qr(factor[:, kept])
    if kept.any():
        coef[kept] = sl.solve_triangular(r, q.T @ target)
        half = sl.solve_triangular(r, np.eye(len(r)))
        inverse[np.ix_(kept, kept)] = half @ half.T
    aliased = {}
    for j in np.flatnonzero(~kept):
        combination = np.zeros(d)
        if root.scale[j] > 0:
            combination[kept] = sl.solve_triangular(r, q.T @ factor[:, j]) * divide[j] / divide[kept]
        aliased[int(j)] = combination
    coef = coef / divide
    if smallest and aliased:  # what changes nothing in Xb may be taken off: the directions of the combinations
        idle = np.column_stack([c - (np.arange(d) == j) for j, c in aliased.items()])
        coef = coef - idle @ np.linalg.lstsq(idle, coef, rcond=None)[0]
    return LeastSquares(coef, inverse / np.outer(divide, divide), aliased)


def solve_positive(root: Root, alpha: float = 0.0) -> LeastSquares:
    """Least squares with no coefficient below 0, by active sets on the factor (Lawson & Hanson 1974, algorithm 23.10).

    Problem: min over b >= 0 of |F b - g|^2 + alpha |b / scale|^2. Result: b, and the inverse on the columns with b > 0.
    Columns that are combinations of others stay, since the sign that one may not have another one can; a constant
    column is the only one that says nothing. Stop: no column that is held at 0 would lower the sum, up to rounding.
    """
    d, useful = root.factor.shape[1], root.scale > 0
    factor, target, divide = _penalised(root, alpha)
    coef, inverse = np.zeros(d), np.zeros((d, d))
    if useful.any():
        coef[useful] = nnls(factor[:, useful], target, maxiter=max(30 * d, 100))[0]
    free = coef > 0
    if free.any():
        half = np.linalg.pinv(np.linalg.qr(factor[:, free], mode="r"))
        inverse[np.ix_(free, free)] = half @ half.T
    aliased = {int(j): np.zeros(d) for j in np.flatnonzero(~useful)}
    return LeastSquares(coef / divide, inverse / np.outer(divide, divide), aliased)


def _penalised(root: Root, alpha: float) -> tuple[Floats, Floats, Floats]:
    """F and g with the rows of the penalty below them, and what b was multiplied by."""
    divide = np.where(root.scale > 0, root.scale, 1.0)
    if alpha == 0:
        return root.factor, root.target, divide
    factor = np.vstack([root.factor, np.diag(np.sqrt(alpha) / divide)])
    return factor, np.concatenate([root.target, np.zeros(len(divide))]), divide


def independent(factor: Floats) -> NDArray[np.bool_]:
    """Which columns are no combination of kept ones, earlier columns first."""
    d = factor.shape[1]
    lengths = np.linalg.norm(factor, axis=0)
    if factor.shape[0] == d and d and np.allclose(factor, np.triu(factor), rtol=0, atol=0):
        diagonal = np.abs(np.diag(factor))
        if (diagonal > ALIASED * lengths).all():
            return np.ones(d, dtype=bool)
    if d > _IN_ORDER:
        _, r, order = sl.qr(factor, mode="economic", pivoting=True)
        sizes = np.abs(np.diag(r))
        kept = np.zeros(d, dtype=bool)
        kept[order[: int((sizes > ALIASED * max(sizes.max(initial=0.0), 1e-300)).sum())]] = True
        return kept
    return _shares(factor) > ALIASED


def _shares(factor: Floats) -> Floats:
    """The share of each column's length that the columns kept before it leave unexplained (Gram-Schmidt, twice)."""
    k, d = factor.shape
    basis, size = np.empty((k, min(k, d))), 0
    shares = np.zeros(d)
    for j in range(d):
        length = np.linalg.norm(factor[:, j])
        if length == 0 or size == basis.shape[1]:
            continue
        rest = factor[:, j] / length
        for _ in range(2):
            rest = rest - basis[:, :size] @ (basis[:, :size].T @ rest)
        shares[j] = np.linalg.norm(rest)
        if shares[j] > ALIASED:
            basis[:, size] = rest / shares[j]
            size += 1
    return shares

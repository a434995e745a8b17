"""Kernel ridge regression as a Gaussian process: variances at new rows, and training rows each left out.

    y ~ N(0, s^2 A),   A = K + N,   N = alpha W^-1,   c = A^-1 y

s^2 does not change the function. That of largest marginal likelihood is y'c over the sum of the weights (Rasmussen and
Williams 2006, eq. 5.8 with its derivative by s^2 set to 0). A new target at x has the variance s^2 (v(x) + alpha),
v(x) = k(x, x) - k(x)'A^-1 k(x).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.common.intervals import scores_from_state
from mercer.estimators.kernel.rows import budget_bytes
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.linear_system.solve import given_penalty
from mercer.formatting import byte_size
from mercer.kernels import Precomputed
from mercer.select.copies import find_copies
from mercer.solvers.ridge.cholesky import Factor
from mercer.state import Reader, State
from mercer.table import Table

_NO_MATRIX = "needs the kernel matrix of all training rows: fit without approximation."
_CHUNK = 1000  # rows whose variance is computed at a time


def forget_process(model: Any) -> None:
    """Unset what an earlier fit left here."""
    for name in ("_factors", "scale_", "conformal_scores_"):
        model.__dict__.pop(name, None)


def keep_process(model: Any, data: TrainingRows, targets: Floats) -> None:
    """Set s, and with `conformal` the scores, of a KernelRidge with its coefficients, fitted to targets (n, t)."""
    size = np.maximum(np.abs(targets).max(axis=0), np.finfo(np.float64).tiny)  # squares of large targets overflow
    square = (targets / size * (model._coef_rows.T / size)).sum(axis=0) / data.weight.sum()
    model.scale_ = size * np.sqrt(np.maximum(square, 0.0))
    if model.conformal:
        model.conformal_scores_ = left_out_scores(model, data)


def process_state(model: Any) -> State:
    """For the model file; of a kernel of low rank there is nothing."""
    scores: State = {"scores": model.conformal_scores_} if model.conformal else {}
    return scores if model._by_problem else scores | {"scale": model.scale_}


def restore_process(model: Any, state: Reader) -> None:
    """Set what `process_state` gave."""
    n_targets = len(model._penalty_of_target)
    if not model._by_problem:
        model.scale_ = state.array("scale", "float64", (n_targets,), low=0.0)
    if model.conformal:
        model.conformal_scores_ = scores_from_state(state, n_targets)


def refuse_conformal(model: Any) -> None:
    """MercerError where rows are to be left out of a kernel of low rank."""
    if model.conformal:
        raise MercerError(f"conformal=True {_NO_MATRIX}")


def variances(model: Any, table: Table, asked: str) -> Floats:
    """v(x), (n_rows,), or (n_rows, n_targets) for several penalties; MercerError says what `asked` for it."""
    factors = _factors(model, asked)
    found = np.empty((len(table), len(factors)))
    start = 0
    for rows in table.chunks(_CHUNK):
        own = model.kernel_.diag(rows, dtype=np.float64)
        between = model.kernel_.gram(model.support_rows_, rows, dtype=np.float64, n_jobs=model._jobs)
        for k, factor in enumerate(factors):
            found[start : start + len(rows), k] = own - (factor.half_solve(between) ** 2).sum(axis=0)
        start += len(rows)
    found = np.maximum(found, 0.0)  # below 0 by rounding
    return found[:, 0] if len(factors) == 1 else found[:, model._penalty_of_target]


def target_deviations(model: Any, table: Table, asked: str) -> Floats:
    """Standard deviation of a new target of weight 1, (n_rows,), or (n_rows, n_targets) of a target with columns."""
    function = variances(model, table, asked)
    function = function[:, None] if function.ndim == 1 else function
    found = model.scale_ * np.sqrt(function + _penalties(model))
    return found if model.outputs_2d_ else found[:, 0]


def left_out_scores(model: Any, data: TrainingRows) -> Floats:
    """|y - mean| / deviation at each row in use, fitted without it and its copies, then its weight: (n, t + 1).

    With rho the weight of a row and its copies over its own and D = rho (A^-1)_ii - (rho - 1) / N_i, the residual is
    c_i / D and the variance of the function s^2 (1 - N_i (A^-1)_ii) / D: for a row without copies Rasmussen and
    Williams 2006, eq. 5.12; a row of weight w is w copies. The kernel and s are those of all rows.
    """
    _expect_room(model)
    factors = _factors(model, "conformal=True")
    weight = data.weight[model.support_]
    rho = (_weight_of_copies(data)[model.support_] / weight)[:, None]
    inverse = np.column_stack([factor.inverse_diagonal() for factor in factors])[:, model._penalty_of_target]
    noise = model._noise.T[:, model._penalty_of_target]
    others = np.divide(rho - 1, noise, out=np.zeros_like(noise), where=rho > 1)
    left = np.maximum(rho * inverse - others, np.finfo(np.float64).eps * inverse)
    function = np.maximum(1 - noise * inverse, 0.0) / left
    deviation = model.scale_ * np.sqrt(function + _penalties(model))
    residual = np.abs(model._coef_rows.T / left)
    scores = np.divide(residual, deviation, out=np.zeros_like(residual), where=deviation > 0)  # 0: all targets are 0
    return np.column_stack([scores, weight])


def _factors(model: Any, asked: str) -> list[Factor]:
    """A of each penalty factorised, kept by the model until it is fitted again."""
    if model._by_problem:
        raise MercerError(f"{asked} {_NO_MATRIX}")
    if isinstance(model.kernel_, Precomputed):
        raise MercerError(f"{asked} needs k(x, x), which a precomputed kernel does not have. Give the kernel.")
    if "_factors" not in model.__dict__:
        gram = model.kernel_.gram(model.support_rows_, dtype=np.float64, n_jobs=model._jobs)
        model._factors = [Factor.of(gram.copy(), noise) for noise in model._noise]
    if None in model._factors:
        raise MercerError(
            f"{asked}: the kernel matrix with its penalty is not positive definite, so there is no variance. Raise "
            "alpha, or use a positive semi-definite kernel."
        )
    found: list[Factor] = model._factors
    return found


def _penalties(model: Any) -> Floats:
    return given_penalty({"alpha": model.alpha_}, "alpha", len(model._penalty_of_target))


def _expect_room(model: Any) -> None:
    needed = 8 * len(model.support_) ** 2
    if needed > budget_bytes(model.cache_size):
        raise MercerError(
            f"conformal=True needs the kernel matrix of {len(model.support_):,} rows, {byte_size(needed)}, which "
            "cache_size does not hold. Raise cache_size, or train on fewer rows."
        )


def _weight_of_copies(data: TrainingRows) -> Floats:
    """Of each row and the rows that are the same in every column and target, (n_rows,)."""
    columns = data.target.reshape(len(data.target), -1)
    copies = find_copies(data.table, columns[:, 0])
    if copies is None:
        return data.weight
    group = np.unique(np.column_stack([copies.group, columns]), axis=0, return_inverse=True)[1].ravel()
    found: Floats = np.bincount(group, weights=data.weight)[group].astype(np.float64)
    return found

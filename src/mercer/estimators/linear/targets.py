"""Linear regression on each of several targets: the rows that count, and whether products of columns are affordable."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.estimators.linear.fit import LinearFit, Problem, TrainingRows, fit_inliers, fit_rows
from mercer.estimators.linear.wide import WideFit, fit_wide, is_wide
from mercer.state import Reader, State
from mercer.table import Table

_FEW_COLUMNS = 500  # up to which threads of BLAS wait for each other longer than they compute


@dataclass(frozen=True)
class NumberFormat:
    """How the training rows came: in single precision, in a sparse matrix."""

    single: bool
    sparse: bool


def positive_rows(table: Table, targets: Floats, weight: Floats | None) -> tuple[Table, Floats, Floats | None]:
    """The rows of positive weight, their targets and weights."""
    if weight is None or weight.all():
        return table, targets, weight
    return table.take(weight > 0), targets[weight > 0], weight[weight > 0]


def fit_targets(
    rows: TrainingRows, problem: Problem, outliers: float | None, *, in_place: bool
) -> tuple[Sequence[LinearFit | WideFit], Longs]:
    """The fit of each target, and the rows left out of a single one as outliers; the matrix may be changed in place."""
    if is_wide(rows.matrix, problem):
        return fit_wide(rows, problem, outliers), np.empty(0, dtype=np.int64)
    may_write = problem.intercept and isinstance(rows.matrix, np.ndarray) and rows.matrix.flags.writeable
    offset = _centre(rows.matrix, rows.weight) if in_place and may_write else np.zeros(rows.matrix.shape[1])
    with single_blas_thread() if rows.matrix.shape[1] <= _FEW_COLUMNS else nullcontext():
        fits, left_out = _fit_each(rows, problem, outliers)
    return [fit.moved(offset) for fit in fits] if offset.any() else fits, left_out


def _fit_each(rows: TrainingRows, problem: Problem, outliers: float | None) -> tuple[list[LinearFit], Longs]:
    n_targets = rows.targets.shape[1]
    if outliers is None:
        return [fit_rows(rows, k, problem) for k in range(n_targets)], np.empty(0, dtype=np.int64)
    if n_targets > 1:
        raise MercerError("outliers leaves out rows that are outliers of one target: fit one target at a time.")
    fit, left_out = fit_inliers(rows, problem, float(outliers))
    return [fit], left_out


def _centre(matrix: Any, weight: Floats | None) -> Floats:
    """Subtract the means from the columns of an array, which is changed; those means, (d,)."""
    mean = np.average(matrix, axis=0, weights=weight).astype(matrix.dtype)
    matrix -= mean
    return mean.astype(np.float64)


def fits_state(fits: Sequence[LinearFit | WideFit]) -> State:
    """The fits of all targets as plain data."""
    return {"targets": [fit.to_state() for fit in fits], "wide": isinstance(fits[0], WideFit)}


def fits_from_state(state: Reader, d: int, *, several: bool) -> Sequence[LinearFit | WideFit]:
    """What `fits_state` wrote, checked."""
    kind = WideFit if state.flag("wide") else LinearFit
    fits = [kind.from_state(child, d) for child in state.children("targets")]
    if not fits or (len(fits) > 1 and not several):
        raise state.refuse("targets", "one target or more" if several else "one target")
    return fits


def one_fit(model: Any, what: str) -> LinearFit:
    """The fit of a model's one target, with the products of its columns; MercerError when `what` cannot have it."""
    check_is_fitted(model)
    if hasattr(model, "models_"):
        raise MercerError(
            f"{what} is about one target, and y had columns: {len(model.models_)} targets. Ask the model of one of "
            f"them, model.models_[0].{what}(...), or fit one target at a time."
        )
    if not isinstance(model.fit_, LinearFit):
        many = f"the {len(model.coef_):,} columns were solved by LSQR, without them"
        raise MercerError(f"{what} needs the products of all columns; {many}. Use fewer columns.")
    return model.fit_

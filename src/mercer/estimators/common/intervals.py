"""Intervals mean(x) +- q deviation(x) that hold a share of new rows.

q is the quantile of a normal target, which supposes that the deviation is right; or, whatever the noise is, that of
|y - mean| / deviation of training rows that were left out (conformal; Lei et al. 2018, normalised residuals; of rows
left out by folds or one by one as in Barber et al. 2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.state import LARGEST_SQUARE, Reader


def interval(mean: Floats, deviation: Floats, level: float, scores: Floats | None) -> Floats:
    """Lower and upper end for a share `level` of new rows, (..., 2), for means (n_rows,) or (n_rows, n_targets).

    scores : |y - mean| / deviation of rows left out, a column for each target, then their weight; None for a normal
        target
    """
    if not 0 < level < 1:
        raise MercerError(f"level={level!r} is not a share: give a number above 0 and below 1, such as 0.9.")
    if scores is None:
        reach = float(ndtri((1 + level) / 2)) * deviation
    else:
        reach = np.array([outer_quantile(own, scores[:, -1], level) for own in scores[:, :-1].T]) * deviation
    return np.stack([mean - reach, mean + reach], axis=-1)


def outer_quantile(values: Floats, weight: Floats, tau: float) -> float:
    """The quantile that the next value is below with a chance of at least tau above 1/2, at most tau below it."""
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weight[order]) / (weight.sum() + weight.mean())
    if tau >= 0.5:
        place = min(int(np.searchsorted(share, tau * (1 - 1e-12))), len(order) - 1)
    else:
        place = max(int(np.searchsorted(share, tau * (1 + 1e-12), side="right")) - 1, 0)
    return float(values[order[place]])


def scores_of(model: Any) -> Floats | None:
    """Those that `conformal` asks for, None without it; MercerError where it was set after the fit."""
    if not model.conformal:
        return None
    if "conformal_scores_" not in model.__dict__:
        raise MercerError(
            f"conformal=True was set after the fit of this {type(model).__name__}, which left no rows out. "
            "Fit it again, or set conformal=False."
        )
    scores: Floats = model.conformal_scores_
    return scores


def scores_from_state(state: Reader, n_targets: int) -> Floats:
    """The scores of a model file, (n_scores, n_targets + 1); BadFile where no row has a weight."""
    scores = state.array("scores", "float64", (None, n_targets + 1), low=0.0, high=LARGEST_SQUARE)
    if not len(scores) or not scores[:, -1].any():
        raise BadFile(f"{state.where}.scores: there is no row with a weight.")
    return scores

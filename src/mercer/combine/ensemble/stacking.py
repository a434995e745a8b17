"""Two-layer stacking: non-negative weights of models, by least squares or by the likelihood of a mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from mercer.arrays import Floats
from mercer.combine.ensemble.forward import Selection, chosen, own_gains
from mercer.combine.ensemble.metric import MeanOfTargets, SelectionMetric
from mercer.table import Task

_STEPS = 2000
_LEAST = 1e-4  # a smaller weight of a mixture is none: its model would be kept for nothing


def stack(cube: Floats, measure: SelectionMetric) -> Selection:
    """Weights that minimise the squared error of numbers or the log-loss of classes, whatever the metric.

    Where the best model alone is better by the metric, it has all the weight.

    Parameters
    ----------
    cube : ndarray of shape (n_models, n_rows, n_outputs)
        Out-of-fold predictions.
    measure : SelectionMetric
        Target, weights of the rows, and the metric that is reported.

    Returns
    -------
    selection : Selection
        Weights of numbers need not sum to 1; there is no trajectory.
    """
    gains = own_gains(cube, measure)
    usable = np.flatnonzero(~np.isnan(gains))
    weights = np.zeros(len(cube))
    if measure.task is Task.CLASSIFICATION:
        sizes = [one.n_classes for one in measure.targets] if isinstance(measure, MeanOfTargets) else None
        weights[usable] = mixture_weights(cube[usable], measure.y, measure.weight, sizes)
    else:
        weights[usable] = least_squares_weights(cube[usable], measure.y, measure.weight)
    return chosen(cube, weights, measure, gains, np.empty((0, 0)))


def least_squares_weights(cube: Floats, y: Floats, weight: Floats) -> Floats:
    """argmin over w >= 0 of sum_i v_i (y_i - sum_m w_m f_m(x_i))^2, by Lawson and Hanson's active sets."""
    root = np.sqrt(np.repeat(weight, cube.shape[2]))
    found: Floats = nnls((cube.reshape(len(cube), -1) * root).T, y.reshape(-1) * root)[0]
    return found


def mixture_weights(
    cube: Floats, y: NDArray[np.int64], weight: Floats, n_classes: Sequence[int] | None = None
) -> Floats:
    """argmax over the simplex of sum_i v_i log sum_m w_m p_m(y_i | x_i), a concave problem, by EM.

    Of several targets, with so many classes each, the sum is over them too.

    Each step, w_m <- mean of w_m p_m / sum_k w_k p_k, raises the likelihood (Dempster, Laird and Rubin 1977). Stops
    when no weight can gain: max_m mean(p_m / mixture) - 1 bounds the distance to the maximum.
    """
    rows, columns = np.arange(len(y)), y
    if n_classes is not None:
        rows = np.repeat(rows, len(n_classes))
        columns = (y + np.cumsum([0, *n_classes[:-1]])).reshape(-1)
    own = np.clip(cube[:, rows, columns], np.finfo(np.float64).eps, None)  # (n_models, n_rows * n_targets)
    shares, weights = weight[rows] / weight[rows].sum(), np.full(len(cube), 1 / len(cube))
    for _ in range(_STEPS):
        ratio = own @ (shares / (weights @ own))
        weights = weights * ratio
        if ratio.max() - 1 < 1e-6:
            break
    weights = np.where(weights < _LEAST, 0.0, weights)
    found: Floats = weights / weights.sum()
    return found

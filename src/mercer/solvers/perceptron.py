"""Mistake-driven learning of separating hyperplanes, on the inner products of a block of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats

BLOCK = 256  # rows whose inner products are held at once


def run_block(products: Floats, scores: Floats, signs: Floats, repeats: Floats, steps: Floats, margin: float) -> Floats:
    """One pass of Rosenblatt's perceptron (1958) over a block of rows, one row after the other.

    Given products <x_i, x_j> + R^2 (c, c), scores <w, x_i> + b before the pass (changed in place), signs y_i = -1 or 1,
    repeats, how often row i is shown (0.5 takes half the step), and steps eta_i. Each time that
    y_i score_i <= margin:  w <- w + eta_i y_i x_i,  b <- b + eta_i y_i R^2,  hence
    score <- score + eta_i y_i products_i.

    Returns how many repeats of each row were mistakes, (c,). Novikoff (1962): on separable rows they are finitely many.
    """
    mistakes = np.zeros(len(signs))
    i = 0
    while i < len(signs):
        wrong = np.flatnonzero(signs[i:] * scores[i:] <= margin)
        if not len(wrong):
            break
        i += int(wrong[0])
        left = repeats[i]
        while left > 0 and signs[i] * scores[i] <= margin:
            share = min(left, 1.0)
            scores += steps[i] * share * signs[i] * products[i]
            mistakes[i] += share
            left -= 1.0
        i += 1
    return mistakes


@dataclass
class SparsePlane:
    """f(x) = (coef - shift q)'x + offset, where q is the same for all rows; lag: sum of steps * rows shown before."""

    coef: Floats  # (p,)
    shift: float
    offset: float
    lag: Floats | None = None  # (p,), when the mean over all rows shown is wanted
    lag_sum: float = 0.0


def run_sparse(
    plane: SparsePlane, x: Any, order: NDArray[np.intp], *, signs: Floats, repeats: Floats, steps: Floats,
    margin: float, inverse: Floats, along_mean: Floats, offset_steps: Floats, shown: float,
) -> Floats:  # fmt: skip
    """One pass of the perceptron over CSR rows x (n, p) in this order; the plane is changed in place.

    Rows are standardised without being changed: inverse = 1 / scale^2 (p,), along_mean = q'x_i (n,), offset_steps what
    a step of 1 at row i adds to the offset (n,). Otherwise as `run_block`; `shown` rows were shown before the pass.
    Returns how many repeats of each row were mistakes, (n,).
    """
    mistakes, coef = np.zeros(len(order)), plane.coef
    starts, rows = x.indptr.tolist(), order.tolist()
    before = shown + np.concatenate([[0.0], np.cumsum(repeats[order])])
    for place, i in enumerate(rows):
        columns, cells = x.indices[starts[i] : starts[i + 1]], x.data[starts[i] : starts[i + 1]]
        sign, left = signs[i], repeats[i]
        score = cells @ coef.take(columns) - plane.shift * along_mean[i] + plane.offset
        while left > 0 and sign * score <= margin:
            share = min(left, 1.0)
            step = steps[i] * share * sign
            move = step * cells * inverse.take(columns)
            coef[columns] += move
            plane.shift += step
            plane.offset += step * offset_steps[i]
            if plane.lag is not None:
                plane.lag[columns] += before[place] * move
                plane.lag_sum += before[place] * step
            mistakes[i] += share
            left -= 1.0
            score = cells @ coef.take(columns) - plane.shift * along_mean[i] + plane.offset
    return mistakes

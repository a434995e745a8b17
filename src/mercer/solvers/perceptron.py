"""Mistake-driven learning of separating hyperplanes, on the inner products of a block of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints

BLOCK = 256  # rows whose inner products are held at once, or whose scores are computed at once
_FEW = 8  # the same where mistakes are many


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

    def scores(self, x: Any, along_mean: Floats, first: int, last: int) -> Floats:
        """f of consecutive CSR rows, (last - first,)."""
        starts = x.indptr[first : last + 1]
        cells = slice(starts[0], starts[-1])
        products = x.data[cells] * self.coef.take(x.indices[cells])
        held, sums = starts[1:] > starts[:-1], np.zeros(last - first)
        if held.any():  # of rows without cells reduceat would give the next cell
            sums[held] = np.add.reduceat(products, starts[:-1][held] - starts[0])
        return np.asarray(sums - self.shift * along_mean[first:last] + self.offset)

    def move(self, columns: Ints, by: Floats, step: float, offset_step: float, before: float) -> None:
        """A step at a row with cells in these columns, after `before` rows."""
        self.coef[columns] += by
        self.shift += step
        self.offset += step * offset_step
        if self.lag is not None:
            self.lag[columns] += before * by
            self.lag_sum += before * step


def run_sparse(
    plane: SparsePlane, x: Any, order: NDArray[np.intp], *, signs: Floats, repeats: Floats, steps: Floats,
    margin: float, inverse: Floats, along_mean: Floats, offset_steps: Floats, shown: float,
) -> Floats:  # fmt: skip
    """One pass of the perceptron over CSR rows x (n, p) in this order; the plane is changed in place.

    Rows are standardised without being changed: inverse = 1 / scale^2 (p,), along_mean = q'x_i (n,), offset_steps what
    a step of 1 at row i adds to the offset (n,). Otherwise as `run_block`; `shown` rows were shown before the pass.
    Returns how many repeats of each row were mistakes, (n,).
    """
    x, n = x[order], len(order)
    mistakes, signs, repeats, steps = np.zeros(n), signs[order], repeats[order], steps[order]
    along_mean, offset_steps = along_mean[order], offset_steps[order]
    before = shown + np.concatenate([[0.0], np.cumsum(repeats)])
    first, size = 0, _FEW
    while first < n:
        last = min(first + size, n)
        wrong = signs[first:last] * plane.scores(x, along_mean, first, last) <= margin
        i = first + int(wrong.argmax())
        if not wrong[i - first]:
            first, size = last, min(2 * size, BLOCK)
            continue
        columns, cells = (v[x.indptr[i] : x.indptr[i + 1]] for v in (x.indices, x.data))
        left = repeats[i]
        while left > 0 and signs[i] * plane.scores(x, along_mean, i, i + 1)[0] <= margin:
            share = min(left, 1.0)
            step = steps[i] * share * signs[i]
            plane.move(columns, step * cells * inverse.take(columns), step, float(offset_steps[i]), float(before[i]))
            mistakes[i] += share
            left -= 1.0
        first, size = i + 1, max(size // 2, _FEW)  # scores after a mistake are computed anew
    found = np.zeros(n)
    found[order] = mistakes
    return found

"""NumPy twins of the perceptron: one row after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.reference.gram import Csr
from mercer.arrays import Floats, Ints

OFFSET, SQUARES, ABSOLUTE, CHARGED, SHOWN, LAG_OFFSET = range(6)  # places in `Plane.state`
_SMALL_SCALE = 1e-9  # below, w / scale could overflow


@dataclass(frozen=True)
class PassOptions:
    """A row is a mistake when its side times its score is at most `margin`; `offset_step`: 0 without an offset.

    The penalty is alpha ((1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1), and eta the step of its descent.
    """

    margin: float = 0.0
    offset_step: float = 1.0
    alpha: float = 0.0
    l1_ratio: float = 0.0
    eta: float = 1.0


@dataclass
class Plane:
    """f(x) = w'x + offset, and what passes keep beside it; changed in place.

    state : (6,) the offset, |w|^2 and |w|_1, what was charged for |w|_1 so far, rows shown, the offset's lag
    paid : (d,) what each w_j has paid of that charge; None without a penalty on |w|_1
    lag : (d,) sum of moves times rows shown before, so that the mean of w is w - lag / shown; None without an average
    """

    w: Floats  # (d,)
    state: Floats
    paid: Floats | None = None
    lag: Floats | None = None


@np.errstate(over="ignore", invalid="ignore")  # as native code: the caller looks whether w is finite
def perceptron_pass(
    x: Any, order: Ints, side: NDArray[np.int8], step: Floats, plane: Plane, options: PassOptions,
    moved: NDArray[np.uint8] | None,
) -> tuple[float, int]:  # fmt: skip
    """Show rows of x (an array or a Csr) in this order: w <- w + step side x at a mistake, and the penalty's descent.

    side (-1 or 1) and step have an entry for each row of x; moved, one for each row shown, says which were mistakes.
    Returns the sum of losses and penalties as they were before each row, and the number of mistakes. |w| is measured
    over the columns of the row that last moved w, as scikit-learn does: all of them in dense rows.
    """
    o, state, w, scale, loss, mistakes = options, plane.state, plane.w, 1.0, 0.0, 0
    keep = max(0.0, 1.0 - (1.0 - o.l1_ratio) * o.eta * o.alpha)
    for t, i in enumerate(order.tolist()):
        columns, cells = _row(x, i)
        z = side[i] * (scale * float(w[columns] @ cells) + state[OFFSET])
        loss += max(0.0, o.margin - z)
        loss += o.alpha * ((1 - o.l1_ratio) * 0.5 * state[SQUARES] + o.l1_ratio * state[ABSOLUTE])
        scale *= keep
        state[SQUARES], state[ABSOLUTE] = state[SQUARES] * keep**2, state[ABSOLUTE] * keep
        if scale < _SMALL_SCALE:
            w *= scale
            scale = 1.0
        mistake = z <= o.margin and step[i] != 0  # of a row of weight 0 nothing is learnt
        if moved is not None:
            moved[t] = mistake
        if mistake:
            mistakes += 1
            _move(plane, columns, cells, step[i] * side[i], scale, o)
        if plane.paid is not None:
            state[CHARGED] += o.l1_ratio * o.eta * o.alpha
            _pay(plane, columns, scale)
        state[SHOWN] += 1
    w *= scale
    return loss, mistakes


def _row(x: Any, i: int) -> tuple[Any, Floats]:
    if not isinstance(x, Csr):
        return slice(None), x[i].astype(np.float64)
    cells = slice(x.starts[i], x.starts[i + 1])
    return x.columns[cells], x.values[cells].astype(np.float64)


def _move(plane: Plane, columns: Any, cells: Floats, by: float, scale: float, options: PassOptions) -> None:
    state, w = plane.state, plane.w
    w[columns] += by / scale * cells
    state[OFFSET] += options.offset_step * by
    if plane.lag is not None:
        plane.lag[columns] += by * state[SHOWN] * cells
        state[LAG_OFFSET] += options.offset_step * by * state[SHOWN]
    if options.alpha > 0:
        state[SQUARES] = float(w[columns] @ w[columns]) * scale**2
        state[ABSOLUTE] = float(np.abs(w[columns]).sum()) * scale


def _pay(plane: Plane, columns: Any, scale: float) -> None:
    assert plane.paid is not None
    w, charged, paid = plane.w[columns], plane.state[CHARGED], plane.paid[columns]
    rising = np.where(w < 0, np.minimum(0.0, w + (charged - paid) / scale), w)
    clipped = np.where(w > 0, np.maximum(0.0, w - (charged + paid) / scale), rising)
    plane.paid[columns] += scale * (clipped - w)
    plane.w[columns] = clipped


def shuffle_rows(order: Ints, seed: int) -> None:
    """Fisher and Yates' shuffle by a 32-bit xorshift (Marsaglia 2003), in place: the orders that scikit-learn's
    stochastic gradient descent draws from the same seed."""
    seed = seed or 1  # 0 stays 0
    for i in range(len(order) - 1):
        seed ^= (seed << 13) & 0xFFFFFFFF
        seed ^= seed >> 17
        seed ^= (seed << 5) & 0xFFFFFFFF
        j = i + (seed & 0x7FFFFFFF) % (len(order) - i)
        order[i], order[j] = order[j], order[i]

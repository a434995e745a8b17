"""Rosenblatt's perceptron (1958) on rows of numbers, as scikit-learn trains it.

    f(x) = w'x + b.  Row after row, pass after pass:  y f(x) <= margin:  w <- w + step y x,  b <- b + offset_step step y

Givens: rows, dense or CSR; y = -1 or 1 and the step of each; margin and penalty (`PassOptions`). Result: w and b as
after the last pass or, with `pocket`, after the pass that left the fewest rows misclassified (Gallant 1990); with a lag
also their mean over all rows shown, with `Votes` their positions on the way. Stop: the mean over the rows of loss and
penalty, or the accuracy on rows held out, has not been better than the best by `tol` for `n_iter_no_change` passes.
Novikoff (1962): on separable rows mistakes are finitely many, so that a pass without any comes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._core.gram import checked, native_matrix
from mercer._core.perceptron import perceptron_pass, shuffle_rows
from mercer._core.reference.perceptron import ABSOLUTE, CHARGED, OFFSET, SHOWN, SQUARES, PassOptions, Plane
from mercer.arrays import Bools, Floats, Ints
from mercer.errors import BadTable

MOST_VOTERS = 500  # positions that vote, the longest-lived; up to four times as many are held before the others go
_BLOCK = 256  # rows after which positions are written down


@dataclass(frozen=True)
class StopRule:
    """At most `max_iter` passes; fewer when none of `n_iter_no_change` was better by `tol`; tol None: never fewer."""

    max_iter: int
    tol: float | None
    n_iter_no_change: int


@dataclass(frozen=True)
class Rows:
    """Rows of one binary problem."""

    x: Any  # (n, d), dense or CSR
    side: NDArray[np.int8]  # (n,) -1 or 1
    step: Floats  # (n,) at least 0
    held_out: Bools | None = None  # (n,) rows that are not learnt from, on which the accuracy decides when to stop
    weight: Floats | None = None  # (n,) of the rows in that accuracy; None weighs all alike

    def right(self, plane: Plane, rows: Any = slice(None)) -> Bools:
        """Which of these rows are on the side that the plane gives them; on the plane is the negative side."""
        scores = self.x[rows] @ plane.w + plane.state[OFFSET]
        found: Bools = (scores > 0) == (self.side[rows] > 0)
        return found


@dataclass
class Votes:
    """Positions (b, w) of a plane, and how many rows were shown before each: their lives are their votes."""

    vectors: Floats  # (n_positions, d + 1)
    began: Floats = field(default_factory=lambda: np.zeros(0))  # (n_positions,)

    def add(self, vectors: Floats, began: Floats) -> None:
        """Further positions; those that lasted shortest are dropped."""
        self.vectors = np.vstack([self.vectors, vectors])
        self.began = np.concatenate([self.began, began])
        if len(self.began) > 4 * MOST_VOTERS:
            self._keep(self._longest(np.inf))

    def _keep(self, kept: NDArray[np.intp]) -> None:
        self.vectors, self.began = self.vectors[kept], self.began[kept]

    def _longest(self, end: float) -> NDArray[np.intp]:
        lives = np.diff(self.began, append=end)
        return np.sort(np.argsort(-lives, kind="stable")[:MOST_VOTERS])

    def balance(self, x: Any, shown: float) -> Floats:
        """The votes for minus the votes against, as a share of all, of each row of x after so many rows, (n,)."""
        if not len(self.began):
            return np.zeros(x.shape[0])
        end = max(shown, float(self.began[-1]))
        kept, lives = self._longest(end), np.diff(self.began, append=end)[self._longest(end)]
        lives = lives if lives.any() else np.ones_like(lives)
        sides = np.sign(x @ self.vectors[kept, 1:].T + self.vectors[kept, 0])
        return np.asarray(sides @ lives / lives.sum())


@dataclass(frozen=True)
class Passes:
    """How the passes went: their number, and the mistakes in the last one."""

    n_iter: int
    mistakes: int


def train(
    rows: Rows, plane: Plane, options: PassOptions, stop: StopRule, *, seed: int | None, pocket: bool = False,
    votes: Votes | None = None,
) -> Passes:  # fmt: skip
    """Pass after pass over the rows; the plane, and the votes, are changed in place.

    seed : of the order of each pass; None shows the rows as they come
    """
    _start_penalty(plane, options)
    passes = _PassOver(rows, plane, options, seed, votes)
    kept, best, idle, number = _Pocket(rows, plane), np.inf, 0, 0
    for number in range(1, stop.max_iter + 1):
        passes.run()
        _expect_finite(plane, number)
        if pocket:
            kept.offer(passes.mistakes)
        figure = passes.loss if rows.held_out is None else -_accuracy(rows, rows.held_out, plane)
        idle = idle + 1 if stop.tol is not None and figure > best - stop.tol else 0
        best = min(best, figure)
        if idle >= stop.n_iter_no_change:
            break
    if pocket:
        kept.restore()
    return Passes(number, passes.mistakes)


def _start_penalty(plane: Plane, options: PassOptions) -> None:
    """What the penalty keeps account of lasts as long as one call."""
    if options.alpha > 0:
        plane.state[SQUARES], plane.state[ABSOLUTE] = plane.w @ plane.w, np.abs(plane.w).sum()
    plane.state[CHARGED] = 0.0
    plane.paid = np.zeros_like(plane.w) if options.alpha * options.l1_ratio > 0 else None


class _PassOver:
    """One pass after the other over the same rows: the mean loss and the mistakes of the last one."""

    def __init__(self, rows: Rows, plane: Plane, options: PassOptions, seed: int | None, votes: Votes | None) -> None:
        self.rows, self.plane, self.options, self.seed, self.votes = rows, plane, options, seed, votes
        self.native, self.order = native_matrix(checked(rows.x)), np.arange(len(rows.side), dtype=np.int32)
        self.n_shown = len(self.order) if rows.held_out is None else int((~rows.held_out).sum())
        self.loss, self.mistakes = np.inf, -1

    def run(self) -> None:
        if self.mistakes == 0 and self.options.alpha == 0:  # nothing moves any more
            self.plane.state[SHOWN] += self.n_shown
            return
        if self.seed is not None:
            shuffle_rows(self.order, self.seed)
        shown = self.order if self.rows.held_out is None else self.order[~self.rows.held_out[self.order]]
        if self.votes is None:
            total, self.mistakes = self._show(shown)
        else:
            blocks = [shown[first : first + _BLOCK] for first in range(0, len(shown), _BLOCK)]
            parts = [self._show_voting(block, self.votes) for block in blocks]
            total, self.mistakes = sum(part[0] for part in parts), sum(part[1] for part in parts)
        self.loss = total / self.n_shown

    def _show(self, order: Ints, moved: NDArray[np.uint8] | None = None) -> tuple[float, int]:
        rows = self.rows
        found: tuple[float, int] = perceptron_pass(
            self.native, order, rows.side, rows.step, self.plane, self.options, moved
        )
        return found

    def _show_voting(self, order: Ints, votes: Votes) -> tuple[float, int]:
        """Show some rows and add the positions that the plane takes."""
        rows, state = self.rows, self.plane.state
        moved, before, position = np.zeros(len(order), np.uint8), state[SHOWN], np.append(state[OFFSET], self.plane.w)
        found = self._show(order, moved)
        at = np.flatnonzero(moved)
        cells = rows.x[order[at]]
        by = (rows.side * rows.step)[order[at]][:, None]
        moves = np.hstack([by * self.options.offset_step, by * (cells.toarray() if sp.issparse(cells) else cells)])
        votes.add(position + np.cumsum(moves, axis=0), before + at)
        return found


class _Pocket:
    """The plane that left the fewest rows misclassified, by their steps; of equals that of fewer mistakes."""

    def __init__(self, rows: Rows, plane: Plane) -> None:
        self.rows, self.plane = rows, plane
        self.fewest, self.w, self.state = (np.inf, 0), plane.w, plane.state

    def offer(self, mistakes: int) -> None:
        found = (float(self.rows.step @ ~self.rows.right(self.plane)), mistakes)
        if found < self.fewest:
            self.fewest, self.w, self.state = found, self.plane.w.copy(), self.plane.state.copy()

    def restore(self) -> None:
        self.plane.w[:], self.plane.state[:] = self.w, self.state


def _accuracy(rows: Rows, held_out: Bools, plane: Plane) -> float:
    weight = None if rows.weight is None else rows.weight[held_out]
    return float(np.average(rows.right(plane, held_out), weights=weight))


def _expect_finite(plane: Plane, number: int) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = plane.w.sum() + plane.state[OFFSET]
    if not np.isfinite(total) and not (np.isfinite(plane.w).all() and np.isfinite(plane.state).all()):
        raise BadTable(
            f"Floating-point under-/overflow occurred at epoch #{number}. Scaling input data with StandardScaler or "
            "MinMaxScaler might help, or scale=True, or a smaller eta0."
        )

"""The coefficients of rows that a kernel perceptron finds in its passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.perceptron.kernel.passes import Examples
from mercer.solvers.kernel_perceptron import BLOCK, run_block
from mercer.table.assemble import vstack

if TYPE_CHECKING:
    from mercer.estimators.perceptron.kernel.kernel_perceptron import KernelPerceptron

_GRAM_ROWS = 4000  # up to here the Gram matrix of the rows is computed once and kept: 128 MB


class DualTrainer:
    """Finds coefficients of some rows, on top of the support rows known before."""

    def __init__(self, model: KernelPerceptron, examples: Examples) -> None:
        self.model = model
        self.examples = examples
        self.steps = model.eta0 * examples.factor
        rows = examples.table
        self.gram = model._gram(rows, rows) if len(rows) <= _GRAM_ROWS else None
        self.scores = model._gram(rows, model.support_) @ model.dual_coef_.T  # of all rows, without the intercept
        self.coef = np.zeros((len(model.dual_coef_), len(rows)))
        squares = model.kernel_.diag(rows, dtype=np.float64) if self.gram is None else self.gram.diagonal()
        model.radius2_ = max(model.radius2_, float(squares.max(initial=0.0)))

    def _block(self, now: NDArray[np.intp]) -> Floats:
        """k of some rows with each other."""
        if self.gram is not None:
            return self.gram[np.ix_(now, now)]
        rows = self.examples.table.take(now)
        return self.model._gram(rows, rows)

    def _columns(self, now: NDArray[np.intp]) -> Floats:
        """k of all rows with some, (n_rows, len(now))."""
        if self.gram is not None:
            return self.gram[now].T  # symmetric: rows lie together in memory
        return self.model._gram(self.examples.table, self.examples.table.take(now))

    def one_pass(self, order: NDArray[np.intp]) -> float:
        """Show the rows in this order, block by block; the mistakes, by weight."""
        examples, intercept, radius2 = self.examples, self.model.intercept_, self.model.radius2_
        mistakes = 0.0
        for start in range(0, len(order), BLOCK):
            now = order[start : start + BLOCK]
            scores, moves = self.scores[now] + intercept, np.zeros((len(self.coef), len(now)))
            products = self._block(now) + radius2
            for k in range(len(self.coef)):
                signs, score = examples.signs[now, k], np.ascontiguousarray(scores[:, k])
                wrong = run_block(products, score, signs, examples.repeats[now], self.steps[now], self.model.margin)
                moves[k] = self.steps[now] * wrong * signs
                intercept[k] += moves[k].sum() * radius2
                mistakes += float(wrong @ examples.factor[now])
            self._move(now, moves)
        return mistakes

    def _move(self, now: NDArray[np.intp], moves: Floats) -> None:
        """Add moves (n_planes, len(now)) to the coefficients of these rows."""
        moved = np.flatnonzero(moves.any(axis=0))
        if len(moved):
            self.coef[:, now] += moves
            self.scores += self._columns(now[moved]) @ moves[:, moved].T

    def train_scores(self) -> Floats:
        """The scores of the rows."""
        return self.scores + self.model.intercept_

    def snapshot(self) -> tuple[Floats, Floats, Floats]:
        """The coefficients, scores and intercepts."""
        return self.coef.copy(), self.scores.copy(), self.model.intercept_.copy()

    def restore(self, snapshot: tuple[Floats, Floats, Floats]) -> None:
        """Back to the coefficients, scores and intercepts of a snapshot."""
        self.coef[:], self.scores[:], self.model.intercept_[:] = snapshot

    def finish(self) -> Floats:
        """Rows with a coefficient become support rows; the scores of all rows."""
        active = np.flatnonzero(self.coef.any(axis=0))
        self.model.dual_coef_ = np.hstack([self.model.dual_coef_, self.coef[:, active]])
        self.model.support_ = vstack(self.model.support_, self.examples.table.take(active))
        return self.model._scores(self.examples.table)

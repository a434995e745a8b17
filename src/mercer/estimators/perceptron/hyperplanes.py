"""The hyperplanes of the perceptron as they move: their last position, their average, and their votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.perceptron.passes import Examples
from mercer.solvers.perceptron import BLOCK, run_block
from mercer.state import Reader, State

Average = Literal[False, True, "voted"]
_MOST_VOTERS = 500  # vectors of a voted perceptron that are kept, the longest-lived


@dataclass
class Hyperplanes:
    """(b, w) of each binary problem, and what its average and its votes need."""

    average: Average
    w: Floats  # (n_planes, n_columns + 1), b first: the last position
    lag: Floats  # (n_planes, n_columns + 1, or 0 without average) sum of update * rows shown before it
    shown: Floats  # (n_planes,) rows shown
    voters: list[tuple[Floats, Floats]]  # each plane's positions, and how many rows were shown before each
    radius: float = 0.0  # largest |x|

    @classmethod
    def zero(cls, n_planes: int, n_columns: int, average: Average) -> Self:
        """Before any row was shown."""
        size = n_columns + 1
        voters = [(np.zeros((0, size)), np.zeros(0)) for _ in range(n_planes)]
        lag = np.zeros((n_planes, size if average else 0))
        return cls(average, np.zeros((n_planes, size)), lag, np.zeros(n_planes), voters)

    def update(self, k: int, moves: Floats, before: Floats, repeats: float) -> None:
        """Add moves (n_moves, n_columns + 1) to plane k, each after `before` rows; `repeats` rows were shown in all."""
        if self.average == "voted":
            self._add_voters(k, moves, before)
        self.w[k] += moves.sum(axis=0)
        if self.average:
            self.lag[k] += before @ moves
        self.shown[k] += repeats

    def _add_voters(self, k: int, moves: Floats, before: Floats) -> None:
        """Keep each position and when it began; those that lasted shortest are dropped."""
        vectors, began = self.voters[k]
        vectors = np.vstack([vectors, self.w[k] + np.cumsum(moves, axis=0)])
        began = np.concatenate([began, before])
        if len(began) > 4 * _MOST_VOTERS:
            lives = np.diff(began, append=np.inf)
            kept = np.sort(np.argsort(-lives, kind="stable")[:_MOST_VOTERS])
            vectors, began = vectors[kept], began[kept]
        self.voters[k] = (vectors, began)

    def final(self) -> Floats:
        """The last position, or the average over all rows shown, (n_planes, n_columns + 1), b first."""
        return self.w - self.lag / np.maximum(self.shown, 1.0)[:, None] if self.average else self.w

    def scores(self, rows: Floats) -> Floats:
        """(n_rows, n_planes): w'x + b, or the votes for minus the votes against, as a share of all."""
        if self.average == "voted":
            return np.column_stack([self._vote_balance(k, rows) for k in range(len(self.w))])
        planes = self.final()
        return rows @ planes[:, 1:].T + planes[:, 0]

    def _vote_balance(self, k: int, rows: Floats) -> Floats:
        vectors, began = self.voters[k]
        if not len(began):
            return np.zeros(len(rows))
        lives = np.diff(began, append=max(self.shown[k], began[-1]))
        lives = lives if lives.any() else np.ones_like(lives)
        order = np.sort(np.argsort(-lives, kind="stable")[:_MOST_VOTERS])
        sides = np.sign(rows @ vectors[order, 1:].T + vectors[order, 0])
        return np.asarray(sides @ lives[order] / lives[order].sum())

    def to_state(self) -> State:
        return {
            "w": self.w.copy(), "lag": self.lag.copy(), "shown": self.shown.copy(), "radius": self.radius,
            "voters": [{"vectors": vectors, "began": began} for vectors, began in self.voters],
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, n_planes: int, n_columns: int, average: Average) -> Self:
        size = n_columns + 1
        planes = cls(
            average,
            state.array("w", "float64", (n_planes, size)),
            state.array("lag", "float64", (n_planes, size if average else 0)),
            state.array("shown", "float64", (n_planes,), low=0.0),
            [],
            state.number("radius", 0.0),
        )
        voters = state.children("voters")
        if len(voters) != n_planes:
            raise state.refuse("voters", f"{n_planes} lists")
        for reader in voters:
            began = reader.array("began", "float64", (None,), low=0.0)
            planes.voters.append((reader.array("vectors", "float64", (len(began), size)), began))
            reader.finish()
        state.finish()
        return planes


class HyperplaneTrainer:
    """Moves hyperplanes by the mistakes of some rows of numbers."""

    def __init__(self, planes: Hyperplanes, rows: Floats, examples: Examples, eta0: float, margin: float) -> None:
        self.planes = planes
        self.rows = rows
        self.examples = examples
        self.steps = eta0 * examples.factor
        self.margin = margin
        planes.radius = max(planes.radius, float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max(initial=0.0))))

    def one_pass(self, order: NDArray[np.intp]) -> float:
        """Show the rows in this order, block by block; the mistakes, by weight."""
        mistakes = 0.0
        for start in range(0, len(order), BLOCK):
            now = order[start : start + BLOCK]
            x = self.rows[now]
            products = x @ x.T + self.planes.radius**2
            for k in range(len(self.planes.w)):
                mistakes += self._one_block(k, now, x, products)
        return mistakes

    def _one_block(self, k: int, now: NDArray[np.intp], x: Floats, products: Floats) -> float:
        planes, examples = self.planes, self.examples
        signs, repeats, steps = examples.signs[now, k], examples.repeats[now], self.steps[now]
        scores = x @ planes.w[k, 1:] + planes.w[k, 0]
        wrong = run_block(products, scores, signs, repeats, steps, self.margin)
        at = np.flatnonzero(wrong)
        moved = steps[at] * wrong[at] * signs[at]
        moves = np.column_stack([moved * planes.radius**2, moved[:, None] * x[at]])
        before = planes.shown[k] + np.concatenate([[0.0], np.cumsum(repeats)])[at]
        planes.update(k, moves, before, repeats.sum())
        return float(wrong @ examples.factor[now])

    def train_scores(self) -> Floats:
        """The scores of the rows by the last position."""
        return self.rows @ self.planes.w[:, 1:].T + self.planes.w[:, 0]

    def snapshot(self) -> Floats:
        """The last position."""
        return self.planes.w.copy()

    def restore(self, snapshot: Floats) -> None:
        """Back to a position; not with an average, to which every pass belongs."""
        if not self.planes.average:
            self.planes.w = snapshot

    def finish(self) -> Floats:
        """The scores of the rows."""
        return self.planes.scores(self.rows)

"""The hyperplanes of the perceptron as they move: their last position, their mean, and their votes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np

from mercer._core.reference.perceptron import LAG_OFFSET, OFFSET, SHOWN, Plane
from mercer.arrays import Floats
from mercer.errors import BadTable
from mercer.solvers.perceptron import MOST_VOTERS, Votes
from mercer.state import Reader, State

Average = Literal[False, True, "voted"]
_STATE = 6  # figures of a `Plane` beside its w
_MOST_BYTES = 1e9  # of positions that a voted perceptron may hold


@dataclass
class Hyperplanes:
    """w and b of each binary problem, with what its mean and its votes need."""

    average: Average
    w: Floats  # (n_planes, n_terms), the last position
    states: Floats  # (n_planes, 6), see `Plane.state`
    lag: Floats | None = None  # (n_planes, n_terms), with an average
    votes: list[Votes] = field(default_factory=list)  # of each plane, when "voted"

    @classmethod
    def zero(cls, n_planes: int, n_terms: int, average: Average) -> Self:
        """Before any row was shown."""
        shape = (n_planes, n_terms)
        votes = [Votes(np.zeros((0, n_terms + 1))) for _ in range(n_planes)] if average == "voted" else []
        needed = 4.0 * MOST_VOTERS * (n_terms + 1) * 8 * len(votes)
        if needed > _MOST_BYTES:
            raise BadTable(
                f"average='voted' holds up to {4 * MOST_VOTERS:,} positions of {n_planes} hyperplanes in {n_terms:,} "
                f"terms, {needed / 1e9:.3g} GB. Use average=True, which needs their mean alone, or fewer columns."
            )
        return cls(average, np.zeros(shape), np.zeros((n_planes, _STATE)), np.zeros(shape) if average else None, votes)

    def __len__(self) -> int:
        return len(self.w)

    def plane(self, k: int) -> Plane:
        """Plane k, which moves these."""
        return Plane(self.w[k], self.states[k], lag=None if self.lag is None else self.lag[k])

    def checked_start(self, coef: Any, intercept: Any) -> tuple[Floats, Floats]:
        """Coefficients and intercepts to start from, 0 for None; BadTable when they cannot be those of the planes."""
        w = np.zeros_like(self.w) if coef is None else dense_coefficients(coef)
        b = np.zeros(len(self)) if intercept is None else np.atleast_1d(np.asarray(intercept, dtype=np.float64))
        for name, given, expected in (("coef_init", w, self.w.shape), ("intercept_init", b, (len(self),))):
            if given.shape != expected:
                raise BadTable(f"Provided {name} does not match dataset: shape {given.shape}, expected {expected}.")
        return w, b

    def start_at(self, w: Floats, b: Floats) -> None:
        """Put the planes there."""
        self.w[:], self.states[:, OFFSET] = w, b

    def final(self) -> tuple[Floats, Floats]:
        """The last position, or the mean over all rows shown: w (n_planes, n_terms), and b (n_planes,)."""
        if self.lag is None:
            return self.w, self.states[:, OFFSET].copy()
        shown = np.maximum(self.states[:, SHOWN], 1.0)
        return self.w - self.lag / shown[:, None], self.states[:, OFFSET] - self.states[:, LAG_OFFSET] / shown

    def vote_balance(self, rows: Any) -> Floats:
        """(n_rows, n_planes): the votes for minus the votes against, as a share of all."""
        shown = self.states[:, SHOWN]
        return np.column_stack([votes.balance(rows, shown[k]) for k, votes in enumerate(self.votes)])

    def to_state(self) -> State:
        state: State = {
            "w": self.w.copy(), "states": self.states.copy(),
            "voters": [{"vectors": votes.vectors, "began": votes.began} for votes in self.votes],
        }  # fmt: skip
        return state if self.lag is None else state | {"lag": self.lag.copy()}

    @classmethod
    def from_state(cls, state: Reader, n_planes: int, n_terms: int, average: Average) -> Self:
        shape = (n_planes, n_terms)
        planes = cls(average, state.array("w", "float64", shape), state.array("states", "float64", (n_planes, _STATE)))
        if average:
            planes.lag = state.array("lag", "float64", shape)
        voters = state.children("voters")
        if len(voters) != (n_planes if average == "voted" else 0):
            raise state.refuse("voters", f"{n_planes} lists with average='voted', otherwise none")
        for reader in voters:
            began = reader.array("began", "float64", (None,), low=0.0)
            if (np.diff(began) < 0).any():
                raise reader.refuse("began", "numbers of rows in their order")
            planes.votes.append(Votes(reader.array("vectors", "float64", (len(began), n_terms + 1)), began))
            reader.finish()
        state.finish()
        return planes


def dense_coefficients(coef: Any) -> Floats:
    """Coefficients that `sparsify` may have made sparse, (n_planes, n_terms)."""
    return np.atleast_2d(np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, dtype=np.float64))

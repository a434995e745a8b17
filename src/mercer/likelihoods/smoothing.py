"""From counts to probabilities: none, alpha (Laplace is alpha = 1), and the m-estimate.

none        N_il / N_i
alpha       (N_il + alpha) / (N_i + alpha L)         L: number of levels of the column
m-estimate  (N_il + m p_l) / (N_i + m)               p_l: uniform 1 / L, or the share of level l in all classes
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.state import Reader, State


@dataclass(frozen=True, slots=True)
class Alpha:
    """Add alpha to every count. Laplace's rule is alpha = 1; alpha = 0 is no smoothing."""

    alpha: float = 1.0

    def log_prob(self, counts: Floats) -> Floats:
        """(n_classes, n_levels + 1) log probabilities; the last column is for a level never seen."""
        total = counts.sum(axis=1, keepdims=True) + self.alpha * counts.shape[1]
        wide = np.pad(counts, ((0, 0), (0, 1))) + self.alpha
        return _log_share(wide, total, unseen_is_evidence=self.alpha > 0)

    def to_state(self) -> State:
        return {"rule": "alpha", "alpha": float(self.alpha)}


@dataclass(frozen=True, slots=True)
class MEstimate:
    """m imagined rows, spread over the levels evenly (`p="uniform"`) or as in all classes together (`p="marginal"`)."""

    m: float = 1.0
    p: str = "uniform"

    def log_prob(self, counts: Floats) -> Floats:
        """(n_classes, n_levels + 1) log probabilities; the last column is for a level never seen."""
        levels = counts.shape[1]
        if self.p == "uniform":
            prior = np.full(levels + 1, 1.0 / max(levels, 1))
        else:  # a level never seen is given the share of one row
            overall = np.append(counts.sum(axis=0), 1.0)
            prior = overall / max(counts.sum(), 1.0)
        wide = np.pad(counts, ((0, 0), (0, 1))) + self.m * prior
        return _log_share(wide, counts.sum(axis=1, keepdims=True) + self.m, unseen_is_evidence=self.m > 0)

    def to_state(self) -> State:
        return {"rule": "m-estimate", "m": float(self.m), "p": self.p}


Smoothing: TypeAlias = Alpha | MEstimate


def _log_share(counts: Floats, total: Floats, *, unseen_is_evidence: bool) -> Floats:
    """log(counts / total); a class with nothing to count, and an unseen level without smoothing, say nothing (0)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.log(counts) - np.log(total)
    result[np.broadcast_to(total == 0, result.shape)] = 0.0
    if not unseen_is_evidence:
        result[:, -1] = 0.0
    return result


def smoothing_from(option: object) -> Smoothing:
    """What `smoothing=` may be: "laplace", "none" or None, a number alpha, Alpha(...) or MEstimate(...)."""
    if isinstance(option, Alpha | MEstimate):
        chosen: Smoothing = option
    elif option is None or option == "none":
        chosen = Alpha(0.0)
    elif option == "laplace":
        chosen = Alpha(1.0)
    elif isinstance(option, int | float | np.number) and not isinstance(option, bool):
        chosen = Alpha(float(option))
    else:
        raise MercerError(f'smoothing={option!r}: give "laplace", "none", a number, Alpha(...) or MEstimate(...).')
    strength = chosen.alpha if isinstance(chosen, Alpha) else chosen.m
    if not (np.isfinite(strength) and strength >= 0):
        raise MercerError(f"smoothing={option!r}: its strength must be a number from 0 up.")
    if isinstance(chosen, MEstimate) and chosen.p not in ("uniform", "marginal"):
        raise MercerError(f'MEstimate(p={chosen.p!r}): p is "uniform" or "marginal".')
    return chosen


def smoothing_from_state(state: Reader) -> Smoothing:
    rule = state.text("rule", ("alpha", "m-estimate"))
    found: Smoothing
    if rule == "alpha":
        found = Alpha(state.number("alpha", low=0.0, high=1e300))
    else:
        found = MEstimate(state.number("m", low=0.0, high=1e300), state.text("p", ("uniform", "marginal")))
    state.finish()
    return found

"""When an iterative solver stops, and what it reports: the same for all, as in native/include/mercer/stop.hpp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["converged", "max_iter", "time_limit", "interrupted", "stalled"]


@dataclass(frozen=True)
class Limits:
    """Where a solver may stop.

    Parameters
    ----------
    tol : float
        Largest violation of optimality that is left, in units of the decision value.
    gap_tol : float
        Absolute duality gap that also stops; 0 for none.
    max_iter : int
        Iterations (pair steps of SMO, passes over the rows of coordinate descent); negative for no limit.
    time_limit : float
        Seconds; 0 for none.
    """

    tol: float = 1e-3
    gap_tol: float = 0.0
    max_iter: int = -1
    time_limit: float = 0.0


@dataclass(frozen=True)
class Report:
    """How far a solver came: objective values, the violation that its stop rule saw, and why it stopped."""

    primal: float
    dual: float
    violation: float
    iterations: int
    seconds: float
    status: Status

    @property
    def gap(self) -> float:
        """primal - dual."""
        return self.primal - self.dual


ReportFields: TypeAlias = tuple[float, float, float, int, float, Status]  # the fields of Report, in order


def look_around() -> None:
    """Nothing; but before it, Python raises what another thread set for this one. Native code calls it meanwhile."""

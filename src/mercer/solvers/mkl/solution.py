"""What every method that weighs kernels gives."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.arrays import Floats


@dataclass(frozen=True)
class WeightSolution:
    """Weights of the kernels, (m,), with the value reached and how far it can be from the best.

    objective : what the method minimises (machines), or the alignment it reaches
    gap : duality gap of the whole problem, as a part of the objective
    iterations : how many weights were tried
    converged : whether the gap is within the tolerance
    """

    weights: Floats
    objective: float
    gap: float
    iterations: int
    converged: bool

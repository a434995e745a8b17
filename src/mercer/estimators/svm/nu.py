"""Choosing nu, cost and width of a machine whose part of errors is given: each kernel matrix serves all of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import Rows, rows_of_gram
from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.svm.search import Given, Hunt, Scores, TunedMachine, grid_values

SHARES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


class NuMachine(TunedMachine):
    """Base of NuSVC and NuSVR. A nu is no cost that could grow: every point is solved afresh, and exactly."""

    middle = "nu"
    nu_: Any
    _cross_fitting = False  # whether rows are held out: nu is then the largest that the others allow, if need be

    @abstractmethod
    def _held_out(self, given: Given, kept: NDArray[np.bool_], source: Rows) -> Floats:
        """Decisions (problems, rows) on all rows by machines that learn from the kept ones."""

    def _most_nu(self, given: Given) -> float:
        """The largest nu that the rows allow."""
        return 1.0

    def _middles(self, given: Given, grid: Any) -> list[float]:
        most = self._most_nu(given)
        values = grid_values("nu", grid.nu, [most * s for s in SHARES])
        if values[-1] > most * (1 + 1e-9):
            raise MercerError(f"grid: nu={values[-1]:g} is infeasible, at most {most:.4g} here. Leave it out.")
        return values

    def _scores(
        self, hunt: Hunt, costs: list[Any], tube: float | None, matrix: NDArray[Any], gammas: Floats | None
    ) -> Scores:
        held = [hunt.folds == f for f in range(int(hunt.folds.max()) + 1)]
        found = np.full((1 if gammas is None else len(gammas), len(costs), len(held)), np.nan)
        nu = self.nu_ if tube is None else tube
        self._cross_fitting = True
        try:
            for g in range(len(found)):
                source = rows_of_gram(matrix if gammas is None else np.exp(matrix * matrix.dtype.type(-gammas[g])))
                for c, cost in enumerate(costs):
                    self.__dict__.update({"nu_": nu} | ({"C_": cost} if "C" in self.tuned else {}))
                    decisions = [self._held_out(hunt.given, ~out, source) for out in held]
                    found[g, c] = [hunt.judge(d, np.flatnonzero(out)) for d, out in zip(decisions, held, strict=True)]
        finally:
            del self._cross_fitting
        return Scores(found, np.ones(found.shape[:2], dtype=bool), np.zeros(found.shape[:2], dtype=bool))

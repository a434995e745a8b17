"""What the searches of kernel machines on whole matrices share: training rows, how decisions are read, the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.estimators.kernel.choice import KernelChoice, KernelMatrices
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.select.copies import Copies, find_copies


@dataclass(frozen=True)
class MatrixProblem:
    """A machine and its training rows, as far as `mercer.select.search.TunableProblem` asks for no more than these.

    values : what the parameters are where they are not searched
    reader : a `mercer.select.cv_scores.DecisionReader`
    """

    values: Mapping[str, Any]
    data: TrainingRows
    reader: Any
    choice: KernelChoice
    n_jobs: int

    @property
    def target(self) -> NDArray[Any]:
        """Class codes or numbers; of several targets the first."""
        return self.data.target if self.data.target.ndim == 1 else self.data.target[:, 0]

    @property
    def score_weight(self) -> Floats | None:
        """The sample weights."""
        return self.data.sample_weight

    def take(self, rows: Longs) -> Self:
        """The same problem on some of the rows."""
        reader = self.reader.take(rows) if hasattr(self.reader, "take") else self.reader
        return replace(self, data=self.data.take(rows, square=self.choice.precomputed), reader=reader)

    def copies(self) -> Copies | None:
        """Rows that were written more than once, target included."""
        return find_copies(self.data.table, self.target)

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The best point, in a kernel object as its own gammas."""
        return self.choice.parameters_of(best, self.data)

    @property
    def _matrices(self) -> KernelMatrices:
        return KernelMatrices(self.choice, self.data, np.dtype(np.float64), self.n_jobs)

"""The kernel of a machine at several widths: distances once for all of them where they suffice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import KernelSpec, gram
from mercer.arrays import Floats
from mercer.estimators.svm.kernel_machine import KernelMachine
from mercer.estimators.svm.kernel_rows import refuse_overflow
from mercer.kernels import Kernel
from mercer.kernels.named import n_compared
from mercer.kernels.nested_gamma import first_gamma
from mercer.table import Table

Width: TypeAlias = float | str | None
_LOG_WIDTH = 1 / 64  # of the kernel whose logarithm gives distances: nothing underflows, little is lost to rounding


class KernelPath:
    """The kernels of a machine on a table, learned from it, `more` unlabelled rows and the rows' weights."""

    def __init__(self, machine: KernelMachine, table: Table, more: Any, weight: Floats | None) -> None:
        self.machine, self.table, self.more, self.weight = machine, table, more, weight
        self.dtype = machine._dtype(len(table))
        self.mixed = any(c.kind.categorical for c in table.schema)

    def kernel(self, width: Width) -> Kernel:
        """Fitted."""
        return self.machine._make_kernel(self.table, width, self.more, self.weight)

    def number(self, width: float | str) -> float:
        """The width that "scale" and "auto" stand for; a number as it is."""
        if not isinstance(width, str):
            return float(width)
        if isinstance(self.machine.kernel, Kernel):
            return 1.0  # factors of the kernel's own gammas
        if self.mixed and self.machine.kernel == "rbf":
            return 1 / (2 * n_compared(self.table.schema))
        found = first_gamma(self.kernel(width))
        assert found is not None
        return found

    def matrices(self, widths: Sequence[Width]) -> Iterator[tuple[slice, NDArray[Any], Floats | None]]:
        """(places among the widths, matrix, gammas): k = exp(-gamma matrix), or the Gram matrix when gammas is None."""
        distances = self._distances() if len(widths) > 1 else None
        if distances is not None:
            yield slice(None), distances, np.array([self.number(w) for w in widths if w is not None])
            return
        for place, width in enumerate(widths):
            yield slice(place, place + 1), self._gram(width), None

    def _gram(self, width: Width) -> NDArray[Any]:
        kernel = self.kernel(width)
        matrix = np.ascontiguousarray(kernel.gram(self.table, dtype=self.dtype, n_jobs=self.machine.n_jobs))
        refuse_overflow(kernel, matrix[0], matrix.diagonal())
        return matrix

    def _distances(self) -> NDArray[Any] | None:
        """D with k = exp(-width D) at every width, when there is such a D."""
        if self.mixed and self.machine.kernel == "rbf":
            width = _LOG_WIDTH * self.number("scale")
            similar = self._gram(width)
            np.maximum(similar, np.finfo(self.dtype).tiny, out=similar)
            return np.asarray(np.log(similar, out=similar) / -width, dtype=self.dtype)
        kernel = self.kernel(1.0)
        formula = kernel.formula(kernel._conform(self.table), self.dtype)
        if formula is None or formula[1].kind != "rbf":
            return None
        distances = gram(formula[0], None, KernelSpec("distance"), self.machine.n_jobs)
        distances *= formula[1].gamma
        return distances

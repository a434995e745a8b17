"""A kernel seen as a distance."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.distances.pairwise.base import BlockDistance
from mercer.parameters import Parameters, Unstored, check_parameters
from mercer.table import Table


@runtime_checkable
class Similarity(Protocol):
    """What is asked of a kernel."""

    def fit(self, table: Any) -> Any: ...

    def gram(self, a: Any, b: Any = None) -> NDArray[Any]: ...

    def diag(self, a: Any) -> NDArray[Any]: ...


class KernelDistance(BlockDistance):
    """d(a, b) = sqrt(k(a, a) - 2 k(a, b) + k(b, b)): distance in the feature space of the kernel."""

    parameters: ClassVar[Parameters] = {
        "kernel": Unstored("an object with fit, gram and diag, such as a kernel", lambda k: isinstance(k, Similarity))
    }

    def __init__(self, kernel: Similarity) -> None:
        self.kernel = kernel

    def fit(self, table: Table, classes: Ints | None = None) -> Self:
        check_parameters(self)
        self.schema_ = table.schema
        self.kernel.fit(table)
        return self

    def cells(self, table: Table) -> Table:
        return table

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        squared = self.kernel.diag(a)[:, None] - 2.0 * self.kernel.gram(a, b) + self.kernel.diag(b)[None, :]
        return np.sqrt(np.maximum(squared, 0.0)).astype(np.float64)

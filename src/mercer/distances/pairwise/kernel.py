"""A kernel seen as a distance."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.distances.pairwise.base import BlockDistance
from mercer.docstrings import shares_docs
from mercer.parameters import Parameters, Unstored, check_parameters
from mercer.table import Table


@runtime_checkable
class Similarity(Protocol):
    """What is needed of a kernel: any object that has these."""

    def fit(self, table: Any) -> Any: ...

    def gram(self, a: Any, b: Any = None) -> NDArray[Any]: ...

    def diag(self, a: Any) -> NDArray[Any]: ...


@shares_docs()
class KernelDistance(BlockDistance):
    """d(a, b) = sqrt(k(a, a) - 2 k(a, b) + k(b, b)): distance in the feature space of the kernel.

    Parameters
    ----------
    kernel : Kernel, or any object with fit, gram and diag
        The kernel.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import KernelDistance
    >>> from mercer.kernels import Linear
    >>> rows = read_table({"x": [0.0, 3.0, 1.5], "y": [0.0, 4.0, 2.0]})
    >>> KernelDistance(Linear()).fit(rows).between(rows, rows)[0]
    array([0. , 5. , 2.5])
    """

    parameters: ClassVar[Parameters] = {
        "kernel": Unstored("an object with fit, gram and diag, such as a kernel", lambda k: isinstance(k, Similarity))
    }

    def __init__(self, kernel: Similarity) -> None:
        self.kernel = kernel

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        check_parameters(self)
        self.schema_ = table.schema
        self.kernel.fit(table)
        return self

    def cells(self, table: Table) -> Table:
        return table

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        squared = self.kernel.diag(a)[:, None] - 2.0 * self.kernel.gram(a, b) + self.kernel.diag(b)[None, :]
        return np.sqrt(np.maximum(squared, 0.0)).astype(np.float64)

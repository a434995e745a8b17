"""A distance given as a function or as an object of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from scipy.spatial.distance import cdist

from mercer.arrays import Floats, Ints
from mercer.distances.column_sum import Cells
from mercer.distances.pairwise.base import BlockDistance
from mercer.docstrings import shares_docs
from mercer.errors import MercerError, NotNumeric
from mercer.parameters import Parameters, Unstored, check_parameters
from mercer.table import Kind, Table


class Pairwise(Protocol):
    """Measures every row of one array against every row of another, as scikit-learn's DistanceMetric does."""

    def pairwise(self, a: Any, b: Any) -> Any: ...


def is_metric(value: Any) -> bool:
    """Whether it is a function of two rows, or an object that measures all pairs of them; a class is neither."""
    return (callable(value) or hasattr(value, "pairwise")) and not isinstance(value, type)


@shares_docs()
class FunctionDistance(BlockDistance):
    """d(a, b) = f(a, b): any function of two rows of numbers, missing ones as NaN.

    Parameters
    ----------
    metric : callable or object with `pairwise`
        f(a, b, **params), a number of at least 0, called for every pair of rows; or an object that measures all
        pairs at once, such as scikit-learn's DistanceMetric.
    params : dict or None, default None
        Further arguments of f.

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> from mercer.distances import FunctionDistance
    >>> table = mercer.read_table(np.array([[0.0, 1.0], [3.0, 5.0]]))
    >>> FunctionDistance(lambda a, b, most: min(abs(a - b).sum(), most), {"most": 6.0}).fit(table).between(table, table)
    array([[0., 6.],
           [6., 0.]])
    """

    parameters: ClassVar[Parameters] = {
        "metric": Unstored("a function of two rows or an object with pairwise", is_metric),
        "params": Unstored("a dict or None", lambda value: value is None or isinstance(value, Mapping)),
    }

    def __init__(self, metric: Callable[..., float] | Pairwise, params: Mapping[str, Any] | None = None) -> None:
        self.metric = metric
        self.params = params

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        check_parameters(self)
        for column in table.schema:
            if column.kind is not Kind.NUMERIC:
                raise NotNumeric(f"A function measures numbers, but column {column.name!r} is {column.kind}. Use HEOM.")
        self.schema_ = table.schema
        return self

    def cells(self, table: Table) -> Cells:
        numbers = np.ascontiguousarray(table.numbers(self.schema_.names), dtype=np.float64)
        return Cells(numbers, np.zeros((len(table), 0), np.int32))

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        rows, others = (t.numbers if isinstance(t, Cells) else self.cells(t).numbers for t in (a, b))
        if hasattr(self.metric, "pairwise"):
            found = np.asarray(self.metric.pairwise(rows, others), dtype=np.float64)
        else:
            found = cdist(rows, others, self.metric, **(self.params or {}))
        wrong = ~(found >= 0)
        if wrong.any():
            row, other = (int(i) for i in np.argwhere(wrong)[0])
            raise MercerError(
                f"metric: the function gave {found[row, other]} for row {row + 1} and training row {other + 1}. "
                "A distance is a number of at least 0."
            )
        return found

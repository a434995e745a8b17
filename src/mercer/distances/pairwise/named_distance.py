"""Distances that scikit-learn and SciPy know by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.metrics import pairwise_distances

from mercer.arrays import Floats, Ints
from mercer.distances.column_sum import Cells
from mercer.distances.pairwise.base import BlockDistance
from mercer.docstrings import shares_docs
from mercer.errors import BadTable, MercerError, NotNumeric
from mercer.parameters import Choice, Parameters, Unstored, check_parameters
from mercer.table import Kind, Table

BOOLEAN_NAMES = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
NAMES = ("braycurtis", "canberra", "correlation", "hamming", "mahalanobis", "seuclidean", *BOOLEAN_NAMES)


@shares_docs()
class NamedDistance(BlockDistance):
    """d(a, b) by the formula that SciPy has under a name, on numeric columns without missing cells.

    Of the names for truth values (dice, jaccard, rogerstanimoto, russellrao, sokalsneath, yule) every number but 0 is
    true.

    Parameters
    ----------
    name : str
        "braycurtis", "canberra", "correlation", "hamming", "mahalanobis", "seuclidean", or one of the above.
    params : dict or None, default None
        Parameters of the formula. "V" of "seuclidean", the variances, and "VI" of "mahalanobis", the inverse of the
        covariances, are those of the rows in fit unless they are given.

    Attributes
    ----------
    {compared_schema_}
    params_ : dict
        The parameters that count.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.distances import NamedDistance
    >>> rows = read_table({"x": [1.0, 3.0], "y": [1.0, 0.0]})
    >>> NamedDistance("canberra").fit(rows).between(rows, rows)[0]
    array([0. , 1.5])
    """

    parameters: ClassVar[Parameters] = {
        "name": Choice(NAMES),
        "params": Unstored("a dict or None", lambda value: value is None or isinstance(value, Mapping)),
    }

    def __init__(self, name: str, params: Mapping[str, Any] | None = None) -> None:
        self.name = name
        self.params = params

    def fit(self, table: Table, classes: Ints | None = None, weight: Floats | None = None) -> Self:
        check_parameters(self)
        for column in table.schema:
            if column.kind is not Kind.NUMERIC:
                raise NotNumeric(
                    f"{self.name} measures numbers, but column {column.name!r} is {column.kind}. Use HEOM."
                )
        self.schema_ = table.schema
        self.params_ = _learned(self.name, self.cells(table).numbers, weight) | dict(self.params or {})
        return self

    def cells(self, table: Table) -> Cells:
        numbers = np.ascontiguousarray(table.numbers(self.schema_.names), dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise BadTable(f"{self.name} is not defined where cells are missing. Use 'nan_euclidean' or HEOM.")
        return Cells(numbers, np.zeros((len(table), 0), np.int32))

    def between(self, a: Any, b: Any, *, n_jobs: int = 1) -> Floats:
        rows, others = (t.numbers if isinstance(t, Cells) else self.cells(t).numbers for t in (a, b))
        if self.name in BOOLEAN_NAMES:
            rows, others = rows != 0, others != 0
        try:
            found = np.asarray(pairwise_distances(rows, others, metric=self.name, **self.params_), dtype=np.float64)
        except TypeError as error:
            raise MercerError(f"metric_params of {self.name!r}: {error}") from None
        if not (found >= 0).all():
            row, other = (int(i) for i in np.argwhere(~(found >= 0))[0])
            raise BadTable(f"{self.name} is not defined for row {row + 1} and training row {other + 1}.")
        return found


def _learned(name: str, numbers: Floats, weight: Floats | None) -> dict[str, Any]:
    """What the formula takes from the training rows."""
    if name not in ("seuclidean", "mahalanobis"):
        return {}
    covariance = np.atleast_2d(np.cov(numbers.T, aweights=weight, ddof=0))
    n = len(numbers) if weight is None else weight.sum()
    covariance = covariance * (n / max(n - 1, 1))  # a row of weight 2 is two rows
    if name == "seuclidean":
        variance = np.diag(covariance)
        return {"V": np.where(variance > 0, variance, 1.0)}
    return {"VI": np.linalg.pinv(covariance)}

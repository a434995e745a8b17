"""The kernel of a forest: how often two rows end in the same leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer._core.codes_gram import CodeTables, codes_gram
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.kernels.base import Kernel
from mercer.kernels.registry import register
from mercer.parameters import Parameters, Unstored
from mercer.table import Columns, Selector, Table


class _Forest(Unstored):
    def write(self, value: Any) -> Any:
        raise BadParameter("Proximity: a kernel of a fitted forest cannot be stored. Store the forest itself.")


@register
@shares_docs()
class Proximity(Kernel):
    """k(a, b) = share of the trees of a fitted forest in which a and b end in the same leaf

    Rows are alike when the trees treat them alike: a likeness learned from a target, on any table that the forest
    takes, missing cells included. A mean of block matrices of ones, so positive semi-definite. The training rows of the
    forest look more alike within a class than others do; fit the forest to other rows to avoid that.

    Parameters
    ----------
    forest : object
        A fitted forest: `forest.apply(rows)` gives the leaf of each row in each tree, (n_rows, n_trees). mercer's and
        scikit-learn's have it. It cannot be stored in a model file.
    on : selector or None, default None
        The columns that the forest takes; None is every column.

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Breiman (2003), Manual on setting up, using, and understanding random forests.

    Examples
    --------
    >>> from mercer import RandomForestClassifier
    >>> from mercer.kernels import Proximity
    >>> rows = [[0.0], [1.0], [8.0], [9.0]]
    >>> forest = RandomForestClassifier(10, random_state=0).fit(rows, ["low", "low", "high", "high"])
    >>> Proximity(forest).fit(rows).gram(rows)[0]
    array([1. , 1. , 0.2, 0.2])
    """

    parameters: ClassVar[Parameters] = {
        "forest": _Forest("a fitted forest (an object with `apply`)", lambda f: callable(getattr(f, "apply", None))),
        "on": Columns(),
    }

    def __init__(self, forest: Any, *, on: Selector = None) -> None:
        self.forest = forest
        self.on = on

    def __sklearn_clone__(self) -> Proximity:
        return Proximity(self.forest, on=self.on)  # a copy of the forest would not be fitted

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        self._leaves(tables[0].take(slice(0, 1)))

    def _leaves(self, table: Table) -> NDArray[np.int64]:
        rows: Any = table.select(self.schema_.names)
        leaves = np.asarray(self.forest.apply(rows if hasattr(self.forest, "schema_") else np.asarray(rows)))
        if leaves.ndim != 2 or len(leaves) != len(table):
            raise BadParameter(f"Proximity: forest.apply gave an array of shape {leaves.shape}, not (n_rows, n_trees).")
        return leaves.astype(np.int64)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left = self._leaves(a)
        right = left if b is a else self._leaves(b)
        both = left if b is a else np.vstack([left, right])
        codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in both.T]).astype(np.int32)
        sizes = codes.max(axis=0) + 1 if len(codes) else np.ones(codes.shape[1])
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        ones = np.ones(int(offsets[-1]))
        tables = CodeTables(offsets, ones, ones, np.full(codes.shape[1], 1 / codes.shape[1]))
        return codes_gram(codes[: len(a)], None if b is a else codes[len(a) :], tables, dtype)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return np.ones(len(a), dtype=dtype)

"""Any table as numbers for a numeric kernel: filled, scaled, levels as dummies; all learned from the training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from mercer._core.gram import KernelSpec
from mercer.arrays import Array
from mercer.encode.blocks import Missing, Scaling
from mercer.encode.numeric import NumericEncoding
from mercer.errors import BadFile
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.kernels.composite import Composite
from mercer.kernels.registry import register
from mercer.parameters import Choice, Parameters
from mercer.state import Reader, State
from mercer.table import Columns, Schema, Selector, Table, resolve

Levels = Literal["dummies", "keep"]


@register
class Encoded(Composite):
    """k(a, b) = kernel(E(a), E(b)), with E(x) the numbers of x filled and scaled, and dummies of its levels.

    Parameters
    ----------
    kernel : Kernel
        What compares the encoded rows.
    scaling : {"standard", "robust", "minmax", "none"}, default "standard"
        (x - mean) / standard deviation, the same without cells far from all others, (x - min) / (max - min), or x.
        Sparse numbers are divided and not shifted. A constant column becomes 0, unless "none".
    missing : {"mean", "median"}, default "mean"
        What stands for a missing number of a column.
    levels : {"dummies", "keep"}, default "dummies"
        "dummies" makes a column of 0 and 1 for each level, all 0 for a missing cell and for a level never seen;
        "keep" leaves categorical columns as they are to the kernel.
    on : selector or None, default None
        The columns that are encoded, by name or by kind; None is every column.

    Attributes
    ----------
    kernel_ : Kernel
        The fitted kernel of the encoded rows.
    encoding_ : NumericEncoding
        What was learned from the training rows.
    schema_ : Schema
        The columns of the table.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Encoded, Linear
    >>> rows = read_table({"age": [30.0, 50.0, 40.0, None], "job": ["sales", "clerk", "sales", "clerk"]})
    >>> Encoded(Linear(), scaling="minmax").fit(rows).gram(rows)
    array([[1.  , 0.  , 1.  , 0.  ],
           [0.  , 2.  , 0.5 , 1.5 ],
           [1.  , 0.5 , 1.25, 0.25],
           [0.  , 1.5 , 0.25, 1.25]])
    """

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL_OBJECT,
        "scaling": Choice(Scaling),
        "missing": Choice(Missing),
        "levels": Choice(Levels),
        "on": Columns(),
    }

    def __init__(
        self,
        kernel: Kernel,
        *,
        scaling: Scaling = "standard",
        missing: Missing = "mean",
        levels: Levels = "dummies",
        on: Selector = None,
    ) -> None:
        self.kernel = kernel
        self.scaling = scaling
        self.missing = missing
        self.levels = levels
        self.on = on

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        if self.on is not None:
            names = resolve(self.on, tables[0].schema)
            tables = [t.select(list(names)) for t in tables]
        self.encoding_ = NumericEncoding.learn(tables, weight, scaling=self.scaling, missing=self.missing)
        super()._fit_target([self.encode(t) for t in tables], weight, y)
        self.schema_ = self.encoding_.schema

    def encode(self, table: Table) -> Table:
        """The table as the inner kernel sees it.

        Parameters
        ----------
        table : Table
            Rows with the columns of `schema_`.

        Returns
        -------
        encoded : Table
            The same rows.
        """
        return self.encoding_.numbers_scaled(table) if self.levels == "keep" else self.encoding_.table(table)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left = self.encode(a)
        return self.kernel_._gram(left, left if b is a else self.encode(b), dtype)

    def formula(self, a: Table, dtype: np.dtype[Any]) -> tuple[Any, KernelSpec] | None:
        return self.kernel_.formula(self.encode(a), dtype)

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self.kernel_._diag(self.encode(a), dtype)

    def _learned(self) -> State:
        fitted = {"input": self.schema_.to_state(), "encoding": self.encoding_.to_state()}
        return super()._learned() | fitted

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.schema_ = Schema.from_state(state.child("input"))
        self.encoding_ = NumericEncoding.from_state(state.child("encoding"), self.schema_)
        names = self.encoding_.names if self.levels == "dummies" else self.schema_.names
        compared = self.kernel_.schema_.names
        if compared != names and (unknown := set(compared) - set(names)):
            raise BadFile(f"{state.where}: the kernel compares {min(unknown)!r}, which the table does not have.")

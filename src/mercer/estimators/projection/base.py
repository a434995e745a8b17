"""What encoders that compare rows by a kernel share: the columns compared become numeric ones."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.encode.base import Encoder
from mercer.errors import MercerError
from mercer.estimators.kernel.choice import KernelChoice
from mercer.estimators.kernel.rows import refuse_infinite_sums
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.kernels import Kernel, Precomputed
from mercer.table import Column, Kind, Schema, Table
from mercer.table.assemble import all_but, hstack, number_table


class KernelEncoder(Encoder):
    """Base of encoders with a fitted kernel; subclasses say how many columns there are and what is in them."""

    kernel_: Kernel

    def _fitted_kernel(self, choice: KernelChoice, gamma: Any, rows: Table) -> Kernel:
        """The kernel fitted to the rows; a matrix in place of rows is refused."""
        n = len(rows)
        kernel = choice.fitted(TrainingRows(rows, np.zeros(n), np.ones(n)), gamma)
        if isinstance(kernel, Precomputed):
            raise MercerError(f"{type(self).__name__} compares rows, not a Gram matrix. Give the kernel itself.")
        return kernel

    @abstractmethod
    def _made(self) -> list[Column]:
        """The columns made, from fitted values."""

    def _numbered(self, n_columns: int, reason: str) -> list[Column]:
        """Numeric columns with the names that scikit-learn would give them: nystroem0, nystroem1, ..."""
        name = type(self).__name__.lower()
        return [Column(f"{name}{j}", Kind.NUMERIC, reason=reason) for j in range(n_columns)]

    @abstractmethod
    def _values(self, rows: Table) -> Floats:
        """What is in them for each row of the columns compared."""

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        passed = tuple(c for c in schema if c.name not in names)
        return replace(schema, columns=(*passed, *self._made()))

    def _apply(self, table: Table) -> Table:
        found = self._values(table.select(list(self.names_)))
        refuse_infinite_sums(self.kernel_, found)
        return hstack([all_but(table, list(self.names_)), number_table(self._made(), found)], self.schema_out_)

"""Rows of a table with their target and weights, on the way to bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.estimators.common.sample_weight import row_counts
from mercer.solvers.boost.binning import Bytes
from mercer.solvers.boost.boost import Rows
from mercer.table import Table


@dataclass(frozen=True)
class LabelledRows:
    """Rows, their target (class codes or numbers) and weights (None: 1 each)."""

    table: Table
    y: Floats
    weight: Floats | None

    def take(self, rows: Longs) -> Self:
        """Those rows."""
        weight = None if self.weight is None else self.weight[rows]
        return type(self)(self.table.take(rows), self.y[rows], weight)

    def counted(self) -> Self:
        """The same with weights that count rows; a row of weight 0 is none."""
        weight = row_counts(self.weight)
        found = type(self)(self.table, self.y, weight)
        return found if weight is None or weight.all() else found.take(np.flatnonzero(weight))

    def binned(self, bins: Bytes) -> Rows:
        """As the solver takes them."""
        weight = self.weight
        whole = weight is not None and (weight == np.rint(weight)).all()
        return Rows(bins, self.y, weight, weight.astype(np.uint32) if weight is not None and whole else None)

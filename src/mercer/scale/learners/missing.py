"""Which columns get an indicator of missing cells, decided on all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.scale.rows import Part, Rows, Sums
from mercer.table import Kind
from mercer.table.missingness import LEVEL, NO_INDICATORS, MissingIndicator, MissingIndicators, class_association


@dataclass(frozen=True)
class CountGaps:
    """Rows of each class whose cell is missing, (n_columns, n_classes)."""

    n_classes: int

    def __call__(self, part: Part) -> Sums:
        names = part.table.schema.names
        gone = np.array([np.bincount(part.target[part.table.missing(n)], minlength=self.n_classes) for n in names])
        return Sums((gone,))


def class_indicators(rows: Rows, kind: Kind, choice: MissingIndicator) -> MissingIndicators:
    """What `MissingIndicators.learn` finds in all rows at once, from one pass."""
    if choice is False:
        return NO_INDICATORS
    gone = rows.merge(CountGaps(rows.n_classes)).values[0]
    found = [c.name for c, g in zip(rows.schema, gone, strict=True) if g.any() and not c.part]
    if choice == "auto":
        place = {name: k for k, name in enumerate(rows.schema.names)}
        total = rows.counts.astype(np.float64)
        found = [n for n in found if class_association(gone[place[n]] * 1.0, total) < LEVEL / len(found)]
    return MissingIndicators.of(rows.schema, found, kind)

"""Linear systems of a machine: the rows of each, and the targets that share them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Longs


@dataclass(frozen=True)
class System:
    """(K + N) c + b 1 = y on some of the training rows, for one target or more.

    rows : numbers of the training rows, (n,)
    targets : (n, t)
    places : which decisions of the machine they are, (t,)
    """

    rows: Longs
    targets: Floats
    places: Longs


def number_systems(targets: Floats, weight: Floats) -> list[System]:
    """The one system of a regression, for targets (n,) or (n, t), of the rows with a positive weight."""
    columns = targets if targets.ndim == 2 else targets[:, None]
    rows = np.flatnonzero(weight > 0)
    return [System(rows, columns[rows], np.arange(columns.shape[1]))]

"""Linear systems of a machine: the rows of each, and the targets that share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.estimators.multiclass.codes import BinaryProblem


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


def class_systems(problems: Sequence[BinaryProblem], weight: Floats) -> list[System]:
    """Binary problems as systems of +1 and -1: those on the same rows, as all of "ovr" are, share one matrix."""
    groups: dict[bytes, list[int]] = {}
    for place, problem in enumerate(problems):
        groups.setdefault(problem.rows.tobytes(), []).append(place)
    found = []
    for places in groups.values():
        used = weight[problems[places[0]].rows] > 0
        targets = np.column_stack([problems[p].y[used] for p in places])
        found.append(System(problems[places[0]].rows[used].astype(np.int64), targets, np.array(places)))
    return found

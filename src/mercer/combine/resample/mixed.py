"""SMOTE and its kin by neighbours under a distance of numbers and levels, for tables that imbalanced-learn refuses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Ints, Longs
from mercer.combine.resample.sample import Sample, wanted_more
from mercer.combine.resample.synthetic import between_neighbours
from mercer.distances import Distance
from mercer.errors import BadTable
from mercer.table import Kind


class MixedNeighbours:
    """The rows of a sample as a distance compares them, without texts."""

    def __init__(self, rows: Sample, distance: Distance) -> None:
        texts = rows.table.schema.of_kind(Kind.TEXT)
        compared = rows.table.drop(texts) if texts else rows.table
        if not len(compared.schema):
            raise BadTable(
                "Neighbours are found by numbers and levels, but every column is text. Use method='over' or 'under', "
                "which draw rows as they are."
            )
        self.rows, self.distance = rows, distance.fit(compared, rows.codes)
        self.cells = distance.cells(compared)

    def nearest(self, queries: Longs, among: Longs, k: int) -> Longs:
        """The k nearest rows of each query among some rows, itself left out, (n_queries, k)."""
        numbers = np.arange(len(self.rows.codes), dtype=np.int32)
        found = self.distance.nearest(
            self.cells.take(among), self.cells.take(queries), k, groups=(numbers[among], numbers[queries])
        )
        return among[found.row]

    def others(self, queries: Longs, k: int) -> NDArray[np.bool_]:
        """Which of the k nearest of all rows are of another class, (n_queries, k)."""
        everything = np.arange(len(self.rows.codes))
        found = self.nearest(queries, everything, min(k, len(everything) - 1))
        return self.rows.codes[found] != self.rows.codes[queries][:, None]


def _grow(rows: Sample, near: MixedNeighbours, plan: list[tuple[Longs, int]], random: np.random.RandomState) -> Sample:
    """The rows and new ones; plan: the base rows of a class, a row for each new one, and how many neighbours."""
    made = rows
    for base, k in plan:
        if len(base):
            own = np.flatnonzero(rows.codes == rows.codes[base[0]])
            distinct, place = np.unique(base, return_inverse=True)
            neighbours = near.nearest(distinct, own, k)[place]
            made = made.with_rows(between_neighbours(rows.table, base, neighbours, random), rows.codes[base])
    return made


def smote(rows: Sample, distance: Distance, k: Ints, ratio: float, random: np.random.RandomState) -> Sample:
    """New rows between rows drawn at random and their neighbours of the same class."""
    near, plan = MixedNeighbours(rows, distance), []
    for c, n in enumerate(wanted_more(rows.counts(), ratio)):
        own = np.flatnonzero(rows.codes == c)
        plan.append((own[random.randint(len(own), size=n)], int(k[c])))
    return _grow(rows, near, plan, random)


def borderline(rows: Sample, distance: Distance, k: Ints, ratio: float, random: np.random.RandomState) -> Sample:
    """As SMOTE, from rows in danger: half or more, but not all, of their 10 nearest rows are of other classes.

    Han, Wang and Mao (2005), borderline-SMOTE1. A class without such rows gets none.
    """
    near, plan = MixedNeighbours(rows, distance), []
    for c, n in enumerate(wanted_more(rows.counts(), ratio)):
        if not n:
            continue
        own = np.flatnonzero(rows.codes == c)
        share = near.others(own, 10).mean(axis=1)
        danger = own[(share >= 0.5) & (share < 1.0)]
        if len(danger):
            plan.append((danger[random.randint(len(danger), size=n)], int(k[c])))
    return _grow(rows, near, plan, random)


def adasyn(rows: Sample, distance: Distance, k: Ints, ratio: float, random: np.random.RandomState) -> Sample:
    """As SMOTE, from each row as many as the share of other classes among its k nearest rows says.

    He, Bai, Garcia and Li (2008), ADASYN, steps 2 to 6; rounding moves the number of rows by a few.
    """
    near, plan = MixedNeighbours(rows, distance), []
    for c, n in enumerate(wanted_more(rows.counts(), ratio)):
        if not n:
            continue
        own = np.flatnonzero(rows.codes == c)
        share = near.others(own, int(k[c])).mean(axis=1)
        if not share.any():
            raise BadTable(no_hard_rows())
        plan.append((np.repeat(own, np.rint(share / share.sum() * n).astype(np.int64)), int(k[c])))
    return _grow(rows, near, plan, random)


def no_hard_rows() -> str:
    """What is wrong where ADASYN has no row to start from."""
    return (
        "ADASYN makes rows where classes meet, but no row of a rare class has a neighbour of another class. "
        "Use method='smote', or more neighbours."
    )


def tomek(rows: Sample, distance: Distance) -> Sample:
    """Without the rows of larger classes that are in a Tomek link: two rows of two classes, each the other's nearest.

    Tomek (1976), Two modifications of CNN. The smallest class keeps its rows.
    """
    everything = np.arange(len(rows.codes))
    nearest = MixedNeighbours(rows, distance).nearest(everything, everything, 1)[:, 0]
    linked = (nearest[nearest] == everything) & (rows.codes[nearest] != rows.codes)
    return _without(rows, linked)


def edited(rows: Sample, distance: Distance, k: int) -> Sample:
    """Without the rows of larger classes that have a row of another class among their k nearest.

    Wilson (1972), Asymptotic properties of nearest neighbor rules using edited data. The smallest class keeps its rows.
    """
    others = MixedNeighbours(rows, distance).others(np.arange(len(rows.codes)), k)
    return _without(rows, others.sum(axis=1) > 0)


def _without(rows: Sample, gone: NDArray[np.bool_]) -> Sample:
    smallest = int(np.argmin(rows.counts()))
    return rows.take(np.flatnonzero(~gone | (rows.codes == smallest)))

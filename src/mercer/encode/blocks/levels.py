"""Categorical columns as dummies."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats, Ints
from mercer.encode.blocks.scaling import Weight
from mercer.errors import ColumnWarning
from mercer.state import Reader, State
from mercer.table import Column, Schema, Table
from mercer.table.blocks import MISSING

Baseline = Literal["first", "common"]

OTHER, MISSING_LEVEL = "(other)", "(missing)"
MAX_LEVELS = 100  # dummies of one column; rarer levels share one


@dataclass(frozen=True)
class LevelBlock:
    """z_l = 1 if x is level l, else 0: the dummies of one column, all but that of the baseline level if there is one.

    `place` maps each code to its dummy, -1 to none; its last two entries are unseen and missing cells. With a baseline,
    a level never seen is the average row: `shares` holds the mean of each dummy over the training rows.
    """

    column: str
    names: tuple[str, ...]
    place: Ints  # (n_levels + 2,)
    baseline: str | None = None
    shares: Floats | None = None  # (n_names,)

    @classmethod
    def every_level(cls, column: Column, baseline: int = -1, missing: bool = False) -> LevelBlock:
        """A dummy for each level but the baseline (-1: none), and for missing cells if `missing`."""
        kept = np.flatnonzero(np.arange(len(column.levels)) != baseline)
        place = np.full(len(column.levels) + 2, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        names = [f"{column.name}={column.levels[k]}" for k in kept]
        if missing:
            place[MISSING] = len(names)
            names.append(f"{column.name}={MISSING_LEVEL}")
        return cls(column.name, tuple(names), place, column.levels[baseline] if baseline >= 0 else None)

    @classmethod
    def contrasts(cls, table: Table, name: str, weight: Weight, baseline: Baseline) -> LevelBlock:
        """Dummies of the levels seen; the rarest of too many share one; missing cells have one if there were any.

        Where they have no dummy of their own, a missing cell is the commonest level and an unseen one the average row.
        """
        return cls.of_counts(table.schema[name], level_counts(table, name, weight), baseline)

    @classmethod
    def of_counts(cls, column: Column, mass: Floats, baseline: Baseline) -> LevelBlock:
        """The same from the weight of missing cells, of each level and of cells never seen, (n_levels + 2,)."""
        name, levels = column.name, column.levels
        size = len(levels)
        lost, counts = mass[0], mass[1 : size + 1]
        commonest = int(counts.argmax())
        base = 0 if baseline == "first" else commonest
        kept = np.sort(np.argsort(-counts, kind="stable")[:MAX_LEVELS]) if size > MAX_LEVELS else np.arange(size)
        kept = kept[(kept != base) & (counts[kept] > 0)]
        names = [f"{name}={levels[k]}" for k in kept]
        place = np.full(size + 2, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        if size > MAX_LEVELS:
            rare = np.setdiff1d(np.arange(size + 1), [*kept, base])
            place[rare] = len(names)
            names.append(f"{name}={OTHER}")
        place[MISSING] = len(names) if lost else place[commonest]
        names += [f"{name}={MISSING_LEVEL}"] if lost else []
        shares = (
            np.bincount(place[np.arange(-1, size + 1)] + 1, weights=mass, minlength=len(names) + 1)[1:] / mass.sum()
        )
        return cls(name, tuple(names), place, levels[base], shares)

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.names)

    @property
    def knows_missing(self) -> bool:
        """Whether missing cells have a coefficient of their own."""
        return self.place[MISSING] >= 0 and self.names[self.place[MISSING]] == f"{self.column}={MISSING_LEVEL}"

    def matrix(self, table: Table, sparse: bool) -> Any:
        """(n_rows, n_names) of 0 and 1."""
        return level_matrix([self], table, sparse)

    def to_state(self) -> State:
        shares = np.zeros(len(self.names)) if self.shares is None else self.shares
        return {"names": list(self.names), "place": self.place, "baseline": self.baseline, "shares": shares}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema, name: str) -> LevelBlock:
        levels, names = schema[name].levels, state.texts("names")
        place = state.array("place", "int32", (len(levels) + 2,), low=-1, high=len(names) - 1)
        shares = state.array("shares", "float64", (len(names),), low=0.0, high=1.0)
        block = cls(name, names, place, state.text("baseline", levels), shares)
        state.finish()
        return block


def level_counts(table: Table, name: str, weight: Weight) -> Floats:
    """The weight of the missing cells of a column, of each level and of cells never seen, (n_levels + 2,)."""
    codes, size = table.codes(name)[:, 0], len(table.schema[name].levels)
    return np.bincount(codes + 1, weights=weight, minlength=size + 2).astype(np.float64)


def level_matrix(blocks: Sequence[LevelBlock], table: Table, sparse: bool) -> Any:
    """The dummies of several columns side by side; a level never seen, with a warning, as the average of those seen."""
    matrix = dummies(blocks, table, sparse=sparse)
    unseen = np.array([len(b.place) - 2 for b in blocks])
    strange = table.codes([b.column for b in blocks]) >= unseen
    start = np.cumsum([0, *(len(b.names) for b in blocks)])
    for j in np.flatnonzero(strange.any(axis=0)).tolist():
        block = blocks[j]
        if block.shares is None or block.place[unseen[j]] >= 0:
            continue
        said = "a level never seen in fitting counts as the average of those seen."
        warnings.warn(ColumnWarning(block.column, said), stacklevel=5)
        rows, columns = np.flatnonzero(strange[:, j])[:, None], np.arange(start[j], start[j + 1])
        if sparse:
            cells = (array.ravel() for array in np.broadcast_arrays(block.shares, rows, columns))
            shares, *places = cells
            matrix = sp.csr_array(matrix + sp.csr_array((shares, tuple(places)), shape=matrix.shape))
        else:
            matrix[rows, columns] = block.shares
    return matrix


def dummies(
    blocks: Sequence[LevelBlock], table: Table, *, sparse: bool = False, size: float = 1.0, dtype: Any = np.float64
) -> Any:
    """The dummies of several columns side by side, each 0 or `size`: (n_rows, n_names), dense or CSR."""
    codes = table.codes([b.column for b in blocks])
    shape = (len(codes), sum(len(b.names) for b in blocks))
    cells, start = [], 0
    for j, block in enumerate(blocks):
        place = block.place[codes[:, j]]
        rows = np.flatnonzero(place >= 0)
        cells.append((rows, place[rows] + start))
        start += len(block.names)
    if sparse:
        rows, columns = (np.concatenate(part) for part in zip(*cells, strict=True))
        return sp.csr_array((np.full(len(rows), size, dtype=dtype), (rows, columns)), shape=shape)
    dense = np.zeros(shape, dtype=dtype)
    for place_of in cells:
        dense[place_of] = size
    return dense

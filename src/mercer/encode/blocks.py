"""Blocks of the matrix that a linear model computes with: numbers, contrasts of levels, words, further terms.

A block learns from the rows and their weights, names its columns, says which column of the table owns each, and
fills them for other rows. `weight` is (n_rows,) or None; a row of weight 2 counts as two rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from mercer.arrays import Floats
from mercer.encode.missing import MISSING_LEVEL
from mercer.errors import BadColumn, BadFile, MercerWarning
from mercer.state import Reader, State
from mercer.table import Schema, Table
from mercer.table.blocks import MISSING

Weight: TypeAlias = Floats | None
OTHER = "(other)"
MOST_LEVELS = 100  # dummies of one column; rarer levels share one
MOST_WORDS = 1000  # of one text column
WORD = r"(?u)\b\w+\b"


@dataclass(frozen=True)
class NumberBlock:
    """x, with `fill` where it is missing, and a column '<name> missing' for the columns that had gaps in fitting."""

    columns: tuple[str, ...]
    fill: Floats
    flagged: NDArray[np.bool_]

    @classmethod
    def learn(cls, table: Table, names: tuple[str, ...], weight: Weight) -> NumberBlock:
        """Weighted medians of the columns with gaps, means of the others (a median of every column is slow)."""
        if table.is_sparse:
            fill, gaps = _sparse_fill(table.sparse(names), names, weight)
            return cls(names, fill, gaps)
        values = table.numbers(names)
        total, mass = _sums(values, weight)
        fill, gaps = np.nan_to_num(total / mass), np.isnan(total)
        for j in np.flatnonzero(gaps):
            fill[j] = _known_median(values[:, j], weight, names[j])
        return cls(names, fill, gaps)

    @property
    def names(self) -> list[str]:
        return [*self.columns, *(f"{n} missing" for n in self._flags)]

    @property
    def owners(self) -> list[str]:
        return [*self.columns, *self._flags]

    @property
    def _flags(self) -> list[str]:
        return [n for n, flag in zip(self.columns, self.flagged, strict=True) if flag]

    def fill_in(self, table: Table) -> Any:
        """(n_rows, n_columns), dense or CSR; the table's own array when nothing is missing."""
        if table.is_sparse:
            return self._fill_sparse(table.sparse(self.columns))
        values = table.numbers(self.columns)
        if not self.flagged.any() and np.isfinite(values.sum()):
            return values
        gaps = np.isnan(values)
        filled = np.where(gaps, self.fill, values) if gaps.any() else values
        return np.hstack([filled, gaps[:, self.flagged]]) if self.flagged.any() else filled

    def _fill_sparse(self, values: sp.csr_array) -> sp.csr_array:
        gaps = np.isnan(values.data)
        if not gaps.any() and not self.flagged.any():
            return values
        filled = sp.csr_array((np.where(gaps, self.fill[values.indices], values.data), values.indices, values.indptr),
                              shape=values.shape)  # fmt: skip
        flags = sp.csr_array((gaps.astype(np.float64), values.indices, values.indptr), shape=values.shape)
        return sp.csr_array(sp.hstack([filled, flags[:, np.flatnonzero(self.flagged)]], format="csr"))

    def to_state(self) -> State:
        return {"fill": self.fill, "flagged": self.flagged.astype(np.uint8)}

    @classmethod
    def from_state(cls, state: Reader, names: tuple[str, ...]) -> NumberBlock:
        n = len(names)
        block = cls(names, state.array("fill", "float64", (n,)),
                    state.array("flagged", "uint8", (n,), high=1).astype(bool))  # fmt: skip
        state.finish()
        return block


def _sums(values: NDArray[np.floating], weight: Weight) -> tuple[Floats, float]:
    """Sums of the columns, NaN where a cell is missing, and the weight of all rows."""
    if weight is None:
        return values.sum(axis=0, dtype=np.float64), float(len(values))
    return weight @ values, float(weight.sum())


def _known_median(values: NDArray[np.floating], weight: Weight, name: str) -> float:
    known = ~np.isnan(values)
    if not known.any():
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    cells = values[known].astype(np.float64)
    return float(np.median(cells)) if weight is None else weighted_median(cells, weight[known])


def weighted_median(values: Floats, weight: Floats) -> float:
    """The median of the values when each stands there `weight` times."""
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(weight[order])
    half = reached[-1] / 2
    low = values[np.searchsorted(reached, half, side="left")]
    high = values[min(np.searchsorted(reached, half, side="right"), len(values) - 1)]
    return float((low + high) / 2)


def _sparse_fill(values: sp.csr_array, names: tuple[str, ...], weight: Weight) -> tuple[Floats, NDArray[np.bool_]]:
    """Most cells of a sparse column are 0, and so are its filled ones."""
    unknown = np.bincount(values.indices[np.isnan(values.data)], minlength=len(names))
    if len(values.indptr) - 1 == unknown.max(initial=0):
        name = names[int(unknown.argmax())]
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    return np.zeros(len(names)), unknown > 0


@dataclass(frozen=True)
class LevelBlock:
    """z_l = 1 if x is level l: contrasts of one coded column with its baseline level.

    `place` maps each code to a dummy, -1 for the baseline; its last two entries are unseen and missing cells.
    """

    column: str
    names: tuple[str, ...]
    place: NDArray[np.int32]
    baseline: str

    @classmethod
    def learn(cls, table: Table, name: str, weight: Weight, baseline: str) -> LevelBlock:
        """The rarest of too many levels share a dummy; missing cells have one if there were any in fitting."""
        levels, codes = table.schema[name].levels, table.codes(name)[:, 0]
        size = len(levels)
        mass = np.bincount(codes + 1, weights=weight, minlength=size + 2)
        lost, counts = mass[0], mass[1 : size + 1]
        commonest = int(counts.argmax())
        base = 0 if baseline == "first" else commonest
        kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_LEVELS]) if size > MOST_LEVELS else np.arange(size)
        kept = kept[(kept != base) & (counts[kept] > 0)]
        names = [f"{name}={levels[k]}" for k in kept]
        place = np.full(size + 2, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        if size > MOST_LEVELS:
            gathered = np.setdiff1d(np.arange(size + 1), [*kept, base])
            place[gathered] = len(names)
            names.append(f"{name}={OTHER}")
        place[MISSING] = len(names) if lost else place[commonest]
        names += [f"{name}={MISSING_LEVEL}"] if lost else []
        return cls(name, tuple(names), place, levels[base])

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.names)

    @property
    def knows_missing(self) -> bool:
        """Whether missing cells have a coefficient of their own."""
        return self.place[MISSING] >= 0 and self.names[self.place[MISSING]] == f"{self.column}={MISSING_LEVEL}"

    def fill_in(self, table: Table, sparse: bool) -> Any:
        """(n_rows, n_columns) of 0 and 1."""
        codes = table.codes(self.column)[:, 0]
        if self.place[-2] < 0 and codes.max(initial=0) >= len(self.place) - 2:
            notice = f"Column {self.column!r}: levels never seen in fitting count as the baseline."
            warnings.warn(notice, MercerWarning, stacklevel=5)
        place = self.place[codes]
        rows = np.flatnonzero(place >= 0)
        shape = (len(place), len(self.names))
        if sparse:
            return sp.csr_array((np.ones(len(rows)), (rows, place[rows])), shape=shape)
        dense = np.zeros(shape)
        dense[rows, place[rows]] = 1.0
        return dense

    def to_state(self) -> State:
        return {"names": list(self.names), "place": self.place, "baseline": self.baseline}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema, name: str) -> LevelBlock:
        levels, names = schema[name].levels, state.texts("names")
        place = state.array("place", "int32", (len(levels) + 2,), low=-1, high=len(names) - 1)
        block = cls(name, names, place, state.text("baseline", levels))
        state.finish()
        return block


@dataclass(frozen=True)
class WordBlock:
    """z_w = how often word w stands in the text, for the commonest words that stand in two texts or more."""

    column: str
    words: tuple[str, ...]

    @classmethod
    def learn(cls, table: Table, name: str, weight: Weight) -> WordBlock:
        texts = _texts(table, name)
        counter = CountVectorizer(token_pattern=WORD, binary=True)
        try:
            seen = counter.fit_transform(texts)
        except ValueError:  # not one word
            return cls(name, ())
        rows = np.asarray(seen.sum(axis=0)).ravel() if weight is None else weight @ seen
        order = np.argsort(-rows, kind="stable")[:MOST_WORDS]
        words = counter.get_feature_names_out()
        return cls(name, tuple(str(words[k]) for k in np.sort(order[rows[order] >= 2])))

    @property
    def names(self) -> list[str]:
        return [f"{self.column}:{w}" for w in self.words]

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.words)

    def fill_in(self, table: Table) -> sp.csr_array:
        if not self.words:
            return sp.csr_array((len(table), 0))
        counter = CountVectorizer(token_pattern=WORD, vocabulary=self.words)
        return sp.csr_array(counter.transform(_texts(table, self.column)).astype(np.float64))

    def to_state(self) -> State:
        return {"words": list(self.words)}

    @classmethod
    def from_state(cls, state: Reader, name: str) -> WordBlock:
        words = state.texts("words")
        if len(set(words)) != len(words):
            raise BadFile(f"{state.where}.words must be distinct.")
        state.finish()
        return cls(name, words)


def _texts(table: Table, name: str) -> Sequence[str]:
    return ["" if t is None else str(t) for t in table.texts(name)[:, 0]]

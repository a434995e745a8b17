"""From a table to the columns that a tree tests: words counted, rare levels joined, sums of numeric columns added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.encode import BagOfWords
from mercer.errors import BadFile, TooLarge
from mercer.solvers.tree.oblique import extended
from mercer.solvers.tree.rare_levels import RareLevels
from mercer.solvers.tree.tree import ARRAYS, BadTree, Columns, Tree
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Column, Kind, Schema, Table

MOST_COLUMNS = 1 << 21  # each becomes an object, in seconds
_TYPES = (
    dict.fromkeys(("column", "first", "branches", "missing_branch", "level", "branch", "classes"), "int32")
    | dict.fromkeys(("surrogate_column", "surrogate_level", "surrogate_side"), "int32")
    | dict.fromkeys(("level_start", "surrogate_start", "surrogate_level_start"), "int64")
    | dict.fromkeys(("kind", "surrogate_flip"), "uint8")
)  # of the arrays of a tree; the others are float64


@dataclass(frozen=True)
class TreeColumns:
    """The fitted way from a table to the columns of a tree.

    Parameters
    ----------
    words : BagOfWords or None
        Counts the words of text columns; None where there is no text.
    single : tuple of Column
        The columns that are tested one by one: numeric ones, then categorical ones.
    rare : RareLevels
        Levels that are joined because few rows have them.
    combinations : ndarray of shape (n_combinations, n_numeric)
        Coefficients of the sums of numeric columns that are tested too.
    """

    words: BagOfWords | None
    single: tuple[Column, ...]
    rare: RareLevels
    combinations: Floats

    @classmethod
    def fit(cls, table: Table, n_words: int, min_rows_level: float) -> tuple[Self, Columns]:
        """Count words, join levels of fewer than `min_rows_level` rows; the training rows' columns come too."""
        words = BagOfWords(n_words) if table.schema.of_kind(Kind.TEXT) else None
        table = table if words is None else words._encode(table)
        if len(table.schema) > MOST_COLUMNS:
            raise TooLarge(f"A tree tests up to {MOST_COLUMNS:,} columns; the table has {len(table.schema):,}.")
        single = _single(table.schema)
        columns = _columns(table, single)
        rare = RareLevels.among(columns, min_rows_level)
        return cls(words, single, rare, np.zeros((0, columns.numbers.shape[1]))), rare.joined(columns)

    def transform(self, table: Table) -> Columns:
        """The columns of these rows."""
        table = table if self.words is None else self.words._apply(self.words._predict_table(table))
        return extended(self.rare.joined(_columns(table, self.single)), self.combinations)

    def with_combinations(self, combinations: Floats) -> Self:
        """The same with these sums of numeric columns, which the tree tests too."""
        return replace(self, combinations=combinations)

    @cached_property
    def n_numeric(self) -> int:
        """How many single columns are numeric."""
        return sum(c.kind is Kind.NUMERIC for c in self.single)

    @property
    def tested(self) -> tuple[Column, ...]:
        """All columns in the order of the tree: numeric ones, sums of them by their formula, categorical ones."""
        p = self.n_numeric
        names = [c.name for c in self.single[:p]]
        sums = (Column(sum_of(names, a), Kind.NUMERIC) for a in self.combinations)
        return (*self.single[:p], *sums, *self.single[p:])

    def name_levels(self, tree: Tree) -> Tree:
        """The tree with every rare level in the lists of its tests."""
        return self.rare.named(tree, self.n_numeric + len(self.combinations))

    def attribution(self, schema: Schema) -> Floats:
        """Part of each tested column that is due to each column of the schema, (n_tested, n_columns).

        A word is due to its text; the columns of a sum share alike.
        """
        place = {name: i for i, name in enumerate(schema.names)}
        owners = [place.get(c.name, place.get(_text_of(c.name, place), 0)) for c in self.single]
        parts: Floats = np.eye(len(schema))[owners]
        p, used = self.n_numeric, (self.combinations != 0).astype(np.float64)
        return np.vstack([parts[:p], used / used.sum(axis=1, keepdims=True) @ parts[:p], parts[p:]])

    def to_state(self) -> State:
        words = {} if self.words is None else {"words": self.words.to_state()}
        return {"rare": self.rare.to_state(), "combinations": self.combinations, **words}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Self:
        """Read back for a table of this schema."""
        words = BagOfWords.from_state(state.child("words")) if state.has("words") else None
        schema = schema if words is None else words.schema_out_
        if len(schema) > MOST_COLUMNS:  # which a file of any size can claim of an array
            raise BadFile(f"{state.where}: {len(schema):,} columns, and a tree tests up to {MOST_COLUMNS:,}.")
        single = _single(schema)
        levels, _ = _levels(single)
        combinations = state.array("combinations", "float64", (None, len(single) - len(levels)))
        if ((combinations != 0).sum(axis=1) < 2).any():
            raise state.refuse("combinations", "two or more columns in each")
        return cls(words, single, RareLevels.from_state(state.child("rare"), levels), combinations)

    def tree_from_state(self, state: Reader, classes: Sequence[int], missing: str) -> Tree:
        """The tree over these columns that `Tree.arrays` wrote, for outputs of so many classes each (0: a number)."""
        n_answers = sum(max(n, 1) for n in classes)
        arrays: dict[str, NDArray[Any]] = {}
        for name in ARRAYS:
            shape: tuple[int | None, ...] = (None, n_answers) if name == "answer" else (None,)
            low = 0.0 if name in ("rows", "impurity") else -np.inf
            dtype = _TYPES.get(name, "float64")
            arrays[name] = state.array(name, dtype, shape, low=low, finite=name != "threshold")
        state.finish()
        if arrays["classes"].tolist() != list(classes):
            raise state.refuse("classes", f"the numbers of classes of the outputs, {list(classes)}")
        levels, nominal = _levels(self.single)
        numbers = np.zeros((0, self.n_numeric + len(self.combinations)))
        like = Columns.of(numbers, np.zeros((0, len(levels)), np.int32), levels, nominal)
        try:
            return Tree.from_arrays(arrays, like, missing)
        except BadTree as error:
            raise BadFile(f"{state.where}: {error}") from None


def _levels(columns: tuple[Column, ...]) -> tuple[list[int], list[bool]]:
    """How many levels each categorical column has, and whether they have no order."""
    found = [c for c in columns if c.kind.categorical]
    return [len(c.levels) for c in found], [c.kind is not Kind.ORDINAL for c in found]


def sum_of(names: list[str], coefficients: Floats) -> str:
    """A linear combination as people write it.

    >>> import numpy as np
    >>> sum_of(["age", "height", "weight"], np.array([1.0, 0.0, -0.25]))
    'age - 0.25 weight'
    """
    text = ""
    for name, a in zip(names, coefficients.tolist(), strict=True):
        if a:
            sign = (" - " if a < 0 else " + ") if text else ("-" if a < 0 else "")
            text += sign + ("" if abs(a) == 1 else f"{abs(a):.4g} ") + name
    return text


def _single(schema: Schema) -> tuple[Column, ...]:
    columns = [c for c in schema if c.kind is Kind.NUMERIC or c.kind in CATEGORICAL]
    return tuple(sorted(columns, key=lambda c: c.kind is not Kind.NUMERIC))  # a stable sort: numbers, then levels


def _columns(table: Table, single: tuple[Column, ...]) -> Columns:
    return Columns.of(table.numbers(), table.codes(), *_levels(single))


def _text_of(name: str, known: Mapping[str, int]) -> str:
    """The text column that a column of word counts, '<text>:<word>', came from."""
    parts = name.split(":")
    heads = (":".join(parts[:k]) for k in range(len(parts) - 1, 0, -1))
    return next((head for head in heads if head in known), name)

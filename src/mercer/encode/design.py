"""The design matrix of a linear model, and the names of its columns."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.encode.blocks import MAX_LEVELS, Baseline, LevelBlock, NumberBlock, Weight, WordBlock, level_matrix
from mercer.errors import BadColumn, BadFile, ColumnWarning, did_you_mean
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Kind, Schema, Table
from mercer.table.array_columns import all_distinct
from mercer.table.missingness import flag_name
from mercer.table.schema import column_size

FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "log": np.log, "log1p": np.log1p, "sqrt": np.sqrt, "exp": np.exp,
}  # fmt: skip
_MAX_PRODUCTS = 5000
_MAX_DENSE = 64  # dummies
Term: TypeAlias = tuple[str, str, str]  # ("log", "age", ""), ("^3", "age", ""), ("*", "age", "job")


@dataclass(frozen=True)
class Design:
    """x -> (numbers, contrasts of levels, counts of words, further terms): the design matrix of a linear model.

    Missing numbers become the median of their column and missing levels the commonest level, unless there were missing
    cells in fitting: then a column of its own says where they are. Levels are dummies, all but the baseline's.

    Attributes
    ----------
    schema : Schema
        Columns of the table.
    numbers : NumberBlock
        The numeric columns.
    levels : tuple of LevelBlock
        The categorical columns, one each.
    words : tuple of WordBlock
        The text columns, one each.
    terms : tuple of str
        Further columns: "age^2", "log(age)" (also log1p, sqrt, exp), and products "age*job" of two columns of any kind.
    """

    schema: Schema
    numbers: NumberBlock
    levels: tuple[LevelBlock, ...]
    words: tuple[WordBlock, ...]
    terms: tuple[str, ...]

    @classmethod
    def learn(
        cls, table: Table, weight: Weight = None, terms: Sequence[str] = (), baseline: Baseline = "first"
    ) -> Design:
        """The design matrix's columns, from training rows.

        Parameters
        ----------
        table : Table
            The training rows.
        weight : ndarray of shape (n_rows,) or None, default None
            Weight of each row; None weighs all alike.
        terms : sequence of str, default ()
            Further columns.
        baseline : {"first", "common"}, default "first"
            The level of each column that has no dummy: its first, or its commonest.

        Returns
        -------
        design : Design
            Of these columns.

        Raises
        ------
        BadColumn
            A term cannot be computed, or two columns would have one name.
        """
        schema = table.schema
        return cls(
            schema,
            NumberBlock.flagging(table, schema.numeric_names, weight),
            tuple(LevelBlock.contrasts(table, n, weight, baseline) for n in schema.of_kind(*CATEGORICAL)),
            tuple(WordBlock.learn(table, n, weight) for n in schema.of_kind(Kind.TEXT)),
            tuple(terms),
        ).checked()

    def checked(self) -> Design:
        """The same; BadColumn if a term cannot be computed, or two columns would have one name."""
        self._refuse_terms()
        names = self.names
        if not all_distinct(names):
            twice = next(n for n, count in Counter(names).items() if count > 1)
            raise BadColumn(f"There would be two terms {twice!r}. Name it once in terms=, or rename a column.")
        self._warn_levels()
        return self

    def _warn_levels(self) -> None:
        for many in [b.column for b in self.levels if len(self.schema[b.column].levels) > MAX_LEVELS]:
            said = f"more than {MAX_LEVELS} levels, of which the rarest share one coefficient."
            warnings.warn(ColumnWarning(many, said), stacklevel=6)

    @cached_property
    def names(self) -> Sequence[str]:
        """The name of each column of the matrix."""
        if self._numbers_alone:
            return self.numbers.names
        found = [n for b in self._blocks for n in b.names]
        return [found[j] for j in self.order] + [n for t in self.terms for n in self._term_names(t)]

    @cached_property
    def owners(self) -> Sequence[str]:
        """The column of the table, or the further term, that each column of the matrix belongs to."""
        if self._numbers_alone:
            return self.numbers.owners
        found = [o for b in self._blocks for o in b.owners]
        return [found[j] for j in self.order] + [t for t in self.terms for _ in self._term_names(t)]

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Columns of the blocks one after the other, arranged as their owners are in the table."""
        positions = np.array([self.schema.position(o) for b in self._blocks for o in b.owners], dtype=np.intp)
        return np.argsort(positions, kind="stable")

    @cached_property
    def _numbers_alone(self) -> bool:
        """Whether the matrix is the numbers of the table as they stand: nothing is arranged, however many they are."""
        return not self.levels and not self.words and not self.terms and not self.numbers.flagged.any()

    @property
    def baselines(self) -> dict[str, str]:
        """The level that each categorical column's coefficients are contrasts with."""
        return {b.column: b.baseline for b in self.levels if b.baseline is not None}

    @property
    def filled(self) -> dict[str, str]:
        """What stands for the missing cells of each column that had some."""
        numbers = self.numbers
        flagged = np.flatnonzero(numbers.flagged).tolist()
        found = {numbers.columns[j]: f"filled with {numbers.fill[j]:g}" for j in flagged}
        return found | {b.column: "a level of its own" for b in self.levels if b.knows_missing}

    @property
    def _blocks(self) -> list[Any]:
        return [self.numbers, *self.levels, *self.words]

    def matrix(self, table: Table, most_dense: int = _MAX_DENSE) -> Any:
        """The design matrix of other rows.

        Parameters
        ----------
        table : Table
            Rows with the columns of `schema`.
        most_dense : int, default 64
            A matrix with more dummies than this is held sparse.

        Returns
        -------
        matrix : ndarray or csr_array of shape (n_rows, n_names)
            CSR for sparse numbers, texts and many dummies. The table's own array, not a copy, when it can be.
        """
        if self._numbers_alone:
            return self.numbers.matrix(table)
        dummies = sum(len(b.names) for b in self.levels)
        sparse = table.is_sparse or bool(self.words) or dummies > most_dense
        parts = [self.numbers.matrix(table)] if self.numbers.columns else []
        if self.terms:
            parts += [b.matrix(table, sparse) for b in self.levels]
        elif self.levels:  # at once: a sparse matrix for each of 300 columns takes 60 ms
            parts.append(level_matrix(self.levels, table, sparse))
        parts += [b.matrix(table) for b in self.words]
        if self.terms:
            parts += [self._term(t, parts) for t in self.terms]
        if len(parts) == 1:
            return parts[0] if (self.order[1:] > self.order[:-1]).all() else parts[0][:, self.order]
        order = np.concatenate([self.order, np.arange(len(self.order), len(self.names))])
        if any(sp.issparse(p) for p in parts):
            return sp.csr_array(sp.hstack([sp.csr_array(p) for p in parts], format="csr")[:, order])
        return _arranged(parts, order)

    def _refuse_terms(self) -> int:
        """Raise BadColumn for terms that cannot be computed or have too many columns; how long all names will be."""
        if not self.terms:
            return 0
        columns: dict[str, list[int]] = {}
        for block in self._blocks:
            for name, owner in zip(block.names, block.owners, strict=True):
                columns.setdefault(owner, [])
                if _is_of(name, owner, owner):
                    columns[owner].append(len(name))
        letters = 0
        for term in self.terms:
            operation, left, right = _parse(term, self.schema)
            if operation == "*":
                first, second = columns.get(left, []), columns.get(right, [])
                if len(first) * len(second) > _MAX_PRODUCTS:
                    raise BadColumn(f"terms: {term!r} would make {len(first) * len(second):,} columns. Leave it out.")
                letters += len(first) * sum(second) + len(second) * sum(first)
        return letters

    def _term_names(self, term: str) -> list[str]:
        operation, left, right = _parse(term, self.schema)
        if operation != "*":
            return [term]
        return [f"{a}*{b}" for a in self._names_of(left) for b in self._names_of(right)]

    def _names_of(self, column: str) -> list[str]:
        return [n for b in self._blocks for n, o in zip(b.names, b.owners, strict=True) if _is_of(n, o, column)]

    def _term(self, term: str, parts: Sequence[Any]) -> Any:
        operation, left, right = _parse(term, self.schema)
        first = self._columns_of(left, parts)
        if operation == "*":
            return _products(first, self._columns_of(right, parts))
        first = first.toarray() if sp.issparse(first) else first
        with np.errstate(all="ignore"):
            found = first ** int(operation[1:]) if operation[0] == "^" else FUNCTIONS[operation](first)
        wrong = ~np.isfinite(found)
        if wrong.any():
            row = int(wrong.argmax())
            raise BadColumn(
                f"{term!r} has no finite value where {left!r} is {first[row, 0]:g} (row {row + 1}). "
                "Leave the term out, or change the column first."
            )
        return found

    def _columns_of(self, column: str, parts: Sequence[Any]) -> Any:
        """The columns of the matrix that one column of the table became, without its flag of missing cells."""
        blocks = [b for b in self._blocks if b.names or b is not self.numbers]
        place, block = next((i, b) for i, b in enumerate(blocks) if column in (b.owners or [b.column]))
        wanted = [j for j, (n, o) in enumerate(zip(block.names, block.owners, strict=True)) if _is_of(n, o, column)]
        cells = parts[place][:, wanted]
        return cells if sp.issparse(cells) else np.asarray(cells, dtype=np.float64)

    def same_as(self, other: Design) -> bool:
        """Whether both make the same matrix of the same rows."""
        mine, theirs = self.numbers, other.numbers
        return (
            self.names == other.names
            and np.array_equal(mine.fill[mine.flagged], theirs.fill[theirs.flagged])
            and all(np.array_equal(a.place, b.place) for a, b in zip(self.levels, other.levels, strict=True))
        )

    def to_state(self) -> State:
        return {
            "numbers": self.numbers.to_state(), "levels": [b.to_state() for b in self.levels],
            "words": [b.to_state() for b in self.words], "terms": list(self.terms),
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Design:
        categorical, texts = schema.of_kind(*CATEGORICAL), schema.of_kind(Kind.TEXT)
        levels, words = state.children("levels"), state.children("words")
        if len(levels) != len(categorical) or len(words) != len(texts):
            raise BadFile(f"{state.where} does not fit the schema.")
        design = cls(
            schema,
            NumberBlock.from_state(state.child("numbers"), schema.numeric_names),
            tuple(LevelBlock.from_state(r, schema, n) for r, n in zip(levels, categorical, strict=True)),
            tuple(WordBlock.from_state(r, n) for r, n in zip(words, texts, strict=True)),
            state.texts("terms"),
        )
        state.derive("words", sum(len(b.words) * column_size(b.column) for b in design.words))
        try:
            state.derive("terms", design._refuse_terms())
        except BadColumn as error:
            raise BadFile(f"{state.where}.terms: {error}") from None
        if not all_distinct(design.names):
            raise BadFile(f"{state.where}: two terms have one name.")
        state.finish()
        return design


def _arranged(parts: Sequence[Any], order: NDArray[np.intp]) -> Floats:
    """The columns of the parts in this order, written once."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    whole, start = np.empty((len(parts[0]), len(order))), 0
    for part in parts:
        whole[:, place[start : start + part.shape[1]]] = part
        start += part.shape[1]
    return whole


def _is_of(name: str, owner: str, column: str) -> bool:
    return owner == column and name != flag_name(owner)


def _products(first: Any, second: Any) -> Any:
    """Every column of the first times every column of the second, (n_rows, n_first * n_second)."""
    if not sp.issparse(first) and not sp.issparse(second):
        return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)
    left, right = sp.csc_array(first), sp.csr_array(second)
    return sp.hstack([right.multiply(left[:, [j]]) for j in range(left.shape[1])], format="csr")


def _parse(term: str, schema: Schema) -> Term:
    """What a term is made of; names of columns may hold any sign, so both sides are looked up."""
    power = re.fullmatch(r"(.+)\^([2-9])", term)
    call = re.fullmatch(r"(\w+)\((.+)\)", term)
    if power and power[1] in schema:
        return f"^{power[2]}", _number(power[1], schema, term), ""
    if call and call[1] in FUNCTIONS and call[2] in schema:
        return call[1], _number(call[2], schema, term), ""
    for sign in re.finditer(r"\*", term):
        left, right = term[: sign.start()], term[sign.end() :]
        if left in schema and right in schema:
            return "*", left, right
    inside = call[2] if call else power[1] if power else term.partition("*")[0]
    raise BadColumn(
        f"terms: {term!r} is not 'a^2', 'a*b' or one of {', '.join(f'{f}(a)' for f in FUNCTIONS)} "
        f"of columns. {did_you_mean(inside, schema.names)}"
    )


def _number(name: str, schema: Schema, term: str) -> str:
    if schema[name].kind is not Kind.NUMERIC:
        raise BadColumn(f"terms: {term!r} needs a numeric column, but {name!r} is {schema[name].kind}.")
    return name

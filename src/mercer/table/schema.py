"""What the columns of a table are: their kinds, levels and the reason for each decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from mercer.errors import BadColumn, BadFile, did_you_mean
from mercer.state import Reader, State
from mercer.table.formats.notation import DATES, NOTATIONS


class Kind(StrEnum):
    """What the cells of a column mean."""

    NUMERIC = "numeric"
    BINARY = "binary"
    CATEGORY = "category"
    ORDINAL = "ordinal"
    TEXT = "text"

    @property
    def categorical(self) -> bool:
        """Whether cells are levels, held as integer codes."""
        return self in CATEGORICAL


CATEGORICAL = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)


class Cause(StrEnum):
    """Why a column is left out."""

    EMPTY = "empty"  # every cell is missing
    CONSTANT = "constant"
    IDENTIFIER = "identifier"  # numbers or names the rows
    UNREADABLE = "unreadable"  # cells that are neither numbers nor text
    REQUESTED = "requested"  # kinds={name: "skip"}
    MISSING = "missing"  # too many cells are missing
    UNIMPORTANT = "unimportant"  # not among the columns that were selected


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, kind, levels in order (categorical kinds) and how its cells are written in files."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    reason: str = ""
    format: str = ""  # how numbers are written, see mercer.table.formats.notation; '' is plain

    @property
    def is_date(self) -> bool:
        """Whether the numbers are days since 1970-01-01."""
        return self.format in DATES

    def to_state(self) -> State:
        return {
            "name": self.name, "kind": str(self.kind), "levels": list(self.levels),
            "reason": self.reason, "format": self.format,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Column:
        column = cls(
            state.text("name"), Kind(state.text("kind", tuple(Kind))), state.texts("levels"),
            state.text("reason"), state.text("format", ("", *NOTATIONS)),
        )  # fmt: skip
        state.finish()
        if len(set(column.levels)) != len(column.levels) or bool(column.levels) != column.kind.categorical:
            raise BadFile(f"{state.where}.levels do not fit a column of kind {column.kind}.")
        return column


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that learners do not see, and why."""

    name: str
    cause: Cause
    reason: str  # the cause in words, with the figures of this column


@dataclass(frozen=True)
class Schema:
    """The columns that learners see, in order, and those left out."""

    columns: tuple[Column, ...]
    left_out: tuple[LeftOut, ...] = field(default=())
    named: bool = True  # False: the table was an array, its columns are known by position alone

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def block_places(self) -> dict[str, int]:
        """Where each column stands among the columns of its sort: numbers, codes or texts."""
        blocks: dict[Kind, int] = {}
        places = {}
        for column in self.columns:
            block = Kind.CATEGORY if column.kind.categorical else column.kind
            places[column.name] = blocks[block] = blocks.get(block, -1) + 1
        return places

    @cached_property
    def numeric_names(self) -> tuple[str, ...]:
        return self.of_kind(Kind.NUMERIC)

    def position(self, name: str) -> int:
        """Where the column stands; a clear error when there is none of that name."""
        if name not in self._positions:
            for column in self.left_out:
                if column.name == name:
                    raise BadColumn(f"Column {name!r} was left out: {column.reason}. Give its kind to keep it.")
            raise BadColumn(f"There is no column {name!r}. {did_you_mean(name, self.names)}")
        return self._positions[name]

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """Names of the columns of these kinds, in order."""
        return tuple(c.name for c in self.columns if c.kind in kinds)

    def select(self, names: Sequence[str]) -> Schema:
        """The same schema with these columns only, in this order."""
        return replace(self, columns=tuple(self[n] for n in names))

    def to_state(self) -> State:
        left_out = [{"name": c.name, "cause": str(c.cause), "reason": c.reason} for c in self.left_out]
        return {"columns": [c.to_state() for c in self.columns], "left_out": left_out, "named": self.named}

    @classmethod
    def from_state(cls, state: Reader) -> Schema:
        columns = tuple(Column.from_state(c) for c in state.children("columns"))
        left_out = []
        for reader in state.children("left_out"):
            left_out.append(
                LeftOut(reader.text("name"), Cause(reader.text("cause", tuple(Cause))), reader.text("reason"))
            )
            reader.finish()
        schema = cls(columns, tuple(left_out), state.flag("named"))
        names = [*schema.names, *(c.name for c in left_out)]
        if not columns or len(set(names)) != len(names):
            raise BadFile(f"{state.where}: columns must have distinct names, and there must be one.")
        state.finish()
        return schema


@lru_cache(maxsize=8)
def matrix_schema(n_columns: int) -> Schema:
    """The schema of a plain array: x0, x1, ... all numeric."""
    columns = tuple(Column(f"x{j}", Kind.NUMERIC, reason="a column of an array") for j in range(n_columns))
    return Schema(columns, named=False)

"""What the columns of a table are: their kinds, levels and the reason for each decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any

from mercer.errors import BadColumn, BadFile, did_you_mean
from mercer.state import Reader, State
from mercer.table.array_columns import ArrayNames, Numbered, all_distinct, array_name
from mercer.table.formats.notation import DATES, FIRST, NOTATIONS, SECOND
from mercer.table.kinds.order import ORDERS
from mercer.table.kinds.parts import LEVELS, PARTS, SINCE, part_name


class Kind(StrEnum):
    """What the cells of a column mean.

    Examples
    --------
    >>> from mercer.table import Kind
    >>> Kind("ordinal").categorical
    True
    """

    NUMERIC = "numeric"
    BINARY = "binary"  # two levels
    CATEGORY = "category"  # levels without an order
    ORDINAL = "ordinal"  # levels in an order
    TEXT = "text"  # words to count

    @property
    def categorical(self) -> bool:
        """Whether cells are levels, held as integer codes."""
        return self in CATEGORICAL


FORMATS = ("", *NOTATIONS, *sorted(ORDERS))
_PARTS = (*PARTS, SINCE, FIRST, SECOND)
CATEGORICAL = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)


class Cause(StrEnum):
    """Why a column is left out.

    Examples
    --------
    >>> import mercer
    >>> schema = mercer.read_table({"age": [31, 45, 58], "planet": ["Earth"] * 3}).schema
    >>> schema.left_out[0].cause is mercer.table.Cause.CONSTANT
    True
    """

    EMPTY = "empty"  # every cell is missing
    CONSTANT = "constant"
    IDENTIFIER = "identifier"  # numbers or names the rows
    UNREADABLE = "unreadable"  # cells that are neither numbers nor text
    REQUESTED = "requested"  # kinds={name: "skip"}
    MISSING = "missing"  # too many cells are missing
    UNIMPORTANT = "unimportant"  # not among the columns that were selected


@dataclass(frozen=True, slots=True)
class Column:
    """One column that learners see.

    Parameters
    ----------
    name : str
        Its name, unique in its table.
    kind : Kind
        What its cells mean.
    levels : tuple of str, default ()
        Levels of a categorical column, in order; their places are the codes.
    reason : str, default ""
        Why it has this kind, in words.
    format : str, default ""
        How its numbers are written in files, a key of `mercer.table.formats.notation.NOTATIONS`, or the scale of
        words that its levels are on, one of `mercer.table.kinds.order.ORDERS`; "" for neither.
    origin : str, default ""
        The column that this one holds a part of, written in `format`; "" for a column of the input.
    part : str, default ""
        Which part of dates, such as "month" or "days since", or "first number", "second number"; "" for none.
    since : str, default ""
        The column of dates that days are counted from, where `part` is "days since".
    since_format : str, default ""
        How the dates of `since` are written.

    Examples
    --------
    >>> import mercer
    >>> mercer.read_table({"size": ["S", "L", "M"]}, kinds={"size": ["S", "M", "L"]}).schema["size"].levels
    ('S', 'M', 'L')
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    reason: str = ""
    format: str = ""
    origin: str = ""
    part: str = ""
    since: str = ""
    since_format: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.kind, Kind):  # its name, from a format that knows texts alone
            object.__setattr__(self, "kind", Kind(self.kind))

    def __reduce__(self) -> tuple[Any, ...]:
        made_from = (self.origin, self.part, self.since, self.since_format)
        return Column, (self.name, str(self.kind), self.levels, self.reason, self.format, *made_from)

    @property
    def is_main(self) -> bool:
        """Whether it is a column of the input, or the first of those that stand in the place of one."""
        return self.part in ("", FIRST)

    @property
    def is_date(self) -> bool:
        """Whether the numbers are days since 1970-01-01."""
        return self.format in DATES and not self.part

    @property
    def input_names(self) -> tuple[str, ...]:
        """The columns of the input that its cells are made from."""
        return (self.origin, self.since) if self.since else (self.origin or self.name,)

    def to_state(self) -> State:
        state: State = {
            "name": self.name, "kind": str(self.kind), "levels": list(self.levels),
            "reason": self.reason, "format": self.format,
        }  # fmt: skip
        if self.part:
            state |= {"origin": self.origin, "part": self.part}
        if self.since:
            state |= {"since": self.since, "since_format": self.since_format}
        return state

    @classmethod
    def from_state(cls, state: Reader) -> Column:
        origin, part = (state.text("origin"), state.text("part", _PARTS)) if state.has("part") else ("", "")
        since = (state.text("since"), state.text("since_format", FORMATS)) if part == SINCE else ("", "")
        column = cls(
            state.text("name"), Kind(state.text("kind", tuple(Kind))), state.texts("levels"),
            state.text("reason"), state.text("format", FORMATS), origin, part, *since,
        )  # fmt: skip
        state.finish()
        # A category whose cells were all missing has no levels.
        if len(set(column.levels)) != len(column.levels) or (column.levels and not column.kind.categorical):
            raise BadFile(f"{state.where}.levels do not fit a column of kind {column.kind}.")
        if part and column != replace(part_of(origin, part, column.format, *since), reason=column.reason):
            raise BadFile(f"{state.where} is not the {part} of {origin!r}.")
        return column


def part_of(origin: str, part: str, notation: str, since: str = "", since_notation: str = "") -> Column:
    """The column of a part of dates in a notation, of the days since those of another, or of one of two numbers."""
    apart, held = part == SINCE, (part,) if part in (FIRST, SECOND) else DATES
    if notation not in held or not origin or apart != (since_notation in DATES) or apart != bool(since):
        raise BadFile(f"{part!r} of {origin!r}: expected {'two columns' if apart else 'a column'} of dates.")
    kind = Kind.ORDINAL if LEVELS.get(part) else Kind.NUMERIC
    reason = f"days from {since!r} to {origin!r}" if apart else f"{part} of {origin!r}"
    name, levels = part_name(origin, part, since), LEVELS.get(part, ())
    return Column(name, kind, levels, reason, notation, origin, part, since, since_notation)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that learners do not see, and why.

    Parameters
    ----------
    name : str
        Its name.
    cause : Cause
        Why it is left out.
    reason : str
        The cause in words, with the figures of this column.

    Examples
    --------
    >>> import mercer
    >>> mercer.read_table({"age": [31, 45, 58], "planet": ["Earth"] * 3}).schema.left_out[0].reason
    "constant: every cell is 'Earth'"
    """

    name: str
    cause: Cause
    reason: str

    def __post_init__(self) -> None:
        if not isinstance(self.cause, Cause):
            object.__setattr__(self, "cause", Cause(self.cause))

    def __reduce__(self) -> tuple[Any, ...]:
        return LeftOut, (self.name, str(self.cause), self.reason)


@dataclass(frozen=True)
class Schema:
    """The columns that learners see, in order, and those left out.

    Parameters
    ----------
    columns : sequence of Column
        What learners see; `Numbered` for those of an array.
    left_out : tuple of LeftOut, default ()
        What they do not.
    named : bool, default True
        False if the table was an array, whose columns are known by position alone.

    Examples
    --------
    >>> import mercer
    >>> schema = mercer.read_table({"age": [31, 45, 58], "job": ["clerk", "sales", "clerk"]}).schema
    >>> schema.names, str(schema["job"].kind)
    (('age', 'job'), 'binary')
    """

    columns: Sequence[Column]
    left_out: tuple[LeftOut, ...] = field(default=())
    named: bool = True

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    @cached_property
    def names(self) -> Sequence[str]:
        """Names of the columns, in order."""
        return column_names(self.columns)

    @property
    def input_names(self) -> Sequence[str]:
        """Names of the columns of the input that these are made from, in order: a date stands for its parts."""
        if isinstance(self.names, ArrayNames):
            return self.names
        return tuple(dict.fromkeys(name for c in self.columns for name in c.input_names))

    def __contains__(self, name: object) -> bool:
        return name in (self.names if isinstance(self.names, ArrayNames) else self._positions)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def block_place(self, name: str) -> int:
        """Where a column stands in its block: numbers, codes or texts.

        Parameters
        ----------
        name : str
            Name of the column.

        Returns
        -------
        place : int
            Its place, from 0.
        """
        return self.position(name) if isinstance(self.names, ArrayNames) else self._block_places[name]

    @cached_property
    def _block_places(self) -> dict[str, int]:
        blocks: dict[Kind, int] = {}
        places = {}
        for column in self.columns:
            block = Kind.CATEGORY if column.kind.categorical else column.kind
            places[column.name] = blocks[block] = blocks.get(block, -1) + 1
        return places

    @cached_property
    def numeric_names(self) -> Sequence[str]:
        """Names of the numeric columns, in order."""
        return self.of_kind(Kind.NUMERIC)

    def position(self, name: str) -> int:
        """Where a column stands.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        position : int
            Counted from 0.

        Raises
        ------
        BadColumn
            If there is none of that name, or it was left out.
        """
        if name not in self:
            for column in self.left_out:
                if column.name == name:
                    raise BadColumn(f"Column {name!r} was left out: {column.reason}. Give its kind to keep it.")
            raise BadColumn(f"There is no column {name!r}. {did_you_mean(name, self.names)}")
        return self.names.index(name) if isinstance(self.names, ArrayNames) else self._positions[name]

    def of_kind(self, *kinds: Kind) -> Sequence[str]:
        """Names of the columns of some kinds.

        Parameters
        ----------
        *kinds : Kind
            The kinds.

        Returns
        -------
        names : sequence of str
            In order.
        """
        if isinstance(self.names, ArrayNames):
            return self.names if Kind.NUMERIC in kinds else ()
        return tuple(c.name for c in self.columns if c.kind in kinds)

    def select(self, names: Sequence[str]) -> Schema:
        """The same schema with some of the columns.

        Parameters
        ----------
        names : sequence of str
            The columns in the order wanted.

        Returns
        -------
        schema : Schema
            These columns only.
        """
        return self if names == self.names else replace(self, columns=tuple(self[n] for n in names))

    def to_state(self) -> State:
        left_out = [{"name": c.name, "cause": str(c.cause), "reason": c.reason} for c in self.left_out]
        if isinstance(self.names, ArrayNames):
            return {"array": len(self), "left_out": left_out, "named": self.named}
        return {"columns": [c.to_state() for c in self.columns], "left_out": left_out, "named": self.named}

    @classmethod
    def from_state(cls, state: Reader) -> Schema:
        columns: Sequence[Column]
        if state.has("array"):
            columns = array_columns(state.integer("array", 1, 1 << 40))
        else:
            columns = tuple(Column.from_state(c) for c in state.children("columns"))
        left_out = []
        for reader in state.children("left_out"):
            left_out.append(
                LeftOut(reader.text("name"), Cause(reader.text("cause", tuple(Cause))), reader.text("reason"))
            )
            reader.finish()
        schema = cls(columns, tuple(left_out), state.flag("named"))
        names = [*schema.names, *(c.name for c in left_out)] if left_out else schema.names
        if not columns or not all_distinct(names):
            raise BadFile(f"{state.where}: columns must have distinct names, and there must be one.")
        state.finish()
        return schema


def column_size(name: str) -> int:
    """Bytes of memory for a column made from the column `name`, which stands in its name and in its reason."""
    return 256 + 2 * len(name)


@lru_cache(maxsize=8)
def matrix_schema(n_columns: int) -> Schema:
    """The schema of a plain array: x0, x1, ... all numeric."""
    return Schema(array_columns(n_columns), named=False)


def array_columns(n_columns: int) -> Sequence[Column]:
    """The columns of a plain array."""
    return Numbered(n_columns, _array_column)


def _array_column(place: int) -> Column:
    return Column(array_name(place), Kind.NUMERIC, reason="a column of an array")


def representatives(columns: Sequence[Column]) -> Sequence[Column]:
    """Columns to check the kinds of: the first column of an array stands for all."""
    return columns[:1] if isinstance(columns, Numbered) else columns


def column_names(columns: Sequence[Column]) -> Sequence[str]:
    """Their names; those of an array are not made before they are asked for."""
    if isinstance(columns, Numbered) and columns.make is _array_column:
        return ArrayNames(len(columns))
    return tuple(c.name for c in columns)

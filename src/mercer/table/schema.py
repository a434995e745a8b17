"""What the columns of a table are: their kinds, levels and the reason for each decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from mercer.errors import BadColumn, did_you_mean


class Kind(StrEnum):
    """What the cells of a column mean."""

    NUMERIC = "numeric"
    BINARY = "binary"
    CATEGORY = "category"
    ORDINAL = "ordinal"
    TEXT = "text"

    @property
    def coded(self) -> bool:
        """Held as integer codes of named levels."""
        return self in (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, kind, levels in order (coded kinds) and how its cells are written in files."""

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    reason: str = ""
    format: str = ""  # how numbers are written, see mercer.table.notation; '' is plain


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that learners do not see, and why."""

    name: str
    reason: str


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


@lru_cache(maxsize=8)
def matrix_schema(n_columns: int) -> Schema:
    """The schema of a plain array: x0, x1, ... all numeric."""
    columns = tuple(Column(f"x{j}", Kind.NUMERIC, reason="a column of an array") for j in range(n_columns))
    return Schema(columns, named=False)

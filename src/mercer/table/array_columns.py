"""The columns of a plain array, x0, x1, ..., without an object for each: 2^20 of those would take 500 MB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Numbered(Sequence[T], Generic[T]):
    """make(0), make(1), ... make(size - 1), each made when it is asked for; equal to any sequence of the same items."""

    def __init__(self, size: int, make: Callable[[int], T]) -> None:
        self.size = size
        self.make = make

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return tuple(map(self.make, range(self.size)[place]))
        return self.make(range(self.size)[place])

    def __iter__(self) -> Iterator[T]:
        return map(self.make, range(self.size))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered) and other.make is self.make:
            return self.size == other.size
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return self.size == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self)) if self.size <= 20 else f"({self[0]!r}, {self[1]!r}, ..., {self[-1]!r})"


def array_name(place: int) -> str:
    """The name of a column of an array."""
    return f"x{place}"


class ArrayNames(Numbered[str]):
    """'x0', 'x1', ...: where a name stands is read from it."""

    def __init__(self, size: int) -> None:
        super().__init__(size, array_name)

    def place(self, name: object) -> int:
        """Where a name stands, -1 if it is none of them."""
        if not isinstance(name, str) or not name[1:].isdecimal() or len(name) > 20:
            return -1
        place = int(name[1:])
        return place if place < self.size and name == array_name(place) else -1

    def __contains__(self, name: object) -> bool:
        return self.place(name) >= 0

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Where a name stands; ValueError if it is none of them."""
        place = self.place(name)
        if place not in range(self.size)[start:stop]:
            raise ValueError(f"{name!r} is not in the names")
        return place


def all_distinct(names: Sequence[str]) -> bool:
    """Whether no name is there twice."""
    return isinstance(names, ArrayNames) or len(set(names)) == len(names)

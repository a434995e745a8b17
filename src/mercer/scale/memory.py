"""Chunks that a process keeps between the passes of one fit, within a budget: a table that fits is read once."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Protocol, TypeVar

BUDGET = 1 << 29  # bytes of a process; the chunks beyond it are read again in every pass


class Sized(Protocol):
    """Something that knows how much memory it takes."""

    @property
    def nbytes(self) -> int:
        """Bytes."""


Kept = TypeVar("Kept", bound=Sized)


class Memory:
    """What was made of the first chunks of a fit: the oldest stay, since every pass asks for all of them again."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._fit = ""
        self._kept: dict[int, Sized] = {}
        self._room = BUDGET

    def recall(self, fit: str, chunk: int, make: Callable[[], Kept | None]) -> Kept | None:
        """What `make` makes of the chunk at a place, at the first call or at every one; another fit starts anew."""
        with self._lock:
            if fit != self._fit:
                self._fit, self._kept, self._room = fit, {}, BUDGET
            found = self._kept.get(chunk)
        if found is not None:
            return found  # type: ignore[return-value]
        made = make()
        with self._lock:
            if made is not None and fit == self._fit and chunk not in self._kept and made.nbytes <= self._room:
                self._kept[chunk] = made
                self._room -= made.nbytes
        return made

    def forget(self) -> None:
        """Let everything go."""
        with self._lock:
            self._fit, self._kept, self._room = "", {}, BUDGET


MEMORY = Memory()


def forget() -> None:
    """Let go what this process keeps."""
    MEMORY.forget()

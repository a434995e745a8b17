"""What a process keeps of the chunks between the passes of one fit, within a budget: a table that fits is read once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Protocol, TypeVar

from mercer._core.memory import physical_memory

BUDGET = 1 << 29  # bytes of a process; the chunks beyond it are read again in every pass
SHARE = 0.1  # of its memory, if that is less: a Dask worker that fills 0.8 of its own is given no work


def worker_limit() -> int | None:
    """Bytes that the Dask worker may fill that this process is; None for another process, or for no limit."""
    try:
        limit: int | None = sys.modules["distributed"].get_worker().memory_manager.memory_limit
    except (KeyError, ValueError):  # Dask was not imported, or this is no worker
        return None
    return limit or None


def process_memory() -> int:
    """Bytes that this process may fill: the limit of a worker, or the memory of the machine."""
    return worker_limit() or physical_memory()


def most_kept(memory: float) -> float:
    """Bytes of chunks that a process with so much memory keeps."""
    return min(BUDGET, SHARE * memory)


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
        self._kept: dict[Hashable, Sized] = {}
        self._room = 0.0

    def recall(self, fit: str, key: Hashable, make: Callable[[], Kept | None]) -> Kept | None:
        """What `make` makes for a key (a chunk's place, or that and a name); another fit starts anew.

        It is made at the first call if there is room for it, and at every call if not.
        """
        with self._lock:
            if fit != self._fit:
                self._fit, self._kept, self._room = fit, {}, most_kept(process_memory())
            found = self._kept.get(key)
        if found is not None:
            return found  # type: ignore[return-value]
        made = make()
        with self._lock:
            if made is not None and fit == self._fit and key not in self._kept and made.nbytes <= self._room:
                self._kept[key] = made
                self._room -= made.nbytes
        return made

    def take(self, fit: str, key: Hashable) -> Any:
        """What is kept for a key, which is let go; None for nothing."""
        with self._lock:
            found = self._kept.pop(key, None) if fit == self._fit else None
            self._room += 0 if found is None else found.nbytes
        return found

    def forget(self) -> None:
        """Let everything go."""
        with self._lock:
            self._fit, self._kept, self._room = "", {}, 0.0


MEMORY = Memory()


def forget() -> None:
    """Let go what this process keeps."""
    MEMORY.forget()

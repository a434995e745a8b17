"""Bytes that a process holds: in memory within a budget, in temporary files beyond it.

The files have no name from the moment they are made, so that nothing is left of them however the process ends.
"""

from __future__ import annotations

import weakref
from tempfile import TemporaryFile
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.memory import physical_memory
from mercer.errors import MercerError
from mercer.formatting import byte_size
from mercer.scale.memory import worker_limit

SHARE = 0.3  # of the memory of the machine
WORKER_SHARE = 0.15  # of that of a Dask worker, which is given no work from 0.8 on: rows, a chunk, Python take the rest


class Room:
    """How many bytes this process holds."""

    def __init__(self) -> None:
        self._lock = RLock()  # what is collected while it is held gives back in the same thread
        self._held = 0

    def take(self, owner: Any, n_bytes: int, *, must: bool = False) -> bool:
        """Whether there is room for bytes, which the owner gives back when it is gone; `must` takes them anyway."""
        with self._lock:
            if not must and self._held + n_bytes > budget():
                return False
            self._held += n_bytes
        weakref.finalize(owner, self._give, n_bytes)
        return True

    def _give(self, n_bytes: int) -> None:
        with self._lock:
            self._held -= n_bytes


ROOM = Room()


def budget() -> int:
    """Bytes that this process may hold."""
    limit = worker_limit()
    return int(SHARE * physical_memory() if limit is None else WORKER_SHARE * limit)


class HeldBytes:
    """An array of bytes, in memory or in a file without a name."""

    def __init__(self, array: NDArray[np.uint8]) -> None:
        self._shape = array.shape
        self._array: NDArray[np.uint8] | None = array
        self._file: Any = None
        if not ROOM.take(self, array.nbytes):
            self._array, self._file = None, _written(array)
            weakref.finalize(self, self._file.close)

    def read(self) -> NDArray[np.uint8]:
        """The array."""
        if self._array is not None:
            return self._array
        out = np.empty(self._shape, dtype=np.uint8)
        self._file.seek(0)
        self._file.readinto(out.data)
        return out

    @property
    def in_memory(self) -> bool:
        """Whether it is not in a file."""
        return self._array is not None

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process decides anew where there is room."""
        return HeldBytes, (self.read(),)


def _written(array: NDArray[np.uint8]) -> Any:
    """A file that holds the array."""
    file = None
    try:
        file = TemporaryFile()  # noqa: SIM115 - it is closed, and gone, with its holder
        file.write(np.ascontiguousarray(array).data)
        file.flush()
    except OSError as error:
        if file is not None:
            file.close()
        raise MercerError(
            f"{byte_size(array.nbytes)} of bins did not go into a temporary file ({error}). Make room there, name "
            "another folder by the environment variable TMPDIR, or give the process more memory."
        ) from None
    return file

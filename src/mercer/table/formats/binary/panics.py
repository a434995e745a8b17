"""Compiled readers that give up: their panic as an error, without the text that they print first."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

_STDERR = 2
_REPORT = re.compile(
    rb"\n?thread '[^\n]*' (\(\d+\) )?panicked at .*?(note: (?:run with|Some details)[^\n]*\n|\Z)", re.DOTALL
)
_lock = threading.Lock()
_held: list[_Held] = []  # at most one, shared by the threads that read at the same time


class Panic(Exception):
    """A compiled reader gave up; its message."""


class _Held:
    """Standard error in a file, until the last of its readers is done."""

    def __init__(self) -> None:
        self.readers = 1
        self.panicked = False
        self.file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115
        self.stderr = os.dup(_STDERR)
        os.dup2(self.file.fileno(), _STDERR)

    def release(self) -> None:
        """Put standard error back, and print what was held but the reports of panics."""
        os.dup2(self.stderr, _STDERR)
        self.file.seek(0)
        text = self.file.read()
        self.file.close()
        with suppress(OSError), open(self.stderr, "wb") as stderr:
            stderr.write(_REPORT.sub(b"", text) if self.panicked else text)


@contextmanager
def panics_held() -> Iterator[None]:
    """Raise a panic inside as `Panic`; Rust prints a report of it to standard error, which is held back.

    Whatever else is written there meanwhile, by any thread, is printed at the end.
    """
    held = _hold()
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # each Rust library has a class of its own
            raise
        if held is not None:
            held.panicked = True
        raise Panic(_reason(str(error))) from None
    finally:
        if held is not None:
            _let_go(held)


def _reason(message: str) -> str:
    """The first panic of a chain: of a thread, of the one that waited for it, and so on."""
    _, waited, inside = message.rpartition("JoinError::Panic(")
    return re.split(r'\\*", ', inside.partition('"')[2])[0] if waited else message


def _hold() -> _Held | None:
    with _lock, suppress(OSError, ValueError, AttributeError):  # there may be no standard error
        sys.stderr.flush()
        if _held:
            _held[0].readers += 1
        else:
            _held.append(_Held())
        return _held[0]
    return None


def _let_go(held: _Held) -> None:
    with _lock:
        held.readers -= 1
        if held.readers == 0:
            _held.clear()
            with suppress(OSError, ValueError, AttributeError):
                sys.stderr.flush()
            held.release()

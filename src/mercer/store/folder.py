"""A folder of results written atomically: to a temporary folder, renamed when complete."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from mercer.atomic import beside, sync_folder, writing

_PROBE = b"\0" * (1 << 18)  # as much as a small report: a disk that cannot take this is full


@contextmanager
def staged_folder(out: Path, names: Sequence[str]) -> Iterator[Path]:
    """A folder to write the files `names` into; they move to `out` when the block ends well.

    A list of names may grow while the block runs.

    Whether `out` can be written is checked first, before any work. When the block fails or is interrupted,
    nothing is left of it, and files that were in `out` stay as they were.
    """
    with writing(out), _parents(out):
        _refuse_obstacles(out, names)
        stage = beside(out / "results") if out.is_dir() else beside(out)  # "." has no name to stand beside
        try:  # which Ctrl-C may end from the moment that the folder is there
            stage.mkdir()
            _probe(stage)
            yield stage
            _publish(stage, out, names)
        finally:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _parents(out: Path) -> Iterator[None]:
    """Make the folders above `out`, and remove them again on failure."""
    absent = [p for p in (*reversed(out.parents),) if not p.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for folder in reversed(absent):
            with suppress(OSError):
                folder.rmdir()
        raise


def _refuse_obstacles(out: Path, names: Sequence[str]) -> None:
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is a file", str(out))
    if out.is_dir() and not os.access(out, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "may not be written to", str(out))
    for name in names:
        if (out / name).is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory", str(out / name))


def _probe(stage: Path) -> None:
    probe = stage / "probe"
    with probe.open("wb") as file:
        file.write(_PROBE)
        file.flush()
        os.fsync(file.fileno())
    probe.unlink()


def _publish(stage: Path, out: Path, names: Sequence[str]) -> None:
    """One rename for a new folder; one for each file, with signals deferred, in an existing folder."""
    _refuse_obstacles(out, names)
    if not out.exists():
        stage.rename(out)
    else:
        with _deferred_signals():
            for name in names:
                (stage / name).replace(out / name)
    sync_folder(out)
    sync_folder(out.parent)


@contextmanager
def _deferred_signals() -> Iterator[None]:
    """Hold Ctrl-C, SIGTERM and SIGHUP back while a few renames run; the first is delivered right after them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    held = {n: handler for n, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in held:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
    if received:
        signal.raise_signal(received[0])

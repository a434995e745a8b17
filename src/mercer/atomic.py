"""Atomic writes: to a temporary file in the same folder, flushed to disk, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mercer.errors import BadOutput

_WHY = {
    errno.ENOSPC: "the disk is full. Free some space, or write elsewhere",
    errno.EDQUOT: "the disk quota is used up. Free some space, or write elsewhere",
    errno.EFBIG: "it would be larger than files may be here. Write elsewhere",
    errno.EROFS: "the disk is read-only. Write elsewhere",
    errno.EACCES: "the folder may not be written to. Write elsewhere, or change its permissions",
    errno.EPERM: "the folder may not be written to. Write elsewhere, or change its permissions",
    errno.ENOENT: "there is no such folder. Create it, or write elsewhere",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.EEXIST: "a part of the path is a file, not a folder",
    errno.EISDIR: "there is a folder of that name. Name a file",
    errno.ENAMETOOLONG: "the name is too long",
}


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of the operating system while writing `path` into a clear message."""
    try:
        yield
    except OSError as error:
        why = _WHY.get(error.errno or 0, error.strerror or str(error))
        raise BadOutput(f"{path} cannot be written: {why}.") from None


def beside(path: Path) -> Path:
    """A temporary name in the same folder: renaming within a folder is atomic."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")


def refuse_unwritable(path: Path) -> None:
    """Raise before any work if `path` cannot be written, as far as that can be known."""
    with writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory", str(path))
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "no such folder", str(path))
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "may not be written to", str(path))


def write_file(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write the pieces as the file `path`, replacing an existing one only once the new one is complete."""
    refuse_unwritable(path)
    with writing(path):
        part = beside(path)
        try:
            with part.open("xb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:  # Ctrl-C too: nothing is left behind
            with suppress(OSError):
                part.unlink()
            raise
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

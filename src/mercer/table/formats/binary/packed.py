"""Packed files: gzip, bzip2, xz and Zstandard streams, and zip archives of one file.

A few kilobytes can hold gigabytes of one letter. What a file unpacks to is bounded by `most_unpacked`: 256 MiB, or a
hundred times its packed size if that is more; tables pack to a third or a twentieth of their size.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

from mercer.errors import BadFile

_FREE, _TIMES = 256 << 20, 100
_XZ_MEMORY = 256 << 20  # of its dictionary: xz -9 asks for 65 MB
_DEEPEST = 3  # a gzip file in a zip archive is read, a chain of them is not
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_OFFICE = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")
SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zip")


def _zstandard() -> Any:
    for name in ("compression.zstd", "backports.zstd"):  # the former since Python 3.14
        try:
            return import_module(name).ZstdDecompressor()
        except ImportError:
            continue
    raise BadFile(
        "Zstandard files are unpacked by Python 3.14, or with: pip install backports.zstd. Or unpack it: zstd -d FILE."
    )


_STREAMS: dict[bytes, tuple[str, Callable[[], Any]]] = {
    b"\x1f\x8b": ("gzip", lambda: zlib.decompressobj(31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)),
    b"\x28\xb5\x2f\xfd": ("Zstandard", _zstandard),
}
MAGICS = (*_STREAMS, *_ZIP)


def most_unpacked(packed: int) -> int:
    """How many bytes a file of so many may unpack to."""
    return max(_FREE, _TIMES * packed)


def unpack(data: bytes, path: Path) -> tuple[bytes, str]:
    """The bytes inside a packed file, and the name that says their format: that of a zip archive's file, or the path.

    Anything else, a workbook included, is handed back as it is.
    """
    name, most = path.name, most_unpacked(len(data))
    for _ in range(_DEEPEST):
        stream = next((_STREAMS[magic] for magic in _STREAMS if data.startswith(magic)), None)
        if stream is not None:
            data, name = _unpack_stream(data, path, *stream, most), _bare(name)
        elif data.startswith(_ZIP) and not is_workbook(data):
            data, name = _unpack_zip(data, path, most)
        else:
            return data, name
    raise BadFile(f"{path} is packed several times over. Unpack it and name the table inside.")


def _bare(name: str) -> str:
    return next((name[: -len(s)] for s in SUFFIXES if name.lower().endswith(s)), name)


def _unpack_stream(data: bytes, path: Path, kind: str, start: Callable[[], Any], most: int) -> bytes:
    """Every part of a stream: such files may be put one behind the other."""
    parts: list[bytes] = []
    while data:
        one = start()
        try:
            parts.append(one.decompress(data, most + 1 - sum(map(len, parts))))
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
            raise BadFile(f"{path} is not a whole {kind} file: {error}.") from None
        if sum(map(len, parts)) > most:
            raise _too_large(path, most)
        if not one.eof:
            raise BadFile(f"{path} is not a whole {kind} file: its end is missing.")
        data = one.unused_data.lstrip(b"\0")  # padding of tapes
    return b"".join(parts)


def _unpack_zip(data: bytes, path: Path, most: int) -> tuple[bytes, str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _only_member(archive, path)
            with archive.open(member) as file:
                inside = file.read(most + 1)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        OSError,
        EOFError,
        ValueError,
        NotImplementedError,
    ) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{path} is not a whole zip archive: {error}.") from None
    if len(inside) > most:
        raise _too_large(path, most)
    return inside, PurePosixPath(member.filename).name


def _only_member(archive: zipfile.ZipFile, path: Path) -> zipfile.ZipInfo:
    """The one file of an archive, beside folders and what operating systems put there."""
    named = [m for m in archive.infolist() if m.filename]
    files = [m for m in named if not m.is_dir() and not _is_hidden(m.filename)]
    if not files:
        raise BadFile(f"{path} holds no file.")
    if len(files) > 1:
        names = ", ".join(repr(m.filename) for m in files[:8]) + (", ..." if len(files) > 8 else "")
        raise BadFile(f"{path} holds {len(files)} files: {names}. Unpack it and name one of them.")
    if files[0].flag_bits & 1:
        raise BadFile(f"{path} is protected by a password. Unpack it and name the file inside.")
    return files[0]


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(name).parts)


def is_workbook(data: bytes) -> bool:
    """Whether a zip archive is a workbook of Excel or LibreOffice."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name in _OFFICE for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
        return False


def refuse_large_members(data: bytes, path: Path) -> None:
    """Refuse a zip archive that unpacks to more than it may: counted, as an archive can state any size."""
    left = most = most_unpacked(len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    while part := file.read(1 << 20):
                        left -= len(part)
                        if left < 0:
                            raise _too_large(path, most)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, BadFile):
            raise
        raise BadFile(f"{path} is a broken workbook: {error}.") from None


def _too_large(path: Path, most: int) -> BadFile:
    return BadFile(
        f"{path} unpacks to more than {most >> 20:,} MiB, the most that a file of its size may. "
        "If you trust it, unpack it and name the file inside."
    )

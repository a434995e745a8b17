"""The bytes of a model file: header, manifest, arrays, checksum, and nothing else.

    8 bytes   the mark \\x89MERCER\\n
    4         format version            little-endian
    8, 8      length of manifest, length of arrays
    ...       manifest: JSON in UTF-8
    ...       arrays: safetensors
    32        SHA-256 of every byte before it

Lengths must add up to the size of the file, which is bounded before anything is read; the checksum is
compared before anything is parsed.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from mercer.errors import BadFile

SUFFIX = ".mercer"
FORMAT = 2
MAX_BYTES = 1 << 32  # 4 GiB
MAX_MANIFEST = 1 << 28  # 256 MiB of names, levels and words
_MARK = b"\x89MERCER\n"
_HEADER = struct.Struct("<8sIQQ")
_DIGEST = 32
_LOOKS_LIKE = {
    b"\x80": "a pickle, which mercer never opens",
    b"PK": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"PAR1": "a Parquet table",
    b"{": "JSON",
    b"svm_type": "a LIBSVM model",
}


def seal(manifest: bytes, arrays: bytes) -> Iterator[bytes]:
    """The pieces of a model file, in order."""
    pieces = (_HEADER.pack(_MARK, FORMAT, len(manifest), len(arrays)), manifest, arrays)
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    yield digest.digest()


def unseal(path: Path, limit: int = MAX_BYTES) -> tuple[bytes, memoryview]:
    """Manifest and arrays of the model file at `path`, after every check that needs no parsing."""
    if path.suffix.lower() != SUFFIX:
        raise BadFile(f"{path} is not named as a model: model files end in {SUFFIX}.")
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadFile(f"{path} is not a file. Name a model file such as model{SUFFIX}.")
        with path.open("rb") as file:
            return _contents(file, path, limit)
    except FileNotFoundError:
        raise BadFile(f"There is no model file {path}. `mercer train` writes one.") from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from None


def _contents(file: BinaryIO, path: Path, limit: int) -> tuple[bytes, memoryview]:
    size = os.fstat(file.fileno()).st_size
    if size > limit:
        raise BadFile(f"{path} has {size:,} bytes; the limit is {limit:,}. Raise the limit if you trust it.")
    n_manifest, n_arrays = _lengths(file.read(_HEADER.size), path)
    expected = _HEADER.size + n_manifest + n_arrays + _DIGEST
    if size != expected:
        state = "cut short" if size < expected else "followed by bytes that are not its own"
        raise BadFile(f"{path} is {state}: {size:,} bytes where {expected:,} are announced. Copy it again.")
    file.seek(0)
    data = memoryview(file.read(size))
    if hashlib.sha256(data[:-_DIGEST]).digest() != data[-_DIGEST:]:
        raise BadFile(f"{path} was altered or damaged: its checksum does not fit. Copy or train it again.")
    start = _HEADER.size + n_manifest
    return bytes(data[_HEADER.size : start]), data[start:-_DIGEST]


def _lengths(header: bytes, path: Path) -> tuple[int, int]:
    if not header.startswith(_MARK[: len(header)]) or not header:
        what = next((what for mark, what in _LOOKS_LIKE.items() if header.startswith(mark)), "something else")
        raise BadFile(f"{path} is not a mercer model: it {f'looks like {what}' if header else 'is empty'}.")
    if len(header) < _HEADER.size:
        raise BadFile(f"{path} is cut short: it ends inside its header. Copy it again.")
    _, version, n_manifest, n_arrays = _HEADER.unpack(header)
    if version != FORMAT:
        raise BadFile(f"{path} has format {version}; this mercer reads {FORMAT}. Update it, or train again.")
    if n_manifest > MAX_MANIFEST:
        raise BadFile(f"{path} announces a manifest of {n_manifest:,} bytes; the limit is {MAX_MANIFEST:,}.")
    return n_manifest, n_arrays

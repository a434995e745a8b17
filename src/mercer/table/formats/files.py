"""A file to the reader of its format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from mercer.errors import BadFile, did_you_mean
from mercer.table.formats.arff import read_arff
from mercer.table.formats.cells import expect_threads
from mercer.table.formats.delimited import read_delimited
from mercer.table.formats.dialect import Options
from mercer.table.formats.frames import from_frame
from mercer.table.formats.libsvm import looks_like_libsvm, read_libsvm
from mercer.table.formats.parquet import read_parquet
from mercer.table.formats.source import Source
from mercer.table.formats.text import end_lines, read_bytes

_PARQUET = b"PAR1"


def read_file(path: Path, options: Options) -> Source:
    """The cells of a file, read as its name, or else its first lines, say; BadFile if it cannot be read."""
    if "\0" in str(path):
        raise BadFile(f"{str(path)!r} cannot be the name of a file.")
    try:
        if path.is_dir():
            raise BadFile(f"{path} is a directory. Name a file inside it.")
        suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
        if suffix in ("parquet", "pq") and path.is_file():  # mapped into memory, not copied
            return _read_parquet(path, path)
        return _read(read_bytes(path), path, suffix, options)
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("[!.]*")) if path.parent.is_dir() else []
        raise BadFile(f"There is no file {path}. {did_you_mean(path.name, near) if near else ''}".rstrip()) from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise BadFile(f"{path} cannot be read: {error}.") from None


def _read(data: bytes, path: Path, suffix: str, options: Options) -> Source:
    if data.startswith(_PARQUET) or suffix in ("parquet", "pq"):
        return _read_parquet(data, path)
    if suffix == "arff":
        return read_arff(data, path)
    if suffix not in ("csv", "tsv") and looks_like_libsvm(lines := end_lines(data)):
        return read_libsvm(lines, path)
    return read_delimited(data, path, options)


def _read_parquet(file: Path | bytes, path: Path) -> Source:
    """Kinds are inferred as of every file, also those of numbers."""
    expect_threads(str(path))
    return replace(from_frame(read_parquet(file, path)), typed=frozenset())

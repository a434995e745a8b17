"""A file to the reader of its format."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from mercer.errors import BadFile, did_you_mean
from mercer.table.formats.arff import read_arff
from mercer.table.formats.delimited import read_delimited
from mercer.table.formats.frames import from_frame
from mercer.table.formats.libsvm import looks_like_libsvm, read_libsvm
from mercer.table.source import Source


def read_file(path: Path, separator: str | None, header: bool | None) -> Source:
    """The cells of a file, read as its name, or else its first lines, say; BadFile if it cannot be read."""
    if "\0" in str(path):
        raise BadFile(f"{str(path)!r} cannot be the name of a file.")
    try:
        if path.is_dir():
            raise BadFile(f"{path} is a directory. Name a file inside it.")
        suffix = path.name.lower().removesuffix(".gz").rpartition(".")[2]
        if suffix in ("parquet", "pq"):
            return from_frame(pl.read_parquet(path))
        if suffix == "arff":
            return read_arff(path)
        if suffix not in ("csv", "tsv") and looks_like_libsvm(path):
            return read_libsvm(path)
        return read_delimited(path, separator, header)
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("[!.]*")) if path.parent.is_dir() else []
        raise BadFile(f"There is no file {path}. {did_you_mean(path.name, near) if near else ''}".rstrip()) from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except pl.exceptions.PolarsError as error:
        raise BadFile(f"{path} cannot be read: {error}.") from None

"""A file to the reader of its format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from mercer.errors import BadFile, did_you_mean
from mercer.table.formats.arff import read_arff
from mercer.table.formats.binary.arrow import ARROW, read_arrow
from mercer.table.formats.binary.database import SQLITE, is_address, read_address, read_sqlite
from mercer.table.formats.binary.excel import OLE, read_excel
from mercer.table.formats.binary.excel import SUFFIXES as WORKBOOKS
from mercer.table.formats.binary.packed import MAGICS, is_workbook, unpack
from mercer.table.formats.binary.panics import Panic, panics_held
from mercer.table.formats.binary.parquet import PARQUET, read_parquet
from mercer.table.formats.cells import expect_threads
from mercer.table.formats.delimited import read_delimited
from mercer.table.formats.dialect import Options
from mercer.table.formats.frames import from_frame
from mercer.table.formats.libsvm import looks_like_libsvm, read_libsvm
from mercer.table.formats.records import looks_like_json, read_json
from mercer.table.formats.source import Source
from mercer.table.formats.text import end_lines, is_text, read_bytes, refuse_endless, refuse_markup

_FRAMES = {"parquet": read_parquet, "pq": read_parquet, "feather": read_arrow, "arrow": read_arrow, "ipc": read_arrow}
_LINES = ("jsonl", "ndjson")
_TEXTS = ("csv", "tsv")
_DATABASES = ("sqlite", "sqlite3")  # a file .db may be anything
_BINARY = (*MAGICS, PARQUET, ARROW, OLE, SQLITE)
_JSON = (b"[", b"{")  # may be on one line


def read_file(source: str | Path, options: Options) -> Source:
    """The cells of a file, read as its name, or else its first bytes, say, or of a database at an address.

    BadFile if it cannot be read.
    """
    if is_address(source):
        return read_address(str(source), options)
    path = Path(source)
    if "\0" in str(path):
        raise BadFile(f"{str(path)!r} cannot be the name of a file.")
    try:
        if path.is_dir():
            raise BadFile(f"{path} is a directory. Name a file inside it.")
        if path.is_file() and _is_database(path, options):
            return read_sqlite(path, options)
        suffix = _suffix(path.name)
        if suffix in _FRAMES and path.is_file():  # mapped into memory, not copied
            return _read_frame(path, path, suffix)
        data, name = unpack(read_bytes(path, _BINARY, _JSON), path)
        suffix = _suffix(name)
        refuse_markup(data, path)
        if data.startswith(OLE) or is_workbook(data) or (suffix in WORKBOOKS and not _is_text_table(data, suffix)):
            return _read_workbook(data, path, options)
        if options.sheet is not None:
            raise BadFile(f"{path} is no workbook, so it has no sheet {options.sheet!r}.")
        return _read(data, path, suffix, options)
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.glob("[!.]*") if p.is_file()) if path.parent.is_dir() else []
        if path.name == "-":
            raise BadFile("There is no file -. To read the standard input, give /dev/stdin.") from None
        raise BadFile(f"There is no file {path}. {did_you_mean(path.name, near) if near else ''}".rstrip()) from None
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror or error}.") from None
    except pl.exceptions.PolarsError as error:
        raise BadFile(f"{path} cannot be read: {error}.") from None
    except Panic as error:
        raise BadFile(f"{path} cannot be read: it is damaged ({error}). Write or download it again.") from None


def _is_database(path: Path, options: Options) -> bool:
    with path.open("rb") as file:
        start = file.read(len(SQLITE))
    if start == SQLITE:
        return True
    if _suffix(path.name) in _DATABASES or (options.query or options.table_name) is not None:
        raise BadFile(f"{path} is no SQLite database" + (", or it is encrypted." if start else ": it is empty."))
    return False


def _is_text_table(data: bytes, suffix: str) -> bool:
    """Whether there are lines of text under the name of a workbook, as SAP and others export them."""
    return suffix == "xls" and is_text(data) and any(end in data for end in (b"\n", b"\r"))


def _read_workbook(data: bytes, path: Path, options: Options) -> Source:
    expect_threads(str(path))
    if not data.strip():
        raise BadFile(f"{path} is empty.")
    with panics_held():
        return read_excel(data, path, options)


def _suffix(name: str) -> str:
    return name.lower().rpartition(".")[2]


def _read(data: bytes, path: Path, suffix: str, options: Options) -> Source:
    if data.startswith((PARQUET, ARROW)) or suffix in _FRAMES:
        return _read_frame(data, path, "arrow" if data.startswith(ARROW) else suffix)
    if suffix == "arff":
        return read_arff(data, path)
    if suffix in (*_LINES, "json") or (suffix not in _TEXTS and looks_like_json(data)):
        return read_json(data, path, lines=suffix in _LINES)
    refuse_endless(data, path)
    if suffix not in _TEXTS and looks_like_libsvm(lines := end_lines(data)):
        return read_libsvm(lines, path)
    return read_delimited(data, path, options)


def _read_frame(file: Path | bytes, path: Path, suffix: str) -> Source:
    """Kinds are inferred as of every file, also those of numbers."""
    expect_threads(str(path))
    with panics_held():
        frame = _FRAMES.get(suffix, read_parquet)(file, path)
    return replace(from_frame(frame), typed=frozenset())

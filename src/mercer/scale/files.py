"""Files in parts that fit in memory: rows of Parquet, lines of delimited text, every other file as a whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import polars as pl

from mercer.errors import BadFile, NoRows
from mercer.table.formats.binary.panics import Panic, panics_held
from mercer.table.formats.binary.parquet import read_parquet
from mercer.table.formats.cells import expect_threads
from mercer.table.formats.delimited import read_delimited, sample_lines
from mercer.table.formats.dialect import Dialect, Options, parse, sniff, whole_header
from mercer.table.formats.files import read_file
from mercer.table.formats.frames import from_frame
from mercer.table.formats.source import Source

PARQUET, _TEXTS = (".parquet", ".pq"), (".csv", ".tsv")
CUT = PARQUET + _TEXTS  # files that are read in parts
_HEAD = 1 << 18
_BLOCK = 1 << 24  # bytes looked at at a time for the end of a line


@dataclass(frozen=True)
class FilePart:
    """Some of the rows of a file; `span` is (0, 0) for all, rows from and to of Parquet, bytes of delimited text."""

    path: Path
    place: str  # which part, in words
    stamp: tuple[int, int]  # size, and time of the last change in ns
    span: tuple[int, int] = (0, 0)
    header: bytes = b""
    separator: str | None = None

    @property
    def name(self) -> str:
        """The file and the part, as errors name them."""
        return f"{self.path}, {self.place}" if self.place else str(self.path)

    def read(self, options: Options) -> Source:
        """The cells, as `read_file` reads a whole file; of a file that has a header alone, none."""
        try:
            return self._read(options)
        except NoRows:
            return Source({})

    def _read(self, options: Options) -> Source:
        if _stamp(self.path) != self.stamp:
            raise BadFile(
                f"{self.path} has changed since it was first read. Wait until nobody writes to it, and start again."
            )
        if self.span == (0, 0):
            return read_file(self.path, options)
        if self.separator is not None:
            options = replace(options, separator=self.separator, header=bool(self.header))
            with self.path.open("rb") as file:
                file.seek(self.span[0])
                return read_delimited(self.header + file.read(self.span[1] - self.span[0]), self.path, options)
        expect_threads(str(self.path))
        try:
            with panics_held():
                frame = read_parquet(self.path, self.path, self.span)
        except (pl.exceptions.PolarsError, Panic, OSError) as error:
            raise BadFile(f"{self.path} cannot be read: {error}") from None
        return replace(from_frame(frame), typed=frozenset())


def file_parts(path: Path, options: Options, cells: int) -> list[FilePart]:
    """The parts of a file, of about so many cells each."""
    if not path.is_file():
        raise BadFile(f"There is no file {path}.")
    whole = FilePart(path, "", _stamp(path))
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _row_parts(whole, cells)
    return _line_parts(whole, options, cells) if suffix in _TEXTS else [whole]


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}.") from None
    return found.st_size, found.st_mtime_ns


def _row_parts(whole: FilePart, cells: int) -> list[FilePart]:
    try:
        with panics_held():
            frame = pl.scan_parquet(whole.path)
            n_columns = len(frame.collect_schema())
            n_rows = int(frame.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, Panic, OSError) as error:
        raise BadFile(f"{whole.path} cannot be read: {error}. Write the file again, or leave it out.") from None
    step = max(1, cells // max(n_columns, 1))
    spans = [(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]
    if len(spans) < 2:
        return [whole]
    return [replace(whole, place=f"rows {a + 1:,} to {b:,}", span=(a, b)) for a, b in spans]


def _line_parts(whole: FilePart, options: Options, cells: int) -> list[FilePart]:
    """Cut at ends of lines outside quotes; a file in another encoding than UTF-8, or with a title, stays whole."""
    with whole.path.open("rb") as file:
        head = file.read(_HEAD)
    if whole.stamp[0] <= _HEAD or head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head:
        return [whole]
    dialect = sniff(sample_lines(head), options)
    lines = head.count(b"\n")
    if dialect.above or dialect.separator == " " or dialect.quote == "'" or not lines:
        return [whole]
    if dialect.header and whole_header(list(parse(sample_lines(head), dialect)), options) is not None:
        return [whole]
    columns = head[: head.index(b"\n")].count(dialect.separator.encode()) + 1
    spans, header = _line_spans(whole.path, dialect, cells * len(head) // (lines * columns))
    return [
        replace(whole, place=f"part {k} of {len(spans)}", span=span, header=header, separator=dialect.separator)
        for k, span in enumerate(spans, 1)
    ]


def _line_spans(path: Path, dialect: Dialect, size: int) -> tuple[list[tuple[int, int]], bytes]:
    """Bytes from and to of parts of about this size, and the line that names the columns."""
    quote = (dialect.quote or "").encode()
    cuts, header = [0], b""
    place = quotes = 0
    with path.open("rb") as file:
        if dialect.header:
            header = file.readline()
            cuts, place = [len(header)], len(header)
        while block := file.read(min(_BLOCK, max(size, 1))):
            end = _last_line_end(block, quote, quotes)
            if end and place + end - cuts[-1] >= size:
                cuts.append(place + end)
            quotes = (quotes + block.count(quote)) % 2 if quote else 0
            place += len(block)
    if place > cuts[-1]:
        cuts.append(place)
    return list(pairwise(cuts)), header


def _last_line_end(block: bytes, quote: bytes, quotes: int) -> int:
    """The byte behind the last line end of a block that is outside quotes; 0 for none."""
    end = len(block)
    odd = (quotes + block.count(quote)) % 2 if quote else 0
    while (found := block.rfind(b"\n", 0, end)) >= 0:
        odd = (odd - block.count(quote, found, end)) % 2 if quote else 0
        if not odd:
            return found + 1
        end = found
    return 0

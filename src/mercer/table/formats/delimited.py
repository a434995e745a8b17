"""CSV, TSV and the like: every cell as polars reads it, a line of another length refused by its number."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import polars as pl

from mercer.errors import BadFile
from mercer.table.formats.dialect import Dialect, parse, reader, sniff
from mercer.table.formats.text import decode, read_bytes
from mercer.table.source import Source, unique_names

_MARKERS = ["", "NA", "?"]
_MARKER_CELL = re.compile(rb"(?<![A-Za-z0-9])(NA|\?)(?![A-Za-z0-9])")
_SAMPLE = 1 << 18
_SAMPLE_LINES = 20  # at least, however long they are
_LEADING_ZERO = re.compile(r"\s*0\d+\s*")


def read_delimited(path: Path, separator: str | None = None, header: bool | None = None) -> Source:
    """Every column of the file, as numbers where polars reads them so and as text otherwise."""
    data = decode(read_bytes(path), path)
    if not data[:_SAMPLE].strip() and not data.strip():
        raise BadFile(f"{path} is empty: there is no header and no row to read.")
    sample = _sample_lines(data)
    dialect = sniff(sample, separator, header)
    if dialect.separator == " ":  # columns lined up with runs of blanks
        data = re.sub(rb"[ \t]+(\r?\n|$)", rb"\1", re.sub(rb"[ \t]+", b" ", data))
        sample = _sample_lines(data)
    rows = list(parse(sample, dialect))
    source = Source({})
    names = (
        unique_names(rows[0], source.notices) if dialect.header else [f"column_{i + 1}" for i in range(len(rows[0]))]
    )
    if dialect.header and len(rows) == 1:
        raise BadFile(f"{path} has a header ({len(names)} columns) but no rows.")
    as_text = _leading_zero_columns(rows[dialect.header :], names)
    frame = _read(data, dialect, names, as_text, path)
    if _has_blank_rows(frame) and len(plain := _without_blank_lines(data, dialect.separator)) < len(data):
        data, frame = plain, _read(plain, dialect, names, as_text, path)  # polars makes a row of a blank line
    _refuse_ragged(data, dialect, frame, path)
    source.columns = {name: frame[name] for name in names}
    return source


def _without_blank_lines(data: bytes, separator: str) -> bytes:
    """The same lines without those that hold nothing; line ends inside quotes are cells and stay."""
    pattern = rb"\n( *\r?\n)+" if separator == "\t" else rb"\n([ \t]*\r?\n)+"
    if b'"' in data:
        pattern = rb'"[^"]*"|' + pattern
    plain = data.strip(b"\r\n") + b"\n"
    return re.sub(pattern, lambda found: found[0] if found[0].startswith(b'"') else b"\n", plain)


def _sample_lines(data: bytes) -> list[str]:
    size = _SAMPLE
    for _ in range(_SAMPLE_LINES if data[:size].count(b"\n") < _SAMPLE_LINES else 0):
        size = max(_SAMPLE, data.find(b"\n", size) + 1 or len(data))
    text = data[:size].decode("utf-8", errors="replace")
    lines = text.splitlines(keepends=True)
    return lines[:-1] if len(data) > size and len(lines) > 1 and not text.endswith("\n") else lines


def _leading_zero_columns(rows: list[list[str]], names: list[str]) -> list[str]:
    """Columns whose whole numbers start with a zero (0526, 02134): names that must not lose it."""
    found = []
    for j, name in enumerate(names):
        cells = [row[j] for row in rows[:200] if len(row) > j]
        if any(_LEADING_ZERO.fullmatch(c) for c in cells):
            found.append(name)
    return found


def _read(data: bytes, dialect: Dialect, names: list[str], as_text: list[str], path: Path) -> pl.DataFrame:
    # Types are read off the first rows, and off the whole file when they do not hold. Comparing every cell with the
    # markers took a fifth of the time on covtype, so it is left away when the first rows show none: text is looked at
    # later anyway, and a marker among numbers fails this attempt.
    quick = None if _MARKER_CELL.search(data[:_SAMPLE]) is None else _MARKERS
    for guess, markers in ((1000, quick), (None, _MARKERS)):
        try:
            return pl.read_csv(
                data, separator=dialect.separator, quote_char=dialect.quote,
                has_header=False, skip_rows=int(dialect.header), new_columns=names,
                null_values=markers, infer_schema_length=guess,
                schema_overrides=dict.fromkeys(as_text, pl.String),
            )  # fmt: skip
        except pl.exceptions.PolarsError as error:
            failure = error
    _name_ragged_line(data, dialect, path)
    raise BadFile(f"{path} cannot be read as a table separated by {dialect.separator!r}: {failure}")


def _has_blank_rows(frame: pl.DataFrame) -> bool:
    first, last = frame.to_series(0), frame.to_series(frame.width - 1)
    if not last.null_count():
        return False
    blank = first.str.strip_chars() == "" if first.dtype == pl.String else first.is_null()
    return bool((blank.fill_null(True) & last.is_null()).any())


def _refuse_ragged(data: bytes, dialect: Dialect, frame: pl.DataFrame, path: Path) -> None:
    """polars fills short lines with nulls; a null in the last column may be one, so such files are counted."""
    if frame.height == 0:
        raise BadFile(f"{path} has a header ({frame.width} columns) but no rows.")
    if dialect.quote is not None and data.count(dialect.quote.encode()) % 2:
        _refuse_unclosed(data, dialect, path)
    if frame.to_series(frame.width - 1).null_count() == 0:
        return
    cells = data.count(dialect.separator.encode())
    lines = frame.height + dialect.header
    if dialect.quote is not None or cells != lines * (frame.width - 1):
        _name_ragged_line(data, dialect, path)


def _refuse_unclosed(data: bytes, dialect: Dialect, path: Path) -> None:
    rows = reader(io.StringIO(data.decode(), newline=""), dialect, strict=True)
    start = 1
    try:
        for _ in rows:
            start = rows.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            raise BadFile(f"{path}, line {start}: a quote ({dialect.quote}) is opened and never closed.") from None


def _name_ragged_line(data: bytes, dialect: Dialect, path: Path) -> None:
    text = io.StringIO(data.decode("utf-8", errors="replace"), newline="")
    rows = reader(text, dialect)
    width = None
    for row in rows:
        width = len(row) if width is None else width
        if row and len(row) != width:
            raise BadFile(
                f"{path}, line {rows.line_num}: {len(row)} cells where the first line has {width} "
                f"(separator {dialect.separator!r}). Correct the line, or name another separator."
            )

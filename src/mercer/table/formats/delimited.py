"""CSV, TSV and the like: every cell as polars reads it, a line of another length refused by its number."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from mercer.errors import BadFile, NoRows
from mercer.table.formats.cells import LONG, expect_threads, unique
from mercer.table.formats.dates import may_be_dates
from mercer.table.formats.dialect import Dialect, Options, has_figures, parse, reader, sniff, whole_header
from mercer.table.formats.notation import DATES, DECIMAL_COMMA, may_be_thousands, recognise
from mercer.table.formats.preamble import (
    commonest_width,
    notice_above,
    notice_again,
    notice_below,
    notice_between,
    rows_below,
    tail_lines,
    take_separator_line,
)
from mercer.table.formats.source import Source, unique_names
from mercer.table.formats.text import decode

_MARKERS = ["", "NA", "?"]
_MARKER_CELL = re.compile(rb"(?<![A-Za-z0-9])(NA|\?)(?![A-Za-z0-9])")
_SAMPLE = 1 << 18
_SAMPLE_LINES = 20  # at least, however long they are
_CHUNK = 1 << 18
_LEADING_ZERO = re.compile(r"\s*0\d+\s*")


def read_delimited(data: bytes, path: Path, options: Options) -> Source:
    """Every column of the file, as numbers where polars reads them so and as text otherwise."""
    data = decode(data, path)
    if not data[:_SAMPLE].strip() and not data.strip():
        raise BadFile(f"{path} is empty: there is no header and no row to read.")
    source = Source({})
    data, named = take_separator_line(data)
    options = replace(options, separator=options.separator or named)
    dialect = sniff(sample_lines(data), options)
    data = _below(data, dialect, source, path)
    dialect = replace(dialect, above=dialect.above + (named is not None))
    sample = sample_lines(data)
    if dialect.separator == " ":  # columns lined up with runs of blanks
        data = re.sub(rb"[ \t]+(\r?\n|$)", rb"\1", re.sub(rb"[ \t]+", b" ", data))
        sample = sample_lines(data)
    data = _without_headers(_without_footer(data, dialect, source, path), dialect, source, path)
    rows = list(parse(sample, dialect))
    if not rows:
        raise BadFile(f"{path} is empty: there is no header and no row to read.")
    if dialect.header and (found := whole_header(rows, options)) is not None:
        data = _with_header(data, dialect, *found, source, path)
        rows = [found[0], *rows[found[1] :]]
        dialect = replace(dialect, above=dialect.above + found[1] - 1)
    names = (
        unique_names(rows[0], source.notices) if dialect.header else [f"column_{i + 1}" for i in range(len(rows[0]))]
    )
    if dialect.header and len(rows) == 1:
        raise NoRows(f"{path} has a header ({len(names)} columns) but no rows.")
    if options.names:
        as_text = [name for name in names if name not in options.numbers]
    else:
        as_text = _leading_zero_columns(rows[dialect.header :], names)
    frame = _read(data, dialect, names, as_text, path)
    if _has_blank_rows(frame) and len(plain := _without_blank_lines(data, dialect.separator)) < len(data):
        data, frame = plain, _read(plain, dialect, names, as_text, path)  # polars makes a row of a blank line
    _refuse_ragged(data, dialect, frame, path)
    if not options.names:
        codes = _late_leading_zeros(data, dialect, frame, path) + _thousands(data, dialect, frame, path)
        frame = _read(data, dialect, names, [*as_text, *codes], path) if codes else frame
    source.columns = {name: _readable(frame[name], name in options.numbers) for name in names}
    return source


def _below(data: bytes, dialect: Dialect, source: Source, path: Path) -> bytes:
    """The text without the lines above its header, which a notice tells; comments further down become blank lines."""
    if not dialect.above:
        return data
    lines = sample_lines(data)[: dialect.above]  # cut as they were counted, also at a lone carriage return
    above = list(parse(lines, dialect))
    source.notices.append(notice_above(above, str(path), len(above)))
    rest = data[len("".join(lines).encode()) :]
    if not dialect.comments or b"\n#" not in rest:
        return rest
    width = commonest_width(list(islice(parse(sample_lines(rest), dialect), 200)))
    separator = dialect.separator.encode()
    pattern = rb'"[^"]*"|^#[^\n]*' if dialect.quote == '"' else rb"^#[^\n]*"

    def kept(found: re.Match[bytes]) -> bytes:
        is_cell = found[0].startswith(b'"') or found[0].count(separator) == width - 1
        return found[0] if is_cell else b""

    return re.sub(pattern, kept, rest, flags=re.MULTILINE)


def _without_footer(data: bytes, dialect: Dialect, source: Source, path: Path) -> bytes:
    """The text without what stands below its table, which a notice tells."""
    width = commonest_width(list(islice(parse(sample_lines(data), dialect), 200)))
    if width < 2 or dialect.separator == " " or _is_unclosed(data, dialect):
        return data
    lines = tail_lines(data)
    below = rows_below(lines, width, lambda line: next(parse([line], dialect), []))
    if not below:
        return data
    source.notices.append(notice_below([row for row in parse(lines[-below:], dialect) if any(row)], str(path)))
    return data[: len(data) - len("\n".join(lines[-below:]).encode())]


def _without_headers(data: bytes, dialect: Dialect, source: Source, path: Path) -> bytes:
    """The text without its header where that stands among the rows again, which a notice tells."""
    end = data.find(b"\n") + 1
    head = data[:end]
    if not dialect.header or dialect.separator.encode() not in head or data.find(b"\n" + head, end - 1) < 0:
        return data
    if has_figures(next(parse([head.decode()], dialect), [])):
        return data
    rest = data[end - 1 :].replace(b"\n" + head, b"\n")
    source.notices.append(notice_again((len(data) - end + 1 - len(rest)) // end, str(path)))
    return head + rest[1:]


def _with_header(data: bytes, dialect: Dialect, names: list[str], lines: int, source: Source, path: Path) -> bytes:
    """The text with a header of these names in place of its first rows, which a notice tells."""
    text = sample_lines(data)
    rows = reader(text, dialect)
    found: list[list[str]] = []
    while len(found) < lines:
        found += [row] if (row := next(rows)) else []
    if lines > 1:
        source.notices.append(notice_between(found, names, str(path)))
    elif not names[0]:
        source.notices.append(f"{path}: the header has one name less than there are columns: the first has row names.")
    header = io.StringIO()
    csv.writer(header, delimiter=dialect.separator, quotechar=dialect.quote or '"', lineterminator="\n").writerow(names)
    return header.getvalue().encode() + data[len("".join(text[: rows.line_num]).encode()) :]


def _without_blank_lines(data: bytes, separator: str) -> bytes:
    """The same lines without those that hold nothing; line ends inside quotes are cells and stay."""
    pattern = rb"\n( *\r?\n)+" if separator == "\t" else rb"\n([ \t]*\r?\n)+"
    if b'"' in data:
        pattern = rb'"[^"]*"|' + pattern
    plain = data.strip(b"\r\n") + b"\n"
    return re.sub(pattern, lambda found: found[0] if found[0].startswith(b'"') else b"\n", plain)


def sample_lines(data: bytes) -> list[str]:
    """The first lines of a text, whole ones."""
    size = _SAMPLE
    for _ in range(_SAMPLE_LINES if data[:size].count(b"\n") < _SAMPLE_LINES else 0):
        size = max(_SAMPLE, data.find(b"\n", size) + 1 or len(data))
    text = data[:size].decode("utf-8", errors="replace")
    lines = list(io.StringIO(text, newline=""))  # str.splitlines would also cut at U+2028
    return lines[:-1] if len(data) > size and len(lines) > 1 and not text.endswith("\n") else lines


def _leading_zero_columns(rows: list[list[str]], names: list[str]) -> list[str]:
    """Columns whose whole numbers start with a zero (0526, 02134): names that must not lose it."""
    found = []
    for j, name in enumerate(names):
        cells = [row[j] for row in rows[:200] if len(row) > j]
        if any(_LEADING_ZERO.fullmatch(c) for c in cells):
            found.append(name)
    return found


def _late_leading_zeros(data: bytes, dialect: Dialect, frame: pl.DataFrame, path: Path) -> list[str]:
    """Columns read as whole numbers though a cell below the first lines starts with a zero."""
    whole = [name for name in frame.columns if frame[name].dtype.is_integer()]
    if not whole or not _has_leading_zeros(data, dialect):
        return []
    cells = _read(data, dialect, frame.columns, whole, path)
    return [name for name in whole if cells[name].str.contains(f"^{_LEADING_ZERO.pattern}$").any()]


def _thousands(data: bytes, dialect: Dialect, frame: pl.DataFrame, path: Path) -> list[str]:
    """Columns read as decimals though points set thousands apart in them, as in 932 and 1.130."""
    asked = [name for name in frame.columns if frame[name].dtype == pl.Float64 and may_be_thousands(frame[name])]
    cells = _read(data, dialect, frame.columns, asked, path) if asked else frame
    return [name for name in asked if recognise(unique(cells[name].str.strip_chars())) == DECIMAL_COMMA]


def _has_leading_zeros(data: bytes, dialect: Dialect) -> bool:
    """Whether a zero and another digit follow a separator, a quote or the end of a line anywhere."""
    starts = np.zeros(256, dtype=bool)
    starts[[*f"{dialect.separator}{dialect.quote or ''}\n".encode()]] = True
    cells = np.frombuffer(data, dtype=np.uint8)
    for start in range(0, len(cells) - 2, _CHUNK):  # in pieces that stay in the cache
        part = cells[start : start + _CHUNK + 2]
        found = np.flatnonzero((part[1:-1] == ord("0")) & (part[2:] - ord("0") < 10))
        if starts[part[found]].any():
            return True
    return False


def _read(data: bytes, dialect: Dialect, names: list[str], as_text: list[str], path: Path) -> pl.DataFrame:
    # Types are read off the first rows, and off the whole file when they do not hold. Comparing every cell with the
    # markers took a fifth of the time on covtype, so it is left away when the first rows show none: text is looked at
    # later anyway, and a marker among numbers fails this attempt.
    quick = None if _MARKER_CELL.search(data[:_SAMPLE]) is None else _MARKERS
    expect_threads(str(path))
    texts = dict.fromkeys(as_text, pl.String)
    every = dict.fromkeys(names, pl.String)  # a whole number of more than 38 digits is too long for any type
    for guess, markers, types in ((1000, quick, texts), (None, _MARKERS, texts), (None, _MARKERS, every)):
        try:
            return pl.read_csv(
                data, separator=dialect.separator, quote_char=dialect.quote,
                has_header=False, skip_rows=int(dialect.header), new_columns=names,
                null_values=markers, infer_schema_length=guess, schema_overrides=types,
            )  # fmt: skip
        except pl.exceptions.PolarsError as error:
            failure = error
    if _is_unclosed(data, dialect):
        _refuse_unclosed(data, dialect, path)
    _name_ragged_line(data, dialect, path)
    raise BadFile(f"{path} cannot be read as a table separated by {dialect.separator!r}: {failure}")


def _readable(cells: pl.Series, numeric: bool) -> pl.Series:
    """Whole numbers beyond 64 bits are names such as hashes, and true is no number: both stay as they are written.

    So do whole numbers that are all dates, as 20240131 is.
    """
    as_text = cells.dtype in LONG or (numeric and cells.dtype == pl.Boolean) or (not numeric and _are_dates(cells))
    return cells.cast(pl.String) if as_text else cells


def _are_dates(cells: pl.Series) -> bool:
    if not cells.dtype.is_integer():
        return False
    if not all(may_be_dates(part.min(), part.max()) for part in (cells.drop_nulls().head(1), cells)):  # most end at one
        return False
    return recognise(unique(cells).cast(pl.String)) in DATES


def _has_blank_rows(frame: pl.DataFrame) -> bool:
    first, last = frame.to_series(0), frame.to_series(frame.width - 1)
    if not last.null_count():
        return False
    blank = first.str.strip_chars() == "" if first.dtype == pl.String else first.is_null()
    return bool((blank.fill_null(True) & last.is_null()).any())


def _refuse_ragged(data: bytes, dialect: Dialect, frame: pl.DataFrame, path: Path) -> None:
    """polars fills short lines with nulls; a null in the last column may be one, so such files are counted."""
    if frame.height == 0:
        raise NoRows(f"{path} has a header ({frame.width} columns) but no rows.")
    if _is_unclosed(data, dialect):
        _refuse_unclosed(data, dialect, path)
    if frame.to_series(frame.width - 1).null_count() == 0:
        return
    cells = data.count(dialect.separator.encode())
    lines = frame.height + dialect.header
    if dialect.quote is not None or cells != lines * (frame.width - 1):
        _name_ragged_line(data, dialect, path)


def _is_unclosed(data: bytes, dialect: Dialect) -> bool:
    return dialect.quote is not None and data.count(dialect.quote.encode()) % 2 == 1


def _refuse_unclosed(data: bytes, dialect: Dialect, path: Path) -> None:
    rows = reader(io.StringIO(data.decode(), newline=""), dialect, strict=True)
    start = 1 + dialect.above
    try:
        for _ in rows:
            start = rows.line_num + 1 + dialect.above
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
            first = f"line {dialect.above + 1}" if dialect.above else "the first line"
            raise BadFile(
                f"{path}, line {rows.line_num + dialect.above}: {len(row)} cells where {first} has {width} "
                f"(separator {dialect.separator!r}). Correct the line, or name another separator."
            )

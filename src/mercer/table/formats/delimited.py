"""CSV, TSV and kin, also gzipped: separator, quotes, encoding and header found from the text itself."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from mercer.errors import BadFile
from mercer.table.source import MISSING_MARKERS, Source, unique_names

SEPARATORS = (",", "\t", ";", "|", " ")
_MARKERS = ["", "NA", "?"]
_MARKER_CELL = re.compile(rb"(?<![A-Za-z0-9])(NA|\?)(?![A-Za-z0-9])")
GZIP = b"\x1f\x8b"
_SAMPLE = 1 << 18
_SAMPLE_COLUMNS = 1000  # to tell a header
_SAMPLE_LINES = 20  # at least, however long they are
_MARKS = {  # UTF-32 first: its little-endian mark starts with that of UTF-16
    b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16",
}  # fmt: skip
# A number in any notation, a date included: what stands below a header and is not one.
_FIGURE = re.compile(r"\s*[+-]?[$€£]?\s?[+-]?\.?\d[\d.,/:eE+T -]*\s?(%|[kKmMbBtT]n?)?\s*")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_LEADING_ZERO = re.compile(r"\s*0\d+\s*")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file is written."""

    separator: str
    quote: str | None
    header: bool


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
    rows = list(_parse(sample, dialect))
    source = Source({})
    names = (
        unique_names(rows[0], source.notices) if dialect.header else [f"column_{i + 1}" for i in range(len(rows[0]))]
    )
    if dialect.header and len(rows) == 1:
        raise BadFile(f"{path} has a header ({len(names)} columns) but no rows.")
    as_text = _coded_columns(rows[dialect.header :], names)
    frame = _read(data, dialect, names, as_text, path)
    if _has_blank_rows(frame) and len(plain := _without_blank_lines(data, dialect.separator)) < len(data):
        data, frame = plain, _read(plain, dialect, names, as_text, path)  # polars makes a row of a blank line
    _refuse_ragged(data, dialect, frame, path)
    source.columns = {name: frame[name] for name in names}
    return source


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked when they are gzip."""
    data = path.read_bytes()
    if data[:2] != GZIP:
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise BadFile(f"{path} is not a whole gzip file: {error}.") from None


def decode(data: bytes, path: Path) -> bytes:
    """The same text as UTF-8 without a mark; Latin-1 (as Windows writes it) when it is not UTF-8."""
    encoding = next((e for mark, e in _MARKS.items() if data.startswith(mark)), None)
    if encoding is not None:
        try:
            return data.decode(encoding).encode()
        except UnicodeError as error:
            raise BadFile(f"{path} starts as {encoding.upper()} text, but is not: {error}.") from None
    data = data.removeprefix(b"\xef\xbb\xbf")
    if (place := data.find(b"\0")) >= 0:
        raise BadFile(
            f"{path} holds a NUL byte (byte {place:,}): it is not a text table. Export it again as UTF-8 text."
        )
    if data.isascii():
        return data
    try:
        data.decode("utf-8")
        return data
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").encode()


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


def sniff(sample: list[str], separator: str | None, header: bool | None) -> Dialect:
    """The separator that cuts most lines into the same number of cells, its quotes, and whether line 1 is a header."""
    quote = '"' if any('"' in line for line in sample) else None
    candidates = [separator] if separator else list(SEPARATORS)
    scored = [(_agreement(sample, s, quote), -i) for i, s in enumerate(candidates)]
    best = candidates[-max(scored)[1]] if max(scored)[0] > 0 else ","
    if quote and not _quotes_whole_cells(sample, best):
        quote = None
    if quote is None and all(re.search(rf"(^|{re.escape(best)})\s*'", line) for line in sample[1:50]):
        quote = "'"
    dialect = Dialect(best, quote, True)
    found = looks_like_header(list(islice(_parse(sample, dialect), 100))) if header is None else header
    return Dialect(best, quote, found)


def _agreement(sample: list[str], separator: str, quote: str | None) -> float:
    """Share of lines with the commonest number of cells, and a little for that number; 0 when nothing is cut."""
    if separator == " ":
        sample = [re.sub(r"[ \t]+", " ", line.strip()) for line in sample]
    counts = [len(row) for row in islice(_parse(sample, Dialect(separator, quote, True)), 200)]
    if not counts:
        return 0.0
    common = max(set(counts), key=counts.count)
    return 0.0 if common < 2 else counts.count(common) / len(counts) + min(common, 50) / 1000


def _quotes_whole_cells(sample: list[str], separator: str) -> bool:
    """Whether double quotes open and close cells, rather than standing inside free text."""
    edge = rf'(^|{re.escape(separator)})\s*"'
    opens = sum(len(re.findall(edge, line)) for line in sample)
    marks = sum(line.count('"') for line in sample)
    return opens > 0 and opens * 2 >= 0.8 * (marks - 2 * sum(line.count('""') for line in sample))


def _parse(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    return (row for row in _reader(lines, dialect) if row)


def _reader(lines: Iterable[str], dialect: Dialect, *, strict: bool = False) -> Any:
    csv.field_size_limit(1 << 28)
    quoting = csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE
    blanks = dialect.separator == " "
    options: dict[str, Any] = {"quotechar": dialect.quote, "quoting": quoting, "skipinitialspace": blanks}
    return csv.reader(lines, delimiter=dialect.separator, strict=strict, **options)


def looks_like_header(rows: list[list[str]]) -> bool:
    """Line 1 is a header when its cells differ from what stands below them; a name may be empty, or stand twice."""
    first, body = [c.strip() for c in rows[0]], rows[1:]
    if not body:
        words = [c for c in first if c and not _NUMBER.fullmatch(c)]
        return len(words) == len(first) or (len(set(first)) < len(first) and len(words) > len(first) / 2)
    signs = 0
    counting = _count_up(first)
    for j, name in enumerate(first[:_SAMPLE_COLUMNS]):
        below = [row[j].strip() for row in body if len(row) > j]
        known = [c for c in below if c.lower() not in MISSING_MARKERS]
        numbers = sum(bool(_FIGURE.fullmatch(c)) for c in known)
        if not name or name in counting:
            continue
        if name in set(below):
            signs -= 1
        elif not _FIGURE.fullmatch(name):
            mostly_numbers = known and numbers > 0.8 * len(known)
            signs += 2 if mostly_numbers else (1 if len(set(known)) < max(2, 0.5 * len(known)) else 0)
    return signs > 0


def _count_up(names: list[str]) -> set[str]:
    """Names that merely number the columns (1, 2, 3, ...) say nothing for or against a header."""
    numbers = [n for n in names if n.isdigit()]
    run = [str(i) for i in range(int(numbers[0]), int(numbers[0]) + len(numbers))] if numbers else []
    return set(numbers) if len(numbers) > 2 and numbers == run else set()


def _coded_columns(rows: list[list[str]], names: list[str]) -> list[str]:
    """Columns whose whole numbers start with a zero (0526, 02134): codes that must not lose it."""
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
    rows = _reader(io.StringIO(data.decode(), newline=""), dialect, strict=True)
    start = 1
    try:
        for _ in rows:
            start = rows.line_num + 1
    except csv.Error as error:
        if "end of data" in str(error):
            raise BadFile(f"{path}, line {start}: a quote ({dialect.quote}) is opened and never closed.") from None


def _name_ragged_line(data: bytes, dialect: Dialect, path: Path) -> None:
    text = io.StringIO(data.decode("utf-8", errors="replace"), newline="")
    rows = _reader(text, dialect)
    width = None
    for row in rows:
        width = len(row) if width is None else width
        if row and len(row) != width:
            raise BadFile(
                f"{path}, line {rows.line_num}: {len(row)} cells where the first line has {width} "
                f"(separator {dialect.separator!r}). Mend the line, or name another separator."
            )

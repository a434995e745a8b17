"""How a delimited file is written: separator, quotes and header, found from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from mercer.table.formats.preamble import is_comment, rows_above
from mercer.table.formats.source import MISSING_MARKERS, unique_names

SEPARATORS = (",", "\t", ";", "|", " ")
_SAMPLE_COLUMNS = 1000  # to tell a header
_NUMBERED = re.compile(r"column_\d+")  # the names of columns without a header
# A number in any notation, a date included: what stands below a header and is not one.
_FIGURE = re.compile(r"\s*[+-]?[$€£]?\s?[+-]?\.?\d[\d.,/:eE+T -]*\s?(%|[kKmMbBtT]n?)?\s*")
_WHOLE = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller knows of a file.

    `names` are the columns of a stored schema: the separator and the header are those that show them. Cells of a text
    file are read as numbers in the columns `numbers` alone, and as they are written in all others. `sheet` is one of a
    workbook, by name or by number from 1; `query` and `table_name` say what to read from a database.
    """

    separator: str | None = None
    header: bool | None = None
    names: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    sheet: str | int | None = None
    query: str | None = None
    table_name: str | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a delimited file is written; `above` counts the lines above its header, comments among them or not."""

    separator: str
    quote: str | None
    header: bool
    above: int = 0
    comments: bool = False


def sniff(sample: list[str], options: Options) -> Dialect:
    """The separator that cuts most lines into the same number of cells, its quotes, and whether line 1 is a header."""
    quote = '"' if any('"' in line for line in sample) else None
    candidates = [options.separator] if options.separator else list(SEPARATORS)
    candidates = [s for s in candidates if _shows(sample, Dialect(s, quote, True), options.names)] or candidates
    scored = [(_agreement(sample, s, quote), -i) for i, s in enumerate(candidates)]
    best = candidates[-max(scored)[1]] if max(scored)[0] > 0 else ","
    if quote and not _quotes_whole_cells(sample, best):
        quote = None
    if quote is None and all(re.search(rf"(^|{re.escape(best)})\s*'", line) for line in sample[1:50]):
        quote = "'"
    dialect = _below_title(sample, Dialect(best, quote, True), options)
    return dialect if dialect.above else replace(dialect, header=_has_header(sample, dialect, options))


def _below_title(sample: list[str], dialect: Dialect, options: Options) -> Dialect:
    """The dialect of the table below the lines that are no part of it."""
    rows, starts, end = [], [], 0
    lines = reader(_joined(sample) if dialect.separator == " " else sample, dialect)
    for row in islice(lines, 200):
        if row:
            rows.append(row)
            starts.append(end)
        end = lines.line_num

    def is_header(rows: list[list[str]]) -> bool:
        return holds_names(rows[0], options.names) or looks_like_header(rows[:100])

    above = 0 if rows and holds_names(rows[0], options.names) else rows_above(rows, is_header, options.header)
    if not above:
        return dialect
    return replace(dialect, above=starts[above], comments=any(map(is_comment, rows[:above])))


def _has_header(sample: list[str], dialect: Dialect, options: Options) -> bool:
    if options.header is not None:
        return options.header
    if _shows(sample, dialect, options.names):
        return True
    if options.names and all(_NUMBERED.fullmatch(name) for name in options.names):  # nor had the training file
        return False
    return looks_like_header(list(islice(parse(sample, dialect), 100)))


def _shows(sample: list[str], dialect: Dialect, names: frozenset[str]) -> bool:
    """Whether line 1 holds all of these names."""
    return holds_names(next(parse(sample, dialect), []), names)


def holds_names(cells: list[str], names: frozenset[str]) -> bool:
    """Whether the cells of a header hold all of these names."""
    # An empty cell gets the name column_3, as columns without a header do: one name at least must be written.
    return not names.isdisjoint(cell.strip() for cell in cells) and names <= set(unique_names(cells, []))


def _agreement(sample: list[str], separator: str, quote: str | None) -> float:
    """Share of lines with the commonest number of cells, and a little for that number; 0 when nothing is cut.

    What cuts every line alike, the header too, is before what cuts all lines but some into more cells, as blanks do in
    texts of one length.
    """
    if separator == " ":
        sample = _joined(sample)
    counts = [len(row) for row in islice(parse(sample, Dialect(separator, quote, True)), 200)]
    if not counts:
        return 0.0
    common = max(set(counts), key=counts.count)
    if common < 2:
        return 0.0
    return (counts.count(common) / len(counts) if len(set(counts)) > 1 else 1.05) + min(common, 50) / 1000


def _joined(sample: list[str]) -> list[str]:
    """Lines whose columns are lined up with runs of blanks, with one blank in place of each run."""
    return [re.sub(r"[ \t]+", " ", line.strip()) for line in sample]


def _quotes_whole_cells(sample: list[str], separator: str) -> bool:
    """Whether double quotes open and close cells, rather than standing inside free text."""
    edge = rf'(^|{re.escape(separator)})\s*"'
    opens = sum(len(re.findall(edge, line)) for line in sample)
    marks = sum(line.count('"') for line in sample)
    return opens > 0 and opens * 2 >= 0.8 * (marks - 2 * sum(line.count('""') for line in sample))


def parse(lines: Iterable[str], dialect: Dialect) -> Iterator[list[str]]:
    return (row for row in reader(lines, dialect) if row)


def reader(lines: Iterable[str], dialect: Dialect, *, strict: bool = False) -> Any:
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
    if _numbers_as_names(first, body):
        return True
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


def _numbers_as_names(first: list[str], body: list[list[str]]) -> bool:
    """Whether line 1 has nothing but numbers that are names: 1, 2, 3, ... or years that rise, as no line below it has.

    None of them stands in its own column: of few whole numbers, a line of data may count up by chance.
    """
    if not _are_names(first):
        return False
    below = [[cell.strip() for cell in row] for row in body]
    return not any(_are_names(row) or any(a == b for a, b in zip(first, row, strict=False)) for row in below)


def _are_names(cells: list[str]) -> bool:
    if len(cells) < 3 or not all(_WHOLE.fullmatch(c) for c in cells):
        return False
    numbers = [int(c) for c in cells]
    steps = {b - a for a, b in pairwise(numbers)}
    years = min(numbers) >= 1900 and max(numbers) <= 2100
    return steps == {1} or (years and min(steps) > 0)


def _count_up(names: list[str]) -> set[str]:
    """Names that merely number the columns (1, 2, 3, ...) say nothing for or against a header."""
    numbers = [n for n in names if n.isascii() and n.isdigit() and len(n) < 10]
    run = [str(i) for i in range(int(numbers[0]), int(numbers[0]) + len(numbers))] if numbers else []
    return set(numbers) if len(numbers) > 2 and numbers == run else set()

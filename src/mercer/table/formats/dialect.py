"""How a delimited file is written: separator, quotes and header, found from its first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
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
_WORD = re.compile(r"[^\W\d_]")
_SELDOM = 10  # rows for each that is the header again
_HEADED = 200  # rows by which a header of several lines is told
_MOST_HEADINGS, _FEWEST_ROWS = 3, 4
_YEARS = 1900, 2100
_NOTHING = frozenset(MISSING_MARKERS) - {""}
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
    quoted = rf"(^|{re.escape(best)})\s*'([^']|'')*'\s*({re.escape(best)}|$)"  # '108 alone is how Excel marks a text
    if quote is None and all(re.search(quoted, line) for line in sample[1:50]):
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
    first, body = [c.strip() for c in rows[0]], [row for row in rows[1:] if row != rows[0]]
    if _SELDOM * (len(rows) - 1 - len(body)) > len(rows) or has_figures(first):  # cells, rather than a header again
        body = rows[1:]
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


def has_figures(names: list[str]) -> bool:
    """Whether there are numbers or dates among the cells of a line."""
    return any(map(_FIGURE.fullmatch, names))


def _numbers_as_names(first: list[str], body: list[list[str]]) -> bool:
    """Whether line 1 has numbers that are names: 1, 2, 3, ... or years that rise, as no line below it has.

    Nothing else stands there, or words beside years. None stands in its own column: of few whole numbers, a line of
    data may count up by chance.
    """
    places = [j for j, name in enumerate(first) if _WHOLE.fullmatch(name)]
    others = [name for name in first if name and not _WHOLE.fullmatch(name)]
    are_names = _are_years if others else _are_names
    if not are_names([first[j] for j in places]) or has_figures(others):
        return False
    below = [[cell.strip() for cell in row] for row in body]
    if any(are_names([row[j] for j in places]) for row in below if len(row) == len(first)):
        return False
    return not any(a == b for row in below for a, b in zip(first, row, strict=False) if a)


def _are_names(cells: list[str]) -> bool:
    if len(cells) < 3 or not all(_WHOLE.fullmatch(c) for c in cells):
        return False
    return {int(b) - int(a) for a, b in pairwise(cells)} == {1} or _are_years(cells)


def _are_years(cells: list[str]) -> bool:
    if len(cells) < 3 or not all(_WHOLE.fullmatch(c) for c in cells):
        return False
    numbers = [int(c) for c in cells]
    return numbers[0] >= _YEARS[0] and numbers[-1] <= _YEARS[1] and all(a < b for a, b in pairwise(numbers))


def whole_header(rows: list[list[str]], options: Options) -> tuple[list[str], int] | None:
    """The names of the columns where line 1 does not name each of them once, and how many rows they take.

    Lines below may have one cell more: a last one that is empty, or row names in front, as R writes them. Below line 1
    there may be lines of words alone, units or descriptions, above numbers; where line 1 has headings over several
    columns, the first of these lines has the names. None where line 1 is all there is.
    """
    names, body = rows[0], rows[1 : _HEADED + 1]
    if len(body) > 1 and all(len(row) == len(names) + 1 for row in body):
        if not any(row[-1].strip() for row in body):
            return [*names, ""], 1
        if len(names) > 1 and len({row[0] for row in body}) == len(body):
            return ["", *names], 1
    more = _lines_of_words(rows)
    if not more:
        return None
    joined = _joined_names(names, rows[1])
    merged = len({name for name in names if name}) < len(names)
    known = holds_names(joined, options.names) if options.names else merged
    return (joined if known else names), 1 + more


def _lines_of_words(rows: list[list[str]]) -> int:
    """How many lines below line 1 have words in two columns or more that hold numbers below, and no number there."""
    if len(rows) < 2 or sum(_WORD.search(cell) is not None for cell in rows[1]) < 2:
        return 0
    for place in range(min(_MOST_HEADINGS, len(rows) - _FEWEST_ROWS), 0, -1):
        below = [row for row in rows[place + 1 : _HEADED] if len(row) == len(rows[0])]
        columns = list(zip(*below, strict=True))
        figures = [j for j, cells in enumerate(columns) if _are_figures(cells)]
        if len(below) >= _FEWEST_ROWS and all(_names_figures(row, figures) for row in rows[1 : place + 1]):
            return place
    return 0


def _are_figures(cells: Sequence[str]) -> bool:
    known = [cell for cell in cells if cell.strip().lower() not in MISSING_MARKERS]
    return len(known) >= _FEWEST_ROWS and all(map(_FIGURE.fullmatch, known))


def _names_figures(row: list[str], figures: list[int]) -> bool:
    found = [row[j].strip() for j in figures] if len(row) > max(figures, default=0) else []
    words = {cell for cell in found if _WORD.search(cell)}
    return len(words) > 1 and not any(_FIGURE.fullmatch(cell) or cell.lower() in _NOTHING for cell in found if cell)


def _joined_names(heads: list[str], names: list[str]) -> list[str]:
    """Headings, each also over the empty cells to its right, before the names below them."""
    filled: list[str] = []
    for head in heads:
        filled.append(head if head.strip() or not filled else filled[-1])
    return [f"{head.strip()} {name.strip()}".strip() for head, name in zip(filled, names, strict=False)]


def _count_up(names: list[str]) -> set[str]:
    """Names that merely number the columns (1, 2, 3, ...) say nothing for or against a header."""
    numbers = [n for n in names if n.isascii() and n.isdigit() and len(n) < 10]
    run = [str(i) for i in range(int(numbers[0]), int(numbers[0]) + len(numbers))] if numbers else []
    return set(numbers) if len(numbers) > 2 and numbers == run else set()

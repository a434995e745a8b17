"""Small tables as text and as HTML, for results shown in a terminal or a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mercer.evaluation.intervals import Score
from mercer.formatting import NOTHING, amount, visible


@dataclass(frozen=True, slots=True)
class Grid:
    """Names of columns and rows of cells; the first column is of words, the others of numbers."""

    head: list[str]
    rows: list[list[str]]


def number_text(value: float | None) -> str:
    """Three decimals below 1,000, four digits of larger numbers."""
    if value is None or value != value:
        return NOTHING
    return f"{value:.3f}" if 5e-4 <= abs(value) < 1000 or value == 0 else amount(value)


def interval_text(score: Score) -> str:
    """[low, high]; a dash without an interval."""
    if score.low is None or score.high is None:
        return NOTHING
    return f"[{number_text(score.low)}, {number_text(score.high)}]"


def as_text(title: str, grids: Sequence[Grid], notes: Sequence[str]) -> str:
    """Title, tables and notes, for a terminal."""
    parts = [visible(title), *map(_text, grids)]
    return "\n\n".join([*parts, *(["\n".join(f"Note: {visible(n)}" for n in notes)] if notes else [])])


def _text(grid: Grid) -> str:
    lines = [[visible(cell) for cell in line] for line in (grid.head, *grid.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        [cell.ljust(w) if not j else cell.rjust(w) for j, (cell, w) in enumerate(zip(line, widths, strict=True))]
        for line in lines
    )
    return "\n".join("  ".join(line).rstrip() for line in padded)


def as_html(title: str, grids: Sequence[Grid], notes: Sequence[str]) -> str:
    """The same for a notebook."""
    tables = "".join(map(_html, grids))
    said = "".join(f"<p><em>{escape(note)}</em></p>" for note in notes)
    return f"<div><p><strong>{escape(title)}</strong></p>{tables}{said}</div>"


def _html(grid: Grid) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.head)
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in grid.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

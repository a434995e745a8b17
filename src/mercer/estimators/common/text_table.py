"""Small tables for a terminal and a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np


def text_grid(rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned, the first to the left."""
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    return "\n".join(
        "  " + "  ".join(c.ljust(w) if j == 0 else c.rjust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )


def html_grid(rows: Sequence[Sequence[str]]) -> str:
    """An HTML table whose first row and column are headings."""
    head = "".join(f"<th>{escape(c)}</th>" for c in rows[0])
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(c)}</td>' for c in row[1:])}</tr>" for row in rows[1:]
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def cell_text(value: Any) -> str:
    """A cell as it is shown: shortened, and '(missing)' for None and NaN."""
    if value is None or value != value:
        return "(missing)"
    text = f"{value:g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= 30 else text[:29] + "…"

"""Explanations of single rows as a page, and as a part of the report."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from mercer.report.page import environment

MOST_COLUMNS = 12  # of a row that have a bar


def explained_rows_page(target: str, rows: list[dict[str, Any]]) -> str:
    """One self-contained page.

    Parameters
    ----------
    target : str
        Name of what the model predicts; may be ''.
    rows : list of dict
        From `Explanation.to_dict`, with "answer", and "change" as a dict or None.

    Returns
    -------
    str
        HTML.
    """
    template = environment().get_template("explained_rows.html")
    return str(template.render(target=target, rows=rows, row_bars=row_bars))


def row_bars(row: dict[str, Any]) -> Markup:
    """The contributions of one row as a table with bars.

    Parameters
    ----------
    row : dict
        From `Explanation.to_dict`.

    Returns
    -------
    Markup
        A table; columns beyond the first twelve are summed up.
    """
    columns = sorted(row["columns"], key=lambda c: -abs(c["adds"] or 0.0))
    longest = max((abs(c["adds"] or 0.0) for c in columns), default=0.0) or 1.0
    shown = [{**c, "share": (c["adds"] or 0.0) / longest} for c in columns[:MOST_COLUMNS]]
    rest = columns[MOST_COLUMNS:]
    template = environment().get_template("row_bars.html")
    others = {"count": len(rest), "adds": sum(c["adds"] or 0.0 for c in rest)}
    return Markup(template.render(row=row, columns=shown, others=others))

"""Explanations of single rows as a page of its own; templates/row_bars.html draws them, here and in the report."""

from __future__ import annotations

from typing import Any

from mercer.report.page import environment


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
    return environment().get_template("explained_rows.html").render(target=target, rows=rows)

"""A table of results, laid out as a text lays out its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FigureTable:
    """Results in the rows and columns of a table of a text, where they are too many for a `Comparison` each.

    Parameters
    ----------
    title : str
        What it shows; the first word or two say which table of the text it is laid out as.
    columns : sequence of str
        What the columns are called, without that of the row names.
    rows : mapping of str to sequence of (str or float)
        Cells of each row by its name; numbers are shown with four digits after the point.
    note : str, default ""
        What has to be known to read it.

    Examples
    --------
    >>> from mercer.gallery import FigureTable
    >>> FigureTable("Areas of two methods", ["AUC", "models"], {"Lin": [0.81694, "1"]}).cells()
    [['Lin', '0.8169', '1']]
    """

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[str | float]]
    note: str = ""

    def cells(self) -> list[list[str]]:
        """Each row as it is shown, its name first.

        Returns
        -------
        cells : list of list of str
            One list a row.
        """
        return [[name, *(c if isinstance(c, str) else f"{c:.4f}" for c in row)] for name, row in self.rows.items()]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data.

        Returns
        -------
        data : dict
            What JSON shows: numbers with all their digits.
        """
        rows = [{"name": name, **dict(zip(self.columns, row, strict=True))} for name, row in self.rows.items()]
        return {"title": self.title, "rows": rows, "note": self.note}

"""The example data set: a real mixed table with missing cells, in the public domain (see ORIGIN.md)."""

from __future__ import annotations

from pathlib import Path

from mercer.table import Table, read_table

PENGUINS = Path(__file__).with_name("penguins.csv")
TARGET = "Sex"  # harder than the species, which bill and body mass separate; missing for 11 birds


def load_penguins() -> Table:
    """344 penguins of three species at Palmer Station, Antarctica: body, blood isotopes, nest and notes.

    Returns
    -------
    table : Table
        344 rows, columns of every kind; the usual targets are "Sex" (two classes, 11 missing) and "Body Mass (g)".

    Examples
    --------
    >>> import mercer
    >>> mercer.load_penguins().schema["Body Mass (g)"].reason
    'whole numbers from 2700 to 6300'
    """
    return read_table(PENGUINS)

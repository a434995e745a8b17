"""The embedded table: real, mixed, with missing cells, and free to pass on (see ORIGIN.md)."""

from __future__ import annotations

from pathlib import Path

from mercer.table import Table, read_table

PENGUINS = Path(__file__).with_name("penguins.csv")
TARGET = "Sex"  # the species is told by bill and body alone; the sex needs both, and is missing for 11 birds


def load_penguins() -> Table:
    """344 penguins of three species at Palmer Station, Antarctica: body, blood isotopes, nest and notes.

    >>> import mercer
    >>> mercer.load_penguins().schema["Body Mass (g)"].reason
    'whole numbers from 2700 to 6300'
    """
    return read_table(PENGUINS)

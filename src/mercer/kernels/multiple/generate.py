"""Kernels made of the columns of a table, by name: one per column, per width, or per measure of levels."""

from __future__ import annotations

from typing import Literal

from mercer.errors import BadTable
from mercer.kernels.base import Kernel
from mercer.kernels.categorical.goodall import Goodall1, Goodall2, Goodall3, Goodall4
from mercer.kernels.categorical.iof import IOF, OF
from mercer.kernels.categorical.lin import Lin
from mercer.kernels.categorical.overlap import Overlap
from mercer.kernels.default import default_kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.numeric.radial import RBF
from mercer.kernels.text.words import Words
from mercer.table import Column, Kind, Schema

Generated = Literal["columns", "widths", "measures"]
MEASURES = (Overlap, IOF, OF, Lin, Goodall1, Goodall2, Goodall3, Goodall4)
_WIDTHS = (1 / 16, 1 / 4, 1.0, 4.0, 16.0)
_GAMMA = 0.5  # exp(-(a - b)^2 / 2) of standardised numbers


def generate(kind: Generated, schema: Schema) -> dict[str, Kernel]:
    """The kernels by their names, not fitted."""
    if not len(schema):
        raise BadTable("The table has no column: there is nothing for a kernel to compare.")
    if kind == "widths":
        return {f"width {gamma:g}": default_kernel(schema, gamma) for gamma in _WIDTHS}
    if kind == "columns":
        return {column.name: _of_column(column) for column in schema}
    return {name: kernel for column in schema for name, kernel in _measures(column).items()}


def _of_column(column: Column) -> Kernel:
    if column.kind is Kind.NUMERIC:
        return Encoded(RBF(gamma=_GAMMA), on=[column.name])
    return Words(on=[column.name]) if column.kind is Kind.TEXT else Overlap(on=[column.name])


def _measures(column: Column) -> dict[str, Kernel]:
    """The eight measures of a column of levels; the kernel of any other column."""
    if not column.kind.categorical:
        return {column.name: _of_column(column)}
    return {f"{column.name}: {measure.__name__}": measure(on=[column.name]) for measure in MEASURES}

"""What the data are: kinds of columns, and cells as homogeneous blocks."""

from mercer.table.infer import KindSpec, infer
from mercer.table.read import conform_table, from_array, open_source, read_table
from mercer.table.schema import CATEGORICAL, Cause, Column, Kind, LeftOut, Schema
from mercer.table.select import Columns, Selector, categorical, kind, numeric, resolve, text
from mercer.table.source import Source
from mercer.table.state import table_from_state, table_state
from mercer.table.table import Table
from mercer.table.target import Task

__all__ = [
    "CATEGORICAL",
    "Cause",
    "Column",
    "Columns",
    "Kind",
    "KindSpec",
    "LeftOut",
    "Schema",
    "Selector",
    "Source",
    "Table",
    "Task",
    "categorical",
    "conform_table",
    "from_array",
    "infer",
    "kind",
    "numeric",
    "open_source",
    "read_table",
    "resolve",
    "table_from_state",
    "table_state",
    "text",
]

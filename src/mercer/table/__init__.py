"""What the data are: any file, data frame, mapping or array becomes a table of typed columns.

The way of the data:

1. source. `read.py`, `open_source`, gives a path to the reader of its format (`formats/`: delimited text, ARFF, libsvm,
   Parquet) and a data frame, mapping or array of objects to `formats/frames.py`, the one place that knows data frames
   of other libraries. Each makes a `Source` (`source.py`): columns of cells as they were found, and the texts that mean
   "missing".
2. infer. `infer.py`, `infer`, decides what each column is: its `Kind` (numeric, binary, category, ordinal, text), its
   levels and how its numbers are written (`formats/notation.py`), or the `Cause` for leaving it out; always with a
   reason in words. The result is a `Schema` (`schema.py`). `kinds=` overrides. Numbers in a data frame or mapping are
   numeric, as in an array; those in a file may be levels (0 and 1) or identifiers.
3. build. `build.py`, `build`, turns the cells into homogeneous blocks (`blocks.py`) as the schema says: floats with
   NaN, level codes with -1, texts with None; sparse numbers stay sparse.
4. table. `table.py`, `Table`, is the schema and the blocks. Learners ask it for `numbers`, `codes` and `texts`, of
   columns by name or by selector (`select.py`: `numeric()`, `categorical()`, `text()`).

`read_table` takes all four steps; an array of numbers goes straight to a Table (`from_array`). At prediction
`conform_table` takes the first and the third with the schema of the model, so columns are found by name and a level
never seen gets a code of its own.

`kinds/` knows what texts mean: words and ranges in an order, parts of dates, identifiers, cells that stray.

Around it: `assemble.py` makes tables of blocks and of other tables (for encoders), `formats/containers.py` takes rows
and columns of any container without changing its type, `state.py` stores a table in a model file, `target.py` reads y
and names the `Task`, `target_column.py` takes the target out of a source and decides the task, `missingness.py` adds
columns "<name> is missing" where that tells something about the target, and `estimator.py` is the base of everything
that is fitted to a table.
"""

from mercer.table.display.numbers import shown_number
from mercer.table.formats.source import Source
from mercer.table.infer import KindSpec, infer
from mercer.table.read import conform_table, from_array, open_source, read_table
from mercer.table.schema import CATEGORICAL, Cause, Column, Kind, LeftOut, Schema
from mercer.table.select import Columns, Selector, categorical, kind, numeric, resolve, text
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
    "shown_number",
    "table_from_state",
    "table_state",
    "text",
]

"""Readers of tables: each gives a `Source`, the cells as they are written.

`files.py` chooses the reader of a file: `delimited.py` (CSV, TSV and the like, whose separator, quotes and header
`dialect.py` finds, below what `preamble.py` tells apart), `records.py` (JSON), `arff.py`, `libsvm.py`, or one of
`binary/`, which also unpacks. `frames.py` takes data frames of any library, mappings
and arrays of objects. `text.py` makes UTF-8 of bytes for all of them. `notation.py` knows how people
write numbers and dates; `mercer.table.infer` and `.build` read cells by it. `source.py` is the `Source`; `cells.py`
asks its columns without polars' threads, which a forked child does not have.
"""

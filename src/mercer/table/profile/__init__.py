"""What inference asks about a column, and two that answer.

`ColumnCells` (cells.py) looks at a column in memory when it is asked. `ColumnProfile` (column.py) has looked at a chunk
of rows: profiles of disjoint rows merge, so that the kinds of a table that no memory holds are inferred by the same
rules. What profiles keep is bounded: the texts and numbers met are counted (counts.py), numbers are told by their ends
and order (numbers.py). Where a bound was reached, a sketch stands in, whose error counts.py states.
"""

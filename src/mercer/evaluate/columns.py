"""A summary of each column of a table."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.table import Table

MOST_LEVELS = 8


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column: its kind and the reason for it, the share of missing cells, its first levels."""

    name: str
    kind: str
    reason: str
    missing: float
    n_levels: int
    levels: list[str]


def summarise_columns(table: Table) -> list[ColumnSummary]:
    """A summary of every column that learners see, in order."""
    return [
        ColumnSummary(
            c.name,
            str(c.kind),
            c.reason,
            0.0 if table.is_sparse else float(table.missing(c.name).mean()),
            len(c.levels),
            list(c.levels[:MOST_LEVELS]),
        )
        for c in table.schema
    ]

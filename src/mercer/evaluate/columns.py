"""What is known of each column of a table, in words and counts."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.table import Table

MOST_LEVELS = 8


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """One column: kind, why, how much is missing, the first few of its levels."""

    name: str
    kind: str
    reason: str
    missing: float
    n_levels: int
    levels: list[str]


def column_facts(table: Table) -> list[ColumnFacts]:
    """Facts of every column that learners see, in order."""
    return [
        ColumnFacts(
            c.name,
            str(c.kind),
            c.reason,
            0.0 if table.is_sparse else float(table.missing(c.name).mean()),
            len(c.levels),
            list(c.levels[:MOST_LEVELS]),
        )
        for c in table.schema
    ]

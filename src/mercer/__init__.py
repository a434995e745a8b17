"""mercer: supervised learning on mixed tables."""

from mercer.table import Table, read_table

__version__ = "0.1.0"

__all__ = ["Table", "read_table"]

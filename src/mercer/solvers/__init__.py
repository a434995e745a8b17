"""Solvers: they minimise, and know nothing of tables, parts or labels."""

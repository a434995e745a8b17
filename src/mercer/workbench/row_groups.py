"""Rows that are not independent of each other: of a group that is given, or copies of one row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.errors import BadTable, MercerError, MercerWarning, did_you_mean
from mercer.select.copies import Copies, find_copies, grouped
from mercer.table import Source, Table, read_table
from mercer.table.formats.containers import row_count


def row_groups(groups: Any, X: Any, values: NDArray[Any]) -> Copies | None:
    """The groups of the rows, which splits keep together and intervals count as one.

    Parameters
    ----------
    groups : array of shape (n_rows,) or None
        The group of each row; when None, rows that are written more than once are groups.
    X : table
        In any container.
    values : ndarray of shape (n_rows,)
        The target, as class codes or numbers.

    Returns
    -------
    Copies or None
        None where rows are independent.
    """
    if groups is not None:
        return given_groups(groups, len(values))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MercerWarning)
            table = X if isinstance(X, Table) else read_table(X)
        return find_copies(table, values) if row_count(X) == len(values) else None
    except (MercerError, ValueError, TypeError):  # cells that only the model can read
        return None


def given_groups(groups: Any, n_rows: int) -> Copies | None:
    """The group of each row as a caller names it; None stays None."""
    if groups is None:
        return None
    if len(groups) != n_rows:
        raise BadTable(f"groups has {len(groups):,} rows, y has {n_rows:,}. Give a group for each row.")
    if np.ndim(groups) != 1:
        raise BadTable("groups has several columns. Give one group for each row.")
    return grouped(groups)


def group_column(source: Source, name: str | None) -> Copies | None:
    """The groups that a column of a source names; the column stays, since a model may have learned from it."""
    if name is None:
        return None
    if name not in source.columns:
        raise BadTable(f"group = {name!r}: there is no such column. {did_you_mean(name, source.columns)}")
    return grouped(source.columns[name])


def group_numbers(groups: Copies | None) -> Longs | None:
    """The number of the group of each row; None where rows are independent."""
    return None if groups is None else groups.group

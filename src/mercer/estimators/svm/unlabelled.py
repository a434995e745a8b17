"""Rows without a target, which may still tell a kernel how frequent its levels are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadTarget, MercerError
from mercer.table import Table


def absent(y: Any) -> NDArray[np.bool_]:
    """Which targets are missing: None, NaN, or the missing value of a data frame."""
    cells = np.asarray(y, dtype=object).reshape(-1)
    return np.array([_is_absent(cell) for cell in cells], dtype=bool)


def _is_absent(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def set_aside(
    table: Table, y: Any, sample_weight: Any, unlabelled: Any
) -> tuple[NDArray[np.int64], Any, Any, Table | None]:
    """(rows that have a target, their targets, their weights, the other rows or None)."""
    away = absent(y)
    if len(away) != len(table):
        raise BadTarget(f"Found input variables with inconsistent numbers of samples: {[len(table), len(away)]}")
    if away.any() and unlabelled is not None:
        raise MercerError("Give unlabelled rows as rows without a target or as `unlabelled`, not both.")
    known = np.flatnonzero(~away)
    if not len(known):
        raise BadTarget("No row has a target: nothing can be learned.")
    cells = np.asarray(y, dtype=object).reshape(-1)[known]
    weight = None if sample_weight is None else np.asarray(sample_weight)[known]
    return known, np.array(cells.tolist()), weight, table.take(away) if away.any() else unlabelled

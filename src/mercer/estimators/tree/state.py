"""A tree as plain data, and every value checked when it is read back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadFile
from mercer.estimators.tree.columns import categorical_levels
from mercer.solvers.tree.tree import BadTree, Columns, Tree
from mercer.state import Reader
from mercer.table import Column

_TYPES = (
    dict.fromkeys(("column", "first", "branches", "level", "branch"), "int32")
    | dict.fromkeys(("surrogate_column", "surrogate_level", "surrogate_side"), "int32")
    | dict.fromkeys(("level_start", "surrogate_start", "surrogate_level_start"), "int64")
    | dict.fromkeys(("kind", "surrogate_flip"), "uint8")
)  # the others are float64


def tree_from_state(state: Reader, columns: tuple[Column, ...], n_values: int) -> Tree:
    """The tree over these columns that `Tree.arrays` wrote, with so many values a node; BadFile if it is not one."""
    arrays: dict[str, NDArray[Any]] = {}
    for field in fields(Tree):
        shape: tuple[int | None, ...] = (None, n_values) if field.name == "value" else (None,)
        dtype = _TYPES.get(field.name, "float64")
        arrays[field.name] = state.array(field.name, dtype, shape, finite=field.name != "threshold")
    state.finish()
    levels, nominal = categorical_levels(columns)
    numbers = np.zeros((0, len(columns) - len(levels)))
    like = Columns.of(numbers, np.zeros((0, len(levels)), np.int32), levels, nominal)
    try:
        return Tree.from_arrays(arrays, like)
    except BadTree as error:
        raise BadFile(f"{state.where}: {error}") from None

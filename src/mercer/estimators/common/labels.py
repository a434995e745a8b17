"""Class labels as plain data, with their type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadFile, BadTarget
from mercer.state import Reader, State

_LABEL = str | int | float  # truth values are whole numbers to Python
_TYPES = (
    "str", "object", "bool", "float32", "float64",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip


def labels_state(labels: NDArray[Any]) -> State:
    """Texts, numbers, truth values, or objects that are such; JSON keeps each value's own type."""
    values = [v.item() if isinstance(v, np.generic) else v for v in labels.tolist()]
    name = "str" if labels.dtype.kind == "U" else labels.dtype.name
    if name not in _TYPES or not all(isinstance(v, _LABEL) for v in values):
        raise BadTarget(f"Labels of type {labels.dtype} cannot be stored. Use text, numbers or truth values.")
    return {"type": name, "values": values}


def labels_from_state(state: Reader) -> NDArray[Any]:
    """Distinct labels in the order and of the type stored, or a refusal."""
    dtype, values = state.text("type", _TYPES), state.scalars("values")
    state.finish()
    if not values or len(set(values)) < len(values) or not all(isinstance(v, _LABEL) for v in values):
        raise BadFile(f"{state.where}.values: labels must be distinct, and at least one.")
    if dtype == "str":  # every label takes the place of the longest
        state.derive("values", 4 * len(values) * max(len(str(v)) for v in values))
    try:
        labels: NDArray[Any] = np.array(values, dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise BadFile(f"{state.where}.values: expected labels of type {dtype}.") from None
    if labels.tolist() != list(values):
        raise BadFile(f"{state.where}.values: expected labels of type {dtype}.")
    return labels


def stack_labels(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Labels of several targets, (n_rows, n_targets); texts beside numbers stay what they are, as objects."""
    mixed = len({c.dtype.kind for c in columns}) > 1 and any(c.dtype.kind in "OUS" for c in columns)
    return np.stack([c.astype(object) if mixed else c for c in columns], axis=1)

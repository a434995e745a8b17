"""Class labels as plain data, with their type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadFile
from mercer.state import Reader, State

_TYPES = {"text": "U", "integer": "i", "float": "f", "flag": "b"}


def labels_state(labels: NDArray[Any]) -> State:
    """Texts as a list, numbers and truth values as an array."""
    kind = "i" if labels.dtype.kind == "u" else labels.dtype.kind
    if kind in "UO":
        return {"type": "text", "values": [str(v) for v in labels]}
    name = next(n for n, k in _TYPES.items() if k == kind)
    dtype = {"integer": np.int64, "float": np.float64, "flag": np.uint8}[name]
    return {"type": name, "values": labels.astype(dtype)}


def labels_from_state(state: Reader) -> NDArray[Any]:
    """Distinct labels in increasing order, or a refusal."""
    kind = state.text("type", tuple(_TYPES))
    labels: NDArray[Any]
    if kind == "text":
        labels = np.array(state.texts("values"))
    else:
        dtype = {"integer": "int64", "float": "float64", "flag": "uint8"}[kind]
        labels = state.array("values", dtype, (None,))
        labels = labels.astype(bool) if kind == "flag" else labels
    state.finish()
    if not len(labels) or len(np.unique(labels)) != len(labels):
        raise BadFile(f"{state.where}: labels must be distinct, and at least one.")
    return labels

"""Model states with one value changed, however deep it lies."""

from __future__ import annotations

from copy import copy
from typing import Any


def changed(state: dict[str, Any], *path: str | int, **values: Any) -> dict[str, Any]:
    """A copy of the state in which the part at `path` has other values; the state itself stays."""
    whole = copy(state)
    part: Any = whole
    for key in path:
        part[key] = copy(part[key])
        part = part[key]
    for name in values:
        assert name in part or name == "surplus", name  # a name that is not there would be refused for that alone
    part.update(values)
    return whole

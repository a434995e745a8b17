"""A state with one value replaced, to see that a damaged model file is refused."""

from __future__ import annotations

from typing import Any


def changed(state: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of `state` with `value` at a dotted path, such as "fitted.rows.codes"."""
    first, _, rest = path.partition(".")
    return state | {first: changed(state[first], rest, value) if rest else value}

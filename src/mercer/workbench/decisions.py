"""Costs and thresholds as users write them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mercer.errors import MercerError
from mercer.select.thresholds import RULES, Costs


def as_costs(given: str | Mapping[str, float] | Costs | None) -> Costs | None:
    """What errors cost, from 'fn=20,fp=1' or {"fn": 20, "fp": 1}: an error that is not named costs 1."""
    if given is None or isinstance(given, Costs):
        return given
    pairs: list[tuple[str, Any]]
    if isinstance(given, Mapping):
        pairs = [(str(name), value) for name, value in given.items()]
    else:
        pairs = [(name.strip(), value) for name, _, value in (part.partition("=") for part in str(given).split(","))]
    found = {"fn": 1.0, "fp": 1.0}
    for name, value in pairs:
        number = _number(value)
        if name not in found or math.isnan(number):
            raise MercerError(f"cost {given!r}: write what a miss and a false alarm cost, as in fn=20,fp=1.")
        found[name] = number
    return Costs(**found)


def as_threshold(given: str | float | None) -> str | float | None:
    """A number, or the name of a rule."""
    if given is None:
        return None
    number = _number(given)
    if not math.isnan(number) and 0 <= number <= 1:
        return number
    if given not in RULES:
        raise MercerError(f"threshold {given!r}: give a number from 0 to 1, or one of {', '.join(RULES)}.")
    return given


def _number(value: Any) -> float:
    """NaN where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan

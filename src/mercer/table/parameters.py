"""Constructor parameters as plain data: what `get_params` says of a stored estimator is what it said before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.errors import BadFile
from mercer.state import Reader, State


def parameters_state(parameters: Mapping[str, Any]) -> State:
    """The parameters that are texts, finite numbers, truth values, None, or mappings of those.

    Others (a kernel, a callable, an array) are left out: what a fit made of them is stored by the estimator itself.
    """
    single: dict[str, Any] = {}
    mappings: list[State] = []
    for name, value in parameters.items():
        if not isinstance(value, Mapping):
            single.update((name, plain) for plain in _plain(value))
        elif all(_plain(k) and _plain(v) for k, v in value.items()):
            keys, values = ([_plain(v)[0] for v in part] for part in (value.keys(), value.values()))
            mappings.append({"name": name, "keys": keys, "values": values})
    return {"names": list(single), "values": list(single.values()), "mappings": mappings}


def read_parameters(state: Reader, known: Mapping[str, Any]) -> dict[str, Any]:
    """The stored parameters, each of which must be among those that are known."""
    names, values = state.texts("names"), state.scalars("values")
    if len(names) != len(values):
        raise BadFile(f"{state.where}: as many names as values are expected.")
    found: dict[str, Any] = dict(zip(names, values, strict=True))
    for mapping in state.children("mappings"):
        keys, answers = mapping.scalars("keys"), mapping.scalars("values")
        if len(keys) != len(answers):
            raise BadFile(f"{mapping.where}: as many keys as values are expected.")
        found[mapping.text("name")] = dict(zip(keys, answers, strict=True))
    state.finish()
    for name in found:
        if name not in known:
            raise BadFile(f"{state.where} holds {name!r}, which is not a parameter.")
    return found


def _plain(value: Any) -> list[Any]:
    """[value] as a file holds it, or nothing."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return [str(value)]
    fits = value is None or isinstance(value, int) or (isinstance(value, float) and np.isfinite(value))
    return [value] if fits else []

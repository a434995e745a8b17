"""Constructor parameters as plain data: what `get_params` says of a stored estimator is what it said before."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from mercer.errors import BadFile
from mercer.state import Reader, State


def parameters_state(parameters: Mapping[str, Any]) -> State:
    """The parameters that are texts, finite numbers, truth values, None, or mappings to those or to lists of them.

    Others (a kernel, a callable, an array) are left out: what a fit made of them is stored by the estimator itself.
    """
    single: dict[str, Any] = {}
    mappings: list[State] = []
    for name, value in parameters.items():
        if not isinstance(value, Mapping):
            single.update((name, plain) for plain in _plain(value))
        elif all(_plain(k) and all(map(_plain, _as_list(v))) for k, v in value.items()):
            mappings.append({"name": name, **_mapping_state(value)})
    return {"names": list(single), "values": list(single.values()), "mappings": mappings}


def read_parameters(state: Reader, known: Container[str]) -> dict[str, Any]:
    """The stored parameters, each of which must be among those that are known."""
    names, values = state.texts("names"), state.scalars("values")
    if len(names) != len(values):
        raise BadFile(f"{state.where}: as many names as values are expected.")
    found: dict[str, Any] = dict(zip(names, values, strict=True))
    for mapping in state.children("mappings"):
        found[mapping.text("name")] = _read_mapping(mapping)
    state.finish()
    for name in found:
        if name not in known:
            raise BadFile(f"{state.where} holds {name!r}, which is not a parameter.")
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _mapping_state(value: Mapping[Any, Any]) -> State:
    """Keys, and the values end to end; a value that is a list says how many of them are its own, -1 another."""
    lists = [len(v) if isinstance(v, list | tuple) else -1 for v in value.values()]
    values = [_plain(part)[0] for v in value.values() for part in _as_list(v)]
    return {"keys": [_plain(k)[0] for k in value], "lists": np.array(lists, dtype=np.int64), "values": values}


def _read_mapping(state: Reader) -> dict[Any, Any]:
    keys, values = state.scalars("keys"), list(state.scalars("values"))
    lists = state.array("lists", "int64", (len(keys),), low=-1)
    if np.abs(lists).sum() != len(values):
        raise BadFile(f"{state.where}: as many keys as values are expected.")
    ends = np.cumsum(np.abs(lists))
    parts = [values[end - abs(size) : end] for end, size in zip(ends, lists, strict=True)]
    return {key: part if size >= 0 else part[0] for key, part, size in zip(keys, parts, lists, strict=True)}


def _plain(value: Any) -> list[Any]:
    """[value] as a file holds it, or nothing."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, str):
        return [str(value)]
    fits = value is None or isinstance(value, int) or (isinstance(value, float) and np.isfinite(value))
    return [value] if fits else []

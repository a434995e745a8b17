"""A state as JSON text and arrays, and back; in the text, {"$array": 3, ...} stands for an array.

Reading trusts nothing: no name twice, no infinity, no deep nesting, every array of the type and shape
announced, each used once and none left over.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from mercer.errors import BadFile, MercerError
from mercer.state import State

MAX_DEPTH = 40
_ARRAY = "$array"
_TYPES = {
    "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "U8": "uint8", "U16": "uint16", "U32": "uint32", "U64": "uint64", "F32": "float32", "F64": "float64",
}  # fmt: skip


def pack(state: State) -> tuple[bytes, bytes]:
    """Manifest (JSON) and arrays (safetensors) of a state."""
    arrays: dict[str, NDArray[Any]] = {}
    text = json.dumps(_plain(state, arrays, "model"), allow_nan=False, separators=(",", ":"))
    return text.encode(), safetensors.numpy.save(arrays)


def _plain(value: Any, arrays: dict[str, NDArray[Any]], where: str) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return _reference(value, arrays, where)
    if isinstance(value, dict):
        if not all(isinstance(k, str) and not k.startswith("$") for k in value):
            raise MercerError(f"{where}: the names of a state must be texts that do not start with '$'.")
        return {k: _plain(v, arrays, f"{where}.{k}") for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, arrays, f"{where}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise MercerError(f"{where} is {value}: the fit failed, and the model is not stored.")
    if value is None or isinstance(value, str | int | float):
        return value
    raise MercerError(f"{where}: a {type(value).__name__} cannot be stored.")


def _reference(value: NDArray[Any], arrays: dict[str, NDArray[Any]], where: str) -> State:
    if value.dtype.name not in _TYPES.values():
        raise MercerError(f"{where}: an array of {value.dtype} cannot be stored.")
    # Column-major arrays stay so: sums would otherwise run in another order and differ in the last bit.
    transposed = value.flags.f_contiguous and not value.flags.c_contiguous
    number = len(arrays)
    arrays[str(number)] = np.asarray(value.T if transposed else value, value.dtype.newbyteorder("="), order="C")
    return {_ARRAY: number, "type": value.dtype.name, "shape": list(value.shape), "transposed": bool(transposed)}


def unpack(manifest: bytes, arrays: memoryview) -> State:
    """The state that `pack` was given; BadFile for anything that it would not have written."""
    tree = parse_json(manifest, "manifest")
    if not isinstance(tree, dict):
        raise BadFile("manifest: expected named values.")
    found = _read_arrays(arrays)
    state: State = _filled(tree, found, "model", 0)
    if found:
        raise BadFile(f"The file holds {len(found)} array(s) that no part of the model uses.")
    return state


def parse_json(text: bytes, where: str) -> Any:
    """JSON in UTF-8, without repeated names, NaN or infinity."""
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_named, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"{where}: not the JSON that mercer writes ({str(error)[:80]}).") from None


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a duplicate name")
    return result


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _read_arrays(data: memoryview) -> dict[int, NDArray[Any]]:
    """Arrays by number. safetensors checks that they fill the data without gap or overlap."""
    try:
        tensors = dict(safetensors.deserialize(bytes(data)))  # type: ignore[no-untyped-call]
    except (safetensors.SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise BadFile(f"arrays: {str(error)[:120]}.") from None
    header = parse_json(bytes(data[8 : 8 + int.from_bytes(data[:8], "little")]), "arrays")
    if set(header) != {str(i) for i in range(len(tensors))}:
        raise BadFile(f"arrays: expected the numbers 0 to {len(tensors) - 1} and nothing else.")
    return {int(name): _array(name, tensor) for name, tensor in tensors.items()}


def _array(name: str, tensor: dict[str, Any]) -> NDArray[Any]:
    if tensor["dtype"] not in _TYPES:
        raise BadFile(f"arrays.{name}: {tensor['dtype']} is not a type that mercer stores.")
    dtype = np.dtype(_TYPES[tensor["dtype"]])
    raw = np.frombuffer(tensor["data"], dtype=np.uint8)
    raw = raw if raw.flags.writeable else raw.copy()  # a loaded model may go on learning
    if dtype == np.bool_ and raw.size and raw.max() > 1:
        raise BadFile(f"arrays.{name}: a boolean is neither 0 nor 1.")
    return raw.view(dtype).reshape(tensor["shape"])


def _filled(value: Any, arrays: dict[int, NDArray[Any]], where: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise BadFile(f"{where}: nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, list):
        return [_filled(v, arrays, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
    if isinstance(value, float) and math.isinf(value):
        raise BadFile(f"{where}: a number too large to be one.")
    if not isinstance(value, dict):
        return value
    if _ARRAY in value:
        return _referred(value, arrays, where)
    return {k: _filled(v, arrays, f"{where}.{k}", depth + 1) for k, v in value.items()}


def _referred(value: dict[str, Any], arrays: dict[int, NDArray[Any]], where: str) -> NDArray[Any]:
    number, transposed = value[_ARRAY], value.get("transposed")
    well_typed = type(number) is int and type(transposed) is bool
    if not well_typed or set(value) != {_ARRAY, "type", "shape", "transposed"}:
        raise BadFile(f"{where}: not a reference to an array.")
    array = arrays.pop(number, None)
    if array is None:
        raise BadFile(f"{where}: array {number} is missing, or used twice.")
    if transposed:
        array = array.T
    if value["type"] != array.dtype.name or value["shape"] != list(array.shape):
        raise BadFile(f"{where}: array {number} is not of the type and shape announced.")
    return array

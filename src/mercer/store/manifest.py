"""A state as JSON text and arrays, and back; in the text, {"$array": 3, ...} stands for an array.

Reading trusts nothing: no name twice, no infinity, no deep nesting, every array of the type and shape
announced, each used once and none left over. What costs more memory than its text is counted before it is parsed:
objects and lists, one for `BYTES_PER_NODE` bytes of text, and arrays, one for `BYTES_PER_ARRAY` bytes of the file,
beyond the `FREE_NODES` and `FREE_ARRAYS` that any file may have. An array without cells has no dimension larger than
the file has bytes.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from mercer.errors import BadFile, MercerError
from mercer.state import State

MAX_DEPTH = 40
BYTES_PER_NODE, FREE_NODES = 16, 20_000  # an empty object takes 80 bytes of memory; a column of a schema 90 of text
BYTES_PER_ARRAY, FREE_ARRAYS = 256, 20_000  # an empty array takes a kilobyte on its way
_TEXT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ARRAY = "$array"
ARRAY_TYPES = {
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


@cache  # NumPy puts the name together anew each time, and a forest has thousands of arrays
def _type_name(dtype: np.dtype[Any]) -> str:
    return dtype.name


def _reference(value: NDArray[Any], arrays: dict[str, NDArray[Any]], where: str) -> State:
    name = _type_name(value.dtype)
    if name not in ARRAY_TYPES.values():
        raise MercerError(f"{where}: an array of {value.dtype} cannot be stored.")
    # Column-major arrays stay so: sums would otherwise run in another order and differ in the last bit.
    transposed = value.flags.f_contiguous and not value.flags.c_contiguous
    number = len(arrays)
    arrays[str(number)] = np.asarray(value.T if transposed else value, value.dtype.newbyteorder("="), order="C")
    return {_ARRAY: number, "type": name, "shape": list(value.shape), "transposed": bool(transposed)}


def unpack(manifest: bytes, arrays: memoryview) -> State:
    """The state that `pack` was given; BadFile for anything that it would not have written."""
    _refuse_many_nodes(manifest)
    tree = parse_json(manifest, "manifest")
    if not isinstance(tree, dict):
        raise BadFile("manifest: expected named values.")
    found = _read_arrays(arrays, len(manifest) + len(arrays))
    state: State = _filled(tree, found, "model", 0)
    if found:
        raise BadFile(f"The file holds {len(found)} array(s) that no part of the model uses.")
    return state


def _refuse_many_nodes(text: bytes) -> None:
    most = FREE_NODES + len(text) // BYTES_PER_NODE
    if (
        _count_brackets(text) > most and _count_brackets(_TEXT.sub(b"", text)) > most
    ):  # those in names and cells are text
        raise BadFile(f"manifest: more objects and lists than the {most:,} that its {len(text):,} bytes may hold.")


def _count_brackets(text: bytes) -> int:
    return text.count(b"{") + text.count(b"[")


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


def _read_arrays(data: memoryview, size: int) -> dict[int, NDArray[Any]]:
    """Arrays by number, in a file of `size` bytes. safetensors checks that they fill it without gap or overlap."""
    head = bytes(data[8 : 8 + int.from_bytes(data[:8], "little")])
    most = FREE_ARRAYS + size // BYTES_PER_ARRAY
    if head.count(b"{") > most:
        raise BadFile(f"arrays: more than the {most:,} that a file of {size:,} bytes may hold.")
    try:
        tensors = dict(safetensors.deserialize(bytes(data)))  # type: ignore[no-untyped-call]
    except (safetensors.SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise BadFile(f"arrays: {str(error)[:120]}.") from None
    header = parse_json(head, "arrays")
    if set(header) != {str(i) for i in range(len(tensors))}:
        raise BadFile(f"arrays: expected the numbers 0 to {len(tensors) - 1} and nothing else.")
    return {int(name): _array(name, tensor, size) for name, tensor in tensors.items()}


def _array(name: str, tensor: dict[str, Any], size: int) -> NDArray[Any]:
    if max(tensor["shape"], default=0) > size:  # only an array without cells can have such a dimension
        raise BadFile(f"arrays.{name}: a dimension of {max(tensor['shape']):,} in a file of {size:,} bytes.")
    if tensor["dtype"] not in ARRAY_TYPES:
        raise BadFile(f"arrays.{name}: {tensor['dtype']} is not a type that mercer stores.")
    dtype = np.dtype(ARRAY_TYPES[tensor["dtype"]])
    raw = np.frombuffer(tensor["data"], dtype=np.uint8)
    raw = raw if raw.flags.writeable else raw.copy()  # a loaded model may go on learning
    if dtype == np.bool_ and raw.size and raw.max() > 1:
        raise BadFile(f"arrays.{name}: a boolean is neither 0 nor 1.")
    return raw.view(dtype).reshape(tensor["shape"])


def _filled(value: Any, arrays: dict[int, NDArray[Any]], where: str, depth: int) -> Any:
    """The value with its arrays in place of references; lists and objects are changed in place."""
    if depth > MAX_DEPTH:
        raise BadFile(f"{where}: nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, list):
        for i, v in enumerate(value):
            if not isinstance(v, str):  # most are names and levels
                value[i] = _filled(v, arrays, f"{where}[{i}]", depth + 1)
        return value
    if isinstance(value, float) and math.isinf(value):
        raise BadFile(f"{where}: a number too large to be one.")
    if not isinstance(value, dict):
        return value
    if _ARRAY in value:
        return _referred(value, arrays, where)
    for key, v in value.items():
        value[key] = _filled(v, arrays, f"{where}.{key[:80]}", depth + 1)
    return value


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
    if value["type"] != _type_name(array.dtype) or value["shape"] != list(array.shape):
        raise BadFile(f"{where}: array {number} is not of the type and shape announced.")
    return array

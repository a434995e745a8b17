"""A model file costs no more than its size allows: seconds, and a bounded multiple of its bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

import mercer
from mercer.encode import BagOfWords
from mercer.errors import BadFile
from mercer.state import DERIVED_FREE, DERIVED_PER_BYTE, Budget, Reader
from mercer.store.envelope import seal, unseal
from mercer.store.manifest import BYTES_PER_ARRAY, FREE_ARRAYS

ROWS = mercer.read_table(
    {"x": np.arange(40.0), "note": ["tea and milk", "coffee", "tea", "milk"] * 10}, kinds={"note": "text"}
)
LABELS = np.array(["a", "b"] * 20)
MEMORY = 1 << 30  # beyond what the imports take
LOAD = """
import resource, sys, mercer
from mercer.errors import BadFile
from mercer.store.model import open_model
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]),) * 2)
for path in sys.argv[2:]:
    try:
        open_model(path)
    except BadFile as error:
        print(error)
"""
Edit = Callable[[dict[str, Any], dict[str, Any]], object]


def _saved(model: Any, path: Path, edit: Edit) -> Path:
    mercer.save(model, path)
    manifest, arrays = unseal(path)
    state, tensors = json.loads(manifest), safetensors.numpy.load(bytes(arrays))
    edit(state, tensors)
    path.write_bytes(b"".join(seal(json.dumps(state).encode(), safetensors.numpy.save(tensors))))
    return path


def _combinations(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    reference = state["state"]["fitted"]["columns"]["combinations"]
    reference.update(shape=[1 << 29, 0])
    tensors[str(reference["$array"])] = np.zeros((1 << 29, 0))


def _hashed(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    words = state["state"]["fitted"]["columns"]["words"]
    words["parameters"].update(hashed=True, size=10_000_000)
    words["fitted"]["columns"][0]["words"] = []


def _products(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    design = state["state"]["fitted"]["design"]
    design["words"][0]["words"] = [f"w{i}" for i in range(20_000)]
    design["terms"] = ["note*note"]


def _labels(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    state["state"]["fitted"]["classes"]["values"] = [*map(str, range(500)), "x" * 1_000_000]


def _empty_arrays(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    tensors.update({str(i): np.zeros(0) for i in range(len(tensors), 100_000)})


def _empty_objects(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    state["card"]["missing"] = [{}] * 2_000_000


def _long_name(state: dict[str, Any], tensors: dict[str, Any]) -> None:
    words = state["state"]["fitted"]["columns"]["words"]
    words["input"]["schema"]["columns"][1]["name"] = words["input"]["names"][1] = "n" * 1_000_000
    words["parameters"]["size"] = None
    words["fitted"]["columns"][0]["words"] = [f"w{i}" for i in range(20_000)]


COSTLY: dict[str, tuple[type, Edit, str]] = {
    "an empty array with a huge dimension": (mercer.DecisionTreeClassifier, _combinations, "a dimension of"),
    "words hashed to millions of columns": (mercer.DecisionTreeClassifier, _hashed, "too many for the size"),
    "products of all words": (mercer.LogisticRegression, _products, "would make 400,000,000 columns"),
    "a label of a million letters": (mercer.MajorityClass, _labels, "too many for the size"),
    "empty arrays": (mercer.MajorityClass, _empty_arrays, "arrays: more than"),
    "empty objects": (mercer.MajorityClass, _empty_objects, "more objects and lists"),
    "a name of a million letters before each word": (mercer.DecisionTreeClassifier, _long_name, "too many for"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_small_files_that_ask_for_gigabytes_are_refused_at_once(tmp_path: Path) -> None:
    """All in one process of limited memory: starting it takes longer than reading the files."""
    models = {learner: learner().fit(ROWS, LABELS) for learner, _, _ in COSTLY.values()}
    paths = [
        _saved(models[learner], tmp_path / f"{i}.mercer", edit) for i, (learner, edit, _) in enumerate(COSTLY.values())
    ]
    command = [sys.executable, "-c", LOAD, str(MEMORY), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths), done.stderr
    for name, line in zip(COSTLY, lines, strict=True):
        assert COSTLY[name][2] in line, f"{name}: {line}"


def test_what_readers_derive_adds_up() -> None:
    reader = Reader({"a": {}, "b": {}}, budget=Budget(10))
    half = (DERIVED_FREE + DERIVED_PER_BYTE * 10) / 2
    reader.child("a").derive("x", half)
    with pytest.raises(BadFile, match=r"model\.b\.y asks for"):
        reader.child("b").derive("y", half + 1)
    Reader({}).derive("x", 1e30)  # not of a file: no limit


def test_many_arrays_are_allowed_in_a_large_file(tmp_path: Path) -> None:
    """The bound grows with the file."""

    def add(state: dict[str, Any], tensors: dict[str, Any]) -> None:
        large = np.zeros(BYTES_PER_ARRAY * 1000 // 8)
        tensors.update({str(i): large[:0] for i in range(len(tensors), FREE_ARRAYS + 500)})
        tensors[str(len(tensors))] = large

    with pytest.raises(BadFile, match="no part of the model uses"):
        mercer.load(_saved(mercer.MajorityClass().fit(ROWS, LABELS), tmp_path / "m.mercer", add))


def test_brackets_in_cells_are_not_objects(tmp_path: Path) -> None:
    rows = mercer.read_table({"x": ['{[\\"' * 500 + str(i) for i in range(400)]}, kinds={"x": "category"})
    model = mercer.MajorityClass().fit(rows, ["a", "b"] * 200)
    mercer.save(model, tmp_path / "m.mercer")
    assert mercer.load(tmp_path / "m.mercer").schema_ == model.schema_


def test_hashing_to_many_columns_is_allowed(tmp_path: Path) -> None:
    encoder = BagOfWords(1 << 16, hashed=True).fit(ROWS)
    state = encoder.to_state()
    assert len(BagOfWords.from_state(Reader(state, budget=Budget(10_000))).schema_out_) == (1 << 16) + 1

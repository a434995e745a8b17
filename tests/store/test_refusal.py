"""A model file that is not exactly what was written is refused, with a message and without a crash."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mercer
from mercer.errors import BadFile
from mercer.store import envelope
from mercer.store.envelope import seal, unseal
from mercer.store.manifest import MAX_DEPTH

HEADER = 28


@pytest.fixture
def path(model: Any, tmp_path: Path) -> Path:
    mercer.save(model, tmp_path / "m.mercer", target="y", training_rows=40)
    return tmp_path / "m.mercer"


def _refused(path: Path, data: bytes, match: str | None = None) -> None:
    path.write_bytes(data)
    with pytest.raises(BadFile, match=match):
        mercer.load(path)


def _parts(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    manifest, arrays = unseal(path)
    return json.loads(manifest), safetensors.numpy.load(bytes(arrays))


def _sealed(manifest: Any, arrays: dict[str, np.ndarray] | bytes) -> bytes:
    """A whole file with a right checksum: only the checks of its meaning are left to refuse it."""
    text = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    return b"".join(seal(text, arrays if isinstance(arrays, bytes) else safetensors.numpy.save(arrays)))


def test_cut_at_every_length(path: Path) -> None:
    data = path.read_bytes()
    for length in range(len(data)):
        _refused(path, data[:length], "empty" if length == 0 else "cut short")


def test_every_byte_altered(path: Path) -> None:
    data = path.read_bytes()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 << (place % 8)
        _refused(path, bytes(changed))


def test_something_after_the_end(path: Path) -> None:
    data = path.read_bytes()
    _refused(path, data + b"\0", "not its own")
    _refused(path, data + data, "not its own")


def test_a_copy_made_with_the_same_parts_is_accepted(path: Path, table: Any) -> None:
    """The refusals below are for the edit, not for the way the test writes files."""
    before = mercer.load(path).predict_proba(table)
    path.write_bytes(_sealed(*_parts(path)))
    assert mercer.load(path).predict_proba(table).tobytes() == before.tobytes()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "empty"),
        (pickle.dumps([1]), "pickle"),
        (b"PK\x03\x04" + b"\0" * 100, "zip"),
        (b"PAR1" + b"\0" * 100, "Parquet"),
        (b'{"a": 1}', "JSON"),
        (b"svm_type c_svc\nkernel_type rbf\n", "LIBSVM"),
        (b"a,b\n1,2\n", "not a mercer model"),
        (safetensors.numpy.save({"a": np.ones(3)}), "not a mercer model"),
    ],
)
def test_another_file_under_the_name_of_a_model(tmp_path: Path, data: bytes, match: str) -> None:
    _refused(tmp_path / "m.mercer", data, match)


def test_a_model_under_another_name(path: Path) -> None:
    with pytest.raises(BadFile, match="not named as a model"):
        mercer.load(path.rename(path.with_name("table.csv")))


def test_no_file_or_a_directory(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="There is no model file"):
        mercer.load(tmp_path / "m.mercer")
    (tmp_path / "m.mercer").mkdir()
    with pytest.raises(BadFile, match="not a file"):
        mercer.load(tmp_path / "m.mercer")


def test_oversized_is_refused_unread(path: Path) -> None:
    with pytest.raises(BadFile, match="the limit is 100"):
        mercer.load(path, limit=100)
    with path.open("r+b") as file:  # a sparse file of 5 TB: reading it would fail
        file.truncate(5 << 40)
    with pytest.raises(BadFile, match="the limit is"):
        mercer.load(path)


def test_announced_lengths_allocate_nothing(path: Path) -> None:
    header = struct.pack("<8sIQQ", b"\x89MERCER\n", envelope.FORMAT, 100, 1 << 62)
    _refused(path, header + b"\0" * 200, "cut short")
    header = struct.pack("<8sIQQ", b"\x89MERCER\n", envelope.FORMAT, 1 << 62, 100)
    _refused(path, header + b"\0" * 200, "announces a manifest")


def test_a_later_format(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = _parts(path)
    monkeypatch.setattr(envelope, "FORMAT", 3)
    path.write_bytes(_sealed(*parts))
    monkeypatch.setattr(envelope, "FORMAT", 2)
    with pytest.raises(BadFile, match="has format 3"):
        mercer.load(path)


def _column(manifest: dict[str, Any]) -> Any:
    return manifest["state"]["schema"]["columns"][0]


def _classes(manifest: dict[str, Any]) -> Any:
    return manifest["state"]["classes"]


Edit = Callable[[dict[str, Any]], object]
EDITS: dict[str, tuple[Edit, str]] = {
    "unknown class": (lambda m: m.update({"class": "os.system"}), "no class"),
    "dotted class": (lambda m: m.update({"class": "mercer.errors.BadFile"}), "no class"),
    "class of another type": (lambda m: m.update({"class": ["Centroids"]}), "class: expected"),
    "no class": (lambda m: m.pop("class"), "class is missing"),
    "no card": (lambda m: m.pop("card"), "card is missing"),
    "wrong task": (lambda m: m["card"].update(task="regression"), "not for regression"),
    "unknown task": (lambda m: m["card"].update(task="clustering"), "task: expected"),
    "negative rows": (lambda m: m["card"].update(training_rows=-1), "training_rows"),
    "flag as number": (lambda m: m["card"].update(holds_training_rows=0), "true or false"),
    "no date": (lambda m: m["card"].update(created="yesterday"), "created"),
    "extra at the top": (lambda m: m.update(more=1), "'more', which does not belong"),
    "extra in the card": (lambda m: m["card"].update(more=1), "'more', which does not belong"),
    "extra in the state": (lambda m: m["state"].update(more=1), "'more', which does not belong"),
    "extra in a column": (lambda m: _column(m).update(more=1), "does not belong"),
    "extra in a part": (lambda m: m["state"]["parts"][1].update(more=1), "does not belong"),
    "missing value": (lambda m: m["state"].pop("sharpness"), "sharpness is missing"),
    "text for a number": (lambda m: m["state"].update(sharpness="2"), "sharpness: expected a number"),
    "true for a number": (lambda m: m["state"].update(sharpness=True), "sharpness: expected a number"),
    "out of range": (lambda m: m["state"].update(sharpness=-1), "sharpness: expected a number from"),
    "index out of range": (lambda m: m["state"]["parts"][0].update(class_index=2), "class_index"),
    "a class more": (lambda m: _classes(m)["values"].append("z"), "means: expected an array of shape"),
    "a class twice": (lambda m: _classes(m).update(values=["no", "no"]), "distinct"),
    "no class labels": (lambda m: _classes(m).update(values=[]), "values"),
    "labels that are lists": (lambda m: _classes(m).update(values=[["a"], ["b"]]), "values"),
    "labels of another type": (lambda m: _classes(m).update(type="int64"), "type int64"),
    "labels of no known type": (lambda m: _classes(m).update(type="V8"), "type: expected"),
    "labels that overflow": (lambda m: _classes(m).update(type="int8", values=[1, 999]), "int8"),
    "a column less": (lambda m: m["state"]["schema"]["columns"].pop(), "means: expected an array of shape"),
    "a column twice": (lambda m: _column(m).update(name="b"), "distinct names"),
    "unknown kind": (lambda m: _column(m).update(kind="image"), "kind: expected"),
    "unknown notation": (lambda m: _column(m).update(format="%s"), "format: expected"),
    "columns not a list": (lambda m: m["state"]["schema"].update(columns={}), "expected a list"),
    "a column that is a number": (lambda m: m["state"]["schema"].update(columns=[1]), "named values"),
    "a part less": (lambda m: m["state"]["parts"].pop(), "no part of the model uses"),
    "array used twice": (lambda m: m["state"]["parts"][0].update(row=m["state"]["means"]), "used twice"),
    "array that is not there": (lambda m: m["state"]["means"].update({"$array": 99}), "is missing, or"),
    "array number as text": (lambda m: m["state"]["means"].update({"$array": "0"}), "not a reference"),
    "array of another shape": (lambda m: m["state"]["means"].update(shape=[4]), "shape announced"),
    "array of another type": (lambda m: m["state"]["means"].update(type="int64"), "shape announced"),
    "array turned over": (lambda m: m["state"]["parts"][0]["row"].update(turned=1), "not a reference"),
    "extra in a reference": (lambda m: m["state"]["means"].update(more=1), "not a reference"),
    "deep nesting": (lambda m: m["state"].update(sharpness=_nested(MAX_DEPTH + 5)), "nested deeper"),
}  # fmt: skip


def _nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_with_the_checksum_made_right(path: Path, name: str) -> None:
    edit, message = EDITS[name]
    manifest, arrays = _parts(path)
    edit(manifest)
    _refused(path, _sealed(manifest, arrays), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "JSON"),
        (b"[]", "expected named values"),
        (b"{" * 10_000, "JSON"),
        (b"[" * 10_000, "JSON"),
        (b'{"a": ' * 10_000, "JSON"),
        (b'{"class": "Centroids", "class": "Centroids"}', "duplicate"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "Infinity is not a number"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 100_000 + b"}", "JSON"),
        (b"\xff\xfe{}", "JSON"),
        (b"{} {}", "JSON"),
    ],
)  # fmt: skip
def test_a_manifest_that_mercer_does_not_write(path: Path, text: bytes, message: str) -> None:
    _refused(path, _sealed(text, {}), message)


def test_arrays_edited_with_the_checksum_made_right(path: Path) -> None:
    manifest, arrays = _parts(path)
    _refused(path, _sealed(manifest, arrays | {"3": np.ones(2)}), "no part of the model uses")
    _refused(path, _sealed(manifest, arrays | {"x": np.ones(2)}), "expected the numbers 0 to 3")
    _refused(path, _sealed(manifest, {k: v for k, v in arrays.items() if k != "0"}), "expected the numbers")
    _refused(path, _sealed(manifest, arrays | {"0": arrays["0"] * np.nan}), "finite values")
    _refused(path, _sealed(manifest, arrays | {"0": arrays["0"].astype(np.float32)}), "type and shape announced")
    _refused(
        path,
        _sealed(manifest, arrays | {"0": arrays["0"].astype(np.float16)}),
        "not a type that mercer stores",
    )
    whole = safetensors.numpy.save(arrays)
    _refused(path, _sealed(manifest, whole[:-1]), "arrays:")
    _refused(path, _sealed(manifest, whole + b"\0"), "arrays:")
    _refused(path, _sealed(manifest, b""), "arrays:")
    _refused(path, _sealed(manifest, safetensors.numpy.save(arrays, {"note": "hello"})), "nothing else")


def test_a_truth_value_of_two(path: Path) -> None:
    manifest, arrays = _parts(path)
    data = bytearray(safetensors.numpy.save(arrays | {"3": np.array([True, False])}))
    data[-1] = 2
    _refused(path, _sealed(manifest, bytes(data)), "neither 0 nor 1")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_under_a_right_checksum_never_crashes(path: Path, data: st.DataObject) -> None:
    """Bytes after the header changed, and the checksum mended: BadFile, or a sound model."""
    original = path.with_suffix(".original")
    if not original.exists():
        original.write_bytes(path.read_bytes())
    body = bytearray(original.read_bytes()[:-32])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(HEADER, len(body) - 1))
        body[place] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(body) + hashlib.sha256(body).digest())
    try:
        model = mercer.load(path)
    except BadFile:
        return
    probabilities = model.predict_proba({c.name: [0.5, None] for c in model.schema_})
    assert probabilities.shape == (2, len(model.classes_))
    assert np.isfinite(probabilities).all()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_in_any_place_of_the_manifest(path: Path, data: st.DataObject) -> None:
    original = path.with_suffix(".original")
    if not original.exists():
        original.write_bytes(path.read_bytes())
    path.write_bytes(original.read_bytes())
    manifest, arrays = _parts(path)
    node: Any = manifest
    while True:
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        if not isinstance(node[key], dict | list) or not node[key] or data.draw(st.integers(0, 3)) == 0:
            break
        node = node[key]
    node[key] = data.draw(JSON)
    path.write_bytes(_sealed(manifest, arrays))
    try:
        model = mercer.load(path)
    except BadFile:
        return
    assert model.predict_proba({c.name: [0.5] for c in model.schema_}).shape == (1, len(model.classes_))

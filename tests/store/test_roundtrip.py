"""What is saved comes back the same: predictions bit for bit, labels with their type, card, schema."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

import mercer
from mercer.errors import BadOutput, BadTarget, MercerError, MercerWarning
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.select.decisions import DecisionRule
from mercer.state import Reader
from mercer.store import open_model
from mercer.store.manifest import pack, unpack
from mercer.table import Schema, read_table

LABELS = [
    np.array(["b", "ä", "long label"]),
    np.array(["x", "y"], dtype=object),
    np.array([3, -1, 2**40]),
    np.array([1, 0], dtype=np.uint8),
    np.array([0.1, 2.5]),
    np.array([False, True]),
    np.array([7, 8], dtype=object),
]


def test_loaded_model_predicts_bit_for_bit_the_same(model: Any, table: Any, tmp_path: Path) -> None:
    mercer.save(model, tmp_path / "m.mercer", target="y", training_rows=40)
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.predict_proba(table).tobytes() == model.predict_proba(table).tobytes()
    assert loaded.predict(table).tolist() == model.predict(table).tolist()
    assert loaded.means_.flags.f_contiguous == model.means_.flags.f_contiguous
    assert loaded.means_.flags.writeable
    assert loaded.schema_ == model.schema_
    assert loaded.get_params() == model.get_params()


def test_card_is_kept(model: Any, tmp_path: Path) -> None:
    mercer.save(model, str(tmp_path / "m.mercer"), target="churn", training_rows=40, missing=("-", "unknown"))
    card = open_model(tmp_path / "m.mercer").card
    assert (card.task, card.target, card.training_rows) == ("classification", "churn", 40)
    assert card.missing == ("-", "unknown")
    assert card.mercer == mercer.__version__
    assert not card.holds_training_rows
    mercer.save(model, tmp_path / "m.mercer", holds_training_rows=True)
    assert open_model(tmp_path / "m.mercer").card.holds_training_rows


@pytest.mark.parametrize("labels", LABELS, ids=lambda a: f"{a.dtype}-{a[0]}")
def test_labels_come_back_with_their_type(labels: np.ndarray) -> None:
    back = labels_from_state(Reader(unpack(*_views(pack(labels_state(labels))))))
    assert back.dtype == labels.dtype
    assert back.tolist() == labels.tolist()
    assert [type(v) for v in back.tolist()] == [type(v) for v in labels.tolist()]


@pytest.mark.parametrize("labels", [np.array([b"a"]), np.array([1j]), np.array(["a", None], dtype=object)])
def test_other_labels_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(BadTarget, match="cannot be stored"):
        labels_state(labels)


DTYPES = st.sampled_from(["bool", "int8", "int32", "int64", "uint16", "float32", "float64"])


@given(
    value=DTYPES.flatmap(lambda d: arrays(d, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))),
    fortran=st.booleans(),
)
def test_every_array_comes_back(value: np.ndarray, fortran: bool) -> None:
    value = np.asfortranarray(value) if fortran and value.ndim else value
    back = unpack(*_views(pack({"a": value, "again": [{"b": value}]})))
    for found in (back["a"], back["again"][0]["b"]):
        assert found.dtype == value.dtype
        assert found.shape == value.shape
        assert found.tobytes() == value.tobytes()
        assert found.flags.f_contiguous == value.flags.f_contiguous


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.dictionaries(st.text().filter(lambda k: not k.startswith("$")), SCALARS | st.lists(SCALARS), max_size=5))
def test_every_plain_value_comes_back_exactly(state: dict[str, Any]) -> None:
    assert repr(unpack(*_views(pack(state)))) == repr(state)


@pytest.mark.parametrize(
    "value", [np.inf, np.nan, object(), {1, 2}, b"x", np.array(["a"]), np.array([1j]), {"$array": 0}, {1: 2}]
)
def test_what_cannot_be_stored_is_refused(value: Any) -> None:
    with pytest.raises(MercerError):
        pack({"value": value})


def test_schema_comes_back() -> None:
    table = read_table(
        {
            "n": [1.5, None, 3.0], "pay": ["10K", "20K", "25K"], "size": ["S", "L", "M"],
            "flag": [True, False, None], "same": ["x", "x", "x"], "city": ["Bern", "Graz", "Ulm"],
        },
        kinds={"size": ["S", "M", "L"]},
    )  # fmt: skip
    assert table.schema.left_out
    state = unpack(*_views(pack(table.schema.to_state())))
    reader = Reader(state)
    assert Schema.from_state(reader) == table.schema
    reader.finish()


def test_an_unfitted_or_strange_model_is_not_saved(storable: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not fitted"):
        mercer.save(storable(), tmp_path / "m.mercer")
    with pytest.raises(MercerError, match="dict cannot be stored"):
        mercer.save({}, tmp_path / "m.mercer")

    class Centroids(storable):  # type: ignore[misc]
        """The name of a storable class is not enough."""

    with pytest.raises(MercerError, match="cannot be stored"):
        mercer.save(Centroids(), tmp_path / "m.mercer")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_read_back_is_not_written(model: Any, tmp_path: Path) -> None:
    mercer.save(model, tmp_path / "m.mercer")
    before = (tmp_path / "m.mercer").read_bytes()
    model.means_[0, 0] = np.nan
    with pytest.raises(MercerError, match="means: expected finite values"):
        mercer.save(model, tmp_path / "m.mercer")
    assert (tmp_path / "m.mercer").read_bytes() == before


def test_a_model_file_is_named_so(model: Any, tmp_path: Path) -> None:
    with pytest.raises(BadOutput, match=r"ends in \.mercer"):
        mercer.save(model, tmp_path / "m.pkl")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full"),
        (OSError(errno.EROFS, "Read-only file system"), "read-only"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"),
    ],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, message: str
) -> None:
    path = tmp_path / "m.mercer"
    mercer.save(model, path)
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", _raiser(error))
    with pytest.raises(BadOutput, match=message):
        mercer.save(model, path)
    assert [p.name for p in tmp_path.iterdir()] == ["m.mercer"]
    assert path.read_bytes() == before


def test_ctrl_c_while_writing_leaves_nothing(model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", _raiser(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        mercer.save(model, tmp_path / "m.mercer")
    assert list(tmp_path.iterdir()) == []


def test_where_no_file_can_be(model: Any, tmp_path: Path) -> None:
    with pytest.raises(BadOutput, match="no such folder"):
        mercer.save(model, tmp_path / "none" / "m.mercer")
    (tmp_path / "d.mercer").mkdir()
    with pytest.raises(BadOutput, match="folder of that name"):
        mercer.save(model, tmp_path / "d.mercer")


def _raiser(error: BaseException) -> Any:
    def refuse(*_: object) -> None:
        raise error

    return refuse


def _views(packed: tuple[bytes, bytes]) -> tuple[bytes, memoryview]:
    return packed[0], memoryview(packed[1])


def test_a_threshold_of_the_file_is_told_and_can_be_set(tmp_path):
    X, y = np.arange(40.0)[:, None], np.repeat(["no", "yes"], [28, 12])
    model = mercer.LogisticRegression().fit(X, y)
    path = tmp_path / "m.mercer"
    mercer.save(model, path, decision=DecisionRule(("no", "yes"), 1, 0.1))
    with pytest.warns(MercerWarning, match=r"m\.mercer: mercer predict calls a row 'yes' from a probability of 0\.1;"):
        loaded = mercer.load(path)
    at_threshold = FixedThresholdClassifier(FrozenEstimator(loaded), threshold=0.1, pos_label="yes").fit(X, y)
    expected = np.where(model.predict_proba(X)[:, 1] >= 0.1, "yes", "no")
    np.testing.assert_array_equal(at_threshold.predict(X), expected)
    assert (loaded.predict(X) != expected).any()

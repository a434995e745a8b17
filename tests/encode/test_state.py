"""Every encoder: the same after a state round trip, after permuting the rows, and on any form of input."""

import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mercer
import mercer.encode
from mercer.encode import (
    BagOfWords,
    Bins,
    Chain,
    DropMissing,
    Encoder,
    Impute,
    Log,
    MinMax,
    OneHot,
    Polynomial,
    TopLevels,
    UnitLength,
    ZScore,
    categorical_recipe,
    dense_recipe,
)
from mercer.encode.chain import STEPS
from mercer.errors import MercerError
from mercer.state import Reader
from mercer.table import kind

from .tables import mixed_tables, same_cells

ENCODERS = [
    ZScore(), ZScore(center=False, on=["b"]), MinMax(-1, 2, clip=True), UnitLength("l1"),
    Impute(), Impute("mode", "level", indicator=True), DropMissing(0.6), DropMissing(0.3, on=["c", "f"]),
    OneHot(0.5), OneHot(missing="column", drop="common", sparse=True, on=["d", "c"]), TopLevels(2),
    TopLevels(1, "rest", on=kind("numeric", "category")), Bins(3), Bins(2, "width", on="a"), Bins(4, "kmeans"),
    Polynomial(3, "powers"), Log(2e6, keep=True), BagOfWords(2), BagOfWords(8, hashed=True, binary=True),
    dense_recipe(drop="binary", indicator=True), categorical_recipe(top=2), Chain([]),
]  # fmt: skip


def stored(encoder):
    return type(encoder).from_state(Reader(copy.deepcopy(encoder.to_state())))


@given(mixed_tables(), st.sampled_from(ENCODERS))
def test_a_stored_encoder_gives_the_same_bits(table, encoder):
    encoder = clone(encoder).fit(table)
    other = stored(encoder)
    assert other.get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()
    if isinstance(encoder, Chain):
        same_cells(other.table(table), encoder.table(table))
    else:
        same_cells(other.transform(table), encoder.transform(table))
        assert other.get_params() == encoder.get_params()
    assert other.schema_out_ == encoder.schema_out_


@given(mixed_tables(), st.sampled_from(ENCODERS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(table, encoder, random):
    order = np.array(random.sample(range(len(table)), len(table)))
    one, two = clone(encoder).fit(table), clone(encoder).fit(table.take(order))
    assert two.get_feature_names_out().tolist() == one.get_feature_names_out().tolist()
    a, b = (e.table(table) if isinstance(e, Chain) else e.transform(table) for e in (one, two))
    assert_allclose(a.numbers(), b.numbers(), rtol=1e-9, atol=1e-9)
    assert_array_equal(a.codes(), b.codes())


@given(mixed_tables(), st.sampled_from(ENCODERS))
def test_the_schema_is_that_of_the_cells(table, encoder):
    out = clone(encoder).fit(table)
    out = out.table(table) if isinstance(out, Chain) else out.transform(table)
    assert out.numbers().shape == (len(table), len(out.schema.numeric_names))
    assert out.codes().shape[1] + out.texts().shape[1] + out.numbers().shape[1] == len(out.schema)
    for column in out.schema:
        assert column.reason is not None
        if column.kind.categorical:
            codes = out.codes(column.name)
            assert codes.min() >= -1
            assert codes.max() <= len(column.levels)


FRAME = {
    "a": [1.5, 2.0, None, 4.0, 8.5], "b": [10, 20, 40, 20, 10], "c": ["x", "y", "z", None, "x"],
    "d": ["no", "yes", "no", "yes", "no"], "f": ["tea", "no tea", None, "milk in my tea", "x"],
}  # fmt: skip


@pytest.mark.parametrize("encoder", [e for e in ENCODERS if not isinstance(e.on, list | str)], ids=repr)
def test_frames_mappings_and_tables_give_the_same(encoder):
    table = mercer.read_table(FRAME)
    encoder = clone(encoder).fit(table)
    shuffled = pd.DataFrame(FRAME)[list("fdcba")]
    for form in (table, shuffled, FRAME):
        if isinstance(encoder, Chain):
            same_cells(encoder.table(form), encoder.table(table))
        else:
            same_cells(encoder.transform(form), encoder.transform(table))


def test_every_encoder_is_tested_and_stored():
    classes = {c for c in (getattr(mercer.encode, n) for n in mercer.encode.__all__) if isinstance(c, type)}
    public = {c for c in classes if issubclass(c, Encoder)}
    assert {type(e) for e in ENCODERS} == public - {Encoder}
    others = {mercer.SelectByForest}  # of another room, stored and read back in its tests
    assert set(STEPS.values()) == (public | others) - {Encoder, Chain}


@pytest.mark.parametrize("encoder", ENCODERS[:-1], ids=repr)
def test_unfitted_encoders_say_so(encoder):
    with pytest.raises(NotFittedError):
        clone(encoder).to_state()
    with pytest.raises(NotFittedError):
        clone(encoder).transform(mercer.read_table(FRAME))


def corrupted(state):
    """Every state that differs from a good one in one place."""
    for key, value in state.items():
        yield {k: v for k, v in state.items() if k != key}
        yield {**state, "extra": 1}
        if isinstance(value, dict):
            for wrong in corrupted(value):
                yield {**state, key: wrong}
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield {**state, key: value + value[-1:]}
            for wrong in corrupted(value[0]):
                yield {**state, key: [wrong, *value[1:]]}
        elif isinstance(value, np.ndarray):
            yield {**state, key: value.astype(np.int16)}
            yield {**state, key: np.append(value, value)[: len(value) + 1] if len(value) else np.ones((1, 1))}
            if value.dtype.kind == "f" and value.size:
                yield {**state, key: np.full_like(value, np.nan)}
            elif value.size:
                yield {**state, key: np.full_like(value, 99)}
        elif isinstance(value, bool | int | float):
            yield {**state, key: "not a number"}
        elif isinstance(value, str) and key not in ("name", "reason", "other"):
            yield {**state, key: "nonsense"}


@pytest.mark.parametrize("encoder", ENCODERS, ids=repr)
def test_a_tampered_state_is_refused(encoder):
    encoder = clone(encoder).fit(mercer.read_table(FRAME))
    accepted = []
    for state in corrupted(encoder.to_state()):
        try:
            type(encoder).from_state(Reader(copy.deepcopy(state)))
        except MercerError:
            continue
        accepted.append(state)
    # None stands for "not given" in a few optional values, whose absence is therefore no fault.
    assert len(accepted) <= 2, accepted[0].keys()

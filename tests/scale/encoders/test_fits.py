"""Encoders in chunks are those of all rows at once."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from tests.scale.rows import ROWS, cut, expect_same

import mercer
from mercer.encode import (
    BagOfWords,
    Bins,
    Chain,
    DropMissing,
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
from mercer.errors import BadColumn, BadTable, BadTarget, MercerError, MercerWarning

WORDS = ["tea", "milk", "no", "sugar", "black", "with"]
NOTES = [" ".join(np.random.default_rng(k).choice(WORDS, 9)) for k in range(len(ROWS))]
TABLE = ROWS.assign(note=NOTES).drop(columns="y")
EXACT = [
    MinMax(-1, 3),
    Impute(),
    Impute("mode", indicator=True),
    Impute(levels="level"),
    DropMissing(0.1),
    OneHot(),
    OneHot(missing="column", drop="common"),
    OneHot(drop="binary"),
    TopLevels(1),
    TopLevels(3, on=["age", "city"]),
    Bins(),
    Bins(3, on="pay"),
    Bins(7, "width"),
    Polynomial(terms="powers"),
    UnitLength(),
    Log(1, on="pay"),
    BagOfWords(3, min_rows=2),
    BagOfWords(16, hashed=True),
    categorical_recipe(top=3),
]
ROUNDED = [
    ZScore(),
    ZScore(ddof=1, center=False),
    Impute("mean"),
    dense_recipe(top=2, indicator=True, drop="first"),
    Chain([("fill", Impute()), ("products", Polynomial()), ("inner", Chain([("scale", ZScore()), ("bins", Bins(3))]))]),
]
CUTS = st.lists(st.integers(0, len(TABLE)), max_size=6)


@settings(max_examples=40, deadline=None)
@given(cuts=CUTS, encoder=st.sampled_from(EXACT + ROUNDED))
def test_an_encoder_in_chunks_is_that_of_all_rows(cuts, encoder):
    found = mercer.scale.fit(clone(encoder), cut(TABLE, cuts))
    whole = clone(encoder).fit(TABLE)
    expect_same(found, whole, rtol=0 if encoder in EXACT else 1e-12)
    assert found.schema_out_.names == whole.schema_out_.names


@settings(max_examples=60, deadline=None)
@given(
    numbers=st.lists(st.none() | st.integers(-4, 4) | st.floats(-1e6, 1e6), min_size=2, max_size=30),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    encoder=st.sampled_from([Bins(4), Bins(3, "width"), Impute(), Impute("mode"), MinMax()]),
)
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_ranks_and_ranges_of_any_numbers(numbers, cuts, encoder):
    table = pd.DataFrame({"x": [1.0, *numbers], "z": 1.0 * np.arange(len(numbers) + 1)}).astype(float)
    found = mercer.scale.fit(clone(encoder), cut(table, [min(c, len(table)) for c in cuts]))
    expect_same(found, clone(encoder).fit(table), rtol=0)


def test_every_public_encoder_is_fitted_here():
    assert {type(encoder).__name__ for encoder in EXACT + ROUNDED} == set(mercer.scale.encoders_in_chunks())
    public = set(mercer.encode.__all__) - {"Encoder", "dense_recipe", "categorical_recipe"}
    assert public == set(mercer.scale.encoders_in_chunks())


@pytest.mark.parametrize("size", [1e-170, 1.0, 1e200])
def test_the_moments_are_those_of_scikit_learn(size):
    x = np.random.default_rng(0).normal(3, 2, (200, 2))
    found = mercer.scale.fit(ZScore(), cut(pd.DataFrame(x * size, columns=["a", "b"]), [1, 50, 120]))
    theirs = StandardScaler().fit(x)
    np.testing.assert_allclose(found.shift_ / size, theirs.mean_, rtol=1e-12)
    np.testing.assert_allclose(found.scale_ / size, theirs.scale_, rtol=1e-12)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_whose_target_is_not_encoded(tmp_path, ending):
    rows = ROWS.assign(y=ROWS.y.where(np.arange(len(ROWS)) > 20))
    for k, part in enumerate(cut(rows, [100, 350])):
        part.to_csv(tmp_path / f"{k}.csv", index=False)
        part.to_parquet(tmp_path / f"{k}.parquet")
    found = mercer.scale.fit(Impute(), str(tmp_path / f"*.{ending}"), "y")
    whole = Impute().fit(ROWS.drop(columns="y"))  # also of the rows without target
    np.testing.assert_array_equal(found.fill_, whole.fill_)
    np.testing.assert_array_equal(found.code_, whole.code_)
    assert "y" not in found.schema_
    assert found.transform(ROWS.drop(columns="y")).columns == whole.schema_out_.names


def test_a_fitted_chain_is_stored(tmp_path):
    chain = mercer.scale.fit(dense_recipe(), cut(TABLE, [200]))
    again = Chain.from_state(mercer.state.Reader(chain.to_state(), "chain"))
    np.testing.assert_array_equal(again.matrix(TABLE).toarray(), chain.matrix(TABLE).toarray())


def test_a_constant_column_that_is_all_there_is():
    table = pd.DataFrame({"x": ["a"] * 30})
    expect_same(mercer.scale.fit(OneHot(), cut(table, [10])), OneHot().fit(table))


def test_few_distinct_numbers_are_told():
    with pytest.warns(MercerWarning, match="Fewer than 5 bins"):
        mercer.scale.fit(Bins(), [{"x": [1.0, 2.0], "z": [1.0, 5.0]}, {"x": [2.0], "z": [3.0]}])


class Own(ZScore):
    """An encoder that is not ours."""


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        (Own(), "Own needs all rows at once. In chunks these encoders can be fitted: BagOfWords, Bins"),
        (Bins(cut="mdl"), r"Bins\(cut='mdl'\) needs all rows at once. In chunks, take cut='frequency'"),
        (Chain([("a", ZScore()), ("b", Bins(cut="kmeans"))]), "cut='kmeans'.* needs all rows"),
    ],
)
def test_what_needs_all_rows_is_refused(encoder, said):
    with pytest.raises(MercerError, match=said):
        mercer.scale.fit(encoder, [TABLE])


def test_sparse_numbers_in_a_chain_are_refused():
    chain = Chain([("ones", OneHot(sparse=True)), ("scale", ZScore(center=False))])
    with pytest.raises(BadTable, match="sparse numbers are not counted in chunks"):
        mercer.scale.fit(chain, [TABLE])


def test_a_cell_without_logarithm_is_told_with_its_chunk():
    with pytest.raises(BadColumn, match=r"chunk 2: .*'x' holds -1"):
        mercer.scale.fit(Log(), [{"x": [1.0, 2.0]}, {"x": [3.0, -1.0]}])


def test_an_empty_column_is_left_out():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "gone": [np.nan] * 3})
    expect_same(mercer.scale.fit(ZScore(), cut(table, [1])), ZScore().fit(table))


def test_a_learner_needs_a_target():
    with pytest.raises(BadTarget, match="Name the column to predict"):
        mercer.scale.fit(mercer.NaiveBayes(), [ROWS])

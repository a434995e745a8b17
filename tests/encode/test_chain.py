import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import mercer
from mercer.encode import BagOfWords, Chain, Impute, OneHot, ZScore, categorical_recipe, dense_recipe
from mercer.errors import MercerError

from .tables import mixed_tables


@given(mixed_tables())
def test_a_chain_is_its_steps_in_turn(table):
    steps = [Impute(indicator=True), ZScore(), OneHot(alpha=3), BagOfWords()]
    chain = Chain([(f"s{i}", s) for i, s in enumerate(steps)]).fit(table)
    found = table
    for step in steps:
        found = clone(step).fit(found).transform(found)
    out = chain.transform(table)
    assert out.schema == found.schema
    assert_array_equal(out.numbers(), found.numbers())


@given(mixed_tables())
def test_the_dense_recipe_gives_finite_floats_whatever_comes(table):
    recipe = dense_recipe(words=3).fit(table)
    matrix = recipe.transform(table)
    assert sp.issparse(matrix)  # words are counted sparse
    assert matrix.shape == (len(table), len(recipe.get_feature_names_out()))
    assert np.isfinite(matrix.toarray()).all()


def test_dense_and_sparse_recipes_agree():
    table = mercer.read_table({"age": [20, 35, None, 80], "job": ["a", "b", "c", None]})
    dense, sparse = dense_recipe(drop="first").fit(table), dense_recipe(drop="first", sparse=True).fit(table)
    assert isinstance(dense.matrix(table), np.ndarray)
    assert_allclose(sparse.matrix(table).toarray(), dense.matrix(table))
    assert dense.get_feature_names_out().tolist() == ["age", "job=b", "job=c"]


@pytest.mark.parametrize("scale", ["zscore", "minmax", None])
def test_scales(scale):
    values = np.array([[1.0, 5.0], [2.0, np.nan], [4.0, 9.0]])
    filled = np.where(np.isnan(values), 7.0, values)
    expected = {
        "zscore": (filled - filled.mean(axis=0)) / filled.std(axis=0),
        "minmax": (filled - filled.min(axis=0)) / np.ptp(filled, axis=0),
        None: filled,
    }
    assert_allclose(dense_recipe(scale=scale).fit_transform(values), expected[scale])
    with pytest.raises(MercerError, match="scale"):
        dense_recipe(scale="z")


def test_sparse_in_sparse_out():
    values = sp.csr_array(np.array([[0.0, 5.0], [0.0, 0.0], [4.0, 0.0]]))
    found = dense_recipe().fit_transform(values)
    assert sp.issparse(found)
    assert found.nnz == 2


def test_frames_go_through_to_scikit_learn():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "job": rng.choice(["x", "y", "z"], 60)})
    frame.loc[3, "a"] = None
    y = (frame["job"] == "x").to_numpy()
    model = make_pipeline(dense_recipe(), LogisticRegression()).fit(frame, y)
    assert model.score(frame[["job", "a"]], y) == 1


def test_steps_are_reached_by_name():
    recipe = dense_recipe().set_params(dummies__alpha=5.0)
    assert clone(recipe).get_params()["dummies__alpha"] == 5.0
    table = mercer.read_table({"job": ["a", "b", "a"]})
    assert recipe.fit_transform(table).max() == 5


def test_a_step_must_be_an_encoder():
    with pytest.raises(MercerError, match=r"must be pairs \(name, encoder\). Got .*LogisticRegression"):
        Chain([("m", LogisticRegression())]).fit([[1.0], [2.0]])


def test_the_categorical_recipe_leaves_codes_alone():
    table = mercer.read_table({"n": [1, 1, 2, 3, None], "job": ["a", "b", "a", None, "c"]})
    out = categorical_recipe(top=2).fit_transform(table)
    assert out.columns == ("n", "job")
    assert not out.schema.numeric_names
    assert out.column("n").tolist() == ["1", "1", "2", "(other)", None]


def test_an_array_comes_back_as_one_after_levels_are_expanded():
    cells = np.array([["a", 1.0], ["b", 2.0], ["a", 4.0]], dtype=object)
    found = Chain([("dummies", OneHot())]).fit_transform(cells)
    assert found.dtype == np.float64
    assert found.tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 4]]
    kept = ZScore(center=False, on=["x1"]).fit_transform(cells)
    assert kept[:, 0].tolist() == ["a", "b", "a"]

"""The rote learner: rows equal to a training row are predicted, others not."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.states import changed

import mercer
from mercer.errors import BadFile, MercerError
from mercer.state import Reader


@given(st.integers(0, 10_000), st.booleans())
def test_counting_equal_rows_by_hand(seed, weighted):
    rng = np.random.default_rng(seed)
    x, fresh = (rng.integers(0, 3, size=(n, 2)).astype(float) for n in (25, 12))
    x[rng.random(x.shape) < 0.2] = np.nan
    fresh[rng.random(fresh.shape) < 0.2] = np.nan
    y, weight = rng.integers(0, 3, 25), rng.integers(0, 3, 25).astype(float) if weighted else np.ones(25)
    assume(weight.any())
    model = mercer.RoteLearner().fit(x, y, sample_weight=weight if weighted else None)
    for query, found in zip(fresh, model.predict_proba(fresh), strict=True):
        equal = [np.array_equal(row, query, equal_nan=True) for row in x]
        mass = weight * equal if (weight * equal).any() else weight
        np.testing.assert_allclose(found, [mass[y == c].sum() / mass.sum() for c in model.classes_])


def animals():
    rows = pd.DataFrame(
        {
            "legs": [2.0, 2.0, 4.0, np.nan, 0.0, 2.0],
            "wings": ["yes", "yes", "no", None, "no", "yes"],
            "note": ["it can fly away", None, "it sits on the mat", None, "it has scales all over", "it can fly away"],
        }
    )
    return rows, np.array(["bird", "bird", "cat", "ghost", "fish", "bat"])


KINDS = {"note": "text", "legs": "numeric", "wings": "category"}


def test_mixed_rows_with_gaps_and_texts():
    rows, y = animals()
    model = mercer.RoteLearner("abstain", kinds=KINDS).fit(rows, y)
    assert model.predict(rows).tolist() == ["bat", "bird", "cat", "ghost", "fish", "bat"]
    strange = rows.assign(wings=["yes", "no", "maybe", None, "no", None], legs=[-0.0, 2, 4, np.nan, -0.0, 2])
    assert model.predict(strange).tolist() == [None, None, None, "ghost", "fish", None]
    assert model.matches(strange).tolist() == [False, False, False, True, True, False]
    assert np.isnan(model.predict_proba(strange)[:3]).all()
    guess = mercer.RoteLearner(kinds=KINDS).fit(rows, y)
    assert guess.predict(strange)[0] == "bird"
    np.testing.assert_allclose(guess.predict_proba(strange)[0], [1 / 6, 2 / 6, 1 / 6, 1 / 6, 1 / 6])


def test_equal_rows_vote_and_are_named():
    x = [[1.0], [1.0], [1.0], [2.0]]
    model = mercer.RoteLearner().fit(x, ["b", "a", "b", "a"], sample_weight=[1, 2, 1, 0])
    assert model.predict([[1.0]]).tolist() == ["a"]  # two against two: the first class
    match, none = model.explain([[1.0], [2.0]])
    assert match.rows.tolist() == [0, 1, 2]
    assert match.counts.tolist() == [2, 2]
    assert (none.rows.tolist(), none.counts.tolist()) == ([], [0, 0])  # a row of weight 0 was never there


def test_sparse_and_dense_and_single_precision_know_the_same_rows():
    x = np.array([[0.0, 1.5], [2.0, 0.0], [0.0, 0.25]])
    for fitted in (x, sp.csr_array(x), x.astype(np.float32)):
        model = mercer.RoteLearner("abstain").fit(fitted, [1, 2, 3])
        for asked in (x, sp.csr_array(x), x.astype(np.float32)):
            assert model.predict(asked).tolist() == [1, 2, 3]
        assert model.predict([[1e-30, 1.5]]).tolist() == [None]


def test_stored_with_its_rows_and_damage_refused():
    rows, y = animals()
    model = mercer.RoteLearner("abstain", kinds=KINDS).fit(rows, y)
    again = mercer.RoteLearner.from_state(Reader(model.to_state()))
    assert again.get_params() == model.get_params()
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    assert again.explain(rows)[0].rows.tolist() == [0, 5]
    state = model.to_state()
    fitted = state["fitted"]
    equal_rows = {
        "numbers": {"dense": np.zeros((5, 1)), "single": False}, "codes": np.zeros((5, 1), np.int32),
        "texts": ["same"] * 5, "no_text": np.zeros(5, np.uint8),
    }  # fmt: skip
    for path, value in (
        ("fitted.rows", fitted["rows"] | equal_rows), ("fitted.counts", fitted["counts"] * 0),
        ("fitted.group", fitted["group"] + 9), ("fitted.counts", fitted["counts"][1:]),
        ("parameters.default", "guess"),
    ):  # fmt: skip
        with pytest.raises(BadFile):
            mercer.RoteLearner.from_state(Reader(changed(state, path, value)))


def test_an_unknown_default_is_refused():
    with pytest.raises(MercerError, match="'default' parameter of RoteLearner must be 'majority' or 'abstain'"):
        mercer.RoteLearner("guess").fit([[1.0], [2.0]], [0, 1])

"""Naive Bayes and the baselines in chunks are those of all rows at once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import ROWS, cut, expect_same

import mercer

BAYES = [
    mercer.NaiveBayes(),
    mercer.NaiveBayes(class_weight="balanced", variance="pooled"),
    mercer.NaiveBayes({"pay": "density"}, missing_indicator=True),
    mercer.NaiveBayes("binned", missing_indicator=False),
    mercer.GaussianNB(),
]


@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(0, len(ROWS)), max_size=8), model=st.sampled_from(BAYES))
def test_naive_bayes_in_chunks_is_that_of_all_rows(cuts, model):
    whole = clone(model).fit(ROWS.drop(columns="y"), ROWS.y)
    expect_same(mercer.scale.fit(clone(model), cut(ROWS, cuts), "y"), whole)


def test_counts_are_the_same_to_the_last_bit():
    levels = ROWS[["job", "city", "y"]]
    whole = mercer.NaiveBayes().fit(levels.drop(columns="y"), levels.y)
    model = mercer.scale.fit(mercer.NaiveBayes(), cut(levels, [1, 77, 400]), "y")
    expect_same(model, whole, rtol=0)


def test_a_model_of_chunks_is_stored_and_explains(tmp_path):
    model = mercer.scale.fit(mercer.NaiveBayes(), cut(ROWS, [200]), "y")
    mercer.save(model, tmp_path / "model.mercer")
    rows = ROWS.drop(columns="y").head(5)
    again = mercer.load(tmp_path / "model.mercer")
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert set(model.explain(rows).columns) >= {"age", "job", "pay", "city"}


def test_baselines():
    majority = mercer.scale.fit(mercer.MajorityClass(), cut(ROWS, [100, 300]), "y")
    expect_same(majority, mercer.MajorityClass().fit(ROWS.drop(columns="y"), ROWS.y))
    numbers = ROWS.dropna().drop(columns="y")
    mean = mercer.scale.fit(mercer.MeanTarget(), cut(numbers, [100]), "pay")
    expect_same(mean, mercer.MeanTarget().fit(numbers.drop(columns="pay"), numbers.pay))

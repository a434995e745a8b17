"""Nearest neighbours in chunks: the model of all rows at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import ROWS, cut, expect_same

import mercer
from mercer.errors import TooLarge

MODELS = [
    mercer.KNeighborsClassifier(),
    mercer.KNeighborsClassifier(n_neighbors="cv", class_weight="balanced", kinds={"city": "category"}),
    mercer.KNeighborsClassifier(weights="distance", missing_indicator=True),
    mercer.KNeighborsRegressor(3),
]


@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(0, 600), max_size=6), model=st.sampled_from(MODELS), whole_years=st.booleans())
def test_neighbours_in_chunks_are_those_of_all_rows(cuts, model, whole_years):
    rows = ROWS.assign(age=(ROWS.age / 10).round() if whole_years else ROWS.age)  # equal rows are ties
    if isinstance(model, mercer.KNeighborsRegressor):
        rows = rows.assign(y=np.arange(len(rows)) % 17 * 1.5)
    found = mercer.scale.fit(clone(model), cut(rows, cuts), "y")
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    expect_same(found, whole, rtol=0)
    np.testing.assert_array_equal(found.predict(rows), whole.predict(rows))
    assert found.feature_names_in_.tolist() == whole.feature_names_in_.tolist()


def test_rows_beyond_memory_are_refused(monkeypatch):
    monkeypatch.setattr("mercer.scale.learners.neighbours.physical_memory", lambda: 1000)
    with pytest.raises(TooLarge, match="keeps its training rows"):
        mercer.scale.fit(mercer.KNeighborsClassifier(), [ROWS], "y")

"""Neighbours found chunk by chunk are those among all training rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from tests.scale.rows import cut

import mercer
from mercer.distances import Cosine, Euclidean, Manhattan
from mercer.errors import BadColumn, MercerError, MercerWarning

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(RNG.normal(size=(300, 4)) * [1, 10, 0.1, 3], columns=list("abcd"))
ROWS["y"] = np.where(ROWS.a + ROWS.d / 3 + RNG.normal(size=300) > 0, "yes", "no")
ASKED = pd.DataFrame(RNG.normal(size=(40, 4)) * [1, 10, 0.1, 3], columns=list("abcd"))
MODELS = [
    mercer.KNeighborsClassifier(),
    mercer.KNeighborsClassifier(7, weights="distance", metric="manhattan", class_weight="balanced"),
    mercer.KNeighborsClassifier(3, metric="cosine"),
    mercer.KNeighborsClassifier(20, metric=Manhattan(w=[1, 0.25, 4, 1]), weights="distance2", class_weight={"yes": 2}),
    mercer.KNeighborsClassifier(1, p=3, missing_indicator=False),
    mercer.KNeighborsRegressor(4, weights="distance", metric=Euclidean()),
    mercer.KNeighborsRegressor(9, metric=Cosine()),
]


@settings(max_examples=40, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 300), max_size=6),
    model=st.sampled_from(MODELS),
    ties=st.booleans(),
    gaps=st.booleans(),
    unknown=st.booleans(),
)
def test_neighbours_are_those_among_all_rows(cuts, model, ties, gaps, unknown):
    rows, asked = (ROWS.copy(), ASKED) if not ties else (ROWS.round(dict.fromkeys("abcd", 0)), ASKED.round(0))
    if unknown:
        asked = asked.assign(c=asked.c.where(np.arange(40) > 5))
    if gaps:
        rows.loc[::7, "b"] = np.nan
        model = clone(model).set_params(missing_indicator=False)
    if isinstance(model, mercer.KNeighborsRegressor):
        rows["y"] = np.arange(300) % 11 * 1.5
    found = mercer.scale.nearest(model, cut(rows, cuts), "y", asked)
    whole = clone(model).set_params(algorithm="brute").fit(rows.drop(columns="y"), rows.y)
    distances, numbers = whole.kneighbors(asked)
    np.testing.assert_array_equal(found.rows, numbers)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-14 if gaps else 0)
    np.testing.assert_array_equal(found.targets, rows.y.to_numpy()[numbers])
    if isinstance(model, mercer.KNeighborsRegressor):
        np.testing.assert_allclose(found.predicted, whole.predict(asked), rtol=1e-14 if gaps else 0)
    else:
        np.testing.assert_array_equal(found.predicted, whole.predict(asked))
        np.testing.assert_allclose(found.probabilities, whole.predict_proba(asked), rtol=1e-13 if gaps else 0)
        assert found.classes.tolist() == whole.classes_.tolist()


def test_predictions_are_those_of_scikit_learn():
    theirs = KNeighborsClassifier(5).fit(ROWS[list("abcd")], ROWS.y)
    found = mercer.scale.nearest(mercer.KNeighborsClassifier(5), cut(ROWS, [20, 21, 200]), "y", ASKED)
    np.testing.assert_array_equal(found.predicted, theirs.predict(ASKED))
    np.testing.assert_allclose(found.distances, theirs.kneighbors(ASKED)[0], rtol=1e-12)


def test_gaps_that_tell_the_class_are_columns_of_their_own():
    rows = ROWS.assign(b=ROWS.b.where(ROWS.y == "yes"))
    model = mercer.KNeighborsClassifier(5, metric="manhattan", algorithm="brute")
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    assert whole.missing_indicators_.columns
    found = mercer.scale.nearest(model, cut(rows, [100]), "y", ASKED)
    np.testing.assert_array_equal(found.probabilities, whole.predict_proba(ASKED))


def test_the_model_is_left_alone_and_progress_is_told():
    model, told = mercer.KNeighborsClassifier(), []
    mercer.scale.nearest(model, cut(ROWS, [100]), "y", ASKED, progress=lambda what, share: told.append((what, share)))
    assert not hasattr(model, "schema_")
    assert {what for what, _ in told} == {"Looking at the columns", "Searching"}


def test_rows_without_target_are_no_neighbours():
    rows = ROWS.assign(y=ROWS.y.where(np.arange(300) >= 50))
    with pytest.warns(MercerWarning, match="50 rows have no 'y'"):
        found = mercer.scale.nearest(mercer.KNeighborsClassifier(), cut(rows, [40, 90]), "y", ASKED)
    known = mercer.KNeighborsClassifier(algorithm="brute").fit(ROWS[50:].drop(columns="y"), ROWS.y[50:])
    np.testing.assert_array_equal(found.rows, known.kneighbors(ASKED)[1])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (mercer.NaiveBayes(), "NaiveBayes has no neighbours"),
        (mercer.KNeighborsClassifier("cv"), "n_neighbors='cv' needs all training rows"),
        (mercer.KNeighborsClassifier(weights="cv"), "weights='cv' needs all training rows"),
        (mercer.KNeighborsClassifier(algorithm="hnsw"), "'hnsw' needs all training rows"),
        (mercer.KNeighborsClassifier(metric=Euclidean(scale="std")), r"scale='std'\) needs all training rows"),
        (mercer.KNeighborsClassifier(metric="heom"), r"HEOM\(\) needs all training rows at once. In chunks, take"),
        (mercer.KNeighborsClassifier(kinds={"a": "category"}), "rows of numbers are compared, and 'a' is category"),
        (mercer.KNeighborsClassifier(301), "n_neighbors=301 must be at most the 300 training rows"),
    ],
)
def test_what_needs_all_rows_is_refused(model, said):
    with pytest.raises(MercerError, match=said):
        mercer.scale.nearest(model, cut(ROWS, [100]), "y", ASKED)


def test_rows_to_predict_without_a_column_are_refused():
    with pytest.raises(BadColumn, match="'d'"):
        mercer.scale.nearest(mercer.KNeighborsClassifier(), [ROWS], "y", ASKED.drop(columns="d"))

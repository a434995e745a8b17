"""Boosted trees in chunks are those of one fit, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.scale.rows import ROWS, cut, expect_same, people

import mercer
from mercer.errors import BadColumn, BadParameter, BadTarget, TooLarge
from mercer.scale.held import room
from mercer.scale.learners.tree import boosting

X, y = ROWS.drop(columns="y"), ROWS.y


@pytest.mark.parametrize("cuts", [[], [1, 2, 300], [0, 0, 599]])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"early_stopping": True, "keep_best": True}, {"max_bins": 16, "class_weight": "balanced", "subsample": 0.5}],
    ids=["plain", "early stopping", "weights, few bins, a sample of rows"],
)
def test_classes(cuts, parameters):
    model = mercer.HistGradientBoostingClassifier(max_iter=8, random_state=0, n_jobs=1, **parameters)
    whole = mercer.HistGradientBoostingClassifier(**model.get_params()).fit(X, y)
    expect_same(mercer.scale.fit(model, cut(ROWS, cuts), "y"), whole, rtol=0)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_numbers(loss):
    rows = ROWS.drop(columns="y")[ROWS.pay.notna()]
    model = mercer.HistGradientBoostingRegressor(loss=loss, max_iter=8, random_state=0, early_stopping=True)
    whole = mercer.HistGradientBoostingRegressor(**model.get_params()).fit(rows.drop(columns="pay"), rows.pay)
    expect_same(mercer.scale.fit(model, cut(rows, [100, 101, 400]), "pay"), whole, rtol=0)


def test_more_rows_than_quantiles_are_taken_of_and_more_levels_than_bins(monkeypatch):
    monkeypatch.setattr("mercer.solvers.boost.binning.SAMPLE", 200)
    rows = people(900).assign(code=lambda t: [f"c{k % 37}" for k in range(len(t))])
    model = mercer.HistGradientBoostingClassifier(max_iter=4, max_bins=12, random_state=3)
    whole = mercer.HistGradientBoostingClassifier(**model.get_params()).fit(rows.drop(columns="y"), rows.y)
    expect_same(mercer.scale.fit(model, cut(rows, [70, 500]), "y"), whole, rtol=0)


def test_what_chunks_cannot_do_is_refused(monkeypatch):
    model = mercer.HistGradientBoostingClassifier
    with pytest.raises(BadParameter, match="warm_start"):
        mercer.scale.fit(model(warm_start=True), [ROWS], "y")
    with pytest.raises(BadParameter, match="kinds="):
        mercer.scale.fit(model(categorical_features=["age"]), [ROWS], "y")
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(["red", "blue", "old", "new", "fast", "slow"], 4)) + f" {k}" for k in range(len(ROWS))]
    with pytest.raises(BadColumn, match="'note' is text"):
        mercer.scale.fit(model(kinds={"note": "text"}), [ROWS.assign(note=words)], "y")
    monkeypatch.setattr(boosting, "physical_memory", lambda: 1000)
    monkeypatch.setattr(boosting, "budget", lambda: 1000)
    rows = ROWS[ROWS.pay.notna()]
    with pytest.raises(TooLarge, match=rf"loss='absolute_error' .* {len(rows)} rows of 4 columns"):
        mercer.scale.fit(mercer.HistGradientBoostingRegressor(loss="absolute_error"), [rows], "pay")
    monkeypatch.setattr(boosting, "MOST_ROWS", 599)
    with pytest.raises(TooLarge, match="at most 599 rows, and these are 600"):
        mercer.scale.fit(model(), [ROWS], "y")


def test_rounds_are_told():
    told = []
    model = mercer.HistGradientBoostingClassifier(max_iter=8, random_state=0)
    mercer.scale.fit(model, cut(ROWS, [100]), "y", progress=lambda *now: told.append(now))
    assert told[-8:] == [("Learning", done / 8) for done in range(8)]


@pytest.fixture
def held(monkeypatch):
    """Bins stay with their chunks, those of all but the first in files."""
    monkeypatch.setattr(boosting, "budget", lambda: 0)
    monkeypatch.setattr(room, "budget", lambda: 500)


def expect_same_trees(model, whole):
    """All but the mean losses, which are summed up chunk by chunk."""
    expect_same(model, whole, rtol=1e-12)
    for name, values in model.forest_.arrays().items():
        np.testing.assert_array_equal(values, getattr(whole.forest_, name), err_msg=name)
    np.testing.assert_array_equal(model.validation_score_, whole.validation_score_)


@pytest.mark.parametrize("cuts", [[], [1, 2, 300], [0, 0, 599]])
@pytest.mark.parametrize(
    "parameters",
    [
        {"early_stopping": True, "keep_best": True},
        {"max_bins": 16, "class_weight": "balanced", "subsample": 0.5},
        {"class_weight": {"no": 2, "yes": 0}, "max_features": 0.5, "growth": "depth", "max_depth": 3},
        {"early_stopping": True, "scoring": "roc_auc", "validation_fraction": None, "max_leaf_nodes": None},
        {"early_stopping": True, "monotonic_cst": {"age": 1}, "interaction_cst": "no_interactions"},
    ],
    ids=["early stopping", "weights", "rows of weight 0, columns drawn", "a score, no limit of leaves", "constraints"],
)
def test_classes_on_histograms_of_chunks(held, cuts, parameters):
    model = mercer.HistGradientBoostingClassifier(max_iter=8, random_state=0, **parameters)
    whole = mercer.HistGradientBoostingClassifier(**model.get_params()).fit(X, y)
    expect_same_trees(mercer.scale.fit(model, cut(ROWS, cuts), "y"), whole)


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
def test_numbers_on_histograms_of_chunks(held, loss):
    rows = ROWS.drop(columns="y")[ROWS.pay.notna()]
    model = mercer.HistGradientBoostingRegressor(loss=loss, max_iter=8, random_state=0, early_stopping=True)
    whole = mercer.HistGradientBoostingRegressor(**model.get_params()).fit(rows.drop(columns="pay"), rows.pay)
    expect_same_trees(mercer.scale.fit(model, cut(rows, [100, 101, 400]), "pay"), whole)


@given(cuts=st.lists(st.integers(0, 600), max_size=6), seed=st.integers(0, 3))
@settings(max_examples=15, deadline=None)
def test_chunks_do_not_change_the_trees_of_several_classes(cuts, seed):
    rows = ROWS.drop(columns="job").assign(y=ROWS.job)
    model = mercer.HistGradientBoostingClassifier(max_iter=3, random_state=seed, subsample=0.8, early_stopping=True)
    whole = mercer.HistGradientBoostingClassifier(**model.get_params()).fit(rows.drop(columns="y"), rows.y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boosting, "budget", lambda: 0)
        patch.setattr(room, "budget", lambda: 500)
        expect_same_trees(mercer.scale.fit(model, cut(rows, cuts), "y"), whole)


def test_sums_beyond_all_numbers_are_told(held):
    model = mercer.HistGradientBoostingClassifier(learning_rate=1.7e308, min_samples_leaf=2)
    with pytest.raises(BadTarget, match="lower learning_rate"):
        mercer.scale.fit(model, cut(ROWS.drop(columns="job").assign(y=ROWS.job), [300]), "y")

"""Boosted trees in chunks are those of one fit, bit for bit."""

import numpy as np
import pytest
from tests.scale.rows import ROWS, cut, expect_same, people

import mercer
from mercer.errors import BadColumn, BadParameter, TooLarge

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
    monkeypatch.setattr("mercer.scale.learners.boosting.physical_memory", lambda: 1000)
    with pytest.raises(TooLarge, match="600 rows of 4 columns"):
        mercer.scale.fit(model(), [ROWS], "y")


def test_rounds_are_told():
    told = []
    model = mercer.HistGradientBoostingClassifier(max_iter=8, random_state=0)
    mercer.scale.fit(model, cut(ROWS, [100]), "y", progress=lambda *now: told.append(now))
    assert told[-8:] == [("Learning", done / 8) for done in range(8)]

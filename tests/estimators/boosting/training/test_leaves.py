"""The fewest rows of a leaf where the columns say so: columns of 0 and 1 with few ones are tested."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import r2_score, roc_auc_score

import mercer
from mercer import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from mercer.estimators.boosting.training.leaves import fewest_rows
from mercer.solvers.boost.boost import Rows


def _rows(bins: Any, **others: Any) -> Rows:
    return Rows(np.asarray(bins, dtype=np.uint8), np.zeros(len(bins)), **others)


def _one_hot(n_rows: int, seed: int) -> tuple[Any, Any]:
    """60 columns with a 1 in each row, and what the 1 adds."""
    rng = np.random.default_rng(seed)
    return np.eye(60)[rng.integers(0, 60, n_rows)], np.random.default_rng(0).normal(size=60)


@pytest.mark.parametrize("n_rows", [300, 1000])
def test_columns_of_few_ones_are_learned_from(n_rows: int) -> None:
    X, effect = _one_hot(n_rows + 2000, 1)
    y = X @ effect + np.random.default_rng(2).normal(size=len(X)) / 2
    train, test = slice(n_rows), slice(n_rows, None)
    numbers = HistGradientBoostingRegressor(min_samples_leaf="auto").fit(X[train], y[train])
    classes = HistGradientBoostingClassifier(min_samples_leaf="auto").fit(X[train], y[train] > 0)
    assert r2_score(y[test], numbers.predict(X[test])) > 0.5  # 0.00 and 0.25 with 20 rows
    assert roc_auc_score(y[test] > 0, classes.predict_proba(X[test])[:, 1]) > 0.75  # 0.50 and 0.67


def test_the_median_column_says_how_many_rows() -> None:
    bins = np.zeros((1000, 5))
    for column, ones in enumerate([4, 16, 24, 500, 0]):
        bins[:ones, column] = 1
    assert fewest_rows("auto", _rows(bins)) == 10  # a half of 20, the median of 4, 16, 24, 500; one is constant
    assert fewest_rows("auto", _rows(bins[:, :1])) == 3
    assert fewest_rows("auto", _rows(bins[:, 3:4])) == 20
    assert fewest_rows("auto", _rows(bins[:, 4:])) == 20
    assert fewest_rows("auto", _rows(bins[:, :0])) == 20
    assert fewest_rows("auto", _rows(bins[480:510, 3:4])) == 5  # a half of the 10 rows apart
    assert fewest_rows(7, _rows(bins)) == 7


def test_few_rows_are_cut_in_four_at_least_and_many_are_not_looked_at() -> None:
    assert fewest_rows("auto", _rows(np.arange(48).reshape(48, 1))) == 12
    assert fewest_rows("auto", _rows(np.zeros((5, 1)))) == 3
    sparse = np.zeros((40_001, 1))
    sparse[:4] = 1
    assert fewest_rows("auto", _rows(sparse)) == 20


def test_a_row_of_weight_two_is_two_rows() -> None:
    X, effect = _one_hot(400, 3)
    y = X @ effect
    weight = np.random.default_rng(4).integers(0, 4, len(y))
    model = HistGradientBoostingRegressor(min_samples_leaf="auto", max_iter=20)
    twice = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict(X)
    np.testing.assert_allclose(model.fit(X, y, sample_weight=weight).predict(X), twice, rtol=1e-6)


def test_the_main_job_learns_from_columns_of_few_ones() -> None:
    X, effect = _one_hot(400, 5)
    names = [f"c{place}" for place in range(60)]
    columns = {name: column.astype(int) for name, column in zip(names, X.T, strict=True)}
    chance = 1 / (1 + np.exp(-3 * X @ effect))
    target = np.where(np.random.default_rng(6).random(400) < chance, "yes", "no")
    found = mercer.train({**columns, "target": target}, target="target", learners=["boosting", "linear"], quick=True)
    scores = {entry.key: entry.cross_validated["roc_auc"].value for entry in found.comparison.leaderboard}
    assert scores["boosting"] > 0.7  # 0.50 with 20 rows a leaf

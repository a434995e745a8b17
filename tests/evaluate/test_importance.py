"""Permutation importance: the columns that matter, and no others."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance as by_sklearn
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score

import mercer
from mercer.evaluate.importance import MOST_COLUMNS, permutation_importance, shuffled


def test_the_same_columns_as_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = 3 * X[:, 0] + X[:, 2] + rng.normal(size=500)
    model = LinearRegression().fit(X, y)
    ours = permutation_importance(
        mercer.read_table(X), lambda t, rows: r2_score(y[rows], model.predict(t.numbers())), seed=0
    )
    theirs = by_sklearn(model, X, y, n_repeats=5, random_state=0).importances_mean
    assert [i.column for i in ours][:2] == ["x0", "x2"]
    for one in ours:
        assert one.mean == pytest.approx(theirs[int(one.column[1])], abs=0.05)


def test_one_column_moves_and_the_others_stay():
    table = mercer.read_table(
        {
            "n": list(range(30)),
            "c": list("abc") * 10,
            "t": [f"some words here {i}" for i in range(30)],
            "m": [0.5] * 15 + [1.5, 2.5, 3.5] * 5,
        }
    )
    rng = np.random.default_rng(0)
    for name in table.columns:
        moved = shuffled(table, name, rng)
        for other in table.columns:
            same = moved.column(other).tolist() == table.column(other).tolist()
            assert same is (other != name)
        assert sorted(moved.column(name).tolist()) == sorted(table.column(name).tolist())


def test_very_wide_tables_are_passed_over():
    wide = mercer.read_table(np.zeros((20, MOST_COLUMNS + 1)))
    assert permutation_importance(wide, lambda t, rows: 0.0, seed=0) == []

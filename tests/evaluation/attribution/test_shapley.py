"""Shapley values of any score: all sets against the definition, samples within their errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.tree.test_shapley import brute_force

from mercer.evaluation.attribution import shapley
from mercer.evaluation.attribution.shapley import background_rows, shapley_values


def game(n_columns: int, n_rows: int):
    """A score with interactions, a row, and background rows."""
    rng = np.random.default_rng(5)
    x, background = rng.normal(size=n_columns), rng.normal(size=(n_rows, n_columns))

    def f(rows):
        return rows[:, 0] * rows[:, 1] * rows[:, 2] + np.tanh(rows[:, 1] * rows[:, 2] * rows[:, 3]) + rows.sum(axis=1)

    def mixed(own, rows):
        return f(np.where(own, x, background[rows]))

    def worth(known):
        own = np.isin(np.arange(n_columns), list(known))
        return float(f(np.where(own, x, background)).mean())

    return mixed, worth, (float(f(x[None])[0]), f(background))


def test_all_sets_as_by_the_definition() -> None:
    mixed, worth, ends = game(5, 7)
    found = shapley_values(mixed, 5, 7, ends, 2, 0)
    assert found.error is None
    assert_allclose(found.values, brute_force(worth, 5), atol=1e-12)


def test_samples_add_up_and_lie_within_their_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapley, "_MOST_EXACT", 0)
    mixed, worth, ends = game(6, 10)
    expected = brute_force(worth, 6)
    z = []
    for seed in range(100):
        found = shapley_values(mixed, 6, 10, ends, 20, seed)
        assert_allclose(found.values.sum(), ends[0] - ends[1].mean(), atol=1e-12)
        assert found.error is not None
        z.append((found.values - expected)[:4] / found.error[:4])
        assert_allclose(found.values[4:], expected[4:], atol=1e-12)  # these columns are a sum
        assert_allclose(found.error[4:], 0, atol=1e-12)
    assert 0.8 < np.std(z) < 1.2 and abs(np.mean(z)) < 0.3


def test_the_budget_is_kept() -> None:
    assert background_rows(20) == 50
    assert background_rows(2000) == 8
    assert background_rows(3) == 50 and background_rows(8) * 2**8 <= shapley.BUDGET

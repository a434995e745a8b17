"""C and epsilon in standard deviations of the target: the unit of the target does not matter."""

from __future__ import annotations

import numpy as np
import pytest

import mercer


def noisy_sine() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (80, 2))
    return x, np.sin(3 * x[:, 0]) + 0.1 * rng.normal(size=80)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_the_unit_of_the_target_does_not_matter(loss: str) -> None:
    x, y = noisy_sine()
    one = mercer.SVR(relative=True, loss=loss, tol=1e-8).fit(x, y)
    thousand = mercer.SVR(relative=True, loss=loss, tol=1e-8).fit(x, 1000 * y)
    np.testing.assert_allclose(thousand.predict(x), 1000 * one.predict(x), rtol=1e-4)
    deviation = y.std()
    cost = 1.0 if loss.startswith("squared") else deviation
    plain = mercer.SVR(C=cost, epsilon=0.1 * deviation, loss=loss, tol=1e-8).fit(x, y)
    np.testing.assert_allclose(one.predict(x), plain.predict(x), rtol=1e-6)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_the_unit_of_the_target_does_not_change_the_work(loss: str) -> None:
    """Dollars or millions: the same steps, points of a search included (powers of 2 keep every digit)."""
    x, y = noisy_sine()
    settings = {"relative": True, "loss": loss, "C": "cv", "gamma": "cv", "grid": mercer.Grid(race=True, cv=3)}
    one, large, small = (mercer.SVR(**settings).fit(x, scale * y) for scale in (1.0, 2.0**20, 2.0**-20))
    for other in (large, small):
        assert other.n_iter_ == one.n_iter_
        assert other.tuning_.best_params == one.tuning_.best_params
        np.testing.assert_array_equal([p.mean for p in other.tuning_.points], [p.mean for p in one.tuning_.points])

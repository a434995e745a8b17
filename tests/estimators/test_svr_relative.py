"""C and epsilon in standard deviations of the target: the unit of the target does not matter."""

from __future__ import annotations

import numpy as np
import pytest

import mercer


@pytest.mark.parametrize("slack", ["l1", "l2"])
def test_the_unit_of_the_target_does_not_matter(slack: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (80, 2))
    y = np.sin(3 * x[:, 0]) + 0.1 * rng.normal(size=80)
    one = mercer.SVR(relative=True, slack=slack, tol=1e-8).fit(x, y)
    thousand = mercer.SVR(relative=True, slack=slack, tol=1e-8).fit(x, 1000 * y)
    np.testing.assert_allclose(thousand.predict(x), 1000 * one.predict(x), rtol=1e-4)
    deviation = y.std()
    cost = 1.0 if slack == "l2" else deviation
    plain = mercer.SVR(C=cost, epsilon=0.1 * deviation, slack=slack, tol=1e-8).fit(x, y)
    np.testing.assert_allclose(one.predict(x), plain.predict(x), rtol=1e-6)

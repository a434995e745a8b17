"""scikit-learn's callbacks see every step of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mercer
from mercer.errors import MercerWarning

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 6)) @ RNG.normal(size=(6, 6)) + 1.0
TWO = (X[:, 0] + X[:, 3] + 2 * RNG.normal(size=200) > 1).astype(int)


class _Steps:
    """A callback that keeps what it is told."""

    def __init__(self) -> None:
        self.coefficients: list[Any] = []
        self.ended = False

    def setup(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any, *, fitted_estimator: Any = None) -> None:
        self.coefficients.append(getattr(fitted_estimator, "coef_", None))

    def teardown(self, estimator: Any, context: Any) -> None:
        self.ended = True


@pytest.mark.parametrize("solver", ["lbfgs", "saga"])
def test_callbacks_are_told_of_every_step(solver: Any) -> None:
    pytest.importorskip("sklearn.callback")
    steps = _Steps()
    model = mercer.LogisticRegression(solver=solver).set_callbacks(steps).fit(X, TWO)
    n = int(model.n_iter_[0])
    assert len(steps.coefficients) == n + 2 and steps.ended  # the steps, an empty one, the whole fit
    np.testing.assert_array_equal(steps.coefficients[n - 1], model.coef_)
    half = mercer.LogisticRegression(solver=solver, max_iter=2)
    with pytest.warns(MercerWarning, match="stopped after 2 steps"):
        np.testing.assert_array_equal(half.fit(X, TWO).coef_, steps.coefficients[1])

"""Where figures in scikit-learn's tests are not ours, the reason: its tolerance, or one of several equal answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import mercer


@pytest.mark.parametrize("labels", ["baaba", "defed"])
def test_logistic_probabilities_are_those_of_a_small_tolerance(labels: str) -> None:
    """The rows of its test of several targets, whose seven digits are those of L-BFGS stopped at a gradient of 2e-4."""
    X = np.random.RandomState(542).normal(size=(5, 5))
    ours = mercer.LogisticRegression().fit(X, list(labels)).predict_proba(X)
    exact = LogisticRegression(tol=1e-10, max_iter=1000).fit(X, list(labels)).predict_proba(X)
    theirs = LogisticRegression().fit(X, list(labels)).predict_proba(X)
    np.testing.assert_allclose(ours, exact, atol=1e-7)
    assert abs(theirs - exact).max() > 4e-5


def test_trees_differ_in_splits_of_equal_gain_alone() -> None:
    """The rows of its test of partial dependence: a node of two rows is cut by any column; theirs draws one."""
    rng = np.random.RandomState(0)
    X, y = rng.randn(1000, 5), rng.randn(1000) * 10
    seed = 209652396  # of the first tree of a forest of random_state=0
    theirs, ours = (
        kind(max_depth=5, random_state=seed).fit(X, y) for kind in (DecisionTreeRegressor, mercer.DecisionTreeRegressor)
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    differing = list(_other_tests(theirs.tree_, ours.tree_, 0, 0))
    assert differing
    for their_gain, our_gain, n_rows in differing:
        assert our_gain == pytest.approx(their_gain) and n_rows == 2


def _other_tests(theirs: Any, ours: Any, a: int, b: int) -> Any:
    """(their gain, our gain, rows) of the nodes where the trees go apart, from node a of theirs and b of ours."""
    if theirs.children_left[a] < 0:
        return
    if theirs.feature[a] != ours.feature[b]:
        yield _gain(theirs, a), _gain(ours, b), theirs.n_node_samples[a]
        return
    assert ours.threshold[b] == pytest.approx(theirs.threshold[a], abs=1e-6)  # theirs knows float32 alone
    yield from _other_tests(theirs, ours, theirs.children_left[a], ours.children_left[b])
    yield from _other_tests(theirs, ours, theirs.children_right[a], ours.children_right[b])


def _gain(tree: Any, node: int) -> float:
    """Decrease of the sum of squares by the test of a node."""
    sums = tree.n_node_samples * tree.impurity
    return float(sums[node] - sums[tree.children_left[node]] - sums[tree.children_right[node]])

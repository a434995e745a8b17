"""scikit-learn's tests of monotonic boosting, with ours in its place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.ensemble._hist_gradient_boosting.tests.test_monotonic_constraints",
    others={"their growers and splitters in Cython": ["test_nodes_values", "test_bounded_value_min_gain_to_split"]},
)
globals().update(SUBSTITUTED.tests())

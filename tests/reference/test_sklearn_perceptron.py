"""scikit-learn's tests of its perceptron, with ours in its place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted("sklearn.linear_model.tests.test_perceptron")
globals().update(SUBSTITUTED.tests())

"""scikit-learn's tests of its kernel ridge regression, with ours in its place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted("sklearn.tests.test_kernel_ridge")
globals().update(SUBSTITUTED.tests())

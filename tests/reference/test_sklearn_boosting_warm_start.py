"""scikit-learn's tests of the warm start of boosting, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted("sklearn.ensemble._hist_gradient_boosting.tests.test_warm_start")
globals().update(SUBSTITUTED.tests())

"""scikit-learn's tests of its support vector machines on sparse rows, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.svm.tests.test_sparse",
    exceptions={"the solver is done within the one step that is meant to be too few": ["test_timeout"]},
)
globals().update(SUBSTITUTED.tests())

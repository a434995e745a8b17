"""scikit-learn's tests of `l1_min_c`, the least cost that leaves a column in the model, on our linear models."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.svm.tests.test_bounds",
    others={
        "a function of the rows alone": ["test_ill_posed_min_c"],
        "LIBSVM's random numbers": ["test_newrand_*"],
    },
)
globals().update(SUBSTITUTED.tests())

"""scikit-learn's tests of its support vector machines, with ours in their place."""

from __future__ import annotations

from .substituted import Substituted

SUBSTITUTED = Substituted(
    "sklearn.svm.tests.test_svm",
    exceptions={
        "a kernel function that gives the wrong shape is refused by fit, before predict": ["test_svr_errors"],
        "sparse rows are welcome where dense ones were learned from": ["test_bad_input"],
        "its kernel function fills square matrices only, and ours is asked about the support vectors alone": [
            "test_custom_kernel_not_array_input[SVC]"
        ],
        "the solver is done within the one or two steps that are meant to be too few": [
            "test_libsvm_convergence_warnings",
            "test_linear_svm_convergence_warnings",
        ],
    },
    others={"a private function that picks LIBLINEAR's solver": ["test_dual_auto", "test_dual_auto_edge_cases"]},
)
globals().update(SUBSTITUTED.tests())

"""scikit-learn's tests of its support vector machines, with ours in their place."""

from __future__ import annotations

import mercer

from .borrowed import Borrowed, spelled, stand_in

_LOSS = {"hinge": "l1", "squared_hinge": "l2"}
_TUBE = {"epsilon_insensitive": "l1", "squared_epsilon_insensitive": "l2"}


class LinearSVC(mercer.LinearSVC):
    loss = spelled("slack", _LOSS)


class LinearSVR(mercer.LinearSVR):
    loss = spelled("slack", _TUBE)


def _book() -> Borrowed:
    return BORROWED


_UNUSED = {"shrinking": True, "verbose": False}  # how LIBSVM works, not what it finds
_LINEAR = {"random_state": None, "verbose": 0, "dual": "auto"}  # the same of LIBLINEAR
OURS = {
    "SVC": stand_in(_book, mercer.SVC, random_state=None, **_UNUSED),
    "NuSVC": stand_in(_book, mercer.NuSVC, random_state=None, **_UNUSED),
    "SVR": stand_in(_book, mercer.SVR, **_UNUSED),
    "NuSVR": stand_in(_book, mercer.NuSVR, **_UNUSED),
    "OneClassSVM": stand_in(_book, mercer.OneClassSVM, **_UNUSED),
    "LinearSVC": stand_in(_book, LinearSVC, loss="squared_hinge", **_LINEAR),
    "LinearSVR": stand_in(_book, LinearSVR, loss="epsilon_insensitive", **_LINEAR),
}

EXCEPTIONS = {
    "reads or writes private attributes of LIBSVM's wrapper": [
        "test_tweak_params",
        "test_gamma_scale",
        "test_svc_raises_error_internal_representation",
    ],
    "dual_coef_ is an array, also when the rows were sparse": ["test_sparse_fit_support_vectors_empty"],
    "probability is no deprecated option here: it is calibrated on held-out rows": [
        "test_probability_raises_futurewarning",
        "test_svc_nusvc_probA_probB_deprecated",
    ],
    "a weight below 0 is an error here, not a row left out": [
        "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]",
        "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-NuSVC]",
        "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]",
        "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVC]",
        "test_negative_weight_equal_coeffs[partial-mask-label-1-NuSVR]",
    ],
    "a kernel function that gives the wrong shape is refused at fit already": ["test_svr_errors"],
    "sparse rows are welcome where dense ones were learned from": ["test_bad_input"],
    "its kernel function fills square matrices only; ours is asked about support rows alone": [
        "test_custom_kernel_not_array_input[SVC]"
    ],
    "dual names a solver of LIBLINEAR, which lacks one for this loss and penalty; ours is not asked": [
        "test_linearsvc_parameters[True-l1-squared_hinge]",
        "test_linearsvc_parameters[False-l2-hinge]",
    ],
    "the one or two steps of the test are enough for ours, so that it has nothing to warn of": [
        "test_libsvm_convergence_warnings",
        "test_linear_svm_convergence_warnings",
    ],
}
OTHERS = {"a private function that picks LIBLINEAR's solver": ["test_dual_auto", "test_dual_auto_edge_cases"]}
WORDED = frozenset(
    {
        "test_negative_sample_weights_mask_all_samples",
        "test_negative_weights_svc_leave_just_one_label",
        "test_svc_nonfinite_params",
        "test_sparse_precomputed",
        "test_hasattr_predict_proba",
        "test_linearsvc_parameters",
    }
)

BORROWED = Borrowed("sklearn.svm.tests.test_svm", {"sklearn.svm": OURS}, EXCEPTIONS, OTHERS, WORDED)
globals().update(BORROWED.tests())

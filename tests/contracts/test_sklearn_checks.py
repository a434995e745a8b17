"""scikit-learn's own checks on every estimator; exceptions are listed with a reason, and must fail."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer

from .estimators import CHECKED, PAIRWISE

BY_NAME = "columns are found by name, so other orders and extra columns are welcome"
IN_ORDER = "a perceptron learns from one row after the other: other orders of the same rows give other hyperplanes"
INFEASIBLE = "a class of the check's data is too small for this nu"
SHARES = "the coefficients of both classes have one sum, nu, so that weights of classes hardly move what parts them"
TOLERANCE = "solved to the tol given, while the check compares to 1e-7; holds with a smaller tol, which is checked too"
BANDWIDTH = "weights are counts of rows: 1000 for each row of a class shrink its bandwidth to a quarter"
SIMILAR = "the check hands over similarities, which are no distances"
FOLDS = "copies of a row may lie in other folds than the row, so calibration and search differ"
DRAWN = "rows are drawn: a row of weight 2 at once, two equal rows each by itself"
_TINY = (
    "check_class_weight_classifiers", "check_dict_unchanged", "check_dont_overwrite_parameters",
    "check_f_contiguous_array_estimator", "check_fit2d_predict1d", "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
)  # fmt: skip
_WEIGHTS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def expected_failures(estimator: Any) -> dict[str, str]:
    pairwise = get_tags(estimator).input_tags.pairwise
    found = {} if pairwise else {"check_dataframe_column_names_consistency": BY_NAME}
    if type(estimator).__name__.endswith("Perceptron"):
        found |= dict.fromkeys(_WEIGHTS, IN_ORDER)
    if isinstance(estimator, mercer.Resampled | mercer.BalancedBagging) or getattr(estimator, "bootstrap", False):
        found |= dict.fromkeys(_WEIGHTS, DRAWN)
    if getattr(estimator, "likelihoods", None) == "density":
        found["check_class_weight_classifiers"] = BANDWIDTH
    if pairwise and hasattr(estimator, "class_weight") and hasattr(estimator, "metric"):
        found["check_class_weight_classifiers"] = SIMILAR
    if hasattr(estimator, "nu") and is_classifier(estimator):
        found |= (
            {"check_class_weight_classifiers": SHARES} if estimator.nu == "cv" else dict.fromkeys(_TINY, INFEASIBLE)
        )
    calibrated = getattr(estimator, "probability", None) in ("sigmoid", "isotonic")
    if hasattr(estimator, "library"):  # of dense classes one model has all the weight, whatever the folds
        found |= dict.fromkeys(_WEIGHTS[int(is_classifier(estimator)) :], FOLDS)
    if calibrated or "cv" in (getattr(estimator, n, None) for n in ("C", "nu", "alpha")):
        found |= dict.fromkeys(_WEIGHTS, FOLDS)
    elif isinstance(estimator, mercer.CoreVectorMachine):
        found |= dict.fromkeys(_WEIGHTS, TOLERANCE) if estimator.tol >= 1e-6 else {}
    elif "SV" in type(estimator).__name__ and estimator.tol >= 1e-4 and not pairwise:
        found |= dict.fromkeys(_WEIGHTS, TOLERANCE)
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks([*CHECKED, *PAIRWISE], expected_failed_checks=expected_failures, xfail_strict=True)
def test_sklearn_check(estimator: Any, check: Any) -> None:
    check(estimator)

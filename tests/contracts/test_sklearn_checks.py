"""scikit-learn's own checks on every estimator; exceptions are listed with a reason, and must fail."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from .estimators import CHECKED

BY_NAME = "columns are found by name, so other orders and extra columns are welcome"
IN_ORDER = "a perceptron learns from one row after the other: other orders of the same rows give other hyperplanes"


def expected_failures(estimator: Any) -> dict[str, str]:
    expected = {"check_dataframe_column_names_consistency": BY_NAME}
    if type(estimator).__name__.endswith("Perceptron"):
        for kind in ("dense", "sparse"):
            expected[f"check_sample_weight_equivalence_on_{kind}_data"] = IN_ORDER
    return expected


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures, xfail_strict=True)
def test_sklearn_check(estimator: Any, check: Any) -> None:
    check(estimator)

"""scikit-learn's own checks on every estimator; exceptions are listed with a reason, and must fail."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from .estimators import CHECKED

BY_NAME = "columns are found by name, so other orders and extra columns are welcome"


def expected_failures(estimator: Any) -> dict[str, str]:
    return {"check_dataframe_column_names_consistency": BY_NAME}


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(CHECKED, expected_failed_checks=expected_failures, xfail_strict=True)
def test_sklearn_check(estimator: Any, check: Any) -> None:
    check(estimator)

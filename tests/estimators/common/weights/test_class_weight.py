"""What class_weight means, for every classifier that takes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from mercer.errors import BadParameter
from mercer.estimators.common.weights.class_weight import class_factors, class_weighted

CLASSES = np.array(["a", "b", "c"])
CODES = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32)
WEIGHT = np.array([1.0, 2.0, 0.0, 0.5, 0.5, 4.0])


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.0, "c": 0.0}, {"b": np.int64(3)}])
def test_factors_are_those_of_scikit_learn(class_weight: Any) -> None:
    expected = compute_class_weight(class_weight, classes=CLASSES, y=CLASSES[CODES])
    np.testing.assert_allclose(class_factors(class_weight, CLASSES, CODES, None), expected)


def test_balanced_classes_weigh_alike_in_sum() -> None:
    rows = class_weighted("balanced", CLASSES, CODES, WEIGHT)
    assert rows is not None
    np.testing.assert_allclose(np.bincount(CODES, weights=rows), WEIGHT.sum() / 3)


def test_a_class_without_weight_is_not_counted_as_balanced() -> None:
    weight = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(class_factors("balanced", CLASSES, CODES, weight), [4 / (2 * 3), 0, 4 / (2 * 1)])


def test_weights_of_rows_and_classes_multiply() -> None:
    assert class_weighted(None, CLASSES, CODES, None) is None
    assert class_weighted(None, CLASSES, CODES, WEIGHT) is WEIGHT
    found = class_weighted({"a": 2.0}, CLASSES, CODES, WEIGHT)
    np.testing.assert_allclose(found, WEIGHT * [2, 2, 2, 1, 1, 1])


def test_classes_of_other_data_may_be_named_beside_all_of_these() -> None:
    named = {"a": 2.0, "b": 1.0, "c": 0.5, "elsewhere": 9.0}
    theirs = compute_class_weight(named, classes=CLASSES, y=CLASSES[CODES])
    np.testing.assert_array_equal(class_factors(named, CLASSES, CODES, None), theirs)
    with pytest.raises(ValueError, match="are not in class_weight"):
        compute_class_weight({"a": 2.0, "bb": 1.0}, classes=CLASSES, y=CLASSES[CODES])
    with pytest.raises(BadParameter, match=r"are not in class_weight, but there is no class 'bb'\. Did you mean 'b'"):
        class_factors({"a": 2.0, "bb": 1.0}, CLASSES, CODES, None)


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ("balance", "expected 'balanced' or None or a dict"),
        ({"aa": 1.0}, "there is no class 'aa'"),
        ({"a": -1.0}, "numbers of at least 0"),
        ({"a": True}, "numbers of at least 0"),
        (dict.fromkeys("abc", 0.0), "one of them positive"),
    ],
    ids=str,
)
def test_bad_class_weights_are_refused(class_weight: Any, message: str) -> None:
    with pytest.raises(BadParameter, match=message):
        class_factors(class_weight, CLASSES, CODES, None)

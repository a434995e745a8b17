"""skops saves and loads every estimator, naming the types that it asks the reader to trust."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.pipeline import make_pipeline

import mercer
from mercer.encode import Impute, ZScore
from tests.contracts.estimators import exported

from .people import NUMBERS, X, Y

ESTIMATORS = [*(c() for c in exported()), mercer.OneClassSVM(), make_pipeline(Impute(), ZScore(), mercer.SVC())]


@pytest.mark.parametrize("rows", [X, NUMBERS.to_numpy()], ids=["mixed", "array"])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_saved_and_loaded(estimator: Any, rows: Any) -> None:
    io = pytest.importorskip("skops.io")
    fitted = estimator.fit(rows, Y if is_classifier(estimator) else NUMBERS["pay"])
    file = io.dumps(fitted)
    asked = io.get_untrusted_types(data=file)
    assert asked and all(name.startswith("mercer.") for name in asked)
    loaded = io.loads(file, trusted=asked)
    method = "predict_proba" if hasattr(fitted, "predict_proba") else "predict"
    np.testing.assert_array_equal(getattr(loaded, method)(rows), getattr(fitted, method)(rows))
    assert repr(loaded) == repr(fitted)


def test_columns_left_out_and_selectors_come_back() -> None:
    io = pytest.importorskip("skops.io")
    encoder = mercer.encode.OneHot(on=mercer.table.categorical()).fit(X.assign(planet="Earth"))
    file = io.dumps(encoder)
    loaded = io.loads(file, trusted=io.get_untrusted_types(data=file))
    assert loaded.schema_ == encoder.schema_ and loaded.on == encoder.on
    assert loaded.schema_.left_out[0].cause is mercer.table.Cause.CONSTANT

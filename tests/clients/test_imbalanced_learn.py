"""imbalanced-learn resamples the training rows of our learners inside its pipelines."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import mercer
from mercer.encode import Impute, dense_recipe

from .people import X, Y

FEW = np.flatnonzero((Y == "no") | (np.cumsum(Y == "yes") <= 12))  # twelve rows of one class
ROWS, CLASSES = X.iloc[FEW], Y[FEW]


def test_fewer_rows_of_a_mixed_frame() -> None:
    pytest.importorskip("imblearn")
    from imblearn.pipeline import make_pipeline  # noqa: PLC0415
    from imblearn.under_sampling import RandomUnderSampler  # noqa: PLC0415

    model = make_pipeline(RandomUnderSampler(random_state=0), mercer.SVC()).fit(ROWS, CLASSES)
    kept, classes = RandomUnderSampler(random_state=0).fit_resample(ROWS, CLASSES)
    assert Counter(classes) == {"no": 12, "yes": 12}
    expected = mercer.SVC().fit(kept, classes).decision_function(ROWS)
    np.testing.assert_allclose(model.decision_function(ROWS), expected)


def test_synthetic_rows_of_encoded_columns() -> None:
    pytest.importorskip("imblearn")
    from imblearn.over_sampling import SMOTE  # noqa: PLC0415
    from imblearn.pipeline import make_pipeline  # noqa: PLC0415

    model = make_pipeline(dense_recipe(), SMOTE(random_state=0), mercer.SVC()).fit(ROWS, CLASSES)
    plain = mercer.SVC().fit(ROWS, CLASSES)
    rare = CLASSES == "yes"
    assert (model.predict(ROWS)[rare] == "yes").sum() > (plain.predict(ROWS)[rare] == "yes").sum()


def test_synthetic_rows_of_a_mixed_frame() -> None:
    pytest.importorskip("imblearn")
    from imblearn.over_sampling import SMOTENC  # noqa: PLC0415
    from imblearn.pipeline import make_pipeline  # noqa: PLC0415

    fill = Impute().set_output(transform="pandas")
    model = make_pipeline(fill, SMOTENC("auto", random_state=0), mercer.SVC()).fit(ROWS, CLASSES)
    kinds = {c.name: str(c.kind) for c in model[-1].schema_}
    assert kinds == {"age": "numeric", "pay": "numeric", "job": "category", "size": "ordinal"}
    assert set(model.predict(ROWS)) == {"no", "yes"}

"""CalibratedClassifierCV around our estimators on a mixed frame: categories and missing cells, by every method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_predict

import mercer

from .people import X, Y

METHODS = ["sigmoid", "isotonic"]
if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8):
    METHODS.append("temperature")
LEARNERS = [
    mercer.NaiveBayes(),
    mercer.LogisticRegression(),
    mercer.SVC(),
    mercer.LinearSVC(),
    mercer.DecisionTreeClassifier(min_samples_leaf=5),
    mercer.KNeighborsClassifier(),
    mercer.HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=5),
    mercer.Resampled(mercer.NaiveBayes(), "smote", metric="heom"),
    mercer.Resampled(mercer.LinearSVC(), "under"),
    mercer.BalancedBagging(mercer.NaiveBayes(), 3),
]


CASES = [
    (e, m) for e in LEARNERS for m in METHODS if m == "sigmoid" or isinstance(e, mercer.NaiveBayes | mercer.LinearSVC)
]


@pytest.mark.parametrize(("learner", "method"), CASES, ids=repr)
def test_a_mixed_frame(learner: Any, method: str) -> None:
    model = CalibratedClassifierCV(clone(learner), method=method, cv=3).fit(X, Y)
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-6)
    assert (found >= 0).all() and ((found[:, 1] > 0.5) == (Y == "yes")).mean() > 0.65
    inner = model.calibrated_classifiers_[0].estimator
    assert {c.name: str(c.kind) for c in inner.schema_} == {
        "age": "numeric", "pay": "numeric", "job": "category", "size": "ordinal"
    }  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_a_level_that_a_fold_lacks_and_several_classes(method: str) -> None:
    frame = X.assign(job=["astronaut", *X["job"][1:]])
    classes = np.where(Y == "yes", np.where(X["pay"] > 20, "a", "b"), "c")
    for learner in (mercer.NaiveBayes(), mercer.SVC()):
        found = CalibratedClassifierCV(learner, method=method, cv=3).fit(frame, classes).predict_proba(frame)
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-6)


def test_one_ensemble_member_from_cross_validated_predictions() -> None:
    model = CalibratedClassifierCV(mercer.NaiveBayes(), ensemble=False, cv=3).fit(X, Y)
    scores = cross_val_predict(mercer.NaiveBayes(), X, Y, cv=3, method="predict_proba")[:, 1]
    assert np.isfinite(scores).all() and len(model.calibrated_classifiers_) == 1
    np.testing.assert_array_equal(
        model.calibrated_classifiers_[0].estimator.predict_proba(X), mercer.NaiveBayes().fit(X, Y).predict_proba(X)
    )


@pytest.mark.parametrize("method", METHODS)
def test_calibration_repairs_what_resampling_left_uncorrected(method: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(6000) < 0.05
    frame = pd.DataFrame({"size": rng.normal(size=6000) + 1.5 * y, "job": rng.choice(["cook", "clerk"], 6000)})
    frame.loc[::9, "size"] = np.nan
    half = slice(0, 3000)
    raw = mercer.Resampled(mercer.NaiveBayes(), "over", correct=False).fit(frame[half], y[half])
    model = CalibratedClassifierCV(FrozenEstimator(raw), method=method).fit(frame[3000:], y[3000:])
    off = abs(raw.predict_proba(frame)[:, 1].mean() - y.mean())
    found = abs(model.predict_proba(frame)[:, 1].mean() - y.mean())
    if method == "temperature":
        assert found > 0.9 * off  # it scales log-odds and cannot move them: docs/rare-classes.md says so
    else:
        assert found < 0.1 * off

"""scikit-learn's estimators of several targets around ours, on a mixed frame with missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.pipeline import make_pipeline

import mercer
from mercer.encode import Impute, OneHot

RNG = np.random.default_rng(0)
N = 90
X = pd.DataFrame(
    {
        "age": RNG.normal(40, 9, N),
        "job": RNG.choice(["clerk", "cook", "smith"], N),
        "size": pd.Categorical(RNG.choice(["S", "M"], N)),
    }
)
AGE = X["age"].to_numpy().copy()
LABELS = np.column_stack([X["job"] == "cook", AGE > 40]).astype(int)
NUMBERS = np.column_stack([AGE + 5 * LABELS[:, 0], 2 * AGE])
X.loc[::7, "age"] = np.nan
X.loc[::9, "job"] = None


@pytest.mark.parametrize("model", [mercer.NaiveBayes(), mercer.SVC(), mercer.DecisionTreeClassifier(max_depth=4)])
def test_several_classes_to_predict(model: Any) -> None:
    many = MultiOutputClassifier(model).fit(X, LABELS)
    alone = [clone(model).fit(X, column).predict(X) for column in LABELS.T]
    np.testing.assert_array_equal(many.predict(X), np.column_stack(alone))


@pytest.mark.parametrize("model", [mercer.LinearRegression(), mercer.SVR(), mercer.DecisionTreeRegressor(max_depth=4)])
def test_several_numbers_to_predict(model: Any) -> None:
    many = MultiOutputRegressor(model).fit(X, NUMBERS)
    alone = [clone(model).fit(X, column).predict(X) for column in NUMBERS.T]
    np.testing.assert_array_equal(many.predict(X), np.column_stack(alone))


def test_chains_take_numbers_only_so_columns_are_encoded_first() -> None:
    with pytest.raises(ValueError, match="could not convert string to float"):
        ClassifierChain(mercer.NaiveBayes()).fit(X, LABELS)
    rows = make_pipeline(Impute(), OneHot()).fit_transform(X)
    for chain, model, target in (
        (ClassifierChain, mercer.LogisticRegression(), LABELS),
        (RegressorChain, mercer.LinearRegression(), NUMBERS),
    ):
        found = make_pipeline(Impute(), OneHot(), chain(model)).fit(X, target).predict(X)
        first = clone(model).fit(rows, target[:, 0]).predict(rows)
        np.testing.assert_allclose(found[:, 0], first, atol=1e-6)


def test_several_targets_of_several_classes() -> None:
    jobs = np.where(X["job"].isna(), "none", X["job"])
    both = np.column_stack([jobs, np.where(LABELS[:, 1] == 1, "old", "young")])
    rows = X[["age", "size"]].assign(pay=AGE + RNG.normal(0, 1, N))
    many = MultiOutputClassifier(mercer.OneVsOne(mercer.SVC())).fit(rows, both)
    assert many.predict(rows).shape == (N, 2) and len(many.estimators_[0].estimators_) == 6

"""Missing cells that carry information: every family learns from them, and models and files show them by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as SklearnSVC
from sklearn.svm import LinearSVC as SklearnLinearSVC

import mercer

CLASSIFIERS = [
    mercer.NaiveBayes(),
    mercer.SVC(),
    mercer.NuSVC(),
    mercer.LinearSVC(),
    mercer.KNeighborsClassifier(),
    mercer.KernelPerceptron(),
    mercer.Perceptron(),
    mercer.LogisticRegression(),
]
REGRESSORS = [
    mercer.SVR(),
    mercer.NuSVR(),
    mercer.LinearSVR(),
    mercer.KNeighborsRegressor(),
    mercer.LocallyWeightedRegression(),
    mercer.NaiveBayesRegressor(),
    mercer.LinearRegression(),
]


def gaps_that_tell(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Noise in six columns; in one of them a cell is missing where the class is 1, but for 5 % of the rows."""
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((n, 6)), np.repeat([0, 1], n // 2)
    X[(y == 1) ^ (rng.random_sample(n) < 0.05), 2] = np.nan
    return X, y


def as_frame(X: np.ndarray) -> dict[str, Any]:
    columns: dict[str, Any] = {f"c{j}": X[:, j] for j in range(X.shape[1])}
    columns["job"] = np.where(X[:, 0] > 0, "sales", "clerk").tolist()
    return columns


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: type(m).__name__)
def test_classifiers_learn_that_a_cell_is_missing(model: Any) -> None:
    X, y = gaps_that_tell()
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=folds).mean() > 0.88


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: type(m).__name__)
def test_regressors_learn_that_a_cell_is_missing(model: Any) -> None:
    X, y = gaps_that_tell()
    fitted = clone(model).fit(X[::2], y[::2] * 4.0)
    assert fitted.score(X[1::2], y[1::2] * 4.0) > 0.5


def test_as_an_imputer_with_indicator_before_scikit_learn() -> None:
    X, y = gaps_that_tell()
    theirs = make_pipeline(SimpleImputer(add_indicator=True), SklearnSVC(tol=1e-8)).fit(X, y)
    ours = mercer.SVC(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-4, atol=1e-5)


def test_a_linear_machine_has_a_coefficient_for_it() -> None:
    X, y = gaps_that_tell()
    theirs = make_pipeline(SimpleImputer(add_indicator=True), SklearnLinearSVC()).fit(X, y)
    ours = mercer.LinearSVC().fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=0.02, atol=0.01)
    assert ours.encoder_.names[-1] == "x2 is missing"
    assert ours.coef_[0, -1] > 1


def test_naive_bayes_factorises_into_missing_and_value() -> None:
    y = np.repeat([0, 1], [40, 60])
    age = np.where(np.arange(100) % np.where(y, 3, 10) == 0, np.nan, y + np.arange(100) % 7)
    model = mercer.NaiveBayes(smoothing=0).fit({"age": age}, y)
    plain = (
        mercer.NaiveBayes(smoothing=0, missing_indicator=False)
        .fit({"age": age}, y)
        .predict_joint_log_proba({"age": age})
    )
    share = np.array([np.isnan(age[y == c]).mean() for c in (0, 1)])
    expected = plain + np.where(np.isnan(age)[:, None], np.log(share), np.log1p(-share))
    np.testing.assert_allclose(model.predict_joint_log_proba({"age": age}), expected, rtol=1e-10)


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("mixed", [False, True])
def test_files_and_input_stay_those_of_the_caller(model: Any, mixed: bool, tmp_path: Path) -> None:
    X, y = gaps_that_tell()
    rows: Any = as_frame(X) if mixed else X
    fitted = clone(model).fit(rows, y)
    assert fitted.n_features_in_ == len(fitted.schema_) == (7 if mixed else 6)
    mercer.save(fitted, tmp_path / "m.mercer")
    loaded = mercer.load(tmp_path / "m.mercer")
    assert loaded.missing_indicators_ == fitted.missing_indicators_
    np.testing.assert_array_equal(loaded.predict(rows), fitted.predict(rows))
    again = clone(loaded).fit(rows, y)
    np.testing.assert_array_equal(again.predict(rows), fitted.predict(rows))


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda m: type(m).__name__)
def test_without_missing_cells_nothing_is_added(model: Any) -> None:
    X, y = gaps_that_tell()
    fitted = clone(model).fit(np.nan_to_num(X), y)
    assert fitted.missing_indicators_.columns == ()


@pytest.mark.parametrize(
    "model", [mercer.NaiveBayes(), mercer.SVC(), mercer.LinearSVC(), mercer.KNeighborsClassifier()], ids=str
)
def test_weights_are_rows(model: Any) -> None:
    X, y = gaps_that_tell()
    assert clone(model).fit(X, y).missing_indicators_.columns == ("x2",)
    gaps = np.isnan(X[:, 2])
    weight = np.where(gaps, 0, 1)
    weight[np.flatnonzero(gaps)[-9:]] = 1  # nine gaps are left, all of class 1
    assert clone(model).fit(X, y, sample_weight=weight).missing_indicators_.columns == ()
    weight[np.flatnonzero(gaps)[-9:]] = 3  # as many as 27
    assert clone(model).fit(X, y, sample_weight=weight).missing_indicators_.columns == ("x2",)


def test_every_gap_or_none_on_request() -> None:
    X, y = gaps_that_tell()
    X[0, 4] = np.nan
    for choice, columns in ((True, ("x2", "x4")), (False, ()), ("auto", ("x2",))):
        assert mercer.SVC(missing_indicator=choice).fit(X, y).missing_indicators_.columns == columns
    assert mercer.OneClassSVM().fit(X).missing_indicators_.columns == ()
    assert mercer.OneClassSVM(missing_indicator=True).fit(X).missing_indicators_.columns == ("x2", "x4")


def test_explanations_name_it() -> None:
    X, y = gaps_that_tell()
    model = mercer.NaiveBayes().fit(as_frame(X), y)
    assert "c2 is missing" in model.explain(as_frame(X[:2])).columns
    assert "c2 is missing" in str(model.tables()["c2 is missing"].name)


def test_a_metric_or_kernel_of_the_caller_sees_the_callers_columns_alone() -> None:
    X, y = gaps_that_tell()
    seen: list[int] = []

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        seen.append(a.shape[1])
        return np.nan_to_num(a) @ np.nan_to_num(b).T

    mercer.SVC(kernel=kernel).fit(X, y)
    assert set(seen) == {6}
    assert mercer.KNeighborsClassifier(metric="nan_euclidean").fit(X, y).missing_indicators_.columns == ()

"""Logistic regression: separation, curves, explanations, bad input, storing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from tests.estimators.linear.states import changed

import mercer
from mercer.errors import BadColumn, BadFile, BadTarget, MercerError, MercerWarning
from mercer.state import Reader

RNG = np.random.default_rng(8)
N = 150
X = RNG.normal(size=(N, 3))
Y = np.where(RNG.random(N) < expit(X @ [1.5, -1.0, 0.0]), "yes", "no")


def test_probabilities_are_the_logistic_function() -> None:
    model = mercer.LogisticRegression().fit(X, Y)
    eta = X @ model.coef_[0] + model.intercept_[0]
    assert_allclose(model.decision_function(X), eta)
    assert_allclose(model.predict_proba(X)[:, 1], expit(eta))
    assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)), rtol=1e-9)


@pytest.mark.parametrize("direction", [1, -1])
def test_complete_separation_is_named_and_finite(direction: int) -> None:
    y = direction * X[:, 1] > 0.2
    with pytest.warns(MercerWarning, match="separated by 'x1'"):
        model = mercer.LogisticRegression(C=np.inf).fit(X, y)
    assert model.separated_ == ["x1"]
    assert np.isfinite(model.coef_).all() and np.abs(model.coef_).max() < 100
    assert model.score(X, y) > 0.98
    assert np.isnan(model.summary().coefficients.p_value).all()


def test_quasi_separation_by_a_level_is_named() -> None:
    job = np.where((Y == "yes") & (RNG.random(N) < 0.3), "pilot", "clerk")
    with pytest.warns(MercerWarning, match="separated by 'job=pilot'"):
        model = mercer.LogisticRegression(C=np.inf).fit({"job": job, "age": X[:, 0]}, Y)
    assert np.isfinite(model.coef_).all()


def test_separation_by_a_combination_and_of_three_classes() -> None:
    y = X[:, 0] + X[:, 2] > 0
    with pytest.warns(MercerWarning, match="separated by"):
        model = mercer.LogisticRegression(C=np.inf).fit(X, y)
    assert set(model.separated_) == {"x0", "x2"}
    with pytest.warns(MercerWarning, match="separated by 'x0'"):
        mercer.LogisticRegression(C=np.inf).fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))


def test_overlapping_classes_are_not_called_separated() -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(60, 2))
        y = rng.random(60) < expit(2 * x[:, 0])
        assert mercer.LogisticRegression(C=np.inf).fit(x, y).separated_ == []


def test_aliased_columns_are_named() -> None:
    rows = np.column_stack([X, X[:, 0] + X[:, 1], np.ones(N)])
    with pytest.warns(MercerWarning, match="combinations of earlier ones"):
        model = mercer.LogisticRegression(C=np.inf).fit(rows, Y)
    assert model.aliased_ == ["x3", "x4"]
    plain = mercer.LogisticRegression(C=np.inf).fit(X, Y)
    assert_allclose(model.predict_proba(rows), plain.predict_proba(X), atol=1e-8)


def test_lasso_gives_exact_zeros() -> None:
    model = mercer.LogisticRegression(C=0.05, l1_ratio=1.0, solver="saga").fit(X, Y)
    assert model.coef_[0, 2] == 0 and model.coef_[0, 0] > 0


def test_large_penalty_leaves_the_class_frequencies() -> None:
    model = mercer.LogisticRegression(C=1e-9).fit(X, Y)
    assert_allclose(model.predict_proba(X)[:, 1], (Y == "yes").mean(), atol=1e-6)


def test_class_weight_is_sample_weight() -> None:
    by_class = mercer.LogisticRegression(class_weight={"yes": 3.0}).fit(X, Y)
    by_row = mercer.LogisticRegression().fit(X, Y, np.where(Y == "yes", 3.0, 1.0))
    assert_allclose(by_class.coef_, by_row.coef_)
    with pytest.raises(MercerError, match="no class 'yess'"):
        mercer.LogisticRegression(class_weight={"yess": 3.0}).fit(X, Y)


def test_curve_of_one_column_is_the_logistic_function() -> None:
    model = mercer.LogisticRegression().fit(X[:, :1], Y)
    curve = model.curve("x0", X[:, :1], points=21)
    assert_allclose(curve.probability[:, 1], expit(curve.values * model.coef_[0, 0] + model.intercept_[0]))
    assert_allclose(curve.probability.sum(axis=1), 1.0)
    assert "yes" in repr(curve) and "<table>" in curve._repr_html_()


def test_curve_over_levels_and_errors() -> None:
    rows = {"job": RNG.choice(["a", "b"], N), "x": X[:, 0], "note": [f"word {v} of many here" for v in range(N)]}
    model = mercer.LogisticRegression(kinds={"note": "text"}).fit(rows, Y)
    assert model.curve("job", rows).values.tolist() == ["a", "b"]
    with pytest.raises(BadColumn, match="is text"):
        model.curve("note", rows)
    with pytest.raises(BadColumn, match="no column 'jub'"):
        model.curve("jub", rows)


@pytest.mark.parametrize("y", [Y, np.digitize(X[:, 0] + RNG.normal(size=N), [-0.5, 0.5])], ids=["two", "three"])
def test_explanations_add_up(y: Any) -> None:
    model = mercer.LogisticRegression().fit(X, y)
    found = model.explain(X)
    proba = np.sort(model.predict_proba(X), axis=1)
    odds = np.log(proba[:, -1] / proba[:, -2])
    assert_allclose(np.abs(found.total) if len(model.classes_) == 2 else found.total, odds, rtol=1e-8, atol=1e-10)


def test_summary_of_several_classes_has_a_table_each() -> None:
    y = np.digitize(X[:, 0] + RNG.normal(size=N), [-0.5, 0.5])
    summary = mercer.LogisticRegression(C=np.inf).fit(X, y).summary()
    assert list(summary.tables) == ["1 against 0", "2 against 0"]
    assert "odds ratio" in repr(summary) and "odds ratio" in summary._repr_html_()


def test_bad_targets() -> None:
    with pytest.raises(BadTarget, match="only one class: 'a'"):
        mercer.LogisticRegression().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(BadTarget, match="NaN"):
        mercer.LogisticRegression().fit([[1.0], [2.0]], [1.0, np.nan])


def test_few_rows_and_more_columns_than_rows() -> None:
    model = mercer.LogisticRegression().fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    wide = RNG.normal(size=(8, 40))
    y = np.arange(8) % 2
    for C in (1.0, np.inf):
        assert mercer.LogisticRegression(C=C).fit(wide, y).score(wide, y) == 1.0


def test_a_category_with_many_levels() -> None:
    code = [f"c{v}" for v in RNG.integers(0, 5000, 10_000)]
    y = RNG.random(10_000) < 0.3
    model = mercer.LogisticRegression(kinds={"code": "category"}).fit({"code": code}, y)
    assert np.isfinite(model.predict_proba({"code": ["c1", "new", None]})).all()


@pytest.mark.parametrize(
    "options",
    [{"C": 0.0}, {"C": np.nan}, {"l1_ratio": 2.0}, {"solver": "newton"}, {"l1_ratio": 0.5, "solver": "lbfgs"},
     {"tol": -1.0}, {"max_iter": -1}, {"class_weight": "even"}, {"baseline": "last"}, {"dual": True},
     {"penalty": "l3"}, {"penalty": "elasticnet", "solver": "saga", "l1_ratio": None}],
    ids=str,
)  # fmt: skip
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(MercerError):
        mercer.LogisticRegression(**options).fit(X, Y)


def test_too_few_steps_are_warned_about() -> None:
    with pytest.warns(MercerWarning, match="stopped after 1 steps") as said:
        mercer.LogisticRegression(max_iter=1).fit(X, Y)
    assert issubclass(said[0].category, ConvergenceWarning)  # what callers of scikit-learn listen for


def test_state_is_checked() -> None:
    model = mercer.LogisticRegression(C=np.inf).fit(X, Y)
    state = model.to_state()
    assert repr(mercer.LogisticRegression.from_state(Reader(state)).summary()) == repr(model.summary())
    fit = ("fitted", "fit")
    wrong = [
        changed(state, *fit, coef=np.zeros((2, 3))), changed(state, *fit, mean=np.full(3, np.inf)),
        changed(state, *fit, separating=np.array([9])), changed(state, *fit, covariance=np.zeros((3, 3))),
        changed(state, *fit, surplus=0), changed(state, "fitted", classes={"type": "text", "values": ["a"]}),
        changed(state, "parameters", C=-1.0), changed(state, "fitted", surplus=0),
    ]  # fmt: skip
    for other in wrong:
        with pytest.raises(BadFile):
            mercer.LogisticRegression.from_state(Reader(other))


def test_parameters_come_back_on_load() -> None:
    options: dict[str, Any] = {
        "C": np.inf, "solver": "newton-cg", "fit_intercept": False, "class_weight": {"yes": 2.0}, "terms": ["x0^2"],
        "baseline": "common", "tol": 1e-6, "max_iter": 50,
    }  # fmt: skip
    model = mercer.LogisticRegression(**options).fit(X, Y)
    again = mercer.LogisticRegression.from_state(Reader(model.to_state()))
    assert again.get_params() == model.get_params()


def test_the_number_of_steps_is_an_array_as_in_scikit_learn():
    for y in (np.arange(60) % 2, np.arange(60) % 3):
        X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
        ours, theirs = (kind().fit(X, y).n_iter_ for kind in (mercer.LogisticRegression, SklearnLogistic))
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert ours[0] >= 1


def test_the_coefficients_of_a_summary_hold_every_class():
    X, y = load_iris(return_X_y=True)
    summary = mercer.LogisticRegression().fit(X, y).summary()
    assert len(summary.coefficients) == 2 * 5 == sum(len(table) for table in summary.tables.values())
    assert summary.coefficients.names[5] == "2 against 0: (Intercept)"
    last = summary.tables["2 against 0"]
    np.testing.assert_array_equal(summary.coefficients.estimate[5:], last.estimate)
    np.testing.assert_array_equal(summary.coefficients.p_value[5:], last.p_value)
    assert len(mercer.LogisticRegression().fit(X[:100], y[:100]).summary().coefficients) == 5

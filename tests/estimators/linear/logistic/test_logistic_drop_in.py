"""LogisticRegression as scikit-learn's: parameters, penalties, precision, warm starts, callbacks."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn import linear_model

import mercer
from mercer.errors import BadTable, MercerError, MercerWarning

RNG = np.random.default_rng(3)
X = RNG.normal(size=(200, 6)) @ RNG.normal(size=(6, 6)) + 1.0
TWO = (X[:, 0] + X[:, 3] + 2 * RNG.normal(size=200) > 1).astype(int)
THREE = np.digitize(X[:, 1] + 2 * RNG.normal(size=200), [0, 2])


def test_scikit_learns_parameters_come_first_with_its_defaults() -> None:
    theirs = inspect.signature(linear_model.LogisticRegression).parameters.values()
    ours = list(inspect.signature(mercer.LogisticRegression).parameters.values())
    for mine, other in zip(ours, theirs, strict=False):
        assert (mine.name, mine.kind, mine.default) == (other.name, other.kind, other.default)
    assert all(extra.kind is inspect.Parameter.KEYWORD_ONLY for extra in ours[len(theirs) :])


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("as_rows", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_the_derivatives_balance_the_penalty(y: Any, as_rows: Any, l1_ratio: float) -> None:
    model = mercer.LogisticRegression(C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-10).fit(as_rows(X), y)
    error = model.predict_proba(X) - (y[:, None] == model.classes_)
    error = error[:, 1:] if len(model.classes_) == 2 else error
    slope, b = 0.1 * error.T @ X, model.coef_
    assert_allclose(error.sum(axis=0), 0, atol=1e-8)
    rest = slope + (1 - l1_ratio) * b
    assert_allclose(rest[b != 0], -l1_ratio * np.sign(b[b != 0]), atol=1e-8)
    assert (np.abs(rest[b == 0]) <= l1_ratio + 1e-8).all()


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_liblinear_penalises_the_intercept(l1_ratio: float) -> None:
    options: dict[str, Any] = {"solver": "liblinear", "l1_ratio": l1_ratio, "C": 0.2, "intercept_scaling": 2.0}
    ours = mercer.LogisticRegression(**options, tol=1e-10).fit(X, TWO)
    theirs = linear_model.LogisticRegression(**options, tol=1e-10, max_iter=100_000).fit(X, TWO)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    free = mercer.LogisticRegression(solver="saga", l1_ratio=l1_ratio, C=0.2).fit(X, TWO)
    assert abs(free.intercept_[0] - ours.intercept_[0]) > 1e-3


@pytest.mark.parametrize("name", ["l1", "l2", "elasticnet", None])
def test_the_deprecated_penalty_means_l1_ratio_and_C(name: str | None) -> None:
    ratio = {"l1": 1.0, "l2": 0.0, "elasticnet": 0.5}.get(str(name), 0.0)
    with pytest.warns(FutureWarning, match="'penalty' was deprecated"):
        model = mercer.LogisticRegression(name, solver="saga", l1_ratio=ratio).fit(X, TWO)
    C = np.inf if name is None else 1.0
    plain = mercer.LogisticRegression(C=C, solver="saga", l1_ratio=ratio).fit(X, TWO)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("columns", [6, 2000], ids=["few", "many"])
def test_a_warm_start_is_done_at_once(y: Any, columns: int) -> None:
    rows = np.column_stack([X, RNG.normal(size=(200, columns - 6))]) if columns > 6 else X
    model = mercer.LogisticRegression(warm_start=True, tol=1e-6, max_iter=1000).fit(rows, y)
    first, steps = model.coef_.copy(), model.n_iter_[0]
    model.fit(rows, y)
    assert model.n_iter_[0] <= 2 < steps
    assert_allclose(model.coef_, first, atol=1e-5)
    with pytest.raises(BadTable, match=r"Initialization coef is of shape .*, expected \("):
        model.fit(rows[:, 1:], y)


def test_single_precision_in_and_out() -> None:
    rows = X.astype(np.float32)
    model = mercer.LogisticRegression().fit(rows, THREE)
    for found in (model.coef_, model.intercept_, model.predict_proba(rows), model.decision_function(rows)):
        assert found.dtype == np.float32
    assert model.predict_proba(X).dtype == np.float64
    double = mercer.LogisticRegression().fit(X, THREE)
    assert_allclose(model.predict_proba(rows), double.predict_proba(X), atol=1e-5)


def test_sparse_coefficients_predict_as_dense_ones() -> None:
    model = mercer.LogisticRegression(C=0.01, l1_ratio=1, solver="saga").fit(X, THREE)
    expected, cells = model.predict_proba(X), model.explain(X).values
    assert sp.issparse(model.sparsify().coef_) and model.coef_.nnz < 18
    for rows in (X, sp.csr_array(X)):
        assert_allclose(model.predict_proba(rows), expected)
    assert_allclose(model.explain(X).values, cells)
    assert isinstance(model.densify().coef_, np.ndarray)


@pytest.mark.parametrize("columns", [40, 2000])
def test_more_columns_than_rows_without_a_penalty(columns: int) -> None:
    rows, y = RNG.normal(size=(30, columns)), np.arange(30) % 3
    with pytest.warns(MercerWarning, match="separated by"):
        model = mercer.LogisticRegression(C=np.inf, max_iter=1000).fit(rows, y)
    assert np.isfinite(model.coef_).all() and (model.predict(rows) == y).all()


def test_a_constant_column_counts_where_there_is_no_intercept() -> None:
    rows = np.column_stack([X, np.ones(200)])
    options = {"fit_intercept": False, "tol": 1e-9}
    ours = mercer.LogisticRegression(**options).fit(rows, TWO)
    theirs = linear_model.LogisticRegression(**options, solver="newton-cholesky").fit(rows, TWO)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


def test_what_scikit_learn_refuses_is_refused() -> None:
    with pytest.raises(MercerError, match="Solver lbfgs supports only 'l2' or None penalties, got l1 penalty"):
        mercer.LogisticRegression(l1_ratio=1).fit(X, TWO)
    with pytest.raises(MercerError, match="does not support multiclass"):
        mercer.LogisticRegression(solver="liblinear").fit(X, THREE)

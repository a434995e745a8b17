"""On arrays Perceptron gives the hyperplanes of scikit-learn's, coefficient by coefficient."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris

import mercer
from mercer.errors import MercerError

OPTIONS: list[dict[str, Any]] = [
    {}, {"penalty": "l2"}, {"penalty": "l1"}, {"penalty": "elasticnet", "alpha": 0.001}, {"shuffle": False},
    {"tol": None, "max_iter": 7}, {"fit_intercept": False}, {"early_stopping": True}, {"class_weight": "balanced"},
    {"random_state": 5, "eta0": 0.5}, {"n_iter_no_change": 2, "penalty": "l2", "alpha": 0.1}, {"weighted": True},
    {"weighted": True, "early_stopping": True, "class_weight": "balanced"},
]  # fmt: skip


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_arrays_have_scikit_learns_hyperplanes(options: dict[str, Any], load: Any, sparse: bool) -> None:
    x, y = load(return_X_y=True)
    rows = sp.csr_array(x) if sparse else x
    weight = np.random.default_rng(0).uniform(0, 2, len(y)) if options.get("weighted") else None
    given = {k: v for k, v in options.items() if k != "weighted"}
    theirs = linear_model.Perceptron(**given).fit(rows, y, sample_weight=weight)
    ours = mercer.Perceptron(**given).fit(rows, y, sample_weight=weight)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-8)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    assert_allclose(ours.decision_function(rows), theirs.decision_function(rows), rtol=1e-6, atol=1e-6)
    assert_array_equal(ours.predict(rows), theirs.predict(rows))


def test_the_parameters_begin_with_scikit_learns() -> None:
    ours, theirs = (
        list(inspect.signature(c).parameters.values()) for c in (mercer.Perceptron, linear_model.Perceptron)
    )
    assert [(p.name, p.kind, p.default) for p in ours[: len(theirs)]] == [(p.name, p.kind, p.default) for p in theirs]
    assert all(p.kind is p.KEYWORD_ONLY for p in ours[len(theirs) :])
    for method in ("fit", "partial_fit"):
        names = [
            list(inspect.signature(getattr(c, method)).parameters) for c in (mercer.Perceptron, linear_model.Perceptron)
        ]
        assert names[0] == names[1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_warm_starts_and_further_rows_are_scikit_learns(n_classes: int) -> None:
    x, y = load_iris(return_X_y=True)
    x, y = (x[50:], y[50:]) if n_classes == 2 else (x, y)
    models = []
    for kind in (mercer.Perceptron, linear_model.Perceptron):
        model = kind(warm_start=True, max_iter=3).fit(x, y).fit(x, y)
        started = kind(max_iter=2).fit(x, y, coef_init=model.coef_.copy(), intercept_init=model.intercept_.copy())
        more = kind().partial_fit(x[::2], y[::2], classes=np.unique(y)).partial_fit(x[1::2], y[1::2])
        models.append((model, started, more))
    for ours, theirs in zip(*models, strict=True):
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
        assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    with pytest.raises(MercerError, match="Provided coef_init does not match dataset"):
        mercer.Perceptron().fit(x, y, coef_init=np.zeros((1, 9)))
    with pytest.raises(MercerError, match="Provided intercept_init does not match dataset"):
        mercer.Perceptron().fit(x, y, intercept_init=np.zeros(9))

"""Landmarks against scikit-learn's Nystroem and the exact kernel; every way to choose them; bounds; stored state."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import Nystroem
from mercer.errors import AllLandmarks, BadParameter, BadTable, MercerError
from mercer.kernels import RBF, Encoded, Lin, Overlap
from mercer.state import Reader

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
NEW = RNG.normal(size=(5, 4))
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(60) < 0.1, np.nan, RNG.normal(40, 9, 60)),
        "pay": RNG.normal(size=60),
        "job": RNG.choice(["clerk", "cook", "smith", None], 60),
        "city": RNG.choice(["Oslo", "Rome"], 60),
    }
)
SELECTIONS = ["uniform", "leverage", "kmeans", "cholesky"]


@parametrize_with_checks([Nystroem(n_components=5), Nystroem("linear", selection="cholesky", n_components=2)])
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("kernel", "more"),
    [
        ("rbf", {}),
        ("rbf", {"gamma": 0.3}),
        ("laplacian", {"gamma": 0.3}),
        ("poly", {"gamma": 0.3}),
        ("poly", {"gamma": 0.3, "coef0": 0.5, "degree": 4}),
        (lambda a, b, power=1: float(np.exp(-(np.abs(a - b).sum() ** power))), {"kernel_params": {"power": 1}}),
    ],
    ids=["rbf", "rbf gamma", "laplacian", "poly", "poly of degree 4", "function"],
)
def test_what_scikit_learn_makes(kernel: Any, more: Any) -> None:
    ours = Nystroem(kernel, n_components=12, random_state=3, **more).fit(X)
    theirs = Theirs(kernel, n_components=12, random_state=3, **more).fit(X)
    assert_array_equal(ours.component_indices_, theirs.component_indices_)
    assert_allclose(ours.components_, theirs.components_)
    assert_allclose(ours.normalization_, theirs.normalization_, atol=1e-6)
    assert_allclose(ours.transform(NEW), theirs.transform(NEW), atol=1e-6)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize("selection", SELECTIONS)
def test_all_rows_as_landmarks_give_the_kernel(selection: Any) -> None:
    kernel = Encoded(RBF(0.3), levels="keep") * Overlap()
    encoder = Nystroem(kernel, n_components=99, selection=selection, random_state=0)
    z = encoder.fit_transform(MIXED).numbers()
    assert z.shape == (60, 60)
    assert_allclose(z @ z.T, encoder.kernel_.gram(encoder._predict_table(MIXED)), atol=1e-7)
    assert encoder.error_ < 1e-7
    assert encoder.trace_error_ < 1e-7


@pytest.mark.parametrize("selection", SELECTIONS)
def test_selections_on_mixed_tables_and_from_stored_state(selection: Any) -> None:
    encoder = Nystroem("mixed", n_components=15, selection=selection, random_state=0).fit(MIXED)
    assert len(np.unique(encoder.component_indices_)) == 15
    assert 0 < encoder.error_ < 0.5
    assert 0 < encoder.trace_error_ < 0.7
    again = Nystroem.from_state(Reader(encoder.to_state()))
    assert_array_equal(again.transform(MIXED).numbers(), encoder.transform(MIXED).numbers())
    assert again.error_ == encoder.error_


def test_pivots_and_leverage_explain_more_than_rows_at_random() -> None:
    x = np.vstack([RNG.normal(size=(280, 2)), RNG.normal(8, 1, size=(12, 2)), RNG.normal(-20, 9, size=(8, 2))])
    left = dict.fromkeys(SELECTIONS, 0.0)
    for selection in SELECTIONS:
        for seed in range(3):
            made = Nystroem(gamma=0.1, n_components=25, selection=selection, random_state=seed)  # type: ignore[arg-type]
            left[selection] += made.fit(x).trace_error_
    assert left["cholesky"] < left["leverage"] < left["uniform"]
    assert left["kmeans"] < left["uniform"]


def test_columns_that_pass_and_sparse_rows() -> None:
    some = Nystroem(Lin(), on=["job", "city"], n_components=3, random_state=0).fit(MIXED)
    assert list(some.get_feature_names_out()) == ["age", "pay", "nystroem0", "nystroem1", "nystroem2"]
    rows = sp.random_array((40, 90), density=0.1, random_state=0, format="csr")
    dense, sparse = (Nystroem(n_components=8, random_state=0).fit_transform(r) for r in (rows.toarray(), rows))
    assert_allclose(sparse, dense, atol=1e-9)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    n=st.integers(2, 40),
    rank=st.integers(1, 12),
    gamma=st.floats(0.01, 10),
    selection=st.sampled_from(SELECTIONS),
)
def test_the_trace_bounds_every_error(seed: int, n: int, rank: int, gamma: float, selection: Any) -> None:
    x = np.random.default_rng(seed).normal(size=(n, 2)).round(1)  # with equal rows
    encoder = Nystroem(gamma=gamma, n_components=rank, selection=selection, random_state=seed).fit(x)
    gram = encoder.kernel_.gram(x)
    z = encoder.transform(x)
    left = gram - z @ z.T
    bound = encoder.trace_error_ * np.trace(gram) + 1e-7
    assert np.linalg.eigvalsh(left).min() > -1e-7
    assert np.linalg.norm(left) <= bound
    assert_allclose(np.linalg.norm(left) / np.linalg.norm(gram), encoder.error_, atol=1e-7)


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(MercerError, match="not a Gram matrix"):
        Nystroem("precomputed").fit(np.eye(3))
    with pytest.raises(BadTable, match="no positive eigenvalue on the landmarks"):
        Nystroem("linear").fit(np.zeros((4, 2)))
    with pytest.raises(BadParameter, match="selection"):
        Nystroem(selection="best").fit(X)  # type: ignore[arg-type]


def test_more_landmarks_than_rows_warn_as_scikit_learn_does() -> None:
    with pytest.warns(UserWarning, match="n_components > n_samples"):
        theirs = Theirs(gamma=0.5, n_components=99).fit(X)
    with pytest.warns(AllLandmarks, match="n_components=99 is more than the .* rows"):
        encoder = Nystroem(gamma=0.5, n_components=99).fit(X)
    assert len(encoder.component_indices_) == len(theirs.component_indices_) == len(X)
    z = encoder.transform(X)
    assert_allclose(z @ z.T, encoder.kernel_.gram(X), atol=1e-8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Nystroem(gamma=0.5, n_components=len(X)).fit(X)

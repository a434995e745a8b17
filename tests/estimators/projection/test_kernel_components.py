"""Kernel principal components against scikit-learn's, on mixed tables, in pipelines and from stored state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA, KernelPCA
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import KernelComponents
from mercer.errors import BadTable, MercerError, TooLarge
from mercer.kernels import RBF, Encoded, Lin
from mercer.state import Reader

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
NEW = RNG.normal(size=(5, 4))
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(40) < 0.1, np.nan, RNG.normal(40, 9, 40)),
        "pay": RNG.normal(size=40),
        "job": RNG.choice(["clerk", "cook", "smith"], 40),
    }
)


@parametrize_with_checks([KernelComponents(), KernelComponents(1, "linear", on=["x0"])])
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("kernel", "more"),
    [("rbf", {"gamma": 0.3}), ("poly", {"gamma": 0.3, "coef0": 1.0}), ("linear", {}), ("cosine", {})],
)
def test_what_scikit_learn_finds(kernel: str, more: Any) -> None:
    ours = KernelComponents(3, kernel, **more).fit(X)
    theirs = KernelPCA(3, kernel=kernel, **more).fit(X)
    signs = np.sign((ours.transform(X) * theirs.transform(X)).sum(axis=0))
    assert_allclose(ours.transform(NEW), signs * theirs.transform(NEW), atol=1e-8)
    assert_allclose(ours.eigenvalues_, theirs.eigenvalues_)


def test_a_linear_kernel_gives_principal_components_and_their_shares() -> None:
    found, theirs = KernelComponents(4, "linear").fit(X), PCA(4).fit(X)
    assert_allclose(np.abs(found.transform(NEW)), np.abs(theirs.transform(NEW)), atol=1e-8)
    assert_allclose(found.explained_, theirs.explained_variance_ratio_)
    assert KernelComponents(10, "linear").fit(X).transform(X).shape == (40, 4)  # the rank


def test_a_mixed_table_and_columns_that_pass() -> None:
    found = KernelComponents(2, Encoded(RBF(0.5)) + Lin()).fit_transform(MIXED)
    assert tuple(found.schema.names) == ("component1", "component2")
    assert np.isfinite(found.numbers()).all()
    some = KernelComponents(2, on=["age", "pay"]).fit(MIXED)
    assert list(some.get_feature_names_out()) == ["job", "component1", "component2"]
    again = KernelComponents.from_state(Reader(some.to_state()))
    np.testing.assert_array_equal(again.transform(MIXED).numbers(), some.transform(MIXED).numbers())


def test_before_a_learner() -> None:
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(np.arange(40) % 2, 1.0, 3.0)[:, None]
    inside = np.arange(40) % 2
    plain = mercer.LogisticRegression().fit(ring, inside).score(ring, inside)
    model = make_pipeline(KernelComponents(3, gamma=0.3), mercer.LogisticRegression(C=100)).fit(ring, inside)
    assert model.score(ring, inside) == 1 > plain


def test_bad_input_is_refused_in_words() -> None:
    with pytest.raises(BadTable, match="has no positive eigenvalue on these rows"):
        KernelComponents().fit(np.ones((5, 2)))
    with pytest.raises(MercerError, match="not a Gram matrix"):
        KernelComponents(kernel="precomputed").fit(np.eye(3))
    with pytest.raises(TooLarge, match="too large"):
        KernelComponents(1, "poly").fit(X).transform(1e150 * NEW)

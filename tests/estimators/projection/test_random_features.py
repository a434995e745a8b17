"""Random features as columns: close to the kernel, exact where they are finite, on mixed tables, from stored state."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_approximation import RBFSampler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RandomFeatures
from mercer._core import memory
from mercer.errors import BadFile, MercerError, TooLarge
from mercer.kernels import IOF, Exp, Goodall3, Lin, Matern, Overlap
from mercer.state import Reader

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
MIXED = pd.DataFrame(
    {
        "age": np.where(RNG.random(60) < 0.1, np.nan, RNG.normal(40, 9, 60)),
        "job": RNG.choice(["clerk", "cook", "smith", None], 60),
        "city": RNG.choice(["Oslo", "Rome"], 60),
    }
)


@parametrize_with_checks([RandomFeatures(n_components=5), RandomFeatures("linear", on=["x0"])])
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("orthogonal", [False, True])
def test_as_close_as_scikit_learns_sampler(orthogonal: bool) -> None:
    errors = []
    for seed in range(20):
        z = RBFSampler(gamma=0.3, n_components=50, random_state=seed).fit_transform(X)
        ours = RandomFeatures(gamma=0.3, n_components=50, random_state=seed, orthogonal=orthogonal).fit(X)
        exact = ours.kernel_.gram(X)
        mine = ours.transform(X)
        errors.append([np.linalg.norm(mine @ mine.T - exact), np.linalg.norm(z @ z.T - exact)])
        assert_allclose(ours.error_, errors[-1][0] / np.linalg.norm(exact))
    mine, theirs = np.mean(errors, axis=0)
    assert mine < 1.05 * theirs


@pytest.mark.parametrize(
    "kernel", ["mixed", Exp(Overlap()), Exp(Goodall3()), Overlap(), IOF(missing="ignore")], ids=repr
)
def test_mixed_tables_and_stored_state(kernel: Any) -> None:
    encoder = RandomFeatures(kernel, n_components=300, random_state=0).fit(MIXED)
    assert encoder.error_ < 0.2
    z = encoder.transform(MIXED).numbers()
    for again in (RandomFeatures.from_state(Reader(encoder.to_state())), pickle.loads(pickle.dumps(encoder))):
        assert_array_equal(again.transform(MIXED).numbers(), z)
        assert (again.error_, again.exact_) == (encoder.error_, encoder.exact_)


def test_measures_of_categories_are_exact_and_other_columns_pass() -> None:
    encoder = RandomFeatures(Overlap(), on=["job", "city"]).fit(MIXED)
    assert encoder.exact_
    assert encoder.error_ < 1e-12
    assert list(encoder.get_feature_names_out()) == ["age", *(f"randomfeatures{j}" for j in range(9))]
    assert not RandomFeatures(Matern(), on="age").fit(MIXED).exact_


def test_kernels_without_features_and_changed_files_are_refused() -> None:
    with pytest.raises(MercerError, match="Nystroem takes any kernel"):
        RandomFeatures(Lin(), on=["job"]).fit(MIXED)
    state = RandomFeatures(random_state=0).fit(X).to_state()
    state["fitted"]["map"]["draws"].pop()
    with pytest.raises(BadFile, match="expected an array"):
        RandomFeatures.from_state(Reader(state))


@pytest.mark.parametrize("n", [10**12, 2**63, 2**62])
def test_more_features_than_memory_are_refused_with_what_they_take(n: int) -> None:
    with pytest.raises(TooLarge, match=r"random features take .* TB; this machine has .* Lower n_components"):
        RandomFeatures(n_components=n).fit(np.ones((5, 2)))


def test_more_features_of_the_rows_than_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    features = RandomFeatures(n_components=50).fit(np.ones((5, 2)))
    monkeypatch.setattr(memory, "physical_memory", lambda: 1000)
    with pytest.raises(TooLarge, match="50 features of 5 rows take 4 kB; this machine has 1 kB"):
        features.transform(np.ones((5, 2)))

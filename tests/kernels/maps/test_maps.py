"""Feature maps of kernels: exact ones equal the kernel, sampled ones on average; stored draws make them again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import read_table
from mercer.errors import BadFile, MercerError
from mercer.kernels import (
    IOF,
    OF,
    RBF,
    ArcCosine,
    Diffusion,
    Encoded,
    Exp,
    Goodall1,
    Goodall3,
    Goodall4,
    GraphDiffusion,
    Laplacian,
    LevelTree,
    Lin,
    Linear,
    Matern,
    Normalise,
    Overlap,
    Polynomial,
    PolynomialOf,
    RationalQuadratic,
    default_kernel,
)
from mercer.kernels.maps.build import feature_map, is_exact
from mercer.kernels.maps.draws import Draws

RNG = np.random.default_rng(0)
F64 = np.dtype(np.float64)
ROWS = read_table(
    {
        "a": RNG.normal(size=12),
        "b": RNG.normal(size=12),
        "job": RNG.choice(["clerk", "cook", None], 12).tolist(),
        "city": RNG.choice(["Oslo", "Rome", "Ulm"], 12).tolist(),
    }
)
EXACT = [
    Overlap(),
    Overlap("ignore"),
    Goodall1(),
    Goodall3("ignore"),
    Goodall4(),
    LevelTree(),
    GraphDiffusion([["Oslo", "Rome"]], missing="ignore"),
    Linear(),
    2 * Linear() + Overlap(),
    Normalise(Overlap()),
    Encoded(Linear()),
]
SAMPLED = [
    RBF(0.3),
    Laplacian(0.3),
    Matern(0.5),
    Matern(1.5, 2.0),
    Matern(np.inf),
    RationalQuadratic(0.7, 2.0),
    Polynomial(0.3, 1.0, 2),
    Diffusion(0.3),
    Exp(Overlap()),
    Exp(0.5 * Overlap("ignore")),
    Exp(Goodall3()),
    Exp(RBF(0.3)),
    RBF(0.3) ** 2,
    PolynomialOf(RBF(0.3), (0.5, 1.0, 0.5)),
    RBF(0.3) * Overlap(),
    (RBF(0.3) + Overlap()) * RBF(0.1),
    Encoded(RBF(0.2)),
    RBF(0.3) + Laplacian(0.2),
    default_kernel(ROWS.schema),
]


def gram_of(kernel: Any, n: int, seed: int = 0, *, orthogonal: bool = False) -> Any:
    z = feature_map(kernel, n, Draws(np.random.default_rng(seed)), orthogonal)(kernel._conform(ROWS), F64)
    return z @ z.T


@pytest.mark.parametrize("kernel", EXACT, ids=repr)
def test_finite_maps_are_the_kernel(kernel: Any) -> None:
    fitted = kernel.fit(ROWS)
    assert is_exact(fitted)
    assert_allclose(gram_of(fitted, 1), fitted.gram(ROWS), atol=1e-12)


@pytest.mark.parametrize("kernel", [IOF(), OF("ignore")], ids=repr)
def test_measures_that_need_not_be_positive_have_the_map_of_their_positive_part(kernel: Any) -> None:
    fitted = kernel.fit(ROWS)
    found, exact = gram_of(fitted, 1), fitted.gram(ROWS)
    error = np.linalg.norm(found - exact) / np.linalg.norm(exact)
    assert error < 0.1
    assert np.linalg.eigvalsh(found - exact).min() > -1e-9  # what was left out is negative


@pytest.mark.parametrize("kernel", SAMPLED, ids=repr)
def test_sampled_maps_are_the_kernel_on_average(kernel: Any) -> None:
    fitted = kernel.fit(ROWS)
    assert not is_exact(fitted)
    exact = fitted.gram(ROWS)
    found = gram_of(fitted, 40_000)
    assert np.abs(found - exact).max() < 0.05 * np.abs(exact).max()


@pytest.mark.parametrize("kernel", [RBF(0.3), Matern(1.5), RationalQuadratic(2.0)], ids=repr)
def test_orthogonal_frequencies_are_unbiased_and_err_less(kernel: Any) -> None:
    fitted = kernel.fit(ROWS)
    exact = fitted.gram(ROWS)
    runs = {o: [gram_of(fitted, 8, s, orthogonal=o) for s in range(400)] for o in (False, True)}
    assert np.abs(np.mean(runs[True], axis=0) - exact).max() < 0.1
    wrong = {o: np.mean([np.linalg.norm(g - exact) ** 2 for g in found]) for o, found in runs.items()}
    assert wrong[True] < wrong[False]


def test_a_sum_is_exact_in_its_finite_part() -> None:
    fitted = (RBF(0.3) + Overlap()).fit(ROWS)
    assert_allclose(gram_of(fitted, 50) - gram_of(fitted.k1_, 50), Overlap().fit(ROWS).gram(ROWS), atol=1e-12)


def test_stored_draws_make_the_map_again_and_others_are_refused() -> None:
    kernel = (Exp(RBF(0.3)) * Exp(Overlap())).fit(ROWS)
    first = Draws(np.random.default_rng(1))
    z = feature_map(kernel, 30, first, False)(ROWS, F64)
    assert_array_equal(feature_map(kernel, 30, Draws(kept=first.kept), False)(ROWS, F64), z)
    with pytest.raises(BadFile, match="expected an array of shape"):
        feature_map(kernel, 31, Draws(kept=first.kept), False)
    more = Draws(kept=[*first.kept, np.zeros((1, 1))])
    feature_map(kernel, 30, more, False)
    with pytest.raises(BadFile, match="are stored"):
        more.finish()
    wrong = [np.full_like(first.kept[0], 99.0), *first.kept[1:]]
    with pytest.raises(BadFile, match="power series"):
        feature_map(kernel, 30, Draws(kept=wrong), False)


def test_rows_not_seen_before_and_missing_cells() -> None:
    kernel = default_kernel(ROWS.schema).fit(ROWS)
    new = read_table({"a": [0.0, None], "b": [1.0, 2.0], "job": ["pilot", None], "city": [None, "Rome"]})
    new = kernel._conform(new)
    z = feature_map(kernel, 40_000, Draws(np.random.default_rng(0)), False)(new, F64)
    assert_allclose(z @ z.T, kernel.gram(new), atol=0.03)
    single = feature_map(kernel, 50, Draws(np.random.default_rng(0)), False)(new, np.dtype(np.float32))
    assert single.dtype == np.float32


@pytest.mark.parametrize("kernel", [Lin(), ArcCosine(), Polynomial(1.0, -1.0, 2)], ids=repr)
def test_kernels_without_random_features_point_to_landmarks(kernel: Any) -> None:
    with pytest.raises(MercerError, match="Nystroem takes any kernel"):
        feature_map(kernel.fit(ROWS), 5, Draws(np.random.default_rng(0)), False)

"""Steps of the evidence: gains as they are promised, rank-one updates as computed anew, the noise taken out exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.relevance.basis import BlockBasis, HeldBasis, spread_functions
from mercer.solvers.relevance.evidence import EvidenceAscent


def problem(seed: int, n: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    phi = np.exp(-0.7 * ((x[:, None] - x) ** 2).sum(axis=2))
    return phi, np.sin(2 * x[:, 0]) + rng.normal(0, 0.2, n), rng.integers(1, 4, n).astype(float)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_every_step_gains_what_it_promises(seed: int, centred: bool, known: bool) -> None:
    phi, target, weight = problem(seed)
    n_rows = None if known else float(weight.sum())
    ascent = EvidenceAscent(HeldBasis(phi), weight, target, centred, n_rows)
    for _ in range(12):
        before, (gain, place, precision) = ascent.log_evidence, ascent.best_step()
        if gain <= 1e-9:
            break
        ascent.take(place, precision)
        assert_allclose(ascent.log_evidence - before, gain, rtol=1e-5, atol=1e-7)
        fresh = ascent.copy()
        fresh.refresh()
        for name in ("S", "Q", "mean", "covariance"):
            assert_allclose(getattr(ascent, name), getattr(fresh, name), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("centred", [True, False])
def test_evidence_is_that_of_repeated_rows(centred: bool) -> None:
    phi, target, weight = problem(0)
    ascent = EvidenceAscent(HeldBasis(phi), weight, target, centred, float(weight.sum()))
    ascent.climb(1e-8, 1000)
    rows = np.repeat(np.arange(len(target)), weight.astype(int))
    own, y = phi[rows][:, ascent.used], target[rows]
    if centred:
        own, y = own - own.mean(axis=0), y - y.mean()
    noise = ascent.residual / len(rows)
    covariance = noise * (np.eye(len(rows)) + (own / ascent.a) @ own.T)
    expected = -(np.linalg.slogdet(covariance)[1] + y @ np.linalg.solve(covariance, y)) / 2
    assert_allclose(ascent.log_evidence, expected, rtol=1e-8)


def test_rounding_does_not_choose_among_rows_at_equal_distances() -> None:
    x = np.linspace(-10, 10, 67)
    phi = np.exp(-0.02 * (x[:, None] - x) ** 2)
    noise = 1e-15 * np.random.default_rng(0).normal(size=phi.shape)
    found = [spread_functions(HeldBasis(p), 100, 1e-8) for p in (phi, phi + noise + noise.T)]
    assert len(found[0]) > 5
    np.testing.assert_array_equal(*found)


def test_a_basis_by_blocks_is_the_basis() -> None:
    phi, _, weight = problem(1)
    held, values = HeldBasis(phi), np.random.default_rng(2).normal(size=(25, 3))
    blocks = BlockBasis(25, lambda v: phi @ v, lambda rows: phi[rows], phi.diagonal(), 4)
    chosen = np.array([3, 7])
    assert_allclose(blocks.columns(chosen), held.columns(chosen))
    assert_allclose(blocks.products(values), held.products(values))
    assert_allclose(blocks.squares(weight), held.squares(weight))
    assert (spread_functions(blocks, 10, 1e-8) == spread_functions(held, 10, 1e-8)).all()


def test_functions_that_differ_leave_copies_out() -> None:
    phi, _, _ = problem(3, 10)
    twice = np.tile(phi, (2, 2))
    found = spread_functions(HeldBasis(twice), 20, 1e-8)
    assert len(found) == len(np.unique(found % 10)) <= 10

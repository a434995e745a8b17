"""Class probabilities that are wrong by as little as gives their losses another mean."""

import numpy as np
import pytest
from scipy import optimize, stats

from mercer.evaluation.uncertainty.tilting import Tilted, pearson_quantile


def drawn(n, n_classes=3, seed=0):
    shares = np.random.default_rng(seed).dirichlet(np.ones(n_classes), n)
    return shares, -np.log(shares)


def test_moments_without_a_tilt_are_those_of_the_probabilities():
    shares, losses = drawn(40)
    found = Tilted(shares, losses).moments(0.0)
    mean = (shares * losses).sum(axis=1).mean()
    central = [(shares * (losses - mean) ** power).sum(axis=1).mean() for power in (2, 3, 4)]
    assert found == pytest.approx((mean, central[0], central[1] / central[0] ** 1.5, central[2] / central[0] ** 2))


def test_log_loss_is_tilted_to_powers_of_the_probabilities():
    shares, losses = drawn(40)
    for tilt in (-1.5, 0.4, 1.0):
        powers = shares ** (1 - tilt)
        assert Tilted(shares, losses).moments(tilt).mean == pytest.approx((powers * losses).sum() / powers.sum())


def test_no_distribution_with_its_mean_is_nearer():
    """By a general optimiser under the constraint of the mean."""
    shares, losses = drawn(3, 2)
    tilted, mean = Tilted(shares, losses), 1.1
    base = shares.ravel() / 3
    tilt = tilted.tilt_to(mean)
    ours = base * np.exp(tilt * losses.ravel())
    ours /= ours.sum()
    assert ours @ losses.ravel() == pytest.approx(mean)
    givens = [lambda q: q.sum() - 1, lambda q: q @ losses.ravel() - mean]
    constraints = [{"type": "eq", "fun": given} for given in givens]
    theirs = optimize.minimize(
        lambda q: (q * np.log(q / base)).sum(), base, bounds=[(1e-9, 1)] * 6, constraints=constraints, tol=1e-12
    ).x
    assert ours == pytest.approx(theirs, abs=1e-4)


def test_the_least_loss_there_is_has_a_tilt_that_comes_near():
    shares = np.tile([0.9, 0.1], (10, 1))
    tilted = Tilted(shares, -np.log(shares))
    found = tilted.moments(tilted.tilt_to(-np.log(0.9)))
    assert found.mean == pytest.approx(-np.log(0.9), abs=1e-9)
    assert found.variance > 0


def test_probabilities_that_allow_one_loss_have_no_unit():
    shares = np.full((5, 4), 0.25)
    assert Tilted(shares, -np.log(shares)).unit == 0


def test_some_of_many_rows_stand_for_all():
    shares, losses = drawn(60_000)
    many, order = Tilted(shares, losses), np.argsort((shares * losses).sum(axis=1))
    for tilt in (-1.0, 0.0, 0.7):
        weight = shares * np.exp(tilt * losses)
        mean = (weight * losses).sum() / weight.sum()
        variance = (weight * (losses - mean) ** 2).sum() / weight.sum()
        assert (many.moments(tilt).mean, many.moments(tilt).variance) == pytest.approx((mean, variance), rel=0.01)
    assert many.moments(0.3) == Tilted(shares[order], losses[order]).moments(0.3)


@pytest.mark.parametrize("skewness", [-1.5, -0.3, 0.2, 1.0, 2.0])
def test_quantiles_are_scipys(skewness):
    for share in (0.025, 0.5, 0.975):
        assert pearson_quantile(share, skewness) == pytest.approx(stats.pearson3.ppf(share, skewness))


def test_quantiles_without_skewness_are_normal_and_large_skewness_is_an_exponential():
    assert pearson_quantile(0.975, 0.0) == pytest.approx(1.96, abs=1e-3)
    assert pearson_quantile(0.975, 50.0) == pytest.approx(stats.expon.ppf(0.975) - 1)

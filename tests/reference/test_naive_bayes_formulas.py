"""The same model as scikit-learn's, where both define it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB

import mercer
from mercer.likelihoods import Complement, Gaussian
from mercer.state import Reader

RNG = np.random.default_rng(7)
Y = RNG.integers(0, 4, 400)
NORMAL = RNG.normal(size=(400, 6)) * [1, 5, 0.1, 100, 2, 3] + Y[:, None]
COUNTS = RNG.poisson(1.5, (400, 12)).astype(float)
CODES = RNG.integers(0, 5, (400, 7))
WEIGHT = RNG.random(400)
WEIGHT /= WEIGHT.mean()  # scikit-learn takes weights for counts of rows; ours takes relative ones as this


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_gaussian(weight: np.ndarray | None) -> None:
    theirs = GaussianNB(var_smoothing=0).fit(NORMAL, Y, sample_weight=weight)
    ours = mercer.NaiveBayes(ddof=0, variance_floor=0).fit(NORMAL, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(NORMAL), theirs.predict_proba(NORMAL), atol=1e-9, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_joint_log_proba(NORMAL), theirs.predict_joint_log_proba(NORMAL), rtol=1e-9)


@pytest.mark.parametrize("share", [1e-9, 0.1])
def test_variances_smoothed_by_the_widest_column(share: float) -> None:
    theirs = GaussianNB(var_smoothing=share).fit(NORMAL, Y)
    spec = Gaussian(ddof=0, floor=0.0, var_smoothing=share)
    ours = mercer.NaiveBayes(spec).fit(NORMAL, Y)
    np.testing.assert_allclose(ours.likelihoods_[0].moments()[1], theirs.var_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(NORMAL), theirs.predict_proba(NORMAL), atol=1e-9, rtol=1e-9)
    again = mercer.NaiveBayes.from_state(Reader(ours.to_state()))
    np.testing.assert_array_equal(again.predict_proba(NORMAL), ours.predict_proba(NORMAL))


@pytest.mark.parametrize("alpha", [1.0, 0.01, 10.0])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_multinomial(alpha: float, weight: np.ndarray | None) -> None:
    theirs = MultinomialNB(alpha=alpha).fit(COUNTS, Y, sample_weight=weight)
    ours = mercer.NaiveBayes("multinomial", smoothing=alpha).fit(COUNTS, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(COUNTS), theirs.predict_proba(COUNTS), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_complement(alpha: float, norm: bool) -> None:
    theirs = ComplementNB(alpha=alpha, norm=norm).fit(COUNTS, Y, sample_weight=WEIGHT)
    ours = mercer.NaiveBayes(Complement(alpha, norm), priors="uniform").fit(COUNTS, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.predict_proba(COUNTS), theirs.predict_proba(COUNTS), atol=1e-9, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(COUNTS), theirs.predict(COUNTS))
    chunks = mercer.NaiveBayes(Complement(alpha, norm), priors="uniform")
    for rows in (slice(0, 150), slice(150, None)):
        chunks.partial_fit(COUNTS[rows], Y[rows], sample_weight=WEIGHT[rows])
    again = mercer.NaiveBayes.from_state(Reader(chunks.to_state()))
    np.testing.assert_allclose(again.predict_proba(COUNTS), theirs.predict_proba(COUNTS), atol=1e-9, rtol=1e-9)
    assert again.tables().columns[0].rows == ("share in other classes",)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_bernoulli(alpha: float) -> None:
    theirs = BernoulliNB(alpha=alpha).fit(COUNTS, Y, sample_weight=WEIGHT)
    ours = mercer.NaiveBayes("bernoulli", smoothing=alpha).fit(COUNTS, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.predict_proba(COUNTS), theirs.predict_proba(COUNTS), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 0.01])
def test_categorical(alpha: float) -> None:
    theirs = CategoricalNB(alpha=alpha).fit(CODES, Y, sample_weight=WEIGHT)
    columns = {f"c{j}": [str(v) for v in CODES[:, j]] for j in range(CODES.shape[1])}
    kinds = dict.fromkeys(columns, "category")
    ours = mercer.NaiveBayes(smoothing=alpha, kinds=kinds).fit(columns, Y, sample_weight=WEIGHT)
    np.testing.assert_allclose(ours.predict_proba(columns), theirs.predict_proba(CODES), atol=1e-9, rtol=1e-9)

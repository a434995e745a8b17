"""Is RVR ten times as fast as sklearn-rvm's EMRVR at an evidence no lower? (pip install sklearn-rvm)

Both fit the same kernel matrix without an intercept. EMRVR is run at its defaults, and its log marginal likelihood is
that of its precisions and noise by the dense formula, as RVR's own is; both are printed.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import svm_tables
from harness import Row, best
from scipy.stats import multivariate_normal

import mercer


def evidence(phi: Any, y: Any, alpha: Any, noise: float) -> float:
    """log N(y | 0, noise I + Phi diag(1/alpha) Phi')."""
    covariance = noise * np.eye(len(y)) + (phi / alpha) @ phi.T
    return float(multivariate_normal.logpdf(y, np.zeros(len(y)), covariance, allow_singular=True))


def problems(data: Path) -> Iterator[tuple[str, Any, Any, float]]:
    rng = np.random.default_rng(0)
    for n in (100, 300):
        x = rng.uniform(-10, 10, (n, 1))
        yield f"sinc, {n:,} rows", x, np.sinc(x[:, 0] / np.pi) + rng.normal(0, 0.1, n), 1 / 18
    x, y = (part[:500].astype(np.float64) for part in svm_tables.california(data)[:2])
    yield "California housing, 500 rows", x, y - y.mean(), 1 / x.shape[1]


def rows(data: Path) -> Iterator[Row]:
    rival = importlib.import_module("sklearn_rvm").EMRVR
    warnings.simplefilter("ignore")
    for name, x, y, gamma in problems(data):
        gram = mercer.kernels.RBF(gamma).fit(x).gram(x)
        ours = mercer.RVR(kernel="precomputed", fit_intercept=False)
        theirs = rival(kernel="precomputed", bias_used=False, gamma="auto")
        seconds, theirs_take = best(partial(ours.fit, gram, y), 2), best(partial(theirs.fit, gram, y), 1)
        phi = gram[:, theirs.relevance_] / theirs._scale
        found = evidence(phi, y, theirs.alpha_, 1 / theirs.beta_)
        said = f"evidence {ours.log_marginal_likelihood_:.1f} of {len(ours.support_)}, {found:.1f} of {len(phi.T)}"
        yield Row(f"{name}: {said}", seconds, theirs_take, "sklearn-rvm", "10x")

"""Linear systems solved another way, and with fewer rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import mercer
from mercer.errors import MercerError

IRIS, SPECIES = load_iris(return_X_y=True)
ROWS = np.r_[0:10, 50:62, 100:113]
X, Y = IRIS[ROWS], np.array(["setosa", "versicolor", "virginica"])[SPECIES[ROWS]]


@pytest.mark.parametrize("strategy", ["ovr", "ovo"])
def test_conjugate_gradients_find_the_same_machine(strategy: Any) -> None:
    exact, iterated = (mercer.LSSVC(5.0, multi_class=strategy, solver=s).fit(X, Y) for s in ("cholesky", "cg"))
    assert iterated.n_iter_ > 1 and iterated.residual_ < 1e-7
    assert_allclose(iterated.decision_function(X), exact.decision_function(X), atol=1e-5)


def test_pruning_keeps_so_many_rows_and_some_of_every_class() -> None:
    sparse = mercer.LSSVC(1.0, n_support=6).fit(X, Y)
    assert len(sparse.support_) == 6 and set(Y[sparse.support_]) == set(Y)
    assert sparse.score(X, Y) > 0.7
    paired = mercer.LSSVC(1.0, n_support=0.5, multi_class="ovo").fit(X, Y)
    assert len(paired.support_) == 18 and paired.score(X, Y) > 0.9
    number = mercer.LSSVR(10.0, gamma=0.5, n_support=0.5).fit(X[:, 1:], X[:, 0])
    full = mercer.LSSVR(10.0).fit(X[:, 1:], X[:, 0])
    assert len(number.support_) == 18 and len(full.support_) == len(X)
    kept = number.support_
    alone = mercer.LSSVR(10.0, gamma=0.5).fit(X[kept, 1:], X[kept, 0])
    assert_allclose(number.dual_coef_, alone.dual_coef_, atol=1e-9)  # the rest are solved again
    with pytest.raises(MercerError, match=r"n_support=2 keeps 2 rows, fewer than the 3 classes"):
        mercer.LSSVC(n_support=2).fit(X, Y)

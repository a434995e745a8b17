"""Wide sparse matrices stay sparse: scikit-learn's neighbours, the model file, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neighbors

import mercer
from mercer.distances.sparse_rows import SparseCells
from mercer.errors import TooLarge

METRICS = ("euclidean", "manhattan", "cosine")


def counts(n: int, p: int, stored: int = 12, seed: int = 0) -> sp.csr_array:
    """Rows of `stored` cells, the last two rows equal, one row of zeros."""
    rng = np.random.default_rng(seed)
    place = (np.repeat(np.arange(n), stored), rng.integers(0, min(p, 400), n * stored))
    X = sp.csr_array((rng.integers(1, 4, n * stored).astype(float), place), shape=(n, p))
    found = sp.csr_array(sp.vstack([X[: n - 2], X[:1] * 0, X[:1], X[:1]], format="csr"))
    found.indices, found.indptr = (a.astype(np.int32) for a in (found.indices, found.indptr))  # for scikit-learn
    return found


@pytest.mark.parametrize("metric", METRICS)
def test_neighbours_of_scikit_learn(metric: str) -> None:
    X, queries = counts(300, 2**20), counts(40, 2**20, seed=1)
    y = np.arange(X.shape[0]) % 3
    ours = mercer.KNeighborsClassifier(7, metric=metric).fit(X, y)
    theirs = neighbors.KNeighborsClassifier(7, metric=metric).fit(X, y)
    assert isinstance(ours.rows_.cells, SparseCells)
    assert_allclose(ours.kneighbors(queries)[0], theirs.kneighbors(queries)[0], atol=1e-7)
    of_distance = mercer.KNeighborsRegressor(7, metric=metric, weights="distance").fit(X, y).predict(queries)
    expected = neighbors.KNeighborsRegressor(7, metric=metric, weights="distance").fit(X, y).predict(queries)
    ties = np.ptp(theirs.kneighbors(queries, 8)[0][:, -2:], axis=1) < 1e-9  # at which either may leave one out
    assert_allclose(of_distance[~ties], expected[~ties], atol=1e-7)


def test_equal_rows_are_at_distance_0_in_the_order_of_their_numbers() -> None:
    X = counts(60, 5000)
    model = mercer.KNeighborsClassifier(3).fit(X, np.arange(61) % 2)
    distance, row = model.kneighbors(X[[0]])
    assert_array_equal(row, [[0, 59, 60]])
    assert_array_equal(distance, np.zeros((1, 3)))


def test_sparse_and_dense_rows_give_the_same(tmp_path: Path) -> None:
    X, queries = counts(200, 500), counts(30, 500, seed=2)
    y = np.where(X.sum(axis=1) > np.median(X.sum(axis=1)), "many", "few")
    sparse, dense = (mercer.KNeighborsClassifier(5).fit(x, y) for x in (X, X.toarray()))
    assert_allclose(sparse.predict_proba(queries), dense.predict_proba(queries.toarray()))
    assert_allclose(sparse.predict_proba(queries.toarray()), dense.predict_proba(queries))
    assert_allclose(sparse.kneighbors()[0], dense.kneighbors()[0], atol=1e-9)
    assert_allclose(sparse.explain(queries[[0]])[0].terms, dense.explain(queries[[0]].toarray())[0].terms)
    mercer.save(sparse, tmp_path / "model.mercer")
    assert_array_equal(mercer.load(tmp_path / "model.mercer").predict_proba(queries), sparse.predict_proba(queries))


def test_missing_cells_are_compared_with_the_zeros() -> None:
    X = counts(50, 300)
    X.data[3] = np.nan
    y = np.arange(51) % 2
    found = mercer.KNeighborsClassifier(3, missing_indicator=False).fit(X, y).kneighbors(counts(5, 300, seed=3))
    dense = mercer.KNeighborsClassifier(3, missing_indicator=False).fit(X.toarray(), y)
    assert_allclose(found[0], dense.kneighbors(counts(5, 300, seed=3).toarray())[0])


@pytest.mark.parametrize("metric", ["chebyshev", "heom", mercer.distances.Euclidean(scale="std")])
def test_what_needs_the_zeros_says_how_many_they_are(metric: object) -> None:
    with pytest.raises(TooLarge, match=r"needs 301 x 1,048,576 cells with their zeros, .*Euclidean, Manhattan"):
        mercer.KNeighborsClassifier(metric=metric).fit(counts(300, 2**20), np.arange(301) % 2)

"""Neighbours from a sparse graph of precomputed distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import KNeighborsClassifier as Rival
from sklearn.neighbors import KNeighborsTransformer, NearestNeighbors
from sklearn.pipeline import make_pipeline

import mercer
from mercer.errors import BadTable


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3))
    x[30:33] = x[:3]  # distances of 0 that are not a row's to itself
    return x, (x[:, 0] > 0).astype(int), rng.normal(size=(15, 3))


def graphs(x, fresh, k):
    search = NearestNeighbors(n_neighbors=k).fit(x)
    return (search.kneighbors_graph(part, mode="distance") for part in (x, fresh))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_a_graph_answers_as_the_rows_do(rows, form, weights):
    x, y, fresh = rows
    within, across = graphs(x, fresh, 9)
    theirs = Rival(5, metric="precomputed", weights=weights).fit(within.copy(), y)
    within, across = within.asformat(form), across.asformat(form)
    precomputed = mercer.KNeighborsClassifier(5, metric="precomputed", weights=weights).fit(within, y)
    plain = mercer.KNeighborsClassifier(5, metric="euclidean", weights=weights).fit(x, y)
    np.testing.assert_allclose(precomputed.predict_proba(across), plain.predict_proba(fresh))
    np.testing.assert_allclose(precomputed.kneighbors()[0], theirs.kneighbors()[0])
    np.testing.assert_allclose(precomputed.predict_proba(None), plain.predict_proba(None))
    # Distances of 0 that are stored are distances of 0.
    assert precomputed.kneighbors(within)[0][0, :3].astype(bool).tolist() == [False, False, True]


def test_dense_and_sparse_matrices_go_together(rows):
    x, y, fresh = rows
    whole, across = (np.sqrt(((a[:, None] - x[None]) ** 2).sum(axis=2)) for a in (x, fresh))
    part = next(graphs(x, fresh, 20))
    dense = mercer.KNeighborsRegressor(4, metric="precomputed").fit(whole, y)
    sparse = mercer.KNeighborsRegressor(4, metric="precomputed").fit(part, y)
    for model in (dense, sparse):
        np.testing.assert_allclose(model.predict(across), dense.predict(across))
        np.testing.assert_allclose(model.kneighbors(part)[0], dense.kneighbors(whole)[0])
    assert np.isinf(sparse.distance_.between(sparse.rows_.cells, None)).sum() == 60 * 40


def test_k_is_chosen_from_a_graph(rows):
    x, _, fresh = rows
    x = x + np.arange(len(x))[:, None] * 1e-3  # no copies, which columns tell and distances do not
    within, _ = graphs(x, fresh, 25)
    precomputed = mercer.KNeighborsRegressor("cv", max_neighbors=20, metric="precomputed").fit(within, x[:, 0])
    plain = mercer.KNeighborsRegressor("cv", max_neighbors=20).fit(x, x[:, 0])
    np.testing.assert_allclose(precomputed.curve_.scores["uniform"], plain.curve_.scores["uniform"])
    with pytest.raises(BadTable, match=r"24 distances .* 59 neighbours .*max_neighbors"):
        precomputed.set_params(max_neighbors=100).fit(within, x[:, 0])


def test_a_row_without_weight_leaves_the_graph(rows):
    x, y, fresh = rows
    within, across = graphs(x, fresh, 30)
    weight = np.arange(60) % 3
    precomputed = mercer.KNeighborsClassifier(6, metric="precomputed").fit(within, y, sample_weight=weight)
    plain = mercer.KNeighborsClassifier(6).fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(precomputed.predict_proba(across), plain.predict_proba(fresh))


def test_a_pipeline_from_a_search_of_scikit_learn(rows):
    x, y, fresh = rows
    search = KNeighborsTransformer(n_neighbors=8, mode="distance")
    both = make_pipeline(search, mercer.KNeighborsClassifier(5, metric="precomputed")).fit(x, y)
    np.testing.assert_array_equal(both.predict(fresh), mercer.KNeighborsClassifier(5).fit(x, y).predict(fresh))


def test_the_graph_of_the_caller_stays_as_it_was(rows):
    x, y, fresh = rows
    within, across = graphs(x, fresh, 9)
    before = across.indices.copy()
    mercer.KNeighborsClassifier(5, metric="precomputed").fit(within, y).predict(across)
    np.testing.assert_array_equal(across.indices, before)
    twice = sp.coo_array(([1.0, 2.0, 2.5], ([0, 0, 0], [4, 4, 7])), shape=(1, 60)).tocsr()
    halves = sp.csr_array((np.array([1.0, 2.0, 2.5]), np.array([4, 4, 7]), np.array([0, 3])), shape=(1, 60))
    model = mercer.KNeighborsClassifier(2, metric="precomputed").fit(within, y)
    for graph in (twice, halves):
        assert [part.tolist() for part in model.kneighbors(graph)] == [[[2.5, 3.0]], [[7, 4]]]


def test_graphs_that_do_not_hold_enough_are_refused(rows):
    x, y, fresh = rows
    within, across = graphs(x, fresh, 5)
    model = mercer.KNeighborsClassifier(5, metric="precomputed").fit(within, y)
    assert len(model.predict(across)) == 15
    with pytest.raises(BadTable, match="sparse graph has 4 distances to other rows for row 1, but 5"):
        model.predict(None)
    emptied = across.tolil()
    emptied[3, :] = 0
    with pytest.raises(BadTable, match="0 distances to other rows for row 4"):
        model.predict(emptied.tocsr())
    across.data[7] = -1
    with pytest.raises(BadTable, match=r"-1\.0 in row 2"):
        model.predict(across)
    with pytest.raises(TypeError, match="format 'dok'"):
        model.predict(within.todok())
    with pytest.raises(ValueError, match="features"):
        model.predict(within[:, :9])
    with pytest.raises(BadTable, match="square matrix"):
        mercer.KNeighborsClassifier(5, metric="precomputed").fit(within[:9], y[:9])

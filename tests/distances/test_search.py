"""Trees find what brute force finds, ties included; graphs find most of it, and say how much."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.states import changed

import mercer
from mercer.distances import Chebyshev, Cosine, Euclidean, Gower, Manhattan, Minkowski, SquaredEuclidean, make_search
from mercer.distances.search import MANY_ROWS, GraphSearch, TreeSearch
from mercer.errors import BadFile, MercerError
from mercer.state import Reader
from mercer.table import from_array

DISTANCES = [Euclidean(), SquaredEuclidean(), Manhattan(), Chebyshev(), Minkowski(3), Euclidean(scale="std"), Gower()]
DISTANCES += [Minkowski(3, w=[1.0, 0.0, 4.0]), Chebyshev(w=[1.0, 0.0, 4.0])]


def same(found, exact):
    np.testing.assert_array_equal(found.row, exact.row)
    np.testing.assert_allclose(found.distance, exact.distance, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("distance", DISTANCES, ids=repr)
def test_a_tree_finds_what_brute_force_finds(distance):
    rng = np.random.default_rng(0)
    table, fresh = (from_array(rng.normal(size=(n, 3))) for n in (300, 40))
    rows, queries = distance.fit(table).cells(table), distance.cells(fresh)
    search = make_search("kd_tree", distance, rows, 5)
    for k in (1, 5, 299, 300):
        same(search.nearest(queries, k, n_jobs=2), distance.nearest(rows, queries, k))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30), st.sampled_from(DISTANCES[:4]))
def test_equal_distances_go_to_the_row_that_came_first(seed, k, distance):
    rng = np.random.default_rng(seed)
    table, fresh = (from_array(rng.integers(0, 3, size=(n, 2)).astype(float)) for n in (30, 8))
    rows, queries = distance.fit(table).cells(table), distance.cells(fresh)
    same(make_search("kd_tree", distance, rows, k).nearest(queries, k), distance.nearest(rows, queries, k))


def test_queries_with_missing_cells_go_to_brute_force():
    rng = np.random.default_rng(1)
    x, fresh = rng.normal(size=(100, 3)), rng.normal(size=(9, 3))
    fresh[::2, 1] = np.nan
    tree, brute = (mercer.KNeighborsClassifier(4, algorithm=a).fit(x, x[:, 0] > 0) for a in ("kd_tree", "brute"))
    for ours, exact in zip(tree.kneighbors(fresh), brute.kneighbors(fresh), strict=True):
        np.testing.assert_allclose(ours, exact)
    assert tree.kneighbors(np.full((2, 3), np.nan))[1].tolist() == brute.kneighbors(np.full((2, 3), np.nan))[1].tolist()


def test_auto_takes_the_tree_where_it_pays():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(MANY_ROWS, 5))
    y = x[:, 0]
    assert isinstance(mercer.KNeighborsRegressor().fit(x[:, :4], y).rows_.index, TreeSearch)
    for rows in (x, x[:-1, :4], np.where(x[:, :4] > 3, np.nan, x[:, :4])):
        assert mercer.KNeighborsRegressor().fit(rows, y[: len(rows)]).rows_.index is None
    model = mercer.KNeighborsRegressor().fit(x[:, :2], y)
    brute = mercer.KNeighborsRegressor(algorithm="brute").fit(x[:, :2], y)
    np.testing.assert_allclose(model.predict(x[:50, :2]), brute.predict(x[:50, :2]))
    assert model.recall_ == 1.0
    assert model.explain(x[:1, :2])[0].rows[0] == 0
    again = mercer.KNeighborsRegressor.from_state(Reader(model.to_state()))
    assert again.get_params()["algorithm"] == "auto"
    assert again.predict(x[:50, :2]).tobytes() == model.predict(x[:50, :2]).tobytes()


def test_a_file_gives_back_the_options_it_was_fitted_with():
    x = np.random.default_rng(0).normal(size=(30, 2))
    model = mercer.KNeighborsRegressor(3, weights="distance", algorithm="kd_tree", metric="manhattan").fit(x, x[:, 0])
    again = mercer.KNeighborsRegressor.from_state(Reader(model.to_state()))
    assert (again.n_neighbors, again.weights, again.algorithm) == (3, "distance", "kd_tree")
    assert again.metric == "manhattan"
    assert again.fit(x, x[:, 0]).predict(x).tobytes() == model.predict(x).tobytes()
    factors = mercer.KNeighborsClassifier(3, class_weight={"a": 1, "b": 3}, words=7).fit(
        {"n": x[:, 0], "t": [f"some words number {i}" for i in range(30)]}, list("ab") * 15
    )
    again = mercer.KNeighborsClassifier.from_state(Reader(factors.to_state()))
    assert (again.class_weight, again.words) == ({"a": 1, "b": 3}, 7)
    wrong = {"algorithm": "import", "leaf_size": 0, "n_neighbors": "all", "n_jobs": "two", "max_neighbors": 0.5}
    for name, value in wrong.items():
        with pytest.raises(BadFile, match=f"parameters.{name}: "):
            mercer.KNeighborsRegressor.from_state(Reader(changed(model.to_state(), f"parameters.{name}", value)))
    with pytest.raises(BadFile):
        mercer.KNeighborsRegressor.from_state(Reader(changed(model.to_state(), "fitted.recall", 2.0)))


@pytest.mark.parametrize(
    "options",
    [
        {"metric": Manhattan(scale="std")},
        {"metric": "euclidean", "metric_params": {"w": np.array([1.0, 2.0])}},
        {"metric": "minkowski", "p": np.inf},
    ],
    ids=str,
)
def test_metrics_that_are_no_plain_name_are_stored(options, tmp_path):
    x = np.random.default_rng(0).normal(size=(30, 2))
    model = mercer.KNeighborsRegressor(3, **options).fit(x, x[:, 0])
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert repr(again.metric) == repr(model.metric) and again.p == model.p
    np.testing.assert_equal(again.metric_params, model.metric_params)
    for fit in (again, again.fit(x, x[:, 0])):
        assert fit.predict(x + 0.1).tobytes() == model.predict(x + 0.1).tobytes()


@pytest.mark.parametrize("leaf_size", [1, 5, 1000])
def test_the_size_of_a_leaf_changes_no_answer(leaf_size):
    x = (10 * np.random.default_rng(0).normal(size=(300, 3))).round()
    tree = mercer.KNeighborsRegressor(7, algorithm="kd_tree", leaf_size=leaf_size).fit(x, x[:, 0])
    assert tree.rows_.index.tree.leafsize == leaf_size
    exact = mercer.KNeighborsRegressor(7, algorithm="brute").fit(x, x[:, 0])
    np.testing.assert_array_equal(tree.kneighbors(x)[1], exact.kneighbors(x)[1])


def mixed(n=400):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"age": rng.normal(40, 9, n), "job": rng.choice(["cook", "clerk", "smith"], n)})
    return frame, np.where(frame["age"] > 40, "old", "young")


def test_a_graph_that_the_columns_do_not_allow():
    pytest.importorskip("usearch", reason="the ann extra is not installed")
    frame, y = mixed()
    frame.loc[::9, "age"] = None
    with pytest.raises(MercerError, match=r"algorithm='hnsw' needs.*Use algorithm='brute'"):
        mercer.KNeighborsClassifier(algorithm="hnsw").fit(frame, y)
    with pytest.raises(MercerError, match=r"'algorithm' .* Got 'ball'"):
        mercer.KNeighborsClassifier(algorithm="ball").fit(frame, y)


def test_without_the_extra_the_way_to_install_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    frame, y = mixed()
    with pytest.raises(MercerError, match=r"pip install mercer\[ann\]"):
        mercer.KNeighborsClassifier(algorithm="hnsw").fit(frame, y)


@pytest.mark.parametrize("metric", ["euclidean", "heom", "cosine"])
def test_a_graph_finds_most_of_the_nearest_rows_and_says_how_many(metric):
    pytest.importorskip("usearch", reason="the ann extra is not installed")
    frame, y = mixed(600)
    rows = frame.drop(columns="job").assign(more=np.cos(np.arange(600))) if metric == "cosine" else frame
    options = {"n_neighbors": 6, "metric": metric}
    graph, brute = (mercer.KNeighborsClassifier(algorithm=a, **options).fit(rows, y) for a in ("hnsw", "brute"))
    near, exact = graph.kneighbors(rows), brute.kneighbors(rows)
    hit = np.mean([len(np.intersect1d(a, b)) / 6 for a, b in zip(near[1], exact[1], strict=True)])
    assert hit > 0.95
    assert graph.recall_ == pytest.approx(hit, abs=0.05)
    rights = near[1] == exact[1]
    np.testing.assert_allclose(near[0][rights], exact[0][rights], atol=1e-9)
    copied = pickle.loads(pickle.dumps(graph))
    stored = mercer.KNeighborsClassifier.from_state(Reader(graph.to_state()))
    for again in (copied, stored):
        assert again.kneighbors(rows)[1].tolist() == near[1].tolist()
        assert again.recall_ == graph.recall_
    assert (
        mercer.KNeighborsClassifier(algorithm="hnsw", n_jobs=1, **options).fit(rows, y).kneighbors(rows)[1].tolist()
        == near[1].tolist()
    )


def test_recall_is_below_one_when_the_graph_misses_rows(monkeypatch):
    pytest.importorskip("usearch", reason="the ann extra is not installed")
    rng = np.random.default_rng(0)
    table = from_array(rng.normal(size=(1500, 24)))
    distance = Euclidean().fit(table)
    search = make_search("hnsw", distance, distance.cells(table), 10)
    assert isinstance(search, GraphSearch)
    good = search.recall(10)

    def blind(points, k, n_jobs):
        rows, unsure = GraphSearch._find(search, points, k, n_jobs)
        return np.where(rows % 2 == 0, rows, (rows * 7) % 1500), unsure

    monkeypatch.setattr(search, "_find", blind)
    assert search.recall(10) < 0.8 < good


def test_graphs_of_few_rows_and_of_huge_numbers():
    pytest.importorskip("usearch", reason="the ann extra is not installed")
    model = mercer.KNeighborsClassifier(2, algorithm="hnsw").fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    assert model.kneighbors([[4.0]])[1].tolist() == [[2, 1]]
    huge = mercer.KNeighborsClassifier(1, algorithm="hnsw").fit([[1e60, 0], [2e60, 0], [9e60, 1]], ["a", "a", "b"])
    assert huge.predict([[8e60, 0]]).tolist() == ["b"]
    assert huge.predict([[np.nan, 0]]).tolist() == ["a"]
    zero = mercer.KNeighborsClassifier(1, algorithm="hnsw", metric=Cosine()).fit([[0.0, 0], [1, 1]], ["a", "b"])
    assert zero.predict([[2.0, 2.1]]).tolist() == ["b"]

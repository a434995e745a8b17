"""scikit-learn's parameters, attributes and answers on numbers; weights that count in the distance, too."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import neighbors
from sklearn.neighbors import VALID_METRICS

import mercer
from mercer.distances import HVDM, Euclidean, NamedDistance
from mercer.errors import BadTable, MercerWarning, NotNumeric

RNG = np.random.default_rng(6)
X, FRESH = RNG.uniform(0, 1.5, (80, 2)), RNG.uniform(0, 1.5, (20, 2))
Y = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 0] > 1)
FLAGS, FRESH_FLAGS = RNG.random((80, 30)) < 0.3, RNG.random((20, 30)) < 0.3
BOTH = [
    (mercer.KNeighborsClassifier, neighbors.KNeighborsClassifier),
    (mercer.KNeighborsRegressor, neighbors.KNeighborsRegressor),
]
LEARNED = {"seuclidean": {"V": X.var(axis=0, ddof=1)}, "mahalanobis": {"VI": np.linalg.inv(np.cov(X.T))}}
BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")


@pytest.mark.parametrize(("ours", "theirs"), BOTH)
def test_their_parameters_come_first_with_their_defaults(ours: Any, theirs: Any) -> None:
    expected, found = (inspect.signature(kind).parameters for kind in (theirs, ours))
    assert list(found)[: len(expected)] == list(expected)
    for key, parameter in expected.items():
        assert (found[key].default, found[key].kind) == (parameter.default, parameter.kind)


@pytest.mark.parametrize("metric", [m for m in VALID_METRICS["brute"] if m != "precomputed"])
def test_every_metric_of_theirs_gives_their_distances(metric: str) -> None:
    flags = metric in (*BOOLEAN, "correlation")
    rows, fresh = (FLAGS.astype(float), FRESH_FLAGS.astype(float)) if flags else (X, FRESH)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs converts numbers to truth values
        theirs = neighbors.KNeighborsRegressor(4, metric=metric, algorithm="brute", metric_params=LEARNED.get(metric))
        expected = theirs.fit(rows, Y).kneighbors(fresh)[0]
    ours = mercer.KNeighborsRegressor(4, metric=metric).fit(rows, Y)
    assert_allclose(ours.kneighbors(fresh)[0], expected, atol=1e-12)
    if metric in LEARNED:
        given = mercer.KNeighborsRegressor(4, metric=metric, metric_params=LEARNED[metric]).fit(rows, Y)
        assert_allclose(given.kneighbors(fresh)[0], expected, atol=1e-12)


def test_names_that_only_their_trees_know() -> None:
    for other, name in (("p", "minkowski"), ("infinity", "chebyshev"), ("sokalmichener", "rogerstanimoto")):
        rows = FLAGS if other == "sokalmichener" else X
        found = [mercer.KNeighborsClassifier(metric=m).fit(rows, Y).kneighbors(rows)[0] for m in (other, name)]
        assert_array_equal(*found)


@pytest.mark.parametrize("options", [
    {}, {"p": 1}, {"p": np.inf}, {"p": 3}, {"metric": "cosine"}, {"metric": "euclidean"},
    {"metric": "manhattan", "algorithm": "ball_tree"}, {"p": 1.5, "metric_params": {"w": np.array([1.0, 2.0])}},
], ids=str)  # fmt: skip
def test_the_attributes_are_theirs(options: dict[str, Any]) -> None:
    several = np.column_stack([Y, Y % 2])
    for ours, theirs in BOTH:
        for target in (Y, several):
            mine, other = ours(**options).fit(X, target), theirs(**options).fit(X, target)
            assert mine.effective_metric_ == other.effective_metric_
            assert str(mine.effective_metric_params_) == str(other.effective_metric_params_)
            assert (mine.n_samples_fit_, mine.n_features_in_) == (other.n_samples_fit_, other.n_features_in_)
            assert_allclose(mine.predict(FRESH), other.predict(FRESH))
            for a, b in zip(mine.kneighbors(FRESH), other.kneighbors(FRESH), strict=True):
                assert a.dtype == b.dtype
                assert_allclose(a, b)
            graph, expected = (m.kneighbors_graph(FRESH, mode="distance") for m in (mine, other))
            assert_allclose(graph.toarray(), expected.toarray())
            if hasattr(other, "outputs_2d_"):
                assert mine.outputs_2d_ == other.outputs_2d_
                assert str(mine.classes_) == str(other.classes_)


def test_a_power_below_one() -> None:
    with pytest.warns(MercerWarning, match="not distance metrics"):
        ours = mercer.KNeighborsRegressor(6, p=0.5).fit(X, Y)
    with pytest.warns(UserWarning, match="not distance metrics"):
        theirs = neighbors.KNeighborsRegressor(6, p=0.5).fit(X, Y)
    assert_allclose(ours.kneighbors(FRESH)[0], theirs.kneighbors(FRESH)[0])
    assert ours.effective_metric_params_ == theirs.effective_metric_params_


def test_levels_make_the_default_heom() -> None:
    frame = pd.DataFrame({"x": X[:, 0], "job": np.where(X[:, 1] > 0.7, "cook", "clerk")})
    default, heom = (mercer.KNeighborsClassifier(**o).fit(frame, Y) for o in ({}, {"metric": "heom"}))
    assert default.effective_metric_ == "heom" and default.effective_metric_params_ == {}
    assert_array_equal(default.predict_proba(frame), heom.predict_proba(frame))
    dummies = mercer.KNeighborsClassifier(p=1).fit(frame, Y)
    assert dummies.effective_metric_ == "manhattan"
    assert_allclose(dummies.kneighbors(frame[:1], 80)[0].max(), max(abs(X[:, 0] - X[0, 0]).max(), 2.0), atol=1.5)


@pytest.mark.parametrize("algorithm", ["auto", "ball_tree", "kd_tree"])
def test_every_exact_search_gives_the_same_rows(algorithm: str) -> None:
    frame = pd.DataFrame({"x": X[:, 0], "job": np.where(X[:, 1] > 0.7, "cook", "clerk")})
    holes = X.copy()
    holes[::7, 1] = np.nan
    for rows in (X, holes, frame):
        found = [mercer.KNeighborsRegressor(algorithm=a).fit(rows, Y).kneighbors(rows) for a in (algorithm, "brute")]
        assert_array_equal(found[0][1], found[1][1])
        assert_allclose(found[0][0], found[1][0])


@pytest.mark.parametrize("metric", [
    Euclidean(scale="std"), HVDM(), NamedDistance("seuclidean"), NamedDistance("mahalanobis"), "minkowski",
], ids=repr)  # fmt: skip
def test_a_row_of_weight_two_is_two_rows_to_the_distance(metric: Any) -> None:
    times = RNG.integers(1, 5, 80)
    rows: Any = X
    if isinstance(metric, HVDM):
        rows = pd.DataFrame({"x": X[:, 0], "job": RNG.choice(["cook", "clerk", "smith"], 80)})
    rows = pd.DataFrame(rows).rename(columns=str)
    weighted = mercer.KNeighborsClassifier(7, metric=metric).fit(rows, Y, sample_weight=times)
    repeated = mercer.KNeighborsClassifier(7, metric=metric).fit(rows.loc[rows.index.repeat(times)], Y.repeat(times))
    assert_allclose(weighted.predict_proba(rows), repeated.predict_proba(rows), atol=1e-12)
    plain = mercer.KNeighborsClassifier(7, metric=metric).fit(rows, Y)
    table = mercer.read_table(rows)
    apart = [model.distance_.between(table, table) for model in (weighted, repeated, plain)]
    assert_allclose(apart[0], apart[1], atol=1e-9)
    if not isinstance(metric, str):  # the weights do count
        assert not np.allclose(apart[0], apart[2])


def test_what_a_named_distance_refuses() -> None:
    with pytest.raises(NotNumeric, match="canberra measures numbers"):
        mercer.KNeighborsClassifier(metric="canberra").fit({"job": ["a", "b"] * 10}, [0, 1] * 10)
    with pytest.raises(BadTable, match="cells are missing"):
        mercer.KNeighborsClassifier(metric="canberra").fit([[np.nan], [1.0]], [0, 1])
    with pytest.raises(BadTable, match="correlation is not defined for row 1 and training row 1"):
        mercer.KNeighborsClassifier(1, metric="correlation").fit([[1.0, 1.0], [1.0, 2.0]], [0, 1]).predict([[3.0, 3.0]])


def test_fitted_models_are_known_as_models_of_neighbours() -> None:
    from sklearn.neighbors._base import KNeighborsMixin  # noqa: PLC0415

    assert isinstance(mercer.KNeighborsClassifier(), KNeighborsMixin)

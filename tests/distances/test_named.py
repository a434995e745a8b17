"""Metrics as users write them: names with parameters, places on a sphere, functions, scikit-learn's objects."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.metrics import DistanceMetric
from sklearn.metrics.pairwise import haversine_distances
from sklearn.neighbors import KNeighborsClassifier as Rival
from sklearn.neighbors import KNeighborsRegressor as RivalRegressor

import mercer
from mercer.distances import (
    METRIC,
    Euclidean,
    FunctionDistance,
    Gower,
    Haversine,
    Minkowski,
    PrecomputedDistance,
    SumDistance,
    as_distance,
)
from mercer.distances.sum_distance import DISTANCES, distance_from_parameters, distance_parameters_state
from mercer.errors import BadColumn, BadFile, BadTable, MercerError, NotNumeric
from mercer.parameters import check_parameters, parameters_state, read_parameters
from mercer.state import Reader
from mercer.table import from_array


def places(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    return x, (x[:, 0] > 0).astype(int), rng.normal(size=(20, 3))


def test_places_as_in_scikit_learn():
    a, b = places(), places(30, seed=1)
    near = a[:20] + np.random.default_rng(2).normal(size=(20, 2)) * 1e-9
    ours = Haversine().fit(from_array(a))
    for queries in (b, near, a):
        expected = haversine_distances(queries, a)
        np.testing.assert_allclose(ours.between(from_array(queries), from_array(a)), expected, rtol=1e-9, atol=1e-15)
        found = ours.nearest(from_array(a), from_array(queries), 4)
        np.testing.assert_array_equal(found.row, np.argsort(expected, axis=1)[:, :4])
    again = SumDistance.from_state(Reader(ours.to_state()))
    np.testing.assert_array_equal(
        again.between(from_array(b), from_array(a)), ours.between(from_array(b), from_array(a))
    )


def test_what_latitude_and_longitude_add():
    table = from_array(places())
    ours = Haversine().fit(table)
    terms = ours.terms(table.take([7]), table)
    assert ours.columns == ("x0", "x1") and terms.shape == (60, 2)
    apart = ours.between(table.take([7]), table)[0]
    np.testing.assert_allclose(terms.sum(axis=1), np.sin(apart / 2) ** 2, atol=1e-15)
    latitude = table.numbers()[:, 0]
    np.testing.assert_allclose(terms[:, 0], np.sin((latitude - latitude[7]) / 2) ** 2, atol=1e-15)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_neighbours_on_a_sphere_are_stored(algorithm, tmp_path):
    x, y = places(300), np.arange(300) % 3
    ours = mercer.KNeighborsClassifier(4, metric="haversine", algorithm=algorithm).fit(x, y)
    theirs = Rival(4, metric="haversine").fit(x, y)
    fresh = places(40, seed=3)
    np.testing.assert_array_equal(ours.kneighbors(fresh)[1], theirs.kneighbors(fresh)[1])
    np.testing.assert_allclose(ours.kneighbors(fresh)[0], theirs.kneighbors(fresh)[0])
    mercer.save(ours, tmp_path / "m.mercer")
    np.testing.assert_array_equal(mercer.load(tmp_path / "m.mercer").predict(fresh), ours.predict(fresh))


def test_a_place_that_is_not_known_is_far_from_all():
    x = places(5)
    x[2, 1] = np.nan
    ours = Haversine().fit(from_array(x))
    assert np.isinf(ours.between(from_array(x), from_array(x))[2]).all()
    assert 2 not in ours.nearest(from_array(x), from_array(x[:1]), 4).row
    nowhere = from_array(np.full((3, 2), np.nan))
    assert np.isinf(ours.between(nowhere, from_array(x))).all()


def test_what_is_no_place_is_refused():
    with pytest.raises(BadTable, match=r"latitude 52\.5 in row 2 .*np\.radians"):
        Haversine().fit(from_array(np.array([[0.0, 0.0], [52.5, 13.4]])))
    wide = mercer.KNeighborsRegressor(1, metric="haversine").fit(np.ones((4, 3)), np.ones(4))
    with pytest.raises(BadTable, match=r"2 dimensions.*3 columns"):
        wide.predict(np.ones((1, 3)))


@pytest.mark.parametrize("params", [{"p": 3}, {"p": 1.5, "w": [1.0, 3.0, 0.5]}])
def test_parameters_of_a_metric_as_in_scikit_learn(rows, params):
    x, y, fresh = rows
    found = []
    for kind in (Rival, mercer.KNeighborsClassifier):
        with pytest.warns(SyntaxWarning, match="p"):
            found.append(kind(5, metric="minkowski", metric_params=params).fit(x, y).kneighbors(fresh))
    np.testing.assert_allclose(found[1][0], found[0][0])
    np.testing.assert_array_equal(found[1][1], found[0][1])


def test_parameters_of_our_own_distances(rows):
    x, y, fresh = rows
    named = mercer.KNeighborsClassifier(5, metric="euclidean", metric_params={"scale": "std"}).fit(x, y)
    given = mercer.KNeighborsClassifier(5, metric=Euclidean(scale="std")).fit(x, y)
    np.testing.assert_array_equal(named.kneighbors(fresh)[0], given.kneighbors(fresh)[0])
    powered = mercer.KNeighborsClassifier(5, p=3, metric_params={"w": [1, 2, 3]}).fit(x, y)
    assert repr(powered.distance_) == repr(Minkowski(3, w=[1, 2, 3]))


def test_a_function_as_in_scikit_learn(rows):
    x, y, fresh = rows

    def most(a, b, power=1.0):
        return float((np.abs(a - b) ** power).max())

    options = {"metric": most, "metric_params": {"power": 0.5}}
    theirs = RivalRegressor(5, algorithm="brute", **options).fit(x, y)
    ours = mercer.KNeighborsRegressor(5, **options).fit(x, y)
    np.testing.assert_allclose(ours.kneighbors(fresh)[0], theirs.kneighbors(fresh)[0])
    np.testing.assert_allclose(ours.predict(fresh), theirs.predict(fresh))
    np.testing.assert_allclose(ours.predict(None), theirs.predict(None))
    assert ours.explain(fresh[:1])[0].rows.tolist() == theirs.kneighbors(fresh)[1][0].tolist()
    with pytest.raises(MercerError, match="can be stored"):
        ours.to_state()
    searched = mercer.KNeighborsRegressor(5, algorithm="ball_tree", **options).fit(x, y)
    np.testing.assert_array_equal(searched.predict(fresh), ours.predict(fresh))


@pytest.mark.parametrize(
    ("name", "options"), [("euclidean", {}), ("manhattan", {}), ("canberra", {}), ("minkowski", {"p": 3})]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_object_of_scikit_learn_as_metric(rows, name, options, dtype):
    x, y, fresh = rows
    metric = DistanceMetric.get_metric(name, dtype=dtype, **options)
    ours = mercer.KNeighborsRegressor(5, metric=metric).fit(x, y)
    np.testing.assert_allclose(
        ours.kneighbors(fresh)[0], np.sort(metric.pairwise(fresh, x))[:, :5], rtol=1e-5 if dtype == np.float32 else 1e-9
    )
    assert isinstance(ours.distance_, FunctionDistance) == (name in ("canberra", "minkowski"))


@pytest.mark.parametrize("value", [np.nan, -1.0])
def test_a_function_that_gives_no_distance(rows, value):
    x, y, fresh = rows
    with pytest.raises(MercerError, match=f"gave {value} for row 1 and training row 1"):
        mercer.KNeighborsClassifier(metric=lambda a, b: value).fit(x, y).predict(fresh)


@pytest.mark.parametrize(
    ("metric", "params", "says"),
    [
        ("euclidean", {"V": 1}, "'euclidean' has no parameter 'V'.*'w'"),
        ("gower", {"w": [1, 2, 3]}, "It has none"),
        ("minkowski", {"scales": "std"}, "Did you mean 'scale'"),
        ("minkowski", [2], "must be a dict or None"),
        ("precomputed", {"p": 2}, "precomputed distances have no"),
        (Gower(), {"p": 2}, "parameters of its own"),
        (DistanceMetric.get_metric("euclidean"), {"p": 2}, "parameters of its own"),
        (Gower, None, "a Distance .* Got .*Gower"),
        (7, None, "Got 7 instead"),
    ],
)
def test_metrics_and_parameters_that_make_no_sense_are_refused(metric, params, says):
    x = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    with pytest.raises(MercerError, match=says):
        mercer.KNeighborsClassifier(2, metric=metric, metric_params=params).fit(x, [0, 1] * 3)


def test_a_function_measures_numbers_alone():
    with pytest.raises(NotNumeric, match="'job' is category"):
        mercer.KNeighborsClassifier(1, metric=np.dot, kinds={"job": "category"}).fit(
            {"job": ["a", "b", "c"]}, [0, 1, 0]
        )
    with pytest.raises(BadColumn, match="haversine"):
        as_distance("haversin")


class Holder:
    parameters: ClassVar = {"metric": METRIC}

    def __init__(self, metric):
        self.metric = metric


def stored(metric):
    check_parameters(Holder(metric))
    return read_parameters(Reader(parameters_state(Holder(metric))), Holder.parameters)["metric"]


def test_every_distance_is_stored_as_a_parameter():
    for name, kind in DISTANCES.items():
        assert repr(stored(kind())) == repr(kind()), name
        assert stored(name.lower()) == name.lower()
    for distance in (Minkowski(np.inf, alpha=2.0, w=(1.0, 0.0)), Euclidean(scale="range"), PrecomputedDistance()):
        assert repr(stored(distance)) == repr(distance)
    assert [stored(name) for name in ("auto", "precomputed", "Euclidean", "l1")] == [
        "auto", "precomputed", "Euclidean", "l1",
    ]  # fmt: skip


def test_metrics_of_scikit_learn_and_functions_as_parameters():
    assert repr(stored(DistanceMetric.get_metric("manhattan"))) == "Manhattan()"
    assert stored(DistanceMetric.get_metric("canberra")) == "auto"  # not stored; nor is a model fitted with it
    assert stored(np.dot) == "auto"
    for wrong in ("gowr", 7, None, Gower):
        with pytest.raises(MercerError, match="'metric' parameter of Holder must be 'auto' or 'precomputed' or"):
            check_parameters(Holder(wrong))


def test_a_damaged_parameter_is_refused():
    state = distance_parameters_state(Minkowski(3))
    for change in ({"distance": "PowerDistance"}, {"more": 1}, {"parameters": state["parameters"] | {"p": -0.5}}):
        with pytest.raises(BadFile):
            distance_from_parameters(Reader(state | change))

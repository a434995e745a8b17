"""Metrics as users write them: names with parameters, places on a sphere, functions, scikit-learn's objects."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import KNeighborsClassifier as Rival

import mercer
from mercer.distances import (
    METRIC,
    Euclidean,
    Gower,
    Minkowski,
    PrecomputedDistance,
)
from mercer.distances.sum_distance import DISTANCES, distance_from_parameters, distance_parameters_state
from mercer.errors import BadFile, MercerError
from mercer.parameters import check_parameters, parameters_state, read_parameters
from mercer.state import Reader


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

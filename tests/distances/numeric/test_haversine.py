"""Places on a sphere, against scikit-learn."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import haversine_distances
from sklearn.neighbors import KNeighborsClassifier as Rival

import mercer
from mercer.distances import (
    Haversine,
    SumDistance,
)
from mercer.errors import BadTable
from mercer.state import Reader
from mercer.table import from_array


def places(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])


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

"""Distances of numbers against SciPy and scikit-learn."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import nan_euclidean_distances
from tests.distances.tables import mixed, numeric

import mercer
from mercer.distances import (
    Chebyshev,
    Cosine,
    Euclidean,
    Manhattan,
    Minkowski,
    SquaredEuclidean,
)
from mercer.errors import BadParameter, MercerError
from mercer.table import from_array


@pytest.mark.parametrize(
    ("distance", "name", "options"),
    [
        (Euclidean(), "euclidean", {}),
        (SquaredEuclidean(), "sqeuclidean", {}),
        (Manhattan(), "cityblock", {}),
        (Minkowski(3), "minkowski", {"p": 3}),
        (Minkowski(2), "euclidean", {}),
        (Chebyshev(), "chebyshev", {}),
        (Cosine(), "cosine", {}),
        (Minkowski(3, w=[1, 2, 0.5, 3]), "minkowski", {"p": 3, "w": [1, 2, 0.5, 3]}),
        (Euclidean(w=[1, 2, 0, 3]), "euclidean", {"w": [1, 2, 0, 3]}),
        (Manhattan(w=(4, 2, 0.5, 3)), "cityblock", {"w": [4, 2, 0.5, 3]}),
    ],
)
def test_points_as_in_scipy(distance, name, options):
    a, b = numeric(), numeric(seed=5, n=30)
    expected = cdist(b.numbers(), a.numbers(), name, **options)
    distance.fit(a)
    np.testing.assert_allclose(distance.between(b, a), expected, rtol=1e-12)
    found = distance.nearest(a, b, 5)
    np.testing.assert_array_equal(found.row, np.argsort(expected, axis=1)[:, :5])
    np.testing.assert_allclose(found.distance, np.sort(expected, axis=1)[:, :5], rtol=1e-9)


def test_missing_cells_as_in_scikit_learn():
    a, b = numeric(missing=0.3), numeric(seed=5, n=30, missing=0.3)
    expected = np.nan_to_num(nan_euclidean_distances(b.numbers(), a.numbers()), nan=np.inf)
    np.testing.assert_allclose(Euclidean().fit(a).between(b, a), expected, rtol=1e-9)


def test_levels_are_dummies_of_size_alpha():
    a = mixed(missing=0.0).select(["age", "pay", "job", "sex"])
    codes = a.codes()
    dummies = [codes[:, [j]] == np.arange(len(a.schema[n].levels)) for j, n in enumerate(("job", "sex"))]
    wide = np.hstack([a.numbers(), 7.0 * np.hstack(dummies)])
    for distance, name, options in (
        (Euclidean(alpha=7), "euclidean", {}),
        (Minkowski(3, alpha=7), "minkowski", {"p": 3}),
    ):
        np.testing.assert_allclose(distance.fit(a).between(a, a), cdist(wide, wide, name, **options), rtol=1e-10)


def test_weights_are_of_the_columns_in_their_order():
    rows = {"job": ["a", "b", "a", "c"], "age": [1.0, 2.0, 5.0, 7.0], "size": ["S", "M", "L", None]}
    table = mercer.read_table(rows, kinds={"job": "category", "size": ["S", "M", "L"]})
    found = Euclidean(w=[2, 3, 5]).fit(table).between(table, table)[0]
    far = (2 * 2 + 3 * 36) * (2 + 3 + 5) / (2 + 3)  # without its size, by the weight that is left
    np.testing.assert_allclose(found**2, [0, 2 * 2 + 3 * 1 + 5 / 4, 3 * 16 + 5, far])
    largest = Chebyshev(w=[0, 3, 5]).fit(table).between(table, table)[0]
    np.testing.assert_allclose(largest, [0, 1, 4, 6])


@pytest.mark.parametrize(
    ("w", "says"),
    [
        ([1, 2], "2 weights for 4 columns"),
        ([1, -1, 1, 1], "at least 0"),
        ([0] * 4, "one of them positive"),
        ([1, 1, 1, np.nan], "at least 0"),
        ([1, 1, 1, np.inf], "at least 0"),
        ("abcd", "finite numbers"),
        (3.0, "finite numbers"),
    ],
)
def test_weights_that_make_no_sense_are_refused(w, says):
    with pytest.raises(MercerError, match=says):
        Euclidean(w=w).fit(numeric())


def test_rows_of_zeros_have_no_direction():
    a = from_array(np.array([[0.0, 0], [1, 0], [0, 2], [-1, 0]]))
    cosine = Cosine().fit(a)
    assert cosine.between(a, a)[0].tolist() == [1, 1, 1, 1]
    found = cosine.nearest(a, a, 4)
    np.testing.assert_allclose(found.distance, np.sort(cosine.between(a, a), axis=1), atol=1e-12)


def test_powers_that_are_no_numbers_are_refused():
    rows = mercer.read_table({"x": [0.0, 1.0, 2.0], "c": ["a", "b", "a"]})
    with pytest.raises(BadParameter, match="to the power 2 is beyond all numbers"):
        Euclidean(alpha=1e200).fit(rows)
    with pytest.raises(BadParameter, match=r"must be a number of at least 0\.01"):
        mercer.KNeighborsClassifier(metric=Minkowski(1e-12)).fit(rows, [0, 1, 0])


@pytest.mark.parametrize(("p", "spread"), [(1e9, 7.0), (1e9, 0.5), (400, 1e3)])
def test_powers_of_differences_that_are_no_numbers_are_refused(p, spread):
    rows = mercer.read_table({"x": [0.0, spread / 3, spread]})
    with pytest.raises(BadParameter, match=r"to that power are beyond .* p=inf"):
        Minkowski(p).fit(rows)
    assert Minkowski(np.inf).fit(rows).between(rows, rows).max() == spread

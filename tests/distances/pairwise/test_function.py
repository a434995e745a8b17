"""Functions and scikit-learn's objects as metrics."""

import numpy as np
import pytest
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import KNeighborsRegressor as RivalRegressor

import mercer
from mercer.distances import (
    FunctionDistance,
    as_distance,
)
from mercer.errors import BadColumn, MercerError, NotNumeric


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


def test_a_function_measures_numbers_alone():
    with pytest.raises(NotNumeric, match="'job' is category"):
        mercer.KNeighborsClassifier(1, metric=np.dot, kinds={"job": "category"}).fit(
            {"job": ["a", "b", "c"]}, [0, 1, 0]
        )
    with pytest.raises(BadColumn, match="haversine"):
        as_distance("haversin")

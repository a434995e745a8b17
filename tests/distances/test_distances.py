"""Distances against SciPy, scikit-learn and formulas by hand."""

import numpy as np
import pytest
from sklearn.base import clone
from tests.distances.tables import mixed

from mercer._core.neighbours import k_smallest
from mercer.distances import (
    HEOM,
    HVDM,
    Chebyshev,
    Cosine,
    Euclidean,
    Gower,
    Manhattan,
    Minkowski,
    SumDistance,
    as_distance,
)
from mercer.errors import BadColumn, BadFile, BadTable, BadTarget, MercerError
from mercer.state import Reader
from mercer.table import from_array

ALL = [Euclidean(), Manhattan(), Minkowski(1.5, alpha=2.0), Chebyshev(), HEOM(), HVDM(), Gower()]
ALL += [Euclidean(scale="std"), Manhattan(scale="range"), Minkowski(3.0, w=(1.0, 0.5, 2.0, 0.0, 3.0))]


@pytest.mark.parametrize("distance", ALL, ids=repr)
@pytest.mark.parametrize("missing", [0.0, 0.2])
class TestSums:
    def fitted(self, distance, missing):
        table = mixed(missing=missing)
        classes = (np.arange(len(table)) % 3).astype(np.int32)
        return clone(distance).fit(table, classes), table

    def test_nearest_are_the_smallest_of_all_pairs(self, distance, missing):
        distance, table = self.fitted(distance, missing)
        own = np.arange(len(table), dtype=np.int32)
        found = distance.nearest(table, table, 7, groups=(own, own), n_jobs=2)
        every = distance.between(table, table)
        expected = k_smallest(every, 7, own, own)
        np.testing.assert_allclose(found.distance, expected[0], rtol=1e-9)
        np.testing.assert_allclose(np.take_along_axis(every, found.row.astype(int), axis=1), expected[0], rtol=1e-9)

    def test_terms_add_up(self, distance, missing):
        if missing:
            return
        distance, table = self.fitted(distance, missing)
        terms = distance.terms(table.take([3]), table)
        whole = terms.max(axis=1) if isinstance(distance, Chebyshev) else terms.sum(axis=1)
        np.testing.assert_allclose(distance._from_sums(whole), distance.between(table.take([3]), table)[0], rtol=1e-12)


def test_names_and_bad_parameters():
    assert isinstance(as_distance("cityblock"), Manhattan)
    assert as_distance("minkowski", p=3).p == 3
    table = mixed()
    with pytest.raises(BadColumn, match="gower"):
        as_distance("gowr")
    with pytest.raises(MercerError, match=r"'p' parameter of Minkowski must be .* at least 0.01"):
        Minkowski(0).fit(table)
    with pytest.raises(MercerError, match="'scale' parameter of Euclidean"):
        Euclidean(scale="unit").fit(table)
    with pytest.raises(MercerError, match="'alpha' parameter"):
        Euclidean(alpha=-1).fit(table)
    with pytest.raises(BadColumn, match="'job' is category"):
        Cosine().fit(table)
    with pytest.raises(BadTarget, match="needs class labels"):
        HVDM().fit(table)
    with pytest.raises(BadTable, match="infinite"):
        Euclidean().fit(from_array(np.array([[np.inf], [1.0]])))


def test_a_damaged_state_is_refused():
    state = Gower().fit(mixed()).to_state()
    for change in (
        {"column_sum": state["column_sum"] | {"weight": np.ones(2)}},
        {"distance": "os.system"},
        {"more": 1},
    ):
        with pytest.raises(BadFile):
            SumDistance.from_state(Reader(state | change))

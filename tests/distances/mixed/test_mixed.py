"""Distances of mixed rows by hand."""

import numpy as np
import pytest
from tests.distances.tables import mixed

import mercer
from mercer.distances import (
    HEOM,
    HVDM,
    Euclidean,
    Gower,
    Hamming,
)
from mercer.table import from_array


def test_heom_hvdm_and_gower_by_hand():
    table = mercer.read_table({"x": [0.0, 10.0, 5.0, None], "c": ["a", "b", "a", "b"]}, kinds={"c": "category"})
    heom = HEOM().fit(table).between(table, table)
    np.testing.assert_allclose(heom[0], [0, np.sqrt(2), 0.5, np.sqrt(2)])
    gower = Gower().fit(table).between(table, table)
    np.testing.assert_allclose(gower[0], [0, 1, 0.25, 1])
    classes = np.array([0, 1, 1, 1], np.int32)
    hvdm = HVDM().fit(table, classes).between(table, table)
    deviation = np.std([0, 10, 5])
    # P(class | a) = (1/2, 1/2), P(class | b) = (0, 1): squared difference 1/4 + 1/4.
    np.testing.assert_allclose(hvdm[0, :3], [0, np.sqrt((10 / (4 * deviation)) ** 2 + 0.5), 5 / (4 * deviation)])
    assert hvdm[0, 3] == pytest.approx(np.sqrt(1 + 0.5))


def test_hamming_is_the_share_of_columns_that_differ():
    table = mercer.read_table({"a": ["x", "x", "y"], "b": ["p", "q", None]}, kinds={"a": "category", "b": "category"})
    assert Hamming().fit(table).between(table, table)[0].tolist() == [0, 0.5, 1.0]


def test_a_level_never_seen_differs_from_all():
    table = mixed(missing=0.0)
    classes = (np.arange(len(table)) % 3).astype(np.int32)
    row = {n: [table.column(n)[0]] for n in table.columns} | {"job": ["pilot"]}
    new = mercer.table.conform_table(row, table.schema)
    same = table.take([0])
    for distance in (Euclidean(), HEOM(), Gower(), HVDM()):
        distance.fit(table, classes)
        assert distance.between(new, same)[0, 0] > 0
        found = distance.nearest(table, new, 3)
        np.testing.assert_allclose(found.distance[0], np.sort(distance.between(new, table)[0])[:3])


def test_nothing_in_common_is_as_far_as_can_be():
    a = from_array(np.array([[1.0, np.nan], [np.nan, 2.0]]))
    assert Euclidean().fit(a).between(a, a)[0, 1] == np.inf
    found = Euclidean().fit(a).nearest(a, a, 2)
    assert found.row.tolist() == [[0, 1], [1, 0]]

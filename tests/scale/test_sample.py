"""Rows drawn by their numbers: the same however the table is cut, disjoint, and as many as asked for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mercer.scale.sample import Sample, first_rows, uniform


@given(sizes=st.lists(st.integers(0, 40), min_size=1, max_size=8), seed=st.integers(0, 2**32 - 1))
def test_which_rows_are_drawn_does_not_depend_on_the_chunks(sizes, seed):
    starts = first_rows({place: size for place, size in enumerate(sizes, 1) if size})
    sample = Sample(starts, seed, 0.2, 0.6)
    drawn = [sample.chosen(place, size) for place, size in enumerate(sizes, 1) if size]
    whole = Sample({1: 0}, seed, 0.2, 0.6).chosen(1, sum(sizes))
    np.testing.assert_array_equal(np.concatenate([*drawn, np.zeros(0, dtype=bool)]), whole)


def test_the_numbers_are_uniform_and_those_of_two_seeds_independent():
    rows = np.arange(200_000)
    one, two = uniform(rows, 0), uniform(rows, 1)
    for found in (one, two):
        shares = np.histogram(found, 10, (0, 1))[0] / len(rows)
        np.testing.assert_allclose(shares, 0.1, atol=0.003)  # 4.5 standard errors
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.01
    assert abs(np.corrcoef(one[1:], one[:-1])[0, 1]) < 0.01
    assert len(np.unique(one)) > len(rows) - 5


def test_neighbouring_samples_share_no_row_and_leave_none_out():
    parts = [Sample({1: 7}, 3, low, high).chosen(1, 500) for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 1))]
    np.testing.assert_array_equal(np.sum(parts, axis=0), 1)

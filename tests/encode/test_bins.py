"""Cuts against scikit-learn, by hand, and against slow references."""

from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.preprocessing import KBinsDiscretizer

import mercer
from mercer.encode import Bins
from mercer.encode.bin_edges import clusters, entropy_mdl
from mercer.encode.bins import interval_names
from mercer.errors import BadTarget, MercerWarning

from .tables import number_arrays

STRATEGY = {"width": "uniform", "frequency": "quantile"}


@pytest.mark.parametrize("cut", list(STRATEGY))
@pytest.mark.parametrize("n", [2, 3, 7])
def test_bins_are_k_bins_discretizer(cut, n):
    rng = np.random.default_rng(n)
    values = np.column_stack([rng.normal(size=299), rng.exponential(size=299) * 1e3, rng.random(299) - 50])
    theirs = KBinsDiscretizer(
        n, encode="ordinal", strategy=STRATEGY[cut], quantile_method="averaged_inverted_cdf", subsample=None
    ).fit(values)
    ours = Bins(n, cut).fit(values)
    assert_array_equal(ours.transform(values), theirs.transform(values))
    for edges, expected in zip(ours.edges_, theirs.bin_edges_, strict=True):
        assert_allclose(edges, expected[1:-1])


@pytest.mark.parametrize("n", [2, 3, 7])
def test_clusters_are_those_of_k_means(n):
    values = np.sort(np.random.default_rng(n).normal(size=200))
    edges = np.linspace(values[0], values[-1], n + 1)
    start = (edges[1:] + edges[:-1])[:, None] / 2
    centres = np.sort(KMeans(n, init=start, n_init=1, tol=0).fit(values[:, None]).cluster_centers_.ravel())
    assert_allclose(clusters(values, n), (centres[1:] + centres[:-1]) / 2)


@given(st.integers(1, 60), st.integers(2, 12))
def test_bins_of_equal_frequency_differ_by_one_at_most(size, n):
    counts = np.bincount(Bins(n).fit_transform(np.arange(float(size))[:, None]).ravel().astype(int))
    assert len(counts) == min(n, size)
    assert counts.max() - counts.min() <= 1


def test_numbers_beyond_the_range_fall_in_the_outer_bins():
    encoder = Bins(n=2, cut="width").fit([[0.0], [10.0]])
    assert encoder.transform([[-99.0], [4.9], [5.0], [99.0], [np.nan]]).ravel()[:4].tolist() == [0, 0, 1, 1]
    assert np.isnan(encoder.transform([[np.nan]])).all()


@pytest.mark.parametrize("cut", ["frequency", "kmeans"])
def test_fewer_distinct_values_than_bins_give_fewer_bins_and_a_warning(cut):
    values = np.array([[1.0], [1.0], [1.0], [2.0], [5.0]])
    with pytest.warns(MercerWarning, match="Fewer than 10 bins"):
        encoder = Bins(10, cut).fit(values)
    assert encoder.transform(values).ravel().tolist() == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("cut", ["width", "frequency", "kmeans"])
def test_a_constant_column_is_one_bin(cut):
    with pytest.warns(MercerWarning, match="'x0'"):
        encoder = Bins(3, cut).fit([[4.0], [4.0]])
    assert encoder.schema_out_["x0"].levels == ("any number",)
    assert encoder.transform([[1.0], [9.0]]).ravel().tolist() == [0, 0]


def test_binned_columns_are_ordinal_with_named_bins():
    table = mercer.read_table({"age": [18, 25, 41, 67, None, 50], "job": list("ababab")})
    out = Bins(3, "width").fit_transform(table)
    assert out.schema["age"].kind == "ordinal"
    assert out.schema["age"].levels == ("< 34.33", "34.33 to < 50.67", ">= 50.67")
    assert out.codes("age").ravel().tolist() == [0, 0, 1, 2, -1, 1]


def test_names_of_near_edges_differ():
    names = interval_names(np.array([1.00000001, 1.00000002, 1.00000003]))
    assert len(set(names)) == 4


def clusters_slow(values, n):
    """Lloyd's rule on every number at every step; None where one is as near to one centre as to the next."""
    edges = np.linspace(values[0], values[-1], n + 1)
    centres = (edges[1:] + edges[:-1]) / 2
    for _ in range(300):
        middles = (centres[1:] + centres[:-1]) / 2
        if np.isclose(values[:, None], middles, atol=1e-9).any():
            return None
        own = (values[:, None] >= middles).sum(axis=1)
        new = np.array([values[own == j].mean() for j in np.unique(own)])
        if len(new) == len(centres) and np.allclose(new, centres, rtol=0, atol=1e-12):
            break
        centres = new
    return (centres[1:] + centres[:-1]) / 2


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=40), st.integers(2, 5))
def test_clusters_are_those_of_the_slow_reference(numbers, n):
    values = np.sort(np.array(numbers, dtype=np.float64))
    expected = clusters_slow(values, n)
    assume(expected is not None)  # else either is right
    expected = np.unique(expected)
    assert_allclose(clusters(values, n), expected[(expected > values[0]) & (expected <= values[-1])], atol=1e-9)


def mdl_slow(pairs):
    """Fayyad & Irani's rule written row by row: every cut between distinct numbers, entropies from lists."""

    def entropy(rows):
        shares = [sum(c == k for _, c in rows) / len(rows) for k in {c for _, c in rows}]
        return -sum(p * log2(p) for p in shares)

    def weighted(cut):
        left, right = [r for r in pairs if r[0] < cut], [r for r in pairs if r[0] >= cut]
        return (len(left) * entropy(left) + len(right) * entropy(right)) / len(pairs), left, right

    distinct = sorted({x for x, _ in pairs})
    cuts = [(a + b) / 2 for a, b in pairwise(distinct)]
    if not cuts:
        return []
    best = min(weighted(c)[0] for c in cuts)
    cut = next(c for c in cuts if weighted(c)[0] <= best + 1e-12)
    inside, left, right = weighted(cut)
    n, whole = len(pairs), entropy(pairs)
    k, k1, k2 = (len({c for _, c in rows}) for rows in (pairs, left, right))
    delta = log2(3**k - 2) - (k * whole - k1 * entropy(left) - k2 * entropy(right))
    if whole - inside <= (log2(n - 1) + delta) / n:
        return []
    return [*mdl_slow(left), cut, *mdl_slow(right)]


def test_mdl_by_hand():
    """Four rows of class 0 at 1..4 and four of class 1 at 5..8.

    Ent(S) = 1, the cut at 4.5 leaves entropy 0, so the gain is 1. The price is
    (log2(7) + log2(3^2 - 2) - 2 * 1) / 8 = (2.807 + 2.807 - 2) / 8 = 0.452 < 1: the cut pays. Each part is pure.
    """
    values, classes = np.arange(1.0, 9.0), np.repeat([0, 1], 4).astype(np.int32)
    assert entropy_mdl(values, classes, 2).tolist() == [4.5]


def test_mdl_drops_a_cut_that_gains_too_little():
    """Two rows a side: gain 1, price (log2(3) + log2(7) - 2) / 4 = 0.598, which pays.

    One row of class 1 as second of four: gain 0.311 at 2.5, price (log2(3) + log2(7) - 2 * 0.811 + 2 * 1) / 4 = 1.19.
    """
    assert entropy_mdl(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1], dtype=np.int32), 2).tolist() == [2.5]
    assert entropy_mdl(np.array([1.0, 2, 3, 4]), np.array([0, 1, 0, 0], dtype=np.int32), 2).tolist() == []


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), min_size=2, max_size=40))
def test_mdl_is_the_slow_reference(pairs):
    # Sorting the rows into runs of classes makes cuts that pay likely.
    runs = [(x, (c if i % 7 == 0 else x // 5)) for i, (x, c) in enumerate(pairs)]
    values = np.array([x for x, _ in runs], dtype=np.float64)
    classes = np.array([c for _, c in runs], dtype=np.int32)
    assert entropy_mdl(values, classes, 3).tolist() == mdl_slow(runs)


def test_mdl_takes_any_labels_and_needs_them():
    values = np.concatenate([np.linspace(0, 1, 20), np.linspace(2, 3, 20)])[:, None]
    encoder = Bins(cut="mdl").fit(values, ["cold"] * 20 + ["hot"] * 20)
    assert_allclose(encoder.edges_[0], [1.5])
    with pytest.raises(BadTarget, match="y is None"):
        Bins(cut="mdl").fit(values)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        Bins(cut="mdl").fit(values, np.random.default_rng(0).random(40))


def test_mdl_skips_rows_with_a_missing_number():
    values = np.concatenate([np.linspace(0, 1, 20), np.linspace(2, 3, 20)])
    y = np.repeat([0, 1], 20)
    with_gap, more = np.append(values, [np.nan] * 5)[:, None], np.append(y, [1] * 5)
    assert_allclose(Bins(cut="mdl").fit(with_gap, more).edges_[0], Bins(cut="mdl").fit(values[:, None], y).edges_[0])


@given(number_arrays(), st.sampled_from(["width", "frequency", "kmeans"]))
def test_bins_keep_the_order_of_numbers(values, cut):
    codes = Bins(4, cut).fit_transform(values)
    assert_array_equal(np.isnan(codes), np.isnan(values))
    for x, code in zip(values.T, codes.T, strict=True):
        known = ~np.isnan(x)
        order = np.argsort(x[known], kind="stable")
        assert (np.diff(code[known][order]) >= 0).all()

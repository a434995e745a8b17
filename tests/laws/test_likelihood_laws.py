"""Laws of likelihoods on random tables, weights, cuts and orders."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer import read_table
from mercer.likelihoods import (
    LIKELIHOODS,
    Alpha,
    Bernoulli,
    Binned,
    Categorical,
    Codes,
    ColumnAlpha,
    Complement,
    Density,
    Gaussian,
    MEstimate,
    Multinomial,
    Words,
)
from mercer.likelihoods.registry import read_fitted, read_unfitted
from mercer.state import Reader

KINDS = {
    "x": "numeric",
    "y": "numeric",
    "n": "numeric",
    "m": "numeric",
    "a": list("pqr"),
    "b": list("pqr"),
    "t": "text",
}
N_CLASSES = 3
LAW = settings(deadline=None, max_examples=40)

_positive = st.floats(0.1, 3)
smoothings = st.one_of(
    st.just("laplace"),
    _positive,
    st.builds(Alpha, _positive),
    st.builds(MEstimate, _positive, st.sampled_from(["uniform", "marginal"])),
)
column_smoothings = smoothings | st.builds(ColumnAlpha, st.tuples(_positive, _positive))
_cuts = st.sampled_from(["frequency", "width"])
_variances = st.sampled_from(["class", "pooled", "global"])
_bandwidths = st.floats(0.05, 5) | st.sampled_from(["silverman", "scott", "root"])
BY_NAME = {
    "gaussian": (st.builds(Gaussian, _variances, st.integers(0, 1), st.sampled_from([0.001, 0.1])), ["x", "y"]),
    "density": (st.builds(Density, _bandwidths), ["x", "y"]),
    "binned": (st.builds(Binned, st.integers(2, 5), _cuts, smoothings), ["x", "y"]),
    "categorical": (st.builds(Categorical, smoothings), ["a", "b"]),
    "codes": (st.builds(Codes, smoothings, st.none() | st.integers(1, 6) | st.just((5, 1))), ["n", "m"]),
    "bernoulli": (st.builds(Bernoulli, column_smoothings, st.floats(-1, 1)), ["x", "y"]),
    "multinomial": (st.builds(Multinomial, column_smoothings), ["n", "m"]),
    "complement": (st.builds(Complement, column_smoothings, st.booleans()), ["n", "m"]),
    "words": (st.builds(Words, smoothings), ["t"]),
}
likelihoods = st.sampled_from(sorted(BY_NAME)).flatmap(
    lambda name: st.tuples(BY_NAME[name][0], st.just(BY_NAME[name][1]))
)
weights = st.integers(0, 12).map(lambda quarters: quarters / 4)  # their sums have no rounding error


@st.composite
def samples(draw, weight=weights, min_rows=1):
    """A table with missing cells, a class and a weight for each row; at least one row weighs."""
    n = draw(st.integers(min_rows, 10))
    column = lambda cells: draw(st.lists(cells | st.none(), min_size=n, max_size=n))  # noqa: E731
    numbers, counts, levels = st.floats(-3, 3, width=32), st.integers(0, 4).map(float), st.sampled_from("pqr")
    texts = st.lists(st.sampled_from(["red", "green", "blue", "grey"]), max_size=4).map(" ".join)
    cells = {"x": column(numbers), "y": column(numbers), "n": column(counts), "m": column(counts)}
    cells |= {"a": column(levels), "b": column(levels), "t": column(texts)}
    classes = np.array(draw(st.lists(st.integers(0, N_CLASSES - 1), min_size=n, max_size=n)), dtype=np.int32)
    mass = np.array(draw(st.lists(weight, min_size=n, max_size=n).filter(any)), dtype=np.float64)
    return read_table(cells, kinds=KINDS), classes, mass


def _fitted(likelihood, names, table, classes, weight):
    columns = [table.schema[name] for name in names]
    fitted = likelihood.unfitted().reset(columns, N_CLASSES)
    fitted.update(table, classes, weight)
    return fitted


def _pieces(data, n_rows):
    """A random partition of the rows, its parts and the rows of each part in random order."""
    order = np.array(data.draw(st.permutations(range(n_rows))))
    cuts = sorted(data.draw(st.lists(st.integers(0, n_rows), max_size=3)))
    return np.split(order, cuts)


def _assert_same(found, expected, table):
    values = expected.column_log_prob(table)
    assert_allclose(found.column_log_prob(table), values, rtol=1e-8, atol=1e-8)
    summed = np.zeros((len(table), N_CLASSES))
    found.add_log_prob(table, summed)
    assert_allclose(summed, values.sum(axis=1), rtol=1e-8, atol=1e-8)


def test_every_likelihood_is_here():
    assert set(BY_NAME) == set(LIKELIHOODS)


@LAW
@given(likelihoods, samples(), st.data())
def test_merged_parts_are_the_whole(chosen, sample, data):
    likelihood, names = chosen
    table, classes, weight = sample
    whole = _fitted(likelihood, names, table, classes, weight)
    merged = likelihood.unfitted().reset(whole.columns, N_CLASSES)
    for rows in _pieces(data, len(table)):
        part = _fitted(likelihood, names, table.take(rows), classes[rows], weight[rows])
        merged.merge(part, range(N_CLASSES))
    _assert_same(merged, whole, table)


@LAW
@given(likelihoods, samples(), st.data())
def test_chunks_are_one_update(chosen, sample, data):
    likelihood, names = chosen
    table, classes, weight = sample
    chunked = likelihood.unfitted().reset([table.schema[name] for name in names], N_CLASSES)
    for rows in _pieces(data, len(table)):
        chunked.update(table.take(rows), classes[rows], weight[rows])
    _assert_same(chunked, _fitted(likelihood, names, table, classes, weight), table)


@LAW
@given(likelihoods, samples(weight=st.integers(0, 3)))
def test_a_whole_weight_is_that_many_rows(chosen, sample):
    likelihood, names = chosen
    table, classes, weight = sample
    rows = np.repeat(np.arange(len(table)), weight.astype(int))
    repeated = _fitted(likelihood, names, table.take(rows), classes[rows], None)
    _assert_same(_fitted(likelihood, names, table, classes, weight), repeated, table)


@LAW
@given(likelihoods, samples(), st.permutations(range(N_CLASSES)))
def test_classes_may_change_places(chosen, sample, order):
    likelihood, names = chosen
    table, classes, weight = sample
    whole = _fitted(likelihood, names, table, classes, weight)
    moved = likelihood.unfitted().reset(whole.columns, N_CLASSES)
    moved.merge(whole, order)
    assert_allclose(moved.column_log_prob(table)[:, :, order], whole.column_log_prob(table), rtol=1e-9, atol=1e-9)


@LAW
@given(likelihoods, samples(), samples())
def test_log_probabilities_are_finite_and_zero_where_missing(chosen, sample, others):
    likelihood, names = chosen
    table, classes, weight = sample
    rows = others[0]
    found = _fitted(likelihood, names, table, classes, weight).column_log_prob(rows)
    assert np.isfinite(found).all()
    for j, name in enumerate(names):
        assert not found[rows.missing(name), j].any()


def _assert_distribution(values, counts, smoothing):
    """Over all levels; over those of any class for the marginal m-estimate, which gives the others a little more."""
    marginal = isinstance(smoothing, MEstimate) and smoothing.p == "marginal" and counts.any()
    kept = counts.any(axis=1) if marginal else slice(None)
    assert_allclose(values[kept].sum(axis=0), 1, rtol=1e-9)


@LAW
@given(smoothings, st.sampled_from(["categorical", "bernoulli", "binned", "words"]), samples())
def test_probabilities_of_a_column_sum_to_one(smoothing, name, sample):
    table, classes, weight = sample
    fitted = _fitted(LIKELIHOODS[name](smoothing=smoothing), BY_NAME[name][1], table, classes, weight)
    for shown in fitted.tables():
        if len(shown.rows):  # a text column without any word has no vocabulary
            _assert_distribution(shown.values, shown.counts, smoothing)


@LAW
@given(smoothings, samples())
def test_shares_of_counts_sum_to_one(smoothing, sample):
    tables = _fitted(Multinomial(smoothing), ["n", "m"], *sample).tables()
    _assert_distribution(*(np.vstack([getattr(t, what) for t in tables]) for what in ("values", "counts")), smoothing)


@LAW
@given(likelihoods, samples())
def test_state_round_trip(chosen, sample):
    likelihood, names = chosen
    table, classes, weight = sample
    fitted = _fitted(likelihood, names, table, classes, weight)
    again = read_fitted(Reader(fitted.to_state()), table.schema, N_CLASSES)
    assert again == likelihood == read_unfitted(Reader(fitted.parameters_state()))
    assert_array_equal(again.column_log_prob(table), fitted.column_log_prob(table))


@pytest.mark.parametrize("name", sorted(BY_NAME))
@settings(deadline=None, max_examples=5)
@given(data=st.data())
def test_each_likelihood_learns_from_nothing(name, data):
    """Rows of no weight, as none: finite log probabilities that favour no class."""
    strategy, names = BY_NAME[name]
    table, classes, _ = data.draw(samples())
    fitted = _fitted(data.draw(strategy), names, table, classes, np.zeros(len(table)))
    found = fitted.column_log_prob(table)
    assert_allclose(found, np.broadcast_to(found[:, :, :1], found.shape), atol=1e-9)

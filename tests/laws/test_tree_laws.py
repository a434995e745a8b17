"""Laws of decision trees on random tables: weights, order of rows, units of columns, fully grown and pruned trees."""

import re

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer import DecisionTreeClassifier, DecisionTreeRegressor
from mercer.state import Reader

KINDS = {"x": "numeric", "y": "numeric", "a": "category", "b": ["low", "mid", "high"]}
OPTIONS = st.fixed_dictionaries(
    {
        "criterion": st.sampled_from(["gini", "entropy", "gain_ratio", "error"]),
        "nominal": st.sampled_from(["subset", "multiway"]),
        "set_penalty": st.sampled_from([0.0, 1.0]),
        "kinds": st.just(KINDS),
    }
)


@st.composite
def rows(draw, *, missing=False, distinct=False):
    """Two numeric columns, a category and an ordinal column, by name, and a class per row."""
    n = draw(st.integers(3, 24))
    absent = [None] if missing else []
    cells = {
        "x": st.integers(-3, 3).map(float) | st.sampled_from([0.5, *absent]),
        "y": st.floats(-2, 2, width=16),
        "a": st.sampled_from(["p", "q", "r", "s", *absent]),
        "b": st.sampled_from(["low", "mid", "high", *absent]),
    }
    row = st.tuples(*cells.values())
    found = draw(st.lists(row, min_size=n, max_size=n, unique=distinct))
    table = {name: list(column) for name, column in zip(cells, zip(*found, strict=True), strict=True)}
    assume(any(v is not None for v in table["x"]) and any(v is not None for v in table["a"]))
    return table, np.array(draw(st.lists(st.sampled_from(["in", "out", "over"]), min_size=n, max_size=n)))


def take(table, places):
    return {name: [column[i] for i in places] for name, column in table.items()}


def by_weight(text):
    """The text of a tree with the weight of its rows, where that differs, in place of their number."""
    return re.sub(r"\((\S+) rows?(?:, weight (\S+))?\)", lambda found: f"({found[2] or found[1]})", text)


@settings(deadline=None, max_examples=60)
@given(rows(), OPTIONS, st.data())
def test_a_row_of_weight_two_is_two_rows(sample, options, data):
    table, label = sample
    # C4.5 leaves columns with a level for every three rows, not weights, out of the average gain.
    assume((options["criterion"], options["nominal"]) != ("gain_ratio", "multiway"))
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(label), max_size=len(label))))
    weight[0] = 1  # weights have no unit: the smallest is one row
    repeated = np.repeat(np.arange(len(label)), weight)
    weighted = DecisionTreeClassifier(**options).fit(table, label, weight)
    copied = DecisionTreeClassifier(**options).fit(take(table, repeated), label[repeated])
    assert by_weight(weighted.to_text()) == by_weight(copied.to_text())
    assert_allclose(weighted.predict_proba(table), copied.predict_proba(table))


@settings(deadline=None, max_examples=60)
@given(rows(), OPTIONS, st.data())
def test_the_order_of_the_rows_does_not_matter(sample, options, data):
    table, label = sample
    order = np.array(data.draw(st.permutations(range(len(label)))))
    there = DecisionTreeClassifier(**options).fit(table, label)
    again = DecisionTreeClassifier(**options).fit(take(table, order), label[order])
    assert there.to_text() == again.to_text()


@settings(deadline=None, max_examples=60)
@given(rows(missing=True), OPTIONS, st.sampled_from([np.exp, np.cbrt, np.arctan, lambda v: 5 * v - 3]))
def test_an_increasing_function_of_a_column_keeps_the_partition(sample, options, increasing):
    table, label = sample
    x = np.array([np.nan if v is None else v for v in table["x"]])
    there = DecisionTreeClassifier(**options).fit(table, label)
    other = table | {"x": increasing(x)}
    again = DecisionTreeClassifier(**options).fit(other, label)
    assert_array_equal(there.apply(table), again.apply(other))
    assert_allclose(there.predict_proba(table), again.predict_proba(other))


@settings(deadline=None, max_examples=60)
@given(rows(distinct=True), OPTIONS)
def test_a_fully_grown_tree_tells_distinct_rows_apart(sample, options):
    table, label = sample
    assert_array_equal(DecisionTreeClassifier(**options).fit(table, label).predict(table), label)
    target = np.arange(len(label)) ** 2.0
    regression = DecisionTreeRegressor(nominal=options["nominal"], kinds=KINDS).fit(table, target)
    assert_allclose(regression.predict(table), target)


@settings(deadline=None, max_examples=60)
@given(rows(missing=True), OPTIONS)
def test_leaves_share_the_weight_and_a_larger_penalty_keeps_fewer(sample, options):
    table, label = sample
    sizes = []
    for alpha in (0.0, 0.01, 0.05, 0.2, 1.0):
        model = DecisionTreeClassifier(**options, ccp_alpha=alpha).fit(table, label)
        sizes.append(model.get_n_leaves())
        assert_allclose(sum(rule.weight for rule in model.rules()), len(label), rtol=0.01)  # parts below 1/1024 go
        assert_allclose(model.predict_proba(table).sum(axis=1), 1)
    assert sizes == sorted(sizes, reverse=True)


@settings(deadline=None, max_examples=60)
@given(rows(missing=True), OPTIONS, st.sampled_from([None, "cv", "pessimistic"]))
def test_parameters_and_state_round_trip(sample, options, prune):
    table, label = sample
    model = DecisionTreeClassifier(**options, prune=prune, min_samples_leaf=0.1, class_weight="balanced")
    model.fit(table, label)
    stored = DecisionTreeClassifier.from_state(Reader(model.to_state()))
    assert stored.get_params() == model.get_params()
    assert stored.to_text() == model.to_text()
    assert_array_equal(stored.predict_proba(table), model.predict_proba(table))

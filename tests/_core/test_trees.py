"""The native tree and its NumPy twin: same tests, same arrays, same answers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer._core import select
from mercer._core.reference.tree import grow as reference_tree
from mercer._core.reference.tree import shapley as reference_shapley
from mercer._core.reference.tree import walk as reference_walk
from mercer.solvers.tree.grow import CRITERIA, NUMBERS, Rules, Target
from mercer.solvers.tree.tree import MISSING, Columns

native = select.native
needs_native = pytest.mark.skipif(native is None, reason="nothing is compiled here, so there is no pair to compare")


MORE = [
    {}, {"splitter": "random"}, {"max_columns": 2}, {"shuffle": True}, {"max_leaves": 4},
    {"monotone": (1, -1, 0, 0, 1)},
]  # fmt: skip


def problem(seed, *, rows=60, classes=3, missing=0.15, weighted=False):
    rng = np.random.default_rng(seed)
    numbers = np.column_stack([rng.integers(0, 6, rows).astype(float), rng.normal(size=rows).round(2)])
    codes = np.column_stack([rng.integers(0, k, rows) for k in (2, 5, 4)]).astype(np.int32)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    codes[rng.random(codes.shape) < missing] = -1
    columns = Columns.of(numbers, codes, [2, 6, 4], [1, 1, 0])
    signal = np.nan_to_num(numbers[:, 0]) + 2 * (codes[:, 1] % 2) + rng.normal(size=rows)
    label = np.digitize(signal, np.quantile(signal, np.linspace(0, 1, classes + 1)[1:-1])).astype(np.int32)
    weight = rng.integers(0, 4, rows).astype(float) if weighted else None
    return columns, label, signal, weight


def both(columns, label, signal, weight, rules, classes):
    given_ = columns, target_of(rules, label, signal, weight, classes), rules.options()
    return native.grow_tree(*given_, 2), reference_tree.grow_tree(*given_)


def target_of(rules, label, signal, weight, classes):
    if rules.criterion in NUMBERS:
        return Target.of(np.abs(signal) if rules.criterion == "poisson" else signal, 0, weight)
    return Target.of(label, classes, weight)


def assert_same(a, b):
    assert sorted(a) == sorted(b)
    for name in a:
        assert a[name].dtype == b[name].dtype, name
        np.testing.assert_allclose(a[name], b[name], rtol=1e-9, atol=1e-9, err_msg=name)


@needs_native
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(CRITERIA),
    nominal=st.sampled_from(["subset", "multiway"]),
    missing=st.sampled_from(MISSING),
    rate=st.sampled_from([0.0, 0.2]),
    weighted=st.booleans(),
    classes=st.sampled_from([2, 3, 5]),
    leaf=st.sampled_from([1, 4]),
    bins=st.sampled_from([0, 4]),
    mdl=st.booleans(),
    penalty=st.sampled_from([0.0, 1.0]),
    more=st.sampled_from(MORE),
)
def test_native_and_twin_grow_the_same_tree(
    seed, criterion, nominal, missing, rate, weighted, classes, leaf, bins, mdl, penalty, more
):
    nominal = "subset" if missing == "surrogate" or "monotone" in more else nominal
    classes = 2 if "monotone" in more else classes
    rules = Rules(criterion, nominal, missing, 5, min_rows_leaf=leaf, max_bins=bins, mdl=mdl, set_penalty=penalty)
    rules = replace(rules, seed=seed, **more)
    columns, label, signal, weight = problem(seed, classes=classes, missing=rate, weighted=weighted)
    tree, twin = both(columns, label, signal, weight, rules, classes)
    assert_same(tree, twin)
    fresh, *_ = problem(seed + 1, missing=0.3)
    given_ = (fresh, MISSING.index(missing))
    np.testing.assert_allclose(
        native.tree_values(tree, *given_, 2),
        reference_walk.tree_values(tree, *given_),
        rtol=1e-12,
        atol=1e-12,
    )
    np.testing.assert_array_equal(native.tree_leaves(tree, *given_, 2), reference_walk.tree_leaves(tree, *given_))


@needs_native
@pytest.mark.parametrize("classes", [2, 8, 9])
@pytest.mark.parametrize("weights", ["none", "whole", "any"])
@pytest.mark.parametrize(("bins", "missing"), [(0, "learned"), (40, "learned"), (40, "surrogate")])
def test_drawn_cuts_of_long_tables_are_those_of_the_twin(classes, weights, bins, missing):
    # more rows of a class than a byte counts; one class more than there are bytes in a word
    columns, label, signal, weight = problem(classes, rows=1500, classes=classes, weighted=weights != "none")
    if weights == "any":
        weight = weight / 3 + np.random.default_rng(classes).random(len(weight))
    label[:600] = classes - 1
    for leaf, criterion in ((1, "gini"), (7, "gini"), (40, "squared_error")):
        rules = Rules(criterion, missing=missing, splitter="random", max_bins=bins, min_rows_leaf=leaf, seed=classes)
        assert_same(*both(columns, label, signal, weight, rules, classes))


@needs_native
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), slack=st.sampled_from([0.0, 0.1]))
def test_native_and_twin_prune_alike(seed, slack):
    columns, label, signal, _ = problem(seed, rows=40, missing=0.0)
    tree, _ = both(columns, label, signal, None, Rules(max_depth=4), 3)
    first, branches = tree["first"], tree["branches"]
    cost = tree["impurity"] * tree["weight"] / 40
    cut = native.cheaper_as_leaf(first, branches, cost, slack)
    np.testing.assert_array_equal(cut, reference_walk.cheaper_as_leaf(first, branches, cost, slack))
    np.testing.assert_array_equal(
        native.still_reached(first, branches, cut), reference_walk.still_reached(first, branches, cut)
    )
    alpha, gain, leaves, path = native.weakest_links(first, branches, cost)
    twin = reference_walk.weakest_links(first, branches, cost)
    np.testing.assert_allclose(alpha, twin[0], atol=1e-12)
    # Of nodes that collapse at one alpha either may come first, so the path is compared as (alpha, total) pairs.
    for ours, theirs in ((gain, twin[1]), (leaves, twin[2])):
        for a in np.unique(alpha[path == 1].round(9)):
            mine = ours[(path == 1) & (alpha.round(9) == a)].sum()
            other = theirs[(twin[3] == 1) & (twin[0].round(9) == a)].sum()
            assert mine == pytest.approx(other, abs=1e-9)


@needs_native
@pytest.mark.parametrize("jobs", [1, 3])
def test_large_tables_are_shared_among_threads_without_changing_the_tree(jobs):
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(9000, 3)).round(1)
    label = ((numbers[:, 0] > 0) ^ (numbers[:, 1] > 0.5) ^ (rng.random(9000) < 0.05)).astype(np.int32)
    columns = Columns.of(numbers)
    given_ = (columns, Target.of(label, 2, None), Rules(max_depth=4).options())
    assert_same(native.grow_tree(*given_, jobs), reference_tree.grow_tree(*given_))


@needs_native
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    criterion=st.sampled_from(CRITERIA),
    rate=st.sampled_from([0.0, 0.2]),
    more=st.sampled_from([{}, {"splitter": "random", "max_columns": 3}, {"max_leaves": 6, "nominal": "multiway"}]),
)
def test_native_and_twin_grow_the_same_tree_of_two_outputs(seed, criterion, rate, more):
    columns, label, signal, weight = problem(seed, missing=rate, weighted=bool(seed % 2))
    _, other, second, _ = problem(seed + 1, classes=4)
    rules = Rules(criterion, max_depth=4, seed=seed, **more)
    numbers, labels = np.abs(np.column_stack([signal, second + 9])), np.column_stack([label, other])
    target = Target.of(numbers, 0, weight) if criterion in NUMBERS else Target.of(labels, (3, 4), weight)
    given_ = columns, target, rules.options()
    assert_same(native.grow_tree(*given_, 2), reference_tree.grow_tree(*given_))


@needs_native
@pytest.mark.parametrize("numbers_alone", [False, True])
@pytest.mark.parametrize("missing", [0, 2])
def test_native_and_twin_forests_answer_alike(numbers_alone, missing):
    columns, label, signal, weight = problem(3, rows=90, weighted=True)
    if numbers_alone:
        columns = Columns.of(columns.numbers)
    rules = Rules(missing=MISSING[missing], max_columns=2)
    given_ = columns, target_of(rules, label, signal, weight, 3), rules.options()
    trees = native.grow_forest(*given_, None, np.arange(4, dtype=np.uint64), 2)
    codes = columns.codes.copy()
    codes[::7] = 5  # levels that are not in every node, or nowhere
    asked = replace(columns, codes=codes, numbers=columns.numbers + 0.3)
    expected = reference_walk.forest_values(reference_walk.held_forest(trees, columns, missing), asked)
    held = native.held_forest(trees, columns, missing, 2)
    few = replace(asked, codes=asked.codes[:1], numbers=asked.numbers[:1])
    np.testing.assert_allclose(native.forest_values(held, few, 1), expected[:1], atol=1e-12)  # not packed yet
    for n_jobs in (2, 1):
        np.testing.assert_allclose(native.forest_values(held, asked, n_jobs), expected, atol=1e-12)
    np.testing.assert_allclose(native.forest_values(held, few, 1), expected[:1], atol=1e-12)


@needs_native
@given(
    offset=st.sampled_from([0.0, 1.7e9, -1.7e9, 2.0**52, -(2.0**30)]),
    scale=st.sampled_from([1.0, 1e-3, 1e-310, 1e300]),
    seed=st.integers(0, 2**16),
    splitter=st.sampled_from(["best", "random"]),
)
@settings(max_examples=40, deadline=None)
def test_forests_tell_numbers_apart_that_differ_in_their_last_bits(offset, scale, seed, splitter):
    """Nodes keep 32 bits of a threshold; what those do not tell is looked up. Leaves are found by the whole number."""
    rng = np.random.default_rng(seed)
    numbers = offset + scale * rng.integers(-40, 40, size=(120, 3))
    numbers[rng.random(numbers.shape) < 0.1] = rng.choice([np.nan, -0.0, np.inf, -np.inf])
    codes = rng.integers(-1, 150, size=(120, 2)).astype(np.int32)
    columns = Columns.of(numbers, codes, [140, 150], [1, 0])  # some codes of the first are unseen
    rules = Rules(max_columns=2, splitter=splitter)
    trees = native.grow_forest(
        columns, target_of(rules, rng.integers(0, 3, 120).astype(np.int32), None, None, 3), rules.options(), None,
        np.arange(3, dtype=np.uint64), 2,
    )  # fmt: skip
    asked = replace(columns, numbers=np.nextafter(numbers, rng.choice([-np.inf, np.inf], numbers.shape)))
    for cells in (columns, asked):
        given_ = trees, cells, MISSING.index("learned"), 1
        found = native.forest_values(native.held_forest(*given_), cells, 2)
        expected = reference_walk.forest_values(reference_walk.held_forest(*given_), cells)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@needs_native  # the twin tries every cut, one after the other
def test_many_values_are_put_in_order():
    rng = np.random.default_rng(0)
    x = rng.permutation(9000).astype(float)  # more codes than one word of marks of marks tells
    y = (np.sin(x / 700) + rng.normal(size=9000) / 3 > 0).astype(int)
    theirs = DecisionTreeClassifier(max_depth=3).fit(x[:, None], y).tree_
    ours = mercer.DecisionTreeClassifier(max_depth=3).fit(x[:, None], y).tree_
    assert np.sort(ours.threshold).tolist() == np.sort(theirs.threshold).tolist()


def grown():
    columns, label, *_ = problem(5, missing=0.1)
    rules = Rules(missing="surrogate", max_depth=4)
    tree = reference_tree.grow_tree(columns, Target.of(label, 3, None), rules.options())
    return tree, columns


DAMAGE = {
    "child before its parent": ("first", 0, 0),
    "child outside": ("first", 0, 10_000),
    "too many branches": ("branches", 0, 2_000_000_000),
    "negative branches": ("branches", 0, -3),
    "column outside": ("column", 0, 99),
    "unknown kind": ("kind", 0, 7),
    "leaf with children": ("kind", 0, 0),
    "NaN threshold": ("threshold", 0, np.nan),
    "NaN answer": ("answer", 1, np.nan),
    "shares beyond 1": ("answer", 0, 14.0),
    "no rows": ("rows", 0, 0.0),
    "a branch without levels": ("branch", slice(None), 0),
    "missing cells to nowhere": ("missing_branch", 0, 2),
    "classes that do not fit": ("classes", 0, 4),
    "zero weight": ("weight", 0, 0.0),
    "levels overrun": ("level_start", -1, 1_000_000),
    "level outside": ("level", 0, 77),
    "branch outside": ("branch", 0, 5),
    "surrogates overrun": ("surrogate_start", 1, -4),
    "surrogate column outside": ("surrogate_column", 0, -2),
    "surrogate level outside": ("surrogate_level", 0, 1_000),
}


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), reference_walk], ids=["native", "twin"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_tree_is_refused(core, damage):
    tree, columns = grown()
    given_ = (columns, MISSING.index("surrogate"), 1)
    core.tree_values(tree, *given_)
    name, place, value = DAMAGE[damage]
    assert len(tree[name]), "the example must have what is damaged"
    tree[name] = tree[name].copy()
    tree[name][place] = value
    with pytest.raises(ValueError, match="Not a valid tree"):
        core.tree_values(tree, *given_)


@needs_native
def test_arrays_of_the_wrong_type_are_refused():
    tree, columns = grown()
    given_ = (columns, MISSING.index("surrogate"), 1)
    with pytest.raises(ValueError, match="'first' is absent"):
        native.tree_values(tree | {"first": tree["first"].astype(np.int64)}, *given_)
    with pytest.raises(ValueError, match="differ in length"):
        native.tree_values(tree | {"first": tree["first"][:-1]}, *given_)


@needs_native
@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
@pytest.mark.parametrize("drawn", [True, False])
def test_native_and_twin_grow_the_same_forest(criterion, drawn):
    columns, label, signal, _ = problem(3)
    rules = Rules(criterion, max_columns=2, shuffle=True)
    target = target_of(rules, label, signal, None, 3)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, (4, len(label))).astype(float) if drawn else None
    seeds = rng.integers(0, 2**31, 4).astype(np.uint64)
    given_ = columns, target, rules.options(), weights, seeds
    ours, twins = native.grow_forest(*given_, 3), reference_tree.grow_forest(*given_)
    for tree, twin in zip(ours, twins, strict=True):
        assert_same(tree, twin)
    alone = replace(target, weight=None if weights is None else weights[1])
    assert_same(ours[1], native.grow_tree(columns, alone, {**rules.options(), "seed": int(seeds[1])}, 1))
    answers = native.forest_values(native.held_forest(ours, columns, MISSING.index("learned"), 2), columns, 2)
    held = reference_walk.held_forest(twins, columns, MISSING.index("learned"))
    np.testing.assert_allclose(answers, reference_walk.forest_values(held, columns))


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), reference_tree])
def test_forest_weights_must_fit(core):
    columns, label, signal, _ = problem(3)
    rules = Rules("gini")
    target, seeds = target_of(rules, label, signal, None, 3), np.zeros(2, np.uint64)
    for weights in (np.ones((3, len(label))), np.zeros((2, len(label))), np.full((2, len(label)), -1.0)):
        with pytest.raises(ValueError, match="weight"):
            core.grow_forest(columns, target, rules.options(), weights, seeds, 1)


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), reference_walk])
def test_no_trees_are_no_forest(core):
    with pytest.raises(ValueError, match="at least one tree"):
        core.held_forest([], problem(3)[0], 2, 1)


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), reference_walk])
def test_a_held_forest_answers_rows_of_its_own_columns_alone(core):
    columns, label, signal, _ = problem(3)
    rules = Rules("gini")
    trees = reference_tree.grow_forest(
        columns, target_of(rules, label, signal, None, 3), rules.options(), None, np.zeros(2, np.uint64)
    )
    held = core.held_forest(trees, columns, MISSING.index("learned"), 1)
    others = [replace(columns, levels=columns.levels - 1), replace(columns, nominal=1 - columns.nominal)]
    for other in (*others, replace(columns, numbers=columns.numbers[:, 1:])):
        with pytest.raises(ValueError, match="not those of the forest"):
            core.forest_values(held, other, 1)


@needs_native
@given(seed=st.integers(0, 2**32 - 1), players=st.integers(1, 6))
@settings(max_examples=40)
def test_shapley_values_of_ways_equal_the_twin(seed, players):
    rng = np.random.default_rng(seed)
    n, rows = int(rng.integers(1, 40)), int(rng.integers(0, 4))
    parent = np.array([-1, *(rng.integers(max(0, i - 3), i) for i in range(1, n))], dtype=np.int32)
    share, row = rng.choice([0.0, 1e-4, 0.3, 0.7, 1.0], n), rng.choice([0.0, 0.5, 1.0], (rows, n))
    ends = np.setdiff1d(np.arange(n), parent).astype(np.int32)
    given_ = parent, rng.integers(0, players, n).astype(np.int32), share, row, ends, rng.normal(size=(len(ends), 2))
    output = rng.integers(0, 2, rows).astype(np.int32)
    base, values = native.way_shapley(*given_, output, players)
    expected_base, expected = reference_shapley.way_shapley(*given_, output, players)
    np.testing.assert_allclose(base, expected_base, atol=1e-12)
    np.testing.assert_allclose(values, expected, atol=1e-12)


@pytest.mark.parametrize("core", [pytest.param(native, marks=needs_native), reference_shapley])
@pytest.mark.parametrize("parent", [[0, 0], [-1, 1], [-1, -1]])
def test_ways_that_go_round_are_refused(core, parent):
    given_ = np.array(parent, np.int32), np.zeros(2, np.int32), np.ones(2), np.ones((1, 2)), np.ones(1, np.int32)
    with pytest.raises(ValueError, match="parents must come before"):
        core.way_shapley(*given_, np.ones((1, 1)), np.zeros(1, np.int32), 1)

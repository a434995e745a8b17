"""Trees against hand-worked figures, scikit-learn, and exhaustive search."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mercer._core import select
from mercer.solvers.tree.grow import Rules, grow
from mercer.solvers.tree.prune import prune_cost
from mercer.solvers.tree.tree import LEAF, MULTIWAY, SUBSET, THRESHOLD, BadTree, Columns, Tree

YES, NO = 0, 1
SINGLE, MARRIED, DIVORCED = range(3)
REFUND = [YES, NO, NO, YES, NO, NO, YES, NO, NO, NO]
MARITAL = [SINGLE, MARRIED, SINGLE, MARRIED, DIVORCED, MARRIED, DIVORCED, SINGLE, MARRIED, SINGLE]
INCOME = [125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90]
CHEAT = np.array([1, 1, 1, 1, 0, 1, 1, 0, 1, 0], np.int32)


def columns_of(*codes, numbers=None):
    return Columns.of(numbers, np.column_stack(codes).astype(np.int32) if codes else None)


def gain(tree, node=0):
    kids = slice(tree.first[node], tree.first[node] + tree.branches[node])
    return tree.impurity[node] - (tree.weight[kids] * tree.impurity[kids]).sum() / tree.weight[node]


@pytest.mark.parametrize(
    ("counts", "gini", "entropy", "error"),
    [((0, 6), 0, 0, 0), ((1, 5), 0.278, 0.650, 0.167), ((2, 4), 0.444, 0.918, 0.333), ((3, 3), 0.5, 1, 0.5)],
)
def test_impurities_by_hand(counts, gini, entropy, error):
    label = np.repeat([0, 1], counts).astype(np.int32)
    for criterion, expected in (("gini", gini), ("entropy", entropy), ("error", error)):
        root = grow(Columns.of(np.zeros((6, 1))), label, Rules(criterion), n_classes=2)
        assert len(root) == 1
        assert root.impurity[0] == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(
    ("column", "nominal", "gini", "entropy"),
    [
        (REFUND, "subset", 0.0771, 0.1916),
        (MARITAL, "multiway", 0.12, 0.2813),
        (MARITAL, "subset", 0.12, 0.2813),
    ],
)
def test_gains_of_the_tax_returns_by_hand(column, nominal, gini, entropy):
    for criterion, expected in (("gini", gini), ("entropy", entropy)):
        stump = grow(columns_of(column), CHEAT, Rules(criterion, nominal, max_depth=1), n_classes=2)
        assert gain(stump) == pytest.approx(expected, abs=5e-5)


def test_income_is_cut_between_95_and_100():
    stump = grow(columns_of(numbers=np.array(INCOME)[:, None]), CHEAT, Rules(max_depth=1), n_classes=2)
    assert stump.kind[0] == THRESHOLD
    assert stump.threshold[0] == 97.5
    assert stump.class_weights()[1:].tolist() == [[3, 3], [0, 4]]


def test_tax_returns_are_learned_without_error():
    columns = columns_of(REFUND, MARITAL, numbers=np.array(INCOME)[:, None])
    for rules in (Rules(), Rules("entropy", "multiway"), Rules("gain_ratio", "multiway"), Rules("error")):
        tree = grow(columns, CHEAT, rules, n_classes=2)
        assert (tree.values(columns).argmax(axis=1) == CHEAT).all()


def test_ten_rows_a_class_prefer_the_pure_test_and_the_ratio_rejects_the_key():
    label = np.repeat([0, 1], 10).astype(np.int32)
    own_car = np.repeat([0, 1, 0, 1], [6, 4, 4, 6])
    car = np.repeat([0, 1, 2, 1, 2], [1, 8, 1, 0, 10])
    student = np.arange(20)
    columns = columns_of(own_car, car, student)
    by_gain = grow(columns, label, Rules("entropy", "multiway", max_depth=1), n_classes=2)
    by_ratio = grow(columns, label, Rules("gain_ratio", "multiway", max_depth=1), n_classes=2)
    assert by_gain.column[0] == 2
    assert by_gain.branches[0] == 20
    assert by_ratio.column[0] == 1


def test_parity_needs_the_full_tree_and_gets_it():
    bits = np.array(list(product([0, 1], repeat=6)), np.int32)
    label = (bits.sum(axis=1) % 2).astype(np.int32)
    tree = grow(Columns.of(codes=bits), label, n_classes=2)
    assert tree.n_leaves == 64
    assert tree.depths().max() == 6
    assert (tree.values(Columns.of(codes=bits)).argmax(axis=1) == label).all()
    assert len(grow(Columns.of(codes=bits), label, Rules(min_gain=1e-6), n_classes=2)) == 1


def best_two_sets(codes, cost):
    """The least cost over every way to part the levels in two, by trying all of them."""
    levels = np.unique(codes)
    sides = (np.array([0, *rest]) for rest in product([0, 1], repeat=len(levels) - 1) if any(rest))
    return min(cost(side[np.searchsorted(levels, codes)]) for side in sides)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
@pytest.mark.parametrize("seed", range(4))
def test_two_sets_of_levels_are_the_best_for_two_classes(criterion, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 8, 80).astype(np.int32)
    label = (rng.random(80) < rng.random(8)[codes]).astype(np.int32)
    measure = {
        "gini": lambda p: 2 * p * (1 - p),
        "entropy": lambda p: 0 if p in (0, 1) else -(p * np.log2(p) + (1 - p) * np.log2(1 - p)),
        "error": lambda p: min(p, 1 - p),
    }[criterion]

    def cost(side):
        return sum((side == s).mean() * measure(label[side == s].mean()) for s in (0, 1))

    stump = grow(columns_of(codes), label, Rules(criterion, max_depth=1), n_classes=2)
    after = (stump.weight[1:] * stump.impurity[1:]).sum() / 80
    assert after == pytest.approx(best_two_sets(codes, cost), abs=1e-12)


def test_two_sets_of_levels_are_the_best_for_numbers_and_near_best_for_many_classes():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 7, 90).astype(np.int32)
    y = rng.normal(size=7)[codes] + rng.normal(size=90)
    stump = grow(columns_of(codes), y, Rules("squared_error", max_depth=1))
    after = (stump.weight[1:] * stump.impurity[1:]).sum()
    assert after == pytest.approx(
        best_two_sets(codes, lambda s: sum(((y[s == k] - y[s == k].mean()) ** 2).sum() for k in (0, 1)))
    )
    ratios = []
    for _ in range(20):
        label = np.array([rng.choice(4, p=p) for p in rng.dirichlet(np.ones(4), 7)[codes]]).astype(np.int32)

        def cost(side, label=label):
            shares = [np.bincount(label[side == s], minlength=4) / (side == s).sum() for s in (0, 1)]
            return sum((side == s).mean() * (1 - (shares[s] ** 2).sum()) for s in (0, 1))

        stump = grow(columns_of(codes), label, Rules(max_depth=1), n_classes=4)
        best = stump.impurity[0] - best_two_sets(codes, cost)
        ratios.append(gain(stump) / best)
    assert max(ratios) <= 1 + 1e-9
    assert np.mean(ratios) > 0.99


def test_ordinal_levels_keep_their_order():
    codes = np.array([0, 1, 2, 3, 4] * 10, np.int32)
    label = np.isin(codes, [0, 4]).astype(np.int32)
    tree = grow(Columns.of(codes=codes[:, None], nominal=[0]), label, n_classes=2)
    assert set(tree.kind[tree.kind != LEAF]) == {THRESHOLD}
    assert sorted(tree.threshold[tree.kind != LEAF]) == [0.5, 3.5]
    assert grow(Columns.of(codes=codes[:, None]), label, n_classes=2).kind[0] == SUBSET


# Leaves of 20 rows and more: in smaller nodes several columns gain the same, and scikit-learn then draws one at random.
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("rules", [{}, {"max_depth": 3}, {"min_rows_split": 80}, {"min_gain": 0.01}])
def test_the_tree_of_scikit_learn(criterion, rules):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 5)).astype(np.float32).astype(float)
    label = np.digitize(x[:, 0] + x[:, 1] ** 2 + 0.3 * rng.normal(size=400), [0.2, 1.5]).astype(np.int32)
    rules = {"min_rows_leaf": 20} | rules
    weight = rng.random(400) + 0.5
    names = {
        "max_depth": "max_depth",
        "min_rows_leaf": "min_samples_leaf",
        "min_rows_split": "min_samples_split",
    }
    names["min_gain"] = "min_impurity_decrease"
    rival = DecisionTreeClassifier(criterion=criterion, random_state=0, **{names[k]: v for k, v in rules.items()})
    rival.fit(x, label, weight)
    tree = grow(Columns.of(x), label, Rules(criterion, **rules), n_classes=3, weight=weight)
    assert len(tree) == rival.tree_.node_count
    inner = tree.kind != LEAF
    np.testing.assert_allclose(
        np.sort(tree.threshold[inner]), np.sort(rival.tree_.threshold[rival.tree_.feature >= 0]), rtol=1e-6
    )
    fresh = rng.normal(size=(200, 5)).astype(np.float32).astype(float)
    np.testing.assert_allclose(tree.values(Columns.of(fresh)), rival.predict_proba(fresh), atol=1e-12)


def test_the_regression_tree_of_scikit_learn():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 4)).astype(np.float32).astype(float)
    y = 1e6 + np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * rng.normal(size=300)
    rival = DecisionTreeRegressor(min_samples_leaf=10, random_state=0).fit(x, y)
    tree = grow(Columns.of(x), y, Rules("squared_error", min_rows_leaf=10))
    np.testing.assert_allclose(tree.values(Columns.of(x))[:, 0], rival.predict(x), rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), criterion=st.sampled_from(["gini", "entropy", "squared_error"]))
def test_a_weight_of_two_is_the_row_twice(seed, criterion):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 5, (40, 3)).astype(float)
    label = rng.integers(0, 2, 40).astype(np.int32)
    times = rng.integers(0, 3, 40)
    rules = Rules(criterion, max_depth=4)
    a = grow(Columns.of(numbers), label, rules, n_classes=2, weight=times.astype(float))
    b = grow(Columns.of(np.repeat(numbers, times, axis=0)), np.repeat(label, times), rules, n_classes=2)
    np.testing.assert_array_equal(a.column, b.column)
    np.testing.assert_allclose(a.values(Columns.of(numbers)), b.values(Columns.of(numbers)), atol=1e-9)


def test_a_missing_cell_takes_every_branch_in_proportion():
    x = np.array([[0.0], [0.0], [0.0], [1.0]])
    rules = Rules(missing="fraction", max_depth=1)
    tree = grow(Columns.of(x), np.array([0, 0, 0, 1], np.int32), rules, n_classes=2)
    assert tree.values(Columns.of([[np.nan]])).tolist() == [[0.75, 0.25]]
    trained = grow(Columns.of([*x, [np.nan]]), np.array([0, 0, 0, 1, 1], np.int32), rules, n_classes=2)
    np.testing.assert_allclose(trained.class_weights()[1:], [[3, 0.75], [0, 1.25]])


def test_a_surrogate_stands_in_for_a_missing_cell():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    x[:, 2] = -x[:, 0] + 0.01 * rng.normal(size=200)
    label = (x[:, 0] > 0).astype(np.int32)
    tree = grow(Columns.of(x), label, Rules(missing="surrogate"), n_classes=2)
    blind = np.where(np.arange(3) == tree.column[0], np.nan, x)
    assert (tree.values(Columns.of(blind)).argmax(axis=1) == label).mean() > 0.98
    other = replace(tree, missing="fraction")
    assert (other.values(Columns.of(blind)).argmax(axis=1) == label).mean() < 0.8


def test_a_level_that_never_reached_a_node_gets_its_default_class():
    columns = columns_of([0, 0, 0, 1, 1, 2])
    columns = Columns.of(codes=columns.codes, levels=[5])
    tree = grow(columns, np.array([0, 0, 0, 1, 1, 1], np.int32), Rules(nominal="multiway"), n_classes=2)
    assert tree.kind[0] == MULTIWAY
    unseen = Columns.of(codes=[[4], [5], [-1]], levels=[5])
    assert tree.values(unseen)[:2].tolist() == [[0.5, 0.5]] * 2
    np.testing.assert_allclose(replace(tree, missing="fraction").values(unseen)[2], [0.5, 0.5])
    assert tree.values(unseen)[2].tolist() == [1, 0]  # missing, and none was in training: to the branch with most rows


@pytest.mark.skipif(select.native is None, reason="the twin is too slow for thousands of nodes")
class TestLarge:
    def test_deeper_than_recursion_allows(self):
        n = 4000
        label = (np.arange(n) % 2).astype(np.int32)
        columns = Columns.of(np.arange(float(n))[:, None])
        tree = grow(columns, label, n_classes=2)
        assert tree.depths().max() > 1500
        assert (tree.values(columns).argmax(axis=1) == label).all()

    @pytest.mark.parametrize("nominal", ["subset", "multiway"])
    def test_five_thousand_levels(self, nominal):
        rng = np.random.default_rng(0)
        codes = np.concatenate([np.arange(5000), rng.integers(0, 5000, 15_000)]).astype(np.int32)
        label = (np.sin(codes) > 0.3).astype(np.int32)
        tree = grow(columns_of(codes), label, Rules(nominal=nominal), n_classes=2, n_jobs=2)
        assert tree.branches[0] == (2 if nominal == "subset" else 5000)
        assert (tree.values(columns_of(codes)).argmax(axis=1) == label).all()

    def test_a_chain_of_a_hundred_thousand_tests_answers_and_is_checked(self):
        n = 100_000
        columns = Columns.of([[0.0], [1.0], [n - 1.0], [float(n)]])
        tree = chain(n)
        assert tree.leaves(columns).tolist() == [1, 3, 2 * n - 1, 2 * n]
        assert prune_cost(tree, 1.0).n_leaves == 1
        assert Tree.from_arrays(tree.arrays(), columns).n_leaves == n + 1


def chain(depth):
    """A tree that cuts off x <= 0.5, then x <= 1.5, and so on."""
    n = 2 * depth + 1
    inner = np.zeros(n, bool)
    inner[0 : n - 2 : 2] = True
    blank, start = np.zeros(0, np.int32), np.zeros(n + 1, np.int64)
    number = np.arange(n)
    weight = (depth + 1 - number // 2).astype(float)
    weight[1::2] = 1
    return Tree(
        column=np.where(inner, 0, -1).astype(np.int32),
        kind=np.where(inner, THRESHOLD, LEAF).astype(np.uint8),
        threshold=np.where(inner, number / 2 + 0.5, -2.0),
        first=np.where(inner, number + 1, -1).astype(np.int32),
        branches=np.where(inner, 2, 0).astype(np.int32),
        missing_branch=np.full(n, -1, np.int32),
        level_start=start,
        level=blank,
        branch=blank,
        classes=np.array([2], np.int32),
        answer=np.full((n, 2), 0.5),
        rows=weight,
        weight=weight,
        impurity=np.where(inner, 0.5, 0.25),
        surrogate_start=start,
        surrogate_column=blank,
        surrogate_flip=np.zeros(0, np.uint8),
        surrogate_threshold=np.zeros(0),
        surrogate_level_start=np.zeros(1, np.int64),
        surrogate_level=blank,
        surrogate_side=blank,
    )


@pytest.mark.parametrize(
    "values",
    [
        [-np.inf, 0.0, np.inf],
        [-1e308, 1e308, 1.7e308],
        [0.0, 5e-324, 1e-323],
        [1.0, np.nextafter(1.0, 2), 2.0],
    ],
)
def test_thresholds_part_any_two_numbers(values):
    columns = Columns.of(np.array(values)[:, None])
    label = np.array([0, 1, 0], np.int32)
    tree = grow(columns, label, n_classes=2)
    assert (tree.values(columns).argmax(axis=1) == label).all()


@pytest.mark.parametrize(
    ("rules", "what"),
    [
        (Rules("ginny"), "criterion='ginny' is not one of"),
        (Rules(nominal="three"), "nominal='three'"),
        (Rules(nominal="multiway", missing="surrogate"), "two-way"),
        (Rules(max_depth=0), "max_depth=0"),
        (Rules(max_bins=1), "max_bins"),
        (Rules(min_rows_leaf=0), "min_rows_leaf"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules, what):
    with pytest.raises(BadTree, match=what):
        grow(Columns.of(np.zeros((3, 1))), np.array([0, 1, 0]), rules, n_classes=2)


def test_bad_data_are_refused():
    x = Columns.of(np.zeros((3, 1)))
    with pytest.raises(BadTree, match="class code out of range"):
        grow(x, np.array([0, 1, 2]), n_classes=2)
    with pytest.raises(BadTree, match="numbers must be finite"):
        grow(x, np.array([0, np.nan, 2]), Rules("squared_error"))
    with pytest.raises(BadTree, match="one entry per row"):
        grow(x, np.array([0, 1]), n_classes=2)
    with pytest.raises(BadTree, match="weight must"):
        grow(x, np.array([0, 1, 0]), n_classes=2, weight=np.array([1.0, -1, 1]))
    with pytest.raises(BadTree, match="positive"):
        grow(x, np.array([0, 1, 0]), n_classes=2, weight=np.zeros(3))
    with pytest.raises(BadTree, match="neither"):
        Columns.of()


def test_stored_arrays_come_back_as_the_same_tree_and_lacking_ones_are_named():
    columns = columns_of(REFUND, MARITAL, numbers=np.array(INCOME)[:, None])
    tree = grow(columns, CHEAT, n_classes=2)
    again = Tree.from_arrays(tree.arrays(), columns)
    np.testing.assert_array_equal(again.values(columns), tree.values(columns))
    with pytest.raises(BadTree, match="lacks threshold"):
        Tree.from_arrays({k: v for k, v in tree.arrays().items() if k != "threshold"}, columns)
    with pytest.raises(BadTree, match="does not suit its column"):
        Tree.from_arrays(tree.arrays(), columns_of([0]))

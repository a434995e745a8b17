"""Pruning against Quinlan's figures and scikit-learn's path."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mercer.solvers.tree.grow import Rules, grow
from mercer.solvers.tree.prune import added_errors, collapse, cost_path, prune_cost, prune_pessimistic
from mercer.solvers.tree.subtree_raising import Sample, impurity, prune_with_raising
from mercer.solvers.tree.tree import BadTree, Columns, Tree


@pytest.mark.parametrize(("rows", "errors", "rate"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)])
def test_upper_limits_of_quinlans_example(rows, errors, rate):
    expected = (errors + added_errors(np.array([rows]), np.array([errors]))[0]) / rows
    assert expected == pytest.approx(rate, abs=4e-3)


def noisy(seed, rows=300):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 4)).astype(np.float32).astype(float)
    label = ((x[:, 0] > 0) ^ (rng.random(rows) < 0.2)).astype(np.int32)
    return Columns.of(x), label


def test_noise_is_pruned_and_the_signal_stays():
    columns, label = noisy(0)
    full = grow(columns, label, Rules("gain_ratio", min_rows_leaf=2), n_classes=2)
    pruned = prune_pessimistic(full, 0.1)
    fresh, truth = noisy(1, 2000)
    score = [(t.values(fresh).argmax(axis=1) == truth).mean() for t in (full, pruned)]
    assert pruned.n_leaves < full.n_leaves / 2
    assert pruned.column[0] == 0
    assert score[1] > score[0]
    assert len(prune_pessimistic(full, 0.01)) < len(pruned) < len(prune_pessimistic(full)) < len(full)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_path_and_the_trees_of_scikit_learn(criterion):
    columns, label = noisy(2)
    weight = np.random.default_rng(0).random(len(label)) + 0.5  # without weights many columns gain the same
    settings = {"criterion": criterion, "min_samples_leaf": 8, "random_state": 0}
    theirs = DecisionTreeClassifier(**settings).cost_complexity_pruning_path(columns.numbers, label, weight)
    tree = grow(columns, label, Rules(criterion, min_rows_leaf=8), n_classes=2, weight=weight)
    ours = cost_path(tree)
    alphas = np.unique(theirs.ccp_alphas.round(10))
    np.testing.assert_allclose(np.unique(ours.alphas.round(10)), alphas, atol=1e-9)
    assert ours.impurities[-1] == pytest.approx(theirs.impurities[-1])
    assert ours.leaves[-1] == 1
    for alpha in (*(alphas[1:] + alphas[:-1]) / 2, alphas[-1] + 1):
        pruned = prune_cost(tree, float(alpha))
        rival = DecisionTreeClassifier(**settings, ccp_alpha=alpha).fit(columns.numbers, label, weight)
        assert pruned.n_leaves == rival.get_n_leaves()
        np.testing.assert_allclose(pruned.values(columns), rival.predict_proba(columns.numbers))


def test_collapsing_keeps_levels_and_surrogates_in_place():
    rng = np.random.default_rng(4)
    numbers = rng.normal(size=(400, 2))
    codes = rng.integers(0, 6, (400, 2)).astype(np.int32)
    label = ((numbers[:, 0] > 0) ^ (codes[:, 0] % 2 == 0)).astype(np.int32)
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    columns = Columns.of(numbers, codes)
    for rules in (Rules(missing="surrogate"), Rules(nominal="multiway")):
        tree = grow(columns, label, rules, n_classes=2)
        whole = collapse(tree, np.zeros(len(tree), np.uint8))
        for name, array in tree.arrays().items():
            np.testing.assert_array_equal(getattr(whole, name), array)
        pruned = prune_cost(tree, 0.004)
        assert 1 < len(pruned) < len(tree)
        again = type(tree).from_arrays(pruned.arrays(), columns, rules.missing)
        assert (again.values(columns).argmax(axis=1) == label).mean() > 0.8


def test_a_stump_of_one_node_stays():
    tree = grow(Columns.of(np.zeros((4, 1))), np.array([0, 1, 0, 0], np.int32), n_classes=2)
    assert len(prune_pessimistic(tree)) == len(prune_cost(tree, 1.0)) == 1
    assert cost_path(tree).alphas.tolist() == [0.0]


def test_what_cannot_be_pruned_is_said():
    columns, label = noisy(3)
    with pytest.raises(BadTree, match="regression"):
        prune_pessimistic(grow(columns, label, Rules("squared_error", max_depth=2)))
    tree = grow(columns, label, Rules(max_depth=2), n_classes=2)
    with pytest.raises(BadTree, match="alpha=-1"):
        prune_cost(tree, -1)
    with pytest.raises(BadTree, match="confidence=0"):
        prune_pessimistic(tree, 0)


def two_tests(stray):
    """u <= 0.5 parts 12 rows, which v <= 0.5 then tells apart without error, from 2 with the labels `stray`."""
    v = np.array([0.0] * 6 + [1.0] * 6 + [0.0, 1.0])
    u = np.array([0.0] * 12 + [1.0] * 2)
    label = np.array([0] * 6 + [1] * 6 + stray, np.int32)
    value = [np.bincount(label[rows], minlength=2) for rows in (range(14), range(12), [12, 13], range(6), range(6, 12))]
    nothing, ints = np.zeros(0), {"level", "branch", "surrogate_column", "surrogate_level", "surrogate_side"}
    arrays = {name: nothing.astype(np.int32) for name in ints}
    arrays |= {"surrogate_flip": nothing.astype(np.uint8), "surrogate_threshold": nothing}
    arrays |= {name: np.zeros(6, np.int64) for name in ("level_start", "surrogate_start")}
    arrays |= {"surrogate_level_start": np.zeros(1, np.int64)}
    arrays |= {name: np.array(cells, np.int32) for name, cells in {
        "column": [0, 1, -1, -1, -1], "first": [1, 3, -1, -1, -1], "branches": [2, 2, 0, 0, 0]}.items()}  # fmt: skip
    arrays |= {"kind": np.array([1, 1, 0, 0, 0], np.uint8), "threshold": np.array([0.5, 0.5, -2, -2, -2])}
    arrays |= {"classes": np.array([2], np.int32), "missing_branch": np.full(5, -1, np.int32)}
    weight = np.array([14.0, 12, 2, 6, 6])
    arrays |= {"answer": np.array(value) / weight[:, None], "weight": weight}
    arrays |= {"rows": arrays["weight"], "impurity": np.array([impurity(np.array(c, float), "entropy") for c in value])}
    columns = Columns.of(np.column_stack([u, v]))
    return Tree.from_arrays(arrays, columns), Sample(columns, label, np.ones(14), "entropy")


def test_the_largest_branch_is_raised_when_it_serves_all_rows():
    """e(tree) = 2 x 1.24 + e(1 of 2 wrong) = 4.27; raised, two leaves of 7: 2 x 7 (1 - 0.25^(1/7)) = 2.52; leaf 8.7."""
    tree, sample = two_tests([0, 1])
    assert len(prune_pessimistic(tree)) == 5  # a leaf in place of either test is worse
    raised = prune_with_raising(tree, sample)
    assert raised.column.tolist() == [1, -1, -1]
    assert raised.class_weights().tolist() == [[7, 7], [7, 0], [0, 7]]
    assert raised.weight.tolist() == raised.rows.tolist() == [14, 7, 7]
    assert raised.impurity.tolist() == [1, 0, 0]


def test_a_branch_that_does_not_serve_the_other_rows_stays_where_it_is():
    """The two others weigh 4 each and are of one class: raised, e(4 of 10 wrong) + e(10) = 6.9; e(tree) = 3.7."""
    tree, sample = two_tests([1, 1])
    sample = Sample(sample.columns, sample.label, np.where(np.arange(14) < 12, 1.0, 4.0), "entropy")
    assert prune_with_raising(tree, sample).column.tolist() == [0, 1, -1, -1, -1]


@pytest.mark.parametrize("rule", ["learned", "fraction"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_raised_trees_hold_the_rows_that_reach_them(missing, rule):
    rng = np.random.default_rng(4)
    numbers, codes = rng.normal(size=(400, 3)), rng.integers(0, 4, (400, 2)).astype(np.int32)
    label = ((numbers[:, 0] > 0) ^ (codes[:, 0] == 1) ^ (rng.random(400) < 0.2)).astype(np.int32)
    numbers[rng.random(numbers.shape) < missing] = np.nan
    columns = Columns.of(numbers, codes)
    full = grow(columns, label, Rules("gain_ratio", "multiway", rule, min_weight_leaf=2, mdl=True), n_classes=2)
    pruned = prune_with_raising(full, Sample(columns, label, np.ones(400), "gain_ratio"))
    assert pruned.n_leaves < len(prune_pessimistic(full)) <= len(full)
    Tree.from_arrays(pruned.arrays(), columns)  # sound
    np.testing.assert_allclose(pruned.class_weights()[pruned.branches == 0].sum(axis=0), np.bincount(label), rtol=1e-9)
    if not missing or rule == "learned":
        leaves = pruned.leaves(columns)
        for leaf in np.flatnonzero(pruned.branches == 0):
            np.testing.assert_allclose(pruned.class_weights()[leaf], np.bincount(label[leaves == leaf], minlength=2))


def test_impurities():
    assert impurity(np.array([2.0, 2.0]), "gain_ratio") == 1.0
    assert impurity(np.array([1.0, 3.0]), "error") == 0.25

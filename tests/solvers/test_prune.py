"""Pruning against Quinlan's figures and scikit-learn's path."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from mercer.solvers.prune import added_errors, collapse, cost_path, prune_cost, prune_pessimistic
from mercer.solvers.split import BadTree, Columns, Rules, grow


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
        again = type(tree).from_arrays(pruned.arrays(), columns)
        assert (again.values(columns, missing=rules.missing).argmax(axis=1) == label).mean() > 0.8


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

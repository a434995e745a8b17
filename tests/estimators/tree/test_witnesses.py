"""Trees against what is known: tables worked by hand, parity, depth beyond recursion, odd targets and levels."""

from __future__ import annotations

import sys
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.state import Reader

REFUND = ["yes", "no", "no", "yes", "no", "no", "yes", "no", "no", "no"]
MARITAL = ["S", "M", "S", "M", "D", "M", "D", "S", "M", "S"]
INCOME = np.array([125.0, 100, 70, 120, 95, 60, 220, 85, 75, 90])
CHEAT = np.array(["no", "no", "no", "no", "yes", "no", "no", "yes", "no", "yes"])


def gain(column, **options):
    """The decrease of impurity by the one test of a tree of depth 1, as its arrays say."""
    model = mercer.DecisionTreeClassifier(max_depth=1, **options).fit({"x": column}, CHEAT)
    tree = model.tree_
    assert len(tree) > 1
    return tree.impurity[0] - (tree.weight * tree.impurity)[1:].sum() / tree.weight[0]


@pytest.mark.parametrize(
    ("cut", "gini"),
    [(65, 0.400), (72, 0.375), (80, 0.343), (87, 0.417), (92, 0.400), (97, 0.300), (110, 0.343), (122, 0.375)],
)
def test_the_table_of_cuts_of_the_tax_returns(cut, gini):
    """Gini after each cut of the income of ten tax returns; before, 1 - 0.7^2 - 0.3^2 = 0.42."""
    side = np.where(cut >= INCOME, "low", "high")
    assert gain(side) == pytest.approx(0.42 - gini, abs=6e-4)


@pytest.mark.parametrize(
    ("criterion", "refund", "marital"),
    [
        ("gini", 0.42 - 12 / 35, 0.42 - 0.3),  # 7/10 (1 - (3/7)^2 - (4/7)^2); 4/10 1/2 + 0 + 2/10 1/2
        ("entropy", 0.1916, 0.2813),  # H(0.3) = 0.8813 less 0.7 H(3/7) = 0.6897; less 0.4 + 0.2 = 0.6
        ("error", 0.0, 0.0),  # three wrong before, three after: 3 of 7; 2 of 4 and 1 of 2
    ],
)
def test_gains_of_the_tax_returns(criterion, refund, marital):
    options = {"criterion": criterion, "nominal": "multiway"}
    assert gain(REFUND, **options) == pytest.approx(refund, abs=1e-4)
    assert gain(MARITAL, **options) == pytest.approx(marital, abs=1e-4)


def test_gain_and_gain_ratio_choose_differently():
    """Marital gains 0.2813 of 1.5219 bits of branching (0.185), refund 0.1916 of 0.8813 (0.217)."""
    frame = {"marital": MARITAL, "refund": REFUND}
    for criterion, first in (("entropy", "marital"), ("gain_ratio", "refund")):
        model = mercer.DecisionTreeClassifier(criterion=criterion, nominal="multiway", max_depth=1).fit(frame, CHEAT)
        assert all(rule.conditions[0].startswith(first) for rule in model.rules())


@pytest.mark.parametrize("as_category", [False, True])
def test_parity_needs_the_full_tree_and_gets_it(as_category):
    """No test gains anything before the last one, so a tree that asks for gain learns nothing: Hunt's must go on."""
    bits = np.array(list(product([0, 1], repeat=6)))
    odd = bits.sum(axis=1) % 2
    rows = pd.DataFrame(bits.astype(str) if as_category else bits.astype(float), columns=list("abcdef"))
    model = mercer.DecisionTreeClassifier().fit(rows, odd)
    assert (model.get_n_leaves(), model.get_depth()) == (64, 6)
    assert (model.predict(rows) == odd).all()
    assert mercer.DecisionTreeClassifier(min_impurity_decrease=1e-6).fit(rows, odd).get_n_leaves() == 1


def test_a_tree_deeper_than_recursion_allows():
    """Labels alternate and every row outweighs those before it, so each test splits off the last row alone."""
    n = sys.getrecursionlimit() + 200
    x, label = np.arange(float(n))[:, None], np.arange(n) % 2
    weight = 1.5 ** (np.arange(n) / 2 - n / 4)
    model = mercer.DecisionTreeClassifier().fit(x, label, weight)
    assert model.get_depth() == n - 1
    assert (model.predict(x) == label).all()
    copy = mercer.DecisionTreeClassifier.from_state(Reader(model.to_state()))
    assert (copy.predict(x) == label).all()
    assert len(model.explain(x[:1])[0].conditions) == n - 1
    assert len(model.rules()) == n
    assert model.to_text().count("\n") == 2 * n - 2
    ElementTree.fromstring(model.to_svg())
    for options in ({"prune": "pessimistic"}, {"ccp_alpha": 1e-6}):
        pruned = mercer.DecisionTreeClassifier(**options).fit(x, label, weight)
        assert 1 < pruned.get_n_leaves() < n


@pytest.mark.parametrize("classes", [2, 3])
def test_five_thousand_levels(classes):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, classes, 5000)
    code = np.tile(np.arange(5000), 3)
    model = mercer.DecisionTreeClassifier(kinds={"town": "category"})
    model.fit({"town": [f"t{k}" for k in code]}, kind[code])
    assert model.get_n_leaves() == classes
    assert (model.predict({"town": [f"t{k}" for k in range(5000)]}) == kind).all()
    np.testing.assert_allclose(model.predict_proba({"town": ["new"]}), [np.bincount(kind) / 5000])


@pytest.mark.parametrize("prune", [None, "cv"])
def test_a_constant_target_is_one_leaf(prune):
    rows = {"x": np.arange(20.0), "c": list("ab") * 10}
    numbers = mercer.DecisionTreeRegressor(prune=prune).fit(rows, np.full(20, 0.1))
    assert numbers.get_n_leaves() == 1
    np.testing.assert_allclose(numbers.predict(rows), 0.1, rtol=1e-15)
    classes = mercer.DecisionTreeClassifier(prune=prune).fit(rows, ["only"] * 20)
    assert classes.predict_proba(rows).tolist() == [[1.0]] * 20
    assert numbers.feature_importances_.tolist() == [0.0, 0.0]


def test_an_empty_leaf_answers_with_the_class_of_its_parent():
    """Level r never meets x > 0: there, a row with r gets the majority of the rows that do (q: 5 of 8)."""
    x = [*np.linspace(-2, -1, 12), *np.linspace(1, 2, 8)]
    c = list("pqr" * 4 + "qpqpqpqq")
    label = ["out" if a > 0 and b == "q" else "in" for a, b in zip(x, c, strict=True)]
    model = mercer.DecisionTreeClassifier(criterion="entropy", nominal="multiway").fit({"x": x, "c": c}, label)
    assert model.rules()[0].conditions == ("x <= 0",)
    answer = model.predict_proba({"x": [1.0], "c": ["r"]})
    np.testing.assert_allclose(answer, [[3 / 8, 5 / 8]])
    assert model.predict({"x": [1.0], "c": ["r"]}).tolist() == ["out"]

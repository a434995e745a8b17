"""The candidate splits of a node: gains of the textbook, and of stumps of scikit-learn."""

import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier
from tests.plot.tennis import NOMINAL, PLAY, TENNIS

import mercer
from mercer import plot
from mercer.estimators.tree.explanations.candidates import candidate_splits

X, Y = load_iris(return_X_y=True)


def test_the_gains_of_the_textbook():
    """Quinlan's fourteen days: 0.247, 0.152, 0.048 and 0.029 bits."""
    model = mercer.DecisionTreeClassifier(algorithm="id3", kinds=NOMINAL).fit(TENNIS, PLAY)
    splits = candidate_splits(model, TENNIS, PLAY)
    assert [s.column for s in splits] == ["outlook", "humidity", "wind", "temperature"]
    assert_allclose([s.gain for s in splits], [0.247, 0.152, 0.048, 0.029], atol=5e-4)
    assert splits[0].ratio == pytest.approx(0.156, abs=1e-3)
    assert [s.chosen for s in splits] == [True, False, False, False]
    assert splits[0].rows == (4.0, 5.0, 5.0)


def test_a_node_below_the_root_sees_its_rows_alone():
    model = mercer.DecisionTreeClassifier(algorithm="id3", kinds=NOMINAL).fit(TENNIS, PLAY)
    sunny = next(k for k in range(1, 4) if "sunny" in model._names.test(model.tree_, 0, k - 1))
    splits = candidate_splits(model, TENNIS, PLAY, node=sunny)
    assert splits[0].column == "humidity" and splits[0].gain == pytest.approx(0.971, abs=1e-3)
    assert sum(splits[0].rows) == 5


def test_the_gains_of_stumps_of_scikit_learn():
    model = mercer.DecisionTreeClassifier().fit(X, Y)
    for split in candidate_splits(model, X, Y):
        j = int(split.column[1])
        theirs = DecisionTreeClassifier(max_depth=1).fit(X[:, [j]], Y).tree_
        after = (theirs.weighted_n_node_samples[1:] @ theirs.impurity[1:]) / 150
        assert split.gain == pytest.approx(theirs.impurity[0] - after)
        assert split.tests[0] == f"x{j} <= {theirs.threshold[0]:.6g}"


def test_a_set_of_levels_has_a_price():
    """The tree takes another test than that of the largest gain, since one of many sets was picked."""
    model = mercer.DecisionTreeClassifier(criterion="entropy", kinds=NOMINAL).fit(TENNIS, PLAY)
    first, second = candidate_splits(model, TENNIS, PLAY)[:2]
    assert (first.column, first.chosen, second.column, second.chosen) == ("outlook", False, "humidity", True)


def test_ratios_where_the_tree_goes_by_them():
    model = mercer.DecisionTreeClassifier(algorithm="c4.5", kinds=NOMINAL).fit(TENNIS, PLAY)
    ax = plot.candidate_splits(model, TENNIS, PLAY)
    assert ax.get_xlabel() == "Gain ratio"


def test_a_column_without_a_test_gains_nothing():
    rows = {"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 1.0, 1.0, 1.0]}
    model = mercer.DecisionTreeRegressor(kinds={"b": "numeric"}).fit(rows, [1.0, 1.0, 2.0, 2.0])
    found = candidate_splits(model, rows, [1.0, 1.0, 2.0, 2.0])
    assert [(s.column, s.gain) for s in found][-1] == ("b", 0.0)
    assert "no test" in plot.candidate_splits(found).texts[0].get_text()

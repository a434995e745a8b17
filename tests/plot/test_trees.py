"""Trees drawn box by box; candidate splits with the gains that scikit-learn's stumps and the textbook have."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from tests.plot.tennis import NOMINAL, PLAY, TENNIS

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError
from mercer.estimators.tree.explanations.candidates import candidate_splits

X, Y = load_iris(return_X_y=True)


def test_a_box_per_node_with_its_test_answer_and_rows():
    model = mercer.DecisionTreeClassifier(max_depth=2).fit(X, Y)
    texts = [t.get_text() for t in plot.tree(model).texts]
    lines = model.to_text().splitlines()
    assert len(texts) == 3 * len(lines)
    for k, line in enumerate(lines):
        test, answer, rows = texts[3 * k : 3 * k + 3]
        assert line.lstrip("| ").startswith(f"{test}: {answer[0]}")
        assert f"({rows} rows)" in line


def test_bars_are_shares_of_the_classes():
    model = mercer.DecisionTreeClassifier(max_depth=1).fit(X, Y)
    bars = [p for p in plot.tree(model).patches if p.get_height() < 0.2]
    widths = np.array([bar.get_width() for bar in bars])
    assert_allclose(widths / widths[:3].sum(), [1 / 3, 1 / 3, 1 / 3, 1, 0.5, 0.5])
    assert len({bar.get_hatch() for bar in bars}) == 3


def test_boxes_do_not_overlap():
    model = mercer.DecisionTreeClassifier(random_state=0).fit(X, Y)
    boxes = [p.get_bbox() for p in plot.tree(model).patches if p.get_height() > 0.5]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_deeper_nodes_are_left_out_and_numbers_have_a_level():
    model = mercer.DecisionTreeRegressor(max_depth=3).fit(X[:, :3], X[:, 3])
    ax = plot.tree(model, max_depth=1)
    assert sum(p.get_height() > 0.5 for p in ax.patches) == 3
    assert any(p.get_linestyle() == "--" for p in ax.patches)


def test_a_tree_of_scikit_learn():
    ax = plt.figure(figsize=(4, 3)).subplots()
    assert plot.tree(DecisionTreeClassifier(max_depth=1).fit(X, Y), ax=ax) is ax
    assert any("samples = 150" in t.get_text() for t in ax.texts)


def test_bars_are_the_gains():
    model = mercer.DecisionTreeClassifier(criterion="entropy", set_penalty=0.0, kinds=NOMINAL).fit(TENNIS, PLAY)
    splits = candidate_splits(model, TENNIS, PLAY)
    for ax in (plot.candidate_splits(model, TENNIS, PLAY), plot.candidate_splits(splits)):
        assert_allclose([bar.get_width() for bar in ax.patches], [s.gain for s in splits])
        assert ax.get_yticklabels()[0].get_text() == f"{splits[0].column} (chosen)"
        assert ax.texts[-1].get_text().startswith(f"{splits[0].gain:.3g}")
    assert plot.candidate_splits(model, TENNIS, PLAY).get_xlabel() == "Information gain (bits)"


def test_notebooks_show_the_picture():
    model = mercer.DecisionTreeClassifier()
    assert model._repr_svg_() is None
    assert model.fit(X, Y)._repr_svg_().startswith("<svg")


def test_bad_input():
    model = mercer.DecisionTreeClassifier().fit(X, Y)
    with pytest.raises(MercerError, match="no decision tree"):
        plot.tree(mercer.NaiveBayes())
    with pytest.raises(NotFittedError):
        plot.tree(mercer.DecisionTreeClassifier())
    with pytest.raises(MercerError, match="training rows"):
        plot.candidate_splits(model)
    with pytest.raises(BadTable, match="no node 99"):
        plot.candidate_splits(model, X, Y, node=99)
    with pytest.raises(MercerError, match="no decision tree of mercer"):
        plot.candidate_splits(DecisionTreeClassifier().fit(X, Y), X, Y)

"""Neighbours are those that scikit-learn finds; the path of a perceptron is that of pencil and paper."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError

X, Y = load_iris(return_X_y=True)


def circled(ax):
    return next(c for c in ax.collections if not len(c.get_facecolors()) and len(c.get_offsets())).get_offsets()


@pytest.mark.parametrize("kind", [KNeighborsClassifier, mercer.KNeighborsClassifier])
def test_a_training_row_has_others_as_neighbours(kind):
    ax = plot.neighbours(kind(4).fit(X, Y), X, Y, 70, [2, 3])
    distances, places = NearestNeighbors().fit(X).kneighbors(X[[70]], 5)
    assert_allclose(circled(ax), X[places[0, 1:]][:, [2, 3]])
    assert f"distance {distances[0, 1]:.3g} to {distances[0, 4]:.3g}" in [t.get_text() for t in ax.texts]
    assert [t.get_text() for t in ax.texts[:4]] == ["1", "2", "3", "4"]


def test_a_new_row():
    model = mercer.KNeighborsClassifier(3).fit(X, Y)
    ax = plot.neighbours(model, X, Y, 1, [0, 1], queries=X[:2] + 0.01, k=2)
    star = next(c for c in ax.collections if c.get_label() == "the row")
    assert_allclose(star.get_offsets()[0], X[1, :2] + 0.01)
    assert_allclose(circled(ax)[0], X[1, :2])


def test_numbers_are_averaged():
    ax = plot.neighbours(mercer.KNeighborsRegressor(3).fit(X[:, :2], X[:, 2]), X[:, :2], X[:, 2], 5)
    assert "mean" in ax.get_title(loc="left")


def test_levels_on_an_axis():
    rows = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "city": ["Rome", "Oslo", "Rome", "Bern"]})
    model = mercer.KNeighborsClassifier(1).fit(rows, ["a", "a", "b", "b"])
    new = pd.DataFrame({"size": [3.9], "city": ["Bern"]})
    ax = plot.neighbours(model, rows, ["a", "a", "b", "b"], 0, queries=new)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Bern", "Oslo", "Rome"]
    star = next(c for c in ax.collections if c.get_label() == "the row")
    assert_allclose(star.get_offsets()[0], [3.9, 0.0])


def test_a_row_that_cannot_be_placed_says_so():
    rows = pd.DataFrame({"size": [1.0, np.nan, 3.0, 4.0], "age": [1.0, 2.0, 3.0, 4.0]})
    ax = plot.neighbours(mercer.KNeighborsClassifier(1).fit(rows, list("aabb")), rows, list("aabb"), 1)
    assert ax.texts[-1].get_text().endswith("size is missing")


def test_bad_neighbours():
    model = mercer.KNeighborsClassifier(3).fit(X, Y)
    with pytest.raises(MercerError, match="has no neighbours"):
        plot.neighbours(mercer.NaiveBayes().fit(X, Y), X, Y, 0, [0, 1])
    with pytest.raises(BadTable, match="no row 150"):
        plot.neighbours(model, X, Y, 150, [0, 1])
    with pytest.raises(MercerError, match="training rows"):
        plot.neighbours(model, X[:20], Y[:20], 0, [0, 1], queries=X[100:])
    with pytest.raises(NotFittedError):
        plot.neighbours(mercer.KNeighborsClassifier(3), X, Y, 0, [0, 1])
    with pytest.raises(MercerError, match="name two columns"):
        plot.neighbours(model, X, Y)


def by_hand(rows, side):
    """(b, w) after each mistake."""
    found, position = [np.zeros(rows.shape[1] + 1)], np.zeros(rows.shape[1] + 1)
    extended = np.column_stack([np.ones(len(rows)), rows])
    moved = True
    while moved:
        moved = False
        for x, s in zip(extended, side, strict=True):
            if s * (position @ x) <= 0:
                position, moved = position + s * x, True
                found.append(position)
    return np.array(found)


def test_the_path_is_that_of_pencil_and_paper():
    rows, side = X[:100, [0, 2]], np.where(Y[:100] == 1, 1, -1)
    path = by_hand(rows, side)
    ax = plot.perceptron_path(mercer.Perceptron(shuffle=False, tol=None, max_iter=60), rows, Y[:100], view="weights")
    for k, line in enumerate(ax.lines):
        assert_allclose(line.get_ydata(), path[:, k])
    assert f"{len(path) - 1} mistakes" in ax.get_title(loc="left")
    theirs = TheirPerceptron(shuffle=False, tol=None, max_iter=60).fit(rows, Y[:100])
    assert_allclose(path[-1, 1:], theirs.coef_[0])


def test_the_last_boundary_is_that_of_the_model():
    rows = X[:100, [0, 2]]
    model = mercer.Perceptron(shuffle=False, tol=None, max_iter=60).fit(rows, Y[:100])
    ax = plot.perceptron_path(model, rows, Y[:100])
    last = next(line for line in ax.lines if "after mistake" in str(line.get_label()))
    assert_allclose(last.get_xydata() @ model.coef_[0] + model.intercept_[0], 0, atol=1e-9)


def test_more_columns_show_weights_and_levels_are_terms():
    rows = {"size": [1.0, 2.0, 3.0, 4.0], "city": ["Rome", "Oslo", "Rome", "Bern"]}
    ax = plot.perceptron_path(mercer.Perceptron(), rows, ["a", "a", "b", "b"])
    assert ax.get_ylabel() == "Weight"
    assert "intercept" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_more_mistakes_than_are_kept_are_said():
    rng = np.random.default_rng(0)
    rows, side = rng.normal(size=(500, 2)), rng.integers(0, 2, 500)
    ax = plot.perceptron_path(mercer.Perceptron(tol=None, max_iter=20), rows, side, view="weights")
    assert "longest-lived" in ax.get_title(loc="left")


def test_bad_paths():
    with pytest.raises(MercerError, match="Perceptron of sklearn keeps no path of mistakes"):
        plot.perceptron_path(TheirPerceptron(), X, Y)
    with pytest.raises(MercerError, match="3 classes"):
        plot.perceptron_path(mercer.Perceptron(), X, Y)
    with pytest.raises(MercerError, match="two columns of numbers"):
        plot.perceptron_path(mercer.Perceptron(), X[:100], Y[:100], view="boundary")

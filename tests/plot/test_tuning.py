"""Surfaces show the means of the search, curves the means and deviations of the folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.model_selection import learning_curve

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError

X, Y = load_iris(return_X_y=True)
GRID = mercer.Grid(C=[0.1, 1, 10], gamma=[0.01, 0.1, 1, 10])
SEARCHED = mercer.SVC(C="cv", gamma="cv", grid=GRID).fit(X, Y)


def marked(ax, name):
    return next(line for line in ax.lines if line.get_label() == name).get_xydata()[0]


@pytest.mark.parametrize("source", [SEARCHED, SEARCHED.tuning_])
def test_the_surface_holds_every_mean(source):
    ax, found = plot.tuning_surface(source), SEARCHED.tuning_
    assert_allclose(np.ma.filled(ax.collections[0].get_array(), np.nan), found.mean)
    assert_allclose(marked(ax, "best"), [found.best.C, found.best.gamma])
    simple = found.one_se_params
    assert_allclose(marked(ax, "simplest within one standard error"), [simple["C"], simple["gamma"]])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert sorted(float(t.get_text()) for t in ax.texts) == sorted(np.round(found.mean, 3).ravel().tolist())


def test_one_parameter_is_a_line_with_standard_errors():
    model = mercer.SVC(C="cv", grid=mercer.Grid(C=[0.1, 1, 10])).fit(X, Y)
    ax, found = plot.tuning_surface(model), model.tuning_
    points, _, (bars,) = ax.containers[0].lines
    assert_allclose(points.get_xydata(), np.column_stack([[0.1, 1, 10], found.mean[0]]))
    ends = np.array([s[:, 1] for s in bars.get_segments()])
    assert_allclose(ends[:, 1] - found.mean[0], found.standard_error[0])


def test_three_parameters_show_the_best_of_the_third():
    grid = mercer.Grid(C=[0.1, 1], gamma=[0.1, 1], epsilon=[0.01, 0.3])
    model = mercer.SVR(C="cv", gamma="cv", epsilon="cv", grid=grid).fit(X[:, :3], X[:, 3])
    drawn = np.ma.filled(plot.tuning_surface(model).collections[0].get_array(), np.nan)
    assert_allclose(drawn, np.nanmax(model.tuning_.mean, axis=1))


def test_nothing_searched():
    with pytest.raises(MercerError, match="holds no search"):
        plot.tuning_surface(mercer.SVC().fit(X, Y))


def test_learning_curves_are_means_and_deviations():
    sizes, training, test = learning_curve(
        mercer.NaiveBayes(), X, Y, cv=3, train_sizes=[0.4, 1.0], shuffle=True, random_state=0
    )
    ax = plot.learning_curve(sizes, training, test, score="Accuracy")
    assert_allclose(ax.lines[0].get_xydata(), np.column_stack([sizes, training.mean(axis=1)]))
    assert_allclose(ax.lines[1].get_ydata(), test.mean(axis=1))
    area = ax.collections[1].get_paths()[0].vertices[:, 1]
    assert area.max() == pytest.approx((test.mean(axis=1) + test.std(axis=1, ddof=1)).max())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Training rows", "Accuracy")


def test_validation_curves_of_names():
    ax = plot.validation_curve(["gini", "entropy"], [0.9, 0.8], [0.7, 0.75], parameter="criterion")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["gini", "entropy"]
    with pytest.raises(BadTable, match="2 values, but scores of the test rows for 1"):
        plot.validation_curve([1, 2], [0.9, 0.8], [0.7])
    with pytest.raises(MercerError, match="Give the scores"):
        plot.validation_curve([1, 2])


def test_results_are_drawn_with_their_intervals():
    found = mercer.learning_curve(mercer.NaiveBayes(), X, Y, sizes=[30, 100], cv=3)
    ax = plot.learning_curve(found)
    assert_allclose(ax.lines[1].get_xydata(), np.column_stack([[30, 100], [s.value for s in found.test]]))
    area = ax.collections[1].get_paths()[0].vertices[:, 1]
    assert area.min() == pytest.approx(min(s.low for s in found.test))
    assert ax.get_ylabel() == found.metric.title
    tried = mercer.validation_curve(mercer.DecisionTreeClassifier(), X, Y, "max_depth", [1, 30], cv=3)
    ax = plot.validation_curve(tried)
    assert_allclose(ax.lines[0].get_ydata(), [s.value for s in tried.train])
    assert (ax.get_xlabel(), ax.get_xscale()) == ("max_depth", "log")

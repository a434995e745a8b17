"""Partial dependence as scikit-learn draws it; importances and explanations bar by bar."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose
from sklearn.inspection import PartialDependenceDisplay
from sklearn.linear_model import LinearRegression, LogisticRegression

import mercer
from mercer import plot
from mercer.errors import BadColumn, BadTable, MercerError

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 2))
TARGET = X[:, 0] ** 2 + X[:, 1]
MODEL = mercer.SVR().fit(X, TARGET)
ROWS = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, 60).astype(float),
        "job": RNG.choice(["clerk", "pilot", "sales"], 60),
        "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, 60), unit="D"),
    }
)
PAY = 10 * ROWS["age"] + (ROWS["job"] == "pilot") * 50


def test_the_lines_of_scikit_learn():
    ax = plot.partial_dependence(MODEL, X, 0)
    values = np.array(mercer.partial_dependence(MODEL, X, 0).values)
    theirs = PartialDependenceDisplay.from_estimator(
        MODEL, X, [0], kind="both", custom_values={0: values}, subsample=60
    )
    drawn = next(line for line in ax.lines if line.get_label() == "average")
    assert_allclose(drawn.get_xdata(), values)
    assert_allclose(drawn.get_ydata(), theirs.pd_results[0]["average"][0])
    single = np.array(
        [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == 20 and line.get_linewidth() < 1]
    )
    every = theirs.pd_results[0]["individual"][0]
    assert len(single) == 50
    assert all(np.isclose(every, one).all(axis=1).any() for one in single)


def test_a_result_is_drawn_as_it_is():
    found = mercer.partial_dependence(MODEL, X, 1, n_lines=0)
    ax = plot.partial_dependence(found)
    assert_allclose(ax.lines[-1].get_ydata(), found.lines[0].average)
    area = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (area.min(), area.max()) == pytest.approx((min(found.lines[0].low), max(found.lines[0].high)))


def test_levels_are_points_with_intervals():
    model = mercer.LinearRegression().fit(ROWS, PAY)
    found = mercer.partial_dependence(model, ROWS, "job")
    ax = plot.partial_dependence(model, ROWS, "job")
    points, _, (bars,) = ax.containers[0].lines
    assert_allclose(points.get_xydata()[:, 1], found.lines[0].average)
    assert_allclose([s[:, 1] for s in bars.get_segments()], np.column_stack([found.lines[0].low, found.lines[0].high]))
    assert [t.get_text() for t in ax.get_xticklabels()] == found.values


def test_dates_are_named_as_dates():
    ax = plot.partial_dependence(mercer.LinearRegression().fit(ROWS, PAY), ROWS, "since")
    named = [np.datetime64(tick.get_text(), "D").astype(float) for tick in ax.get_xticklabels()]
    assert_allclose(named, ax.get_xticks())
    assert len(named) >= 2


def test_several_classes_have_a_line_each():
    model = LogisticRegression().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    lines = [line for line in plot.partial_dependence(model, X, 0).lines if str(line.get_label()).startswith("class")]
    assert_allclose(np.sum([line.get_ydata() for line in lines], axis=0), 1)
    assert len({line.get_linestyle() for line in lines}) == 3


def test_importances_are_bars_with_intervals():
    model = LinearRegression().fit(X, TARGET)
    found = mercer.permutation_importance(model, X, TARGET, random_state=0)
    for ax in (plot.importances(found), plot.importances(model, X, TARGET), plot.importances(list(found.columns))):
        assert sorted(bar.get_width() for bar in ax.patches) == sorted(c.mean for c in found.columns)
        assert [t.get_text() for t in ax.get_yticklabels()] == [c.column for c in found.columns]
        segments = ax.containers[-1].lines[2][0].get_segments()
        assert_allclose([s[:, 0] for s in segments], [[c.low, c.high] for c in found.columns])
    assert len(plot.importances(found, most=1).patches) == 1


def test_the_bars_of_a_row_add_up():
    rows = {"leaf": ["red", "red", "green"] * 3, "rain": ["no", "yes", "yes"] * 3, "sky": list("abcabdabe")}
    model = mercer.NaiveBayes().fit(rows, ["play", "play", "stay"] * 3)
    explained = model.explain(rows)
    for most in (12, 1):
        ax = plot.explanation(explained, 2, most=most)
        base = np.log(model.class_prior_[1] / model.class_prior_[0])
        assert base + sum(bar.get_width() for bar in ax.patches) == pytest.approx(explained.total[2])
    assert ax.get_yticklabels()[1].get_text() == "2 other columns"
    assert "stay against play" in ax.get_title(loc="left")
    assert ax.texts[0].get_text().startswith("+")


def test_for_and_against_differ_without_colour():
    rows = {"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "u"]}
    explained = mercer.NaiveBayes().fit(rows, ["n", "n", "p", "p"]).explain(rows)
    row = int(np.flatnonzero((explained.values > 0).any(axis=1) & (explained.values < 0).any(axis=1))[0])
    assert len({bar.get_hatch() for bar in plot.explanation(explained, row).patches}) == 2


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: plot.partial_dependence(MODEL, X, 0, ax=ax),
        lambda ax: plot.importances(MODEL, X, TARGET, ax=ax),
    ],
)
def test_axes_given_are_drawn_on_and_named(draw):
    ax = plt.figure(figsize=(3, 3)).subplots()
    assert draw(ax) is ax
    assert ax.get_title(loc="left") and ax.get_xlabel()


def test_bad_input():
    with pytest.raises(BadColumn, match="position 5"):
        plot.partial_dependence(MODEL, X, 5)
    with pytest.raises(MercerError, match="rows and a column"):
        plot.partial_dependence(MODEL, X)
    with pytest.raises(MercerError, match="is no Explanation"):
        plot.explanation(MODEL)
    with pytest.raises(BadTable, match="no row 9"):
        plot.explanation(mercer.NaiveBayes().fit({"a": ["x", "y"]}, ["n", "p"]).explain({"a": ["x", "y"]}), 9)
    with pytest.raises(MercerError, match="needs rows"):
        plot.importances(MODEL)

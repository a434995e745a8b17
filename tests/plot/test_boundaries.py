"""Regions are the model's own predictions at the points of the grid, margins its decisions, tubes its epsilon."""

import itertools
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from numpy.testing import assert_allclose
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, NuSVR
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer import plot
from mercer.errors import BadColumn, MercerError
from mercer.plot.grid import Grid

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 70, 61),
        "city": RNG.choice(["Oslo", "Rome", "Bern"], 61, p=[0.5, 0.3, 0.2]),
        "pay": RNG.normal(50, 9, 61),
        "sex": RNG.choice(["f", "m"], 61),
    }
)
Y = np.where((FRAME["age"] > 45) ^ (FRAME["city"] == "Rome"), "yes", "no")
TWO = RNG.normal(size=(60, 2))
SIDE = np.where(TWO[:, 0] + TWO[:, 1] > 0, "b", "a")


@pytest.mark.parametrize("container", [lambda f: f, pl.from_pandas, lambda f: f.to_dict("list"), mercer.read_table])
def test_grid_rows_hold_steps_levels_medians_and_modes(container):
    rows = container(FRAME)
    model = mercer.DecisionTreeClassifier().fit(rows, Y)
    grid = Grid.of(model, rows, ["age", "city"], 2, 7)
    made = grid.points()
    across, up = grid.axes
    assert up.column.levels == ("Bern", "Oslo", "Rome")
    assert_allclose(made["age"], np.repeat(across.steps, 3))
    assert list(made["city"]) == ["Bern", "Oslo", "Rome"] * 7
    assert_allclose(made["pay"], np.full(21, np.median(FRAME["pay"])))
    assert set(made["sex"]) == {FRAME["sex"].mode()[0]}
    assert (across.steps[0], across.steps[-1]) == pytest.approx((20 - 0.06 * 49, 69 + 0.06 * 49), abs=0.2)


def dated():
    """Paid in June, and of an amount above 5."""
    rng = np.random.default_rng(1)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 700, 300), unit="D")
    rows = pd.DataFrame({"day": day, "sum": rng.uniform(0, 10, 300)})
    return rows, np.where((day.month == 6) | (rows["sum"] > 5), "yes", "no")


@pytest.mark.parametrize("columns", [None, ["day", "sum"]])
def test_a_date_goes_through_the_grid_with_its_parts(columns):
    rows, paid = dated()
    model = mercer.DecisionTreeClassifier().fit(rows, paid)
    grid = Grid.of(model, rows, columns, 2, 60)
    made, (across, up) = grid.points(), grid.axes
    days = across.steps.astype(int).astype("datetime64[D]")
    asked = pd.DataFrame({"day": np.repeat(days, 60), "sum": np.tile(up.steps, 60)})
    assert np.array_equal(model.predict(made), model.predict(asked))
    assert (model.predict(made).reshape(60, 60)[:, 10] == "yes").any()
    assert grid.fixed == ""
    assert Grid.of(model, rows, ["day"], 1, 9).fixed == "1 other column at median or most frequent level"


@pytest.mark.parametrize(
    ("days", "pattern"), [(1500, r"\d{4}"), (90, r"\d{4}-\d\d"), (2, r"\d{4}-\d\d-\d\d \d\d:\d\d")]
)
def test_dates_on_an_axis_have_room(days, pattern):
    moments = pd.Timestamp("2021-01-05") + pd.to_timedelta(np.linspace(0, days, 80), unit="D")
    rows = pd.DataFrame({"day": moments, "left": moments[::-1]})
    ax = plot.decision_regions(mercer.DecisionTreeClassifier().fit(rows, ["a"] * 40 + ["b"] * 40), rows)
    ax.figure.canvas.draw()
    labels = [tick for tick in ax.get_xticklabels() if re.fullmatch(pattern, tick.get_text())]
    boxes = [label.get_window_extent() for label in labels]
    assert len(labels) >= 2
    assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


def test_a_date_that_is_not_on_an_axis_has_the_parts_of_its_median():
    rows, paid = dated()
    model = mercer.DecisionTreeClassifier().fit(rows, paid)
    made = Grid.of(model, rows, ["sum"], 1, 9).points()
    middle = np.datetime64(int(made["day"][0]), "D")
    assert middle == rows["day"].quantile(interpolation="lower").to_datetime64()
    assert set(made["day (month)"]) == {middle.astype(object).strftime("%B")}
    named = Grid.of(model, rows, ["day (month)", "day"], 2, 9)
    assert sorted(set(named.points()["day (month)"])) == sorted(named.axes[0].column.levels)


@pytest.mark.parametrize("container", [lambda f: f, lambda f: f.assign(day=f["day"].dt.strftime("%d.%m.%Y"))])
def test_models_around_ours_are_given_dates_as_their_rows_have_them(container):
    rows, paid = dated()
    rows = container(rows)
    model = make_pipeline(mercer.DecisionTreeClassifier()).fit(rows, paid)
    grid = Grid.of(model, rows, ["day", "sum"], 2, 12)
    made = grid.points()
    assert set(made["day"]) <= set(rows["day"])
    days = pd.to_datetime(made["day"], dayfirst=True).to_numpy().astype("datetime64[D]").astype(float)
    assert np.abs(days - np.repeat(grid.axes[0].steps, 12)).max() < 60
    assert "Decision regions" in plot.decision_regions(model, rows, columns=["day", "sum"]).get_title(loc="left")


def regions(ax):
    """Where a point of the picture lies: the colour of the last area that holds it."""

    areas = [a for a in ax.collections if type(a).__name__ == "QuadContourSet" and a.filled]

    def at(x, y):
        holding = [a for a in areas if any(path.contains_point((x, y)) for path in a.get_paths())]
        return tuple(np.round(to_rgb(holding[-1].get_facecolor()[0]), 3)) if holding else None

    return at


def test_every_region_is_what_the_model_predicts():
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(TWO, SIDE)
    ax = plot.decision_regions(model, TWO, SIDE, steps=80)
    at = regions(ax)
    points = RNG.uniform(TWO.min(axis=0), TWO.max(axis=0), size=(40, 2))
    near = model.predict(points)
    step = np.ptp(TWO, axis=0) / 60
    clear = [len({model.predict([p + d * step])[0] for d in ([1, 1], [1, -1], [-1, 1], [-1, -1])}) == 1 for p in points]
    colours = {
        label: {at(*p) for p, n, c in zip(points, near, clear, strict=True) if n == label and c} for label in "ab"
    }
    assert all(len(found) == 1 for found in colours.values())
    assert colours["a"] != colours["b"]


def test_margin_and_support_vectors_of_a_machine():
    for machine in (SVC(kernel="linear").fit(TWO, SIDE), mercer.SVC(kernel="linear").fit(TWO, SIDE)):
        ax = plot.decision_regions(machine, TWO, SIDE, steps=40)
        lines = next(
            c for c in ax.collections if type(c).__name__ == "QuadContourSet" and not c.filled and len(c.levels) == 3
        )
        assert_allclose(lines.levels, [-1, 0, 1])
        for level, path in zip(lines.levels, lines.get_paths(), strict=True):
            assert_allclose(machine.decision_function(path.vertices), level, atol=0.02)
        circled = next(c for c in ax.collections if "support" in str(c.get_label()))
        assert_allclose(circled.get_offsets(), TWO[machine.support_])


def circles_support(model, X, y, columns=None):
    ax = plot.decision_regions(model, X, y, columns, steps=10)
    return any("support" in str(c.get_label()) for c in ax.collections)


def test_support_vectors_of_other_rows_are_not_drawn():
    for model in (mercer.SVC(), SVC(), make_pipeline(StandardScaler(), SVC())):
        model.fit(TWO, SIDE)
        assert circles_support(model, TWO, SIDE)
        assert not circles_support(model, TWO[:30], SIDE[:30])
        assert not circles_support(model, TWO[::-1], SIDE[::-1])  # as many, but others at their places
    one_hot = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVC()).fit(FRAME[["city", "sex"]], Y)
    assert circles_support(one_hot, FRAME[["city", "sex"]], Y)
    mixed = mercer.SVC().fit(FRAME, Y)
    assert circles_support(mixed, FRAME, Y, ["city", "age"])
    assert not circles_support(mixed, FRAME[::-1], Y[::-1], ["city", "age"])


def test_categories_on_an_axis_and_other_columns_fixed():
    columns = make_column_transformer((OneHotEncoder(), ["city", "sex"]), (StandardScaler(), ["age", "pay"]))
    for model in (make_pipeline(columns, SVC()).fit(FRAME, Y), mercer.NaiveBayes().fit(FRAME, Y)):
        ax = plot.decision_regions(model, FRAME, Y, ["city", "age"], steps=20)
        assert [t.get_text() for t in ax.get_xticklabels()] == ["Bern", "Oslo", "Rome"]
        assert "2 other columns" in ax.get_title(loc="left")
        assert ax.get_xlim() == pytest.approx((-0.5, 2.5))


def test_rows_without_labels_draw_the_regions_alone():
    ax = plot.decision_regions(mercer.NaiveBayes().fit(TWO, SIDE), TWO, steps=10)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]


def test_the_tube_is_the_prediction_and_epsilon_around_it():
    x, wave = np.linspace(0, 6, 50)[:, None], np.sin(np.linspace(0, 6, 50))
    for machine in (SVR(epsilon=0.2).fit(x, wave), mercer.SVR(epsilon=0.2).fit(x, wave)):
        ax = plot.regression_tube(machine, x, wave)
        line = ax.lines[0].get_xydata()
        assert_allclose(line[:, 1], machine.predict(line[:, :1]))
        tube = ax.collections[0].get_paths()[0].vertices
        assert tube[:, 1].max() == pytest.approx(line[:, 1].max() + 0.2)
        circled = next(c for c in ax.collections if "support" in str(c.get_label()))
        assert_allclose(circled.get_offsets()[:, 0], x[machine.support_, 0])


def test_a_tube_whose_width_was_learned():
    x, wave = np.linspace(0, 6, 30)[:, None], np.sin(np.linspace(0, 6, 30))
    machine = mercer.NuSVR().fit(x, wave)
    assert f"{machine.tube_:.3g}" in plot.regression_tube(machine, x, wave).get_legend().get_texts()[1].get_text()
    with pytest.raises(MercerError, match="how wide"):
        plot.regression_tube(NuSVR().fit(x, wave), x, wave)
    with pytest.raises(MercerError, match="how wide"):
        plot.regression_tube(LinearRegression().fit(x, wave), x, wave)


def test_axes_given_are_drawn_on_and_named():
    ax = plt.figure(figsize=(3, 3)).subplots()
    assert plot.decision_regions(mercer.NaiveBayes().fit(FRAME, Y), FRAME, Y, ["age", "pay"], ax=ax, steps=10) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "pay")


def test_bad_input():
    model = mercer.NaiveBayes().fit(FRAME, Y)
    with pytest.raises(MercerError, match="name two columns"):
        plot.decision_regions(model, FRAME, Y)
    with pytest.raises(MercerError, match="logistic_curve"):
        plot.decision_regions(mercer.NaiveBayes().fit(TWO[:, :1], SIDE), TWO[:, :1], SIDE)
    with pytest.raises(BadColumn, match="Did you mean 'age'"):
        plot.decision_regions(model, FRAME, Y, ["agee", "pay"])
    with pytest.raises(BadColumn, match="twice"):
        plot.decision_regions(model, FRAME, Y, ["age", "age"])
    with pytest.raises(MercerError, match="expected two columns"):
        plot.decision_regions(model, FRAME, Y, ["age"])
    with pytest.raises(NotFittedError):
        plot.decision_regions(mercer.SVC(), TWO, SIDE)
    with pytest.raises(MercerError, match="predicts numbers"):
        plot.decision_regions(LinearRegression().fit(TWO, TWO[:, 0]), TWO)
    with pytest.raises(MercerError, match="margin"):
        plot.decision_regions(model, FRAME, Y, ["age", "city"], margin=True)
    constant = FRAME.assign(planet="Earth")
    with pytest.raises(BadColumn, match="constant"):
        plot.decision_regions(mercer.NaiveBayes().fit(constant, Y), constant, Y, ["age", "planet"])


def test_a_constant_column_of_an_array_has_an_axis_still():
    rows = np.column_stack([TWO[:, 0], np.ones(60)])
    ax = plot.decision_regions(DecisionTreeClassifier().fit(rows, SIDE), rows, SIDE, steps=5)
    assert ax.get_ylim() == (0.5, 1.5)


def test_a_model_of_one_class_has_inliers_and_outliers():
    ax = plot.decision_regions(mercer.OneClassSVM(nu=0.2).fit(TWO), TWO, steps=30)
    assert {"outlier", "inlier"} <= {t.get_text() for t in ax.get_legend().get_texts()}

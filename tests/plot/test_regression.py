"""Points are rows, coefficients those of statsmodels with its intervals, the curve is the logistic function."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score
from sklearn.svm import SVC

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(RNG.normal(size=(80, 3)), columns=["a", "b", "c"])
TARGET = FRAME["a"] * 2 - FRAME["b"] + RNG.normal(size=80)
CLASS = np.where(FRAME["a"] + RNG.normal(size=80) > 0, "yes", "no")
MODEL = LinearRegression().fit(FRAME, TARGET)


def test_points_are_actual_and_predicted():
    ax = plot.predicted_against_actual(MODEL, FRAME, TARGET)
    assert_allclose(ax.collections[0].get_offsets(), np.column_stack([TARGET, MODEL.predict(FRAME)]))
    assert f"{r2_score(TARGET, MODEL.predict(FRAME)):.2f}" in ax.get_title(loc="left")
    given = plot.predicted_against_actual(MODEL.predict(FRAME), y=TARGET)
    assert_allclose(given.collections[0].get_offsets(), ax.collections[0].get_offsets())


def test_residuals_and_their_medians():
    ax, left = plot.residuals(MODEL, FRAME, TARGET), TARGET - MODEL.predict(FRAME)
    assert_allclose(ax.collections[0].get_offsets(), np.column_stack([MODEL.predict(FRAME), left]))
    tenth = np.argsort(MODEL.predict(FRAME))[:8]
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(np.median(left[tenth]))


def test_residuals_of_a_result():
    found = mercer.evaluate(MODEL, FRAME, TARGET)
    for draw, order in ((plot.predicted_against_actual, [0, 1]), (plot.residuals, None)):
        drawn = draw(found).collections[0].get_offsets()
        held = found.diagnostics.residuals
        expected = np.column_stack([held.actual, held.predicted])
        if order is None:
            expected = np.column_stack([expected[:, 1], expected[:, 0] - expected[:, 1]])
        assert_allclose(drawn, expected)


def test_coefficients_and_intervals_of_statsmodels():
    ours = mercer.LinearRegression().fit(FRAME, TARGET)
    theirs = sm.OLS(TARGET, sm.add_constant(FRAME)).fit()
    for source in (ours, ours.summary(), ours.summary().coefficients):
        points, _, (bars,) = plot.coefficients(source, intercept=True).containers[0].lines
        assert_allclose(points.get_xdata(), theirs.params, rtol=1e-6)
        ends = np.array([segment[:, 0] for segment in bars.get_segments()])
        assert_allclose(ends, theirs.conf_int(), rtol=1e-6)
    assert [t.get_text() for t in plot.coefficients(ours).get_yticklabels()] == ["a", "b", "c"]


def test_coefficients_per_standard_deviation():
    ours = mercer.LinearRegression().fit(FRAME, TARGET)
    ax = plot.coefficients(ours, standardised=FRAME.std(ddof=0))
    scaled = sm.OLS(TARGET, sm.add_constant(FRAME / FRAME.std(ddof=0))).fit()
    assert_allclose(ax.containers[0].lines[0].get_xdata(), scaled.params[1:], rtol=1e-6)
    assert "standard deviation" in ax.get_xlabel()
    with pytest.raises(BadTable, match="standardised"):
        plot.coefficients(ours, standardised=[1.0])


def test_coefficients_without_intervals():
    ax = plot.coefficients(LogisticRegression().fit(FRAME, CLASS))
    assert_allclose(ax.lines[-1].get_xdata(), LogisticRegression().fit(FRAME, CLASS).coef_[0])
    assert "log odds" in ax.get_xlabel()
    with pytest.raises(MercerError, match="no coefficients"):
        plot.coefficients(mercer.KNeighborsRegressor().fit(FRAME, TARGET))
    with pytest.raises(NotFittedError):
        plot.coefficients(mercer.LinearRegression())


def test_one_table_of_several_is_named():
    codes = np.digitize(FRAME["a"], [-0.5, 0.5])
    model = mercer.LogisticRegression().fit(FRAME, np.array(["x", "y", "z"])[codes])
    with pytest.raises(MercerError, match="y against x"):
        plot.coefficients(model)
    assert plot.coefficients(model, table="z against x").get_title(loc="left") == "Coefficients: z against x"


def test_the_curve_is_the_logistic_function():
    model = LogisticRegression().fit(FRAME[["a"]], CLASS)
    ax = plot.logistic_curve(model, FRAME[["a"]], CLASS)
    x, y = ax.lines[0].get_data()
    assert_allclose(y, 1 / (1 + np.exp(-model.intercept_[0] - model.coef_[0, 0] * x)))
    rows = ax.collections[0].get_offsets()
    assert_allclose(rows[:, 0], FRAME["a"])
    assert ((rows[:, 1] > 0.5) == (CLASS == "yes")).all()


def test_other_columns_stay_at_their_median():
    odd = FRAME[:79]
    model = LogisticRegression().fit(odd, CLASS[:79])
    x, y = plot.logistic_curve(model, odd, column="b").lines[0].get_data()
    rest = odd.median().to_numpy() * [1, 0, 1]
    assert_allclose(y, 1 / (1 + np.exp(-model.intercept_[0] - model.coef_[0, 1] * x - model.coef_[0] @ rest)))


def test_several_classes_have_a_curve_each_that_add_to_one():
    model = mercer.NaiveBayes().fit(FRAME, np.digitize(FRAME["a"], [-0.5, 0.5]))
    ax = plot.logistic_curve(model, FRAME, np.digitize(FRAME["a"], [-0.5, 0.5]), "a")
    assert_allclose(np.sum([line.get_ydata() for line in ax.lines[:3]], axis=0), 1)


@pytest.mark.parametrize("draw", [plot.predicted_against_actual, plot.residuals])
def test_axes_given_and_bad_input(draw):
    ax = plt.figure(figsize=(3, 3)).subplots()
    assert draw(MODEL, FRAME, TARGET, ax=ax) is ax
    assert ax.get_title(loc="left") and ax.get_xlabel() and ax.get_ylabel()
    with pytest.raises(NotFittedError):
        draw(LinearRegression(), FRAME, TARGET)
    with pytest.raises(MercerError, match="predicts classes"):
        draw(LogisticRegression().fit(FRAME, CLASS), FRAME, CLASS)
    with pytest.raises(MercerError, match="needs rows"):
        draw(MODEL)
    with pytest.raises(BadTable, match="shape"):
        draw([1.0, 2.0], y=[1.0])


def test_a_model_without_probabilities_has_no_curve():
    with pytest.raises(MercerError, match="no predict_proba"):
        plot.logistic_curve(SVC().fit(FRAME[["a"]], CLASS), FRAME[["a"]])
    with pytest.raises(MercerError, match="name one column"):
        plot.logistic_curve(mercer.NaiveBayes().fit(FRAME, CLASS), FRAME)


def test_a_missing_choice_of_a_column_is_asked_for_by_its_parameter():
    svr = mercer.SVR().fit(FRAME, TARGET)
    for draw in (
        lambda **chosen: plot.logistic_curve(mercer.LogisticRegression().fit(FRAME, CLASS), FRAME, CLASS, **chosen),
        lambda **chosen: plot.regression_tube(svr, FRAME, TARGET, **chosen),
    ):
        with pytest.raises(MercerError, match=r"name one column to draw: column=\.\.\."):
            draw()
        with pytest.raises(MercerError, match=r"^column=\['a', 'b'\]: (expected|give) one column"):
            draw(column=["a", "b"])

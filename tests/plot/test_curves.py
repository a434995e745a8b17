"""ROC, precision and recall, calibration, confusion: the points of scikit-learn's displays, and of results given."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose
from sklearn.calibration import CalibrationDisplay
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, RocCurveDisplay, confusion_matrix
from sklearn.svm import LinearSVC

import mercer
from mercer import plot
from mercer.errors import BadTable, MercerError
from mercer.evaluation.diagnostics import Diagnostics

RNG = np.random.default_rng(3)
X = RNG.normal(size=(204, 2))
Y = np.where(X[:, 0] + RNG.normal(size=204) > 0.4, "yes", "no")
THREE = np.array(["low", "mid", "top"])[np.digitize(X[:, 0] + RNG.normal(scale=0.6, size=204), [-0.5, 0.5])]
MODEL = LogisticRegression().fit(X, Y)
OF_THREE = LogisticRegression().fit(X, THREE)
CURVES = [plot.roc_curve, plot.precision_recall_curve, plot.calibration_curve, plot.confusion_matrix]


def named(ax, start):
    return next(line for line in ax.lines if str(line.get_label()).startswith(start))


def test_the_roc_of_scikit_learn():
    ax = plot.roc_curve(MODEL, X, Y)
    theirs = RocCurveDisplay.from_estimator(MODEL, X, Y)
    drawn = named(ax, "class yes")
    assert_allclose(drawn.get_xdata(), theirs.fpr)
    assert_allclose(drawn.get_ydata(), theirs.tpr)
    assert f"area {theirs.roc_auc:.2f}" in drawn.get_label()


@pytest.mark.parametrize(
    ("learned", "given"), [(int, float), (float, int), (int, bool), (bool, int), (float, str)], ids=str
)
def test_labels_are_told_by_name_whatever_their_type(learned, given):
    y = (Y == "yes").astype(int)
    model = LogisticRegression().fit(X, y.astype(learned))
    labels = y.astype(given)
    drawn = named(plot.roc_curve(model, X, labels), "class ")
    assert_allclose(drawn.get_xdata(), named(plot.roc_curve(MODEL, X, Y), "class yes").get_xdata())
    counts = [int(t.get_text().split("\n")[0]) for t in plot.confusion_matrix(model, X, labels).texts]
    assert counts == confusion_matrix(y, model.predict(X)).ravel().tolist()
    groups = [c.get_label() for c in plot.decision_regions(model, X, labels).collections]
    assert "another class" not in groups


def test_the_precision_and_recall_of_scikit_learn():
    ax = plot.precision_recall_curve(MODEL, X, Y)
    theirs = PrecisionRecallDisplay.from_estimator(MODEL, X, Y)
    drawn = named(ax, "class yes")
    assert_allclose(drawn.get_xdata(), theirs.recall)
    assert_allclose(drawn.get_ydata(), theirs.precision)
    assert f"{theirs.average_precision:.2f}" in drawn.get_label()
    assert_allclose(ax.lines[-1].get_ydata(), [np.mean(Y == "yes")] * 2)


def test_the_calibration_of_scikit_learn():
    ax = plot.calibration_curve(MODEL, X, Y)
    theirs = CalibrationDisplay.from_estimator(MODEL, X, Y, n_bins=10, strategy="quantile")
    drawn = ax.containers[0].lines[0].get_xydata()
    assert_allclose(drawn, np.column_stack([theirs.prob_pred, theirs.prob_true]))


def test_the_counts_of_scikit_learn():
    ax = plot.confusion_matrix(OF_THREE, X, THREE)
    counts = confusion_matrix(THREE, OF_THREE.predict(X))
    assert [int(t.get_text().split("\n")[0]) for t in ax.texts] == counts.ravel().tolist()
    assert_allclose(ax.images[0].get_array(), counts / counts.sum(axis=1, keepdims=True))


def test_a_label_that_the_model_does_not_know_has_a_row_of_its_own():
    ax = plot.confusion_matrix(MODEL, X[:3], ["yes", "no", "maybe"])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["no", "yes", "maybe"]


def test_several_classes_have_a_curve_each():
    ax = plot.roc_curve(OF_THREE, X, THREE)
    proba = OF_THREE.predict_proba(X)
    for k, name in enumerate(("low", "mid", "top")):
        theirs = RocCurveDisplay.from_predictions(np.equal(THREE, name), proba[:, k])
        assert_allclose(named(ax, f"class {name}").get_ydata(), theirs.tpr)
    styles = {line.get_linestyle() for line in ax.lines[:3]}
    assert len(styles) == 3  # told apart without colours


def test_a_class_can_be_named():
    ax = plot.roc_curve(MODEL, X, Y, label="no")
    assert_allclose(named(ax, "class no").get_xdata(), RocCurveDisplay.from_estimator(MODEL, X, Y, pos_label="no").fpr)
    with pytest.raises(MercerError, match="Did you mean 'no'"):
        plot.roc_curve(MODEL, X, Y, label="noo")


def test_decisions_rank_as_probabilities_do():
    machine = LinearSVC().fit(X, Y)
    assert_allclose(
        named(plot.roc_curve(machine, X, Y), "class").get_xdata(), RocCurveDisplay.from_estimator(machine, X, Y).fpr
    )
    with pytest.raises(MercerError, match="has no predict_proba"):
        plot.calibration_curve(machine, X, Y)


def test_bands_hold_the_curve():
    area = plot.roc_curve(MODEL, X, Y).collections[0].get_paths()[0].vertices
    assert area[:, 1].min() >= 0 and area[:, 1].max() <= 1 and len(area) > 100
    assert not plot.roc_curve(MODEL, X, Y, band=False).collections


def test_results_are_drawn_as_they_are():
    found = mercer.evaluate(mercer.NaiveBayes().fit(X, Y), X, Y)
    for source in (found, found.diagnostics):
        curve = found.diagnostics.roc[0]
        drawn = plot.roc_curve(source).lines[0]
        assert_allclose(drawn.get_xydata(), np.column_stack([curve.x, curve.y]))
        bins = found.diagnostics.calibration
        assert_allclose(plot.calibration_curve(source).containers[0].lines[0].get_ydata(), [b.observed for b in bins])
        texts = [t.get_text().split("\n")[0] for t in plot.confusion_matrix(source).texts]
        assert texts == [str(c) for row in found.diagnostics.confusion for c in row]
    assert_allclose(
        plot.precision_recall_curve(found.diagnostics.precision_recall).lines[0].get_ydata(),
        found.diagnostics.precision_recall[0].y,
    )


@pytest.mark.parametrize("draw", CURVES)
def test_axes_given_are_drawn_on_and_named(draw):
    ax = plt.figure(figsize=(3, 3)).subplots()
    before = dict(plt.rcParams)
    assert draw(MODEL, X, Y, ax=ax) is ax
    assert ax.get_title(loc="left") and ax.get_xlabel() and ax.get_ylabel()
    assert dict(plt.rcParams) == before


@pytest.mark.parametrize("draw", CURVES)
def test_bad_input(draw):
    with pytest.raises(NotFittedError):
        draw(LogisticRegression(), X, Y)
    with pytest.raises(MercerError, match="needs rows"):
        draw(MODEL)
    with pytest.raises(MercerError, match="predicts numbers"):
        draw(LinearRegression().fit(X, X[:, 0]), X, Y)
    with pytest.raises(BadTable, match="y has the shape"):
        draw(MODEL, X, Y[:-1])
    with pytest.raises(MercerError, match="has no"):
        draw(Diagnostics())


def test_the_result_of_a_training_run():
    rows = {"a": X[:, 0], "b": X[:, 1], "answer": Y}
    result = mercer.train(rows, target="answer", learners=["naive_bayes"])
    held = result.comparison.diagnostics
    assert_allclose(plot.roc_curve(result).lines[0].get_ydata(), held.roc[0].y)
    assert [bar.get_width() for bar in plot.importances(result).patches] == [c.mean for c in held.importance]
    assert len(plot.confusion_matrix(result).texts) == 4
    with pytest.raises(MercerError, match="has no residuals"):
        plot.residuals(result)


def test_one_class_alone_has_no_curve():
    with pytest.raises(MercerError, match="one class alone"):
        plot.roc_curve(MODEL, X, np.full(len(X), "no"))

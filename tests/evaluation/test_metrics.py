"""Scores against scikit-learn; weighted twins against its sample_weight."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.linear_model import LinearRegression, LogisticRegression

from mercer.errors import MercerError
from mercer.evaluation.metrics import (
    METRICS,
    SPELLINGS,
    SearchScore,
    check_defined,
    chosen_metric,
    class_report,
    class_scores,
    main_metric,
    regression_scores,
)
from mercer.select.auc import Ranked
from mercer.select.weighted import ClassScores, RegressionScores
from mercer.table import Task


def predictions(n=200, classes=2, seed=0, digits=2):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    proba = rng.random((n, classes)).round(digits) + 0.01  # rounding makes ties
    proba[np.arange(n), truth] += 0.3
    return truth, proba / proba.sum(axis=1, keepdims=True)


def by_sklearn(truth, proba, positive, w):
    guess = proba.argmax(axis=1)
    ranked = range(proba.shape[1]) if positive is None else [positive]
    found = {
        "roc_auc": np.mean([sk.roc_auc_score(truth == c, proba[:, c], sample_weight=w) for c in ranked]),
        "average_precision": np.mean(
            [sk.average_precision_score(truth == c, proba[:, c], sample_weight=w) for c in ranked]
        ),
        "accuracy": sk.accuracy_score(truth, guess, sample_weight=w),
        "balanced_accuracy": sk.balanced_accuracy_score(truth, guess, sample_weight=w),
        "f1_macro": sk.f1_score(truth, guess, average="macro", sample_weight=w),
        "f1_weighted": sk.f1_score(truth, guess, average="weighted", sample_weight=w),
        "mcc": sk.matthews_corrcoef(truth, guess, sample_weight=w),
        "log_loss": sk.log_loss(truth, proba, sample_weight=w),
    }
    if positive is not None:
        found["recall"] = sk.recall_score(truth, guess, pos_label=positive, sample_weight=w)
        found["precision"] = sk.precision_score(truth, guess, pos_label=positive, sample_weight=w)
        found["f1"] = sk.f1_score(truth, guess, pos_label=positive, sample_weight=w)
        found["brier"] = sk.brier_score_loss(truth == 1, proba[:, 1], sample_weight=w)
    return found


@pytest.mark.parametrize(("classes", "positive"), [(2, 1), (2, 0), (3, None), (7, None)])
def test_class_scores_are_those_of_scikit_learn(classes, positive):
    truth, proba = predictions(classes=classes)
    ours = class_scores(truth, proba, positive)
    for key, value in by_sklearn(truth, proba, positive, None).items():
        assert ours[key] == pytest.approx(value, abs=1e-12), key
    assert set(ours) <= set(METRICS)


@pytest.mark.parametrize(("classes", "positive"), [(2, 1), (2, 0), (4, None)])
def test_weighted_scores_are_those_of_scikit_learn(classes, positive):
    truth, proba = predictions(classes=classes, seed=1)
    weights = np.random.default_rng(2).integers(0, 4, len(truth)).astype(float)
    ours = ClassScores(truth, proba, positive)(weights)
    for key, value in by_sklearn(truth, proba, positive, weights).items():
        assert ours[key] == pytest.approx(value, abs=1e-12), key


def test_regression_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth = rng.normal(1e6, 3, 100)
    predicted = truth + rng.normal(0, 1, 100)
    weights = rng.integers(0, 3, 100).astype(float)
    for ours, w in (
        (regression_scores(truth, predicted), None),
        (RegressionScores(truth, predicted)(np.ones(100)), None),
        (RegressionScores(truth, predicted)(weights), weights),
    ):
        assert ours["r2"] == pytest.approx(sk.r2_score(truth, predicted, sample_weight=w), rel=1e-6)
        assert ours["mse"] == pytest.approx(sk.mean_squared_error(truth, predicted, sample_weight=w))
        assert ours["rmse"] == pytest.approx(sk.root_mean_squared_error(truth, predicted, sample_weight=w))
        assert ours["mae"] == pytest.approx(sk.mean_absolute_error(truth, predicted, sample_weight=w))
        assert ours["mape"] == pytest.approx(sk.mean_absolute_percentage_error(truth, predicted, sample_weight=w))


@pytest.mark.parametrize("n", [1, 2, 5, 100])
def test_the_median_error_is_that_of_scikit_learn_and_of_repeated_rows(n):
    rng = np.random.default_rng(n)
    truth, predicted = rng.normal(size=n), rng.normal(size=n).round(1)
    times = np.maximum(rng.integers(0, 4, n), np.arange(n) == 0)
    ours = RegressionScores(truth, predicted)
    median = sk.median_absolute_error(truth, predicted)
    assert ours(np.ones(n))["median_absolute_error"] == pytest.approx(median)
    assert regression_scores(truth, predicted)["median_absolute_error"] == pytest.approx(median)
    again = sk.median_absolute_error(np.repeat(truth, times), np.repeat(predicted, times))
    assert ours(times.astype(float))["median_absolute_error"] == pytest.approx(again)


def test_a_share_of_a_target_of_0_is_not_defined():
    truth, predicted = np.array([0.0, 2.0, 4.0]), np.ones(3)
    assert np.isnan(regression_scores(truth, predicted)["mape"])
    assert np.isnan(RegressionScores(truth, predicted)(np.ones(3))["mape"])
    with pytest.raises(MercerError, match="'mape' divides by the target, which is 0 in 1 of 3 rows"):
        check_defined(METRICS["mape"], truth)
    check_defined(METRICS["mape"], truth[1:])
    check_defined(METRICS["mae"], truth)
    with pytest.raises(MercerError, match="share of the target, which is a date"):
        check_defined(METRICS["mape"], truth[1:], dates=True)
    check_defined(METRICS["mae"], truth, dates=True)


def test_brier_of_several_classes_sums_over_them():
    scores = class_scores(np.array([0]), np.array([[0.5, 0.3, 0.2]]), None)
    assert scores["brier"] == pytest.approx(0.25 + 0.09 + 0.04)
    assert np.isnan(scores["roc_auc"])  # every row is of one class
    assert np.isnan(scores["average_precision"])


def test_scores_without_a_class_are_not_numbers_rather_than_errors():
    scores = class_scores(np.zeros(4, dtype=int), np.tile([0.7, 0.3], (4, 1)), positive=1)
    assert np.isnan(scores["roc_auc"])
    assert np.isnan(scores["recall"])
    assert (scores["precision"], scores["f1"], scores["mcc"]) == (0, 0, 0)  # as scikit-learn has them
    assert scores["accuracy"] == 1
    assert np.isnan(regression_scores(np.array([1.0]), np.array([2.0]))["r2"])
    assert np.isnan(Ranked(np.zeros(3, dtype=bool), np.arange(3.0)).average_precision(np.ones(3)))


def test_the_class_report_is_that_of_scikit_learn():
    truth, proba = predictions(classes=3, seed=3)
    lines, matrix = class_report(truth, proba.argmax(axis=1), ("a", "b", "c"))
    theirs = sk.classification_report(truth, proba.argmax(axis=1), output_dict=True, target_names=["a", "b", "c"])
    for line in lines:
        want = theirs[line.label]
        assert (line.precision, line.recall, line.f1) == (want["precision"], want["recall"], want["f1-score"])
        assert line.support == want["support"]
    assert matrix == sk.confusion_matrix(truth, proba.argmax(axis=1)).tolist()
    assert [line.predicted for line in lines] == np.sum(matrix, axis=0).tolist()


def test_the_main_metric():
    assert main_metric(Task.CLASSIFICATION, 2).key == "roc_auc"
    assert main_metric(Task.CLASSIFICATION, 3).key == "accuracy"
    assert main_metric(Task.REGRESSION, 0).key == "r2"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30))
def test_area_is_the_share_of_pairs_in_order(rows):
    positive = np.array([p for p, _ in rows])
    score = np.array([s for _, s in rows], dtype=float)
    ours = Ranked(positive, score).roc_auc(np.ones(len(rows)))
    pairs = [(a > b) + 0.5 * (a == b) for a in score[positive] for b in score[~positive]]
    assert ours == pytest.approx(np.mean(pairs)) if pairs else np.isnan(ours)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_search_goes_by(weighted):
    truth, proba = predictions()
    names, rows = np.array(["no", "yes"])[truth], np.arange(len(truth))
    model = SimpleNamespace(
        classes_=np.array(["no", "yes"]),
        decision_function=lambda rows: proba[rows, 1] - 0.4,
        predict=lambda rows: np.array(["no", "yes"])[(proba[rows, 1] > 0.4).astype(int)],
    )
    w = np.random.default_rng(1).random(len(truth)) if weighted else None
    area = sk.roc_auc_score(truth, proba[:, 1], sample_weight=w)
    right = sk.accuracy_score(truth, proba[:, 1] > 0.4, sample_weight=w)
    score = SearchScore(METRICS["roc_auc"], 1)(model, rows, names, sample_weight=w)
    assert score == pytest.approx(area + right / 1000)
    precision = sk.average_precision_score(1 - truth, -proba[:, 1], sample_weight=w)
    other = SearchScore(METRICS["average_precision"], 0)(model, rows, names, sample_weight=w)
    assert other == pytest.approx(precision + right / 1000)
    f1 = sk.f1_score(truth, proba[:, 1] > 0.4, average="macro", sample_weight=w)
    assert SearchScore(METRICS["f1_macro"], 1)(model, rows, names, sample_weight=w) == pytest.approx(f1)


def test_what_a_search_over_numbers_goes_by():
    rng = np.random.default_rng(0)
    y, found = rng.normal(size=50), rng.normal(size=50)
    model = SimpleNamespace(predict=lambda rows: found[rows])
    error = SearchScore(METRICS["mae"], None)(model, np.arange(50), y)
    assert error == pytest.approx(-sk.mean_absolute_error(y, found))


@pytest.mark.parametrize(
    ("key", "task", "n_classes", "words"),
    [
        ("roc_aux", Task.CLASSIFICATION, 2, "There is no metric 'roc_aux'.*roc_auc"),
        ("fbeta", Task.CLASSIFICATION, 2, "There is no metric 'fbeta'"),
        (
            "f1",
            Task.CLASSIFICATION,
            3,
            "does not score 3 classes. It is of the positive one .* f1_macro .* f1_weighted",
        ),
        ("precision", Task.CLASSIFICATION, 3, "does not score 3 classes.* f1_macro"),
        ("r2", Task.CLASSIFICATION, 2, "does not score 2 classes"),
        ("recall", Task.CLASSIFICATION, 3, "does not score 3 classes.* balanced_accuracy"),
        ("neg_log_loss", Task.REGRESSION, 0, "'log_loss' does not score numbers"),
        ("accuracy", Task.REGRESSION, 0, "does not score numbers.*rmse"),
    ],
)
def test_a_metric_that_does_not_fit_is_refused(key, task, n_classes, words):
    with pytest.raises(MercerError, match=words):
        chosen_metric(key, task, n_classes)


def test_every_metric_of_a_task_can_be_chosen():
    for metric in METRICS.values():
        assert chosen_metric(metric.key, metric.task, 2, has_costs=True) is metric
    assert chosen_metric(None, Task.CLASSIFICATION, 3).key == "accuracy"


@pytest.mark.parametrize("name", SPELLINGS)
def test_other_spellings_are_scikit_learns_scorers_of_the_same_value(name):
    metric = chosen_metric(name, METRICS[SPELLINGS[name]].task, 2)
    assert metric.key == SPELLINGS[name]
    if name not in sk.get_scorer_names():
        return
    rng, rows = np.random.default_rng(0), np.arange(60).reshape(-1, 1)
    if metric.task is Task.CLASSIFICATION:
        truth = rng.integers(0, 2, 60)
        model = LogisticRegression().fit(rows, truth)
        ours = class_scores(truth, model.predict_proba(rows), 1)
    else:
        truth = rng.normal(5, 1, 60)
        model = LinearRegression().fit(rows, truth)
        ours = regression_scores(truth, model.predict(rows))
    theirs = sk.get_scorer(name)(model, rows, truth)
    assert ours[metric.key] == pytest.approx(theirs if metric.higher_is_better else -theirs)

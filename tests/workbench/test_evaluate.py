"""mercer.evaluate and mercer.score_predictions: scikit-learn's metrics on any model, with intervals."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics as sk
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

import mercer
from mercer.errors import BadColumn, BadTable, BadTarget, MercerError, MercerWarning
from mercer.select.decisions import DecisionRule

RNG = np.random.default_rng(0)
N = 240
SIZE = RNG.normal(size=N)
JOB = RNG.choice(["sales", "it", "law"], N)
CHURN = np.where(SIZE + (JOB == "it") + RNG.normal(size=N) > 1, "yes", "no")
FRAME = pd.DataFrame({"size": SIZE, "job": JOB})
TRAIN, TEST = slice(0, 120), slice(120, N)


def pipeline() -> Any:
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), (StandardScaler(), ["size"]))
    return make_pipeline(encoder, LogisticRegression())


@pytest.fixture(scope="module")
def model() -> Any:
    return pipeline().fit(FRAME[TRAIN], CHURN[TRAIN])


def test_scores_of_a_fitted_pipeline_are_scikit_learns(model: Any) -> None:
    found = mercer.evaluate(model, FRAME[TEST], CHURN[TEST])
    truth, proba = CHURN[TEST], model.predict_proba(FRAME[TEST])
    guess, positive = model.predict(FRAME[TEST]), truth == "yes"
    expected = {
        "roc_auc": sk.roc_auc_score(positive, proba[:, 1]),
        "average_precision": sk.average_precision_score(positive, proba[:, 1]),
        "accuracy": sk.accuracy_score(truth, guess),
        "balanced_accuracy": sk.balanced_accuracy_score(truth, guess),
        "f1_macro": sk.f1_score(truth, guess, average="macro"),
        "f1_weighted": sk.f1_score(truth, guess, average="weighted"),
        "log_loss": sk.log_loss(truth, proba),
        "brier": sk.brier_score_loss(positive, proba[:, 1]),
        "recall": sk.recall_score(truth, guess, pos_label="yes"),
        "precision": sk.precision_score(truth, guess, pos_label="yes"),
        "f1": sk.f1_score(truth, guess, pos_label="yes"),
        "mcc": sk.matthews_corrcoef(truth, guess),
    }
    assert {k: s.value for k, s in found.scores.items()} == pytest.approx(expected)
    assert all(s.low < s.value < s.high for s in found.scores.values())
    assert found["matthews_corrcoef"] is found["mcc"]
    assert found.diagnostics.confusion == sk.confusion_matrix(truth, guess).tolist()
    assert (found.positive, found.classes, found.n_rows) == ("yes", ("no", "yes"), 120)
    assert found.diagnostics.roc and found.diagnostics.precision_recall and found.diagnostics.calibration


def test_weights_are_scikit_learns(model: Any) -> None:
    weight = RNG.random(120)
    found = mercer.evaluate(model, FRAME[TEST], CHURN[TEST], sample_weight=weight)
    proba = model.predict_proba(FRAME[TEST])[:, 1]
    assert found["roc_auc"].value == pytest.approx(sk.roc_auc_score(CHURN[TEST] == "yes", proba, sample_weight=weight))
    plain = mercer.evaluate(model, FRAME[TEST], CHURN[TEST])
    assert found["accuracy"].high - found["accuracy"].low > plain["accuracy"].high - plain["accuracy"].low


def _searched(model: Any) -> Any:
    return GridSearchCV(model, {}, cv=2)


@pytest.mark.parametrize(
    "wrap",
    [lambda m: make_pipeline(StandardScaler(), m), _searched, lambda m: _searched(make_pipeline(m))],
    ids=["pipeline", "search", "search of a pipeline"],
)
def test_weights_reach_the_fit_inside_pipelines_and_searches(wrap: Any) -> None:
    X, weight = SIZE[:, None], np.where(CHURN == "yes", 50.0, 1.0)
    alone = mercer.evaluate(LogisticRegression(), X, CHURN, cv=3, sample_weight=weight)
    found = mercer.evaluate(wrap(LogisticRegression()), X, CHURN, cv=3, sample_weight=weight)
    assert found["recall"].value == pytest.approx(alone["recall"].value)
    assert alone["recall"].value > 0.9
    assert not any("no weights" in note for note in found.notes)


def test_a_fit_that_takes_no_weights_is_told() -> None:
    weight = RNG.random(N)
    for model in (KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())):
        found = mercer.evaluate(model, SIZE[:, None], CHURN, cv=3, sample_weight=weight)
        assert "The fit of this model takes no weights" in str(found)


def test_cross_validation_is_scikit_learns_by_the_same_splitter() -> None:
    splitter = KFold(4, shuffle=True, random_state=1)
    found = mercer.evaluate(pipeline(), FRAME, CHURN, cv=splitter)
    theirs = cross_val_score(pipeline(), FRAME, CHURN, cv=splitter, scoring="balanced_accuracy")
    assert found.folds["balanced_accuracy"] == pytest.approx(theirs.tolist())
    assert found["balanced_accuracy"].value == pytest.approx(theirs.mean())
    assert found.n_folds == 4
    assert found.n_rows == N
    assert found.training["accuracy"] is not None
    assert "training" in str(found)


def test_a_deep_tree_is_perfect_on_its_training_rows_alone() -> None:
    found = mercer.evaluate(mercer.DecisionTreeClassifier(), FRAME, CHURN, cv=3)
    assert found.training["accuracy"] == 1.0
    assert found["accuracy"].high < 0.95


def test_repeated_folds_count_each_row_once_among_the_errors() -> None:
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=cv)
    assert found.n_folds == 6
    assert np.sum(found.diagnostics.confusion) == N


def test_groups_stay_together() -> None:
    groups = np.repeat(np.arange(N // 4), 4)
    found = mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=GroupKFold(3), groups=groups)
    assert found.n_folds == 3
    with pytest.raises(MercerError, match="does not split these rows"):
        mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=GroupKFold(3))


@pytest.mark.parametrize("split", [(1, 2), ([0.5], [1]), ([], [1]), ([0, N], [1])])
def test_splits_hold_numbers_of_rows(split: Any) -> None:
    with pytest.raises(MercerError, match="does not split these rows: expected numbers of rows below"):
        mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=[split])


def test_a_split_may_be_masks_of_all_rows() -> None:
    first = np.arange(N) < N // 2
    by_mask = mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=[(first, ~first)])
    by_number = mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=[(np.arange(N // 2), np.arange(N // 2, N))])
    assert by_mask["accuracy"] == by_number["accuracy"]


@pytest.mark.parametrize("container", [pd.DataFrame, pl.DataFrame, dict])
def test_mixed_tables_go_in_as_they_are(container: Any) -> None:
    rows = container({"size": SIZE, "job": JOB.tolist(), "churn": CHURN.tolist()})
    found = mercer.evaluate(mercer.NaiveBayes(), rows, "churn", cv=3)
    again = mercer.evaluate(mercer.NaiveBayes(), FRAME, CHURN, cv=3)
    assert found["log_loss"].value == pytest.approx(again["log_loss"].value)


def test_decision_values_rank_and_labels_count() -> None:
    X = np.column_stack([SIZE, JOB == "it"]).astype(float)
    model = LinearSVC().fit(X[TRAIN], CHURN[TRAIN])
    found = mercer.evaluate(model, X[TEST], CHURN[TEST])
    assert found["roc_auc"].value == pytest.approx(
        sk.roc_auc_score(CHURN[TEST] == "yes", model.decision_function(X[TEST]))
    )
    assert "log_loss" not in found.scores
    assert "No probabilities" in str(found)
    labels = mercer.score_predictions(CHURN[TEST], model.predict(X[TEST]))
    assert labels["accuracy"].value == found["accuracy"].value
    assert "roc_auc" not in labels.scores


@pytest.mark.parametrize(
    "wrap", [lambda m: m, lambda m: make_pipeline(StandardScaler(), m), lambda m: GridSearchCV(m, {})]
)
def test_decisions_of_three_pairs_of_classes_are_not_scores_of_three_classes(wrap: Any) -> None:
    X, y = np.column_stack([SIZE, RNG.normal(size=N)]), np.array(["a", "b", "c"])[np.digitize(SIZE, [-0.5, 0.5])]
    model = wrap(SVC(decision_function_shape="ovo")).fit(X, y)
    assert model.decision_function(X).shape == (N, 3)
    found = mercer.evaluate(model, X, y)
    assert found["accuracy"].value == model.score(X, y)
    assert "roc_auc" not in found.scores
    said = mercer.explain(model, X, [0])
    assert said.unit == "vote"
    assert said.base[0] + said.values[0].sum() == pytest.approx(1.0)
    with pytest.raises(MercerError, match="neither probabilities nor a decision for each class"):
        mercer.partial_dependence(model, X, 0)


def test_numbers() -> None:
    y = 3 * SIZE + RNG.normal(size=N)
    found = mercer.evaluate(Ridge().fit(SIZE[TRAIN, None], y[TRAIN]), SIZE[TEST, None], y[TEST])
    predicted = Ridge().fit(SIZE[TRAIN, None], y[TRAIN]).predict(SIZE[TEST, None])
    assert found["r2"].value == pytest.approx(sk.r2_score(y[TEST], predicted))
    assert found["rmse"].value == pytest.approx(sk.root_mean_squared_error(y[TEST], predicted))
    assert found.diagnostics.residuals is not None
    given = mercer.score_predictions(y[TEST], predicted)
    assert given.scores == found.scores


def test_a_model_file_knows_its_target_and_threshold(tmp_path: Path) -> None:
    model = mercer.NaiveBayes().fit(FRAME[TRAIN], CHURN[TRAIN])
    path, rows = tmp_path / "churn.mercer", FRAME[TEST].assign(churn=CHURN[TEST])
    mercer.save(model, path, target="churn")
    found = mercer.evaluate(path, rows)
    assert found.scores == mercer.evaluate(model, FRAME[TEST], CHURN[TEST]).scores
    mercer.save(model, path, target="churn", decision=DecisionRule(("no", "yes"), 0, 0.9))
    strict = mercer.evaluate(str(path), rows)
    called = model.predict_proba(FRAME[TEST])[:, 0] >= 0.9
    assert strict.positive == "no"
    assert strict["recall"].value == pytest.approx(called[CHURN[TEST] == "no"].mean())
    with pytest.raises(BadColumn, match="no column 'churn'"):
        mercer.evaluate(path, FRAME)


def test_labels_are_told_by_name() -> None:
    found = mercer.score_predictions([0, 1, 1, 0], ["0", "1", "1", "1"])
    assert found["accuracy"].value == 0.75


def test_truth_values_are_told_from_the_0_and_1_that_a_model_calls_them() -> None:
    y = CHURN == "yes"
    model = LogisticRegression().fit(SIZE[:, None], y.astype(int))
    by_number = mercer.evaluate(model, SIZE[:, None], y.astype(int))
    found = mercer.evaluate(model, SIZE[:, None], y, positive=True)
    assert (found["accuracy"], found["recall"]) == (by_number["accuracy"], by_number["recall"])
    predicted = mercer.score_predictions(y, y.astype(int))
    assert predicted["accuracy"].value == 1


def test_a_class_that_no_row_has_may_be_predicted() -> None:
    found = mercer.score_predictions(["a", "b", "a"], ["a", "c", "a"])
    assert found.classes == ("a", "b", "c")
    assert found.diagnostics.confusion == [[2, 0, 0], [0, 0, 1], [0, 0, 0]]


def test_macro_f1_leaves_out_classes_that_no_row_is_of_or_called_as_scikit_learn_does() -> None:
    rows, y = np.arange(90.0)[:, None], np.repeat(["a", "b", "c"], 30)
    good, poor = (mercer.DecisionTreeClassifier(max_depth=d).fit(rows, y) for d in (3, 1))
    found = mercer.compare(good, poor, rows[:60], y[:60])
    expected = [sk.f1_score(y[:60], m.predict(rows[:60]), average="macro") for m in (good, poor)]
    assert [e["f1_macro"].value for e in found.evaluations] == pytest.approx(expected)
    gap = found.difference("f1_macro")
    assert gap.value == pytest.approx(expected[0] - expected[1])
    assert expected[0] == 1 and gap.low <= gap.value <= gap.high


def test_a_class_that_the_model_does_not_know_counts_as_wrong() -> None:
    model = mercer.NaiveBayes().fit(FRAME[TRAIN], CHURN[TRAIN])
    other = np.array(["maybe", *CHURN[TEST][1:]])
    found = mercer.evaluate(model, FRAME[TEST], other)
    assert found["accuracy"].value == pytest.approx(sk.accuracy_score(other, model.predict(FRAME[TEST])))
    with pytest.raises(BadTarget, match="none of the classes is known"):
        mercer.evaluate(model, FRAME[TEST], np.where(CHURN[TEST] == "yes", "oui", "non"))


def test_probabilities_of_one_class_and_of_each() -> None:
    positive = RNG.random(50) < 0.5
    share = np.clip(0.3 * positive + 0.6 * RNG.random(50), 0, 1)
    one = mercer.score_predictions(positive, probabilities=share)
    both = mercer.score_predictions(positive, probabilities=np.column_stack([1 - share, share]), positive=True)
    turned = np.column_stack([share, 1 - share])
    assert one.scores == both.scores
    again = mercer.score_predictions(positive, probabilities=turned, classes=[True, False], positive=True)
    assert again["log_loss"].value == pytest.approx(one["log_loss"].value)


def test_json_and_html(model: Any) -> None:
    found = mercer.evaluate(model, FRAME[TEST], CHURN[TEST])
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["scores"]["accuracy"]["value"] == found["accuracy"].value
    assert "<table>" in found._repr_html_()
    shown = mercer.score_predictions(["<b>", "a", "<b>", "a"], ["<b>", "a", "a", "a"])
    assert "&lt;b&gt;" in shown._repr_html_() and "<b>" not in shown._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"X": FRAME[TEST], "y": CHURN[:10]}, ValueError, "inconsistent numbers of samples"),
        ({"X": FRAME[TEST], "y": [None, *CHURN[121:]]}, BadTarget, r"in y\[0\]: leave out"),
        ({"X": FRAME[TEST]}, MercerError, "Which target"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "level": 95}, MercerError, "between 0 and 1"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "positive": "maybe"}, MercerError, "no class 'maybe'"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "sample_weight": [1.0]}, MercerError, "one weight for each"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "sample_weight": -np.ones(120)}, MercerError, "0 or more"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "cv": 1}, MercerError, "2 folds or more"),
        ({"X": FRAME[TEST], "y": CHURN[TEST], "cv": 500}, MercerError, "fewer folds"),
        ({"X": FRAME[TEST], "y": "churned"}, BadColumn, "no column 'churned'"),
    ],
)
def test_bad_input(model: Any, arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        mercer.evaluate(model, **arguments)


def test_what_is_no_model_is_refused() -> None:
    for thing in (mercer.NaiveBayes, 3, StandardScaler()):
        with pytest.raises(MercerError):
            mercer.evaluate(thing, FRAME, CHURN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": ["a", "b"]}, "Give `predicted`"),
        ({"y": ["a", "b"], "predicted": ["a"]}, "has 1 rows, y has 2"),
        ({"y": ["a", "b"], "probabilities": [0.5, 0.5]}, "of which class"),
        ({"y": [0, 1], "probabilities": [0.5, 1.5]}, "not between 0 and 1"),
        ({"y": [0, 1], "probabilities": [0.5, np.nan]}, "not a finite number"),
        ({"y": [0, 1, 2], "probabilities": [[0.5, 0.5]] * 3}, "column for each class"),
        ({"y": [1.5, 2.5], "predicted": ["a", "b"]}, "holds something else"),
        ({"y": [], "predicted": []}, "no rows"),
        ({"y": [0, 1], "predicted": [0, 1], "task": "ranking"}, "task='ranking'"),
    ],
)
def test_bad_predictions(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(MercerError, match=message):
        mercer.score_predictions(**arguments)
    assert issubclass(BadTable, MercerError)


@pytest.mark.parametrize("estimator", [LogisticRegression(), Ridge(), mercer.NaiveBayes()], ids=str)
def test_a_model_that_is_not_fitted(estimator: Any) -> None:
    X, y = SIZE[:, None], SIZE if isinstance(estimator, Ridge) else CHURN
    with pytest.raises(MercerError, match=r"is not fitted: call its fit first, or give cv=5"):
        mercer.evaluate(estimator, X, y)
    with pytest.raises(MercerError, match="is not fitted"):
        mercer.compare(type(estimator)().fit(X, y), estimator, X, y)


def test_training_rows_are_told(tmp_path: Path) -> None:
    rows = FRAME.assign(churn=CHURN)
    found = mercer.train(rows[:120], "churn", learners="naive_bayes", quick=True)
    path = found.save(tmp_path / "model.mercer")
    for score in (
        found.evaluate,
        lambda data: mercer.evaluate(path, data),
        lambda data: mercer.compare(path, path, data),
    ):
        with pytest.warns(MercerWarning, match="rows that the model was trained on"):
            score(rows[:120].sample(frac=1, random_state=0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            score(rows[120:])
            score(rows[1:121])
    assert any("was trained on" in said for said in mercer.predict(path, rows[:120]).notes)
    assert not mercer.predict(path, rows[120:]).notes

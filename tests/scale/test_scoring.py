"""Scores of a table in chunks: those of scikit-learn on all rows at once, whatever the chunks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score

import mercer
from mercer.errors import BadColumn, BadFile, BadTarget, MercerError
from tests.scale.rows import ROWS, cut, people

X = ROWS.drop(columns="y")
BINARY = mercer.NaiveBayes().fit(X, ROWS.y)
TIED = mercer.DecisionTreeClassifier(max_depth=2).fit(X, ROWS.y)  # few different probabilities
NEW = people(500, seed=3)
THREE = mercer.LogisticRegression().fit(ROWS.drop(columns="job"), ROWS.job)


@settings(max_examples=10, deadline=None)
@given(cuts=st.lists(st.integers(0, len(NEW)), max_size=5), model=st.sampled_from([BINARY, TIED]))
def test_two_classes_are_scored_as_scikit_learn_scores_all_rows(cuts, model):
    found = mercer.scale.score(model, cut(NEW, cuts), "y")
    proba = model.predict_proba(NEW.drop(columns="y"))
    assert found.roc_auc == pytest.approx(roc_auc_score(NEW.y == "yes", proba[:, 1]), rel=1e-12)
    assert found.log_loss == pytest.approx(log_loss(NEW.y, proba), rel=1e-12)
    assert found.brier == pytest.approx(brier_score_loss(NEW.y == "yes", proba[:, 1]), rel=1e-12)
    np.testing.assert_array_equal(found.confusion_matrix, confusion_matrix(NEW.y, model.predict(NEW.drop(columns="y"))))


def test_three_classes_are_each_ranked_against_the_rest():
    found = mercer.scale.score(THREE, cut(NEW, [1, 200]), "job")
    proba = THREE.predict_proba(NEW.drop(columns="job"))
    assert found.roc_auc == pytest.approx(roc_auc_score(NEW.job, proba, multi_class="ovr"), rel=1e-12)
    assert found.log_loss == pytest.approx(log_loss(NEW.job, proba), rel=1e-12)
    truth = NEW.job.to_numpy()[:, None] == THREE.classes_
    assert found.brier == pytest.approx(np.square(proba - truth).sum(axis=1).mean(), rel=1e-12)
    assert found.n_rows == len(NEW)
    assert found.accuracy == pytest.approx((THREE.predict(NEW.drop(columns="job")) == NEW.job).mean())


def test_files_with_numbers_as_classes(tmp_path):
    rows = ROWS.assign(y=(ROWS.y == "yes").astype(int))
    model = mercer.NaiveBayes().fit(rows.drop(columns="y"), rows.y)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = mercer.scale.score(model, tmp_path / "rows.csv", "y")
    assert found.labels.tolist() == [0, 1]
    assert found.roc_auc == pytest.approx(roc_auc_score(rows.y, model.predict_proba(rows.drop(columns="y"))[:, 1]))


def test_rows_without_a_class_are_left_out_and_one_class_has_no_area():
    some = NEW.assign(y=NEW.y.where(NEW.y == "yes"))
    found = mercer.scale.score(BINARY, cut(some, [50]), "y")
    assert found.n_rows == (NEW.y == "yes").sum()
    assert np.isnan(found.roc_auc)


@pytest.mark.parametrize(
    ("rows", "target", "error", "said"),
    [
        (NEW, "z", BadColumn, "no column 'z'"),
        (NEW.assign(y=None), "y", BadTarget, "No row has a 'y'"),
        (NEW.assign(y="maybe"), "y", BadFile, "chunk 1: the class 'maybe' is none of those known before .'no', 'yes'"),
        (NEW.assign(y=1), "y", BadFile, "the class 1 is none"),
        (NEW.drop(columns="age"), "y", BadColumn, "age"),
    ],
)
def test_what_cannot_be_scored_is_told(rows, target, error, said):
    with pytest.raises(error, match=said):
        mercer.scale.score(BINARY, [rows], target)


def test_a_regressor_is_refused():
    model = mercer.LinearRegression().fit(X[["age"]], X.age)
    with pytest.raises(MercerError, match="no probabilities"):
        mercer.scale.score(model, [NEW], "age")


def test_a_model_of_one_class_is_right_at_no_loss():
    one = ROWS.assign(y="yes")
    model = mercer.NaiveBayes().fit(X, one.y)
    found = mercer.scale.score(model, cut(one, [50]), "y")
    assert (found.accuracy, found.log_loss, found.brier) == (1.0, 0.0, 0.0)
    assert np.isnan(found.roc_auc)

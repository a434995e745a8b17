"""Learners on resampled rows: what they see, and what their probabilities are worth."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import mercer
from mercer.errors import MercerError

from .tables import N, Y, mixed, numbers

METHODS = ("over", "under", "smote", "borderline", "adasyn", "tomek", "edited")


class Spy(mercer.NaiveBayes):
    """Keeps the numbers of the rows that it is fitted to."""

    seen: ClassVar[list[set[float]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Spy:
        Spy.seen.append(set(X["row"].tolist()))
        super().fit(X, y, sample_weight)
        return self


@pytest.mark.parametrize("method", ["over", "under", "tomek", "edited"])
def test_no_test_row_is_seen(method: str) -> None:
    frame = mixed(missing=True).assign(row=np.arange(N) + 0.5)
    Spy.seen.clear()
    folds = list(StratifiedKFold(4).split(frame, Y))
    cross_val_predict(mercer.Resampled(Spy(), method), frame, Y, cv=folds)
    assert len(Spy.seen) == 4
    for seen, (train, _) in zip(Spy.seen, folds, strict=True):
        assert seen <= set(train + 0.5) and len(seen) > 10


def test_new_rows_come_from_training_rows_alone() -> None:
    frame = mixed(missing=True).assign(row=np.where(np.arange(N) < 75, 0.0, 1.0))  # test rows are at 1
    Spy.seen.clear()
    mercer.Resampled(Spy(), "smote").fit(frame[:75], Y[:75]).predict_proba(frame[75:])
    assert Spy.seen == [{0.0}]


def drawn(n: int, share: float, seed: int) -> tuple[dict[str, Any], np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    jobs = np.where(rng.random(n) < 0.3 + 0.3 * y, "cook", "clerk")
    return {"size": rng.normal(size=n) + 1.5 * y, "job": jobs}, y


@pytest.mark.parametrize(
    "model",
    [
        *(mercer.Resampled(mercer.NaiveBayes(), m, random_state=1) for m in ("over", "under")),
        mercer.Resampled(mercer.NaiveBayes(), "over", ratio=0.3),
        mercer.BalancedBagging(mercer.NaiveBayes(), 5),
    ],
    ids=repr,
)
def test_the_mean_probability_is_the_share_of_the_class(model: Any) -> None:
    X, y = drawn(40_000, 0.03, 0)
    new, truth = drawn(40_000, 0.03, 1)
    found = model.fit(X, y).predict_proba(new)[:, 1]
    assert found.mean() == pytest.approx(truth.mean(), abs=0.002)
    plain = mercer.NaiveBayes().fit(X, y).predict_proba(new)[:, 1]
    assert np.abs(found - plain).mean() < 0.003
    off = model.set_params(correct=False).fit(X, y).predict_proba(new)[:, 1]
    assert off.mean() > 3 * truth.mean()


def test_the_correction_by_hand() -> None:
    X, y = drawn(2000, 0.1, 3)
    model = mercer.Resampled(mercer.NaiveBayes(), "under").fit(X, y)
    raw = model.estimator_.predict_proba(mercer.read_table(X))
    share = y.mean()
    odds = raw[:, 1] / raw[:, 0] * share / (1 - share)  # log-odds move by the log of the odds of the shares
    assert_allclose(model.predict_proba(X)[:, 1], odds / (1 + odds), rtol=1e-9)
    assert_allclose(model.class_prior_, [1 - share, share])
    assert (model.predict(X) == (odds > 1)).all()


def test_correct_priors_is_undone_by_its_inverse() -> None:
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 50)
    there = mercer.correct_priors(p, [1, 1, 1], [6, 3, 1])
    assert_allclose(mercer.correct_priors(there, [6, 3, 1], [1, 1, 1]), p)
    assert_allclose(mercer.correct_priors([[1.0, 0.0]], [1, 1], [0, 1]), [[0.0, 1.0]])
    for fitted, actual in (([0, 1], [1, 1]), ([1, 1], [0, 0]), ([1, 1], [-1, 2]), ([1, 1, 1], [1, 1, 1])):
        with pytest.raises(MercerError, match="correct_priors"):
            mercer.correct_priors([[0.5, 0.5]], fitted, actual)


@pytest.mark.parametrize(
    "learner", [mercer.NaiveBayes(), mercer.LogisticRegression(tol=1e-10), mercer.DecisionTreeClassifier()]
)
def test_oversampling_by_a_whole_factor_is_a_weight(learner: Any) -> None:
    X, _ = drawn(120, 0.3, 4)
    y = np.arange(120) % 4 == 0  # 30 beside 90
    model = mercer.Resampled(learner, "over", correct=False).fit(X, y)
    weighted = type(learner)(**learner.get_params()).fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    assert_allclose(model.predict_proba(X), weighted.predict_proba(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_a_mixed_frame_with_gaps(method: str) -> None:
    frame = mixed(missing=True)
    model = mercer.Resampled(mercer.DecisionTreeClassifier(max_depth=3), method).fit(frame, Y)
    assert_allclose(model.predict_proba(frame).sum(axis=1), 1.0)
    assert model.fitted_prior_[1] > model.class_prior_[1]
    assert cross_val_score(model, frame, Y, cv=3, scoring="roc_auc", error_score="raise").shape == (3,)


@pytest.mark.parametrize("method", METHODS)
def test_saved_and_loaded(method: str, tmp_path: Any) -> None:
    model = mercer.Resampled(mercer.NaiveBayes(smoothing=0.5), method, metric="gower").fit(mixed(missing=True), Y)
    mercer.save(model, tmp_path / "m.mercer", target="y")
    again = mercer.load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.predict_proba(mixed(missing=True)), model.predict_proba(mixed(missing=True)))
    assert repr(again) == repr(model)


def test_learners_of_other_libraries() -> None:
    model = mercer.Resampled(LogisticRegression(), "over").fit(numbers(), Y)
    assert model.estimator_.coef_.shape == (1, 3)
    frame = pd.DataFrame(numbers(), columns=list("abc"))
    assert_allclose(
        mercer.Resampled(LogisticRegression(), "over").fit(frame, Y).predict_proba(frame)[:, 1].mean(),
        model.predict_proba(numbers())[:, 1].mean(),
    )
    piped = make_pipeline(mercer.encode.dense_recipe(), LogisticRegression())
    assert mercer.Resampled(piped, "smote", metric="gower").fit(mixed(missing=True), Y).predict(
        mixed(missing=True)
    ).shape == (N,)
    with pytest.raises(MercerError, match="A LogisticRegression cannot be stored"):
        model.to_state()


def test_learners_without_probabilities() -> None:
    model = mercer.Resampled(mercer.LinearSVC(), "over").fit(numbers(), Y)
    assert not hasattr(model, "predict_proba")
    np.testing.assert_array_equal(
        model.predict(numbers()), np.where(model.decision_function(numbers()) > 0, "rare", "common")
    )
    plain = mercer.LinearSVC().fit(numbers(), Y)
    assert (model.predict(numbers()) == "rare").sum() > (plain.predict(numbers()) == "rare").sum()
    with pytest.raises(MercerError, match="LinearSVC gives none"):
        mercer.BalancedBagging(mercer.LinearSVC()).fit(numbers(), Y)


def test_bagging_is_the_mean_of_under_sampled_fits() -> None:
    model = mercer.BalancedBagging(mercer.NaiveBayes(), 4).fit(mixed(missing=True), Y)
    table = mercer.read_table(mixed(missing=True))
    mean = np.mean([m.predict_proba(table) for m in model.estimators_], axis=0)
    assert_allclose(model.predict_proba(table), mercer.correct_priors(mean, [1, 1], model.class_prior_))
    counts = [m.class_count_ if hasattr(m, "class_count_") else m.class_prior_ for m in model.estimators_]
    assert_allclose(np.array(counts)[:, 0], np.array(counts)[:, 1])


def test_kinds_of_the_learner_are_followed() -> None:
    frame = mixed(missing=False).assign(code=np.arange(N) % 4)
    model = mercer.Resampled(mercer.NaiveBayes(kinds={"code": "category"}), "over").fit(frame, Y)
    assert str(model.schema_["code"].kind) == "category" and str(model.estimator_.schema_["code"].kind) == "category"
    model.predict_proba(frame)


def test_rows_of_weight_zero_are_not_there() -> None:
    weight = np.where(np.arange(N) < 100, 1.0, 0.0)
    few = mercer.Resampled(mercer.NaiveBayes(), "under").fit(numbers()[:100], Y[:100])
    model = mercer.Resampled(mercer.NaiveBayes(), "under").fit(numbers(), Y, weight)
    assert_allclose(model.predict_proba(numbers()), few.predict_proba(numbers()))

"""A third trains, a third selects, a third tests."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import mercer
from mercer.combine.ensemble.library import ModelLibrary, deal_folds
from mercer.combine.ensemble.thirds import thirds, train_thirds
from mercer.errors import MercerError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)


def test_scores_are_those_of_models_of_the_first_third_on_the_last() -> None:
    found = thirds(["naive_bayes", "linear"], X, Y)
    parts = deal_folds(ModelLibrary().read(X, Y), 3, 0)
    assert sorted(np.concatenate(parts).tolist()) == list(range(90))
    for r in range(3):
        train, _, test = (parts[(r + k) % 3] for k in range(3))
        area = roc_auc_score(Y[test], mercer.NaiveBayes().fit(X[train], Y[train]).predict_proba(X[test])[:, 1])
        assert found.member_scores[r, 0] == pytest.approx(area)


def test_one_model_is_its_own_ensemble_and_numbers_go_too() -> None:
    found = thirds(["linear"], X, X[:, 0] + 0.1 * RNG.normal(size=90), "mse")
    np.testing.assert_array_equal(found.ensemble_scores, found.member_scores[:, 0])
    assert found.metric == "mse" and (found.ensemble_scores < 0.1).all()


def test_one_training_serves_several_metrics_and_models_that_share_a_kernel() -> None:
    machines = [(f"C {c:g}", mercer.SVC(C=c, probability="sigmoid", tol=1e-8, n_jobs=1)) for c in (0.1, 1.0)]
    broken = ("broken", mercer.LinearSVC())
    trained = train_thirds([*machines, broken], X, Y)
    assert trained.names == ["C 0.1", "C 1"] and "gives no probabilities" in trained.errors["broken"]
    for metric in ("roc_auc", "average_precision"):
        found = trained.select(metric)
        alone = thirds([machines[1]], X, Y, metric)
        np.testing.assert_allclose(found.member_scores[:, 1], alone.member_scores[:, 0], atol=5e-3)
        assert found.metric == metric
    with pytest.raises(MercerError, match=r"failed. broken: LinearSVC gives no"):
        train_thirds([broken], X, Y)

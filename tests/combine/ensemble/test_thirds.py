"""A third trains, a third selects, a third tests."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import mercer
from mercer.combine.ensemble.library import ModelLibrary, deal_folds
from mercer.combine.ensemble.thirds import thirds

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

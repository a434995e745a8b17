"""mlxtend selects columns for our learners, votes with them and draws their regions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

import mercer

from .people import NUMBERS, X, Y


def test_sequential_selection_on_a_mixed_frame() -> None:
    selection = pytest.importorskip("mlxtend.feature_selection")
    found = selection.SequentialFeatureSelector(mercer.NaiveBayes(), k_features=2, cv=3).fit(X, Y)
    expected = cross_val_score(mercer.NaiveBayes(), X[list(found.k_feature_names_)], Y, cv=3).mean()
    assert "age" in found.k_feature_names_ and found.k_score_ == pytest.approx(expected)


def test_a_soft_vote_is_the_mean_of_the_probabilities() -> None:
    classifier = pytest.importorskip("mlxtend.classifier")
    models = [mercer.NaiveBayes(), mercer.LogisticRegression()]
    vote = classifier.EnsembleVoteClassifier(models, voting="soft").fit(X, Y)
    expected = np.mean([m.fit(X, Y).predict_proba(X) for m in models], axis=0)
    np.testing.assert_allclose(vote.predict_proba(X), expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:matplotlib", "ignore::DeprecationWarning:mlxtend")
def test_decision_regions_are_drawn() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    plotting = pytest.importorskip("mlxtend.plotting")
    classes = (Y == "yes").astype(int)
    axes = plotting.plot_decision_regions(
        NUMBERS.to_numpy(), classes, clf=mercer.SVC().fit(NUMBERS.to_numpy(), classes), legend=0
    )
    assert len(axes.collections) >= 2  # the regions and the rows of both classes

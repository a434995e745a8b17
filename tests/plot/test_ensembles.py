"""Pictures of ensembles hold their trajectory, weights and scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import mercer
from mercer import plot
from mercer.errors import MercerError

X, Y = load_iris(return_X_y=True)
QUICK = ["naive_bayes", "linear"]


@pytest.mark.parametrize("bags", [1, 3])
def test_the_trajectory_holds_the_score_of_every_step(bags):
    model = mercer.EnsembleSelection(QUICK, metric="log_loss", combiner=mercer.Forward(steps=5, bags=bags)).fit(X, Y)
    ax = plot.ensemble_trajectory(model)
    assert_allclose([line.get_ydata() for line in ax.lines[:bags]], model.trajectory_)
    assert_allclose(ax.lines[bags].get_ydata()[0], min(member.score for member in model.members_))
    assert_allclose(ax.lines[bags + 1].get_ydata()[0], model.score_)


def test_members_are_bars_with_their_scores():
    model = mercer.EnsembleSelectionRegressor(["linear", "tree"], combiner="stacking").fit(X[:, :3], X[:, 3])
    ax = plot.ensemble_members(model)
    assert_allclose([bar.get_width() for bar in ax.patches], model.weights_)
    assert {text.get_text().strip() for text in ax.texts} == {f"{m.score:.4g} alone" for m in model.members_}
    with pytest.raises(MercerError, match="no steps to draw"):
        plot.ensemble_trajectory(model)


def test_other_models_are_refused():
    for model in (mercer.NaiveBayes().fit(X, Y), mercer.EnsembleSelection(), np.zeros(3)):
        with pytest.raises(MercerError, match="is no fitted ensemble"):
            plot.ensemble_members(model)

"""Trees on plain arrays against scikit-learn's: methods and attributes give what theirs give."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier as Rival
from sklearn.tree import DecisionTreeRegressor as RivalRegressor

import mercer

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
PAIRS = [(mercer.DecisionTreeClassifier, Rival, IRIS), (mercer.DecisionTreeRegressor, RivalRegressor, DIABETES)]


@pytest.mark.parametrize(("own", "rival", "data"), PAIRS)
def test_the_parameters_of_scikit_learn_have_its_defaults(own, rival, data):
    mine, theirs = (inspect.signature(c).parameters for c in (own, rival))
    shared = [name for name in theirs if name in mine]
    assert list(mine)[: len(shared)] == shared
    assert [(mine[n].default, mine[n].kind) for n in shared] == [(theirs[n].default, theirs[n].kind) for n in shared]


@pytest.mark.parametrize(("own", "rival", "data"), PAIRS)
def test_paths_of_rows_and_of_pruning(own, rival, data):
    X, y = data
    mine, theirs = own(min_samples_leaf=20).fit(X, y), rival(min_samples_leaf=20, random_state=0).fit(X, y)
    ours, reference = (model.decision_path(X) for model in (mine, theirs))
    assert ours.shape == reference.shape
    np.testing.assert_array_equal(ours.sum(axis=1), reference.sum(axis=1))
    np.testing.assert_array_equal(ours[np.arange(len(X)), mine.apply(X)], 1)
    np.testing.assert_array_equal(np.sort(ours.sum(axis=0)), np.sort(reference.sum(axis=0)))
    ours, reference = (model.cost_complexity_pruning_path(X, y) for model in (mine, theirs))
    np.testing.assert_allclose(ours.ccp_alphas, reference.ccp_alphas, atol=1e-12)
    np.testing.assert_allclose(ours.impurities, reference.impurities, atol=1e-12)


def test_log_probabilities_and_other_names_of_the_criterion():
    X, y = IRIS
    model = mercer.DecisionTreeClassifier(criterion="log_loss", max_depth=2).fit(X, y)
    rival = Rival(criterion="log_loss", max_depth=2, random_state=0).fit(X, y)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), rival.predict_log_proba(X), rtol=1e-12)
    with pytest.warns(FutureWarning, match="friedman_mse"):
        named = mercer.DecisionTreeRegressor(criterion="friedman_mse", max_depth=3)
    plain = mercer.DecisionTreeRegressor(max_depth=3).fit(X, y)
    np.testing.assert_array_equal(named.fit(X, y).predict(X), plain.predict(X))

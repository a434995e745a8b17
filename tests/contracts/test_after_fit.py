"""A parameter set to another value after a fit changes no answer, or asks for another fit."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import mercer
from mercer.errors import MercerError
from mercer.parameters import Choice

from .estimators import FEW_TREES, exported

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(60, 3)))
# Three classes: "ovo" and "ovr" then have three problems each, which must not be taken for each other.
Y = np.digitize(X[:, 0] + 0.2 * RNG.normal(size=60), [0.4, 0.9])
METHODS = ("predict", "decision_function", "predict_proba", "transform", "to_state")
OTHERS = (mercer.OneClassSVM, mercer.SVDD, mercer.KernelComponents, mercer.Nystroem, mercer.RandomFeatures)
# Parameters that predictions go by, of every class or of one.
OF_PREDICTIONS: dict[str, set[type[Any]] | None] = {
    "decision_function_shape": None,
    "break_ties": None,
    "precision": None,
    "correct": {mercer.BalancedBagging, mercer.Resampled},
    "decoding": {mercer.OutputCode},
    "kernel": {mercer.LocallyWeightedRegression},
}


def _values(learner: Any, name: str, now: Any) -> list[Any]:
    """Values beside the present one, where a parameter is one of a few."""
    parameter = learner.parameters[name]
    if isinstance(now, bool):
        return [not now]
    words = getattr(parameter, "words", ())
    options = parameter.values() if isinstance(parameter, Choice) else words if isinstance(words, tuple) else ()
    return [option for option in options if option != now]


def _answer(model: Any, method: str) -> Any:
    try:
        return model.to_state() and None if method == "to_state" else np.asarray(getattr(model, method)(X))
    except (MercerError, NotFittedError) as error:
        return error


def _refuse_other_answers(model: Any, before: dict[str, Any], changed: str, *, may_differ: bool) -> None:
    for method in METHODS:
        if not hasattr(model, method):
            continue
        found = _answer(model, method)
        if isinstance(found, Exception):
            assert "fit it again" in str(found).lower(), f"{changed}, {method}: {found}"
        elif found is not None and not may_differ:
            np.testing.assert_array_equal(found, before[method], err_msg=f"{changed}, {method}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [*exported(), *OTHERS])
def test_no_parameter_set_after_a_fit_changes_an_answer(learner: Any) -> None:
    given = {"random_state": 0} if "random_state" in inspect.signature(learner).parameters else {}
    given = FEW_TREES if "bootstrap" in learner.parameters else given
    model = learner(**given).fit(X, Y)
    before = {method: _answer(model, method) for method in METHODS if hasattr(model, method)}
    for name in learner.parameters:
        now = model.get_params(deep=False)[name]
        everywhere = OF_PREDICTIONS.get(name, set())
        for value in _values(learner, name, now):
            model.set_params(**{name: value})
            may_differ = everywhere is None or learner in everywhere
            _refuse_other_answers(model, before, f"{name}={value!r}", may_differ=may_differ)
        model.set_params(**{name: now})

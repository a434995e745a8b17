"""scikit-learn's estimators of several targets in model files: MultiOutput* and chains."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier, MultiOutputRegressor, RegressorChain

from mercer.combine.adapted.adapter import N_JOBS, SPLITTER, Adapter
from mercer.combine.members import EstimatorParameter, adapt, members_state, read_members
from mercer.errors import BadFile
from mercer.parameters import RANDOM_STATE, VERBOSE, Choice, Either, ListOf, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Schema

CLASSIFIER = EstimatorParameter("a classifier", is_classifier, optional=False)
REGRESSOR = EstimatorParameter("a regressor", is_regressor, optional=False)
SEVERAL = (MultiOutputClassifier, MultiOutputRegressor, ClassifierChain, RegressorChain)
RESPONSES = ("predict", "predict_proba", "predict_log_proba", "decision_function")


def _write_each(model: Any) -> State:
    return {"estimators": members_state(model.estimators_)}


def _restore_each(model: Any, state: Reader) -> list[Any]:
    """One model a target; each has classes where the whole has."""
    model.estimators_ = read_members(state, "estimators")
    if not all(is_classifier(one) == is_classifier(model) for one in model.estimators_):
        raise BadFile(f"{state.where}.estimators: classes or numbers, as the whole model predicts, are expected.")
    if is_classifier(model):
        model.classes_ = [one.classes_ for one in model.estimators_]
    return list(model.estimators_)


def _write_chain(model: Any) -> State:
    return {
        **_write_each(model),
        "order": np.asarray(model.order_, dtype=np.int64),
        "response": getattr(model, "chain_method_", "predict"),
        "names": [str(name) for name in getattr(model, "feature_names_in_", ())],
    }


def _restore_chain(model: Any, state: Reader) -> list[Any]:
    models = _restore_each(model, state)
    model.order_ = state.array("order", "int64", (len(models),), low=0)
    response = state.text("response", RESPONSES)
    if sorted(model.order_.tolist()) != list(range(len(models))):
        raise BadFile(f"{state.where}.order: each of the {len(models)} targets once is expected.")
    widths = [one.n_features_in_ for one in models]
    if widths != list(range(widths[0], widths[0] + len(models))):
        raise BadFile(f"{state.where}.estimators: each is expected to see one target more than the one before.")
    if is_classifier(model):
        model.chain_method_ = response
    _name_columns(model, models[0], state)
    return models


def _name_columns(model: Any, first: Any, state: Reader) -> None:
    """A chain knows the names of the columns; its models see an array."""
    names, schema = state.texts("names"), first.schema_
    model.n_features_in_, model.schema_ = first.n_features_in_, schema
    if names:
        if len(names) != len(schema) or len(set(names)) < len(names):
            raise BadFile(f"{state.where}.names: {len(schema)} different names are expected.")
        model.feature_names_in_ = np.array(names, dtype=object)
        model.schema_ = Schema(tuple(replace(c, name=n) for c, n in zip(schema, names, strict=True)))


def _each(parameter: EstimatorParameter) -> Parameters:
    return {"estimator": parameter, "n_jobs": N_JOBS}


def _chain(parameter: EstimatorParameter) -> Parameters:
    return {
        "estimator": parameter,
        "order": Either(Choice(("random", None)), ListOf(Number(0, whole=True))),
        "cv": Either(Number(2, whole=True, optional=True), SPLITTER),
        "random_state": RANDOM_STATE,
        "verbose": VERBOSE,
    }


adapt(Adapter(MultiOutputClassifier, _each(CLASSIFIER), _write_each, _restore_each))
adapt(Adapter(MultiOutputRegressor, _each(REGRESSOR), _write_each, _restore_each))
adapt(Adapter(RegressorChain, _chain(REGRESSOR), _write_chain, _restore_chain))
adapt(
    Adapter(
        ClassifierChain,
        {**_chain(CLASSIFIER), "chain_method": Choice(RESPONSES)},
        _write_chain,
        _restore_chain,
    )
)

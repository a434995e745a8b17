"""CalibratedClassifierCV and FrozenEstimator in model files.

A calibrator is two numbers (sigmoid), knots and heights (isotonic) or one number (temperature). scikit-learn has no
public way to put these back, so that its own classes of calibrators are looked up by name, in this module alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import calibration
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from mercer.combine.adapted.adapter import N_JOBS, SPLITTER, Adapter
from mercer.combine.members import CLASSIFIER, FittedParameter, adapt, members_state, read_members
from mercer.errors import BadFile
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.parameters import Choice, Either, Flag, Number
from mercer.state import Reader, State

METHODS = ("sigmoid", "isotonic", "temperature")


def _write_calibrated(model: CalibratedClassifierCV) -> State:
    pairs = model.calibrated_classifiers_
    return {
        "classes": labels_state(np.asarray(model.classes_)),
        "estimators": members_state(pair.estimator for pair in pairs),
        "calibrators": [{"parts": [_calibrator_state(part) for part in pair.calibrators]} for pair in pairs],
    }


def _restore_calibrated(model: CalibratedClassifierCV, state: Reader) -> list[Any]:
    model.classes_ = labels_from_state(state.child("classes"))
    models, calibrators = read_members(state, "estimators"), state.children("calibrators")
    if not models or len(models) != len(calibrators):
        raise BadFile(f"{state.where}.calibrators: as many as estimators are expected.")
    pairs = zip(models, calibrators, strict=True)
    model.calibrated_classifiers_ = [_pair(inner, found, model.classes_, model.method) for inner, found in pairs]
    return models


def _pair(inner: Any, state: Reader, classes: Any, method: str) -> Any:
    """One model with its calibrators: one of two classes and of a temperature, one for each of several."""
    own = getattr(inner, "classes_", np.empty(0))
    fits = len(own) == len(classes) if method == "temperature" else np.isin(own, classes).all()  # of codes there
    if not len(own) or not fits:
        raise BadFile(f"{state.where}: its model has other classes.")
    n = 1 if len(own) == 2 or method == "temperature" else len(own)
    parts = state.children("parts")
    if len(parts) != n:
        raise BadFile(f"{state.where}.parts: {n} calibrators are expected.")
    return calibration._CalibratedClassifier(
        inner, [_calibrator(part, method) for part in parts], classes=classes, method=method
    )


def _calibrator_state(part: Any) -> State:
    if isinstance(part, IsotonicRegression):
        return {
            "knots": np.asarray(part.X_thresholds_, dtype=np.float64),
            "heights": np.asarray(part.y_thresholds_, dtype=np.float64),
        }
    if hasattr(part, "beta_"):
        return {"beta": float(part.beta_)}
    return {"a": float(part.a_), "b": float(part.b_)}


def _calibrator(state: Reader, method: str) -> Any:
    if method == "isotonic":
        knots = state.array("knots", "float64", (None,))
        heights = state.array("heights", "float64", (len(knots),), low=0.0, high=1.0)
        if not len(knots) or (np.diff(knots) <= 0).any() or (np.diff(heights) < 0).any():
            raise BadFile(f"{state.where}: heights rise from the first knot to the last.")
        found = IsotonicRegression(out_of_bounds="clip").fit(knots, heights)  # what rises already stays as it is
    elif method == "temperature":
        if not hasattr(calibration, "_TemperatureScaling"):
            raise BadFile(f"{state.where}: a temperature needs scikit-learn 1.8 or later.")
        found = calibration._TemperatureScaling()
        found.beta_ = np.float64(state.number("beta", 0.0))
    else:
        found = calibration._SigmoidCalibration()
        found.a_, found.b_ = state.number("a"), state.number("b")
    state.finish()
    return found


CALIBRATED = Adapter(
    CalibratedClassifierCV,
    {
        "estimator": CLASSIFIER,
        "method": Choice(METHODS),
        "cv": Either(Number(2, whole=True, optional=True), SPLITTER),
        "n_jobs": N_JOBS,
        "ensemble": Either(Flag(), Choice(("auto",))),
    },
    _write_calibrated,
    _restore_calibrated,
)
FROZEN = Adapter(
    FrozenEstimator,
    {"estimator": FittedParameter()},
    lambda model: {},
    lambda model, state: [model.estimator],
)
adapt(CALIBRATED)
adapt(FROZEN)

"""The classes that a model file may name: a closed list, of the records of the learners, `combine` and its adapters.

A name in a file is looked up in this dict; it is never imported, never resolved.
"""

from __future__ import annotations

from mercer.combine.adapted import calibrated, recalibrated, several
from mercer.combine.ensemble.classifier import EnsembleSelection
from mercer.combine.ensemble.regressor import EnsembleSelectionRegressor
from mercer.combine.members import ADAPTED, STORABLE, class_named, model_state, name_of, read_model
from mercer.combine.multiclass.one_vs_one import OneVsOne
from mercer.combine.multiclass.one_vs_rest import OneVsRest
from mercer.combine.multiclass.output_code import OutputCode
from mercer.combine.resample.bagging import BalancedBagging
from mercer.combine.resample.resampled import Resampled

# imported, so that they are in the list
COMBINED = (
    BalancedBagging,
    EnsembleSelection,
    EnsembleSelectionRegressor,
    OneVsOne,
    OneVsRest,
    OutputCode,
    Resampled,
)
ADAPTERS = (calibrated, recalibrated, several)

__all__ = ["ADAPTED", "ADAPTERS", "COMBINED", "STORABLE", "class_named", "model_state", "name_of", "read_model"]

"""The classes that a model file may name: a closed list, taken from the records of the learners and from `combine`.

A name in a file is looked up in this dict; it is never imported, never resolved.
"""

from __future__ import annotations

from mercer.combine.ensemble.classifier import EnsembleSelection
from mercer.combine.ensemble.regressor import EnsembleSelectionRegressor
from mercer.combine.members import STORABLE, class_named, name_of
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

__all__ = ["COMBINED", "STORABLE", "class_named", "name_of"]

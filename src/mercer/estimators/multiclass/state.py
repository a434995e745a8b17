"""What a model file holds of a classifier by binary problems, read with checks: classes, code, calibrators."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mercer.errors import BadFile
from mercer.estimators.common.labels import labels_from_state
from mercer.estimators.multiclass.codes import Code, checked_code
from mercer.select.calibration import Calibrator
from mercer.state import Reader


def two_classes_from_state(state: Reader) -> NDArray[Any]:
    """The labels under "classes", two or more."""
    classes = labels_from_state(state.child("classes"))
    if len(classes) < 2:
        raise BadFile(f"{state.where}.classes: expected two or more.")
    return classes


def code_book_from_state(state: Reader, n_classes: int) -> Code:
    """The code under "code_book", a row for each class."""
    return checked_code(state.array("code_book", "int8", (n_classes, None), low=-1, high=1), n_classes)


def calibrators_from_state(state: Reader, n_problems: int) -> list[Calibrator]:
    """The curves under "calibrators", one for each binary problem."""
    found = [Calibrator.from_state(s) for s in state.children("calibrators")]
    if len(found) != n_problems:
        raise BadFile(f"{state.where}.calibrators: expected {n_problems}.")
    return found

"""What constructor parameters may be: declared once, checked in `fit`, written to a model file and read from it.

A class says what it takes in one table,

    parameters: ClassVar[Parameters] = {"C": Number(0, above=True, words=("cv",)), "loss": Choice(Loss), ...}

where `Loss = Literal["hinge", "squared_hinge"]` is also the parameter's annotation. `check_parameters` refuses the
first value outside its set with scikit-learn's sentence; `parameters_state` and `read_parameters` are inverse.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer.errors import BadFile, BadParameter, close_names
from mercer.parameter_kinds.base import HasParameters, Parameter, Parameters
from mercer.parameter_kinds.collections import Dictionary, ListOf, Mapped, Numbers, Texts
from mercer.parameter_kinds.objects import RANDOM_STATE, VERBOSE, Either, Part, Unstored
from mercer.parameter_kinds.scalars import MOST_STEPS, Choice, Flag, Number, Text
from mercer.state import Reader, State

__all__ = [
    "MOST_STEPS",
    "RANDOM_STATE",
    "VERBOSE",
    "Choice",
    "Dictionary",
    "Either",
    "Flag",
    "HasParameters",
    "ListOf",
    "Mapped",
    "Number",
    "Numbers",
    "Parameter",
    "Parameters",
    "Part",
    "Text",
    "Texts",
    "Unstored",
    "check_parameters",
    "check_value",
    "parameters_state",
    "read_parameters",
]


def check_parameters(owner: HasParameters, names: Iterable[str] | None = None) -> None:
    """BadParameter for the first value, of all parameters or of those named, that is not accepted.

    Numbers of NumPy become Python's: twice an int8 of 100 is -56, and its root has four digits.
    """
    for name in owner.parameters if names is None else names:
        value = getattr(owner, name)
        check_value(name, value, owner.parameters[name], type(owner).__name__)
        if isinstance(value, np.integer | np.floating):
            setattr(owner, name, value.item())


def check_value(name: str, value: Any, parameter: Parameter, owner: str) -> None:
    """BadParameter if the parameter of that name does not accept the value; `owner` is the class or function."""
    if parameter.accepts(value):
        return
    near = close_names(value, _words(parameter)) if isinstance(value, str) else []
    hint = f" Did you mean {near[0]!r}?" if near else ""
    finite = ", and finite" if isinstance(value, float) and np.isinf(value) else ""
    said = f"must be {parameter}{finite}. Got {reprlib.repr(value)} instead.{hint}"
    raise BadParameter(f"The {name!r} parameter of {owner} {said}")


def _words(parameter: Parameter) -> list[str]:
    """The texts that a parameter accepts, where they are a closed set."""
    if isinstance(parameter, Either):
        return [word for case in parameter.cases for word in _words(case)]
    options = parameter.values() if isinstance(parameter, Choice) else getattr(parameter, "words", ())
    return [option for option in options if isinstance(option, str)]


def parameters_state(owner: Any, parameters: Parameters | None = None) -> State:
    """The values of all declared parameters, its own unless they are given, as plain data; what is None is left out."""
    declared: Parameters = owner.parameters if parameters is None else parameters
    written = {name: parameter.write(getattr(owner, name)) for name, parameter in declared.items()}
    return {name: value for name, value in written.items() if value is not None}


def read_parameters(state: Reader, parameters: Parameters) -> dict[str, Any]:
    """The stored values, each checked."""
    values = {name: parameter.read(state, name) for name, parameter in parameters.items()}
    for name, parameter in parameters.items():
        if not parameter.accepts(values[name]) and not isinstance(parameter, Unstored):
            raise BadFile(f"{state.where}.{name}: expected {parameter}.")
    state.finish()
    return values

"""What a model file needs to hold an estimator of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mercer.errors import BadFile, MercerError
from mercer.parameters import Number, Parameters, Unstored, parameters_state, read_parameters
from mercer.state import Reader, State

N_JOBS = Number(-(2**31), 2**31, whole=True, optional=True)
SPLITTER = Unstored("a splitter", lambda cv: hasattr(cv, "split") or (hasattr(cv, "__iter__") and cv != "prefit"))


@dataclass(frozen=True, slots=True)
class Adapter:
    """An estimator of scikit-learn as plain data.

    Attributes
    ----------
    estimator : type
        Its class.
    parameters : Parameters
        What its constructor takes; a splitter is read back as None.
    write : callable
        The state of what `fit` found.
    restore : callable
        Sets that on an estimator that has its parameters, every value checked, and gives the fitted models inside.
    """

    estimator: type[Any]
    parameters: Parameters
    write: Callable[[Any], State]
    restore: Callable[[Any, Reader], list[Any]]

    def to_state(self, model: Any) -> State:
        """Parameters and what `fit` found."""
        for name, parameter in self.parameters.items():
            if not parameter.accepts(value := getattr(model, name)):
                given = f"{name}={value!r} of {type(model).__name__}"
                raise MercerError(f"{given} cannot be stored in a file. Storable: {parameter}.")
        return {"parameters": parameters_state(model, self.parameters), "fitted": self.write(model)}

    def from_state(self, state: Reader) -> Any:
        """The fitted estimator; its `schema_` is that of the first model inside, unless `restore` set another."""
        model = self.estimator(**read_parameters(state.child("parameters"), self.parameters))
        fitted = state.child("fitted")
        inside = self.restore(model, fitted)
        fitted.finish()
        state.finish()
        _share_input(model, inside, state.where)
        return model


def _share_input(model: Any, inside: list[Any], where: str) -> None:
    """What the first model was fitted to, as scikit-learn has it, and its schema, by which rows are read."""
    if not inside or not hasattr(inside[0], "schema_"):
        raise BadFile(f"{where}: there is no fitted model inside.")
    if hasattr(model, "schema_"):
        return
    for name in ("schema_", "n_features_in_", "feature_names_in_"):
        if hasattr(inside[0], name) and not hasattr(type(model), name):
            setattr(model, name, getattr(inside[0], name))

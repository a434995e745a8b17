"""Estimators that an estimator is made of: as a constructor parameter, and fitted, as plain data for a model file.

The names in a file are looked up in closed dicts: the records of the learners, the classes of this package that are
marked with `@storable`, and scikit-learn's that `adapted` has an adapter for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sklearn.base import is_classifier

from mercer.errors import BadFile, MercerError, did_you_mean
from mercer.estimators.registry import LEARNERS
from mercer.parameters import Parameters, parameters_state, read_parameters
from mercer.state import Reader, State

Estimator = TypeVar("Estimator", bound=type[Any])
STORABLE: dict[str, type[Any]] = {m.estimator.__name__: m.estimator for one in LEARNERS for m in one.models}


class StateAdapter(Protocol):
    """How an estimator of another library is stored: see `adapted.adapter`."""

    @property
    def estimator(self) -> type[Any]: ...

    @property
    def parameters(self) -> Parameters: ...

    def to_state(self, model: Any) -> State: ...

    def from_state(self, state: Reader) -> Any: ...


ADAPTED: dict[str, StateAdapter] = {}


def adapt(adapter: StateAdapter) -> None:
    """A model file may name the class of this adapter."""
    ADAPTED[adapter.estimator.__name__] = adapter


def storable(cls: Estimator) -> Estimator:
    """A decorator of estimators made of others: a model file may name them."""
    STORABLE[cls.__name__] = cls
    return cls


def name_of(model: Any) -> str:
    """The name under which a model is stored; an error when it cannot be."""
    name = type(model).__name__
    known = ADAPTED[name].estimator if name in ADAPTED else STORABLE.get(name)
    if known is not type(model):
        names = ", ".join(sorted([*STORABLE, *ADAPTED]))
        raise MercerError(f"A {name} cannot be stored in a file. Storable: {names}.")
    return name


def class_named(name: str) -> type[Any] | StateAdapter:
    """What builds the class of that name in the closed lists: it has `from_state` and `parameters`."""
    if name in ADAPTED:
        return ADAPTED[name]
    if name not in STORABLE:
        raise BadFile(f"There is no class {name[:60]!r} to build. {did_you_mean(name[:60], [*STORABLE, *ADAPTED])}")
    return STORABLE[name]


def model_state(model: Any) -> State:
    """A fitted model with the name of its class."""
    name = name_of(model)
    return {"class": name, "state": ADAPTED[name].to_state(model) if name in ADAPTED else model.to_state()}


def read_model(state: Reader) -> Any:
    """The model that `model_state` wrote, every value checked."""
    return class_named(state.text("class")).from_state(state.child("state"))


def members_state(models: Iterable[Any]) -> list[State]:
    """Fitted models, each with the name of its class."""
    return [model_state(model) for model in models]


def read_members(state: Reader, key: str) -> list[Any]:
    """The models that `members_state` wrote, every value checked."""
    return [read_model(child) for child in state.children(key)]


@dataclass(frozen=True, slots=True)
class EstimatorParameter:
    """An estimator as a constructor parameter, also one of another library; a file holds those of ours."""

    noun: str
    check: Callable[[Any], bool]
    optional: bool = True

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, type):
            return value is None and self.optional
        return hasattr(value, "fit") and hasattr(value, "get_params") and self.check(value)

    def write(self, value: Any) -> Any:
        if value is None:
            return None
        name = name_of(value)
        return {"class": name, "parameters": parameters_state(value, class_named(name).parameters)}

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        inside = state.child(name)
        cls = class_named(inside.text("class"))
        make = cls if isinstance(cls, type) else cls.estimator
        model = make(**read_parameters(inside.child("parameters"), cls.parameters))
        inside.finish()
        return model

    def __str__(self) -> str:
        return self.noun + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class FittedParameter:
    """A fitted model as a constructor parameter, as FrozenEstimator has it."""

    def accepts(self, value: Any) -> bool:
        return hasattr(value, "fit") and not isinstance(value, type)

    def write(self, value: Any) -> Any:
        return model_state(value)

    def read(self, state: Reader, name: str) -> Any:
        return read_model(state.child(name))

    def __str__(self) -> str:
        return "a fitted model"


CLASSIFIER = EstimatorParameter("a classifier", is_classifier)

"""Estimators that an estimator is made of: as a constructor parameter, and fitted, as plain data for a model file.

The names in a file are looked up in one closed dict: the records of the learners, and the classes of this room that
are marked with `@storable`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from sklearn.base import is_classifier

from mercer.errors import BadFile, MercerError, did_you_mean
from mercer.estimators.registry import LEARNERS
from mercer.parameters import parameters_state, read_parameters
from mercer.state import Reader, State

Estimator = TypeVar("Estimator", bound=type[Any])
STORABLE: dict[str, type[Any]] = {m.estimator.__name__: m.estimator for one in LEARNERS for m in one.models}


def storable(cls: Estimator) -> Estimator:
    """A decorator of estimators made of others: a model file may name them."""
    STORABLE[cls.__name__] = cls
    return cls


def name_of(model: Any) -> str:
    """The name under which a model is stored; an error when it cannot be."""
    name = type(model).__name__
    if STORABLE.get(name) is not type(model):
        raise MercerError(f"A {name} cannot be stored in a file. Storable: {', '.join(sorted(STORABLE))}.")
    return name


def class_named(name: str) -> type[Any]:
    """The class of that name in the closed list."""
    if name not in STORABLE:
        raise BadFile(f"There is no class {name[:60]!r} to build. {did_you_mean(name[:60], STORABLE)}")
    return STORABLE[name]


def members_state(models: Iterable[Any]) -> list[State]:
    """Fitted models, each with the name of its class."""
    return [{"class": name_of(model), "state": model.to_state()} for model in models]


def read_members(state: Reader, key: str) -> list[Any]:
    """The models that `members_state` wrote, every value checked."""
    return [class_named(child.text("class")).from_state(child.child("state")) for child in state.children(key)]


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
        return None if value is None else {"class": name_of(value), "parameters": parameters_state(value)}

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        inside = state.child(name)
        cls = class_named(inside.text("class"))
        model = cls(**read_parameters(inside.child("parameters"), cls.parameters))
        inside.finish()
        return model

    def __str__(self) -> str:
        return self.noun + (" or None" if self.optional else "")


CLASSIFIER = EstimatorParameter("a classifier", is_classifier)

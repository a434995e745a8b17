"""The classes that a model file may name: a closed list, taken from the records of the learners.

A name in a file is looked up in this dict; it is never imported, never resolved.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

from mercer.errors import BadFile, MercerError, did_you_mean
from mercer.estimators.registry import LEARNERS
from mercer.state import Reader, State


class Storable(Protocol):
    """What can be written to a model file."""

    def to_state(self) -> State: ...

    @classmethod
    def from_state(cls, state: Reader) -> Self: ...


STORABLE: dict[str, type[Storable]] = {m.estimator.__name__: m.estimator for one in LEARNERS for m in one.models}


def name_of(model: Any) -> str:
    """The name under which a model is stored; an error when it cannot be."""
    name = type(model).__name__
    if STORABLE.get(name) is not type(model):
        raise MercerError(f"A {name} cannot be stored in a file. Storable: {', '.join(sorted(STORABLE))}.")
    return name


def class_named(name: str) -> type[Storable]:
    """The class of that name in the closed list."""
    if name not in STORABLE:
        raise BadFile(f"There is no class {name[:60]!r} to build. {did_you_mean(name[:60], STORABLE)}")
    return STORABLE[name]

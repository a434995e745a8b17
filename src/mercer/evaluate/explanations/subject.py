"""A fitted model, and what is needed to speak about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import getdoc
from typing import Any

import numpy as np

from mercer.evaluate.run import Ground, Trial


@dataclass(frozen=True)
class Subject:
    """The model to be explained: of the whole table when it is the winner, of the training part when not.

    `classes` are the names of the model's classes, in its order; `columns` those of the table, most important first.
    """

    model: Any
    classes: tuple[str, ...]
    trial: Trial
    ground: Ground
    columns: Sequence[str]
    full: bool

    @classmethod
    def of(cls, trial: Trial, ground: Ground, columns: Sequence[str], winner: Any = None) -> Subject:
        model = trial.model if winner is None else winner
        found = getattr(model, "classes_", np.empty(0))
        names = found if winner is not None else [ground.target.classes[int(c)] for c in found]
        return cls(model, tuple(str(n) for n in names), trial, ground, columns, winner is not None)


def formula(part: object) -> str:
    """The first line of a part's description: in this house, its formula."""
    return (getdoc(type(part)) or type(part).__name__).splitlines()[0].rstrip(".")

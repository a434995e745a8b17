"""The target of new rows, where it is known: its numbers as the model has them, or the places of its classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.store import StoredModel
from mercer.table import Column, Kind, Schema, Source, infer
from mercer.table.build import build, new_rows


def number_schema(stored: StoredModel, alone: Source, name: str) -> Schema:
    """The column of a target of numbers: written as it was learned, or as it is here where the file does not tell."""
    learned = stored.card.notation
    return infer(alone, {name: "numeric"}) if learned is None else Schema((Column(name, Kind.NUMERIC, format=learned),))


def known_numbers(stored: StoredModel, alone: Source, name: str) -> Floats:
    """The numbers of a target, NaN where there is none; BadColumn where cells are not what was learned."""
    return np.asarray(new_rows(alone, number_schema(stored, alone, name)).numbers()[:, 0], dtype=np.float64)


def class_places(classes: Sequence[str], alone: Source, name: str) -> Longs:
    """The place of each row's class, -1 where there is none, and the number of classes for a class never seen."""
    codes = build(alone, Schema((Column(name, Kind.CATEGORY, tuple(classes)),))).codes()[:, 0]
    return np.asarray(codes, dtype=np.int64)

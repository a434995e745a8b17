"""What a model learned about its columns, short enough to read: the lines that tell the classes apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_COLUMNS = 6
MOST_ROWS = 10
MOST_CLASSES = 6


@dataclass(frozen=True, slots=True)
class LearnedTable:
    """One column: a line per level, word or statistic; a value per class."""

    column: str
    likelihood: str
    classes: list[str]
    rows: list[str]
    values: list[list[float]]
    is_probability: bool
    n_rows: int  # before it was shortened


def learned_tables(model: Any, order: Sequence[str], names: Sequence[str]) -> list[LearnedTable]:
    """The tables of a model that has them (`model.tables()`), for the columns that matter most first.

    order : columns, the most important first; names : of the model's classes
    """
    tables = model.tables()
    place = {name: i for i, name in enumerate(order)}
    ranked = sorted(tables, key=lambda t: place.get(t.name, len(place)))[:MOST_COLUMNS]
    common = np.sort(np.argsort(-tables.count, kind="stable")[:MOST_CLASSES])
    classes = [names[c] for c in common]
    return [_shorten(t, tables.prior, common, classes) for t in ranked]


def _shorten(table: Any, prior: NDArray[np.float64], common: NDArray[np.int64], classes: list[str]) -> LearnedTable:
    values = np.asarray(table.values, dtype=np.float64)
    counted = table.counts is not None
    rows = np.array([i for i, name in enumerate(table.rows) if counted or name != "variance"], dtype=np.int64)
    if counted and len(rows) > MOST_ROWS:
        rows = np.argsort(-telling(values, prior), kind="stable")[:MOST_ROWS]
    return LearnedTable(
        table.name,
        table.likelihood,
        classes,
        [str(table.rows[i]) for i in rows[:MOST_ROWS]],
        [[float(v) for v in values[i, common]] for i in rows[:MOST_ROWS]],
        counted,
        len(table.rows) if counted else len(rows),
    )


def telling(values: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """sum_c P(c) p(v | c) log(p(v | c) / p(v)): what each level adds to the information about the class."""
    overall = values @ prior
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(values > 0, values * np.log(values / overall[:, None]), 0.0)
    return np.asarray(gains @ prior)

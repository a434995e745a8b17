"""What drives the predictions: how much the score falls when one column is shuffled among the rows checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.table import Kind, Table
from mercer.table.blocks import Codes, Numbers, Texts

REPEATS = 5
MOST_ROWS = 4000  # rows shuffled and predicted; more change the third decimal only
MOST_COLUMNS = 1000
_CELLS = 2e8  # cells predicted in all: fewer rows when there are many columns


@dataclass(frozen=True, slots=True)
class Importance:
    """Fall of the main metric when the column is shuffled: mean and standard deviation over the repeats."""

    column: str
    mean: float
    spread: float


def permutation_importance(
    table: Table, score: Callable[[Table, NDArray[np.int64]], float], seed: int, repeats: int = REPEATS
) -> list[Importance]:
    """Every column, largest fall first (Breiman 2001; on held-out rows, so memorised columns gain nothing).

    score : of a table standing for the given rows of the held-out part; higher is better.
    Empty for a sparse table or one with more than MOST_COLUMNS columns: there, single columns hardly matter.
    """
    n_columns = len(table.schema)
    if table.is_sparse or n_columns > MOST_COLUMNS or n_columns < 1:
        return []
    rng = np.random.default_rng(seed)
    affordable = int(_CELLS / (repeats * n_columns**2))
    rows = np.sort(rng.permutation(len(table))[: max(200, min(MOST_ROWS, affordable))])
    sample = table.take(rows)
    intact = score(sample, rows)
    found = []
    for name in table.columns:
        falls = [intact - score(shuffled(sample, name, rng), rows) for _ in range(repeats)]
        found.append(Importance(name, float(np.mean(falls)), float(np.std(falls, ddof=1))))
    return sorted(found, key=lambda f: -f.mean)


def shuffled(table: Table, name: str, rng: np.random.Generator) -> Table:
    """The table with the cells of one column in another order."""
    kind = table.schema[name].kind
    order = rng.permutation(len(table))
    if kind is Kind.NUMERIC:
        place = table.schema.of_kind(Kind.NUMERIC).index(name)
        return replace(table, number_block=Numbers(_moved(table.numbers(), place, order)))
    if kind is Kind.TEXT:
        place = table.schema.of_kind(Kind.TEXT).index(name)
        return replace(table, text_block=Texts(_moved(table.texts(), place, order)))
    place = [c.name for c in table.schema if c.kind.coded].index(name)
    return replace(table, code_block=Codes(_moved(table.codes(), place, order)))


def _moved(cells: NDArray[Any], place: int, order: NDArray[np.int64]) -> NDArray[Any]:
    changed = cells.copy(order="K")
    changed[:, place] = cells[order, place]
    return changed

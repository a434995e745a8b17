"""Sums of columns that an oblique test cuts: as columns with a readable name, and read back from a file."""

from __future__ import annotations

from mercer.arrays import Floats
from mercer.state import Reader
from mercer.table import Column, Kind


def with_combinations(columns: tuple[Column, ...], combinations: Floats) -> tuple[Column, ...]:
    """The columns of a tree: numbers, then a column for each combination of them, then coded columns."""
    numbers = tuple(c for c in columns if c.kind is Kind.NUMERIC)
    names = [c.name for c in numbers]
    sums = tuple(Column(sum_of(names, a), Kind.NUMERIC) for a in combinations)
    return (*numbers, *sums, *columns[len(numbers) :])


def sum_of(names: list[str], coefficients: Floats) -> str:
    """A linear combination as people write it.

    >>> import numpy as np
    >>> sum_of(["age", "height", "weight"], np.array([1.0, 0.0, -0.25]))
    'age - 0.25 weight'
    """
    text = ""
    for name, a in zip(names, coefficients.tolist(), strict=True):
        if a:
            sign = (" - " if a < 0 else " + ") if text else ("-" if a < 0 else "")
            text += sign + ("" if abs(a) == 1 else f"{abs(a):.4g} ") + name
    return text


def read_combinations(state: Reader, n_numbers: int) -> Floats:
    """(n, n_numbers) coefficients, two or more of them in each row."""
    combinations = state.array("combinations", "float64", (None, n_numbers))
    if ((combinations != 0).sum(axis=1) < 2).any():
        raise state.refuse("combinations", "two or more columns in each")
    return combinations

"""A code of classes: what makes it sound, how far apart its rows and columns are, and its binary problems.

A code is an array of shape (n_classes, n_problems) of +1, -1 and 0: in the problem of a column the classes with +1 are
told from those with -1, and those with 0 are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Ints
from mercer.errors import BadParameter

Code: TypeAlias = NDArray[np.int8]
TWO_CLASSES: Code = np.array([[-1], [1]], dtype=np.int8)


@dataclass(frozen=True, slots=True)
class BinaryProblem:
    """Two classes: the training rows, and +1 or -1 for each."""

    rows: Ints
    y: Floats

    def take(self, kept: Bools) -> BinaryProblem:
        """Some of the rows."""
        return BinaryProblem(self.rows[kept], self.y[kept])


def code_problems(code: Code, classes: Ints) -> list[BinaryProblem]:
    """The binary problem of each column for rows with these class codes."""
    of_class = [np.flatnonzero(classes == c).astype(np.int32) for c in range(len(code))]
    found = []
    for column in code.T:
        rows = np.sort(np.concatenate([of_class[c] for c in np.flatnonzero(column)]))
        found.append(BinaryProblem(rows, column[classes[rows]].astype(np.float64)))
    return found


def checked_code(code: Any, n_classes: int) -> Code:
    """The code as an array; BadParameter where it cannot tell the classes apart."""
    values = np.asarray(code)
    if values.ndim != 2 or values.dtype.kind not in "iuf" or not np.isin(values, (-1, 0, 1)).all():
        raise BadParameter("A code is a table of +1, -1 and 0 (left out): a row for each class, a column a problem.")
    if len(values) != n_classes:
        raise BadParameter(f"The code has {len(values)} rows, but there are {n_classes} classes: give a row for each.")
    flat = [j for j, column in enumerate(values.T) if not ((column > 0).any() and (column < 0).any())]
    if flat or not values.shape[1]:
        at = f"Column {flat[0]} of the code has not both signs" if flat else "The code has no columns"
        raise BadParameter(f"{at}: there is nothing to learn from it. Each column needs a +1 and a -1.")
    same = np.argwhere(np.triu((values[:, None] == values).all(axis=2), 1))
    if len(same):
        first, second = same[0]
        raise BadParameter(f"Rows {first} and {second} of the code are equal: these classes could not be told apart.")
    return values.astype(np.int8)


def row_distances(code: NDArray[Any]) -> Floats:
    """d(r, s) = sum_l (1 - m_rl m_sl) / 2, (n_classes, n_classes): Hamming's, a 0 counts half; infinite for r = s."""
    own = code.astype(np.float64)
    found: Floats = (own.shape[1] - own @ own.T) / 2
    np.fill_diagonal(found, np.inf)
    return found


def row_separation(code: Code) -> float:
    """The smallest distance of two rows: (d - 1) / 2 wrong bits, rounded down, are put right."""
    return float(row_distances(code).min())


def column_separation(code: Code) -> int:
    """In how many classes the two most alike columns differ, also when the signs of one are turned; 0: equal ones."""
    if code.shape[1] < 2:
        return len(code)
    own = code.astype(np.float64)
    used = np.abs(own)
    equal = own.T @ own  # agreements less disagreements, where both are used
    both, neither = used.T @ used, (1 - used).T @ (1 - used)
    alike = (both + np.abs(equal)) / 2 + neither
    np.fill_diagonal(alike, -1.0)
    return round(len(code) - float(alike.max()))

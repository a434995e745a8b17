"""Which support rows move a prediction by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.common.explanations.text_table import text_table

_MOST_ROWS = 10


@dataclass(frozen=True)
class SupportPath:
    """score = intercept + sum_j terms_j, terms_j = a_j k(x_j, x) over the support rows x_j, the strongest first.

    Above 0 the row is on the side of `for_class`, otherwise on that of `against_class`.
    """

    rows: NDArray[np.int64]  # places among the support rows
    similarity: Floats  # k(x_j, x)
    terms: Floats
    intercept: float
    for_class: Any
    against_class: Any

    @property
    def total(self) -> float:
        """The score of the row."""
        return float(self.intercept + self.terms.sum())

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        lines = [["support row", "similarity", "adds"], ["(intercept)", "", f"{self.intercept:+.4g}"]]
        for j in range(min(len(self), _MOST_ROWS)):
            lines.append([str(self.rows[j]), f"{self.similarity[j]:.4g}", f"{self.terms[j]:+.4g}"])
        if len(self) > _MOST_ROWS:
            lines.append([f"{len(self) - _MOST_ROWS} more", "", f"{self.terms[_MOST_ROWS:].sum():+.4g}"])
        lines.append(["(sum)", "", f"{self.total:+.4g}"])
        return f"{self.for_class} against {self.against_class}\n{text_table(lines)}"


def support_path(similarity: Floats, coef: Floats, intercept: float, classes: tuple[Any, Any]) -> SupportPath:
    """One row: k with each support row, their coefficients, and the classes (for, against)."""
    terms = coef * similarity
    order = np.argsort(-np.abs(terms), kind="stable")
    order = order[terms[order] != 0]
    return SupportPath(order, similarity[order], terms[order], intercept, *classes)

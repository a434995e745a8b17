"""The confusion matrix of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_CLASSES = 10  # with more, the most frequent confusions are listed
MOST_CONFUSIONS = 8

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """Rows of one true and one predicted class, and their share of the true class."""

    n: float
    share: float
    right: bool


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """The predictions for the rows of one true class."""

    label: str
    cells: list[Cell]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Rows of a true class predicted as another, and their share of the true class."""

    true: str
    predicted: str
    n: float
    share: float


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """The most frequent classes; `n_hidden` others; the most frequent confusions when there are others."""

    labels: list[str]
    rows: list[ConfusionRow]
    n_hidden: int
    confusions: list[Confusion]


def confusion_matrix(lines: list[Data], matrix: list[list[float]]) -> ConfusionMatrix | None:
    """The matrix of the most frequent classes; None without classes."""
    if not matrix:
        return None
    kept = most_frequent(lines, MOST_CLASSES)
    rows = []
    for i in kept:
        total = lines[i]["support"] or 1
        rows.append(ConfusionRow(lines[i]["label"], [Cell(matrix[i][j], matrix[i][j] / total, i == j) for j in kept]))
    confusions = _confusions(lines, matrix) if len(lines) > MOST_CLASSES else []
    return ConfusionMatrix([lines[i]["label"] for i in kept], rows, len(lines) - len(kept), confusions)


def weighted(lines: list[Data]) -> bool:
    """Whether rows count by weights that are not all 1, as far as the sums by class tell."""
    return any(line["support"] != line["rows"] for line in lines)


def most_frequent(lines: list[Data], most: int) -> list[int]:
    """Places of the classes with most rows, in the order of the classes."""
    return sorted(sorted(range(len(lines)), key=lambda i: -lines[i]["support"])[:most])


def _confusions(lines: list[Data], matrix: list[list[float]]) -> list[Confusion]:
    """The most frequent confusions, over all classes."""
    pairs = [(n, i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) if i != j and n]
    return [
        Confusion(lines[i]["label"], lines[j]["label"], n, n / lines[i]["support"])
        for n, i, j in sorted(pairs, key=lambda pair: -pair[0])[:MOST_CONFUSIONS]
    ]

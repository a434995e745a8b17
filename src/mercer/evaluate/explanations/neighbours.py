"""Nearest neighbours and local planes: how many rows are asked, and who answered for a few held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.neighbours.choose_k import KCurve
from mercer.estimators.neighbours.local_fit import LocalFit
from mercer.estimators.neighbours.local_regression import LocallyWeightedRegression
from mercer.estimators.neighbours.model import NeighbourExplanation
from mercer.evaluate.explanations.subject import Subject, formula
from mercer.evaluate.target import Target

MOST_NEIGHBOURS, FEW_NEIGHBOURS = 8, 5
MOST_COLUMNS, FEW_COLUMNS = 6, 4  # whose part in the distance is shown

Path: TypeAlias = NeighbourExplanation | LocalFit


@dataclass(frozen=True, slots=True)
class NeighbourLine:
    """A training row that was asked: its number in the table, its distance, its share of the vote, its answer.

    `parts` are shares of the distance (of its p-th power) that come from each column shown.
    """

    row: int
    distance: float
    vote: float
    answer: str
    parts: list[float]


@dataclass(frozen=True, slots=True)
class Example:
    """One held-out row: what is true, what was said and how surely, and its nearest rows. Cells are not in it."""

    why: str
    row: int
    truth: str
    said: str
    sure: float | None  # share of the votes for what was said
    votes: list[tuple[str, float]]  # by class
    columns: list[str]
    neighbours: list[NeighbourLine]
    n_neighbours: int
    slopes: list[tuple[str, float]]  # of the plane around the row, the steepest first


@dataclass(frozen=True, slots=True)
class NeighboursAccount:
    """k and how it was found, the distance, the votes, and examples. Row numbers count from 1, without the header."""

    k: int
    chosen: bool
    folds: int  # that k was chosen by; 0: each row left out in turn
    curve: list[tuple[int, float]]  # k, score
    distance: str
    formula: str
    votes: str  # how a neighbour counts: "uniform", ..., or the kernel of a local plane
    rows: int
    rows_left_out: bool  # rows without a target are not counted in row numbers
    examples: list[Example]


def neighbours_account(subject: Subject) -> NeighboursAccount:
    kept, tried = subject.model, subject.trial.model
    votes = kept.kernel if isinstance(kept, LocallyWeightedRegression) else kept.weights_
    return NeighboursAccount(
        k=int(kept.n_neighbors_),
        chosen=kept.curve_ is not None,
        folds=0 if kept.curve_ is None else kept.curve_.folds,
        curve=_curve(kept.curve_, votes, odd=len(subject.classes) == 2),
        distance=type(kept.distance_).__name__,
        formula=formula(kept.distance_),
        votes=votes if isinstance(votes, str) else "callable",
        rows=len(kept.rows_),
        rows_left_out=subject.ground.target.n_missing > 0,
        examples=[_example(subject, tried, why, i) for why, i in _telling_rows(subject)],
    )


def _curve(found: KCurve | None, votes: Any, *, odd: bool) -> list[tuple[int, float]]:
    """The scores of the k that could be chosen: odd ones for two classes."""
    if found is None:
        return []
    pairs = zip(found.k.tolist(), found.scores[votes].tolist(), strict=True)
    return [(k, score) for k, score in pairs if k % 2 or not odd]


def _telling_rows(subject: Subject) -> list[tuple[str, int]]:
    """Held-out rows worth a look; the first alone for a learner that did not win."""
    predicted, truth = subject.trial.predicted, subject.ground.target.values[subject.ground.plan.test]
    assert predicted is not None
    if not subject.classes:
        off = np.abs(predicted - truth)
        found = [("furthest off", int(off.argmax())), ("of middling error", _middle(off))]
    else:
        ordered = np.sort(predicted, axis=1)
        lead, right = ordered[:, -1] - ordered[:, -2], predicted.argmax(axis=1) == truth
        found = [] if right.all() else [("wrong, and most sure of it", int(np.where(right, -1.0, lead).argmax()))]
        if lead.min() < 1:
            found.append(("least sure", int(lead.argmin())))
        if right.any():
            places = np.flatnonzero(right)
            found.append(("right, and as sure as most", int(places[_middle(lead[places])])))
    once = {i: why for why, i in reversed(found)}
    return [(why, i) for i, why in reversed(once.items())][: None if subject.full else 1]


def _middle(values: Floats) -> int:
    return int(np.argsort(values, kind="stable")[len(values) // 2])


def _example(subject: Subject, model: Any, why: str, i: int) -> Example:
    target, trial, place = subject.ground.target, subject.trial, subject.ground.plan.test[i]
    assert trial.held_out_table is not None
    assert trial.predicted is not None
    path = model.explain(trial.held_out_table.take(np.array([i])))[0]
    said = trial.predicted[i]
    most, width = (MOST_NEIGHBOURS, MOST_COLUMNS) if subject.full else (FEW_NEIGHBOURS, FEW_COLUMNS)
    near = np.argsort(path.distances, kind="stable")[:most]
    shown, parts = _columns(path, near, width)
    return Example(
        why=why,
        row=int(place) + 1,
        truth=_name(target, target.values[place]),
        said=_name(target, said.argmax() if target.classes else said),
        sure=float(said.max()) if target.classes else None,
        votes=_votes(path, target) if target.classes else [],
        columns=shown,
        neighbours=[_line(path, int(j), subject, part) for j, part in zip(near, parts, strict=True)],
        n_neighbours=len(path.rows),
        slopes=_slopes(path, width),
    )


def _line(path: Path, j: int, subject: Subject, parts: list[float]) -> NeighbourLine:
    row = int(subject.trial.rows[path.rows[j]]) + 1
    answer = _name(subject.ground.target, path.targets[j])
    return NeighbourLine(row, float(path.distances[j]), float(_shares(path)[j]), answer, parts)


def _shares(path: Path) -> Floats:
    return path.weights if isinstance(path, LocalFit) else path.votes


def _votes(path: Path, target: Target) -> list[tuple[str, float]]:
    """What each class got, most first."""
    found: dict[str, float] = {}
    for answer, vote in zip(path.targets, _shares(path).tolist(), strict=True):
        found[_name(target, answer)] = found.get(_name(target, answer), 0.0) + vote
    return sorted(found.items(), key=lambda v: -v[1])


def _slopes(path: Path, width: int) -> list[tuple[str, float]]:
    if not isinstance(path, LocalFit):
        return []
    order = np.argsort(-np.abs(path.slopes), kind="stable")[:width]
    return [(path.columns[j], float(path.slopes[j])) for j in order if path.slopes[j]]


def _columns(path: Path, rows: NDArray[np.intp], width: int) -> tuple[list[str], list[list[float]]]:
    """The columns that add most to the distances of these rows, and each one's share of each distance."""
    if isinstance(path, LocalFit):
        return [], [[] for _ in rows]
    terms = np.nan_to_num(path.terms[rows], nan=0.0)
    total = terms.sum(axis=1, keepdims=True)
    shares = terms / np.where(total > 0, total, 1.0)
    order = np.argsort(-shares.sum(axis=0), kind="stable")[:width]
    order = order[shares.sum(axis=0)[order] > 0]
    return [path.columns[j] for j in order], shares[:, order].tolist()


def _name(target: Target, value: Any) -> str:
    """A class by its name, a number in six digits."""
    return target.classes[int(value)] if target.classes else f"{value:.6g}"

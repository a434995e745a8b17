"""What the report says of nearest neighbours and local regression: k, and the neighbours of a few held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.neighbours.choose_k import KCurve
from mercer.estimators.neighbours.local.fit import LocalFit
from mercer.estimators.neighbours.local.regression import LocallyWeightedRegression
from mercer.estimators.neighbours.votes import NeighbourExplanation
from mercer.formatting import formula
from mercer.table.kinds.parts import date_text
from mercer.table.target_column import Target

MOST_NEIGHBOURS, FEW_NEIGHBOURS = 8, 5
MOST_COLUMNS, FEW_COLUMNS = 6, 4  # whose share of the distance is shown

NeighbourAnswer: TypeAlias = NeighbourExplanation | LocalFit  # what `explain` of a model gives for one row

_LEAD = "A new row gets the answer of the training rows nearest to it."
_LOCAL_LEAD = (
    "Around a new row, a linear model is fitted to the training rows nearest to it, the nearer with more weight; its "
    "value there is the prediction."
)
_VOTES = {
    "uniform": ("equal", "each neighbour counts the same"),
    "distance": ("1 / distance", "the nearer, the more it counts"),
    "distance2": ("1 / distance²", "the nearer, the more it counts"),
    "tricube": ("tricube", "weight (1 − u³)³, u = distance / distance of the k-th neighbour"),
    "epanechnikov": ("epanechnikov", "weight 1 − u², u = distance / distance of the k-th neighbour"),
    "gaussian": ("gaussian", "weight exp(−u²/2), u = distance / distance of the k-th neighbour"),
    "callable": ("a function", ""),
}


@dataclass(frozen=True, slots=True)
class NeighbourLine:
    """A neighbour: its row number in the table, its distance, its share of the vote, its target.

    `shares` are those of each column shown in the distance (in its p-th power).
    """

    row: int
    distance: float
    vote: float
    target: str
    shares: list[float]


@dataclass(frozen=True, slots=True)
class Example:
    """One held-out row: truth, prediction and its nearest training rows. Its cells are not in it."""

    why: str
    row: int
    truth: str
    predicted: str
    confidence: float | None  # share of the votes for the class predicted
    votes: list[tuple[str, float]]  # by class
    columns: list[str]
    neighbours: list[NeighbourLine]
    n_neighbours: int
    slopes: list[tuple[str, float]]  # of the linear model around the row, the steepest first


@dataclass(frozen=True, slots=True)
class NeighboursDetails:
    """k and how it was chosen, the distance, the votes, and examples. Row numbers count from 1, without the header."""

    k: int
    chosen: bool
    folds: int  # of the cross-validation that chose k; 0: leave-one-out
    curve: list[tuple[int, float]]  # k, score
    scoring: str  # what the score of classes is
    distance: str
    formula: str
    votes: str  # how a neighbour counts: "uniform", ..., or the kernel of a local regression
    rows: int
    rows_left_out: bool  # rows without a target are not counted in row numbers
    examples: list[Example]


def explain_neighbours(fitted: FittedLearner) -> ModelExplanation:
    """k, distance, votes, and the neighbours of a few held-out rows."""
    local = isinstance(fitted.model, LocallyWeightedRegression)
    found = _details(fitted, local)
    facts = _facts(found, "Weights" if local else "Votes")
    return ModelExplanation(
        "local_regression" if local else "neighbours", _LOCAL_LEAD if local else _LEAD, facts, found
    )


def _facts(found: NeighboursDetails, votes: str) -> list[Fact]:
    how = f"cross-validation in {found.folds} folds" if found.folds else "leave-one-out cross-validation"
    return [
        Fact("Neighbours (k)", f"{found.k:,}", f"chosen among {len(found.curve)} by {how}" if found.curve else ""),
        Fact(votes, *_VOTES.get(found.votes, (found.votes, ""))),
        Fact("Distance", found.distance, found.formula),
        Fact("Training rows kept", f"{found.rows:,}"),
    ]


def _details(fitted: FittedLearner, local: bool) -> NeighboursDetails:
    kept = fitted.model
    votes = kept.kernel if local else kept.weights_
    return NeighboursDetails(
        k=int(kept.n_neighbors_),
        chosen=kept.curve_ is not None,
        folds=0 if kept.curve_ is None else kept.curve_.folds,
        curve=_curve(kept.curve_, votes, odd=len(fitted.classes) == 2),
        scoring=_scoring(getattr(kept, "scoring", None)),
        distance=type(kept.distance_).__name__,
        formula=formula(kept.distance_),
        votes=votes if isinstance(votes, str) else "callable",
        rows=len(kept.rows_),
        rows_left_out=fitted.target.n_missing > 0,
        examples=[_example(fitted, why, i) for why, i in _typical_rows(fitted)],
    )


def _scoring(scoring: Any) -> str:
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", str(scoring))
    return "accuracy" if scoring is None else name.replace("_", " ")


def _curve(found: KCurve | None, votes: Any, *, odd: bool) -> list[tuple[int, float]]:
    """The scores of the k that were tried: odd ones for two classes."""
    if found is None:
        return []
    pairs = zip(found.k.tolist(), found.scores[votes].tolist(), strict=True)
    return [(k, score) for k, score in pairs if (k % 2 or not odd) and np.isfinite(score)]


def _typical_rows(fitted: FittedLearner) -> list[tuple[str, int]]:
    """Held-out rows to show, with the reason; the first alone unless the explanation is in full."""
    predicted, truth = fitted.held_out.predicted, fitted.target.values[fitted.held_out.rows]
    if not fitted.classes:
        off = np.abs(predicted - truth)
        found = [("largest error", int(off.argmax())), ("median error", _middle(off))]
    else:
        ordered = np.sort(predicted, axis=1)
        lead, right = ordered[:, -1] - ordered[:, -2], predicted.argmax(axis=1) == truth
        found = (
            [] if right.all() else [("wrong with the highest confidence", int(np.where(right, -1.0, lead).argmax()))]
        )
        if lead.min() < 1:
            found.append(("lowest confidence", int(lead.argmin())))
        if right.any():
            places = np.flatnonzero(right)
            found.append(("right with median confidence", int(places[_middle(lead[places])])))
    once = {i: why for why, i in reversed(found)}
    return [(why, i) for i, why in reversed(once.items())][: None if fitted.full else 1]


def _middle(values: Floats) -> int:
    return int(np.argsort(values, kind="stable")[len(values) // 2])


def _example(fitted: FittedLearner, why: str, i: int) -> Example:
    target, held_out = fitted.target, fitted.held_out
    row = held_out.rows[i]
    answer = held_out.model.explain(held_out.table.take(np.array([i])))[0]
    predicted = held_out.predicted[i]
    most, width = (MOST_NEIGHBOURS, MOST_COLUMNS) if fitted.full else (FEW_NEIGHBOURS, FEW_COLUMNS)
    near = np.argsort(answer.distances, kind="stable")[:most]
    shown, shares = _columns(answer, near, width)
    return Example(
        why=why,
        row=int(row) + 1,
        truth=_name(target, target.values[row]),
        predicted=_name(target, predicted.argmax() if target.classes else predicted),
        confidence=float(predicted.max()) if target.classes else None,
        votes=_votes(answer, target) if target.classes else [],
        columns=shown,
        neighbours=[_line(answer, int(j), fitted, of_row) for j, of_row in zip(near, shares, strict=True)],
        n_neighbours=len(answer.rows),
        slopes=_slopes(answer, width),
    )


def _line(answer: NeighbourAnswer, j: int, fitted: FittedLearner, shares: list[float]) -> NeighbourLine:
    row = int(fitted.held_out.training_rows[answer.rows[j]]) + 1
    target = _name(fitted.target, answer.targets[j])
    return NeighbourLine(row, float(answer.distances[j]), float(_vote_shares(answer)[j]), target, shares)


def _vote_shares(answer: NeighbourAnswer) -> Floats:
    return answer.weights if isinstance(answer, LocalFit) else answer.votes


def _votes(answer: NeighbourAnswer, target: Target) -> list[tuple[str, float]]:
    """The votes for each class, most first."""
    found: dict[str, float] = {}
    for code, vote in zip(answer.targets, _vote_shares(answer).tolist(), strict=True):
        found[_name(target, code)] = found.get(_name(target, code), 0.0) + vote
    return sorted(found.items(), key=lambda v: -v[1])


def _slopes(answer: NeighbourAnswer, width: int) -> list[tuple[str, float]]:
    if not isinstance(answer, LocalFit):
        return []
    order = np.argsort(-np.abs(answer.slopes), kind="stable")[:width]
    return [(answer.columns[j], float(answer.slopes[j])) for j in order if answer.slopes[j]]


def _columns(answer: NeighbourAnswer, rows: NDArray[np.intp], width: int) -> tuple[list[str], list[list[float]]]:
    """The columns that add most to the distances of these rows, and each one's share of each distance."""
    if isinstance(answer, LocalFit):
        return [], [[] for _ in rows]
    terms = np.nan_to_num(answer.terms[rows], nan=0.0)
    total = terms.sum(axis=1, keepdims=True)
    shares = terms / np.where(total > 0, total, 1.0)
    order = np.argsort(-shares.sum(axis=0), kind="stable")[:width]
    order = order[shares.sum(axis=0)[order] > 0]
    return [answer.columns[j] for j in order], shares[:, order].tolist()


def _name(target: Target, value: Any) -> str:
    """A class by its name, a date, or a number in six digits."""
    if target.date_unit:
        return date_text(float(value), target.date_unit)
    return target.classes[int(value)] if target.classes else f"{value:.6g}"

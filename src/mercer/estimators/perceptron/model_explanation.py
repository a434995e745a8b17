"""What the report says of a perceptron: whether the classes were separated, and its largest weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.perceptron.hyperplanes import dense_coefficients
from mercer.formatting import counted

MOST_WEIGHTS, FEW_WEIGHTS = 15, 8
MOST_CLASSES = 5


@dataclass(frozen=True, slots=True)
class PerceptronDetails:
    """The passes over the rows, and the largest weights, per standard deviation of their term.

    `weights` has a column for each of `classes`; for two classes just one, for the second class.
    """

    separated: bool
    passes: int
    mistakes: float
    averaged: bool
    classes: list[str]
    against: str | None
    terms: list[str]
    weights: list[list[float]]
    n_terms: int


def explain_perceptron(fitted: FittedLearner) -> ModelExplanation:
    """Passes, mistakes and weights."""
    found = _details(fitted)
    lead = (
        "A new row gets the sum of its columns times their weights: its sign decides between two classes, the largest "
        "sum between several."
    )
    return ModelExplanation("perceptron", lead, _facts(found), found)


def _facts(found: PerceptronDetails) -> list[Fact]:
    mistakes = "" if found.separated else f"{counted(round(found.mistakes), 'mistake')} in the last pass"
    return [
        Fact("Classes separated", "yes" if found.separated else "no", mistakes),
        Fact("Passes over the rows", f"{found.passes:,}"),
        Fact("Weights", "averaged over all rows shown" if found.averaged else "as after the pass kept"),
    ]


def _details(fitted: FittedLearner) -> PerceptronDetails:
    model = fitted.model
    deviation = model.terms_.deviation
    planes = dense_coefficients(model.coef_) * (1.0 if deviation is None else deviation)
    names, two = model.term_names_, len(fitted.classes) == 2
    common = np.array([0])
    if not two:
        common = np.sort(np.argsort(-fitted.rows_per_class(), kind="stable")[:MOST_CLASSES])
    most = MOST_WEIGHTS if fitted.full else FEW_WEIGHTS
    order = np.argsort(-np.abs(planes[common]).max(axis=0), kind="stable")[:most]
    size = float(np.abs(planes[common]).max(initial=0.0)) or 1.0  # only their ratios matter
    return PerceptronDetails(
        separated=bool(model.separated_),
        passes=int(model.n_iter_),
        mistakes=float(model.mistakes_),
        averaged=bool(model.average),
        classes=[fitted.classes[1]] if two else [fitted.classes[c] for c in common],
        against=fitted.classes[0] if two else None,
        terms=[names[j] for j in order],
        weights=[(planes[common, j] / size).tolist() for j in order],
        n_terms=len(names),
    )

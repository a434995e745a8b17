"""A perceptron: whether it found a plane without mistakes, and the weights that turn it most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.evaluate.explanations.subject import Subject

MOST_WEIGHTS, FEW_WEIGHTS = 15, 8
MOST_CLASSES = 5


@dataclass(frozen=True, slots=True)
class PerceptronAccount:
    """How the passes went, and the largest weights, per standard deviation of their column.

    `classes` are those that a column of `weights` speaks for; one, the second of the two, when there are two.
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


def perceptron_account(subject: Subject) -> PerceptronAccount:
    model = subject.model
    planes = np.asarray(model.coef_ * model.scale_)
    names, two = model.term_names_, len(subject.classes) == 2
    common = np.array([0])
    if not two:
        counts = np.bincount(subject.ground.target.codes, minlength=len(subject.ground.target.classes))
        sizes = [counts[subject.ground.target.classes.index(c)] for c in subject.classes]
        common = np.sort(np.argsort(-np.array(sizes), kind="stable")[:MOST_CLASSES])
    most = MOST_WEIGHTS if subject.full else FEW_WEIGHTS
    order = np.argsort(-np.abs(planes[common]).max(axis=0), kind="stable")[:most]
    size = float(np.abs(planes[common]).max(initial=0.0)) or 1.0  # only their ratios matter
    return PerceptronAccount(
        separated=bool(model.separated_),
        passes=int(model.n_iter_),
        mistakes=float(model.mistakes_),
        averaged=bool(model.average),
        classes=[subject.classes[1]] if two else [subject.classes[c] for c in common],
        against=subject.classes[0] if two else None,
        terms=[names[j] for j in order],
        weights=[(planes[common, j] / size).tolist() for j in order],
        n_terms=len(names),
    )

"""Naive Bayes: what it counted in each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.evaluate.explanations.subject import Subject
from mercer.evaluate.nb_tables import LearnedTable, learned_tables

_SHORT = 2  # columns shown of a learner that did not win


@dataclass(frozen=True, slots=True)
class BayesAccount:
    """P(class), and the tables of the columns that matter most."""

    classes: list[str]
    prior: list[float]
    tables: list[LearnedTable]
    n_columns: int


@dataclass(frozen=True, slots=True)
class PosteriorAccount:
    """Naive Bayes of a number: how the target is cut, and the values that its posterior is spread over."""

    method: str  # "intervals" or "kernel"
    n_points: int
    points: list[float]  # the least, the quartiles and the largest


def posterior_account(subject: Subject) -> PosteriorAccount:
    points = subject.model.points_
    quantiles = np.quantile(points, [0, 0.25, 0.5, 0.75, 1])
    return PosteriorAccount(str(subject.model.method), len(points), quantiles.tolist())


def bayes_account(subject: Subject) -> BayesAccount:
    every = subject.model.tables()
    tables = learned_tables(subject.model, subject.columns, subject.classes)
    shown = tables if subject.full else tables[:_SHORT]
    return BayesAccount(list(subject.classes), [float(p) for p in every.prior], shown, len(every))

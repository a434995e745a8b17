"""What the report says of naive Bayes: prior probabilities, and the likelihoods of the columns that matter most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.formatting import amount
from mercer.table import Column
from mercer.table.formats.notation import TIME

MOST_COLUMNS, FEW_COLUMNS = 6, 2
MOST_ROWS = 10
MOST_CLASSES = 6
_METHODS = {"intervals": "intervals of the target", "kernel": "a kernel density on a grid"}


@dataclass(frozen=True, slots=True)
class LikelihoodTable:
    """p(column | class) of one column: a row per level, word or statistic; a value per class."""

    column: str
    likelihood: str
    classes: list[str]
    rows: list[str]
    values: list[list[float]]
    is_probability: bool
    n_rows: int  # before it was shortened
    texts: list[list[str]] | None = None  # the values of dates and times as they are shown


@dataclass(frozen=True, slots=True)
class NaiveBayesDetails:
    """P(class), and the tables of the columns that matter most."""

    classes: list[str]
    prior: list[float]
    tables: list[LikelihoodTable]
    n_columns: int


@dataclass(frozen=True, slots=True)
class PosteriorDetails:
    """Naive Bayes of a number: how the target is discretised, and the values that get a posterior probability."""

    method: str  # "intervals" or "kernel"
    n_points: int
    points: list[float]  # minimum, quartiles and maximum


def explain_naive_bayes(fitted: FittedLearner) -> ModelExplanation:
    """Prior, and p(column | class) of the columns that matter most."""
    every = fitted.model.tables()
    tables = likelihood_tables(fitted.model, fitted.columns, fitted.classes)
    shown = tables if fitted.full else tables[:FEW_COLUMNS]
    lead = (
        "The probability of each level or word given the class, or the mean and standard deviation of a number in each "
        "class; the most important columns first."
    )
    details = NaiveBayesDetails(list(fitted.classes), [float(p) for p in every.prior], shown, len(every))
    return ModelExplanation("naive_bayes", lead, [], details)


def explain_naive_bayes_regressor(fitted: FittedLearner) -> ModelExplanation:
    """The values that the posterior is a distribution over."""
    points = fitted.model.points_
    low, _, median, _, high = quantiles = np.quantile(points, [0, 0.25, 0.5, 0.75, 1]).tolist()
    details = PosteriorDetails(str(fitted.model.method), len(points), quantiles)
    lead = (
        "Each cell of a new row gives a likelihood to each value of the target; the prediction is the mean of the "
        "posterior distribution."
    )
    span = f"from {amount(low)} to {amount(high)}, median {amount(median)}"
    facts = [
        Fact("Posterior over", _METHODS[details.method]),
        Fact("Values of the target", f"{details.n_points:,}", span),
    ]
    return ModelExplanation("naive_bayes_regression", lead, facts, details)


def likelihood_tables(model: Any, order: Sequence[str], names: Sequence[str]) -> list[LikelihoodTable]:
    """The tables of a fitted naive Bayes classifier, short enough to read.

    Parameters
    ----------
    model : NaiveBayes
        Fitted.
    order : sequence of str
        Columns, the most important first.
    names : sequence of str
        Names of the model's classes.

    Returns
    -------
    list of LikelihoodTable
        Of the first columns of `order`, the most frequent classes and the most informative levels.
    """
    tables = model.tables()
    place = {name: i for i, name in enumerate(order)}
    ranked = sorted(tables, key=lambda t: place.get(t.name, len(place)))[:MOST_COLUMNS]
    frequent = np.sort(np.argsort(-tables.count, kind="stable")[:MOST_CLASSES])
    classes = [names[c] for c in frequent]
    return [_shorten(t, tables.prior, frequent, classes) for t in ranked]


def _shorten(table: Any, prior: Floats, frequent: Longs, classes: list[str]) -> LikelihoodTable:
    values = np.asarray(table.values, dtype=np.float64)
    counted = table.counts is not None
    rows = np.array([i for i, name in enumerate(table.rows) if counted or name != "variance"], dtype=np.int64)
    if counted and len(rows) > MOST_ROWS:
        rows = np.argsort(-information(values, prior), kind="stable")[:MOST_ROWS]
    return LikelihoodTable(
        table.name,
        table.likelihood,
        classes,
        [str(table.rows[i]) for i in rows[:MOST_ROWS]],
        [[float(v) for v in values[i, frequent]] for i in rows[:MOST_ROWS]],
        counted,
        len(table.rows) if counted else len(rows),
        [[table.text(int(i), v) for v in values[i, frequent]] for i in rows] if _holds_moments(table.column) else None,
    )


def _holds_moments(column: Column | None) -> bool:
    return column is not None and (column.is_date or column.format == TIME)


def information(values: Floats, prior: Floats) -> Floats:
    """sum_c P(c) p(v | c) log(p(v | c) / p(v)): what each level v adds to the mutual information with the class."""
    overall = values @ prior
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(values > 0, values * np.log(values / overall[:, None]), 0.0)
    return np.asarray(gains @ prior)

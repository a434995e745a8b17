"""The product of naive Bayes for one row, written out: the prior, a factor for each column, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.common.explanations.text_table import shown_cells


@dataclass(frozen=True)
class BayesProduct:
    """P(c | x) = P(c) prod_j p(x_j | c) / sum over classes, step by step for one row.

    Parameters
    ----------
    classes : tuple of str
        Names of the classes.
    steps : tuple of str
        "prior", then "column = cell" of each column.
    factors : ndarray of shape (n_steps, n_classes)
        P(c), then p(x_j | c): a probability of a level, a density of a number, 1 where the cell is missing.
    logs : ndarray of shape (n_steps, n_classes)
        Their logarithms, which do not underflow.
    """

    classes: tuple[str, ...]
    steps: tuple[str, ...]
    factors: Floats
    logs: Floats

    @property
    def products(self) -> Floats:
        """The product up to each step, (n_steps, n_classes)."""
        return np.exp(np.cumsum(self.logs, axis=0))

    @property
    def posteriors(self) -> Floats:
        """P(c | the columns up to each step), (n_steps, n_classes)."""
        sums = np.cumsum(self.logs, axis=0)
        scaled = np.exp(sums - sums.max(axis=1, keepdims=True))
        return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))


def bayes_product(model: Any, X: Any, row: int = 0) -> BayesProduct:
    """The factors of one row.

    Parameters
    ----------
    model : NaiveBayes
        Fitted; any of mercer's naive Bayes classifiers.
    X : array, data frame, mapping or Table
        Rows.
    row : int, default 0
        Which of them.

    Returns
    -------
    product : BayesProduct
        Prior and factors.

    Raises
    ------
    MercerError
        If the model is no naive Bayes classifier, or there is no such row.
    """
    if not isinstance(model, BayesClassifier):
        raise MercerError(f"{type(model).__name__} is no naive Bayes classifier of mercer: it has no factors to show.")
    table = model._predict_table(X)
    if not 0 <= row < len(table):
        raise BadTable(f"There is no row {row}: there are {len(table)} rows.")
    one, names = table.take(np.array([row])), list(table.schema.names)
    logs = np.zeros((1 + len(names), len(model.classes_)))
    logs[0] = model._log_prior()
    for likelihood in model.likelihoods_:
        places = [1 + table.schema.position(name) for name in likelihood.names]
        logs[places] = likelihood.column_log_prob(one)[0]
    cells = shown_cells(one, tuple(names))[0]
    steps = ("prior", *(f"{name} = {cell}" for name, cell in zip(names, cells, strict=True)))
    return BayesProduct(tuple(map(str, model.classes_)), steps, np.exp(logs), logs)

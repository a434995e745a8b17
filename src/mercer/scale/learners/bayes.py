"""Naive Bayes in chunks: statistics are counted chunk by chunk and added up, as by `merge` of the models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.statistics import Statistics, count_rows
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.parameters import check_parameters
from mercer.scale.learners.missing import class_indicators
from mercer.scale.rows import Part, Rows
from mercer.table import Kind


@dataclass(frozen=True)
class CountRows:
    """The statistics of a chunk, under the weights of the classes."""

    model: BayesClassifier  # its parameters
    classes: NDArray[Any]  # labels, (n_classes,)
    factors: Floats | None

    def __call__(self, part: Part) -> Statistics:
        model, codes = self.model, part.target
        model._check_table(part.table)
        weight = None if self.factors is None else self.factors[codes]
        likelihoods = model._new_likelihoods(part.table, len(self.classes))
        return count_rows(part.table, self.classes, codes, weight, likelihoods, model._jobs)


def fit_bayes(model: BayesClassifier, rows: Rows) -> None:
    """P(c) and p(x_j | c) of all rows: the counts are those of one fit, moments up to rounding."""
    check_parameters(model)
    if not model.as_scikit_learn:
        model.missing_indicators_ = class_indicators(rows, Kind.BINARY, model.missing_indicator)
        rows = rows.flagged(model.missing_indicators_)
    counts = rows.counts.astype(np.float64)
    factors = None
    if model.class_weight is not None:
        factors = class_factors(model.class_weight, rows.classes, rows.class_codes(), counts)
    model._keep(rows.merge(CountRows(model, rows.classes, factors)))

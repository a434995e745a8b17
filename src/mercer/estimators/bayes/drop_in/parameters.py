"""What the naive Bayes classifiers named as scikit-learn's share: their parameters, and what those mean."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.errors import BadParameter, BadTable, MercerWarning
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.column_likelihoods import column_likelihoods
from mercer.estimators.bayes.statistics import Priors
from mercer.likelihoods import LIKELIHOODS, ColumnAlpha, Likelihood
from mercer.likelihoods.smoothing import ColumnSmoothing, Smoothing
from mercer.parameters import Dictionary, Either, Flag, Number, Numbers, Parameters
from mercer.table import Table

Found = TypeVar("Found", bound=Likelihood)
AlphaParameter: TypeAlias = float | Sequence[float]
SMALLEST_ALPHA = 1e-10  # unless force_alpha

COMMON_PARAMETERS: Parameters = {"kinds": Dictionary(), "n_jobs": Number(whole=True, optional=True)}
COUNT_PARAMETERS: Parameters = {
    "alpha": Either(Number(0), Numbers()),
    "force_alpha": Flag(),
    "fit_prior": Flag(),
    "class_prior": Numbers(0, any_positive=True, optional=True),
    **COMMON_PARAMETERS,
}

# Docstring entries of the classes.
PRESET_DOCS = {
    "alpha": """
        alpha : float or array-like of shape (n_columns,), default 1.0
            Added to every count, at least 0; an array has a number for each column of a table of numbers. 1 is
            Laplace's rule, 0 no smoothing.""",
    "alpha_number": """
        alpha : float, default 1.0
            Added to every count, at least 0. 1 is Laplace's rule, 0 no smoothing.""",
    "force_alpha": """
        force_alpha : bool, default True
            Whether an alpha below 1e-10 is taken as it is; False takes 1e-10 in its place, with a warning.""",
    "fit_prior": """
        fit_prior : bool, default True
            Whether P(c) is the share of the class in the training rows; False makes the classes equally probable.""",
    "class_prior": """
        class_prior : array-like of shape (n_classes,) or None, default None
            P(c) in the order of `classes_`, or numbers in the same proportions; None for what `fit_prior` says.""",
    "class_count_": """
        class_count_ : ndarray of shape (n_classes,)
            Weight of the training rows of each class.""",
    "class_prior_": """
        class_prior_ : ndarray of shape (n_classes,)
            P(c).""",
    "class_log_prior_": """
        class_log_prior_ : ndarray of shape (n_classes,)
            log P(c).""",
    "likelihoods_": """
        likelihoods_ : list of Likelihood
            The fitted likelihoods, each of a group of columns.""",
}


def preset_likelihoods(
    table: Table, n_classes: int, of_numbers: Likelihood, smoothing: Smoothing = "laplace"
) -> list[Likelihood]:
    """`of_numbers` for the numeric columns, levels counted and words of texts with this smoothing."""

    def make(name: str) -> Likelihood:
        kind: Any = LIKELIHOODS[name]
        made: Likelihood = kind(smoothing)
        return made

    return column_likelihoods(table, of_numbers, make, n_classes)


def checked_alpha(model: Any) -> float | Floats:
    """`alpha` of a model as it counts: a number, or one for each of the columns that are learned from."""
    number = isinstance(model.alpha, Real)
    values = np.asarray(model.alpha, dtype=np.float64)
    n_columns = len(model.schema_) if hasattr(model, "schema_") else getattr(model, "n_features_in_", 0)
    if not number and len(values) != n_columns:
        raise BadParameter(
            f"When alpha is an array, it should contains `n_features` numbers, one for each of {n_columns} columns. "
            f"Got {len(values)} elements."
        )
    if (values < 0).any():
        raise BadParameter(f"All values in alpha must be greater than 0. Got {values.min():g}.")
    if values.min() < SMALLEST_ALPHA and not model.force_alpha:
        warnings.warn(
            f"alpha too small will result in numeric errors, setting alpha = {SMALLEST_ALPHA:.1e}. Use "
            "force_alpha=True to keep it.",
            MercerWarning,
            stacklevel=2,
        )
        values = np.maximum(values, SMALLEST_ALPHA)
    return float(values) if number else values


def column_smoothing(alpha: float | Floats) -> ColumnSmoothing:
    """The smoothing rule of numeric columns that a checked alpha stands for."""
    return alpha if isinstance(alpha, float) else ColumnAlpha(tuple(alpha.tolist()))


def level_smoothing(alpha: float | Floats, table: Table) -> Smoothing:
    """The smoothing of the columns of levels and texts beside numeric ones."""
    if isinstance(alpha, float):
        return alpha
    if len(table.schema.numeric_names) < len(table.schema):
        raise BadParameter("alpha is an array, one number for each count, but not every column is a number. Give one.")
    return "laplace"  # of no columns


def count_tags(tags: Any) -> Any:
    """scikit-learn's tags of a naive Bayes of counts: numbers of at least 0, and a poor score on its test data."""
    tags.classifier_tags.poor_score = True
    tags.input_tags.positive_only = True
    return tags


def count_priors(model: Any) -> Priors:
    """P(c) as `fit_prior` and `class_prior` of a model state it."""
    if model.class_prior is None:
        return None if model.fit_prior else "uniform"
    given = np.asarray(model.class_prior, dtype=np.float64)
    shares: Sequence[float] = (given / given.sum()).tolist()
    return shares


def class_log_prior(model: BayesClassifier) -> Floats:
    """log P(c)."""
    return BayesClassifier._log_prior(model)


def refuse_negative(model: BayesClassifier, table: Table) -> None:
    """Refuse numbers below 0, in the name of a model that counts."""
    numbers = table.csr().data if table.is_sparse else table.numbers()
    smallest = numbers.min(initial=0.0)
    if smallest < 0 or (np.isnan(smallest) and (numbers < 0).any()):
        raise BadTable(
            f"Negative values in data passed to {type(model).__name__} (input X): it takes numbers of at least 0."
        )


def likelihood_of(model: BayesClassifier, kind: type[Found]) -> Found:
    """The fitted likelihood of the numeric columns; AttributeError when the table had none."""
    check_is_fitted(model)
    for part in model.likelihoods_:
        if type(part) is kind:
            return part
    raise AttributeError(f"{type(model).__name__} was fitted to a table without numeric columns.")

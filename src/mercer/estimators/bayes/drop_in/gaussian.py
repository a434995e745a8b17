"""Naive Bayes of normal densities, with scikit-learn's name and parameters: GaussianNB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.drop_in.parameters import (
    COMMON_PARAMETERS,
    PRESET_DOCS,
    likelihood_of,
    preset_likelihoods,
)
from mercer.estimators.bayes.statistics import PRIORS, Priors
from mercer.likelihoods import Gaussian, Likelihood
from mercer.parameters import Number, Parameters
from mercer.table import Table


@shares_docs(**PRESET_DOCS)
class GaussianNB(BayesClassifier):
    """p(x | c) = prod_j N(x_j; theta_cj, var_cj), with a normal density for each numeric column and class.

    `NaiveBayes` with scikit-learn's parameters, and its answers on numbers. Missing cells are skipped. In a mixed table
    levels and words are counted beside the numbers, smoothed by Laplace's rule.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), "uniform", dict or None, default None
        P(c) in the order of `classes_`, or by class; None for the shares of the classes.
    var_smoothing : float, default 1e-09
        Share of the largest variance of a column that is added to every variance.
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {classes_}
    {class_count_}
    {class_prior_}
    theta_ : ndarray of shape (n_classes, n_numeric_columns)
        Mean of each numeric column in each class.
    var_ : ndarray of shape (n_classes, n_numeric_columns)
        Its variance, with `epsilon_`.
    epsilon_ : float
        What was added to every variance: `var_smoothing` times the largest variance of a column, over all rows that
        were learned from, by their weights.
    {likelihoods_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    NaiveBayes : A likelihood of one's choice for each column.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.GaussianNB().fit([[-2, -1], [-1, -1], [1, 1], [2, 1]], [1, 1, 2, 2])
    >>> model.predict([[-0.8, -1]]), model.theta_
    (array([1]), array([[-1.5, -1. ],
           [ 1.5,  1. ]]))
    """

    parameters: ClassVar[Parameters] = {"priors": PRIORS, "var_smoothing": Number(0), **COMMON_PARAMETERS}
    as_scikit_learn: ClassVar[bool] = True

    def __init__(
        self,
        *,
        priors: Priors = None,
        var_smoothing: float = 1e-9,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.kinds = kinds
        self.n_jobs = n_jobs

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        normal = Gaussian(ddof=0, floor=0.0, var_smoothing=float(self.var_smoothing))
        return preset_likelihoods(table, n_classes, normal)

    def _priors(self) -> Priors:
        return self.priors

    @property
    def theta_(self) -> Floats:
        """Mean of each numeric column in each class."""
        return likelihood_of(self, Gaussian).moments()[0]

    @property
    def var_(self) -> Floats:
        """Variance of each numeric column in each class."""
        return likelihood_of(self, Gaussian).moments()[1]

    @property
    def epsilon_(self) -> float:
        """What was added to every variance."""
        return likelihood_of(self, Gaussian).added_variance()

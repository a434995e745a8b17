"""Naive Bayes on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mercer.docstrings import shares_docs
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.column_likelihoods import LIKELIHOODS_PARAMETER, Likelihoods, column_likelihoods
from mercer.estimators.bayes.statistics import PRIORS, Priors
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.likelihoods import LIKELIHOODS, Gaussian, Likelihood
from mercer.likelihoods.gaussian import FLOOR, Variance
from mercer.likelihoods.registry import LikelihoodName
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing
from mercer.parameters import Choice, Dictionary, Number, Parameters
from mercer.table import Table
from mercer.table.missingness import MISSING_INDICATOR, MissingIndicator


@shares_docs()
class NaiveBayes(BayesClassifier):
    """P(c | x) proportional to P(c) * prod_j p(x_j | c), one likelihood per column, in log space.

    Numbers, categories, truth values and text side by side in one model. Missing cells are skipped, in fitting and in
    predicting; a level never seen gets the mass that smoothing leaves it.

    Parameters
    ----------
    {likelihoods}
    priors : {"uniform"}, dict of class to float, sequence of float or None, default None
        P(c): None for the shares of the classes, or values by class, or in the order of `classes_`.
    class_weight : dict, "balanced" or None, default None
        Factor on the number of rows of each class, 1 for a class that a dict does not name; "balanced" gives every
        class the same number and leaves the sum. Smoothing sees the numbers that result.
    {smoothing}
    variance : {"class", "pooled", "global"}, default "class"
        Of gaussian columns: one variance in each class, one within classes, or one around the overall mean.
    ddof : {1, 0}, default 1
        1 for the sample variance of gaussian columns, 0 for maximum likelihood.
    variance_floor : float, default 0.001
        Smallest variance of a gaussian column, as a share of its variance over all rows, so that no column that is
        almost constant within a class decides alone.
    {kinds}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    class_count_ : ndarray of shape (n_classes,)
        Weight of the training rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
        P(c).
    likelihoods_ : list of Likelihood
        The fitted likelihoods, each of a group of columns.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"outlook": ["sun", "rain", "sun", None], "wind": [3.0, 9.0, 4.5, 8.0]}
    >>> model = mercer.NaiveBayes().fit(rows, ["play", "stay", "play", "stay"])
    >>> model.predict({"outlook": ["fog"], "wind": [4.0]})
    array(['play'], dtype='<U4')
    """

    parameters: ClassVar[Parameters] = {
        "likelihoods": LIKELIHOODS_PARAMETER,
        "priors": PRIORS,
        "class_weight": CLASS_WEIGHT,
        "smoothing": SMOOTHING,
        "variance": Choice(Variance),
        "ddof": Number(0, 1, whole=True),
        "variance_floor": Number(0),
        "kinds": Dictionary(),
        "missing_indicator": MISSING_INDICATOR,
        "n_jobs": Number(whole=True, optional=True),
    }

    def __init__(
        self,
        likelihoods: Likelihoods = None,
        *,
        priors: Priors = None,
        class_weight: ClassWeight = None,
        smoothing: Smoothing = "laplace",
        variance: Variance = "class",
        ddof: int = 1,
        variance_floor: float = FLOOR,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.likelihoods = likelihoods
        self.priors = priors
        self.class_weight = class_weight
        self.smoothing = smoothing
        self.variance = variance
        self.ddof = ddof
        self.variance_floor = variance_floor
        self.kinds = kinds
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        return column_likelihoods(table, self.likelihoods, self._named, n_classes)

    def _priors(self) -> Priors:
        return self.priors

    def _named(self, name: LikelihoodName) -> Likelihood:
        """The likelihood of this name, with the options of this model."""
        if name == Gaussian.key:
            return Gaussian(self.variance, self.ddof, self.variance_floor)
        kind: Any = LIKELIHOODS[name]
        return kind(smoothing=self.smoothing) if "smoothing" in kind.parameters else kind()

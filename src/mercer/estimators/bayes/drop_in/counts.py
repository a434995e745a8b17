"""Naive Bayes of counts under the names that scikit-learn gives it: MultinomialNB, ComplementNB and BernoulliNB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.drop_in.parameters import (
    COUNT_PARAMETERS,
    PRESET_DOCS,
    AlphaParameter,
    checked_alpha,
    class_log_prior,
    column_smoothing,
    count_priors,
    count_tags,
    level_smoothing,
    likelihood_of,
    preset_likelihoods,
    refuse_negative,
)
from mercer.likelihoods import Bernoulli, Complement, Likelihood, Multinomial
from mercer.parameters import Flag, Number, Parameters
from mercer.table import Table


@shares_docs(**PRESET_DOCS)
class MultinomialNB(BayesClassifier):
    """log p(x | c) = sum_j x_j log theta_cj,  theta_cj = (N_cj + alpha) / (N_c + alpha n_columns).

    For counts, such as of words in documents: N_cj is the sum of column j in the rows of class c. `NaiveBayes` with
    scikit-learn's parameters, and its answers on numbers; a sparse matrix stays sparse. Missing cells are skipped. In a
    mixed table texts are counts of their words, without an encoder before, and levels are counted.

    Parameters
    ----------
    {alpha}
    {force_alpha}
    {fit_prior}
    {class_prior}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {classes_}
    {class_count_}
    {class_log_prior_}
    feature_count_ : ndarray of shape (n_classes, n_numeric_columns)
        N, the weighted sum of each numeric column in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_numeric_columns)
        log theta.
    {likelihoods_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    ComplementNB : For classes that differ much in size.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.MultinomialNB().fit([[3, 0], [2, 1], [0, 4]], ["a", "a", "b"])
    >>> model.predict([[5, 1]]), model.feature_count_
    (array(['a'], dtype='<U1'), array([[5., 1.],
           [0., 4.]]))
    """

    parameters: ClassVar[Parameters] = COUNT_PARAMETERS
    as_scikit_learn: ClassVar[bool] = True
    _check_alpha = checked_alpha
    _check_table = refuse_negative
    _priors = count_priors
    class_log_prior_ = property(class_log_prior)

    def __init__(
        self,
        *,
        alpha: AlphaParameter = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        alpha = checked_alpha(self)
        counts = Multinomial(column_smoothing(alpha))
        return preset_likelihoods(table, n_classes, counts, level_smoothing(alpha, table))

    @property
    def feature_count_(self) -> Floats:
        """The weighted sum of each numeric column in each class."""
        return likelihood_of(self, Multinomial).counts

    @property
    def feature_log_prob_(self) -> Floats:
        """log theta."""
        return likelihood_of(self, Multinomial).log_weights()


@shares_docs(**PRESET_DOCS)
class ComplementNB(BayesClassifier):
    """score(x, c) = -sum_j x_j log theta_cj,  theta_cj = (N_j - N_cj + alpha) / (N - N_c + alpha n_columns).

    For counts, as MultinomialNB, where classes differ much in size: theta is estimated from all rows that are not of
    the class. The priors do not count, but for a single class. `NaiveBayes` with scikit-learn's parameters, and its
    answers on numbers; a sparse matrix stays sparse. Missing cells are skipped. In a mixed table levels and words of
    texts add their log likelihood. Reference: Rennie, Shih, Teevan and Karger 2003, Tackling the poor assumptions of
    naive Bayes text classifiers.

    Parameters
    ----------
    {alpha}
    {force_alpha}
    {fit_prior}
    {class_prior}
    norm : bool, default False
        Whether the weights of a class are divided by their sum, for documents of unlike length.
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {classes_}
    {class_count_}
    {class_log_prior_}
    feature_count_ : ndarray of shape (n_classes, n_numeric_columns)
        The weighted sum of each numeric column in each class.
    feature_all_ : ndarray of shape (n_numeric_columns,)
        The same over all classes.
    feature_log_prob_ : ndarray of shape (n_classes, n_numeric_columns)
        -log theta; with `norm` divided by its sum in the class.
    {likelihoods_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    MultinomialNB : Counts of the class itself.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.ComplementNB().fit([[3, 0], [2, 1], [0, 4]], ["a", "a", "b"])
    >>> model.predict([[5, 1]]), model.feature_all_
    (array(['a'], dtype='<U1'), array([5., 5.]))
    """

    parameters: ClassVar[Parameters] = {**COUNT_PARAMETERS, "norm": Flag()}
    as_scikit_learn: ClassVar[bool] = True
    _check_alpha = checked_alpha
    _check_table = refuse_negative
    _priors = count_priors
    class_log_prior_ = property(class_log_prior)

    def __init__(
        self,
        *,
        alpha: AlphaParameter = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        norm: bool = False,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        alpha = checked_alpha(self)
        counts = Complement(column_smoothing(alpha), bool(self.norm))
        return preset_likelihoods(table, n_classes, counts, level_smoothing(alpha, table))

    def _log_prior(self) -> Floats:
        return super()._log_prior() if len(self.classes_) == 1 else np.zeros(len(self.classes_))

    @property
    def feature_count_(self) -> Floats:
        """The weighted sum of each numeric column in each class."""
        return likelihood_of(self, Complement).counts

    @property
    def feature_all_(self) -> Floats:
        """The weighted sum of each numeric column."""
        total: Floats = self.feature_count_.sum(axis=0)
        return total

    @property
    def feature_log_prob_(self) -> Floats:
        """-log theta, or its share in the class."""
        return likelihood_of(self, Complement).log_weights()


@shares_docs(**PRESET_DOCS)
class BernoulliNB(BayesClassifier):
    """p(x | c) = prod_j (p_cj if x_j > binarize else 1 - p_cj),  p_cj = (N_cj + alpha) / (N_c + 2 alpha).

    For what is there or not, such as words in documents: N_cj is the number of rows of class c with x_j > binarize.
    `NaiveBayes` with scikit-learn's parameters, and its answers on numbers; a sparse matrix stays sparse. Missing cells
    are skipped. In a mixed table columns of two or more levels are counted, and so are words of texts.

    Parameters
    ----------
    {alpha}
    {force_alpha}
    binarize : float or None, default 0.0
        Numbers above it are there. None for columns of 0 and 1 already.
    {fit_prior}
    {class_prior}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {classes_}
    {class_count_}
    {class_log_prior_}
    feature_count_ : ndarray of shape (n_classes, n_numeric_columns)
        N_cj, by the weights of the rows.
    feature_log_prob_ : ndarray of shape (n_classes, n_numeric_columns)
        log p_cj.
    {likelihoods_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    MultinomialNB : Counts how often.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.BernoulliNB().fit([[3, 0], [2, 1], [0, 4]], ["a", "a", "b"])
    >>> model.predict([[5, 0]]), model.feature_count_
    (array(['a'], dtype='<U1'), array([[2., 1.],
           [0., 1.]]))
    """

    parameters: ClassVar[Parameters] = {**COUNT_PARAMETERS, "binarize": Number(optional=True)}
    as_scikit_learn: ClassVar[bool] = True
    _check_alpha = checked_alpha
    _priors = count_priors
    class_log_prior_ = property(class_log_prior)

    def __init__(
        self,
        *,
        alpha: AlphaParameter = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        alpha = checked_alpha(self)
        there = Bernoulli(column_smoothing(alpha), self.binarize)
        return preset_likelihoods(table, n_classes, there, level_smoothing(alpha, table))

    @property
    def feature_count_(self) -> Floats:
        """Number of rows of each class in which each numeric column is there, by their weights."""
        return likelihood_of(self, Bernoulli).present

    @property
    def feature_log_prob_(self) -> Floats:
        """log p_cj."""
        return likelihood_of(self, Bernoulli).log_outcomes()[1]

"""Naive Bayes of levels, with scikit-learn's name and parameters: CategoricalNB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.drop_in.parameters import (
    COUNT_PARAMETERS,
    PRESET_DOCS,
    checked_alpha,
    class_log_prior,
    count_priors,
    count_tags,
    preset_likelihoods,
    refuse_negative,
)
from mercer.likelihoods import Categorical, Codes, Likelihood
from mercer.likelihoods.codes import N_LEVELS
from mercer.parameters import Either, Number, Parameters, Unstored
from mercer.table import Table


def _whole_numbers(value: Any) -> bool:
    """A list of whole numbers, of any shape."""
    try:
        return isinstance(value, list) and np.asarray(value).dtype.kind in "iu"
    except ValueError:  # rows of several lengths
        return False


@shares_docs(**PRESET_DOCS)
class CategoricalNB(BayesClassifier):
    """p(x_j = k | c) = (N_cjk + alpha) / (N_cj + alpha n_j), the smoothed share of level k of n_j in class c.

    `NaiveBayes` with scikit-learn's parameters, and its answers on numbers, which stand for levels: 0, 1, 2, ... up to
    the largest of the training rows. A larger one is a level never seen, with the mass that alpha leaves it. Missing
    cells are skipped. In a mixed table columns of levels are taken as they are, without an encoder before, and words
    of texts are counted.

    Parameters
    ----------
    {alpha_number}
    {force_alpha}
    {fit_prior}
    {class_prior}
    min_categories : int, array-like of shape (n_columns,) or None, default None
        At least so many levels n_j, in every numeric column or in each; None for those that training rows hold.
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {classes_}
    {class_count_}
    {class_log_prior_}
    category_count_ : list of ndarray of shape (n_classes, n_levels)
        For each column the weight of each level in each class.
    feature_log_prob_ : list of ndarray of shape (n_classes, n_levels)
        For each column log p(level | c).
    n_categories_ : ndarray of shape (n_columns,)
        Number of levels of each column.
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
    >>> rows = {"outlook": ["sun", "rain", "sun", None], "month": [5, 5, 7, 11]}
    >>> model = mercer.CategoricalNB().fit(rows, ["play", "stay", "play", "stay"])
    >>> model.predict({"outlook": ["sun"], "month": [5]}), model.n_categories_
    (array(['play'], dtype='<U4'), array([ 2, 12]))
    """

    parameters: ClassVar[Parameters] = {
        **COUNT_PARAMETERS,
        "alpha": Number(0),
        # A list of another shape is refused in fit, which says how many numbers there should be.
        "min_categories": Either(*N_LEVELS.cases, Unstored("a list of them", _whole_numbers)),
    }
    as_scikit_learn: ClassVar[bool] = True
    _check_alpha = checked_alpha
    _check_table = refuse_negative
    _priors = count_priors
    class_log_prior_ = property(class_log_prior)

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Sequence[float] | None = None,
        min_categories: int | Sequence[int] | None = None,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.kinds = kinds
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        return count_tags(super().__sklearn_tags__())

    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        alpha, least, n = float(checked_alpha(self)), self.min_categories, len(table.schema.numeric_names)
        levels = None if least is None else np.asarray(least, dtype=np.int64)
        if levels is not None and levels.shape not in ((), (n,)):
            raise BadParameter(
                f"'min_categories' should have shape ({n},), a number for each numeric column. Got {levels.shape}."
            )
        return preset_likelihoods(table, n_classes, Codes(alpha, None if levels is None else levels.tolist()), alpha)

    def _column_counts(self) -> list[tuple[Floats, Floats]]:
        """For each column of levels its counts and log probabilities, in the order of the table."""
        parts = {name: part for part in self.likelihoods_ if isinstance(part, Categorical) for name in part.names}
        return [parts[name].counts_of(name) for name in self.schema_.names if name in parts]

    @property
    def category_count_(self) -> list[Floats]:
        """For each column the weight of each level in each class."""
        return [counts for counts, _ in self._column_counts()]

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """For each column log p(level | c)."""
        return [log_prob for _, log_prob in self._column_counts()]

    @property
    def n_categories_(self) -> Longs:
        """Number of levels of each column."""
        return np.array([counts.shape[1] for counts in self.category_count_], dtype=np.int64)

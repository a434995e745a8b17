"""Naive Bayes on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.bayes.chunks import check_announced, chunk_class_weight, read_chunk, refuse_balanced
from mercer.estimators.bayes.column_likelihoods import LIKELIHOODS_PARAMETER, Likelihoods, column_likelihoods
from mercer.estimators.bayes.explain import BayesTables, explain_rows
from mercer.estimators.bayes.statistics import (
    PRIORS,
    Priors,
    Statistics,
    class_priors,
    count_rows,
    without_rows,
)
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.class_weight import CLASS_WEIGHT, ClassWeight, class_weighted
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.sample_weight import row_counts
from mercer.likelihoods import LIKELIHOODS, Gaussian, Likelihood
from mercer.likelihoods.gaussian import FLOOR, Variance
from mercer.likelihoods.registry import LikelihoodName
from mercer.likelihoods.smoothing import SMOOTHING, Smoothing
from mercer.parameters import Choice, Dictionary, Number, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import class_codes


@shares_docs()
class NaiveBayes(TableClassifier):
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
        "n_jobs": Number(whole=True, optional=True),
    }
    class_count_: Floats
    class_prior_: Floats
    likelihoods_: list[Likelihood]

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

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate P(c) and p(x_j | c) from a table X and labels y.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = row_counts(self._weights(sample_weight, len(table)))
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        likelihoods = column_likelihoods(table, self.likelihoods, self._named, len(self.classes_))
        return self._keep(count_rows(table, self.classes_, codes, weight, likelihoods, self._jobs))

    def _named(self, name: LikelihoodName) -> Likelihood:
        """The likelihood of this name, with the options of this model."""
        if name == Gaussian.key:
            return Gaussian(self.variance, self.ddof, self.variance_floor)
        kind: Any = LIKELIHOODS[name]
        return kind(smoothing=self.smoothing) if "smoothing" in kind.parameters else kind()

    def _keep(self, statistics: Statistics) -> Self:
        self.schema_, self.classes_ = statistics.schema, statistics.classes
        self.class_count_, self.likelihoods_ = statistics.class_count, statistics.likelihoods
        self.class_prior_ = class_priors(self.priors, self.classes_, self.class_count_)
        return self

    def _statistics(self) -> Statistics:
        check_is_fitted(self)
        return Statistics(self.schema_, self.classes_, self.class_count_, self.likelihoods_)

    @shares_docs()
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add further rows: the same model as one `fit` on all. Later rows may bring new levels and classes.

        Parameters
        ----------
        {X}
        {y_class}
        classes : array-like of shape (n_classes,) or None, default None
            All classes that may occur, in the first call; labels outside them are refused.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Number of rows that each row stands for, at least 0; None for one each. Weights are taken as they are, since
            they go with those of other calls.

        Returns
        -------
        {self}

        Raises
        ------
        BadParameter
            `class_weight` is "balanced", which needs all rows at once.
        """
        check_parameters(self)
        refuse_balanced(self.class_weight, "partial_fit")
        first = not hasattr(self, "likelihoods_")
        table = self._fit_table(X) if first else self._chunk_table(X)
        labels, codes = class_codes(y, len(table))
        if classes is not None:
            check_announced(labels, classes)
        weight = self._weights(sample_weight, len(table))
        weight = class_weighted(chunk_class_weight(self.class_weight, labels), labels, codes, weight)
        if first:
            likelihoods = column_likelihoods(table, self.likelihoods, self._named, len(labels))
        else:
            likelihoods = without_rows(self.likelihoods_, table.schema, len(labels))
        found = count_rows(table, labels, codes, weight, likelihoods, self._jobs)
        if not first:
            return self._keep(self._statistics().merge(found))
        return self._keep(found if classes is None else found.with_classes(classes))

    def _chunk_table(self, X: Any) -> Table:
        return read_chunk(X, self.schema_) if self.schema_.named else self._predict_table(X)

    def merge(self, other: NaiveBayes) -> NaiveBayes:
        """The model of both models' rows together, exactly as if fitted on all of them at once.

        Parameters
        ----------
        other : NaiveBayes
            Fitted with the same parameters on rows that this model has not seen.

        Returns
        -------
        model : NaiveBayes
            A new model; neither of the two is changed.

        Raises
        ------
        MercerError
            The models differ in likelihoods, options or class_weight.
        BadColumn
            The models were fitted on different columns.
        """
        refuse_balanced(self.class_weight, "merge")
        merged = self._statistics().merge(other._statistics())
        if self.class_weight != other.class_weight:
            raise MercerError("The models differ in class_weight; merge models fitted with the same one.")
        return copy(self)._keep(merged)

    @shares_docs()
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log P(c) + log p(x | c).

        Parameters
        ----------
        {X}

        Returns
        -------
        joint : ndarray of shape (n_rows, n_classes)
            The joint log probability (or density) of each row and class, columns in the order of `classes_`.
        """
        return self._joint(self._predict_table(X))

    def _joint(self, table: Table) -> Floats:
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        joint = np.empty((len(table), len(self.classes_)))
        joint[:] = log_prior
        for likelihood in self.likelihoods_:
            likelihood.add_log_prob(table, joint, self._jobs)
        impossible = ~np.isfinite(joint.max(axis=1))
        if impossible.any():
            joint[impossible] = self._far_joint(table.take(impossible), log_prior)
        return joint

    def _far_joint(self, table: Table, log_prior: Floats) -> Floats:
        """log P(c) + log p(x | c) of rows so far out that it overflowed, column by column."""
        with np.errstate(over="ignore"):
            joint = log_prior + sum(part.column_log_prob(table).sum(axis=1) for part in self.likelihoods_)
        # Without smoothing every class can be impossible; then the row is no evidence.
        return np.where(np.isfinite(joint.max(axis=1, keepdims=True)), joint, log_prior)

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of `classes_` on a tie.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        best = np.argmax(self.predict_joint_log_proba(X), axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """P(c | x).

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        joint = self.predict_joint_log_proba(X)
        _core.softmax_rows(joint, self._jobs)
        return joint

    @shares_docs()
    def predict_log_proba(self, X: Any) -> Floats:
        """log P(c | x).

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            The log probability of each class, columns in the order of `classes_`.
        """
        joint = self.predict_joint_log_proba(X)
        top = joint.max(axis=1, keepdims=True)
        return joint - top - np.log(np.exp(joint - top).sum(axis=1, keepdims=True))

    def tables(self) -> BayesTables:
        """The counts and probabilities of every column.

        Returns
        -------
        tables : BayesTables
            P(class), and a table for each column; `tables["name"]` is that of a column.
        """
        check_is_fitted(self)
        found = {table.name: table for likelihood in self.likelihoods_ for table in likelihood.tables()}
        columns = [found[name] for name in self.schema_.names]
        return BayesTables([str(c) for c in self.classes_], self.class_prior_, self.class_count_, columns)

    @shares_docs()
    def explain(self, X: Any) -> Explanation:
        """What each column adds to the log odds of each row; with the prior they add up to the prediction.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanation : Explanation
            Log odds of two classes in each row, cell by cell.
        """
        table = self._predict_table(X)
        return explain_rows(table, self.likelihoods_, self.class_prior_, self.classes_, self._joint(table))

    def _fitted_state(self) -> State:
        return self._statistics().to_state()

    def _restore_fitted(self, state: Reader) -> None:
        self._keep(Statistics.from_state(state, self.schema_))

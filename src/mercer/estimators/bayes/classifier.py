"""What naive Bayes classifiers share: counting rows, adding up chunks, prediction, tables, and storing."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer import _core
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, MercerError
from mercer.estimators.bayes.chunks import (
    announced_classes,
    check_announced,
    chunk_class_weight,
    read_chunk,
    refuse_balanced,
)
from mercer.estimators.bayes.explain import BayesTables, explain_rows
from mercer.estimators.bayes.statistics import Priors, Statistics, class_priors, count_rows, without_rows
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.weights.class_weight import ClassWeight, class_weighted
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.likelihoods import Likelihood
from mercer.parameters import check_parameters
from mercer.state import Reader, State
from mercer.table import Kind, Table
from mercer.table.target import class_codes

_WEIGHT = """
    sample_weight : array-like of shape (n_rows,) or None, default None
        Weight of each row, at least 0; None weighs all alike. NaiveBayes reads weights in any unit: whole multiples of
        the smallest positive one are numbers of rows, others are scaled to a mean of 1. GaussianNB and the other
        classes of scikit-learn's names take them for numbers of rows as they are."""


class BayesClassifier(TableClassifier):
    """P(c | x) proportional to P(c) * prod_j p(x_j | c); subclasses state priors and likelihoods."""

    # Whether sample_weight is a number of rows as it is, all classes are named in the first partial_fit, and booleans
    # beside numbers are 0 and 1.
    as_scikit_learn: ClassVar[bool] = False
    class_weight: ClassWeight = None
    class_count_: Floats
    class_prior_: Floats
    likelihoods_: list[Likelihood]

    def _reads_as_numbers(self) -> bool:
        return self.as_scikit_learn

    @shares_docs(sample_weight=_WEIGHT)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate P(c) and p(x_j | c) from a table X and labels y.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        classes, codes = class_codes(y, len(table))
        self._check_table(table)
        weight = self._weights(sample_weight, len(table))
        if not self.as_scikit_learn:
            weight = row_counts(weight)
            table = self._flag_missing(table, [codes], weight, Kind.BINARY)
        weight = class_weighted(self.class_weight, classes, codes, weight)
        likelihoods = self._new_likelihoods(table, len(classes))
        return self._keep(count_rows(table, classes, codes, weight, likelihoods, self._jobs))

    def _check_table(self, table: Table) -> None:
        """Refuse, in the name of the estimator, numbers that its likelihoods do not take."""

    @abstractmethod
    def _new_likelihoods(self, table: Table, n_classes: int) -> list[Likelihood]:
        """Likelihoods without statistics, which share the columns of the table among them."""

    @abstractmethod
    def _priors(self) -> Priors:
        """P(c) as the parameters state it."""

    def _log_prior(self) -> Floats:
        """What each class has before any column is looked at, (n_classes,)."""
        with np.errstate(divide="ignore"):
            return np.log(self.class_prior_)

    def _keep(self, statistics: Statistics) -> Self:
        self.schema_ = self.missing_indicators_.input_schema(statistics.schema)
        self.classes_ = statistics.classes
        self.class_count_, self.likelihoods_ = statistics.class_count, statistics.likelihoods
        self.class_prior_ = class_priors(self._priors(), self.classes_, self.class_count_)
        return self

    def _statistics(self) -> Statistics:
        check_is_fitted(self)
        return Statistics(self._learned_schema, self.classes_, self.class_count_, self.likelihoods_)

    @shares_docs()
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add further rows: the same model as one `fit` on all. Later rows may bring new levels and classes.

        Which columns get missing indicators is decided on all rows at once, so a model begun here has none.

        Parameters
        ----------
        {X}
        {y_class}
        classes : array-like of shape (n_classes,) or None, default None
            All classes that may occur, in the first call; labels outside them are refused. NaiveBayes does without.
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
        if self.as_scikit_learn:
            classes = announced_classes(getattr(self, "classes_", None), classes)
        table = self._fit_table(X) if first else self._chunk_table(X)
        labels, codes = class_codes(y, len(table))
        self._check_table(table)
        if classes is not None:
            check_announced(labels, classes)
        weight = self._weights(sample_weight, len(table))
        weight = class_weighted(chunk_class_weight(self.class_weight, labels), labels, codes, weight)
        if first:
            likelihoods = self._new_likelihoods(table, len(labels))
        else:
            likelihoods = without_rows(self.likelihoods_, table.schema, len(labels))
        found = count_rows(table, labels, codes, weight, likelihoods, self._jobs)
        if not first:
            return self._keep(self._statistics().merge(found))
        return self._keep(found if classes is None else found.with_classes(classes))

    def _chunk_table(self, X: Any) -> Table:
        if not self.schema_.named:
            return self._predict_table(X)
        return self.missing_indicators_.apply(read_chunk(X, self.schema_))

    def merge(self, other: Self) -> Self:
        """The model of both models' rows together, exactly as if fitted on all of them at once.

        Parameters
        ----------
        other : estimator of the same class
            Fitted with the same parameters on rows that this model has not seen.

        Returns
        -------
        model : estimator of the same class
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
        table = self._predict_table(X)
        self._check_table(table)
        return self._joint(table)

    def _joint(self, table: Table) -> Floats:
        log_prior = self._log_prior()
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
        columns = [found[name] for name in self._learned_schema.names]
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
        return explain_rows(table, self.likelihoods_, self._log_prior(), self.classes_, self._joint(table))

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the score: exact."""
        return self.explain(X)

    def _fitted_state(self) -> State:
        return self._statistics().to_state()

    def _restore_fitted(self, state: Reader) -> None:
        found = Statistics.from_state(state, self._learned_schema)
        try:
            self._keep(found)
        except MercerError as error:  # priors that are none, or of other classes
            raise BadFile(f"{state.where}: {error}") from None

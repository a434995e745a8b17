"""Boosted trees for classes, on mixed tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, BadTarget
from mercer.estimators.boosting.base import BaseBoosting
from mercer.estimators.boosting.parameters import (
    FIT_DOCS,
    SHARED_DOCS,
    SHARED_PARAMETERS,
    EarlyStopping,
    Growth,
    LeafRows,
    RandomState,
    Restraint,
    Scoring,
)
from mercer.estimators.boosting.training.constraints import any_sign
from mercer.estimators.boosting.training.rounds import class_score
from mercer.estimators.boosting.training.rows import LabelledRows, TableRows
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight, class_weighted
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.solvers.boost.losses import Loss
from mercer.state import Reader, State
from mercer.table.target import class_codes


@shares_docs(**SHARED_DOCS)
class HistGradientBoostingClassifier(TableClassifier, BaseBoosting):
    """P(c | x) from a sum of trees, f(x) = start + rate (v_1(x) + v_2(x) + ...), by the logistic function or softmax.

    Each tree lowers the log-loss at the sum of those before it, by its gradient and hessian (Friedman 2001; Ke et al.
    2017). Columns are binned; levels are split in two sets in the order of their gradients, missing cells go where they
    gain, words of texts are counted. Sums are of integers: threads and the order of rows change nothing.

    Parameters
    ----------
    loss : {"log_loss"}, default "log_loss"
        What is minimised: of two classes the binary log-loss, of more the multinomial one.
    {learning_rate}
    {max_iter}
    {max_leaf_nodes}
    {max_depth}
    {min_samples_leaf}
    {l2_regularization}
    {max_features}
    {max_bins}
    {categorical_features}
    {monotonic_cst}
    {interaction_cst}
    {warm_start}
    {early_stopping}
    {scoring}
    {validation_fraction}
    {n_iter_no_change}
    {tol}
    {verbose}
    {random_state}
    {class_weight}
    {growth}
    {subsample}
    {keep_best}
    {words}
    {kinds}
    {n_jobs}

    Attributes
    ----------
    {forest_}
    {binning_}
    {columns_}
    {classes_}
    {n_iter_}
    {n_trees_per_iteration_}
    {do_early_stopping_}
    {train_score_}
    {validation_score_}
    {is_categorical_}
    {feature_importances_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [*range(20, 60)] * 2, "job": ["sales"] * 40 + ["law"] * 40}
    >>> bought = ["yes" if age > 40 and job == "law" else "no" for age, job in zip(rows["age"], rows["job"])]
    >>> model = mercer.HistGradientBoostingClassifier(min_samples_leaf=5).fit(rows, bought)
    >>> model.predict({"age": [30, 50, 50], "job": ["law", "law", "sales"]}).tolist()
    ['no', 'yes', 'no']
    """

    parameters: ClassVar[Parameters] = {
        "loss": Choice(("log_loss",)),
        "class_weight": CLASS_WEIGHT,
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        loss: Literal["log_loss"] = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: LeafRows = 20,
        l2_regularization: Restraint = 0.0,
        max_features: Restraint = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: EarlyStopping = "auto",
        scoring: Scoring = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        growth: Growth = "leaf",
        subsample: float = 1.0,
        keep_best: bool = False,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.growth = growth
        self.subsample = subsample
        self.keep_best = keep_best
        self.words = words
        self.kinds = kinds
        self.n_jobs = n_jobs

    @shares_docs(**FIT_DOCS)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Add trees round by round.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight_counts}
        {X_val}
        {y_val}
        {sample_weight_val}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._boost_table(X)
        codes = self._fit_labels(y, len(table))
        weight = class_weighted(self.class_weight, self.classes_, codes, self._weights(sample_weight, len(table)))
        held = self._held_rows(X_val, y_val, sample_weight_val, self._held_codes)
        self._boost_classes(TableRows(codes.astype(np.float64), weight, table), held)
        return self

    def _boost_classes(self, rows: LabelledRows, held: LabelledRows | None = None) -> None:
        """Add trees for `classes_`, of which y has the codes."""
        n = len(self.classes_)
        if n > 2 and self.monotonic_cst is not None and any_sign(self.monotonic_cst):
            raise BadParameter("monotonic constraints are not supported for multiclass classification.")
        loss = Loss("softmax", n_outputs=n) if n > 2 else Loss("log_loss")
        self._boost(rows, loss, class_score(self.scoring, self.classes_, self._probabilities), held, stratify=True)

    def _held_codes(self, y: Any, n_rows: int) -> Floats:
        labels, codes = class_codes(y, n_rows)
        unknown = [label for label in labels if label not in self.classes_]
        if unknown:
            raise BadTarget(f"y_val holds the class {unknown[0]}, which y does not. The classes: {self.classes_}.")
        return np.searchsorted(self.classes_, labels)[codes].astype(np.float64)

    def _probabilities(self, raw: Floats) -> Floats:
        """Of each class, from raw predictions."""
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        if len(self.classes_) > 2:
            shares: Floats = softmax(raw, axis=1)
            return shares
        second = expit(raw[:, 0])
        return np.column_stack([1 - second, second])

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        return self._probabilities(self._raw_predict(X))

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """The sum of the trees: log odds of the second of two classes, or a score of each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Of two classes, above 0 for the second.
        """
        raw = self._raw_predict(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    @shares_docs()
    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """`decision_function` after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            After one round more.
        """
        for raw in self._staged_raw(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw

    @shares_docs()
    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """`predict_proba` after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        probabilities : ndarray of shape (n_rows, n_classes)
            After one round more.
        """
        for raw in self._staged_raw(X):
            yield self._probabilities(raw)

    @shares_docs()
    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """`predict` after each round.

        Parameters
        ----------
        {X}

        Yields
        ------
        classes : ndarray of shape (n_rows,)
            After one round more.
        """
        for raw in self._staged_raw(X):
            yield self.classes_[self._probabilities(raw).argmax(axis=1)]

    def _fitted_state(self) -> State:
        return {"classes": labels_state(self.classes_), **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self._restore_boosting(state, len(self.classes_) if len(self.classes_) > 2 else 1)

"""Forests for classes, on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadTable, BadTarget
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.weights.class_weight import ClassWeight, class_factors
from mercer.estimators.forest.base import BaseForest, ForestTarget
from mercer.estimators.forest.parameters import (
    FOREST_CLASS_WEIGHT,
    SHARED_DOCS,
    SHARED_PARAMETERS,
    Criterion,
    ForestClassWeight,
    OutOfBag,
)
from mercer.estimators.tree.classifier import DecisionTreeClassifier
from mercer.estimators.tree.parameters import MaxFeatures, Missing, RandomState
from mercer.estimators.tree.target import Labels, Weights, log_shares, most_probable, shares_by_output
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.state import Reader, State


class ForestClassifier(ClassifierMixin, BaseForest):
    """Base of forests for classes."""

    _tree_class = DecisionTreeClassifier
    classes_: Any
    parameters: ClassVar[Parameters] = {
        "criterion": Choice(Criterion),
        "class_weight": FOREST_CLASS_WEIGHT,
        **SHARED_PARAMETERS,
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Criterion = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: MaxFeatures = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        oob_score: OutOfBag = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: ForestClassWeight | Sequence[ClassWeight] = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Sequence[int] | NDArray[Any] | None = None,
        missing: Missing = "learned",
        min_samples_level: float | None = None,
        set_penalty: float = 1.0,
        max_bins: int = 0,
        words: int = 100,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.missing = missing
        self.min_samples_level = min_samples_level
        self.set_penalty = set_penalty
        self.max_bins = max_bins
        self.words = words
        self.kinds = kinds

    @shares_docs(**SHARED_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        {X}
        {y_classes}
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        goes_on = self._goes_on
        table = self._forest_table(X, y)
        labels = Labels.read(y, len(table))
        if goes_on and not _same(labels.classes, self._class_lists()):
            raise BadTarget("warm_start=True goes on with the classes of the first fit, but y has others.")
        self._keep_classes(labels.classes)
        target = self._target(labels, self._weights(sample_weight, len(table)))
        self._keep_out_of_bag(self._fit_forest(table, target), labels)
        return self

    def _target(self, labels: Labels, weight: Floats | None) -> ForestTarget:
        """The classes and weights; those of "balanced_subsample" are found for the rows that each tree drew."""
        n_classes = tuple(map(len, labels.classes))
        chosen: Any = self.class_weight
        if chosen != "balanced_subsample" or not self.bootstrap:
            chosen = "balanced" if isinstance(chosen, str) else chosen
            return ForestTarget(labels.codes, n_classes, Weights.by_class(weight, labels, chosen))

        def balanced(counts: Floats) -> Floats:
            found = counts
            for classes, codes in zip(labels.classes, labels.codes.T, strict=True):
                found = found * class_factors("balanced", classes, codes, counts)[codes]
            return found * (counts.sum() / found.sum())

        return ForestTarget(labels.codes, n_classes, Weights.of(weight), balanced)

    def _keep_out_of_bag(self, found: tuple[Floats, Any] | None, labels: Labels) -> None:
        if found is None:
            return
        sizes = {len(known) for known in labels.classes}
        if len(labels.classes) > 1 and sizes != {2}:
            raise BadTarget(
                "The type of target cannot be used to compute OOB estimates: several outputs need two classes each. "
                "Use oob_score=False."
            )
        shares = shares_by_output(found[0], labels.classes)
        several = isinstance(shares, list)
        self.oob_decision_function_ = np.stack(shares, axis=2) if several else shares
        best = self.oob_decision_function_.argmax(axis=1)
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        self.oob_score_ = score(labels.codes if several else labels.codes[:, 0], best)

    def _keep_classes(self, classes: list[NDArray[Any]]) -> None:
        several = len(classes) > 1
        self.classes_ = classes if several else classes[0]
        self.n_classes_ = [len(known) for known in classes] if several else len(classes[0])

    def _class_lists(self) -> Sequence[NDArray[Any]]:
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    @shares_docs(**SHARED_DOCS)
    def predict_proba(self, X: Any) -> Any:
        """Share of each class in the leaves that a row reaches, mean over the trees.

        Parameters
        ----------
        {X}

        Returns
        -------
        probabilities : ndarray of shape (n_rows, n_classes), or list of these
            The probability of each class, columns in the order of `classes_`; a list has those of each output.
        """
        return shares_by_output(self._values(X), self._class_lists())

    @shares_docs(**SHARED_DOCS)
    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest mean share.

        Parameters
        ----------
        {X}

        Returns
        -------
        classes : ndarray of shape (n_rows,) or (n_rows, n_outputs)
            The class predicted for each row, of the type of the labels.
        """
        return most_probable(self.predict_proba(X), self._class_lists())

    @shares_docs(**SHARED_DOCS)
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes), or list of these
            Minus infinity for a class that no tree gives a share; a list has those of each output.
        """
        return log_shares(self.predict_proba(X))

    @shares_docs(**SHARED_DOCS)
    def permutation_importances(self, X: Any, y: Any, max_rows: int | None = 2000) -> Bunch:
        """Mean decrease in accuracy: mean over trees of A - A(column shuffled), on their out-of-bag rows.

        A is the accuracy of a tree on the rows that it did not draw (Breiman 2001).

        Parameters
        ----------
        X : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
            The rows of `fit`, in their order.
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            Their classes.
        max_rows : int or None, default 2000
            Out-of-bag rows of a tree that are looked at, drawn at random where there are more; None for all.

        Returns
        -------
        importances : Bunch
            `importances_mean` and `importances_std` over the trees, of shape (n_columns,), and `importances` of each
            tree, (n_columns, n_trees).
        """
        check_is_fitted(self)
        table = self._predict_table(X)
        labels = Labels.read(y, len(table))
        if not _same(labels.classes, self._class_lists()):
            raise BadTable("The classes of y are not those of fit. Give the rows of fit.")
        target = ForestTarget(labels.codes, tuple(map(len, labels.classes)), Weights(None))
        return self._permutation_importances(table, target, max_rows)

    def _fitted_state(self) -> State:
        return {"classes": [labels_state(known) for known in self._class_lists()], **super()._fitted_state()}

    def _restore_fitted(self, state: Reader) -> None:
        classes = [labels_from_state(known) for known in state.children("classes")]
        if not classes:
            raise state.refuse("classes", "those of one output or more")
        self._keep_classes(classes)
        self._restore_forest(state, [len(known) for known in classes])


def _same(classes: Sequence[NDArray[Any]], others: Sequence[NDArray[Any]]) -> bool:
    return len(classes) == len(others) and all(map(np.array_equal, classes, others))

"""What classification and regression trees share: predicting from a tree, reading it, storing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.tree.columns import TreeColumns
from mercer.estimators.tree.constraints import constraints
from mercer.estimators.tree.explanations.contributions import explain_tree_rows
from mercer.estimators.tree.explanations.picture import draw, picture_nodes, readable_depth
from mercer.estimators.tree.explanations.rules import Names, Rule, as_rules, as_text, rule_of
from mercer.estimators.tree.fit import Method, TrainingRows, column_count, draw_seed, fit_tree
from mercer.estimators.tree.parameters import SHARED_DOCS
from mercer.estimators.tree.target import Weights
from mercer.solvers.tree.prune import cost_path
from mercer.solvers.tree.tree import MISSING, Tree
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.estimator import TableEstimator


class BaseDecisionTree(TableEstimator):
    """Base of decision trees: a subclass reads its target, then calls `_fit_tree`."""

    tree_: Tree
    columns_: TreeColumns
    missing_: str
    alpha_: float
    max_features_: int
    n_outputs_: int
    # scikit-learn routes no check_input: it is no metadata of the rows.
    __metadata_request__fit: ClassVar[Any] = {"check_input": UNUSED}
    __metadata_request__predict: ClassVar[Any] = {"check_input": UNUSED}
    __metadata_request__predict_proba: ClassVar[Any] = {"check_input": UNUSED}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _fit_tree(self, table: Table, target: NDArray[Any], weights: Weights, n_classes: tuple[int, ...]) -> None:
        """Grow and prune on class codes, or on numbers where n_classes is 0, a column per output."""
        method = Method.of(self.get_params(deep=False), len(table), weights.total(len(table)), self._jobs)
        columns, training = TreeColumns.fit(table, self.words, method.min_rows_level)
        self.n_outputs_ = len(n_classes)
        self.max_features_ = column_count(self.max_features, len(columns.single))
        signs = constraints(self.monotonic_cst, columns.single, self._input_names(), n_classes)
        method = method.drawing(self.max_features_, signs, draw_seed(self.random_state))
        alone = len(n_classes) == 1
        rows = TrainingRows(
            training, target[:, 0] if alone else target, weights.counts, n_classes[0] if alone else n_classes
        )
        tree, combinations, self.alpha_ = fit_tree(rows, method)
        self.columns_ = columns.with_combinations(combinations)
        self.tree_ = self.columns_.name_levels(replace(tree, weight=tree.weight * weights.unit))
        self.missing_ = method.rules.missing

    def _values(self, X: Any) -> Floats:
        """Shares of the classes, or the means, in the leaves that each row reaches, (n_rows, n_answers)."""
        table = self._predict_table(X)
        return self.tree_.values(self.columns_.transform(table), n_jobs=self._jobs)

    @property
    def combinations_(self) -> Floats:
        """Coefficients of the sums of numeric columns that are cut, (n_combinations, n_numeric_columns)."""
        return self.columns_.combinations

    @property
    def feature_importances_(self) -> Floats:
        """Share of the total decrease of impurity that each column of `schema_` brought; words count for their text."""
        check_is_fitted(self)
        sums: Floats = self.tree_.decreases() @ self.columns_.attribution(self.schema_)
        return sums / sums.sum() if sums.sum() > 0 else sums

    @shares_docs(**SHARED_DOCS)
    def apply(self, X: Any, check_input: bool = True) -> NDArray[np.int64]:
        """The node where each row ends; with missing cells in fractions, by the heaviest branches.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        leaves : ndarray of shape (n_rows,)
            Number of the leaf in the arrays of `tree_`.
        """
        table = self._predict_table(X)
        return self.tree_.leaves(self.columns_.transform(table), n_jobs=self._jobs).astype(np.int64)

    @shares_docs(**SHARED_DOCS)
    def decision_path(self, X: Any, check_input: bool = True) -> sp.csr_matrix:
        """The nodes that each row passes, from the root to the node of `apply`.

        Parameters
        ----------
        {X}
        {check_input}

        Returns
        -------
        passed : sparse matrix of shape (n_rows, n_nodes)
            1 where a row passes a node.
        """
        return self.tree_.paths(self.apply(X))

    @shares_docs(**SHARED_DOCS)
    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """The penalties per leaf at which the tree of these rows loses leaves, grown without pruning.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_outputs)
            The class of each row, or the number to predict.
        {sample_weight_counts}

        Returns
        -------
        path : Bunch
            `ccp_alphas`, the penalties, increasing from 0, and `impurities`, the impurity of all leaves from each on.
        """
        grown = clone(self).set_params(ccp_alpha=0.0, prune=None).fit(X, y, sample_weight=sample_weight)
        path = cost_path(grown.tree_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.impurities)

    def get_depth(self) -> int:
        """How many tests the longest path has.

        Returns
        -------
        depth : int
            0 for a tree of one leaf.
        """
        check_is_fitted(self)
        return int(self.tree_.depths().max())

    def get_n_leaves(self) -> int:
        """How many leaves there are.

        Returns
        -------
        n_leaves : int
            At least 1.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def _names(self) -> Names:
        check_is_fitted(self)
        return Names(self.columns_.tested, tuple(tuple(map(str, known)) for known in self._class_lists()))

    def _class_lists(self) -> Sequence[NDArray[Any]]:
        """The classes of each output; none where numbers are predicted."""
        return ()

    def to_text(self, max_depth: int | None = None) -> str:
        """The tree as indented lines.

        Parameters
        ----------
        max_depth : int or None, default None
            How many tests deep; None shows all.

        Returns
        -------
        text : str
            A line per node: condition, prediction, and how many rows there are.
        """
        return as_text(self.tree_, self._names, max_depth)

    def rules(self) -> list[Rule]:
        """The tree as rules: IF conditions THEN prediction.

        Returns
        -------
        rules : list of Rule
            One per leaf, the heaviest first.
        """
        return as_rules(self.tree_, self._names)

    def to_svg(self, max_depth: int = 4) -> str:
        """The tree as a picture, from its root down to a depth.

        Parameters
        ----------
        max_depth : int, default 4
            How many tests deep.

        Returns
        -------
        svg : str
            An <svg> element.
        """
        return draw(
            picture_nodes(self.tree_, self._names, max_depth), f"Decision tree with {self.tree_.n_leaves} leaves"
        )

    def _repr_svg_(self) -> str | None:
        """The picture that a notebook shows; none before the tree is fitted."""
        return self.to_svg(readable_depth(self.tree_, 16, 12)) if hasattr(self, "tree_") else None

    @shares_docs()
    def explain(self, X: Any) -> list[Rule]:
        """For each row the conditions that it met on its way, and the prediction at the end.

        Parameters
        ----------
        {X}

        Returns
        -------
        rules : list of Rule
            One per row.
        """
        names = self._names
        return [rule_of(self.tree_, names, node) for node in self.apply(X).tolist()]

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the answer; None where there are several targets."""
        if self.n_outputs_ > 1:
            return None
        table = self._predict_table(X)
        return explain_tree_rows([self.tree_], self.columns_, table, self._class_lists(), self._jobs)

    def _fitted_state(self) -> State:
        return {
            "missing": self.missing_,
            "alpha": self.alpha_,
            "columns": self.columns_.to_state(),
            "tree": self.tree_.arrays(),
        }

    def _restore_tree(self, state: Reader, n_classes: Sequence[int]) -> None:
        """Set what `_fitted_state` gave; the outputs have so many classes each, 0 for a number."""
        self.missing_ = state.text("missing", MISSING)
        self.alpha_ = state.number("alpha", 0)
        self.columns_ = TreeColumns.from_state(state.child("columns"), self.schema_)
        self.tree_ = self.columns_.tree_from_state(state.child("tree"), n_classes, self.missing_)
        self.n_outputs_ = len(n_classes)
        self.max_features_ = column_count(self.max_features, len(self.columns_.single))

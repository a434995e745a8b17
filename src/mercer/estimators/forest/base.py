"""What forests for classes and for numbers share: from a table to trees, predictions, importances, storing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar
from warnings import warn
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, BadTable, BadTarget
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.forest.importance import permutation_decreases
from mercer.estimators.forest.parameters import SHARED_DOCS
from mercer.estimators.tree.columns import TreeColumns
from mercer.estimators.tree.constraints import constraints
from mercer.estimators.tree.explanations.contributions import explain_tree_rows
from mercer.estimators.tree.fit import Method, TrainingRows, column_count, draw_seed
from mercer.estimators.tree.target import Weights
from mercer.solvers.tree.forest import (
    Bootstrap,
    HeldForest,
    forest_leaves,
    grow_forest,
    out_of_bag_values,
    proximity,
    seeded,
)
from mercer.solvers.tree.prune import prune_cost
from mercer.solvers.tree.tree import MISSING, Columns, Tree
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.estimator import TableEstimator

_MOST_DRAWN = 1 << 27  # rows for one tree: their places take a gigabyte
# What forests made of their trees when they first predicted; a prediction leaves the attributes of a model as they are.
_held: WeakKeyDictionary[Any, HeldForest] = WeakKeyDictionary()
# What a forest's trees have in place of parameters that it does not take.
_FIXED: dict[str, Any] = {"algorithm": None, "nominal": "subset", "oblique": False, "prune": None}


@dataclass(frozen=True)
class ForestTarget:
    """What is predicted, (n_rows, n_outputs): codes of so many classes each, or numbers where n_classes is 0.

    `reweigh` turns how often each row was drawn into its weight in a tree.
    """

    values: NDArray[Any]
    n_classes: tuple[int, ...]
    weights: Weights
    reweigh: Callable[[Floats], Floats] | None = None

    def rows(self, columns: Columns) -> TrainingRows:
        """With the columns that are tested."""
        alone = len(self.n_classes) == 1
        values = self.values[:, 0] if alone else self.values
        return TrainingRows(columns, values, self.weights.counts, self.n_classes[0] if alone else self.n_classes)


class BaseForest(TableEstimator):
    """Base of forests: a subclass reads its target, then calls `_fit_forest`."""

    _splitter: ClassVar[str] = "best"
    _tree_class: ClassVar[type[Any]]
    trees_: list[Tree]
    seeds_: list[int]
    columns_: TreeColumns
    missing_: str
    max_features_: int
    n_outputs_: int
    _bootstrap: Bootstrap | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _forest_table(self, X: Any, y: Any) -> Table:
        """The table of fit; one that goes on from a warm start has the columns of the first."""
        if not self.bootstrap and self.max_samples is not None:
            raise BadParameter(
                "`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set "
                "`max_sample=None`."
            )
        if not self.bootstrap and self.oob_score:
            raise BadParameter(
                "Out of bag estimation only available if bootstrap=True: without it there are no such rows."
            )
        if sp.issparse(y):
            raise BadTarget("sparse multilabel-indicator for y is not supported. Use y.toarray().")
        shape = np.asarray(y).shape
        if len(shape) == 2 and shape[1] == 1:
            warn("A column-vector y was passed when a 1d array was expected. Use y.ravel().", DataConversionWarning, 3)
        known = self.schema_.columns if self._goes_on else None
        table = self._fit_table(X)
        if known is not None and table.schema.columns != known:
            raise BadTable("warm_start=True goes on with the columns of the first fit, but these are others.")
        return table

    @property
    def _goes_on(self) -> bool:
        return bool(self.warm_start and hasattr(self, "trees_"))

    def _fit_forest(self, table: Table, target: ForestTarget) -> tuple[Floats, Bools] | None:
        """Grow the trees; with `oob_score`, the out-of-bag answers and which rows have one."""
        n_rows, n_trees = len(table), len(self.trees_) if self._goes_on else 0
        if n_trees > self.n_estimators:
            raise BadParameter(
                f"n_estimators={self.n_estimators} must be larger or equal to the {n_trees} trees that there are when "
                "warm_start is True."
            )
        draws = self._draws(n_rows, target.weights)
        method = self._method(n_rows, target.weights.total(n_rows) if draws is None else float(draws.n_drawn))
        if n_trees:
            training = self.columns_.transform(table)
        else:
            self.columns_, training = TreeColumns.fit(table, self.words, method.min_rows_level)
            self.trees_, self.seeds_ = [], []
        self.n_outputs_, self.missing_ = len(target.n_classes), method.rules.missing
        self.max_features_ = column_count(self.max_features, len(self.columns_.single))
        signs = constraints(self.monotonic_cst, self.columns_.single, self._input_names(), target.n_classes)
        seeds = self._new_seeds(n_trees)
        if not seeds:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", UserWarning, 3)
        rows = target.rows(training)
        grown = self._grow(rows, target, method.drawing(self.max_features_, signs, 0), draws, seeds)
        self.trees_, self.seeds_ = [*self.trees_, *grown], [*self.seeds_, *seeds]
        self._bootstrap, self._n_rows = draws, n_rows
        if not self.oob_score or (not seeds and hasattr(self, "oob_score_")):
            return None
        found, asked = out_of_bag_values(
            self.trees_, self._out_of_bag(), self.columns_.transform(table), n_jobs=self._jobs
        )
        if not asked.all():
            warn(
                "Some inputs do not have OOB scores. This probably means too few trees were used to compute any "
                "reliable OOB estimates.", UserWarning, 3,
            )  # fmt: skip
        return found, asked > 0

    def _method(self, n_rows: int, weight: float) -> Method:
        """The rules of each tree; columns are drawn in random order whatever `random_state`."""
        given = self.get_params(deep=False) | _FIXED | {"splitter": self._splitter, "random_state": 0}
        return Method.of(given, n_rows, weight, self._jobs)

    def _draws(self, n_rows: int, weights: Weights) -> Bootstrap | None:
        if not self.bootstrap:
            return None
        n_drawn = n_rows
        if isinstance(self.max_samples, Integral):
            n_drawn = int(self.max_samples)
        elif self.max_samples is not None:
            n_drawn = max(int(min(self.max_samples * weights.total(n_rows), float(sys.maxsize))), 1)
        if n_drawn > max(_MOST_DRAWN, n_rows):
            raise BadParameter(
                f"max_samples={self.max_samples!r} draws {n_drawn:,} of {n_rows:,} rows for each tree; at most "
                f"{max(_MOST_DRAWN, n_rows):,} can be."
            )
        counts = weights.counts
        alike = counts is None or bool((counts == counts[0]).all())
        return Bootstrap(n_rows, n_drawn, None if alike else counts)

    def _new_seeds(self, known: int) -> list[int]:
        """A seed for each tree still to grow, those of scikit-learn's forests."""
        random = check_random_state(self.random_state)
        most = np.iinfo(np.int32).max
        if known:
            random.randint(most, size=known)
        return [int(random.randint(most)) for _ in range(self.n_estimators - known)]

    def _grow(
        self, rows: TrainingRows, target: ForestTarget, method: Method, draws: Bootstrap | None, seeds: Sequence[int]
    ) -> list[Tree]:
        def weight_of(k: int) -> Floats:
            counts = draws.counts(seeds[k]) if draws is not None else np.ones(len(rows.target))
            return counts if target.reweigh is None else target.reweigh(counts)

        grown = grow_forest(
            rows.columns,
            rows.target,
            method.rules,
            [draw_seed(seeded(seed)) for seed in seeds],
            n_classes=rows.n_classes,
            weight=None if draws is not None else rows.weight,
            weight_of=None if draws is None else weight_of,
            n_jobs=self._jobs,
        )
        if method.ccp_alpha > 0:
            grown = [prune_cost(tree, method.ccp_alpha) for tree in grown]
        unit = 1.0 if draws is not None else target.weights.unit
        if unit != 1.0:
            grown = [replace(tree, weight=tree.weight * unit) for tree in grown]
        return [self.columns_.name_levels(tree) for tree in grown]

    def _out_of_bag(self) -> list[Bools]:
        """Which rows of fit each tree did not draw."""
        draws = getattr(self, "_bootstrap", None)
        if draws is None:
            raise BadTable(
                "There are no out-of-bag rows: the forest was fitted with bootstrap=False, or read from a file, which "
                "does not tell which rows each tree drew. Fit it with bootstrap=True first."
            )
        return [draws.out_of_bag(seed) for seed in self.seeds_]

    def _values(self, X: Any) -> Floats:
        """Shares of the classes, or the means, averaged over the trees, (n_rows, n_answers)."""
        table = self._predict_table(X)
        columns, held = self.columns_.transform(table), _held.get(self)
        if held is None or not held.is_of(self.trees_, columns):
            _held[self] = held = HeldForest(self.trees_, columns, self._jobs)
        return held.values(columns, n_jobs=self._jobs)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, k: int) -> Any:
        return self.estimators_[k]

    @property
    def estimator(self) -> Any:
        """A tree of the kind that the forest grows, not fitted."""
        return self._tree_class(splitter=self._splitter)

    @property
    def estimator_(self) -> Any:
        """The same, as scikit-learn's fitted forests have it."""
        check_is_fitted(self)
        return self.estimator

    @property
    def estimators_(self) -> list[Any]:
        """The trees as estimators of their own."""
        return [self._as_estimator(tree, seed) for tree, seed in zip(self.trees_, self.seeds_, strict=True)]

    def _as_estimator(self, tree: Tree, seed: int) -> Any:
        names = self._tree_class.parameters
        given = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        model = self._tree_class(**{**given, "class_weight": None} if "class_weight" in given else given)
        model.set_params(splitter=self._splitter, random_state=seed, n_jobs=1)
        for name in ("schema_", "n_features_in_", "feature_names_in_", "missing_indicators_", "columns_", "missing_",
                     "max_features_", "n_outputs_", "classes_", "n_classes_"):  # fmt: skip
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model.tree_, model.alpha_ = tree, float(self.ccp_alpha)
        return model

    @property
    def estimators_samples_(self) -> list[Ints]:
        """The rows that each tree was grown on."""
        draws = getattr(self, "_bootstrap", None)
        if draws is not None:
            return [draws.drawn(seed).astype(np.int32) for seed in self.seeds_]
        return [np.arange(self._n_rows, dtype=np.int32) for _ in self.seeds_]

    @property
    def feature_importances_(self) -> Floats:
        """Share of the decrease of impurity that each column of `schema_` brought, mean over the trees."""
        check_is_fitted(self)
        owners = self.columns_.attribution(self.schema_)
        grown = [tree.decreases() for tree in self.trees_ if len(tree) > 1]
        if not grown:
            return np.zeros(len(self.schema_))
        each = np.array(grown) @ owners
        mean: Floats = (each / np.maximum(each.sum(axis=1, keepdims=True), 1e-300)).mean(axis=0)
        return mean / mean.sum() if mean.sum() > 0 else mean

    def _permutation_importances(self, table: Table, target: ForestTarget, max_rows: int | None) -> Bunch:
        if len(table) != getattr(self, "_n_rows", len(table)):
            raise BadTable(
                f"The forest was fitted to {self._n_rows} rows, but X has {len(table)}. Give the rows of fit."
            )
        found = permutation_decreases(
            self.trees_,
            self.seeds_,
            self._out_of_bag(),
            target.rows(self.columns_.transform(table)),
            self.columns_.attribution(self.schema_),
            max_rows,
            self._jobs,
        )
        found = found[~np.isnan(found).any(axis=1)]
        if not len(found):
            raise BadTable("No tree has two rows out of bag to shuffle. Use more rows, or a smaller max_samples.")
        return Bunch(importances_mean=found.mean(axis=0), importances_std=found.std(axis=0), importances=found.T)

    @shares_docs(**SHARED_DOCS)
    def apply(self, X: Any) -> Longs:
        """The node where each row ends in each tree.

        Parameters
        ----------
        {X}

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_trees)
            Number of the leaf in the arrays of each tree.
        """
        table = self._predict_table(X)
        return forest_leaves(self.trees_, self.columns_.transform(table), n_jobs=self._jobs)

    @shares_docs(**SHARED_DOCS)
    def decision_path(self, X: Any) -> tuple[sp.csr_matrix, Longs]:
        """The nodes that each row passes in each tree.

        Parameters
        ----------
        {X}

        Returns
        -------
        passed : sparse matrix of shape (n_rows, n_nodes)
            1 where a row passes a node, the nodes of all trees side by side.
        start : ndarray of shape (n_trees + 1,)
            Where the nodes of each tree begin.
        """
        ends = self.apply(X)
        parts = [tree.paths(ends[:, k]) for k, tree in enumerate(self.trees_)]
        start = np.concatenate([[0], np.cumsum([len(tree) for tree in self.trees_])]).astype(np.int64)
        return sp.hstack(parts).tocsr(), start

    @shares_docs(**SHARED_DOCS)
    def proximity(self, X: Any, others: Any = None) -> Floats:
        """The share of trees in which two rows end in one leaf (Breiman 2001).

        Parameters
        ----------
        {X}
        others : array-like, sparse matrix, data frame, dict of columns or Table, or None, default None
            The rows to compare with; None for those of X.

        Returns
        -------
        shares : ndarray of shape (n_rows, n_others)
            1 for two rows that end in one leaf of every tree.
        """
        ends = self.apply(X)
        return proximity(ends, ends if others is None else self.apply(others))

    def _class_lists(self) -> Sequence[NDArray[Any]]:
        """The classes of each output; none where numbers are predicted."""
        return ()

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the answer; None where there are several targets."""
        if self.n_outputs_ > 1:
            return None
        return explain_tree_rows(self.trees_, self.columns_, self._predict_table(X), self._class_lists(), self._jobs)

    def _fitted_state(self) -> State:
        score = {"oob_score": float(self.oob_score_)} if hasattr(self, "oob_score_") else {}
        return {
            "missing": self.missing_,
            "columns": self.columns_.to_state(),
            "seeds": np.array(self.seeds_, dtype=np.int64),
            "trees": [tree.arrays() for tree in self.trees_],
            **score,
        }

    def _restore_forest(self, state: Reader, n_classes: Sequence[int]) -> None:
        """Set what `_fitted_state` gave; the outputs have so many classes each, 0 for a number."""
        self.missing_ = state.text("missing", MISSING)
        self.columns_ = TreeColumns.from_state(state.child("columns"), self.schema_)
        if len(self.columns_.combinations):
            raise state.refuse("columns", "no sums of columns in a forest")
        self.trees_ = [
            self.columns_.tree_from_state(tree, n_classes, self.missing_) for tree in state.children("trees")
        ]
        if not self.trees_:
            raise state.refuse("trees", "one tree or more")
        self.seeds_ = state.array("seeds", "int64", (len(self.trees_),), low=0, high=2**31 - 1).tolist()
        self.n_outputs_ = len(n_classes)
        self.max_features_ = column_count(self.max_features, len(self.columns_.single))
        if state.has("oob_score"):
            self.oob_score_ = state.number("oob_score")

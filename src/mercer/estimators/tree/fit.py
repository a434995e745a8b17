"""How a tree is fitted: rules from the parameters or from a textbook algorithm, growing, pruning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state

from mercer.arrays import Floats
from mercer.solvers.tree.grow import NUMBERS, Rules, grow
from mercer.solvers.tree.oblique import extended, grow_oblique
from mercer.solvers.tree.prune import cost_path, prune_cost, prune_pessimistic
from mercer.solvers.tree.subtree_raising import Sample, prune_with_raising
from mercer.solvers.tree.tree import BadTree, Columns, Tree

# What the textbook algorithms are made of; they take the place of the parameters of the same name.
ALGORITHMS: Mapping[str | None, Mapping[str, Any]] = {
    None: {},
    "id3": {"criterion": "entropy", "nominal": "multiway", "min_gain": 1e-9, "prune": None},
    "c4.5": {
        "criterion": "gain_ratio", "nominal": "multiway", "missing": "fraction", "min_gain": 1e-9, "mdl": True,
        "min_weight_leaf": 2.0, "prune": "pessimistic",
    },
    "cart": {"criterion": "gini", "nominal": "subset", "missing": "surrogate", "prune": "cv", "set_penalty": 0.0},
}  # fmt: skip
_SAME = {"log_loss": "entropy", "friedman_mse": "squared_error"}  # scikit-learn's other names
_MAX_ALPHAS = 40  # penalties compared by cross-validation
_FOLDS = 5


@dataclass(frozen=True)
class TrainingRows:
    """Columns, target and counts of the rows to learn from.

    target (n_rows,), or (n_rows, n_outputs) of several outputs: codes of so many classes, or numbers where that is 0.
    """

    columns: Columns
    target: NDArray[Any]
    weight: Floats | None
    n_classes: int | tuple[int, ...]

    @property
    def by_class(self) -> bool:
        """Whether classes are predicted, not numbers."""
        return bool(np.any(self.n_classes))

    def take(self, rows: NDArray[Any]) -> Self:
        columns = replace(self.columns, numbers=self.columns.numbers[rows], codes=self.columns.codes[rows])
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, columns=columns, target=self.target[rows], weight=weight)

    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.target) if self.weight is None else self.weight.sum())


@dataclass(frozen=True)
class Method:
    """How to grow and prune: rules of each split, then what is cut back."""

    rules: Rules
    prune: str | None
    ccp_alpha: float
    confidence: float
    oblique: bool
    n_jobs: int
    min_rows_level: float  # levels of fewer rows are joined

    @classmethod
    def of(cls, parameters: Mapping[str, Any], n_rows: int, weight: float, n_jobs: int) -> Self:
        """The method that an estimator's parameters mean for so many rows of that weight."""
        preset = dict(ALGORITHMS[parameters["algorithm"]])
        given = _SAME.get(parameters["criterion"], parameters["criterion"])
        if given in NUMBERS:
            preset.pop("criterion", None)
        chosen = {**parameters, "criterion": given} | preset
        rules = Rules(
            criterion=chosen["criterion"],
            nominal=chosen["nominal"],
            missing=chosen["missing"],
            max_depth=chosen["max_depth"],
            min_rows_split=_count(chosen["min_samples_split"], n_rows, 2),
            min_rows_leaf=_count(chosen["min_samples_leaf"], n_rows, 1),
            min_weight_leaf=chosen.get("min_weight_leaf", chosen["min_weight_fraction_leaf"] * weight),
            min_gain=chosen.get("min_gain", chosen["min_impurity_decrease"]),
            mdl=chosen.get("mdl", False),
            max_bins=chosen["max_bins"],
            set_penalty=chosen["set_penalty"],
            splitter=chosen["splitter"],
            shuffle=chosen["random_state"] is not None,
            max_leaves=chosen["max_leaf_nodes"],
        )
        least = chosen["min_samples_level"]
        level = rules.min_rows_leaf if least is None else _count(least, n_rows, 0)
        return cls(
            rules=rules,
            prune=chosen["prune"],
            ccp_alpha=float(chosen["ccp_alpha"]),
            confidence=chosen.get("confidence", 0.25),
            oblique=chosen["oblique"],
            n_jobs=n_jobs,
            min_rows_level=level if rules.nominal == "subset" else 0.0,
        )

    def drawing(self, max_columns: int, monotone: tuple[int, ...], seed: int) -> Self:
        """The same for columns of which so many are looked at in each node, under these constraints."""
        return replace(self, rules=replace(self.rules, max_columns=max_columns, monotone=monotone, seed=seed))

    def grow(self, rows: TrainingRows) -> tuple[Tree, Floats]:
        """A tree, and the combinations of numeric columns that it tests besides the columns."""
        given: dict[str, Any] = {"n_classes": rows.n_classes, "weight": rows.weight, "n_jobs": self.n_jobs}
        if self.oblique:
            return grow_oblique(rows.columns, rows.target, self.rules, **given)
        tree = grow(rows.columns, rows.target, self.rules, **given)
        return tree, np.zeros((0, rows.columns.numbers.shape[1]))


def fit_tree(rows: TrainingRows, method: Method) -> tuple[Tree, Floats, float]:
    """The pruned tree, the combinations that it tests, and the penalty per leaf that it was pruned with."""
    tree, combinations = method.grow(rows)
    alpha = method.ccp_alpha
    if method.prune == "pessimistic" and rows.n_classes != 1:
        tree = _pessimistic(tree, replace(rows, columns=extended(rows.columns, combinations)), method)
    elif method.prune == "cv":
        alpha = _alpha_by_cv(tree, rows, method)
    if alpha > 0 or method.prune == "cv":
        tree = prune_cost(tree, alpha)
    return tree, combinations, alpha


def _pessimistic(tree: Tree, rows: TrainingRows, method: Method) -> Tree:
    """C4.5's pruning; subtrees are raised where missing cells go in fractions, as in C4.5."""
    if rows.target.ndim > 1:
        raise BadTree("prune='pessimistic' counts the errors of one output. Use ccp_alpha, or prune='cv'.")
    if method.rules.missing == "surrogate":
        return prune_pessimistic(tree, method.confidence)
    weight = np.ones(len(rows.target)) if rows.weight is None else rows.weight
    sample = Sample(rows.columns, rows.target, weight, method.rules.criterion)
    return prune_with_raising(tree, sample, method.confidence)


def _alpha_by_cv(tree: Tree, rows: TrainingRows, method: Method) -> float:
    """The penalty per leaf with the least squared error over five folds; of equals, the last (smallest tree)."""
    path = cost_path(tree).alphas
    alphas = _candidates(path)
    if len(rows.target) < 2 * _FOLDS:
        return 0.0
    error = np.zeros(len(alphas))
    for train, test in _folds(rows):
        part = rows.take(train)
        if part.weight is None or part.weight.any():
            error += _errors(part, rows.take(test), alphas, method)
    best = float(alphas[np.flatnonzero(error <= error.min() + 1e-12 * error[-1])[-1]])
    return min(best, float(path[-1]))  # at the end of the path this tree is one leaf


def _candidates(path: Floats) -> Floats:
    """Geometric means of neighbouring penalties of the pruning path, thinned out, and infinity (one leaf).

    Not the penalties themselves: those are where this tree changes, which the trees of the folds do a little earlier or
    later (Breiman et al. 1984, section 3.4.2).
    """
    between = np.sqrt(path[:-1] * path[1:])
    if len(between) > _MAX_ALPHAS:
        between = between[np.linspace(0, len(between) - 1, _MAX_ALPHAS).astype(int)]
    return np.append(np.unique(between), np.inf)


def _folds(rows: TrainingRows) -> Any:
    shuffled = {"n_splits": _FOLDS, "shuffle": True, "random_state": 0}  # tables are often in some order
    even = rows.by_class and rows.target.ndim == 1 and np.bincount(rows.target).min() >= _FOLDS
    folds = StratifiedKFold(**shuffled) if even else KFold(**shuffled)
    return folds.split(np.zeros(len(rows.target)), rows.target)


def _errors(train: TrainingRows, test: TrainingRows, alphas: Floats, method: Method) -> Floats:
    """Squared error on the test rows of the tree of the training rows, pruned by each penalty in turn."""
    tree, combinations = method.grow(train)
    columns = extended(test.columns, combinations)
    weight: Floats | float = 1.0 if test.weight is None else test.weight
    truth = _truth(test)
    error, answered = np.zeros(len(alphas)), None
    for k, alpha in enumerate(alphas):
        tree = prune_cost(tree, float(alpha))  # each tree of the path is a part of the one before
        if tree is answered:
            error[k] = error[k - 1]
            continue
        predicted, answered = tree.values(columns, n_jobs=method.n_jobs), tree
        error[k] = float((weight * ((predicted - truth) ** 2).sum(axis=1)).sum())
    return error


def _truth(rows: TrainingRows) -> Floats:
    """What a tree without errors would answer, (n_rows, n_answers)."""
    wide = rows.target.reshape(len(rows.target), -1)
    if not rows.by_class:
        return wide.astype(np.float64)
    return np.hstack([np.eye(n)[codes] for n, codes in zip(np.atleast_1d(rows.n_classes), wide.T, strict=True)])


def column_count(max_features: float | str | None, n_columns: int) -> int:
    """How many of the columns are looked at in each node.

    >>> column_count("sqrt", 30), column_count(0.5, 7), column_count(None, 7)
    (5, 3, 7)
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str):
        return max(1, int(np.sqrt(n_columns) if max_features == "sqrt" else np.log2(n_columns)))
    whole = isinstance(max_features, Integral)
    return int(max_features) if whole else max(1, int(max_features * n_columns))


def draw_seed(random_state: Any) -> int:
    """A seed of 31 bits, that of scikit-learn's trees for the same `random_state`."""
    return int(check_random_state(random_state).randint(0, 2**31 - 1))


def _count(value: float, n_rows: int, least: int) -> float:
    """A number of rows, or a share of them in (0, 1), as a number of rows; 1 is all rows where one row is too few."""
    share = 0 < value < 1 or 1 == value < least
    return float(max(least, np.ceil(value * n_rows))) if share else float(value)

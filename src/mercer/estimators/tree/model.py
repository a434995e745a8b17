"""What classification and regression trees share: columns, rules, pruning, reading, storing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints
from mercer.encode import BagOfWords
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.base import TableEstimator
from mercer.estimators.tree.explain import Names, Rule, as_rules, as_text, rule_of
from mercer.estimators.tree.oblique_columns import read_combinations, with_combinations
from mercer.estimators.tree.picture import draw, nodes
from mercer.solvers.tree.grow import Rules, grow
from mercer.solvers.tree.oblique import extended, grow_oblique
from mercer.solvers.tree.prune import cost_path, prune_cost, prune_pessimistic
from mercer.solvers.tree.rare_levels import RareLevels
from mercer.solvers.tree.subtree_raising import Sample, prune_with_raising
from mercer.solvers.tree.tree import BadTree, Columns, Tree
from mercer.state import Reader, State
from mercer.table import Column, Kind, Table
from mercer.table.parameters import parameters_state, read_parameters

_CODED = (Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL)
_TYPES = {
    "column": "int32",
    "kind": "uint8",
    "first": "int32",
    "branches": "int32",
    "level": "int32",
    "branch": "int32",
}
_TYPES |= {
    "level_start": "int64",
    "surrogate_start": "int64",
    "surrogate_level_start": "int64",
    "surrogate_flip": "uint8",
}
_TYPES |= {"surrogate_column": "int32", "surrogate_level": "int32", "surrogate_side": "int32"}

# What the textbook algorithms are made of; they take the place of the parameters of the same name.
PRESETS: dict[str, dict[str, Any]] = {
    "id3": {"criterion": "entropy", "nominal": "multiway", "min_gain": 1e-9, "prune": None},
    "c4.5": {
        "criterion": "gain_ratio", "nominal": "multiway", "missing": "fraction", "min_gain": 1e-9, "mdl": True,
        "min_weight_leaf": 2.0, "prune": "pessimistic",
    },
    "cart": {"criterion": "gini", "nominal": "subset", "missing": "surrogate", "prune": "cv", "set_penalty": 0.0},
}  # fmt: skip


class TreeModel(TableEstimator):
    """What classification and regression trees share: columns, rules, pruning, reading."""

    tree_: Tree
    words_: BagOfWords | None
    rare_: RareLevels
    combinations_: Floats

    def _encoded(self, table: Table) -> Table:
        return table if self.words_ is None else self.words_.transform(table)

    def _fit_words(self, table: Table) -> Table:
        """Texts become counts of their commonest words; nothing else is changed."""
        self.words_ = None
        if table.schema.of_kind(Kind.TEXT):
            self.words_ = BagOfWords(self.words)
            table = self.words_.fit_transform(table)
        self.columns_ = self._tree_columns(table)
        return table

    @staticmethod
    def _tree_columns(table: Table) -> tuple[Column, ...]:
        names = (*table.schema.of_kind(Kind.NUMERIC), *table.schema.of_kind(*_CODED))
        return tuple(table.schema[name] for name in names)

    def _columns(self, table: Table) -> Columns:
        return Columns.of(table.numbers(), table.codes(), *_coded(self.columns_))

    def _rules(self, n_rows: int, weight: float) -> tuple[Rules, str | None]:
        """The rules to grow by, and how to prune."""
        preset = self._preset()
        rules = Rules(
            criterion=preset.pop("criterion", self.criterion),
            nominal=preset.pop("nominal", self.nominal),
            missing=preset.pop("missing", self.missing),
            max_depth=self.max_depth,
            min_rows_split=_rows(self.min_samples_split, n_rows, "min_samples_split", 2),
            min_rows_leaf=_rows(self.min_samples_leaf, n_rows, "min_samples_leaf", 1),
            min_weight_leaf=preset.pop("min_weight_leaf", self.min_weight_fraction_leaf * weight),
            min_gain=preset.pop("min_gain", self.min_impurity_decrease),
            mdl=preset.pop("mdl", False),
            max_bins=self.max_bins,
            set_penalty=preset.pop("set_penalty", self.set_penalty),
        )
        prune = preset.pop("prune", self.prune)
        if prune not in (None, "pessimistic", "cv"):
            raise MercerError(f"prune={prune!r} is not one of None, 'pessimistic', 'cv'.")
        if not self.ccp_alpha >= 0:
            raise MercerError(f"ccp_alpha={self.ccp_alpha} must be at least 0.")
        return rules, prune

    def _preset(self) -> dict[str, Any]:
        if self.algorithm is None:
            return {}
        if self.algorithm not in PRESETS:
            raise MercerError(f"algorithm={self.algorithm!r} is not one of None, {', '.join(map(repr, PRESETS))}.")
        return dict(PRESETS[self.algorithm])

    def _grow(self, table: Table, target: NDArray[Any], weight: Floats | None, n_classes: int) -> None:
        columns = self._columns(self._fit_words(table))
        rules, prune = self._rules(len(table), float(len(table) if weight is None else weight.sum()))
        self.missing_ = rules.missing
        self.rare_ = RareLevels.among(columns, self._least_level(rules, len(table)))
        columns = self.rare_.joined(columns)
        self.alpha_ = float(self.ccp_alpha)
        tree, self.combinations_ = self._plant(columns, target, weight, (rules, n_classes))
        base, columns = columns, extended(columns, self.combinations_)
        if prune == "pessimistic" and n_classes != 1:
            tree = self._pessimistic(tree, columns, target, weight, rules)
        elif prune == "cv":
            self.alpha_ = self._alpha_by_cv(tree, base, target, weight, (rules, n_classes))
        tree = prune_cost(tree, self.alpha_) if self.alpha_ > 0 or prune == "cv" else tree
        self.tree_ = self.rare_.named(tree, columns.numbers.shape[1])
        self.columns_ = with_combinations(self.columns_, self.combinations_)

    def _plant(
        self, columns: Columns, target: NDArray[Any], weight: Floats | None, how: tuple[Rules, int]
    ) -> tuple[Tree, Floats]:
        """A tree, and the combinations of columns that it tests besides the columns."""
        rules, n_classes = how
        if self.oblique:
            return grow_oblique(columns, target, rules, n_classes=n_classes, weight=weight, n_jobs=self._jobs)
        tree = grow(columns, target, rules, n_classes=n_classes, weight=weight, n_jobs=self._jobs)
        return tree, np.zeros((0, columns.numbers.shape[1]))

    def _pessimistic(
        self, tree: Tree, columns: Columns, target: NDArray[Any], weight: Floats | None, rules: Rules
    ) -> Tree:
        """C4.5's pruning; subtrees are raised where missing cells go in fractions, as in C4.5."""
        if rules.missing == "surrogate" or rules.criterion == "squared_error":
            return prune_pessimistic(tree, self.confidence)
        given = np.ones(len(target)) if weight is None else weight
        return prune_with_raising(tree, Sample(columns, target, given, rules.criterion), self.confidence)

    def _least_level(self, rules: Rules, n_rows: int) -> float:
        """Rows that a level needs not to be joined with others; a branch per level joins none."""
        if rules.nominal != "subset":
            return 0.0
        if self.min_samples_level is None:
            return rules.min_rows_leaf
        return _rows(self.min_samples_level, n_rows, "min_samples_level", 0)

    def _alpha_by_cv(
        self, tree: Tree, columns: Columns, target: NDArray[Any], weight: Floats | None, how: tuple[Rules, int]
    ) -> float:
        """The penalty per leaf with the least squared error over five folds; of equals, the last (smallest tree)."""
        rules, n_classes = how
        path = cost_path(tree).alphas
        middle = np.sqrt(path[:-1] * path[1:])
        alphas = np.unique(
            np.append(middle[np.linspace(0, len(middle) - 1, 40).astype(int)], path[-1]) if len(middle) else path
        )
        if len(target) < 10:
            return float(alphas[0])
        shuffled = {"n_splits": 5, "shuffle": True, "random_state": 0}  # tables are often in some order
        even = n_classes > 0 and np.bincount(target).min() >= 5
        folds = StratifiedKFold(**shuffled) if even else KFold(**shuffled)
        error = np.zeros(len(alphas))
        for train, test in folds.split(np.zeros(len(target)), target):
            part = None if weight is None else weight[train]
            if part is not None and not part.any():
                continue
            fold, combinations = self._plant(_take(columns, train), target[train], part, how)
            counted = 1.0 if weight is None else weight[test]
            asked = extended(_take(columns, test), combinations)
            truth = np.eye(n_classes)[target[test]] if n_classes else target[test][:, None]
            for k, alpha in enumerate(alphas):
                fold = prune_cost(fold, float(alpha))  # each tree of the path is a part of the one before
                answer = fold.values(asked, missing=rules.missing, n_jobs=self._jobs)
                error[k] += float((counted * ((answer - truth) ** 2).sum(axis=1)).sum())
        return float(alphas[np.flatnonzero(error <= error.min() * (1 + 1e-12))[-1]])

    def _fresh(self, X: Any) -> Columns:
        table = self._predict_table(X)
        return extended(self.rare_.joined(self._columns(self._encoded(table))), self.combinations_)

    def _values(self, X: Any) -> Floats:
        columns = self._fresh(X)
        return self.tree_.values(columns, missing=self.missing_, n_jobs=self._jobs)

    def apply(self, X: Any) -> Ints:
        """The node where each row ends; with missing cells in fractions, by the heaviest branches."""
        columns = self._fresh(X)
        return self.tree_.leaves(columns, missing=self.missing_, n_jobs=self._jobs)

    def get_depth(self) -> int:
        """How many tests the longest path has."""
        check_is_fitted(self)
        return int(self.tree_.depths().max())

    def get_n_leaves(self) -> int:
        """How many leaves there are."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Floats:
        """Share of the total decrease of impurity that each column of `schema_` brought; words count for their text."""
        check_is_fitted(self)
        tree = self.tree_
        spread = tree.weight * tree.impurity
        below = np.zeros(len(tree))
        np.add.at(below, tree.parents()[1:], spread[1:])
        inner = tree.branches > 0
        gains = np.bincount(tree.column[inner], (spread - below)[inner], len(self.columns_))
        sums: Floats = np.maximum(gains @ self._owners(), 0.0)
        return sums / sums.sum() if sums.sum() > 0 else sums

    def _owners(self) -> Floats:
        """Part of each tested column that is due to each column of the schema; those of a combination share alike."""
        owner = {name: i for i, name in enumerate(self.schema_.names)}
        made = len(self.combinations_)
        p = sum(c.kind is Kind.NUMERIC for c in self.columns_) - made
        plain = [*self.columns_[:p], *self.columns_[p + made :]]
        places = [owner.get(c.name, owner.get(_text_of(c.name, owner), 0)) for c in plain]
        parts: Floats = np.eye(len(self.schema_))[places]
        used = (self.combinations_ != 0).astype(np.float64)
        return np.vstack([parts[:p], used / used.sum(axis=1, keepdims=True) @ parts[:p], parts[p:]])

    @property
    def _names(self) -> Names:
        check_is_fitted(self)
        return Names(self.columns_, tuple(str(c) for c in getattr(self, "classes_", ())))

    def to_text(self, max_depth: int | None = None) -> str:
        """The tree as indented lines."""
        return as_text(self.tree_, self._names, max_depth)

    def rules(self) -> list[Rule]:
        """A rule per leaf, the heaviest first."""
        return as_rules(self.tree_, self._names)

    def to_svg(self, max_depth: int = 4) -> str:
        """The tree as a picture, from its root down to a depth."""
        return draw(nodes(self.tree_, self._names, max_depth), f"Decision tree with {self.tree_.n_leaves} leaves")

    def explain(self, X: Any) -> list[Rule]:
        """For each row the conditions it met on its way, and the answer at the end."""
        names = self._names
        return [rule_of(self.tree_, names, node) for node in self.apply(X).tolist()]

    def to_state(self) -> State:
        check_is_fitted(self)
        return {
            "input": self._input_state(), "missing": self.missing_, "alpha": self.alpha_, "tree": self.tree_.arrays(),
            "rare": self.rare_.to_state(), "parameters": parameters_state(self.get_params(deep=False)),
            "combinations": self.combinations_,
            **({} if self.words_ is None else {"words": self.words_.to_state()}), **self._target_state(),
        }  # fmt: skip

    def _target_state(self) -> State:
        return {}

    def _restore_target(self, state: Reader) -> int:
        return 1

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model.set_params(**read_parameters(state.child("parameters"), model.get_params(deep=False)))
        if not isinstance(model.n_jobs, int | None):
            raise state.refuse("parameters", "a whole number of jobs, or None")
        model._restore_input(state.child("input"))
        model.missing_ = state.text("missing", ("fraction", "surrogate"))
        model.alpha_ = state.number("alpha", 0)
        words = BagOfWords.from_state(state.child("words")) if state.has("words") else None
        model.words_ = words
        schema = model.schema_ if words is None else words.schema_out_
        names = (*schema.of_kind(Kind.NUMERIC), *schema.of_kind(*_CODED))
        model.columns_ = tuple(schema[name] for name in names)
        model.combinations_ = read_combinations(state, len(schema.of_kind(Kind.NUMERIC)))
        model.columns_ = with_combinations(model.columns_, model.combinations_)
        width = model._restore_target(state)
        model.tree_ = _read_tree(state.child("tree"), model.columns_, width)
        model.rare_ = RareLevels.from_state(state.child("rare"), _coded(model.columns_)[0])
        state.finish()
        return model


def _read_tree(state: Reader, columns: tuple[Column, ...], width: int) -> Tree:
    arrays: dict[str, NDArray[Any]] = {}
    for field in fields(Tree):
        shape: tuple[int | None, ...] = (None, width) if field.name == "value" else (None,)
        arrays[field.name] = state.array(
            field.name, _TYPES.get(field.name, "float64"), shape, finite=field.name != "threshold"
        )
    state.finish()
    levels, nominal = _coded(columns)
    empty = (np.zeros((0, len(columns) - len(levels))), np.zeros((0, len(levels)), np.int32))
    like = Columns.of(*empty, levels, nominal)
    try:
        return Tree.from_arrays(arrays, like)
    except BadTree as error:
        raise BadFile(f"{state.where}: {error}") from None


def _coded(columns: tuple[Column, ...]) -> tuple[list[int], list[bool]]:
    """How many levels each coded column has, and whether it is a category."""
    coded = [c for c in columns if c.kind is not Kind.NUMERIC]
    return [len(c.levels) for c in coded], [c.kind is not Kind.ORDINAL for c in coded]


def _text_of(name: str, owner: Mapping[str, int]) -> str:
    """The text column that a column of word counts, '<text>:<word>', came from."""
    parts = name.split(":")
    heads = (":".join(parts[:k]) for k in range(len(parts) - 1, 0, -1))
    return next((head for head in heads if head in owner), name)


def _take(columns: Columns, rows: NDArray[Any]) -> Columns:
    return replace(columns, numbers=columns.numbers[rows], codes=columns.codes[rows])


def _rows(value: float, n_rows: int, name: str, least: int) -> float:
    """A count of rows, or a share of them in (0, 1)."""
    if isinstance(value, float) and 0 < value < 1:
        return float(max(least, np.ceil(value * n_rows)))
    if not value >= least:
        raise MercerError(f"{name}={value} must be at least {least}, or a share of the rows between 0 and 1.")
    return float(value)

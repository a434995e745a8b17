"""Hunt's algorithm: split the rows of a node by the test that lowers impurity most, then the rows of each branch.

Problem  a tree of tests T that lowers sum over leaves of w(leaf) I(leaf), one greedy step at a time.
Given    columns (numbers with NaN, codes with -1), classes or numbers to predict, weights, rules.
Result   a `Tree` of flat arrays, nodes numbered level by level.
Stop     depth, rows, purity, gain, leaves, or no column with two values left.
Missing  to the branch where they lower impurity most, "missing or not" being a test too; or in fractions of rows down
         every branch (Quinlan 1993, ch. 3); or by surrogate tests (Breiman et al. 1984, 5.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._core import trees
from mercer.arrays import Floats, Ints
from mercer.solvers.tree.tree import MISSING, BadTree, Columns, Tree

CRITERIA = ("entropy", "gain_ratio", "gini", "error", "squared_error", "poisson", "absolute_error")
NUMBERS = CRITERIA[4:]  # the criteria of numbers; the others are of classes


@dataclass(frozen=True)
class Rules:
    """How a tree is grown.

    criterion: impurity to lower; "gain_ratio" divides the gain in bits by the entropy of the branches (C4.5).
    nominal: "subset", two sets of levels (exact for two classes and for means), or "multiway", a branch per level.
    missing: "learned", "fraction" or "surrogate" (which needs two-way tests).
    splitter: "best", or "random": one test of each column, drawn at random (Geurts et al. 2006).
    shuffle: columns are looked at in random order, and of tests that gain alike the first one is taken.
    max_columns: so many columns, drawn at random, are looked at in each node; None for all.
    max_leaves: the node whose test gains most is split next, until there are so many leaves; None for no limit.
    min_gain: least weighted decrease of impurity, w(node) / w(root) x gain; 0 also accepts a test that gains nothing.
    min_rows_split, min_rows_leaf: rows of which a part must be here; min_weight_leaf counts the parts (C4.5: 2).
    mdl: thresholds pay log2(number of cuts) / weight, as in C4.5 release 8.
    set_penalty: two sets of n levels are compared with other tests by gain - set_penalty (n - 1) bits / weight, since
        one of 2^(n - 1) - 1 pairs was picked (minimum description length); which pair, and when to stop, is up to gain.
    max_bins: 0 tries a threshold between any two values; otherwise values are first joined in as many bins.
    monotone: for each column, 1 where the answer may not fall as it rises, -1 where it may not rise; of the second
        class of two, or of numbers.
    seed: of what is drawn at random.
    constant: columns that are known to be constant; those found to be are not looked at further down either.
    """

    criterion: str = "gini"
    nominal: str = "subset"
    missing: str = "learned"
    max_depth: int | None = None
    min_rows_split: float = 2
    min_rows_leaf: float = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0
    mdl: bool = False
    max_surrogates: int = 5
    max_bins: int = 0
    set_penalty: float = 0.0
    splitter: str = "best"
    shuffle: bool = False
    max_columns: int | None = None
    max_leaves: int | None = None
    monotone: tuple[int, ...] = ()
    seed: int = 0
    constant: tuple[int, ...] = ()

    def options(self) -> dict[str, Any]:
        """As native code takes them, checked."""
        for name, known in (
            ("criterion", CRITERIA),
            ("nominal", ("subset", "multiway")),
            ("missing", MISSING),
            ("splitter", ("best", "random")),
        ):
            if getattr(self, name) not in known:
                raise BadTree(f"{name}={getattr(self, name)!r} is not one of {', '.join(known)}.")
        if self.nominal == "multiway" and self.missing == "surrogate":
            raise BadTree("missing='surrogate' needs two-way tests. Use nominal='subset', or another rule for missing.")
        if self.max_depth is not None and self.max_depth < 1:
            raise BadTree(f"max_depth={self.max_depth} leaves no room for a test. Use 1 or more, or None.")
        return {
            "criterion": CRITERIA.index(self.criterion),
            "multiway": self.nominal == "multiway",
            "mdl": self.mdl,
            "missing": MISSING.index(self.missing),
            "random": self.splitter == "random",
            "shuffle": self.shuffle,
            "max_surrogates": self.max_surrogates,
            "max_columns": self.max_columns or 0,
            "max_leaves": self.max_leaves or 0,
            "seed": self.seed,
            "max_depth": float(self.max_depth or 0),
            "min_rows_split": float(self.min_rows_split),
            "min_rows_leaf": float(self.min_rows_leaf),
            "min_weight_leaf": float(self.min_weight_leaf),
            "min_gain": float(self.min_gain),
            "set_penalty": float(self.set_penalty),
            "max_bins": self.max_bins,
            "constant": np.array(self.constant, dtype=np.int32),
            "monotone": np.array(self.monotone, dtype=np.int8),
        }


@dataclass(frozen=True)
class Target:
    """What is predicted, as native code takes it: labels or numbers (n, n_outputs), weights, classes of each output."""

    classes: Ints
    labels: Ints | None
    numbers: Floats | None
    weight: Floats | None

    @classmethod
    def of(cls, target: NDArray[Any], n_classes: int | Sequence[int], weight: Floats | None) -> Self:
        """Class codes with so many classes, or numbers where n_classes is 0; a column per output."""
        wide = target[:, None] if target.ndim == 1 else target
        given = np.asarray(n_classes, dtype=np.int32)
        classes = np.broadcast_to(given, wide.shape[1:]).copy() if given.ndim == 0 else given
        weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
        if classes.any():
            return cls(classes, np.ascontiguousarray(wide, dtype=np.int32), None, weight)
        return cls(classes, None, np.ascontiguousarray(wide, dtype=np.float64), weight)


def grow(
    columns: Columns,
    target: NDArray[Any],
    rules: Rules | None = None,
    *,
    n_classes: int | Sequence[int] = 0,
    weight: Floats | None = None,
    n_jobs: int = 1,
) -> Tree:
    """Grow a tree on class codes (0 .. n_classes - 1) or, with a criterion of `NUMBERS`, on numbers."""
    rules = rules or Rules()
    options = rules.options()
    given = Target.of(target, 0 if rules.criterion in NUMBERS else n_classes, weight)
    try:
        arrays = trees.grow_tree(columns, given, options, n_jobs)
    except ValueError as error:
        raise BadTree(f"{error}.") from None
    n_features = columns.numbers.shape[1] + columns.codes.shape[1]
    return Tree(**arrays, missing=rules.missing, n_features=n_features)

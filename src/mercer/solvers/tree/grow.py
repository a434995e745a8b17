"""Hunt's algorithm: split the rows of a node by the test that lowers impurity most, then the rows of each branch.

Problem  a tree of tests T that lowers sum over leaves of w(leaf) I(leaf), one greedy step at a time.
Given    columns (numbers with NaN, codes with -1), classes or numbers to predict, weights, rules.
Result   a `Tree` of flat arrays, nodes numbered level by level.
Stop     depth, rows, purity, gain, or no column with two values left.
Missing  in fractions of rows down every branch (Quinlan 1993, ch. 3), or by surrogate tests (Breiman et al. 1984, 5.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import trees
from mercer.arrays import Floats
from mercer.solvers.tree.tree import BadTree, Columns, Tree

CRITERIA = ("entropy", "gain_ratio", "gini", "error", "squared_error")


@dataclass(frozen=True)
class Rules:
    """How a tree is grown.

    criterion: impurity to lower; "gain_ratio" divides the gain in bits by the entropy of the branches (C4.5).
    nominal: "subset", two sets of levels (exact for two classes and for numbers), or "multiway", a branch per level.
    missing: "fraction" or "surrogate" (which needs two-way tests).
    min_gain: least weighted decrease of impurity, w(node) / w(root) x gain; 0 also accepts a test that gains nothing.
    min_rows_split, min_rows_leaf: rows of which a part must be here; min_weight_leaf counts the parts (C4.5: 2).
    mdl: thresholds pay log2(number of cuts) / weight, as in C4.5 release 8.
    set_penalty: two sets of n levels are compared with other tests by gain - set_penalty (n - 1) bits / weight, since
        one of 2^(n - 1) - 1 pairs was picked (minimum description length); which pair, and when to stop, is up to gain.
    max_bins: 0 tries a threshold between any two values; otherwise values are first joined in as many bins.
    """

    criterion: str = "gini"
    nominal: str = "subset"
    missing: str = "fraction"
    max_depth: int | None = None
    min_rows_split: float = 2
    min_rows_leaf: float = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0
    mdl: bool = False
    max_surrogates: int = 5
    max_bins: int = 0
    set_penalty: float = 0.0

    def options(self) -> dict[str, Any]:
        """As native code takes them, checked."""
        for name, known in (
            ("criterion", CRITERIA),
            ("nominal", ("subset", "multiway")),
            ("missing", ("fraction", "surrogate")),
        ):
            if getattr(self, name) not in known:
                raise BadTree(f"{name}={getattr(self, name)!r} is not one of {', '.join(known)}.")
        if self.nominal == "multiway" and self.missing == "surrogate":
            raise BadTree("missing='surrogate' needs two-way tests. Use nominal='subset', or missing='fraction'.")
        if self.max_depth is not None and self.max_depth < 1:
            raise BadTree(f"max_depth={self.max_depth} leaves no room for a test. Use 1 or more, or None.")
        return {
            "criterion": CRITERIA.index(self.criterion),
            "multiway": self.nominal == "multiway",
            "mdl": self.mdl,
            "surrogate": self.missing == "surrogate",
            "max_surrogates": self.max_surrogates,
            "max_depth": float(self.max_depth or 0),
            "min_rows_split": float(self.min_rows_split),
            "min_rows_leaf": float(self.min_rows_leaf),
            "min_weight_leaf": float(self.min_weight_leaf),
            "min_gain": float(self.min_gain),
            "set_penalty": float(self.set_penalty),
        }


def grow(
    columns: Columns,
    target: NDArray[Any],
    rules: Rules | None = None,
    *,
    n_classes: int = 0,
    weight: Floats | None = None,
    n_jobs: int = 1,
) -> Tree:
    """Grow a tree on class codes (0 .. n_classes - 1) or, with criterion "squared_error", on numbers."""
    rules = rules or Rules()
    options = rules.options()
    regress = rules.criterion == "squared_error"
    classes = None if regress else np.ascontiguousarray(target, dtype=np.int32)
    numbers = np.ascontiguousarray(target, dtype=np.float64) if regress else None
    weight = None if weight is None else np.ascontiguousarray(weight, dtype=np.float64)
    try:
        arrays = trees.grow_tree(
            columns.numbers,
            columns.codes,
            columns.levels,
            columns.nominal,
            classes,
            numbers,
            weight,
            n_classes,
            rules.max_bins,
            options,
            n_jobs,
        )
    except ValueError as error:
        raise BadTree(f"{error}.") from None
    return Tree(**arrays)

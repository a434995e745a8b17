"""The rules by which one tree of a boosted sum is grown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class TreeRules:
    """How one tree is grown.

    l2: added to the hessian of a leaf. min_rows, min_hessian: of a leaf. min_gain: a test must gain more than this.
    max_leaves, max_depth: None for no limit. by_depth: level by level, or the leaf that gains most first.
    level_smooth, level_l2, most_levels: of tests of levels; see boost_split.hpp. columns: share looked at in each node.
    monotone: a sign per column. together: sets of columns that may meet on a path.
    """

    l2: float = 0.0
    min_rows: int = 20
    min_hessian: float = 1e-3
    min_gain: float = 0.0
    max_leaves: int | None = 31
    max_depth: int | None = None
    by_depth: bool = False
    level_smooth: float = 10.0
    level_l2: float = 10.0
    most_levels: int = 32
    columns: float = 1.0
    monotone: tuple[int, ...] = ()
    together: tuple[tuple[int, ...], ...] = ()

    def options(self, n_columns: int, n_rows: int, seed: int) -> dict[str, Any]:
        """As native code takes them."""
        sets = [c for s in self.together for c in (*s, -1)]
        return {
            "l2": float(self.l2),
            "min_hessian": float(self.min_hessian),
            "min_gain": float(self.min_gain),
            "min_rows": int(self.min_rows),
            "max_leaves": n_rows if self.max_leaves is None else int(self.max_leaves),
            "max_depth": int(self.max_depth or 0),
            "by_depth": self.by_depth,
            "level_smooth": float(self.level_smooth),
            "level_l2": float(self.level_l2),
            "most_levels": int(self.most_levels),
            "columns_per_node": 0 if self.columns >= 1 else max(1, int(self.columns * n_columns)),
            "seed": int(seed),
            "monotone": np.array(self.monotone, dtype=np.int8),
            "together": np.array(sets, dtype=np.int32),
        }

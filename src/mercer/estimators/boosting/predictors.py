"""The trees of a boosted model as scikit-learn keeps them, for programs that look at its trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor

from mercer.arrays import Floats, Ints
from mercer.solvers.boost.binning import Binning
from mercer.solvers.boost.forest import Forest

Predictors: TypeAlias = list[list[Any]]


def predictors(forest: Forest, binning: Binning, places: Sequence[int]) -> Predictors:
    """The trees of each round, one per output; `places`: where in X each tested column is.

    Levels are told by their place among the sorted levels. Where training met no missing cell, theirs go right.
    """
    ends = [*forest.root[1:].tolist(), len(forest.column)]
    trees = [_tree(forest, binning, places, a, b) for a, b in zip(forest.root.tolist(), ends, strict=True)]
    n = forest.n_outputs
    return [trees[k : k + n] for k in range(0, len(trees), n)]


def _tree(forest: Forest, binning: Binning, places: Sequence[int], first: int, end: int) -> Any:
    part = slice(first, end)
    column, inner = forest.column[part], forest.column[part] >= 0
    nodes = np.zeros(end - first, dtype=PREDICTOR_RECORD_DTYPE)
    nodes["value"], nodes["count"], nodes["gain"] = forest.value[part], forest.rows[part], forest.gain[part]
    nodes["is_leaf"] = ~inner
    nodes["feature_idx"][inner] = np.asarray(places, dtype=np.int64)[column[inner]]
    nodes["left"][inner], nodes["right"][inner] = (side[part][inner] - first for side in (forest.left, forest.right))
    nodes["missing_go_to_left"] = forest.missing_left[part] == 1
    nodes["depth"] = _depths(nodes)
    nodes["bin_threshold"][inner] = forest.cut[part][inner]
    of_levels = forest.set[part] >= 0
    nodes["is_categorical"] = of_levels
    lines = forest.set[part][of_levels]
    nodes["bitset_idx"][of_levels] = np.arange(len(lines))
    nodes["num_threshold"] = _thresholds(binning, column, forest.cut[part], inner & ~of_levels)
    bits = forest.left_bins[lines].view(np.uint32).reshape(-1, 8)
    return TreePredictor(nodes, bits, bits)


def _depths(nodes: NDArray[Any]) -> Ints:
    depth = np.zeros(len(nodes), dtype=np.int32)
    for i in np.flatnonzero(nodes["is_leaf"] == 0).tolist():  # parents come before their children
        depth[[nodes["left"][i], nodes["right"][i]]] = depth[i] + 1
    return depth


def _thresholds(binning: Binning, column: Ints, cut: NDArray[np.uint8], wanted: NDArray[np.bool_]) -> Floats:
    """The number up to which cells go left; infinity where only missing cells go right."""
    found = np.zeros(len(column))
    for i in np.flatnonzero(wanted).tolist():
        j, b = int(column[i]), int(cut[i])
        edges = binning.edges[j] if j < len(binning.edges) else np.zeros(0)  # an order of levels has none
        found[i] = edges[b] if b < len(edges) else np.inf
    return found

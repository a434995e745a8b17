"""Binning, growing and adding up boosted trees: what `mercer.solvers.boost` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference import boost as reference_boost
from mercer._core.reference import boost_split as reference_split
from mercer._core.reference import boost_tree as reference_tree
from mercer._core.select import compiled

bin_cells = compiled(reference_boost.bin_cells)
boost_gradients = compiled(reference_boost.boost_gradients)
add_leaf_values = compiled(reference_boost.add_leaf_values)
boost_values = compiled(reference_boost.boost_values)
boost_leaves = compiled(reference_boost.boost_leaves)
boost_tree = compiled(reference_tree.boost_tree)
boost_rounds = compiled(reference_tree.boost_rounds)
boost_descend = compiled(reference_boost.boost_descend)
boost_histograms = compiled(reference_split.boost_histograms)
boost_split = compiled(reference_split.boost_split)

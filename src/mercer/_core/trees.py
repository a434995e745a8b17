"""Growing, answering with and pruning trees: what `mercer.solvers.tree.grow` asks of the compiled half."""

from __future__ import annotations

from mercer._core import reference_tree, reference_walk, select

_native = select.native

grow_tree = _native.grow_tree if _native else reference_tree.grow_tree
check_tree = _native.check_tree if _native else reference_walk.check_tree
tree_values = _native.tree_values if _native else reference_walk.tree_values
tree_leaves = _native.tree_leaves if _native else reference_walk.tree_leaves
cheaper_as_leaf = _native.cheaper_as_leaf if _native else reference_walk.cheaper_as_leaf
weakest_links = _native.weakest_links if _native else reference_walk.weakest_links
still_reached = _native.still_reached if _native else reference_walk.still_reached

"""Growing, predicting with and pruning trees: what `mercer.solvers.tree` asks of the compiled half."""

from __future__ import annotations

from mercer._core.reference.tree import grow as reference_tree
from mercer._core.reference.tree import shapley as reference_shapley
from mercer._core.reference.tree import walk as reference_walk
from mercer._core.select import compiled

grow_tree = compiled(reference_tree.grow_tree)
grow_forest = compiled(reference_tree.grow_forest)
check_tree = compiled(reference_walk.check_tree)
held_forest = compiled(reference_walk.held_forest)
forest_values = compiled(reference_walk.forest_values)
tree_values = compiled(reference_walk.tree_values)
tree_leaves = compiled(reference_walk.tree_leaves)
cheaper_as_leaf = compiled(reference_walk.cheaper_as_leaf)
weakest_links = compiled(reference_walk.weakest_links)
still_reached = compiled(reference_walk.still_reached)
way_shapley = compiled(reference_shapley.way_shapley)

"""Whether the trees that are asked for can be held: refused at once where they cannot, not after hours of work."""

from __future__ import annotations

from mercer._core.memory import physical_memory
from mercer.errors import TooLarge
from mercer.formatting import byte_size

TREE_BYTES = 7_500  # of a tree of one node while trees are added; seen with 40,000 of them
NODE_BYTES = 2 * 75  # of each node in a tree, and once more where the trees are joined
MOST_NODES = 2**31 - 1  # of a model: nodes name their children by 32 bits


def expect_room(n_trees: int, nodes_per_tree: float, asked: str) -> None:
    """TooLarge when so many trees are beyond the machine's memory, or beyond what one model can number.

    `asked` says what would need them.
    """
    needed, memory = int(n_trees * (TREE_BYTES + NODE_BYTES * nodes_per_tree)), physical_memory()
    if needed > memory or n_trees * nodes_per_tree > MOST_NODES:
        raise TooLarge(
            f"{asked} {byte_size(needed)} for {n_trees:,} trees of about {nodes_per_tree:.0f} nodes; this machine has "
            f"{byte_size(memory)}, and a model holds at most {MOST_NODES:,} nodes. "
            "Lower max_iter (early_stopping=True tells how many rounds help) or max_leaf_nodes."
        )

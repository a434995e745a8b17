"""The ways to the leaves of a tree: what the explanation of a row needs of it, whatever the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints


@dataclass(frozen=True)
class Ways:
    """Of n nodes, breadth first: `parent` (n,), -1 for the root, and `share` (n,) of its parent's weight, 1 for it.

    `ends` (n_leaves,) are the leaves, `answer` (n_leaves, n_answers) is theirs; `inner` (n_inner,) the other nodes,
    which test `column` (n_inner,), by `kind` and `threshold`. A node but the root is child number `turn` (n - 1,) of
    inner node number `above` (n - 1,).
    """

    parent: Ints
    share: Floats
    ends: Ints
    answer: Floats
    inner: NDArray[np.intp]
    column: Ints
    kind: NDArray[np.uint8]
    threshold: Floats
    above: NDArray[np.intp]
    turn: Ints

    @classmethod
    def of(
        cls,
        parent: Ints,
        branches: Ints,
        weight: Floats,
        column: Ints,
        kind: NDArray[np.uint8],
        threshold: Floats,
        answer: Floats,
    ) -> Self:
        """From the arrays of a tree."""
        inner = np.flatnonzero(branches > 0)
        ends = np.flatnonzero(branches == 0).astype(np.int32)
        count = branches[inner]
        start = np.cumsum(count) - count  # where the children of each begin, the root left out
        total = np.add.reduceat(weight[1:], start) if len(inner) else np.empty(0)
        above = np.repeat(np.arange(len(inner)), count)
        share = np.append(1.0, weight[1:] / total[above])
        turn = (np.arange(len(above)) - start[above]).astype(np.int32)
        tests = column[inner], kind[inner], threshold[inner]
        return cls(parent, share, ends, answer[ends], inner, *tests, above, turn)

"""The trees of a boosted model as one list of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer.arrays import Floats, Ints
from mercer.solvers.boost.binning import Bytes

NODE_ARRAYS = ("column", "left", "right", "cut", "missing_left", "set", "value", "gain", "hessian", "rows")


@dataclass(frozen=True)
class Forest:
    """f(x) = start + sum over trees of the value of the leaf that x reaches, per output.

    root: where each tree begins in the list; tree t adds to output t % n_outputs.
    column: that a node tests, -1 in a leaf. left, right: where its children are in the list.
    cut: bins up to it go left; set: line of left_bins, whose bits are the bins that go left, -1 of numbers.
    value: of each node, shrinkage included. gain, hessian, rows: of each node in training.
    missing_bin: of each column. start: of each output, before any tree.
    """

    root: NDArray[np.int64]
    column: Ints
    left: Ints
    right: Ints
    cut: Bytes
    missing_left: Bytes
    set: Ints
    left_bins: NDArray[np.uint64]
    value: Floats
    gain: Floats
    hessian: Floats
    rows: NDArray[np.int64]
    missing_bin: Bytes
    start: Floats

    @classmethod
    def of(cls, trees: Sequence[Mapping[str, NDArray[Any]]], missing_bin: Bytes, start: Floats) -> Self:
        """The trees that `boost_tree` gave, one after the other."""
        counts = [len(t["column"]) for t in trees]
        sets = np.cumsum([0, *(len(t["left_bins"]) for t in trees)])[:-1]
        root = np.cumsum([0, *counts])[:-1].astype(np.int64)
        arrays = {name: _joined([t[name] for t in trees], _TYPES[name]) for name in NODE_ARRAYS}
        shift, set_shift = np.repeat(root, counts).astype(np.int32), np.repeat(sets, counts).astype(np.int32)
        arrays["left"] = np.where(arrays["left"] >= 0, arrays["left"] + shift, -1)
        arrays["right"] = np.where(arrays["right"] >= 0, arrays["right"] + shift, -1)
        arrays["set"] = np.where(arrays["set"] >= 0, arrays["set"] + set_shift, -1)
        words = _joined([t["left_bins"] for t in trees], np.uint64).reshape(-1, 4)
        return cls(root=root, left_bins=words, missing_bin=missing_bin, start=start, **arrays)

    @property
    def n_outputs(self) -> int:
        """How many sums there are: classes of several, otherwise one."""
        return len(self.start)

    @property
    def n_rounds(self) -> int:
        """How many trees each output has."""
        return len(self.root) // self.n_outputs

    def first(self, n_rounds: int) -> Self:
        """The model after so many rounds."""
        n = n_rounds * self.n_outputs
        if n >= len(self.root):
            return self
        end = int(self.root[n])
        part = {name: getattr(self, name)[:end] for name in NODE_ARRAYS}
        n_sets = int(part["set"].max(initial=-1)) + 1
        return replace(self, root=self.root[:n], left_bins=self.left_bins[:n_sets], **part)

    def followed_by(self, other: Self) -> Self:
        """The trees of both, one after the other."""
        n, sets = np.int32(len(self.column)), np.int32(len(self.left_bins))
        moved = {name: np.where(getattr(other, name) >= 0, getattr(other, name) + n, -1) for name in ("left", "right")}
        moved["set"] = np.where(other.set >= 0, other.set + sets, -1)
        nodes = {a: np.concatenate([getattr(self, a), moved.get(a, getattr(other, a))]) for a in NODE_ARRAYS}
        words = np.concatenate([self.left_bins, other.left_bins])
        return replace(self, root=np.concatenate([self.root, other.root + n]), left_bins=words, **nodes)

    def raw(self, bins: Bytes, n_jobs: int = 1) -> Floats:
        """f of each row of bins, (n_rows, n_outputs)."""
        out = np.tile(self.start, (len(bins), 1))
        core.boost_values(self, bins, out, n_jobs)
        return out

    def leaves(self, bins: Bytes, n_jobs: int = 1) -> Ints:
        """The leaf of each row in each tree, as a place in the list of nodes, (n_rows, n_trees)."""
        out = np.empty((len(bins), len(self.root)), dtype=np.int32)
        core.boost_leaves(self, bins, out, n_jobs)
        return out

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Every array by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}


_TYPES = dict.fromkeys(("column", "left", "right", "set"), np.int32) | {
    "cut": np.uint8,
    "missing_left": np.uint8,
    "rows": np.int64,
    "value": np.float64,
    "gain": np.float64,
    "hessian": np.float64,
}


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts).astype(dtype, copy=False) if parts else np.zeros(0, dtype)

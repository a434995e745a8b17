"""Bins as trees read them: row by row for histograms, and group by group of columns for tests.

Columns of which at most one is not at its usual bin in any row (one-hot columns above all) share a group, and with it
the work (exclusive feature bundling, Ke et al. 2017): byte 0 says that all are at their usual bins, the other bytes
which column is not, and at which bin it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Ints
from mercer.solvers.boost.binning import Bytes

WORD, TILE = 4, 64  # bytes of a row that native code reads at once, and groups of a tile at most
_USUAL = 0.5  # least share of the rows at a column's usual bin, for it to share a group
_LOOK = 2000  # rows that are looked at first
_MOST_BYTES = 256


@dataclass(frozen=True)
class Tiles:
    """Bytes (n_tiles, n_rows, width), the same as groups (n_groups, n_rows), and where each column is in them.

    See native/include/mercer/boost_data.hpp.
    """

    bytes: NDArray[np.uint8]
    groups: NDArray[np.uint8]
    group_size: Ints
    group: Ints
    first: Ints
    bins: Ints
    usual: Ints
    nominal: Bytes

    @classmethod
    def of(cls, bins: Bytes, n_bins: Ints, nominal: Bytes) -> Self:
        """The bins (n_rows, n_columns) of columns with so many bins of values each."""
        usual = _usual_bins(bins, n_bins)
        bundles = _bundles(bins, n_bins, usual)
        group, first, sizes = (np.zeros(len(n_bins), dtype=np.int32) for _ in range(3))
        data = np.zeros((len(bundles), len(bins)), dtype=np.uint8)
        for g, members in enumerate(bundles):
            out = data[g]
            group[members] = g
            if len(members) == 1:
                usual[members] = -1
                sizes[g] = n_bins[members[0]] + 1
                out[:] = bins[:, members[0]]
                continue
            free = 1
            for j in members:
                first[j] = free
                rows = np.flatnonzero(bins[:, j] != usual[j])
                value = bins[rows, j].astype(np.int32)
                out[rows] = free + value - (value > usual[j])
                free += int(n_bins[j])
            sizes[g] = free
        sizes = sizes[: len(bundles)]
        return cls(_side_by_side(data), data, sizes, group, first, np.asarray(n_bins, np.int32), usual, nominal)


def _side_by_side(groups: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The groups of each row together, in as few tiles as hold them, all of the same width."""
    n_groups, n_rows = groups.shape
    n_tiles = -(-n_groups // TILE)
    width = -(-n_groups // (WORD * n_tiles)) * WORD
    found = np.zeros((n_tiles, n_rows, width), dtype=np.uint8)
    for tile, first in zip(found, range(0, n_groups, width), strict=False):
        part = groups[first : first + width]
        tile[:, : len(part)] = part.T
    return found


def _usual_bins(bins: Bytes, n_bins: Ints) -> Ints:
    """The most frequent bin of values of each column among a few rows; -1 where it is not frequent enough."""
    few = bins[:: max(1, len(bins) // _LOOK)]
    found = np.full(len(n_bins), -1, dtype=np.int32)
    for j, n in enumerate(n_bins):
        counts = np.bincount(few[:, j], minlength=n + 1)[:n]
        if n < _MOST_BYTES // 2 and counts.max() >= _USUAL * len(few):
            found[j] = counts.argmax()
    return found


def _bundles(bins: Bytes, n_bins: Ints, usual: Ints) -> list[list[int]]:
    """The columns of each group, those that go together found one after the other."""
    alone = [[j] for j in np.flatnonzero(usual < 0).tolist()]
    found: list[tuple[list[int], NDArray[np.bool_], NDArray[np.bool_], int]] = []  # members, few rows, all, bytes
    few = slice(None, None, max(1, len(bins) // _LOOK))
    for j in np.flatnonzero(usual >= 0).tolist():
        off_few, off = bins[few, j] != usual[j], None
        for i, (members, taken_few, taken, free) in enumerate(found):
            if free + n_bins[j] > _MOST_BYTES or (taken_few & off_few).any():
                continue
            off = bins[:, j] != usual[j] if off is None else off
            if not (taken & off).any():
                found[i] = ([*members, j], taken_few | off_few, taken | off, free + int(n_bins[j]))
                break
        else:
            off = bins[:, j] != usual[j] if off is None else off
            found.append(([j], off_few, off, 1 + int(n_bins[j])))
    return alone + [members for members, *_ in found]

"""Surrogate tests, as the tree's NumPy twin finds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._core.reference.columns import Column, halfway
from mercer._core.reference.tree.impurity import Entries
from mercer.arrays import Array, Floats


def surrogates(
    columns: list[Column], primary: int, entries: Entries, goes: Array, most: int
) -> tuple[list[dict[str, Any]], Array]:
    """Tests of other columns that send rows the same way, best first, and the branches of all rows by them."""
    known = goes >= 0
    to = np.bincount(goes[known], entries.weight[known], 2)
    found = []
    for j, column in enumerate(columns):
        codes = column.codes[entries.row]
        seen = known & (codes >= 0)
        if j != primary and len(np.unique(codes[codes >= 0])) > 1 and seen.any():
            other = _agree(j, column, codes[seen], goes[seen], entries.weight[seen], to.max())
            found += [other] if other else []
    found = sorted(found, key=lambda t: -t["agreement"])[:most]
    goes = goes.copy()
    for t in found:
        side = _side(t, columns[t["column"]].codes[entries.row])
        goes = np.where((goes < 0) & (side >= 0), side, goes)
    return found, np.where(goes < 0, int(to[1] > to[0]), goes)


def _agree(j: int, column: Column, codes: Array, goes: Array, weight: Floats, least: float) -> dict[str, Any] | None:
    level, at = np.unique(codes, return_inverse=True)
    sums = np.zeros((len(level), 2))
    np.add.at(sums, (at, goes), weight)
    best = least * (1 + 1e-10)
    if column.nominal:
        side = (sums[:, 1] > sums[:, 0]).astype(np.int64)
        found = {"column": j, "flip": 0, "threshold": 0.0, "cut": -1, "level": level, "side": side}
        agreement = sums.max(axis=1).sum()
        return found | {"agreement": agreement} if agreement > best else None
    total, left = sums.sum(axis=0), np.zeros(2)
    result: dict[str, Any] | None = None
    for g in range(len(level) - 1):
        left = left + sums[g]
        same, other = left[0] + total[1] - left[1], left[1] + total[0] - left[0]
        if max(same, other) > best:
            best = max(same, other) * (1 + 1e-10)
            threshold = halfway(column.high[level[g]], column.low[level[g + 1]])
            result = {"column": j, "flip": int(other > same), "threshold": threshold, "cut": int(level[g])}
            result.update(level=level[:0], side=level[:0], agreement=max(same, other))
    return result


def _side(t: dict[str, Any], codes: Array) -> Array:
    if t["cut"] >= 0:
        return np.where(codes < 0, -1, (codes <= t["cut"]) == bool(t["flip"]))
    side = np.full(len(codes), -1)
    for level, s in zip(t["level"], t["side"], strict=True):
        side[codes == level] = s
    return side

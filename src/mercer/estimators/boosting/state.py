"""Bins and trees of a boosted model as a file holds them, every value checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.solvers.boost.binning import MOST_BINS, Binning, joined
from mercer.solvers.boost.forest import Forest
from mercer.state import Reader, State
from mercer.table import Column, Kind


def binning_state(binning: Binning) -> State:
    """Edges and bins of levels, one column after the other."""
    edges, edge_start = joined(binning.edges, np.float64)
    levels, level_start = joined(binning.levels, np.uint8)
    return {"edges": edges, "edge_start": edge_start, "levels": levels, "level_start": level_start}


def binning_from_state(state: Reader, columns: tuple[Column, ...]) -> Binning:
    """Read back for these columns."""
    categorical = [c for c in columns if c.kind.categorical]
    edges = _parts(state, "edge", "float64", len(columns) - len(categorical))
    levels = _parts(state, "level", "uint8", len(categorical))
    state.finish()
    if any(len(e) >= MOST_BINS or (np.diff(e) <= 0).any() for e in edges):
        raise state.refuse("edges", f"fewer than {MOST_BINS} increasing numbers for each column")
    for column, table in zip(categorical, levels, strict=True):
        if len(table) != len(column.levels) + 1 or (len(table) > 1 and table[1:].max() >= table[0]) or table[0] < 1:
            raise state.refuse("levels", f"a bin for a missing cell and for each level of {column.name!r}")
    bins = [len(e) + 1 for e in edges] + [int(t[0]) for t in levels]
    nominal = [False] * len(edges) + [c.kind is not Kind.ORDINAL for c in categorical]
    return Binning(tuple(edges), tuple(levels), np.array(bins, np.int32), np.array(nominal, np.uint8))


def _parts(state: Reader, name: str, dtype: str, n: int) -> list[Any]:
    values = state.array(f"{name}s", dtype, (None,))
    start = state.array(f"{name}_start", "int64", (n + 1,), low=0, high=len(values))
    if start[0] != 0 or start[-1] != len(values) or (np.diff(start) < 0).any():
        raise state.refuse(f"{name}_start", "where each column begins, and the end")
    return np.split(values, start[1:-1]) if n else []


def forest_from_state(state: Reader, binning: Binning, n_outputs: int) -> Forest:
    """Trees over these bins; children come after their parents, so that every walk ends."""
    n_columns = len(binning.bins)
    start = state.array("start", "float64", (n_outputs,))
    column = state.array("column", "int32", (None,), low=-1, high=n_columns - 1)
    n = len(column)
    root = state.array("root", "int64", (None,), low=0, high=max(n - 1, 0))
    words = state.array("left_bins", "uint64", (None, 4))
    arrays = {name: state.array(name, "int32", (n,), low=-1, high=n - 1) for name in ("left", "right")}
    arrays["set"] = state.array("set", "int32", (n,), low=-1, high=len(words) - 1)
    arrays |= {name: state.array(name, "uint8", (n,)) for name in ("cut", "missing_left")}
    arrays |= {name: state.array(name, "float64", (n,)) for name in ("value", "gain")}
    arrays["hessian"] = state.array("hessian", "float64", (n,), low=0)
    arrays["rows"] = state.array("rows", "int64", (n,), low=0)
    missing = state.array("missing_bin", "uint8", (n_columns,))
    state.finish()
    if (missing != binning.bins).any():
        raise state.refuse("missing_bin", "the bin of missing cells of each column")
    inner = column >= 0
    places = np.arange(n)
    if not (arrays["left"][inner] > places[inner]).all() or not (arrays["right"][inner] > places[inner]).all():
        raise state.refuse("left", "children after their parents")
    if not np.array_equal(arrays["set"][inner] >= 0, binning.nominal[column[inner]] > 0):
        raise state.refuse("set", "bins that go left for each test of levels, and for no other")
    if len(root) % n_outputs or (len(root) and not n) or (np.diff(root) <= 0).any():
        raise state.refuse("root", f"increasing places of trees, as many for each of {n_outputs} outputs")
    return Forest(root=root, column=column, left_bins=words, missing_bin=missing, start=start, **arrays)

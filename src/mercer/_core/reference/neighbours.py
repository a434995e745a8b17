"""NumPy twins of the neighbour search: every pair is measured, then sorted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints


def nearest_euclidean(
    rows: Floats, queries: Floats, k: int, row_groups: Ints | None, query_groups: Ints | None, n_jobs: int = 1
) -> tuple[Floats, Ints]:
    """Squared distances and numbers of the k nearest rows, each (n_queries, k), nearest first, ties by number."""
    squared = np.array([((rows - q) ** 2).sum(axis=1) for q in queries]).reshape(len(queries), len(rows))
    return k_smallest(squared, k, row_groups, query_groups)


def nearest_mixed(
    how: Mapping[str, Any],
    numbers: Floats,
    codes: Ints,
    query_numbers: Floats,
    query_codes: Ints,
    k: int,
    row_groups: Ints | None,
    query_groups: Ints | None,
    n_jobs: int = 1,
) -> tuple[Floats, Ints]:
    every = all_mixed(how, numbers, codes, query_numbers, query_codes)
    return k_smallest(every, k, row_groups, query_groups)


def k_smallest(distance: Floats, k: int, row_groups: Ints | None, query_groups: Ints | None) -> tuple[Floats, Ints]:
    if k < 1:
        raise ValueError("k must be positive")
    skipped = np.zeros(distance.shape, bool)
    if row_groups is not None and query_groups is not None:
        skipped = query_groups[:, None] == row_groups[None, :]
    if ((~skipped).sum(axis=1) < k).any():
        raise ValueError(
            "k must not exceed the number of rows" + (" outside the query's group" if skipped.any() else "")
        )
    order = np.argsort(np.where(skipped, np.inf, distance), axis=1, kind="stable")
    order = np.array([row[np.argsort(s[row], kind="stable")] for row, s in zip(order, skipped, strict=True)])
    best = order.reshape(distance.shape)[:, :k]
    return np.take_along_axis(distance, best, axis=1), best.astype(np.int32)


def all_mixed(
    how: Mapping[str, Any], numbers: Floats, codes: Ints, query_numbers: Floats, query_codes: Ints, n_jobs: int = 1
) -> Floats:
    """Sum (or maximum) over columns of the terms of each pair, (n_queries, n_rows)."""
    if how["cosine"]:
        return _cosine(how["scale"], query_numbers, numbers)
    power, p = how["power"], numbers.shape[1]
    total = np.zeros((len(query_numbers), len(numbers)))
    met = np.zeros_like(total)
    for j in range(p + codes.shape[1]):
        term, gone = (
            _number_term(how, j, query_numbers, numbers) if j < p else _code_term(how, j - p, query_codes, codes)
        )
        term = np.where(gone, 0.0 if how["leave_out"] else how["fill"][j], term)
        total = np.maximum(total, term) if np.isinf(power) else total + term
        met += np.where(gone, 0.0, how["weight"][j])
    if not how["leave_out"]:
        return total
    whole = how["weight"].sum()
    nothing = met <= 1e-12 * whole
    grown = total if np.isinf(power) else total * np.where(met == whole, 1.0, whole / np.where(nothing, 1.0, met))
    return np.where(nothing, np.inf, grown)


def _number_term(how: Mapping[str, Any], j: int, a: Floats, b: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    d = how["scale"][j] * np.abs(a[:, j, None] - b[None, :, j])
    return d if np.isinf(how["power"]) else d ** how["power"], np.isnan(d)


def _code_term(how: Mapping[str, Any], j: int, a: Ints, b: Ints) -> tuple[Floats, NDArray[np.bool_]]:
    x, y = a[:, j, None], b[None, :, j]
    gone = (x < 0) | (y < 0)
    start, end, levels = how["cost_start"][j], how["cost_start"][j + 1], how["levels"][j]
    if start == end:
        return np.where(x == y, 0.0, how["differ"][j]), gone
    if max(x.max(initial=-1), y.max(initial=-1)) >= levels:
        raise ValueError("code out of range")
    table = how["cost"][start:end].reshape(levels, levels)
    return table[x, y], gone


def _cosine(scale: Floats, a: Floats, b: Floats) -> Floats:
    a, b = a * scale, b * scale
    seen_a, seen_b = ~np.isnan(a), ~np.isnan(b)
    a, b = np.where(seen_a, a, 0.0), np.where(seen_b, b, 0.0)
    norms = np.sqrt((a**2) @ seen_b.T) * np.sqrt(seen_a @ (b**2).T)
    cosine = (a @ b.T) / np.where(norms > 0, norms, 1.0)
    shared = seen_a.astype(float) @ seen_b.T.astype(float)
    return np.where(shared == 0, np.inf, np.where(norms > 0, np.maximum(1 - cosine, 0.0), 1.0))


def _votes(distance: Floats, way: int) -> Floats:
    if way == 0:
        return np.ones_like(distance)
    zero = distance == 0
    with np.errstate(divide="ignore"):
        votes = 1.0 / distance**way
    return np.where(zero[:, :1], zero.astype(float), votes)


def vote_curve(
    row: Ints,
    distance: Floats,
    label: Ints,
    weight: Floats | None,
    truth: Ints,
    truth_weight: Floats | None,
    n_classes: int,
    n_jobs: int = 1,
) -> Floats:
    """right[way, j - 1]: weight of the queries that j neighbours get right, votes 1, 1/d, 1/d^2; ties: lower class."""
    counted = np.ones(len(truth)) if truth_weight is None else truth_weight
    right = np.zeros((3, row.shape[1]))
    for way in range(3):
        votes = _votes(distance, way) * (1.0 if weight is None else weight[row])
        sums = np.cumsum(votes[:, :, None] * (label[row][:, :, None] == np.arange(n_classes)), axis=1)
        right[way] = ((sums.argmax(axis=2) == truth[:, None]) * counted[:, None]).sum(axis=0)
    return right


def mean_curve(
    row: Ints,
    distance: Floats,
    target: Floats,
    weight: Floats | None,
    truth: Floats,
    truth_weight: Floats | None,
    n_jobs: int = 1,
) -> Floats:
    """loss[way, j - 1]: sum over queries of (mean of j neighbours - truth)^2, votes 1, 1/d, 1/d^2."""
    counted = np.ones(len(truth)) if truth_weight is None else truth_weight
    loss = np.zeros((3, row.shape[1]))
    for way in range(3):
        votes = _votes(distance, way) * (1.0 if weight is None else weight[row])
        total = np.cumsum(votes, axis=1)
        plain = np.cumsum(target[row], axis=1) / np.arange(1, row.shape[1] + 1)
        mean = np.where(total > 0, np.cumsum(votes * target[row], axis=1) / np.where(total > 0, total, 1.0), plain)
        loss[way] = (counted[:, None] * (mean - truth[:, None]) ** 2).sum(axis=0)
    return loss

"""Native boosted trees equal their NumPy twins, on mixed tables with missing cells, constraints and drawn columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer._core import boost as core
from mercer._core.reference import boost as twin
from mercer._core.reference.boost_tree import boost_rounds as twin_rounds
from mercer._core.reference.boost_tree import boost_tree as twin_tree
from mercer._core.select import native
from mercer.solvers.boost.binning import Binning, joined
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.losses import NAMES, Loss
from mercer.solvers.boost.rules import TreeRules
from mercer.solvers.boost.tiles import Tiles
from mercer.solvers.tree.tree import Columns

compiled = pytest.mark.skipif(native is None, reason="nothing is compiled: the twins are what runs")


def mixed(seed: int) -> tuple[Columns, np.random.Generator]:
    """Numbers with ties and gaps, one-hot columns in every other table, categories and ordinal columns."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 300)), int(rng.integers(0, 5))
    q = int(rng.integers(0 if p else 1, 4))
    numbers = np.round(rng.normal(size=(n, p)), 1)
    numbers[rng.random((n, p)) < 0.1 * (seed % 3)] = np.nan
    if seed % 2:
        numbers = np.hstack([numbers, np.eye(6)[rng.integers(0, 6, n)]])
    levels = rng.integers(1, 9, q)
    codes = [rng.integers(-(seed % 2), level, n) for level in levels]
    wide = np.stack(codes, axis=1) if q else np.zeros((n, 0))
    return Columns.of(numbers, wide.astype(np.int32), levels, rng.random(q) < 0.7), rng


def rules_of(seed: int, rng: np.random.Generator, binning: Binning) -> TreeRules:
    signs = rng.integers(-1, 2, len(binning.bins)) * (1 - binning.nominal.astype(int))
    return TreeRules(
        l2=float(rng.random()),
        min_rows=int(rng.integers(1, 6)),
        max_leaves=int(rng.integers(2, 12)),
        max_depth=[None, 2, 3][seed % 3],
        by_depth=bool(seed % 2),
        columns=0.5 if seed % 7 == 0 else 1.0,
        monotone=tuple(signs.tolist()) if seed % 4 == 0 else (),
        together=((0, 1), (1, 2)) if seed % 5 == 0 and len(binning.bins) > 2 else (),
    )


@compiled
@pytest.mark.parametrize("seed", range(40))
def test_native_trees_equal_their_twin(seed: int) -> None:
    columns, rng = mixed(seed)
    n = len(columns)
    binning = Binning.fit(columns, max_bins=int(rng.integers(2, 60)))
    bins = binning.transform(columns)
    again = np.empty_like(bins)
    twin.bin_cells(
        columns.numbers, columns.codes, *joined(binning.edges, np.float64), *joined(binning.levels, np.uint8), again, 1
    )
    assert np.array_equal(bins, again)
    tiles = Tiles.of(bins, binning.bins, binning.nominal)
    gradient, hessian = rng.normal(size=n), rng.random(n) + 0.01
    options = rules_of(seed, rng, binning).options(len(binning.bins), n, seed)
    rows = None if seed % 3 else np.sort(rng.choice(n, max(1, n // 2), replace=False)).astype(np.uint32)
    count = rng.integers(1, 4, n).astype(np.uint32) if seed % 4 == 1 else None
    one, two = (core.boost_tree(tiles, gradient, hessian, count, rows, options, jobs) for jobs in (1, 2))
    expected = twin_tree(tiles, gradient, hessian, count, rows, options, 1)
    assert one.keys() == expected.keys()
    for name, found in one.items():
        assert np.array_equal(found, two[name]), name
        np.testing.assert_allclose(found, expected[name], rtol=1e-9, atol=1e-12, err_msg=name)
    forest = Forest.of([one, one], tiles.bins.astype(np.uint8), np.zeros(2))
    leaves = np.empty((n, 2), dtype=np.int32)
    twin.boost_leaves(forest, bins, leaves, 1)
    assert np.array_equal(forest.leaves(bins, 2), leaves)
    raw = np.zeros((n, 2))
    twin.boost_values(forest, bins, raw, 1)
    np.testing.assert_allclose(forest.raw(bins, 2), raw, rtol=1e-12)


def one_by_one(
    tiles: Tiles, loss: int, raw: Any, y: Any, weight: Any, count: Any, options: Any, seeds: Any, rate: float
) -> list[Any]:
    """What `boost_rounds` does, tree by tree."""
    gradient, hessian, trees = np.empty_like(raw), np.empty_like(raw), []
    for own in seeds.tolist():
        core.boost_gradients(loss, 0.5, raw, y, weight, gradient, hessian, 1)
        for k, seed in enumerate(own):
            tree = core.boost_tree(tiles, gradient[k], hessian[k], count, None, options | {"seed": seed}, 1)
            leaves, order = tree["column"] < 0, tree.pop("order")
            tree["value"] = tree["value"] * (rate if len(leaves) > 1 else 0.0)
            places = tree.pop("first")[leaves], tree.pop("last")[leaves]
            core.add_leaf_values(raw[k], order, *places, tree["value"][leaves], 1)
            trees.append(tree)
    return trees


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loss", ["log_loss", "softmax", "squared_error", "poisson", "gamma"])
def test_rounds_are_their_trees_one_by_one(seed: int, loss: str) -> None:
    columns, rng = mixed(seed)
    n, k = len(columns), 3 if loss == "softmax" else 1
    binning = Binning.fit(columns, max_bins=20)
    tiles = Tiles.of(binning.transform(columns), binning.bins, binning.nominal)
    options = rules_of(seed, rng, binning).options(len(binning.bins), n, 0)
    y = rng.integers(0, max(k, 2), n) + 0.0 if loss in ("softmax", "log_loss") else rng.gamma(2, size=n)
    weight, count = (rng.random(n), None) if seed % 2 else (None, rng.integers(1, 4, n).astype(np.uint32))
    start, seeds = rng.normal(size=(k, n)), rng.integers(0, 2**62, (4, k)).astype(np.uint64)
    kind = NAMES.index(loss)  # type: ignore[arg-type]
    raw, again, twins = start.copy(), start.copy(), start.copy()
    expected = one_by_one(tiles, kind, raw, y, weight, count, options, seeds, 0.3)
    for n_jobs in (1, 2):
        again[:] = start
        found = core.boost_rounds(tiles, kind, 0.5, again, y, weight, count, options, seeds, 0.3, n_jobs)
        assert np.array_equal(again, raw)
        assert len(found) == len(expected) == 4 * k
        for tree, other in zip(found, expected, strict=True):
            assert tree.keys() == other.keys()
            assert all(np.array_equal(tree[name], other[name]) for name in tree)
    if loss == "squared_error" and seed % 4:  # elsewhere the last bits decide between tests that are as good
        twin_rounds(tiles, kind, 0.5, twins, y, weight, count, options, seeds, 0.3, 1)
        np.testing.assert_allclose(twins, raw, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rounds", [core.boost_rounds, twin_rounds])
def test_rounds_end_before_one_that_is_beyond_all_numbers(rounds: Any) -> None:
    bins = np.arange(8, dtype=np.uint8)[:, None] // 4
    tiles = Tiles.of(bins, np.array([2], np.int32), np.array([0], np.uint8))
    options = TreeRules(min_rows=1).options(1, 8, 0)
    y, seeds = np.repeat([-1e200, 1e200], 4), np.zeros((9, 1), np.uint64)
    given = tiles, NAMES.index("squared_error"), 0.5
    assert len(rounds(*given, np.zeros((1, 8)), y, None, None, options, seeds, 0.1, 1)) == 9
    assert 0 < len(rounds(*given, np.zeros((1, 8)), y, None, None, options, seeds, 1e60, 1)) < 9
    with pytest.raises(ValueError, match="values of leaves"):
        rounds(tiles, NAMES.index("huber"), 0.5, np.zeros((1, 8)), y, None, None, options, seeds, 0.1, 1)


@compiled
@pytest.mark.parametrize("loss", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_native_gradients_equal_their_twin(loss: str, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    k = 4 if loss == "softmax" else 1
    raw = rng.normal(scale=3, size=(k, 500))
    classes = rng.integers(0, max(k, 2), 500).astype(float)
    y = classes if loss in ("softmax", "log_loss") else rng.gamma(2, size=500)
    weight = rng.random(500) if weighted else None
    ours, theirs = np.empty((2, k, 500)), np.empty((2, k, 500))
    core.boost_gradients(NAMES.index(loss), 0.7, raw, y, weight, *ours, 2)
    twin.boost_gradients(NAMES.index(loss), 0.7, raw, y, weight, *theirs, 1)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("loss", ["log_loss", "squared_error", "poisson", "gamma", "softmax"])
def test_gradients_are_those_of_the_mean_loss(loss: Any) -> None:
    rng = np.random.default_rng(2)
    k = 3 if loss == "softmax" else 1
    y = rng.integers(0, 3 if k > 1 else 2, 20).astype(float) + (loss == "gamma")
    raw, step = rng.normal(size=(k, 20)), 1e-6
    found = Loss(loss, n_outputs=k)
    g, h = np.empty((k, 20)), np.empty((k, 20))
    found.gradients(raw, y, None, g, h, 1)
    for j in range(k):
        up, down = raw.copy(), raw.copy()
        up[j, 7] += step
        down[j, 7] -= step
        slope = 20 * (found.mean(up.T, y, None) - found.mean(down.T, y, None)) / (2 * step)
        np.testing.assert_allclose(g[j, 7], slope, rtol=1e-5, atol=1e-8)


def test_one_hot_columns_share_a_group_and_give_the_same_tree() -> None:
    rng = np.random.default_rng(3)
    hot = np.eye(5)[rng.integers(0, 5, 400)]
    numbers = np.column_stack([rng.normal(size=400), hot])
    columns = Columns.of(numbers)
    binning = Binning.fit(columns)
    bins = binning.transform(columns)
    shared = Tiles.of(bins, binning.bins, binning.nominal)
    assert len(shared.group_size) == 2
    apart = Tiles(
        bytes=np.ascontiguousarray(np.pad(bins, ((0, 0), (0, 2))).reshape(400, 2, 4).transpose(1, 0, 2)),
        groups=np.ascontiguousarray(bins.T),
        group_size=binning.bins + 1,
        group=np.arange(6, dtype=np.int32),
        first=np.zeros(6, np.int32),
        bins=binning.bins,
        usual=np.full(6, -1, np.int32),
        nominal=binning.nominal,
    )
    gradient = rng.normal(size=400) + hot[:, 2]
    options = TreeRules(min_rows=5).options(6, 400, 0)
    found, expected = (core.boost_tree(t, gradient, np.ones(400), None, None, options, 1) for t in (shared, apart))
    for name in found:
        assert np.array_equal(found[name], expected[name]), name


def test_edges_tell_all_values_apart_where_these_are_few() -> None:
    values = np.array([[3.0], [1.0], [np.nan], [2.0], [np.nextafter(2.0, 3.0)]])
    binning = Binning.fit(Columns.of(values))
    assert binning.transform(Columns.of(values))[:, 0].tolist() == [3, 0, 4, 1, 2]


def test_bins_of_many_values_hold_about_as_many_rows_each() -> None:
    values = np.random.default_rng(4).lognormal(size=(10_000, 1))
    binning = Binning.fit(Columns.of(values), max_bins=50)
    counts = np.bincount(binning.transform(Columns.of(values))[:, 0])
    assert len(counts) == 50
    assert counts.min() >= 150 and counts.max() <= 250


def test_gradients_that_are_not_finite_are_refused() -> None:
    columns = Columns.of(np.arange(10.0)[:, None])
    binning = Binning.fit(columns)
    tiles = Tiles.of(binning.transform(columns), binning.bins, binning.nominal)
    options = TreeRules().options(1, 10, 0)
    with pytest.raises(ValueError, match="finite"):
        core.boost_tree(tiles, np.full(10, np.nan), np.ones(10), None, None, options, 1)

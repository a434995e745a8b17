"""Every native function on arguments that nobody should pass: it answers or refuses, and never ends the process.

`make sanitize` runs the same under AddressSanitizer and UBSan with many more rounds (MERCER_FUZZ_ROUNDS).
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from mercer._core.select import native
from mercer.solvers.boost.binning import Binning, joined
from mercer.solvers.boost.forest import Forest
from mercer.solvers.boost.rules import TreeRules
from mercer.solvers.boost.tiles import Tiles
from mercer.solvers.tree.grow import CRITERIA, NUMBERS, Rules, Target
from mercer.solvers.tree.tree import Columns

from .fuzz import ODD_NUMBERS, Draw, spoil

ROUNDS = int(os.environ.get("MERCER_FUZZ_ROUNDS", "60"))
REFUSALS = (ValueError, TypeError, MemoryError, OverflowError, KeyError)
pytestmark = pytest.mark.skipif(native is None, reason="nothing is compiled here, so there is nothing to attack")

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def class_moments(d):
    n = d.size()
    return d.numbers(n, d.few(), dtype=d.dtype), d.codes(n, least=0), d.pick(None, d.numbers(n)), 3, d.jobs()


@case
def lasso_sweeps(d):
    n = d.size()
    places = d.codes(d.few(), levels=max(n, 1), least=0).astype(np.int64)
    return np.ascontiguousarray(d.numbers(n, n)), np.abs(d.numbers(n)), places, d.numbers(n), d.numbers(n), 3


@case
def lasso_columns(d):
    n, k, m = d.size(1), d.few(), d.few(1)
    starts = np.sort(d.rng.integers(0, 9, k + 1)).astype(np.int64)
    starts -= starts[0]
    cells = int(starts[-1])
    shape = (m, k + 1)
    p = np.ascontiguousarray(np.abs(d.numbers(n, m)))
    penalties = np.abs(d.numbers(k + 1)), np.abs(d.numbers(k + 1))
    gradient, u = (np.ascontiguousarray(d.numbers(*shape)) for _ in range(2))
    rows = d.codes(cells, levels=n, least=0)
    return d.numbers(cells), rows, starts, p, d.numbers(n), gradient, *penalties, u, d.pick(True, False), 1e-6, 20


@case
def add_gaussian_scores(d):
    n, c, p = d.size(), d.few(), d.few()
    return d.numbers(n, p, dtype=d.dtype), d.numbers(c, p), d.numbers(c, p), d.numbers(c, p), d.numbers(n, c), d.jobs()


@case
def softmax_rows(d):
    return d.numbers(d.size(), d.few(1)), d.jobs()


@case
def count_codes(d):
    n, levels = d.size(), [int(k) for k in d.rng.integers(0, 6, size=d.few())]
    codes = _columns(d, n, levels)
    return codes, d.codes(n, least=0), d.pick(None, d.numbers(n)), d.offsets(levels), 3, d.jobs()


@case
def add_code_scores(d):
    n, c, levels = d.size(), d.few(), [int(k) for k in d.rng.integers(0, 6, size=d.few())]
    return _columns(d, n, levels), d.numbers(c, sum(levels)), d.offsets(levels), d.numbers(n, c), d.jobs()


def _columns(d, n, levels):
    return np.column_stack([np.empty((n, 0)), *[d.codes(n, levels=k) for k in levels]]).astype(np.int32)


@case
def codes_kernel(d):
    levels = [int(k) for k in d.rng.integers(1, 12, size=d.few())]
    a = _columns(d, d.size(), levels)
    match, u, norm = (np.abs(d.numbers(sum(levels))) for _ in range(3))
    tables = {
        "offsets": d.offsets(levels), "match": match, "u": u, "weight": d.numbers(len(levels)),
        "norm": d.pick(None, norm), "code": int(d.pick(0, 1, 2)),
    }  # fmt: skip
    return a, d.pick(a, _columns(d, d.size(), levels)), tables, d.dtype is np.float32


@case
def kernel_function(d):
    columns, spec = d.few(), d.spec(degree=float(d.pick(2.0, 3.0, 0.5, -1.0)))
    if d.pick(True, False):
        return d.csr(d.size(), columns), d.csr(d.size(), columns), spec
    return d.numbers(d.size(), columns, dtype=d.dtype), d.numbers(d.size(), columns, dtype=d.dtype), spec


@case
def gram_into(d):
    function, n, m = _any_function(d)
    return function, np.empty((n, m), dtype=d.dtype), d.jobs()


@case
def kernel_product(d):
    function, n, m = _any_function(d)
    columns = d.few()
    return function, d.numbers(m, columns), np.empty((n, columns)), d.jobs()


def _any_function(d):
    """A handle on dense, sparse or coded rows, or on texts."""
    kind = d.pick("dense", "csr", "codes", "texts")
    if kind == "dense":
        return d.function()
    if kind == "csr":
        columns = d.few()
        a, b = d.csr(d.size(), columns), d.csr(d.size(), columns)
        return native.kernel_function(a, b, d.spec()), len(a["starts"]) - 1, len(b["starts"]) - 1
    if kind == "texts":
        args = text_kernel(d)
        return native.text_kernel(*args), len(args[0]["starts"]) - 1, len(args[1]["starts"]) - 1
    args = codes_kernel(d)
    return native.codes_kernel(*args), len(args[0]), len(args[1])


def _texts(d, n):
    lengths = d.rng.integers(0, d.pick(1, 4, 90), size=n)
    chars = d.codes(int(lengths.sum()), levels=int(d.pick(2, 5, 0x110000)), least=0)
    return {"chars": chars, "starts": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)}


@case
def gapped_grams(d):
    return _texts(d, d.size()), int(d.pick(1, 2, 3, 20)), int(d.pick(0, 0, 1, 2))


@case
def text_kernel(d):
    a = _texts(d, d.few())
    spec = {"code": int(d.pick(0, 1, 2)), "length": int(d.pick(1, 3, 6, 17)), "decay": float(d.pick(0.5, 1.0, 0.0))}
    return a, d.pick(a, _texts(d, d.few())), spec, d.dtype is np.float32


@case
def subsequence_squares(d):
    return _texts(d, d.size()), int(d.pick(1, 3, 6, 17)), float(d.pick(0.5, 1.0, *ODD_NUMBERS)), d.jobs()


@case
def gram_rows(d):
    n = d.size()
    return (d.numbers(n, n, dtype=d.dtype),)


@case
def function_rows(d):
    function, n, _ = d.function(square=True)
    return function, int(n * 8 * d.pick(1, 2, 100))


@case
def callback_rows(d):
    n, width = d.size(1), d.size(1)
    shape = d.pick((0, n), (0, n), (0, width), (1, n))  # rows beyond those asked for, columns
    values = d.numbers(2000, shape[1], dtype=d.dtype)
    return lambda rows: values[: len(rows) + shape[0]], n, d.dtype is np.float32, 8 * n * int(d.pick(1, 2, 50))


@case
def smo_solve(d):
    n = d.size(1)
    source = native.callback_rows(*callback_rows(d)) if d.rng.random() < 0.2 else d.source(n)
    limits = d.limits(int(d.pick(-1, 0, 50)))
    block, known = int(d.pick(0, 0, 2, 16)), bool(d.pick(True, False))
    return source, d.problem(n), np.zeros(n), np.empty(n), known, limits, block, d.jobs()


@case
def path_solve(d):
    n, problems, costs, folds = d.size(1), d.few(1), d.few(1), d.few(1)
    gammas = d.pick(None, np.abs(d.numbers(d.few(1))))
    shape = (1 if gammas is None else len(gammas), costs, problems)
    regression = bool(d.pick(True, False))
    targets = d.numbers(problems, n) if regression else np.where(d.rng.random((problems, n)) < 0.5, 1.0, -1.0)
    plan = {
        "targets": targets, "folds": d.codes(n, levels=folds), "costs": np.sort(np.abs(d.numbers(costs))),
        "members": (d.rng.random((problems, n)) < 0.9).astype(np.uint8), "weight": d.pick(None, np.abs(d.numbers(n))),
        "regression": regression, "squared_slack": bool(d.pick(True, False)), "epsilon": 0.1,
        "bias": bool(d.pick(True, False)),
    }  # fmt: skip
    path = {
        "decisions": np.full((*shape, n), np.nan), "offsets": np.empty((*shape, folds)),
        "gaps": np.empty((*shape, folds)), "supports": np.empty((*shape, folds), np.int64),
        "betas": d.pick(None, np.zeros((*shape, folds, n))),
    }  # fmt: skip
    active = np.ones((shape[0], costs, folds), np.uint8)
    return (
        np.abs(d.numbers(n, n, dtype=d.dtype)), gammas, plan, active, path, bool(d.pick(True, False)), d.limits(200),
        int(d.pick(1, 2, 0)), d.jobs(),
    )  # fmt: skip


def _matrix(d, n, columns):
    return d.csr(n, columns) if d.pick(True, False) else d.numbers(n, columns, dtype=d.dtype)


@case
def coordinate_descent(d):
    n, columns = d.size(), d.few()
    return _matrix(d, n, columns), d.problem(n), np.zeros(n), np.zeros(columns + 1), d.limits(20), 1.0, 3


@case
def crammer_singer(d):
    n, columns, k = d.size(), d.few(), d.few(1)
    x = _matrix(d, n, columns)
    w = np.zeros((columns + 1, k) if isinstance(x, dict) else (k, columns + 1))
    return x, d.codes(n, levels=k), np.abs(d.numbers(n)), np.zeros((n, k)), w, d.limits(20), 1.0, 3


@case
def perceptron_pass(d):
    n, columns = d.size(), d.few()
    plane = {
        "w": np.zeros(columns), "state": np.zeros(6), "paid": d.pick(None, np.zeros(columns)),
        "lag": d.pick(None, np.zeros(columns)),
    }  # fmt: skip
    options = {
        "margin": 0.0, "offset_step": 1.0, "alpha": float(d.pick(0.0, 0.1, 50.0)), "l1_ratio": float(d.pick(0, 0.5, 1)),
        "eta": 1.0,
    }  # fmt: skip
    order, moved = d.rng.permutation(n).astype(np.int32), d.pick(None, np.zeros(n, dtype=np.uint8))
    side = np.where(d.rng.random(n) < 0.5, np.int8(1), np.int8(-1))
    return _matrix(d, n, columns), order, side, np.abs(d.numbers(n)), plane, options, moved


@case
def shuffle_rows(d):
    return np.arange(d.size(), dtype=np.int32), int(d.pick(0, 1, 12345))


def _groups(d, n, m):
    return d.pick((None, None), (d.codes(n, levels=4), d.codes(m, levels=4)))


@case
def nearest_euclidean(d):
    n, m, columns = d.size(), d.size(), d.few()
    return d.numbers(n, columns), d.numbers(m, columns), int(d.pick(1, 2, n)), *_groups(d, n, m), d.jobs()


def _mixture(d):
    """Rows, queries and how they are compared."""
    p, levels = d.few(), [int(k) for k in d.rng.integers(1, 5, size=d.few())]
    q, tables = len(levels), [bool(d.pick(True, False)) for _ in levels]
    sizes = [k * k if t else 0 for k, t in zip(levels, tables, strict=True)]
    how = {
        "scale": np.abs(d.numbers(p)), "weight": np.abs(d.numbers(p + q)), "fill": d.numbers(p + q),
        "differ": np.abs(d.numbers(q)), "cost": np.abs(d.numbers(sum(sizes))), "levels": np.array(levels, np.int32),
        "cost_start": d.offsets(sizes), "power": float(d.pick(1.0, 2.0, 3.0, np.inf)),
        "cosine": bool(d.pick(True, False)), "leave_out": bool(d.pick(True, False)),
    }  # fmt: skip
    n, m = d.size(), d.size()
    return how, d.numbers(n, p), _columns(d, n, levels), d.numbers(m, p), _columns(d, m, levels)


@case
def nearest_mixed(d):
    how, numbers, codes, query_numbers, query_codes = _mixture(d)
    n, m = len(numbers), len(query_numbers)
    k = int(d.pick(1, 2, n))
    return how, numbers, codes, query_numbers, query_codes, k, *_groups(d, n, m), d.jobs()


@case
def all_mixed(d):
    return *_mixture(d), d.jobs()


def _lists(d):
    n, queries, k = d.size(1), d.size(), d.few(1)
    return n, queries, d.codes(queries, k, levels=n, least=0), np.abs(d.numbers(queries, k))


@case
def vote_curve(d):
    n, queries, row, distance = _lists(d)
    truth = d.codes(queries, least=0), d.pick(None, d.numbers(queries))
    return row, distance, d.codes(n, least=0), d.pick(None, d.numbers(n)), *truth, 3, d.jobs()


@case
def mean_curve(d):
    n, queries, row, distance = _lists(d)
    truth = d.numbers(queries), d.pick(None, d.numbers(queries))
    return row, distance, d.numbers(n), d.pick(None, d.numbers(n)), *truth, d.jobs()


def _grown(d):
    levels = [int(k) for k in d.rng.integers(1, 7, size=d.few())]
    n, rows = d.size(1), Columns
    codes = _columns(d, n, levels)
    columns = rows.of(d.numbers(n, d.few()), codes, levels, d.rng.integers(0, 2, size=len(levels)))
    criterion = d.pick(*CRITERIA)
    nominal, missing = d.pick(
        ("subset", "learned"), ("multiway", "learned"), ("subset", "fraction"), ("multiway", "fraction"),
        ("subset", "surrogate"),
    )  # fmt: skip
    more = d.pick({}, {"splitter": "random"}, {"max_columns": 1}, {"max_leaves": 3}, {"shuffle": True})
    rules = Rules(criterion, nominal, missing, d.pick(None, 1, 3), mdl=bool(d.pick(True, False)), **more)
    rules = replace(rules, max_bins=int(d.pick(0, 2, 8)))
    weight = d.pick(None, np.abs(d.numbers(n)))
    outputs = d.few(1)
    if criterion in NUMBERS:
        target = Target(np.zeros(outputs, np.int32), None, d.numbers(n, outputs), weight)
    else:
        target = Target(np.full(outputs, 3, np.int32), d.codes(n, outputs, least=0), None, weight)
    return vars(columns), vars(target), rules.options(), d.jobs()


CASES["grow_tree"] = _grown


def _tree(d):
    """A tree, the columns it was grown on and whether it has surrogates."""
    while True:
        args = _grown(d)
        try:
            return native.grow_tree(*args), args
        except REFUSALS:
            d.odd = False


@case
def check_tree(d):
    tree, (columns, *_) = _tree(d)
    return tree, columns["numbers"].shape[1], columns["levels"], columns["nominal"]


@case
def tree_values(d):
    tree, (columns, *_) = _tree(d)
    return tree, columns, d.pick(0, 1, 2), d.jobs()


CASES["tree_leaves"] = tree_values


@case
def weakest_links(d):
    tree, _ = _tree(d)
    return tree["first"], tree["branches"], d.numbers(len(tree["first"]))


@case
def cheaper_as_leaf(d):
    return *weakest_links(d), float(d.pick(0.0, 0.1))


@case
def still_reached(d):
    first, branches, _ = weakest_links(d)
    return first, branches, d.rng.integers(0, 2, size=len(first)).astype(np.uint8)


@case
def grow_forest(d):
    columns, target, rules, jobs = _grown(d)
    trees, n = d.few(1), len(columns["numbers"])
    weights = d.pick(None, np.abs(d.numbers(trees, n)))
    return columns, target, rules, weights, d.rng.integers(0, 2**62, size=trees).astype(np.uint64), jobs


@case
def weighted_products(d):
    n, columns = d.size(), d.few()
    x = d.csr(n, columns)
    return x | {"values": x["values"].astype(np.float64)}, d.numbers(n), np.zeros((columns, columns)), d.jobs()


@case
def held_forest(d):
    tree, (columns, *_) = _tree(d)
    return [tree] * d.few(), columns, d.pick(0, 1, 2), d.jobs()


@case
def forest_values(d):
    trees, columns, *how = held_forest(d)
    return native.held_forest(trees, columns, *how), columns, d.jobs()


@case
def way_shapley(d):
    n, rows, ends, players = d.size(1), d.few(), d.few(), d.few(1)
    parent = np.array([-1, *(d.rng.integers(0, i) for i in range(1, n))], dtype=np.int32)
    shares = np.abs(d.numbers(n)), np.ascontiguousarray(np.abs(d.numbers(rows, n)))
    nodes = d.codes(ends, levels=n, least=0)
    answer = np.ascontiguousarray(d.numbers(ends, 2))
    return (
        parent,
        d.codes(n, levels=players, least=0),
        *shares,
        nodes,
        answer,
        d.codes(rows, levels=2, least=0),
        players,
    )


def _tiles(d):
    """Bins of a few columns, and the tiles of them."""
    n, levels = d.size(1), [int(k) for k in d.rng.integers(1, 7, size=d.few())]
    columns = Columns.of(d.numbers(n, d.few(1)), _columns(d, n, levels), levels, d.rng.integers(0, 2, size=len(levels)))
    binning = Binning.fit(columns, int(d.pick(2, 5, 255)))
    bins = binning.transform(columns)
    return bins, Tiles.of(bins, binning.bins, binning.nominal)


@case
def bin_cells(d):
    n, p, levels = d.size(), d.few(), [int(k) for k in d.rng.integers(1, 7, size=d.few())]
    edges = [np.sort(d.numbers(d.few())) for _ in range(p)]
    tables = [np.append(k, np.arange(k)).astype(np.uint8) for k in levels]
    out = np.zeros((n, p + len(levels)), dtype=np.uint8)
    parts = (*joined(tuple(edges), np.float64), *joined(tuple(tables), np.uint8))
    return d.numbers(n, p), _columns(d, n, levels), *parts, out, d.jobs()


@case
def boost_tree(d):
    _, tiles = _tiles(d)
    n, p = tiles.bytes.shape[1], len(tiles.bins)
    rules = TreeRules(min_rows=int(d.pick(1, 5)), max_leaves=int(d.pick(2, 5, 31)), columns=float(d.pick(1.0, 0.5)))
    count = d.pick(None, d.rng.integers(1, 4, size=n).astype(np.uint32))
    rows = d.pick(None, d.rng.integers(0, n, size=d.size(1)).astype(np.uint32))
    return vars(tiles), d.numbers(n), np.abs(d.numbers(n)), count, rows, rules.options(p, n, 0), d.jobs()


@case
def boost_rounds(d):
    _, tiles = _tiles(d)
    n, loss = tiles.bytes.shape[1], int(d.pick(0, 1, 2, 5, 6))
    k = d.few(1) if loss == 1 else 1
    raw, y = np.ascontiguousarray(d.numbers(k, n)), np.abs(d.numbers(n))
    weight, count = d.pick(None, np.abs(d.numbers(n))), d.pick(None, d.rng.integers(1, 4, size=n).astype(np.uint32))
    options = TreeRules(min_rows=1, max_leaves=5, columns=float(d.pick(1.0, 0.5))).options(len(tiles.bins), n, 0)
    seeds = d.rng.integers(0, 2**62, size=(d.few(), k)).astype(np.uint64)
    return vars(tiles), loss, 0.5, raw, y, weight, count, options, seeds, float(d.pick(0.1, *ODD_NUMBERS)), d.jobs()


@case
def boost_gradients(d):
    loss, n = int(d.pick(*range(8))), d.size()
    k = d.few(1) if loss == 1 else 1
    raw, y = np.ascontiguousarray(d.numbers(k, n)), np.abs(d.numbers(n))
    return loss, 0.5, raw, y, d.pick(None, np.abs(d.numbers(n))), np.zeros((k, n)), np.zeros((k, n)), d.jobs()


@case
def add_leaf_values(d):
    n, leaves = d.size(), d.few()
    cuts = np.sort(d.rng.integers(0, n + 1, size=leaves + 1))
    order = d.rng.permutation(n).astype(np.uint32)
    return np.zeros(n), order, cuts[:-1], cuts[1:], d.numbers(leaves), d.jobs()


def _boosted(d):
    """A forest of two trees as a dictionary, and the bins it was grown on."""
    while True:
        bins, tiles = _tiles(d)
        n, p = bins.shape
        options = TreeRules(min_rows=1, max_leaves=5).options(p, n, 0)
        try:
            tree = native.boost_tree(tiles, d.numbers(n), np.ones(n), None, None, options, 1)
        except REFUSALS:
            d.odd = False
            continue
        return vars(Forest.of([tree, tree], tiles.bins.astype(np.uint8), np.zeros(2))), bins


@case
def boost_values(d):
    forest, bins = _boosted(d)
    return forest, bins, np.zeros((len(bins), d.pick(1, 2))), d.jobs()


@case
def boost_leaves(d):
    forest, bins = _boosted(d)
    return forest, bins, np.zeros((len(bins), 2), dtype=np.int32), d.jobs()


@case
def boost_descend(d):
    forest, bins = _boosted(d)
    return forest, bins, d.codes(len(bins), levels=2, least=0), d.jobs()


@case
def boost_histograms(d):
    bins, tiles = _tiles(d)
    n, m, slots = len(bins), d.size(), d.few(1)
    rows, count = d.rng.integers(0, n, size=m).astype(np.uint32), d.rng.integers(1, 4, size=m).astype(np.uint32)
    given = d.codes(m, levels=slots, least=0), d.rng.normal(size=m), d.rng.random(m), d.pick(None, count)
    out = np.zeros((slots, int((tiles.bins + 1).sum()), 2), dtype=np.int64)
    return bins, tiles.bins, rows, *given, 9.0, 1.0, int(4 * n), out, d.jobs()


@case
def boost_split(d):
    _, tiles = _tiles(d)
    p, entries = len(tiles.bins), int((tiles.bins + 1).sum())
    histogram = d.rng.integers(0, 1 << int(d.pick(4, 40, 60)), size=(entries, 2))
    rules = TreeRules(min_rows=1, columns=float(d.pick(1.0, 0.5)), together=((0,),) if d.pick(True, False) else ())
    scale = 1.0, 1.0, int(d.pick(1, 1000))
    return histogram, tiles.bins, tiles.nominal, rules.options(p, 9, 0), *scale, 0.5, -1.0, 1.0, 3, d.codes(1, levels=p)


@contextmanager
def at_most(seconds):
    """TimeoutError when the block takes longer: native loops look for signals."""

    def ring(*_):
        raise TimeoutError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@np.errstate(all="ignore")
def attack(name, seed):
    draw = Draw(seed)
    try:
        args = list(CASES[name](draw))
    except REFUSALS:
        return "refused"  # a handle or a tree on the way was already too odd
    for _ in range(draw.pick(0, 1, 1, 2)):
        args = spoil(draw, args)
    try:
        with at_most(60):
            getattr(native, name)(*args)
    except REFUSALS:
        return "refused"
    return "answered"


def test_nothing_is_left_out():
    assert sorted(CASES) == sorted(
        n for n in dir(native) if not n.startswith("_") and not isinstance(getattr(native, n), type)
    )


@pytest.mark.parametrize("name", CASES)
def test_answers_or_refuses(name):
    seen = {attack(name, seed) for seed in range(ROUNDS)}
    assert seen == {"answered", "refused"}  # else the draws were all sound, or none

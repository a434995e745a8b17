"""Every native function on arguments that nobody should pass: it answers or refuses, and never ends the process.

`make sanitize` runs the same under AddressSanitizer and UBSan with many more rounds (MERCER_FUZZ_ROUNDS).
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest

from mercer._core.select import native
from mercer.solvers.tree.grow import CRITERIA, Rules
from mercer.solvers.tree.tree import Columns

from .fuzz import KERNELS, Draw, spoil

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


def _codes_kernel(d):
    levels = [int(k) for k in d.rng.integers(1, 12, size=d.few())]
    a = _columns(d, d.size(), levels)
    entries = [np.abs(d.numbers(sum(levels))) for _ in range(3)]
    norm = d.pick(None, entries[2])
    weight = d.numbers(len(levels))
    b = d.pick(a, _columns(d, d.size(), levels))
    return a, b, d.offsets(levels), entries[0], entries[1], weight, norm, int(d.pick(0, 1, 2))


CASES["codes_kernel32"] = CASES["codes_kernel64"] = _codes_kernel


@case
def dense_kernel(d):
    columns = d.few()
    a, b = d.numbers(d.size(), columns, dtype=d.dtype), d.numbers(d.size(), columns, dtype=d.dtype)
    return a, b, int(d.pick(*KERNELS)), 0.5, 1.0, float(d.pick(2.0, 3.0, 0.5, -1.0))


@case
def csr_kernel(d):
    columns = d.few()
    left, right = d.csr(d.size(), columns), d.csr(d.size(), columns)
    return *left, *right, columns, int(d.pick(*KERNELS)), 0.5, 1.0, 2.0


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
    """A handle on dense, sparse or coded rows."""
    kind = d.pick("dense", "csr", "codes")
    if kind == "dense":
        return d.function()
    if kind == "csr":
        args = csr_kernel(d)
        return native.csr_kernel(*args), len(args[2]) - 1, len(args[5]) - 1
    args = _codes_kernel(d)
    make = native.codes_kernel32 if d.dtype is np.float32 else native.codes_kernel64
    return make(*args), len(args[0]), len(args[1])


@case
def gram_rows(d):
    n = d.size()
    return (d.numbers(n, n, dtype=d.dtype),)


@case
def function_rows(d):
    function, n, _ = d.function(square=True)
    return function, int(n * 8 * d.pick(1, 2, 100)), d.jobs()


def _callback_rows(d):
    n, width = d.size(1), d.size(1)
    shape = d.pick((0, n), (0, n), (0, width), (1, n))  # rows beyond those asked for, columns
    values = d.numbers(2000, shape[1], dtype=d.dtype)
    return lambda rows: values[: len(rows) + shape[0]], n, 8 * n * int(d.pick(1, 2, 50))


CASES["callback_rows32"] = CASES["callback_rows64"] = _callback_rows


@case
def smo_solve(d):
    n = d.size(1)
    rows = d.pick(None, None, d.codes(n, levels=n, least=0))
    lower, upper, beta = d.bounds(n)
    tube, ridge = d.pick(None, np.abs(d.numbers(n))), d.pick(None, np.abs(d.numbers(n)))
    split, equality = int(d.pick(0, 0, n // 2)), bool(d.pick(True, False))
    if d.rng.random() < 0.2:
        source = (native.callback_rows32 if d.dtype is np.float32 else native.callback_rows64)(*_callback_rows(d))
    else:
        source = d.source(n)
    steps, limit = int(d.pick(-1, 0, 50)), float(d.pick(0.0, 0.0, 1e-6))
    return (
        source, d.numbers(n), lower, upper, tube, ridge, rows, split, equality, beta, np.empty(n), 1e-3,
        float(d.pick(0.0, 1e-2)), steps, limit, int(d.pick(0, 0, 2, 16)), d.jobs(), bool(d.pick(True, False)),
    )  # fmt: skip


@case
def path_solve(d):
    n, problems, costs, folds = d.size(1), d.few(1), d.few(1), d.few(1)
    gammas = d.pick(None, np.abs(d.numbers(d.few(1))))
    base = np.abs(d.numbers(n, n, dtype=d.dtype))
    shape = (1 if gammas is None else len(gammas), costs, problems)
    regression = bool(d.pick(True, False))
    targets = d.numbers(problems, n) if regression else np.where(d.rng.random((problems, n)) < 0.5, 1.0, -1.0)
    betas = d.pick(None, np.zeros((*shape, folds, n)))
    active = np.ones((shape[0], costs, folds), np.uint8)
    members = (d.rng.random((problems, n)) < 0.9).astype(np.uint8)
    found = [np.full((*shape, n), np.nan), np.empty((*shape, folds)), np.empty((*shape, folds))]
    return (
        base, gammas, np.sort(np.abs(d.numbers(costs))), targets, members, d.codes(n, levels=folds),
        d.pick(None, np.abs(d.numbers(n))), active, regression, bool(d.pick(True, False)), 0.1, *found,
        np.empty((*shape, folds), np.int64), betas, bool(d.pick(True, False)), 1e-3, float(d.pick(0.0, 1e-2)), 200,
        int(d.pick(0, 4)), int(d.pick(1, 2, 0)), d.jobs(),
    )  # fmt: skip


def _descent(d, n, columns):
    lower, upper, beta = d.bounds(n)
    tube, ridge = d.pick(None, np.abs(d.numbers(n))), d.pick(None, np.abs(d.numbers(n)))
    return (
        d.numbers(n), lower, upper, tube, ridge, beta, np.zeros(columns + 1), 1e-3, 0.0, 20, float(d.pick(0.0, 1e-6)),
        1.0, 3,
    )  # fmt: skip


@case
def coordinate_dense(d):
    n, columns = d.size(), d.few()
    return d.numbers(n, columns, dtype=d.dtype), *_descent(d, n, columns)


@case
def coordinate_csr(d):
    n, columns = d.size(), d.few()
    return *d.csr(n, columns), columns, *_descent(d, n, columns)


def _ranking(d, n, columns, sparse=False):
    k = d.few(1)
    w = np.zeros((columns + 1, k) if sparse else (k, columns + 1))
    cost = np.abs(d.numbers(n))
    return d.codes(n, levels=k), cost, np.zeros((n, k)), w, 1e-3, 0.0, 20, float(d.pick(0.0, 1e-6)), 1.0, 3


@case
def crammer_singer_dense(d):
    n, columns = d.size(), d.few()
    return d.numbers(n, columns, dtype=d.dtype), *_ranking(d, n, columns)


@case
def crammer_singer_csr(d):
    n, columns = d.size(), d.few()
    return *d.csr(n, columns), columns, *_ranking(d, n, columns, sparse=True)


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
    nominal, missing = d.pick(("subset", "fraction"), ("multiway", "fraction"), ("subset", "surrogate"))
    rules = Rules(criterion, nominal, missing, d.pick(None, 1, 3), mdl=bool(d.pick(True, False)))
    regress = criterion == "squared_error"
    labels = d.codes(n, least=0)
    target = (None, d.numbers(n)) if regress else (labels, None)
    given = (columns.numbers, columns.codes, columns.levels, columns.nominal)
    weight = d.pick(None, np.abs(d.numbers(n)))
    return *given, *target, weight, 3, int(d.pick(0, 2, 8)), rules.options(), d.jobs()


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
    tree, (numbers, _, levels, nominal, *_) = _tree(d)
    return tree, numbers.shape[1], levels, nominal


@case
def tree_values(d):
    tree, (numbers, codes, levels, nominal, *_) = _tree(d)
    return tree, numbers, codes, levels, nominal, bool(d.pick(True, False)), d.jobs()


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

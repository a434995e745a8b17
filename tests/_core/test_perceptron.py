"""The native pass of the perceptron equals its NumPy twin, and refuses what would read outside an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils._seq_dataset import ArrayDataset64

from mercer._core import select
from mercer._core.gram import native_matrix
from mercer._core.reference import perceptron as twin

native = select.native
pytestmark = pytest.mark.skipif(native is None, reason="nothing is compiled: the twins are what runs")
OPTIONS = [
    twin.PassOptions(), twin.PassOptions(margin=0.5, offset_step=0.01), twin.PassOptions(alpha=0.01),
    twin.PassOptions(alpha=0.01, l1_ratio=1.0, eta=0.3), twin.PassOptions(alpha=0.05, l1_ratio=0.4),
    twin.PassOptions(alpha=5.0),  # shrinks w to 0 at every row
]  # fmt: skip


def case(sparse: bool, dtype: Any = np.float64) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 9)) * (random.random((60, 9)) < 0.4)
    side, step = np.where(random.random(60) < 0.5, np.int8(1), np.int8(-1)), random.choice([0.0, 0.5, 1.0, 2.0], 60)
    order = random.permutation(60)[:50].astype(np.int32)
    return native_matrix(sp.csr_array(x.astype(dtype)) if sparse else x.astype(dtype)), order, side, step


def plane(options: twin.PassOptions, averaged: bool) -> twin.Plane:
    w = np.linspace(-0.3, 0.5, 9)
    paid = np.zeros(9) if options.alpha * options.l1_ratio > 0 else None
    return twin.Plane(
        w, np.array([0.1, w @ w, np.abs(w).sum(), 0.0, 3.0, 0.2]), paid, np.zeros(9) if averaged else None
    )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_passes(options: twin.PassOptions, sparse: bool, dtype: Any) -> None:
    arguments = case(sparse, dtype)
    found, expected = plane(options, True), plane(options, True)
    moved = [np.zeros(50, np.uint8) for _ in range(2)]
    for _ in range(3):
        ours = native.perceptron_pass(*arguments, found, options, moved[0])
        theirs = twin.perceptron_pass(*arguments, expected, options, moved[1])
        np.testing.assert_allclose(ours, theirs, rtol=1e-10)
    np.testing.assert_array_equal(*moved)
    for name in ("w", "state", "paid", "lag"):
        if getattr(expected, name) is not None:
            np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, atol=1e-12)
    assert 0 < moved[0].sum() < 50


@pytest.mark.parametrize("shuffle", [twin.shuffle_rows, getattr(native, "shuffle_rows", None)])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**31 - 2, 2**32 - 1])
def test_orders_are_those_of_scikit_learn(shuffle: Any, seed: int) -> None:
    n = 57
    order = np.arange(n, dtype=np.int32)
    theirs = ArrayDataset64(np.arange(n, dtype=float)[:, None], np.zeros(n), np.ones(n))
    for _ in range(3):
        shuffle(order, seed)
        theirs._shuffle_py(seed)
    expected = [int(theirs._next_py()[0][0][0]) for _ in range(n)]
    assert order.tolist() == expected


def test_arguments_are_checked() -> None:
    x, order, side, step = case(False)
    options = twin.PassOptions()
    good = plane(options, False)
    for wrong in (
        (x, order + 60, side, step, good, options, None),
        (x, -order - 1, side, step, good, options, None),
        (x, order, side[:-1], step, good, options, None),
        (x, order, side, step[:-1], good, options, None),
        (x, order, side, step, twin.Plane(np.zeros(8), np.zeros(6)), options, None),
        (x, order, side, step, twin.Plane(np.zeros(9), np.zeros(5)), options, None),
        (x, order, side, step, twin.Plane(np.zeros(9), np.zeros(6), lag=np.zeros(3)), options, None),
        (x, order, side, step, good, options, np.zeros(3, np.uint8)),
        (x, order, side, step, good, {}, None),
        (x.astype(np.float16), order, side, step, good, options, None),
    ):
        with pytest.raises((ValueError, TypeError)):
            native.perceptron_pass(*wrong)

"""Gram matrices: native equals its NumPy twin and scikit-learn, is exactly symmetric, and blocks equal the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise

from mercer._core.codes_gram import CodeTables, codes_gram
from mercer._core.gram import KernelSpec, gram, kernel_product, rows_of_callable, rows_of_data, rows_of_gram
from mercer._core.reference import gram as reference_gram
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import solve

SPECS = [
    KernelSpec("linear"),
    KernelSpec("polynomial", 0.3, 1.0, 3),
    KernelSpec("polynomial", 0.3, 9.0, 1.5),
    KernelSpec("rbf", 0.4),
    KernelSpec("rbf", 50.0),
    KernelSpec("laplacian", 0.2),
    KernelSpec("sigmoid", 0.1, -0.5),
    KernelSpec("distance"),
]


@pytest.mark.parametrize(("columns", "filled"), [(1, 0.5), (7, 0.5), (80, 0.5), (80, 0.1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spec", SPECS, ids=lambda s: s.kind)
def test_equals_the_twin_dense_and_sparse(spec: KernelSpec, dtype: type, columns: int, filled: float) -> None:
    rng = np.random.default_rng(columns)
    x = (rng.normal(size=(150, columns)) * (rng.random((150, columns)) < filled) / np.sqrt(columns)).astype(dtype)
    expected = reference_gram.gram(x[:40], x, spec.kind, spec.gamma, spec.coef0, spec.degree)
    close = {"rtol": 1e-10, "atol": 1e-10} if dtype is np.float64 else {"rtol": 3e-5, "atol": 3e-5}
    np.testing.assert_allclose(gram(x[:40], x, spec), expected, **close)
    rows = sparse.csr_array(x)
    np.testing.assert_allclose(gram(rows[:40], rows, spec), expected, **close)
    np.testing.assert_allclose(gram(x[:40], rows, spec), expected, **close)


@pytest.mark.parametrize("spec", [s for s in SPECS if s.kind != "distance"], ids=lambda s: s.kind)
def test_indicators_equal_the_twin(spec: KernelSpec) -> None:
    x = (np.random.default_rng(0).random((75, 40)) < 0.1).astype(np.float32)
    expected = reference_gram.gram(x, x, spec.kind, spec.gamma, spec.coef0, spec.degree)
    for rows in (x, sparse.csr_array(x)):
        np.testing.assert_allclose(gram(rows, None, spec), expected, rtol=3e-5, atol=3e-5)


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(0, 700),
    m=st.integers(1, 40),
    d=st.integers(0, 30),
    seed=st.integers(0, 99),
    filled=st.sampled_from([0.1, 1.0]),
)
def test_blocks_equal_the_whole_exactly(n: int, m: int, d: int, seed: int, filled: float) -> None:
    rng = np.random.default_rng(seed)
    x = (rng.normal(size=(n, d)) * (rng.random((n, d)) < filled)).astype(np.float32)
    for spec in (SPECS[3], SPECS[5], SPECS[0]):
        whole = gram(x, None, spec, n_jobs=2)
        np.testing.assert_array_equal(whole, whole.T)
        np.testing.assert_array_equal(whole[:m], gram(x[:m], x, spec, n_jobs=1))
        if spec.kind != "linear":
            np.testing.assert_array_equal(np.diag(whole), 1.0)


def test_scikit_learn() -> None:
    x = np.random.default_rng(0).normal(size=(60, 5))
    np.testing.assert_allclose(gram(x, None, SPECS[3]), pairwise.rbf_kernel(x, gamma=0.4), rtol=1e-9)
    np.testing.assert_allclose(gram(x, None, SPECS[5]), pairwise.laplacian_kernel(x, gamma=0.2), rtol=1e-9)
    np.testing.assert_allclose(gram(x, None, SPECS[6]), pairwise.sigmoid_kernel(x, gamma=0.1, coef0=-0.5), atol=1e-9)


def test_product_is_the_gram_times_coefficients() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(90, 4)), rng.normal(size=(700, 4))
    for columns in (1, 5):
        coef = rng.normal(size=(700, columns))
        np.testing.assert_allclose(kernel_product(x, z, coef, SPECS[3]), gram(x, z, SPECS[3]) @ coef, rtol=1e-9)


@pytest.mark.parametrize("far", [3, 300], ids=["a few", "all"])
def test_near_rows_far_from_the_origin_are_told_apart_in_float32(far: int) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(300, 5))
    x[:far] = 500 + rng.normal(size=(far, 5))
    x = x.astype(np.float32)
    spec = KernelSpec("rbf", 0.3)
    expected = reference_gram.gram(x, x, "rbf", 0.3, 0.0, 3.0)
    found = gram(x, None, spec)
    np.testing.assert_allclose(found, expected, atol=2e-6)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(np.diag(found), 1.0)
    coef = rng.normal(size=(300, 1))
    np.testing.assert_allclose(kernel_product(x[:7], x, coef, spec), expected[:7].astype(float) @ coef, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spec", SPECS, ids=lambda s: s.kind)
def test_product_equals_the_twin_whatever_the_threads(spec: KernelSpec, dtype: type) -> None:
    rng = np.random.default_rng(3)
    x, z = (rng.normal(size=(n, 9)).astype(dtype) / 3 for n in (211, 1037))
    coef = rng.normal(size=(1037, 3))
    found = kernel_product(x, z, coef, spec, n_jobs=2)
    np.testing.assert_array_equal(found, kernel_product(x, z, coef, spec, n_jobs=1))
    kernel = reference_gram.gram(x.astype(float), z.astype(float), spec.kind, spec.gamma, spec.coef0, spec.degree)
    scale = np.abs(kernel) @ np.abs(coef)
    assert np.all(np.abs(found - kernel @ coef) <= (1e-5 if dtype is np.float32 else 1e-12) * scale)


def test_bad_input() -> None:
    x = np.ones((3, 2))
    with pytest.raises(ValueError, match="float32 or float64"):
        gram(x.astype(int), None, SPECS[0])
    with pytest.raises(ValueError, match="same columns"):
        gram(x, np.ones((3, 3)), SPECS[0])
    with pytest.raises(ValueError, match="one dtype"):
        gram(x, x.astype(np.float32), SPECS[0])
    with pytest.raises(ValueError, match="not one of"):
        gram(x, None, KernelSpec("cosine"))
    with pytest.raises(ValueError, match="two kernel rows"):
        rows_of_data(x, SPECS[0], 10)


@pytest.mark.parametrize("n", [100, 256, 257, 400])
def test_part_is_solved_as_its_whole_matrix(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=(500, 6)).astype(np.float32)
    own = np.sort(rng.permutation(500)[:n]).astype(np.int32)
    rows = rows_of_data(x, KernelSpec("rbf", 0.4), 10**7)
    assert rows.part is not None
    part, whole = rows.part(own), gram(x[own], None, KernelSpec("rbf", 0.4))
    np.testing.assert_array_equal(part.rows(np.arange(5, 95, dtype=np.int32)), whole[5:95])
    problem = duals.svc(np.where(rng.random(n) < 0.5, -1.0, 1.0), np.full(n, 3.0))
    found, expected = solve(problem, part), solve(problem, rows_of_gram(whole))
    np.testing.assert_array_equal(found.beta, expected.beta)
    np.testing.assert_array_equal(found.f, expected.f)
    assert found.bias == expected.bias


def code_tables(levels: list[int], mismatch: str, seed: int = 0) -> CodeTables:
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)
    p = rng.uniform(0.05, 0.5, offsets[-1])
    norm = np.log(p) if mismatch == "logarithm" else None
    match = 2 * np.log(p) if mismatch == "logarithm" else rng.uniform(0, 1, offsets[-1])
    return CodeTables(offsets, match, p, np.full(len(levels), 1 / len(levels)), norm, mismatch)


def draw_codes(levels: list[int], n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(-1, k, n) for k in levels]).astype(np.int32)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mismatch", ["zero", "reciprocal", "logarithm"])
@pytest.mark.parametrize("levels", [[1], [2, 7, 8], [15, 16, 23, 31, 33, 3], [3000, 2, 5]])
def test_codes_equal_the_twin(levels: list[int], mismatch: str, dtype: type) -> None:
    tables = code_tables(levels, mismatch)
    a, b = draw_codes(levels, 37, 1), draw_codes(levels, 530, 2)
    a[0], b[0] = -1, -1
    close = {"rtol": 1e-9, "atol": 1e-9} if dtype is np.float64 else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(codes_gram(a, b, tables, dtype), reference_gram.codes_gram(a, b, tables), **close)
    whole = codes_gram(b, None, tables, dtype, n_jobs=2)
    np.testing.assert_allclose(whole, reference_gram.codes_gram(b, b, tables), **close)
    np.testing.assert_array_equal(whole, whole.T)


def test_machines_learn_from_codes_in_bounded_memory() -> None:
    levels = [4, 3, 6]
    tables = CodeTables(np.array([0, 4, 7, 13]), np.ones(13), np.ones(13), np.full(3, 1 / 3))
    codes = draw_codes(levels, 300, 3)
    y = np.where((codes[:, 0] > 1) ^ (codes[:, 1] == 0), 1.0, -1.0)
    problem = duals.svc(y, np.full(300, 5.0))
    rows = rows_of_callable(lambda i: codes_gram(codes[i], codes, tables, np.float64), 300, np.float64, 40 * 300 * 8)
    found = solve(problem, rows)
    assert found.status == "converged"
    assert found.gap < 1.0
    np.testing.assert_allclose(found.f, reference_gram.codes_gram(codes, codes, tables) @ found.beta, atol=1e-9)


def test_bad_codes() -> None:
    tables = code_tables([3, 2], "zero")
    with pytest.raises(ValueError, match="out of range"):
        codes_gram(np.array([[0, 2]], np.int32), None, tables)
    with pytest.raises(ValueError, match="not one of"):
        codes_gram(
            np.array([[0, 1]], np.int32),
            None,
            CodeTables(tables.offsets, tables.match, tables.u, tables.weight, None, "x"),
        )

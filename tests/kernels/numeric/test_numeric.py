"""Formulas on numbers against scikit-learn, and what happens to cells that are not numbers."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics import pairwise

from mercer import read_table
from mercer.errors import BadColumn, BadParameter, BadTable, MercerError, NotNumeric
from mercer.kernels import (
    RBF,
    ChiSquared,
    Cosine,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
)

DRAW = np.random.default_rng(0)
A, B = DRAW.normal(size=(20, 4)), DRAW.normal(size=(9, 4))
SHARED = {"gamma": 0.3}

PAIRWISE = [
    (Linear(), pairwise.linear_kernel, {}),
    (Polynomial(0.3, 0.5, 2), pairwise.polynomial_kernel, {"gamma": 0.3, "coef0": 0.5, "degree": 2}),
    (Sigmoid(0.3, -1.0), pairwise.sigmoid_kernel, {"gamma": 0.3, "coef0": -1.0}),
    (RBF(0.3), pairwise.rbf_kernel, SHARED),
    (RBF(sigma=1.5), pairwise.rbf_kernel, {"gamma": 1 / 4.5}),
    (Laplacian(0.3), pairwise.laplacian_kernel, SHARED),
    (Cosine(), pairwise.cosine_similarity, {}),
]


@pytest.mark.parametrize(("kernel", "theirs", "options"), PAIRWISE, ids=lambda v: repr(v)[:20])
def test_pairwise_kernels_of_scikit_learn(kernel, theirs, options):
    assert_allclose(kernel.fit(A).gram(A, B), theirs(A, B, **options), rtol=1e-9, atol=1e-12)
    sparse = sp.csr_array(np.where(np.abs(A) > 0.8, A, 0))
    assert_allclose(kernel.fit(sparse).gram(sparse), theirs(sparse.toarray(), **options), rtol=1e-9, atol=1e-12)
    assert_allclose(kernel.diag(sparse), theirs(sparse.toarray(), **options).diagonal(), rtol=1e-9, atol=1e-12)


def test_chi_squared_on_counts():
    a, b = np.abs(A).round(1), np.abs(B).round(1)
    a[0] = 0
    assert_allclose(ChiSquared(0.7).fit(a).gram(a, b), pairwise.chi2_kernel(a, b, gamma=0.7), rtol=1e-9)
    by_hand = np.exp(-0.7 * ((1 - 3) ** 2 / 4 + (2 - 2) ** 2 / 4))
    assert_allclose(ChiSquared(0.7).fit([[1.0, 2.0]]).gram([[1.0, 2.0]], [[3.0, 2.0]]), [[by_hand]])
    with pytest.raises(BadTable, match=r"column 'x1', row 2 is -3\. Use RBF"):
        ChiSquared().fit(np.array([[1.0, 2.0], [1.0, -3.0]]))


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf, 0.3, 1.0, 3.7, 20.0])
def test_matern_of_scikit_learn(nu):
    assert_allclose(Matern(nu, 1.3).fit(A).gram(A, B), gp.Matern(1.3, nu=nu)(A, B), rtol=1e-7)
    own = Matern(nu, 1.3).fit(A).gram(A)
    assert_allclose(own.diagonal(), 1)
    assert own.max() <= 1


def test_rational_quadratic_of_scikit_learn():
    ours = RationalQuadratic(0.7, 1.3).fit(A).gram(A, B)
    assert_allclose(ours, gp.RationalQuadratic(length_scale=1.3, alpha=0.7)(A, B), rtol=1e-9)


def test_widths_learned_from_the_rows():
    assert RBF("scale").fit(A).gamma_ == pytest.approx(1 / (4 * A.var()))
    assert RBF("auto").fit(A).gamma_ == 0.25
    assert RBF().fit(np.ones((3, 2))).gamma_ == 1.0
    both = np.vstack([A, B])
    assert RBF().fit(A, unlabelled=B).gamma_ == pytest.approx(1 / (4 * both.var()))
    assert RBF().fit(sp.csr_array(A)).gamma_ == pytest.approx(1 / (4 * A.var()))


def test_distances_far_from_zero_keep_their_digits():
    near = np.array([[0.0], [0.5], [1.0]])
    far = (near + 4096).astype(np.float32)
    assert_allclose(RBF(1.0).fit(far).gram(far), RBF(1.0).fit(near).gram(near), rtol=1e-6)


def test_a_zero_row_has_no_direction():
    rows = np.array([[0.0, 0.0], [1.0, 1.0]])
    assert_allclose(Cosine().fit(rows).gram(rows), [[0, 0], [0, 1]], atol=1e-15)
    assert_allclose(Cosine().fit(rows).diag(rows), [0, 1])


def test_columns_by_name():
    table = read_table({"a": [1.0, 2.0, 4.0], "b": [10.0, 20.0, 50.0], "job": ["x", "y", "z"]})
    assert_allclose(Linear(on="a").fit(table).gram(table)[0], [1, 2, 4])
    assert_allclose(Linear(on=["b"]).fit(table).gram(table)[0], [100, 200, 500])
    frame = {"job": ["x"], "b": [3.0], "a": [2.0]}  # found by name, in any order
    assert_allclose(Linear().fit(table).gram(frame, table)[0], [2 + 30, 4 + 60, 8 + 150])


def test_what_is_not_a_number_is_named():
    table = read_table({"age": [1.0, 2.0, 3.0], "job": ["sales", "clerk", "smith"]})
    with pytest.raises(NotNumeric, match=r"'job' is a category \(3 levels, e\.g\. 'clerk'\)\. Use Overlap\(on='job'\)"):
        RBF(on="job").fit(table)
    with pytest.raises(BadColumn, match="Did you mean 'age'"):
        RBF(on=["aged"]).fit(table)
    with pytest.raises(BadColumn, match=r"no such column. Its columns: job \(category\)"):
        RBF().fit(table.select(["job"]))


@pytest.mark.parametrize("kernel", [k for k, _, _ in PAIRWISE], ids=repr)
def test_missing_and_infinite_numbers_are_refused(kernel):
    holes = A.copy()
    holes[3, 1] = np.nan
    with pytest.raises(BadTable, match=r"missing numbers \(NaN\): column 'x1', row 4\. Encoded\("):
        kernel.fit(holes)
    with pytest.raises(BadTable, match=r"column 'x1', row 4"):
        kernel.fit(A).gram(holes)
    with pytest.raises(BadTable, match=r"column 'x1', row 4"):
        kernel.fit(A).gram(A, holes)
    holes[3, 1], holes[5, 0] = 0.0, np.inf
    for infinite in (holes, sp.csr_array(holes)):
        with pytest.raises(MercerError, match=r"(?i)column 'x0', row 6"):
            kernel.fit(infinite)
        with pytest.raises(MercerError, match=r"(?i)column 'x0', row 6"):
            kernel.fit(A).gram(infinite, infinite)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0), RBF(-1.0), RBF("wide"), RBF(np.nan), RBF(np.inf), RBF(sigma=0), RBF(True), Polynomial(degree=1.5),
        Polynomial(degree=-1), Polynomial(coef0=np.nan), Matern(0), Matern(length_scale=-1), RationalQuadratic(0.0),
        Laplacian(0), ChiSquared(-2), Sigmoid(0), RBF(on=3),
    ],
    ids=repr,
)  # fmt: skip
def test_parameters_out_of_range(kernel):
    with pytest.raises(MercerError, match="must be"):
        kernel.fit(A)


def test_one_width_only():
    with pytest.raises(MercerError, match="both give the width"):
        RBF(0.5, sigma=1.0).fit(A)


@pytest.mark.parametrize(
    "make",
    [
        lambda w: RBF(sigma=w),
        lambda w: Matern(length_scale=w),
        lambda w: RationalQuadratic(length_scale=w),
        lambda w: Periodic(length_scale=w),
    ],
)
@pytest.mark.parametrize("width", [1e-320, 1e-200, 1e200, 1e308])
def test_a_width_whose_square_is_no_number_is_refused(make, width):
    with pytest.raises(BadParameter, match="must be a number of at least 1e-150"):
        make(width).fit(np.ones((3, 2)))

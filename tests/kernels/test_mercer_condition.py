"""Mercer's condition measured, and mended."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import BadTable, MercerError
from mercer.kernels import RBF, FromCallable, Sigmoid, check, check_gram, repair

ROWS = np.linspace(-2, 2, 30)[:, None]
INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1


def test_a_promised_kernel_holds():
    found = check(RBF(1.0), ROWS)
    assert found.holds
    assert found.symmetric
    assert found.promised
    assert found.advice == "Nothing to do."


def test_an_indefinite_kernel_is_told_with_its_number():
    kernel = Sigmoid(1.0, -1.0)
    found = check(kernel, ROWS)
    smallest = np.linalg.eigvalsh(kernel.fit(ROWS).gram(ROWS))[0]
    assert not found.holds
    assert found.smallest == pytest.approx(smallest)
    assert "repair" in found.advice


def test_an_asymmetric_function_is_no_kernel():
    found = check(FromCallable(lambda a, b: a - b.T), ROWS)
    assert not found.symmetric
    assert not found.holds
    assert found.asymmetry == pytest.approx(8)
    assert "Not symmetric" in found.advice


def test_many_rows_are_sampled():
    assert check(RBF(1.0), np.linspace(0, 1, 500)[:, None], max_rows=50).n_rows == 50


@pytest.mark.parametrize(("method", "values"), [("clip", [0, 3]), ("flip", [1, 3]), ("shift", [0, 4])])
def test_repair(method, values):
    mended = repair(INDEFINITE, method)
    assert_allclose(np.linalg.eigvalsh(mended), values, atol=1e-12)
    assert check_gram(mended).holds
    if method == "shift":
        assert mended[0, 1] == INDEFINITE[0, 1]


def test_repair_leaves_a_good_matrix_alone():
    gram = RBF(1.0).fit(ROWS).gram(ROWS)
    for method in ("clip", "flip", "shift"):
        assert_allclose(repair(gram, method), gram, atol=1e-12)


def test_refusals():
    with pytest.raises(MercerError, match="clip, flip, shift"):
        repair(INDEFINITE, "mend")
    with pytest.raises(BadTable, match="square"):
        repair(INDEFINITE[:1])
    with pytest.raises(BadTable, match="NaN"):
        check_gram(np.full((2, 2), np.nan))

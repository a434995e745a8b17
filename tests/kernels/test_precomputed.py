"""Matrices and functions of others: used as they are, checked first."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import read_table
from mercer.errors import BadColumn, BadTable, MercerError
from mercer.kernels import RBF, FromCallable, Precomputed
from mercer.table import categorical, text

GRAM = np.array([[2.0, 1.0, 0.5], [1.0, 2.0, 0.25], [0.5, 0.25, 2.0]])


def test_precomputed_gives_the_table_back():
    kernel = Precomputed().fit(GRAM)
    assert_allclose(kernel.gram(GRAM), GRAM)
    assert_allclose(kernel.diag(GRAM), 2)
    new = np.array([[0.1, 0.2, 0.3]])
    assert_allclose(kernel.gram(new, GRAM), new)
    with pytest.raises(BadTable, match="3 training rows; 1 were given"):
        kernel.gram(GRAM, new)
    with pytest.raises(BadTable, match="themselves"):
        kernel.diag(new)


def test_precomputed_beside_columns():
    rows = read_table({**{f"k{j}": GRAM[:, j] for j in range(3)}, "age": [1.5, 2.0, 3.0]})
    kernel = Precomputed(on=["k0", "k1", "k2"]) + RBF(1.0, on="age")
    assert_allclose(kernel.fit(rows).gram(rows).diagonal(), 3)


def test_bad_matrices():
    with pytest.raises(BadTable, match="square matrix"):
        Precomputed().fit(GRAM[:2])
    lopsided = GRAM.copy()
    lopsided[0, 2] = 0.9
    with pytest.raises(BadTable, match=r"not symmetric: entry \(1, 3\) is 0.9, its mirror 0.5"):
        Precomputed().fit(lopsided)
    hole = GRAM.copy()
    hole[1, 1] = np.nan
    with pytest.raises(BadTable, match="NaN or infinity: nan, row 2, column 2"):
        Precomputed().fit(hole)
    with pytest.raises(BadColumn, match="is category"):
        Precomputed().fit(read_table({"a": ["x", "y", "z"]}))


def test_a_function_of_cells():
    table = read_table({"age": [1.5, 2.0, 4.0], "job": ["clerk", "sales", "smith"]})
    assert_allclose(FromCallable(lambda a, b: a @ b.T).fit(table).gram(table)[0], [2.25, 3.0, 6.0])
    same = FromCallable(lambda a, b: a == b.T, on=categorical())
    assert_allclose(same.fit(table).gram(table), np.eye(3))
    words = read_table({"note": [f"the {i}th note of many" for i in range(30)], "age": range(30)})
    length = FromCallable(lambda a, b: np.vectorize(len)(a) * np.vectorize(len)(b).T, on=text())
    assert length.fit(words).gram(words)[0, 0] == len("the 0th note of many") ** 2


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda a, b: a, r"shape \(3, 1\); 3 and 3 rows want \(3, 3\)"),
        (lambda a, b: 1.0, "shape"),
        (lambda a, b: np.full((3, 3), np.nan), "gave nan for row 1 and row 1"),
        (lambda a, b: np.array([["x"] * 3] * 3), "not numbers"),
        (lambda a, b: np.full((3, 3), np.inf), "gave inf"),
    ],
)
def test_functions_that_misbehave(function, says):
    rows = np.array([[1.0], [2.0], [3.0]])
    with pytest.raises(BadTable, match=says):
        FromCallable(function).fit(rows).gram(rows)


def test_what_is_no_function():
    with pytest.raises(MercerError, match="must be a function"):
        FromCallable(3).fit([[1.0]])
    mixed = read_table({"age": [1.5, 2.0, 4.0], "job": ["clerk", "sales", "smith"]})
    with pytest.raises(BadColumn, match="one kernel per kind"):
        FromCallable(np.dot, on=None).fit(mixed)

"""Mixed tables as numbers, and the kernel made from a schema."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mercer import read_table
from mercer.errors import BadTable, MercerError
from mercer.kernels import RBF, Encoded, Linear, Words, check, default_kernel
from mercer.table import Schema, from_array

DRAW = np.random.default_rng(2)
X = DRAW.normal(size=(20, 3)) * [1, 10, 100] + 5


@pytest.mark.parametrize(("scaling", "theirs"), [("standard", StandardScaler()), ("minmax", MinMaxScaler())])
def test_scaling_is_scikit_learns(scaling, theirs):
    scaled = theirs.fit(X[:12]).transform(X)
    ours = Encoded(RBF(0.5), scaling=scaling).fit(X[:12])
    assert_allclose(ours.gram(X[12:], X[:12]), rbf_kernel(scaled[12:], scaled[:12], gamma=0.5), rtol=1e-9)


def test_missing_numbers_become_the_mean_or_median():
    holes = X.copy()
    holes[4, 1] = np.nan
    for missing, average in (("mean", np.nanmean), ("median", np.nanmedian)):
        filled = holes.copy()
        filled[4, 1] = average(holes[:, 1])
        ours = Encoded(Linear(), scaling="none", missing=missing).fit(holes)
        assert_allclose(ours.gram(holes), filled @ filled.T)
    assert np.isfinite(Encoded(Linear()).fit(X).gram(np.full((1, 3), np.nan))).all()


def test_levels_become_dummies():
    table = read_table({"age": [1.0, 2.0, 4.0, 5.0], "job": ["b", "a", None, "c"]})
    expected = np.column_stack([[1.0, 2, 4, 5], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])
    kernel = Encoded(Linear(), scaling="none").fit(table)
    assert_allclose(kernel.gram(table), expected @ expected.T)
    assert kernel.kernel_.schema_.names == ("age", "job=a", "job=b", "job=c")
    assert_allclose(kernel.gram({"age": [2.0], "job": ["new"]}, table), [[2, 4, 8, 10]])


def test_constant_columns_and_columns_without_numbers():
    rows = np.column_stack([np.full(5, 7.0), np.full(5, np.nan), np.arange(5.0)])
    for scaling in ("standard", "minmax"):
        gram = Encoded(Linear(), scaling=scaling).fit(rows).gram(rows)
        assert_allclose(gram, Encoded(Linear(), scaling=scaling).fit(rows[:, 2:]).gram(rows[:, 2:]))


def test_sparse_numbers_stay_sparse():
    dense = np.where(X > 5, X, 0)
    dense[2, 0] = np.nan
    kernel = Encoded(Linear()).fit(sp.csr_array(dense))
    filled = dense.copy()
    filled[2, 0] = np.nan_to_num(dense[:, 0]).mean()
    scaled = filled / np.nan_to_num(dense).std(axis=0)
    assert kernel.encode(read_table(sp.csr_array(dense))).is_sparse
    assert_allclose(kernel.gram(sp.csr_array(dense)), scaled @ scaled.T)


def test_infinity_is_named():
    rows = X.copy()
    rows[3, 2] = -np.inf
    for infinite in (rows, from_array(rows)):
        with pytest.raises(MercerError, match=r"(?i)column 'x2', row 4"):
            Encoded(Linear()).fit(infinite)


def test_the_default_kernel_of_a_mixed_table():
    frame = pd.DataFrame({"age": X[:, 0], "pay": X[:, 1], "job": list("abcd") * 5, "city": list("uvwxy") * 4})
    frame.loc[3, "age"] = np.nan
    frame.loc[5, "job"] = None
    table = read_table(frame)
    kernel = default_kernel(table.schema).fit(table)
    assert_allclose(kernel.diag(table), 1)
    assert check(kernel, table).holds
    assert kernel.positive
    for part in (["age", "pay"], ["job", "city"]):
        some = table.select(part)
        assert_allclose(default_kernel(some.schema).fit(some).diag(some), 1)


def test_the_default_kernel_is_its_formula():
    table = read_table({"x": [1.0, 2.0, 4.0, 5.0], "a": list("pqrq"), "b": list("uuvw")})
    z = (table.numbers() - table.numbers().mean()) / table.numbers().std()
    apart = (z - z.T) ** 2 / 2
    for name in ("a", "b"):
        apart = apart + (table.codes(name) != table.codes(name).T)
    assert_allclose(default_kernel(table.schema, 0.7).fit(table).gram(table), np.exp(-0.7 / 3 * apart))
    with pytest.raises(MercerError, match="above 0"):
        default_kernel(table.schema, 0.0)


def test_the_default_kernel_compares_text_by_its_words():
    table = read_table({"x": [1.0, 2.0, 4.0], "note": ["no tea", "tea", None]}, kinds={"note": "text"})
    z = (table.numbers() - table.numbers().mean()) / table.numbers().std()
    apart = (z - z.T) ** 2 / 2 + 1 - Words().fit(table).gram(table)
    assert_allclose(default_kernel(table.schema, 0.7).fit(table).gram(table), np.exp(-0.7 / 2 * apart))


def test_a_table_without_columns_is_nothing_to_compare():
    with pytest.raises(BadTable, match="nothing for a kernel to compare"):
        default_kernel(Schema(()))

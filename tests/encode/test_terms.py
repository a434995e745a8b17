import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import PolynomialFeatures

import mercer
from mercer.encode import Log, Polynomial
from mercer.errors import BadColumn, BadTable

from .tables import number_arrays


@given(number_arrays(gaps=False), st.integers(2, 4), st.booleans())
def test_products_are_polynomial_features(values, degree, mixed):
    values = values / 1e5
    theirs = PolynomialFeatures(degree, interaction_only=mixed, include_bias=False).fit(values)
    ours = Polynomial(degree, "interactions" if mixed else "all").fit(values)
    assert_allclose(ours.transform(values), theirs.transform(values), rtol=1e-12)
    expected = [n.replace(" ", "*") for n in theirs.get_feature_names_out(["a", "b", "c"])]
    assert ours.get_feature_names_out(["a", "b", "c"]).tolist() == expected


def test_powers_alone():
    encoder = Polynomial(3, "powers").fit([[2.0, 3.0]])
    assert encoder.get_feature_names_out().tolist() == ["x0", "x1", "x0^2", "x1^2", "x0^3", "x1^3"]
    assert encoder.transform([[2.0, 3.0]]).tolist() == [[2, 3, 4, 9, 8, 27]]


def test_products_with_a_missing_cell_are_missing():
    out = Polynomial().fit_transform([[2.0, np.nan], [1.0, 3.0]])
    assert_array_equal(np.isnan(out[0]), [False, True, False, True, True])


def test_products_beyond_a_double_are_refused():
    with pytest.raises(BadColumn, match=r"'x0\^2' overflows in row 2"):
        Polynomial().fit_transform([[1.0], [1e200]])


def test_too_many_products_are_refused_before_they_are_made():
    with pytest.raises(BadTable, match="would add"):
        Polynomial(degree=10).fit(np.ones((2, 50)))


def test_only_named_columns_are_multiplied():
    table = mercer.read_table({"a": [1, 2, 3], "job": list("xyx"), "b": [4, 5, 7]})
    assert Polynomial(on=["b"]).fit_transform(table).columns == ("a", "job", "b", "b^2")


@given(number_arrays())
def test_exp_undoes_log(values):
    values = np.abs(values) + 1
    assert_allclose(np.exp(Log().fit_transform(values)), values)
    assert_allclose(np.expm1(Log(shift=1).fit_transform(values)), values)
    assert_allclose(np.exp(Log(shift=0.5).fit_transform(values)) - 0.5, values)


def test_log_keeps_the_digits_of_small_numbers():
    assert_allclose(Log(shift=1).fit_transform([[1e-18], [1.0]])[0, 0], 1e-18)


@pytest.mark.parametrize("shift", [0, 2.5])
def test_a_number_without_a_logarithm_is_named(shift):
    with pytest.raises(BadColumn, match=r"'x1' holds .*\(row 2\)"):
        Log(shift).fit([[1.0, 2.0], [1.0, -shift]])
    with pytest.raises(BadColumn, match="'x0' holds -9"):
        Log(shift).fit([[1.0]]).transform([[-9.0]])


def test_logs_replace_or_stand_beside():
    table = mercer.read_table({"pay": [1.0, 10.0, 100.0], "age": [1, 2, 3], "job": list("xyx")})
    assert Log(on=["pay"]).fit_transform(table).columns == ("log(pay)", "age", "job")
    out = Log(on=["pay"], keep=True, shift=1).fit_transform(table)
    assert out.columns == ("pay", "age", "job", "log(pay+1)")
    assert_allclose(out.numbers("log(pay+1)"), np.log1p(table.numbers("pay")))

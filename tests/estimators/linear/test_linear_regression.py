"""Linear regression: terms, contrasts, aliased columns, chunks, outliers, bad input, storing."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model

import mercer
from mercer.errors import BadColumn, BadFile, BadTable, BadTarget, MercerError, MercerWarning
from mercer.estimators.linear.coefficients import stars
from mercer.state import Reader

from .states import changed

RNG = np.random.default_rng(3)
N = 90


def crime() -> tuple[pd.DataFrame, np.ndarray]:
    """A small table like that of the crime rates of 47 states."""
    rng = np.random.default_rng(47)
    rows = pd.DataFrame(
        {
            "Age": rng.normal(138, 12, 47),
            "Southern State": rng.choice(["no", "yes"], 47),
            "Education": rng.normal(105, 11, 47),
            "Expenditures": rng.normal(85, 30, 47),
        }
    )
    y = -589 + rows["Age"] + 1.2 * rows["Education"] + rows["Expenditures"] + rng.normal(0, 20, 47)
    return rows, y.to_numpy()


def test_layout_of_the_table_of_coefficients() -> None:
    rows, y = crime()
    lines = repr(mercer.LinearRegression().fit(rows, y).summary()).splitlines()
    assert lines[2].split() == ["covariate", "estimate", "std.", "error", "t", "value", "p-value", "95%", "from", "to"]
    names = [line[2:22].strip() for line in lines[3:8]]
    assert names == ["(Intercept)", "Age", "Southern State=yes", "Education", "Expenditures"]
    assert "< 0.001  ***" in lines[7]
    begin = lines[7].index("***")  # stars of every line start below each other, beside p
    assert all(line[begin - 2 : begin] == "  " and line[begin - 3].isdigit() for line in lines[3:8])
    assert "Baselines: Southern State = no." in lines
    assert any(line.split()[:2] == ["residuals", "min"] for line in lines)


def test_summary_as_html_is_escaped() -> None:
    html = mercer.LinearRegression().fit({"<b>": [1.0, 2.0, 4.0, 3.0]}, [1.0, 2.5, 4.0, 3.0]).summary()._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html


def test_stars_follow_p() -> None:
    assert [stars(p) for p in (0.0005, 0.005, 0.03, 0.07, 0.5, np.nan)] == ["***", "**", "*", ".", "", ""]


def test_terms_are_recovered() -> None:
    age, size = RNG.uniform(1, 9, N), RNG.uniform(1, 9, N)
    job = RNG.choice(["a", "b", "c"], N)
    y = 2 + age**2 - 3 * np.log(size) + 0.5 * age * size + np.where(job == "c", 2 * age, 0.0)
    rows = {"age": age, "size": size, "job": job}
    model = mercer.LinearRegression(terms=["age^2", "log(size)", "age*size", "age*job"]).fit(rows, y)
    found = dict(zip(model.term_names_, model.coef_.round(8).tolist(), strict=True))
    wanted = {"age^2": 1.0, "log(size)": -3.0, "age*size": 0.5, "age*job=c": 2.0, "age*job=b": 0.0, "age": 0.0}
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-7)
    assert_allclose(model.explain(rows).total, model.predict(rows), rtol=1e-10)


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("log(agee)", "Did you mean 'age'"),
        ("job^2", "needs a numeric column"),
        ("sin(age)", "is not"),
        ("log(low)", r"no finite value where 'low' is -1 \(row 1\)"),
    ],
)
def test_wrong_terms_are_named(term: str, message: str) -> None:
    rows = {"age": [1.0, 2.5, 3.0], "job": ["a", "b", "a"], "low": [-1.0, 0.5, 1.5]}
    with pytest.raises(BadColumn, match=message):
        mercer.LinearRegression(terms=[term]).fit(rows, [1.0, 2.0, 3.0])


def test_baseline_is_chosen_and_stated() -> None:
    rows = {"job": ["a", "b", "b", "c", "b", "c"]}
    y = [1.0, 3.0, 3.0, 7.0, 3.0, 7.0]
    first = mercer.LinearRegression().fit(rows, y)
    common = mercer.LinearRegression(baseline="common").fit(rows, y)
    assert first.baselines_ == {"job": "a"} and common.baselines_ == {"job": "b"}
    assert_allclose(first.coef_, [2.0, 6.0])
    assert_allclose(common.coef_, [-2.0, 4.0])
    with pytest.warns(MercerWarning, match="never seen in fitting counts as the average of those seen"):
        assert_allclose(first.predict({"job": ["z"]}), [np.mean(y)])


def test_missing_cells_are_filled_flagged_and_reported() -> None:
    x = np.array([1.0, 2.0, np.nan, 4.0, np.nan, 5.0])
    y = np.array([1.0, 2.0, 10.0, 4.0, 10.0, 5.0])
    model = mercer.LinearRegression().fit({"x": x, "job": ["a", None, "a", "b", "b", "a"]}, y)
    assert model.filled_ == {"x": "filled with 3", "job": "a level of its own"}
    assert "x is missing" in model.term_names_ and "job=(missing)" in model.term_names_
    assert_allclose(model.predict({"x": [None], "job": ["b"]}), [10.0])


@pytest.mark.parametrize("method", ["qr", "svd", "normal", "gradient"])
def test_aliased_columns_are_named(method: str) -> None:
    x = RNG.normal(size=(N, 2))
    rows = np.column_stack([x, x[:, 0] + 2 * x[:, 1] + 1, np.full(N, 7.0)])
    y = x @ [1.0, 2.0] + 3
    with pytest.warns(MercerWarning, match=r"2 of 4 coefficients are aliased.*'x2' = 1 \+ x0 \+ 2 x1; 'x3' = 7"):
        model = mercer.LinearRegression(method=method).fit(rows, y)
    assert model.aliased_ == {"x2": "1 + x0 + 2 x1", "x3": "7"}
    assert_allclose(model.predict(rows), y, atol=1e-6)
    if method == "svd":
        plain = np.linalg.pinv(rows - rows.mean(0)) @ (y - y.mean())
        assert_allclose(model.coef_, plain, atol=1e-8)
    elif method != "gradient":
        assert_array_equal(model.coef_[2:], 0.0)
    assert np.isnan(model.summary().coefficients.estimate[3:]).all()


@pytest.mark.parametrize("shape", [(40, 6), (6, 20)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_numbers_that_are_aliased_share_as_in_scikit_learn(
    shape: tuple[int, int], fit_intercept: bool, weighted: bool, recwarn: Any
) -> None:
    x = np.random.default_rng(3).normal(size=shape)
    x[:, -1] = x[:, 0] - 3 * x[:, 1]
    y, weight = x @ np.arange(shape[1]) + 5 + np.cos(np.arange(shape[0])), np.linspace(1, 2, shape[0])
    given = {"sample_weight": weight} if weighted else {}
    ours = mercer.LinearRegression(fit_intercept=fit_intercept).fit(x, y, **given)
    theirs = linear_model.LinearRegression(fit_intercept=fit_intercept).fit(x, y, **given)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    assert ours.rank_ == theirs.rank_
    assert_allclose(ours.singular_, theirs.singular_, atol=1e-7 * theirs.singular_[0])
    assert not len(recwarn)
    if not weighted and shape[0] > shape[1]:
        with pytest.warns(MercerWarning, match="1 of 6 coefficients are aliased"):
            apart = mercer.LinearRegression(fit_intercept=fit_intercept, method="qr").fit(x, y)
        assert_allclose(ours.summary().coefficients.estimate, apart.summary().coefficients.estimate, rtol=1e-7)
    again = mercer.LinearRegression.from_state(Reader(ours.to_state()))
    assert (again.rank_, again.coef_.tolist()) == (ours.rank_, ours.coef_.tolist())


def test_the_parameters_begin_with_scikit_learns() -> None:
    kinds = mercer.LinearRegression, linear_model.LinearRegression
    ours, theirs = (list(inspect.signature(c).parameters.values()) for c in kinds)
    assert [(p.name, p.kind, p.default) for p in ours[: len(theirs)]] == [(p.name, p.kind, p.default) for p in theirs]
    assert all(p.kind is p.KEYWORD_ONLY for p in ours[len(theirs) :])


def test_rank_is_of_dense_rows_and_free_signs() -> None:
    x, y = RNG.normal(size=(30, 3)), RNG.normal(size=30)
    assert not hasattr(mercer.LinearRegression().fit(sp.csr_array(x), y), "rank_")
    assert not hasattr(mercer.LinearRegression(positive=True).fit(x, y), "singular_")
    assert mercer.LinearRegression().fit(x, np.column_stack([y, y])).rank_ == 3


@pytest.mark.parametrize("weighted", [True, False])
def test_columns_may_be_centred_in_place(weighted: bool) -> None:
    x, y, weight = RNG.normal(5, size=(30, 3)), RNG.normal(size=30), RNG.uniform(1, 2, 30) if weighted else None
    expected = mercer.LinearRegression().fit(x.copy(), y, weight)
    model = mercer.LinearRegression(copy_X=False).fit(changed := x.copy(), y, weight)
    assert_allclose(changed, x - np.average(x, axis=0, weights=weight), atol=1e-12)
    assert_allclose(model.predict(x), expected.predict(x), rtol=1e-10)
    assert_allclose(model.explain(x[:3]).values, expected.explain(x[:3]).values, rtol=1e-8, atol=1e-10)
    assert repr(model.summary()) == repr(expected.summary())
    frame = {"a": x[:, 0].copy()}
    mercer.LinearRegression(copy_X=False).fit(frame, y)
    assert_array_equal(frame["a"], x[:, 0])


def test_more_columns_than_rows() -> None:
    x = RNG.normal(size=(6, 20))
    y = RNG.normal(size=6)
    model = mercer.LinearRegression().fit(x, y)
    assert len(model.aliased_) == 15
    assert_allclose(model.predict(x), y, atol=1e-9)
    summary = model.summary()
    assert np.isnan(summary["F"]) and np.isnan(summary.coefficients.p_value).all()


@pytest.mark.parametrize("n", [1, 2])
def test_few_rows(n: int) -> None:
    x, y = np.arange(n).reshape(-1, 1) * 1.0, np.arange(n) * 3.0 + 1
    model = mercer.LinearRegression().fit(x, y)
    assert_allclose(model.predict(x), y, atol=1e-12)
    assert "Linear regression" in repr(model.summary())


def test_constant_target_and_perfect_fit() -> None:
    x = RNG.normal(size=(20, 2))
    model = mercer.LinearRegression().fit(x, np.full(20, 4.0))
    assert_allclose(model.coef_, 0.0, atol=1e-12)
    assert_allclose(model.predict(x), 4.0)
    assert "R^2" in repr(model.summary())


def test_a_category_with_many_levels() -> None:
    level = RNG.integers(0, 5000, 20_000)
    rows = {"code": [f"c{v}" for v in level], "x": RNG.normal(size=20_000)}
    with pytest.warns(MercerWarning, match="'code': more than 100 levels"):
        model = mercer.LinearRegression(kinds={"code": "category"}).fit(rows, RNG.normal(size=20_000))
    assert len(model.coef_) <= 102 and "code=(other)" in model.term_names_
    assert np.isfinite(model.predict({"code": ["c1", "new"], "x": [0.0, 1.0]})).all()


def test_missing_target_is_refused() -> None:
    with pytest.raises(BadTarget, match="NaN"):
        mercer.LinearRegression().fit([[1.0], [2.0]], [1.0, np.nan])


def test_overflow_is_an_error() -> None:
    with pytest.raises(BadTable, match="beyond what a double holds"), np.errstate(all="ignore"):
        mercer.LinearRegression().fit([[1e200], [-1e200], [3.0]], [1.0, 2.0, 3.0])


@pytest.mark.parametrize("method", ["auto", "qr", "svd", "normal", "gradient"])
def test_underflow_is_an_error_and_small_numbers_are_none(method: Any) -> None:
    x, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    plain = mercer.LinearRegression(method=method, tol=1e-12).fit(x, y)
    small = mercer.LinearRegression(method=method, tol=1e-12).fit(x * [1e-140, 1], y)
    assert_allclose(small.coef_ * [1e-140, 1], plain.coef_, rtol=1e-8)
    for size in (1e-160, 1e-200, 1e-310):
        with pytest.raises(BadTable, match="smaller than what a double holds"):
            mercer.LinearRegression(method=method).fit(x * [size, 1], y)
        with pytest.raises(BadTable, match="smaller than what a double holds"):
            mercer.LinearRegression(method=method).partial_fit(x * [size, 1], y)
    penalised = mercer.LinearRegression(method=method, alpha=1.0).fit(x * [1e-200, 1], y)
    assert_allclose(penalised.coef_, [0, *mercer.LinearRegression(alpha=1.0).fit(x[:, 1:], y).coef_], atol=1e-8)


def test_a_constant_column_is_no_underflow_however_small() -> None:
    x, y = RNG.normal(size=(40, 2)), RNG.normal(size=40)
    x[:, 0], weight = 1e-200, np.ones(40)
    assert mercer.LinearRegression().fit(x, y).coef_[0] == 0
    x[0, 0], weight[0] = 1.0, 0.0  # constant in all rows that count
    assert mercer.LinearRegression().fit(x, y, weight).coef_[0] == 0


@pytest.mark.parametrize(
    "options",
    [{"method": "lu"}, {"alpha": -1.0}, {"errors": "HC9"}, {"baseline": "last"}, {"outliers": 0.0}, {"tol": -1.0}],
    ids=str,
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(MercerError, match=next(iter(options))):
        mercer.LinearRegression(**options).fit([[1.0], [2.0]], [1.0, 2.0])


@settings(max_examples=25, deadline=None)
@given(cut=st.integers(2, N - 2), shift=st.floats(-1e4, 1e4), weighted=st.booleans())
def test_merging_chunks_is_fitting_all(cut: int, shift: float, weighted: bool) -> None:
    rng = np.random.default_rng(cut)
    x, y = rng.normal(size=(N, 3)) + shift, rng.normal(size=N)
    w = rng.uniform(0.1, 2, N) if weighted else None
    parts = [None, None] if w is None else [w[:cut], w[cut:]]
    whole = mercer.LinearRegression(method="normal").fit(x, y, w)
    first = mercer.LinearRegression(method="normal").fit(x[:cut], y[:cut], parts[0])
    second = first.blank().partial_fit(x[cut:], y[cut:], parts[1])
    for model in (first.merge(second), second.merge(first), first.partial_fit(x[cut:], y[cut:], parts[1])):
        assert_allclose(model.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
        assert_allclose(model.predict(x), whole.predict(x), rtol=1e-6, atol=1e-7)
        ours, theirs = model.summary(), whole.summary()
        assert_allclose(ours.coefficients.error[1:], theirs.coefficients.error[1:], rtol=1e-6)
        assert_allclose(ours["AIC"], theirs["AIC"], rtol=1e-6)


def test_merging_other_columns_is_refused() -> None:
    a = mercer.LinearRegression().fit({"job": ["a", "b", "a"]}, [1.0, 2.0, 3.0])
    b = mercer.LinearRegression().fit({"job": ["a", "c", "c"]}, [1.0, 2.0, 3.0])
    with pytest.raises(MercerError, match=r"model\.blank\(\)"):
        a.merge(b)
    with pytest.raises(MercerError, match="need all rows"):
        mercer.LinearRegression(errors="HC3").fit([[1.0], [2.0], [4.0]], [1.0, 2.0, 3.0]).partial_fit([[1.0]], [2.0])


def test_outliers_are_left_out() -> None:
    x = np.linspace(0, 1, 40).reshape(-1, 1)
    y = 2 * x.ravel() + RNG.normal(0, 0.01, 40)
    y[[3, 30]] += [5.0, -4.0]
    with pytest.warns(MercerWarning, match="2 of 40 rows were left out"):
        model = mercer.LinearRegression(outliers=3.0).fit(x, y)
    assert model.outliers_.tolist() == [3, 30]
    assert_allclose(model.coef_, [2.0], atol=0.05)
    assert "2 outliers left out." in repr(model.summary())


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_array, np.asfortranarray, lambda x: x.astype(np.float32)])
def test_other_arrays_give_the_same_model(container: Any) -> None:
    x = np.round(RNG.normal(size=(N, 4)) * (RNG.random((N, 4)) < 0.4), 2).astype(np.float32).astype(np.float64)
    y = x @ [1.0, 2.0, 3.0, 4.0] + RNG.normal(size=N)
    for method in ("qr", "normal"):
        dense = mercer.LinearRegression(method=method).fit(x, y)
        other = mercer.LinearRegression(method=method).fit(container(x), y)
        single = container(x).dtype == np.float32
        assert other.coef_.dtype == other.predict(container(x)).dtype == (np.float32 if single else np.float64)
        assert_allclose(other.coef_, dense.coef_, rtol=1e-7 if single else 1e-9)
        assert_allclose(other.predict(container(x)), dense.predict(x), rtol=1e-4 if single else 1e-9, atol=1e-6)


def test_nearly_collinear_columns_fall_back_to_triangulation() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40_000, 72))
    x[:, 71] = x[:, 0] + 1e-6 * rng.normal(size=40_000)
    beta = np.arange(1.0, 73.0)
    model = mercer.LinearRegression().fit(x, x @ beta)
    assert not model.aliased_
    assert_allclose(model.coef_, beta, rtol=1e-5)


def test_state_is_checked() -> None:
    rows, y = crime()
    state = mercer.LinearRegression(terms=["Age^2"], errors="HC3").fit(rows, y).to_state()
    again = mercer.LinearRegression.from_state(Reader(state))
    assert repr(again.summary()) == repr(mercer.LinearRegression(terms=["Age^2"], errors="HC3").fit(rows, y).summary())
    fitted = state["fitted"]["targets"][0]
    first, design = ("fitted", "targets", 0), ("fitted", "design")
    wrong = [
        changed(state, *first, coef=fitted["coef"][:-1]), changed(state, *first, coef=fitted["coef"] * np.nan),
        changed(state, *first, intercept=float("nan")), changed(state, *first, aliased=np.array([0, 0])),
        changed(state, *first, surplus=1), changed(state, "fitted", surplus=1), changed(state, surplus=1),
        changed(state, *first, "inference", covariance=np.zeros((2, 2))),
        changed(state, "parameters", errors="HC7"), changed(state, "parameters", alpha=-1.0),
        changed(state, *design, terms=["Age^2", "Height^2"]), changed(state, *design, terms=["Age^2", "Age^2"]),
        changed(state, *design, levels=[]), changed(state, "fitted", targets=[fitted, fitted]),
    ]  # fmt: skip
    for other in wrong:
        with pytest.raises(BadFile):
            mercer.LinearRegression.from_state(Reader(other))


def test_parameters_come_back_on_load() -> None:
    options: dict[str, Any] = {
        "method": "gradient", "alpha": 0.5, "fit_intercept": False, "terms": ["Age^2"], "baseline": "common",
        "errors": "HC1", "tol": 1e-8, "kinds": {"Education": "numeric"},
    }  # fmt: skip
    model = mercer.LinearRegression(**options).fit(*crime())
    again = mercer.LinearRegression.from_state(Reader(model.to_state()))
    assert again.get_params() == model.get_params()
    assert (again.n_iter_, again.n_rows_) == (model.n_iter_, model.n_rows_)
    assert not hasattr(again.set_params(method="qr").fit(*crime()), "n_iter_")  # an earlier fit leaves nothing behind


def test_a_blank_model_has_seen_no_row() -> None:
    blank = mercer.LinearRegression().fit(*crime()).blank()
    assert blank.n_rows_ == 0 and not blank.predict(crime()[0]).any()
    assert np.isnan(blank.summary()["R^2"])
    assert mercer.LinearRegression.from_state(Reader(blank.to_state())).n_rows_ == 0


@pytest.mark.parametrize("alpha", [0.0, 2.5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_residuals_need_no_further_fit(alpha: float, weighted: bool, fit_intercept: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)) * [1.0, 10.0, 0.1]
    y = X @ [1.0, -0.2, 3.0] + rng.normal(size=25)
    weight = rng.uniform(0.5, 2.0, 25) if weighted else None
    model = mercer.LinearRegression(alpha=alpha, fit_intercept=fit_intercept)
    found = model.fit(X, y, weight).diagnostics(X, y, weight)
    brute = np.empty(25)
    for i in range(25):
        rest = np.arange(25) != i
        model.fit(X[rest], y[rest], None if weight is None else weight[rest])
        brute[i] = y[i] - model.predict(X[i : i + 1])[0]
    np.testing.assert_allclose(found.left_out, brute, rtol=1e-8)
    assert found.press == pytest.approx((brute**2).sum())


def test_a_row_of_leverage_one_has_no_leave_one_out_residual() -> None:
    X = np.column_stack([np.r_[np.zeros(9), 1.0], np.arange(10.0)])
    found = mercer.LinearRegression().fit(X, np.arange(10.0) ** 2).diagnostics(X, np.arange(10.0) ** 2)
    assert np.isnan(found.left_out[-1])
    assert np.isfinite(found.left_out[:-1]).all()
    assert np.isfinite(found.press)

"""Locally weighted regression: weighted least squares by statsmodels, lowess, closed forms, mixed tables, bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from statsmodels.nonparametric.smoothers_lowess import lowess
from tests.states import changed

import mercer
from mercer.distances import KernelDistance, Minkowski
from mercer.errors import BadFile, MercerError
from mercer.kernels import RBF
from mercer.solvers.local_linear import local_planes
from mercer.state import Reader

RNG = np.random.default_rng(2)
X = RNG.uniform(size=(150, 3))
Y = np.sin(5 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=150)
FRESH = RNG.uniform(size=(12, 3))


def tricube(u):
    return np.where(u < 1, (1 - np.minimum(u, 1) ** 3) ** 3, 0.0)


def test_weighted_least_squares_of_statsmodels_around_every_query():
    model = mercer.LocallyWeightedRegression(40, ridge=0.0, metric="euclidean").fit(X, Y)
    for query, ours, fit in zip(FRESH, model.predict(FRESH), model.explain(FRESH), strict=True):
        d = np.sqrt(((X - query) ** 2).sum(axis=1))
        weight = tricube(d / np.sort(d)[39])
        theirs = sm.WLS(Y, sm.add_constant(X), weights=weight).fit()
        assert ours == pytest.approx(theirs.predict(np.r_[1, query])[0], rel=1e-9)
        assert_allclose(fit.slopes, theirs.params[1:], rtol=1e-8)
        assert fit.columns == ("x0", "x1", "x2")
        assert fit.prediction == ours
        assert_allclose(fit.weights, weight[fit.rows] / weight.sum(), atol=1e-12)
        assert_allclose(fit.targets, Y[fit.rows])


def test_lowess_of_statsmodels():
    x = np.sort(RNG.uniform(0, 6, 80))
    y = np.sin(x) + 0.2 * RNG.normal(size=80)
    theirs = lowess(y, x, frac=0.25, it=0, delta=0.0, return_sorted=False)
    ours = mercer.LocallyWeightedRegression(20, ridge=0.0).fit(x[:, None], y).predict(x[:, None])
    assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize(("kernel", "formula"), [
    ("tricube", tricube), ("epanechnikov", lambda u: np.maximum(1 - u**2, 0)),
    ("gaussian", lambda u: np.exp(-(u**2) / 2)),
    ("uniform", lambda u: (u <= 1) * 1.0),
])  # fmt: skip
def test_a_local_mean_by_its_formula(kernel, formula):
    model = mercer.LocallyWeightedRegression(bandwidth=0.4, kernel=kernel, degree=0, metric="euclidean").fit(X, Y)
    weight = formula(np.sqrt(((FRESH[:, None] - X[None]) ** 2).sum(axis=2)) / 0.4)
    assert_allclose(model.predict(FRESH), (weight @ Y) / weight.sum(axis=1), rtol=1e-10)


def test_ridge_by_its_equations():
    model = mercer.LocallyWeightedRegression(bandwidth=0.6, ridge=0.3, metric="euclidean").fit(X, Y)
    unit = X.std(axis=0)
    for query, ours in zip(FRESH, model.predict(FRESH), strict=True):
        w = tricube(np.sqrt(((X - query) ** 2).sum(axis=1)) / 0.6)
        z = np.column_stack([np.ones(150), (X - query) / unit])
        mean = np.average(z, axis=0, weights=w)
        penalty = np.diag([0.0, 0.3, 0.3, 0.3]) * (w @ (z - mean) ** 2).sum() / 3
        assert ours == pytest.approx(np.linalg.solve(z.T @ (w[:, None] * z) + penalty, z.T @ (w * Y))[0])


def test_all_rows_with_equal_weight_are_linear_regression():
    ours = mercer.LocallyWeightedRegression(150, kernel="uniform", ridge=0.0).fit(X, Y)
    assert_allclose(ours.predict(FRESH), mercer.LinearRegression().fit(X, Y).predict(FRESH), rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["tricube", "epanechnikov", "gaussian", "uniform"]), st.integers(8, 40))
def test_a_plane_is_found_exactly(seed, kernel, k):
    rng = np.random.default_rng(seed)
    x, b = rng.normal(size=(40, 3)), rng.normal(size=3)
    model = mercer.LocallyWeightedRegression(k, kernel=kernel, ridge=0.0).fit(x, 5 + x @ b)
    fresh = rng.normal(size=(5, 3))
    assert_allclose(model.predict(fresh), 5 + fresh @ b, rtol=1e-6, atol=1e-6)


@given(st.integers(0, 1000), st.integers(2, 9), st.integers(1, 9))
def test_the_dual_and_the_primal_agree(seed, k, m):
    rng = np.random.default_rng(seed)
    z, y, w, at = (rng.random(s) for s in ((2, k, m), (2, k), (2, k), (2, m)))
    value, slope = local_planes(z, y, w, at, 0.1)
    for i in range(2):
        share = w[i] / w[i].sum()
        plain = np.column_stack([np.ones(k), z[i] - at[i]])
        spread = (share @ (z[i] - share @ z[i]) ** 2).mean()
        inner = plain.T @ (share[:, None] * plain) + 0.1 * spread * np.diag([0.0, *np.ones(m)])
        found = np.linalg.solve(inner, plain.T @ (share * y[i]))
        assert_allclose([value[i], *slope[i]], found, rtol=1e-7, atol=1e-9)


def test_k_is_chosen_by_leaving_one_out():
    x, y = X[:60], Y[:60]
    model = mercer.LocallyWeightedRegression("cv").fit(x, y)
    curve = model.curve_.scores["tricube"]
    assert model.n_neighbors_ == model.curve_.k[np.argmin(curve)]
    for k, error in zip(model.curve_.k[[0, 4]], curve[[0, 4]], strict=True):
        left = []
        for i in range(60):
            one = mercer.LocallyWeightedRegression(int(k)).fit(x, y)
            rest = np.arange(60) != i  # the same units and ranges, one row less
            one.rows_.cells, one.z_, one.target_ = one.rows_.cells.take(rest), one.z_[rest], one.target_[rest]
            left.append(one.predict(x[[i]])[0] - y[i])
        assert np.mean(np.square(left)) == pytest.approx(error)


def people():
    frame = pd.DataFrame({"age": RNG.normal(40, 9, 80), "job": RNG.choice(["cook", "clerk", "smith"], 80)})
    pay = 100 + 2 * frame["age"] + 30 * (frame["job"] == "smith")
    frame.loc[::10, "age"] = np.nan
    frame.loc[::13, "job"] = None
    return frame, pay.to_numpy()


def test_mixed_tables_with_gaps_weights_and_a_file():
    frame, pay = people()
    model = mercer.LocallyWeightedRegression(50, kernel="gaussian").fit(frame, pay, sample_weight=np.arange(80) % 3)
    assert model.score(frame, pay) > 0.7
    fit = model.explain(pd.DataFrame({"age": [40.0], "job": ["smith"]}))[0]
    assert fit.weights.sum() == pytest.approx(1)
    assert not set(fit.rows) & set(range(0, 80, 3))
    slopes = dict(zip(fit.columns, fit.slopes, strict=True))
    assert 1.5 < slopes["age"] < 2.5
    again = mercer.LocallyWeightedRegression.from_state(Reader(model.to_state()))
    assert again.predict(frame).tobytes() == model.predict(frame).tobytes()
    assert (again.n_neighbors, again.kernel, again.ridge) == (50, "gaussian", 0.1)
    fixed = mercer.LocallyWeightedRegression(bandwidth=0.3, degree=0).fit(frame, pay)
    again = mercer.LocallyWeightedRegression.from_state(Reader(fixed.to_state()))
    assert again.predict(frame).tobytes() == fixed.predict(frame).tobytes()


def test_a_level_never_seen_is_answered_without_a_notice():
    frame, pay = people()
    model = mercer.LocallyWeightedRegression(30).fit(frame, pay)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict(pd.DataFrame({"age": [40.0], "job": ["astronaut"]}))
    assert pay.min() < found[0] < pay.max()


def test_the_plane_takes_the_columns_that_tell_most():
    few = mercer.LocallyWeightedRegression(60, terms=1, ridge=0.0).fit(X, Y)
    fit = few.explain(FRESH[:1])[0]
    told = max(range(3), key=lambda j: abs(np.corrcoef(X[:, j], Y)[0, 1]))
    assert fit.columns == (f"x{told}",)
    design = sm.add_constant(X[fit.rows, told])
    theirs = sm.WLS(fit.targets, design, weights=fit.weights).fit()
    assert fit.prediction == pytest.approx(theirs.predict([1, FRESH[0, told]])[0])
    assert fit.slopes == pytest.approx(theirs.params[1:])


def test_a_kernel_as_a_distance():
    model = mercer.LocallyWeightedRegression(40, metric=KernelDistance(RBF(0.5))).fit(X, Y)
    assert model.score(X, Y) > 0.9
    with pytest.raises(MercerError, match="can be stored"):
        model.to_state()


def test_queries_that_nothing_is_near_and_rows_all_alike():
    lonely = mercer.LocallyWeightedRegression(bandwidth=0.1, metric="euclidean").fit([[0.0], [1.0], [1.0]], [5.0, 1, 3])
    assert_allclose(lonely.predict([[9.0], [-3.0], [0.0]]), [2, 5, 5])
    alike = mercer.LocallyWeightedRegression(3).fit(np.ones((4, 2)), [1.0, 2, 3, 10])
    assert_allclose(alike.predict([[1.0, 1.0], [7.0, 7.0]]), [2, 2])
    one = mercer.LocallyWeightedRegression().fit([[1.0]], [4.0])
    assert one.predict([[2.0]]).tolist() == [4.0]
    assert mercer.LocallyWeightedRegression("cv").fit([[1.0], [2.0]], [4.0, 4.0]).predict([[2.0]]).tolist() == [4.0]
    constant = mercer.LocallyWeightedRegression(20).fit(X, np.full(150, 7.0))
    assert_allclose(constant.predict(FRESH), 7)


@pytest.mark.parametrize(("options", "what"), [
    ({"n_neighbors": 0}, "'n_neighbors' .* Got 0"), ({"n_neighbors": 2.5}, r"'n_neighbors' .* Got 2\.5"),
    ({"bandwidth": 0}, "'bandwidth' .* Got 0"), ({"bandwidth": np.inf}, "'bandwidth' .* Got inf"),
    ({"kernel": "cosine"}, "'kernel' .* Got 'cosine'"), ({"degree": 2}, "'degree' .* Got 2"),
    ({"ridge": -1}, "'ridge' .* Got -1"), ({"ridge": np.nan}, "'ridge' .* Got nan"), ({"terms": 0}, "'terms' .* Got 0"),
    ({"metric": Minkowski(0)}, "'p' parameter of Minkowski"),
    ({"metric": "precomputed"}, "a plane needs columns"),
    ({"metric": "euclidian"}, "Did you mean 'euclidean'"),
])  # fmt: skip
def test_options_that_make_no_sense_are_refused(options, what):
    with pytest.raises(MercerError, match=what):
        mercer.LocallyWeightedRegression(**options).fit(X, Y)


def test_more_neighbours_than_rows():
    with pytest.raises(MercerError, match="at most the 5 training rows"):
        mercer.LocallyWeightedRegression(6).fit(X[:5], Y[:5]).predict(X)


def test_a_damaged_file_is_refused():
    frame, pay = people()
    state = mercer.LocallyWeightedRegression(9).fit(frame, pay).to_state()
    fitted = state["fitted"]
    rows, columns = fitted["rows"], fitted["columns"]
    for path, value in (
        ("fitted.z", fitted["z"][:, 1:]), ("fitted.target", fitted["target"][1:]), ("fitted.n_neighbors", 0),
        ("fitted.columns.unit", columns["unit"] * 0), ("fitted.columns.taken", columns["taken"] + 9),
        ("fitted.rows.codes", rows["codes"] + 9),
        ("parameters.kernel", "import"), ("parameters.bandwidth", 0.0), ("parameters.degree", 3),
    ):  # fmt: skip
        with pytest.raises(BadFile):
            mercer.LocallyWeightedRegression.from_state(Reader(changed(state, path, value)))


@pytest.mark.parametrize("factor", [1e150, 1e155, 1e300])
def test_columns_whose_squares_overflow_give_the_answers_of_small_ones(factor):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2)).clip(-4, 4)
    y = x[:, 0] ** 2 + x[:, 1]
    small, large = mercer.LocallyWeightedRegression().fit(x, y), mercer.LocallyWeightedRegression().fit(x * factor, y)
    np.testing.assert_allclose(large.predict(x * factor), small.predict(x), rtol=1e-6)


def test_a_query_where_the_plane_overflows_is_refused():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    model = mercer.LocallyWeightedRegression().fit(x, 1e3 * x[:, 0])
    with pytest.raises(MercerError, match="Row 2 lies so far from the training rows"):
        model.predict([[0.0, 0.0], [1e308, 1e308]])
    local_mean = mercer.LocallyWeightedRegression(degree=0).fit(x, 1e3 * x[:, 0])
    assert np.isfinite(local_mean.predict([[1e308, 1e308]])).all()


@pytest.mark.parametrize("ridge", [1e-300, 1e-16, 1e-11])
def test_a_ridge_of_almost_nothing_gives_what_none_gives(ridge):
    rows = np.column_stack([X, X[:, 0]])  # two columns alike: without a ridge the equations are singular
    plain, tiny = (mercer.LocallyWeightedRegression(20, ridge=r).fit(rows, Y) for r in (0.0, ridge))
    fresh = np.column_stack([FRESH, FRESH[:, 0]])
    assert_allclose(tiny.predict(fresh), plain.predict(fresh), rtol=1e-6)
    few = [mercer.LocallyWeightedRegression(2, ridge=r).fit(rows, Y).predict(fresh) for r in (0.0, ridge)]
    assert_allclose(few[1], few[0], rtol=1e-6)


def test_singular_values_and_equations_agree():
    wide, narrow = (
        mercer.LocallyWeightedRegression(20, ridge=r).fit(X, Y).predict(FRESH) for r in (0.99e-10, 1.01e-10)
    )
    assert_allclose(wide, narrow, rtol=1e-5)

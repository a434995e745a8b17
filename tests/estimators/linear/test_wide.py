"""Many columns: sparse stays sparse, columns times columns are never formed, answers are scikit-learn's."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model

import mercer
from mercer.errors import BadTable, MercerError, MercerWarning
from mercer.estimators.linear.logistic import wide as wide_logistic
from mercer.solvers.linear import working_set
from mercer.solvers.linear.moments import means_variances
from mercer.state import Reader

_LIMIT = 4 << 30  # bytes of address space: 60,000 squared doubles are 29 GB


def _rows(n: int = 300, p: int = 2000, n_classes: int = 2, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    random = np.random.default_rng(seed)
    x = sp.csr_array(abs(sp.random(n, p, density=0.02, format="csr", random_state=seed)))
    scores = x @ random.normal(size=(p, n_classes)) + random.gumbel(size=(n, n_classes))
    return x, scores.argmax(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_wide_logistic_is_scikit_learns(n_classes: int, fit_intercept: bool, weighted: bool) -> None:
    x, y = _rows(n_classes=n_classes)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    options = {"C": 0.7, "fit_intercept": fit_intercept}
    ours = mercer.LogisticRegression(**options, tol=1e-9, max_iter=1000).fit(x, y, weight)
    theirs = linear_model.LogisticRegression(**options, tol=1e-9, max_iter=10_000).fit(x, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=2e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_wide_lasso_is_scikit_learns(n_classes: int, fit_intercept: bool) -> None:
    x, y = _rows(n=100, n_classes=n_classes)
    options = {"C": 2.0, "l1_ratio": 1.0, "solver": "saga", "fit_intercept": fit_intercept}
    ours = mercer.LogisticRegression(**options, tol=1e-8).fit(x, y)
    theirs = linear_model.LogisticRegression(**options, tol=1e-7, max_iter=100_000, random_state=0).fit(x, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    assert (ours.coef_ == 0).mean() > 0.5


@pytest.mark.parametrize("most", [1500, 100], ids=["working set", "sweeps over columns"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("held", ["sparse", "dense", "sparse but full"])
@pytest.mark.parametrize("weighted", [True, False])
def test_derivatives_of_a_wide_lasso_balance_it(
    n_classes: int, held: str, weighted: bool, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working_set, "_MOST", most)  # coefficients of a working set
    x, y = _rows(n=100, n_classes=n_classes)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else np.ones(len(y))
    full = x.toarray() + 5.0  # far from 0, the intercept and the columns pull together
    rows = {"sparse": x, "dense": full, "sparse but full": sp.csr_array(full)}[held]
    model = mercer.LogisticRegression(l1_ratio=0.8, solver="saga", tol=1e-9).fit(rows, y, weight)
    error = (model.predict_proba(rows) - (y[:, None] == model.classes_)) * weight[:, None]
    error = error[:, 1:] if n_classes == 2 else error
    slope = (rows.T @ error).T + 0.2 * model.coef_
    zero = model.coef_ == 0
    np.testing.assert_allclose(error.sum(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(slope[~zero], -0.8 * np.sign(model.coef_[~zero]), atol=1e-5)
    assert zero.any() and (np.abs(slope[zero]) < 0.8 + 1e-5).all()


def test_dense_and_sparse_rows_give_one_model() -> None:
    x, y = _rows()
    sparse = mercer.LogisticRegression(tol=1e-8).fit(x, y)
    dense = mercer.LogisticRegression(tol=1e-8).fit(x.toarray(), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)


def test_both_ways_to_fit_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = _rows(p=60)
    narrow = mercer.LogisticRegression(tol=1e-9).fit(x, y)
    monkeypatch.setattr(wide_logistic, "MAX_COEFFICIENTS", 10)
    wide = mercer.LogisticRegression(tol=1e-9).fit(x, y)
    assert narrow.fit_.covariance is not None and wide.fit_.covariance is None
    np.testing.assert_allclose(wide.coef_, narrow.coef_, atol=1e-5)
    np.testing.assert_allclose(wide.fit_.log_likelihood, narrow.fit_.log_likelihood, rtol=1e-6)


def test_summary_says_that_standard_errors_were_not_computed() -> None:
    x, y = _rows()
    text = str(mercer.LogisticRegression().fit(x, y).summary())
    assert "No standard errors: 2,001 coefficients" in text


def test_separated_classes_without_a_penalty() -> None:
    x, y = _rows(n=50)
    with pytest.warns(MercerWarning, match="separated"):
        model = mercer.LogisticRegression(C=np.inf).fit(x, y)
    assert (model.predict(x) == y).all() and np.isfinite(model.coef_).all()


def test_means_and_variances_of_stored_cells() -> None:
    x, _ = _rows()
    x.data += 1e6  # digits that a difference of sums of squares would lose
    weight = np.random.default_rng(0).uniform(size=300)
    for w in (None, weight):
        for found, dense in zip(means_variances(x, w), means_variances(x.toarray(), w), strict=True):
            np.testing.assert_allclose(found, dense, rtol=1e-12)
    mean, variance = means_variances(x, weight)
    expected = np.average(x.toarray(), axis=0, weights=weight)
    np.testing.assert_allclose(mean, expected)
    np.testing.assert_allclose(variance, np.average((x.toarray() - expected) ** 2, axis=0, weights=weight))


_LEARNERS = ["LogisticRegression", "LinearSVC", "LinearSVR", "NaiveBayes"]


@pytest.mark.parametrize("learner", _LEARNERS)
def test_memory_does_not_grow_with_the_square_of_columns(learner: str) -> None:
    script = f"""
import numpy as np, scipy.sparse as sp, mercer, warnings
warnings.simplefilter("ignore")
x = abs(sp.random(60, 60_000, density=0.002, format="csr", random_state=0))
y = np.arange(60) % 2
model = mercer.{learner}().fit(x, y)
assert len(model.predict(x)) == 60
"""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({_LIMIT}, {_LIMIT}))\n"
    subprocess.run([sys.executable, "-c", limit + script], check=True)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_lsqr_is_scikit_learns(fit_intercept: bool, weighted: bool, alpha: float) -> None:
    x, classes = _rows(n=200, p=400)
    y = np.column_stack([classes + np.sin(np.arange(200)), np.cos(np.arange(200))])
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y)) if weighted else None
    options = {"fit_intercept": fit_intercept, "tol": 1e-12}
    ours = mercer.LinearRegression(method="lsqr", alpha=alpha, **options).fit(x, y, weight)
    kind = (
        linear_model.Ridge(alpha=alpha, solver="lsqr", **options) if alpha else linear_model.LinearRegression(**options)
    )
    theirs = kind.fit(x, y, weight)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    dense = mercer.LinearRegression(method="lsqr", alpha=alpha, **options).fit(x.toarray(), y, weight)
    np.testing.assert_allclose(dense.coef_, ours.coef_, atol=1e-7)


def test_linear_regression_of_2_to_the_20_columns() -> None:
    script = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np, scipy.sparse as sp, mercer
from mercer.state import Reader
random = np.random.default_rng(0)
cells = random.normal(size=200_000), (np.arange(200_000) % 2000, random.integers(0, 1 << 20, 200_000))
x = sp.csr_array(cells, shape=(2000, 1 << 20))
y = random.normal(size=2000)
model = mercer.LinearRegression().fit(x, y)
assert model.score(x, y) > 0.999 and model.coef_.shape == (1 << 20,) and not hasattr(model, "rank_")
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)


def test_a_wide_fit_says_what_it_has_not() -> None:
    x, y = _rows(p=300)
    model = mercer.LinearRegression(method="lsqr").fit(x, y)
    for name, given in {
        "summary": (),
        "partial_fit": (x, y),
        "blank": (),
        "explain": (x,),
        "diagnostics": (x, y),
    }.items():
        with pytest.raises(MercerError, match=rf"{name} needs the products.*LSQR"):
            getattr(model, name)(*given)
    again = mercer.LinearRegression.from_state(Reader(model.to_state()))
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    assert (again.n_iter_, again.n_rows_) == (model.n_iter_, model.n_rows_)
    for wrong in ({"errors": "HC3"}, {"outliers": 3.0}, {"positive": True}):
        with pytest.raises(MercerError):
            mercer.LinearRegression(method="lsqr", **wrong).fit(x, y)
    with pytest.raises(BadTable, match="method='auto' or 'lsqr'"):
        mercer.LinearRegression(method="qr").fit(sp.csr_array((10, 30_000)), np.arange(10.0))

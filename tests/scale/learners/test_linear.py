"""Linear and logistic regression in chunks: coefficients, standard errors and summaries of all rows at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import ROWS, cut, people

import mercer
from mercer.errors import BadTable, BadTarget, MercerError
from mercer.scale.learners import logistic
from mercer.scale.learners.design import split_matrix
from mercer.scale.ranks import order_statistics
from mercer.solvers.linear import lbfgs
from mercer.table.read import conform_table

AMOUNTS = people(400, seed=1).drop(columns="y").assign(
    y=lambda r: 3 * r.age + 10 * (r.job == "nurse") + np.random.default_rng(2).normal(size=len(r))
)  # fmt: skip
LINEAR = [
    mercer.LinearRegression(),
    mercer.LinearRegression(errors="HC1", baseline="common"),
    mercer.LinearRegression(errors="HC3", terms=["age^2", "age*job"]),
    mercer.LinearRegression(alpha=2.0),
    mercer.LinearRegression(method="qr", fit_intercept=False),
    mercer.LinearRegression(positive=True),
]
LOGISTIC = [
    mercer.LogisticRegression(),
    mercer.LogisticRegression(C=np.inf, class_weight="balanced"),
    mercer.LogisticRegression(C=0.05, l1_ratio=1.0, solver="saga", tol=1e-8),
]


def expect_same_fit(mine, theirs, tolerance):
    """Terms, coefficients, and every figure of the summary."""
    assert mine.term_names_ == theirs.term_names_
    assert mine.filled_ == theirs.filled_
    np.testing.assert_allclose(mine.coef_, theirs.coef_, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(mine.intercept_, theirs.intercept_, rtol=tolerance, atol=tolerance)
    a, b = mine.summary(), theirs.summary()
    assert a.title == b.title and a.notes == b.notes
    for key, figure in b.figures.items():
        assert a.figures[key] == pytest.approx(figure, rel=100 * tolerance, nan_ok=True), key
    for name, table in b.tables.items():
        np.testing.assert_allclose(a.tables[name].error, table.error, rtol=100 * tolerance)
    assert a.residuals == pytest.approx(b.residuals, rel=1e3 * tolerance, abs=1e3 * tolerance)


@settings(max_examples=8, deadline=None)
@given(cuts=st.lists(st.integers(0, len(AMOUNTS)), max_size=5), model=st.sampled_from(LINEAR))
def test_linear_regression_in_chunks_is_that_of_all_rows(cuts, model):
    whole = clone(model).fit(AMOUNTS.drop(columns="y"), AMOUNTS.y)
    expect_same_fit(mercer.scale.fit(clone(model), cut(AMOUNTS, cuts), "y"), whole, 1e-9)


def with_towns(rows):
    """With columns of many levels, which are kept as codes: some are missing, in one nearly all are alike."""
    rng, n = np.random.default_rng(5), len(rows)
    town = rng.choice([*(f"town {k}" for k in range(12)), None], n)
    street = np.where(rng.random(n) < 0.9, "street 0", [f"street {k}" for k in rng.integers(0, 15, n)])
    return rows.assign(town=town, street=street)


@pytest.mark.parametrize("model", [LINEAR[0], LINEAR[1], *LINEAR[3:]])
def test_linear_regression_on_many_levels(model):
    rows = with_towns(AMOUNTS)
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    found = mercer.scale.fit(clone(model), cut(rows, [100, 101, 333]), "y")
    expect_same_fit(found, whole, 1e-9)


@pytest.mark.parametrize("model", LOGISTIC)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_regression_on_many_levels(model, n_classes):
    rows = with_towns(ROWS)
    rows = rows.assign(
        y=np.digitize(rows.age + 20 * np.random.default_rng(9).normal(size=len(rows)), [30, 50][: n_classes - 1])
    )
    model = clone(model).set_params(tol=1e-8)
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    expect_same_fit(mercer.scale.fit(clone(model), cut(rows, [100, 101, 333]), "y"), whole, 1e-6)


def test_the_matrix_with_codes_is_the_design_matrix():
    rows = with_towns(AMOUNTS).drop(columns="y")
    design = mercer.LinearRegression().fit(rows, AMOUNTS.y).design_
    table = conform_table(rows.tail(50), design.schema)
    np.testing.assert_array_equal(np.asarray(split_matrix(design, table)), design.matrix(table, 1000))
    unseen = conform_table(rows.tail(50).assign(town="a new one"), design.schema)
    assert split_matrix(design, unseen) is None


def test_columns_that_are_nearly_combinations_are_triangulated():
    rng = np.random.default_rng(0)
    rows = AMOUNTS[["age", "y"]].assign(twin=lambda r: r.age + 1e-5 * rng.normal(size=len(r)))
    whole = mercer.LinearRegression().fit(rows.drop(columns="y"), rows.y)
    found = mercer.scale.fit(mercer.LinearRegression(), cut(rows, [100, 250]), "y")
    np.testing.assert_allclose(found.coef_, whole.coef_, rtol=1e-6)


@settings(max_examples=5, deadline=None)
@given(cuts=st.lists(st.integers(0, len(ROWS)), max_size=5), model=st.sampled_from(LOGISTIC))
def test_logistic_regression_in_chunks_is_that_of_all_rows(cuts, model):
    whole = clone(model).fit(ROWS.drop(columns="y"), ROWS.y)
    found = mercer.scale.fit(clone(model), cut(ROWS, cuts), "y")
    expect_same_fit(found, whole, 1e-6)
    assert found.fit_.log_likelihood == pytest.approx(whole.fit_.log_likelihood, rel=1e-9)


@pytest.mark.parametrize("model", [*LOGISTIC[:2], mercer.LogisticRegression(C=0.05)])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_start_from_a_sample_of_the_rows(model, n_classes, monkeypatch):
    rows, rng = people(3000, seed=6), np.random.default_rng(7)
    noisy = rows.age.rank(pct=True) + 0.1 * rng.normal(size=len(rows))
    rows = rows.assign(y=np.digitize(noisy, [0.3, 0.7][: n_classes - 1]))
    model = clone(model).set_params(tol=1e-8)
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    passes = []
    own = logistic.ChunkedLogit._pass
    monkeypatch.setattr(logistic.ChunkedLogit, "_pass", lambda *a, **k: passes.append(1) or own(*a, **k))
    mercer.scale.fit(clone(model), cut(rows, [700]), "y")
    plain = len(passes)
    monkeypatch.setattr(logistic, "_LEAST", 100)
    monkeypatch.setattr(logistic, "_A_TERM", 1)
    begun = [mercer.scale.fit(clone(model), cut(rows, cuts), "y") for cuts in ([700], [10, 20, 2500])]
    assert len(passes) - plain < 2 * plain  # of two fits
    for found in begun:
        expect_same_fit(found, whole, 1e-6)
    np.testing.assert_allclose(begun[0].coef_, begun[1].coef_, rtol=1e-8, atol=1e-10)  # the same sample
    assert begun[0].n_iter_ == begun[1].n_iter_


@pytest.mark.parametrize("balanced", [None, "balanced"])
def test_where_second_derivatives_cost_more_than_reading(balanced, monkeypatch):
    rows, rng = people(3000, seed=6), np.random.default_rng(7)
    noisy = rows.age.rank(pct=True) + 0.1 * rng.normal(size=len(rows))
    rows = rows.assign(y=np.digitize(noisy, [0.3, 0.7]))
    model = mercer.LogisticRegression(class_weight=balanced)
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    monkeypatch.setattr(logistic, "_READING", 0)
    monkeypatch.setattr(lbfgs, "_SAMPLE_WORK", 1000 * 9 * 9**2)
    begun = [mercer.scale.fit(clone(model), cut(rows, cuts), "y") for cuts in ([700], [10, 20, 2500])]
    penalties = [0.5 * (found.coef_**2).sum() - found.fit_.log_likelihood for found in (whole, *begun)]
    assert penalties[1:] == pytest.approx([penalties[0]] * 2, rel=1e-6)
    np.testing.assert_allclose(begun[0].coef_, begun[1].coef_, rtol=1e-8, atol=1e-10)  # the same sample
    lasso = mercer.LogisticRegression(C=0.05, l1_ratio=1.0, solver="saga", tol=1e-8)
    found = mercer.scale.fit(clone(lasso), cut(rows, [700]), "y")  # by Newton's method all the same
    whole = clone(lasso).fit(rows.drop(columns="y"), rows.y)
    np.testing.assert_allclose(found.coef_, whole.coef_, atol=1e-6)


def test_several_classes_and_words():
    rng = np.random.default_rng(3)
    words = np.array(["good food", "bad wine", "no stay at all", "fine food and wine"])
    notes = [f"{a} {b} {k}" for k, (a, b) in enumerate(rng.choice(words, (len(ROWS), 2)))]
    rows = ROWS.assign(y=rng.integers(0, 3, len(ROWS)), note=notes)
    whole = mercer.LogisticRegression(tol=1e-8).fit(rows.drop(columns="y"), rows.y)
    found = mercer.scale.fit(mercer.LogisticRegression(tol=1e-8), cut(rows, [50, 300]), "y")
    assert any(name.startswith("note:") for name in found.term_names_)
    expect_same_fit(found, whole, 1e-7)


def test_what_needs_all_rows_is_refused():
    for model in (mercer.LinearRegression(outliers=3.0), mercer.LinearRegression(method="gradient")):
        with pytest.raises(MercerError, match="needs all rows at once"):
            mercer.scale.fit(model, [AMOUNTS], "y")
    with pytest.raises(MercerError, match="scale=True needs quartiles"):
        mercer.scale.fit(mercer.LogisticRegression(scale=True), [ROWS], "y")
    with pytest.raises(BadTarget, match="a single class"):
        mercer.scale.fit(mercer.LogisticRegression(), [ROWS.assign(y="one")], "y")
    many = ROWS.assign(job=np.arange(len(ROWS)) % 80, y=np.arange(len(ROWS)) % 90)
    with pytest.raises(BadTable, match="coefficients, more than"):
        mercer.scale.fit(mercer.LogisticRegression(kinds={"job": "category"}), [many], "y")


class PlainRows:
    """Numbers in place of tables, for the ranks."""

    def __init__(self, chunks):
        self.chunks = chunks

    def merge(self, count):
        states = [count(chunk) for chunk in self.chunks]
        while len(states) > 1:
            states[:2] = [states[0].merge(states[1])]
        return states[0]


NUMBERS = st.one_of(st.floats(allow_infinity=False), st.sampled_from([0.0, -0.0, 1.0]))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(NUMBERS), min_size=1), st.integers(1, 30))
def test_ranks_are_those_of_sorted_values(chunks, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mercer.scale.ranks._FEW", few)
        arrays = [np.array(chunk)[:, None].reshape(-1, 1) for chunk in chunks]
        values = np.sort(np.concatenate(arrays)[:, 0])
        values = values[~np.isnan(values)]
        ranks = list(range(0, len(values), 3))
        found = order_statistics(PlainRows(arrays), np.asarray, {0: ranks})
    np.testing.assert_array_equal(found[0], values[ranks])

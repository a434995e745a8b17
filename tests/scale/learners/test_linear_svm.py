"""Linear support vector machines in chunks: the objective of all rows at once."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import ROWS, cut, expect_same, people

import mercer
from mercer.errors import BadTable, BadTarget, MercerError
from mercer.scale.learners import linear_svm

AMOUNTS = people(400, seed=1).drop(columns="y").assign(
    y=lambda r: 3 * r.age + 10 * r.pay.isna() + np.random.default_rng(2).normal(size=len(r))
)  # fmt: skip
MODELS = [
    mercer.LinearSVC(),
    mercer.LinearSVC(loss="hinge", C=0.3, class_weight="balanced"),
    mercer.LinearSVC(C=10, fit_intercept=False, missing_indicator=True),
    mercer.LinearSVC(loss="hinge", intercept_scaling=5.0, class_weight={"no": 0.2, "yes": 3}, missing_indicator=False),
    mercer.LinearSVR(),
    mercer.LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.5, C=0.2),
    mercer.LinearSVR(epsilon=2.0, C=3.0, missing_indicator=True),
]


def objective(model, rows):
    """1/2 (|w|^2 + (b / s)^2) + C sum_i weight_i loss_i^p, summed over the planes."""
    encoded = model.encoder_.matrix(model._predict_table(rows.drop(columns="y")))
    coef, offset = np.atleast_2d(model.coef_), np.broadcast_to(model.intercept_, len(np.atleast_2d(model.coef_)))
    decisions, y, weight = encoded @ coef.T + offset, rows.y.to_numpy(), np.ones(len(rows))
    if isinstance(model, mercer.LinearSVR):
        errors = np.maximum(np.abs(y[:, None] - decisions) - model.epsilon, 0)
    else:
        labels = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
        errors = np.maximum(1 - np.where(y[:, None] == labels, 1, -1) * decisions, 0)
        shares = {c: len(y) / (len(model.classes_) * (y == c).sum()) for c in model.classes_}
        factors = shares if model.class_weight == "balanced" else model.class_weight or {}
        weight = np.array([factors.get(c, 1.0) for c in y])
    power = 2 if "squared" in model.loss else 1
    size = (coef**2).sum() + ((offset / model.intercept_scaling) ** 2).sum()
    return 0.5 * size + model.C * (weight @ errors**power).sum()


def expect_the_minimum(mine, rows):
    """Of a single fit, which may be as rough as its own gap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = clone(mine).set_params(tol=1e-7, max_iter=20_000).fit(rows.drop(columns="y"), rows.y)
    assert mine.missing_indicators_ == whole.missing_indicators_
    assert list(mine.encoder_.names) == list(whole.encoder_.names)
    np.testing.assert_allclose(mine.encoder_.numbers.fill, whole.encoder_.numbers.fill, rtol=1e-12)
    value, least = objective(mine, rows), objective(whole, rows)
    assert value <= least * (1 + 1e-6)
    assert value >= least - len(np.atleast_2d(mine.coef_)) * whole.duality_gap_ - 1e-9 * least


@settings(max_examples=20, deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=6), model=st.sampled_from(MODELS), order=st.integers(0, 9))
def test_a_linear_machine_in_chunks_has_the_objective_of_all_rows(cuts, model, order):
    rows = ROWS[:400] if isinstance(model, mercer.LinearSVC) else AMOUNTS
    rows = rows.iloc[np.random.default_rng(order).permutation(len(rows))]
    expect_the_minimum(mercer.scale.fit(clone(model), cut(rows, cuts), "y"), rows)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_several_classes_and_many_levels(loss, monkeypatch):
    rng = np.random.default_rng(3)
    shop = rng.integers(0, 90, len(ROWS))
    rows = ROWS.assign(shop=[f"shop {k}" for k in shop], y=(shop % 3 + rng.integers(0, 2, len(ROWS))) % 3)
    model = mercer.LinearSVC(loss=loss, C=0.5)
    found = mercer.scale.fit(clone(model), cut(rows, [50, 300]), "y")
    expect_the_minimum(found, rows)
    monkeypatch.setattr("mercer.scale.learners.planes._BYTES", 1)  # one problem after the other
    one_by_one = mercer.scale.fit(clone(model), cut(rows, [50, 300]), "y")
    np.testing.assert_allclose(one_by_one.decision_function(rows), found.decision_function(rows), atol=2e-3)


def test_rows_beyond_those_that_are_gathered(monkeypatch):
    rows = people(3000)
    monkeypatch.setattr("mercer.scale.learners.planes._GATHERED", 1200 * 12)
    for model in (mercer.LinearSVC(loss="hinge"), mercer.LinearSVC(loss="hinge", C=30)):
        expect_the_minimum(mercer.scale.fit(model, cut(rows, [700, 1500]), "y"), rows)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_solution_of_rows_drawn_is_where_all_rows_start(loss, monkeypatch):
    rows, sampled = people(3000), []
    monkeypatch.setattr("mercer.scale.learners.planes._LEAST", 100)
    monkeypatch.setattr("mercer.scale.learners.planes._AT_ONCE", 0)
    monkeypatch.setattr("mercer.scale.learners.planes._GATHERED", 300 * 12)
    solve = linear_svm.solve_sample
    monkeypatch.setattr(linear_svm, "solve_sample", lambda *given: sampled.append(solve(*given)) or sampled[-1])
    expect_the_minimum(mercer.scale.fit(mercer.LinearSVC(loss=loss), cut(rows, [700, 1500]), "y"), rows)
    assert sampled[0][0] is not None


def test_a_model_of_chunks_is_stored(tmp_path):
    model = mercer.scale.fit(mercer.LinearSVC(), cut(ROWS, [200]), "y")
    mercer.save(model, tmp_path / "model.mercer")
    expect_same(mercer.load(tmp_path / "model.mercer"), model, rtol=0)


@pytest.mark.parametrize(
    "model",
    [
        mercer.LinearSVC(C="cv"),
        mercer.LinearSVC(penalty="l1"),
        mercer.LinearSVC(multi_class="crammer_singer"),
        mercer.LinearSVC(warm_start=True),
    ],
)
def test_what_needs_all_rows_is_refused(model):
    with pytest.raises(MercerError, match="needs all rows at once"):
        mercer.scale.fit(model, [ROWS], "y")


def test_tables_that_cannot_be_fitted_are_refused(monkeypatch):
    with pytest.raises(BadTarget, match="greater than one"):
        mercer.scale.fit(mercer.LinearSVC(), [ROWS.assign(y="one")], "y")
    many = ROWS.assign(shop=[f"shop {k}" for k in range(len(ROWS))])
    monkeypatch.setattr("mercer.scale.learners.linear_svm.MOST_COLUMNS", 500)
    with pytest.raises(BadTable, match="encoded columns, more than the 500"):
        mercer.scale.fit(mercer.LinearSVC(kinds={"shop": "category"}), [many], "y")


def test_many_different_numbers_share_ranks(monkeypatch):
    whole = mercer.LinearSVR(loss="squared_epsilon_insensitive").fit(AMOUNTS.drop(columns="y"), AMOUNTS.y)
    monkeypatch.setattr("mercer.scale.learners.missing._MOST_NUMBERS", 60)
    found = [
        mercer.scale.fit(mercer.LinearSVR(loss="squared_epsilon_insensitive"), cut(AMOUNTS, cuts), "y")
        for cuts in ([], [7, 100, 250])
    ]
    assert [m.missing_indicators_ for m in found] == [whole.missing_indicators_] * 2
    assert whole.missing_indicators_.columns


@pytest.mark.parametrize("at_once", [0, 1 << 30])
@pytest.mark.parametrize(
    "model", [mercer.LinearSVC(loss="hinge"), mercer.LinearSVR(epsilon=1.0, intercept_scaling=3.0)]
)
def test_many_rows_gathered_or_not(model, at_once, monkeypatch):
    rows = people(4500, seed=4).assign(shop=[f"shop {k * k % 97}" for k in range(4500)])
    if isinstance(model, mercer.LinearSVR):
        rows = rows.assign(y=rows.age + np.random.default_rng(5).standard_t(3, size=4500))
    monkeypatch.setattr("mercer.scale.learners.planes._AT_ONCE", at_once)
    found = mercer.scale.fit(clone(model), cut(rows, [10, 3000]), "y")
    assert found.duality_gap_ <= 5e-7 * objective(found, rows)
    expect_the_minimum(found, rows)

"""Kernel machines on landmarks or features in chunks: the kernel, the landmarks and the objective of all rows."""

import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.scale.rows import ROWS, cut, expect_same, people, state_arrays

import mercer
from mercer.errors import MercerError
from mercer.kernels import (
    IOF,
    OF,
    RBF,
    Additive,
    Cosine,
    Encoded,
    Goodall1,
    Goodall2,
    Goodall3,
    Goodall4,
    Laplacian,
    Lin,
    Linear,
    Overlap,
    Polynomial,
    Words,
)
from mercer.scale.engine import Local
from mercer.scale.fitting import survey_rows
from mercer.scale.learners import planes
from mercer.scale.learners.kernels import View, fit_kernel
from mercer.scale.learners.landmarks import RowNumbers
from mercer.table import read_table

pytestmark = pytest.mark.filterwarnings("ignore::mercer.errors.Indefinite")
AMOUNTS = people(400, seed=1).drop(columns="y").assign(
    y=lambda r: 3 * r.age + 10 * r.pay.isna() + np.random.default_rng(2).normal(size=len(r))
)  # fmt: skip
KERNELS = [
    Lin(), IOF(), OF(missing="ignore"), Goodall1(), Goodall2(on=["job"]), Goodall3(), Goodall4(), Overlap(),
    Encoded(RBF()), Encoded(Laplacian(), scaling="minmax"), Encoded(Polynomial(), scaling="none", on=["age", "pay"]),
    Encoded(Cosine(), levels="keep") * Lin() + 0.5 * IOF(), Encoded(RBF("auto") + Linear(), on=["pay", "city"]),
    Encoded(RBF(sigma=2.0)),
]  # fmt: skip
CLASSES = [
    mercer.SVC(approximation="nystroem", rank=30),
    mercer.SVC(
        kernel=Encoded(RBF()) * Lin(), approximation="nystroem", rank=30, class_weight="balanced", random_state=3
    ),
    mercer.SVC(approximation="features", rank=40, loss="squared_hinge", C=2.0),
    mercer.SVC(kernel="poly", approximation="nystroem", rank=30, missing_indicator=True),
]
NUMBERS = [
    mercer.SVR(approximation="nystroem", rank=30, relative=True),
    mercer.SVR(approximation="features", rank=40, C=5.0),
    mercer.SVR(approximation="nystroem", rank=30, loss="squared_epsilon_insensitive"),
]


class TableRows:
    """Parts of a table, merged one after the other."""

    def __init__(self, tables):
        self.tables = tables

    def merge(self, count):
        states = [count(mercer.scale.rows.Part(table, np.zeros(len(table)))) for table in self.tables]
        while len(states) > 1:
            states[:2] = [states[0].merge(states[1])]
        return states[0]


@settings(max_examples=30, deadline=None)
@given(cuts=st.lists(st.integers(1, 599), max_size=5), kernel=st.sampled_from(KERNELS), order=st.integers(0, 9))
def test_a_kernel_fitted_in_chunks_is_that_of_all_rows(cuts, kernel, order):
    table = read_table(ROWS.drop(columns="y")).take(np.random.default_rng(order).permutation(len(ROWS)))
    parts = [table.take(p) for p in np.split(np.arange(len(table)), sorted(set(cuts)))]
    found = fit_kernel(kernel, TableRows(parts), View(table.take(np.arange(7))))
    whole = clone(kernel).fit(table)
    a, b = state_arrays(found.to_state()), state_arrays(whole.to_state())
    assert a.keys() == b.keys()
    for key, value in b.items():
        if key.endswith("counts"):
            np.testing.assert_array_equal(a[key], value)
        elif isinstance(value, np.ndarray | float):
            np.testing.assert_allclose(a[key], value, rtol=1e-12, atol=1e-12, err_msg=key)
        else:
            assert a[key] == value, key
    np.testing.assert_allclose(found.gram(table.take(slice(0, 40))), whole.gram(table.take(slice(0, 40))), rtol=1e-9)


@settings(max_examples=12, deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=6), model=st.sampled_from(CLASSES + NUMBERS), passes=st.booleans())
def test_a_kernel_machine_in_chunks_has_the_objective_of_all_rows(cuts, model, passes):
    rows = ROWS[:400] if isinstance(model, mercer.SVC) else AMOUNTS
    with patch.object(planes, "_AT_ONCE", 0 if passes else planes._AT_ONCE):
        found = mercer.scale.fit(clone(model), cut(rows, cuts), "y")
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    np.testing.assert_array_equal(found.support_, whole.support_)
    np.testing.assert_array_equal(found.n_support_, whole.n_support_)
    assert found.missing_indicators_ == whole.missing_indicators_
    assert found.approximation_error_ == pytest.approx(whole.approximation_error_, rel=1e-6)
    assert whole.dual_ * (1 - 1e-6) <= found.primal_ <= whole.primal_ * (1 + 1e-6)
    if passes:
        assert found.duality_gap_ <= 1e-6 * found.primal_
    else:
        assert found.primal_ == pytest.approx(whole.primal_, rel=1e-6)
    assert found.n_bounded_ == pytest.approx(whole.n_bounded_, abs=0.1 * len(rows))
    f, g = (m.decision_function(rows) if hasattr(m, "decision_function") else m.predict(rows) for m in (found, whole))
    assert np.abs(f - g).mean() < 0.05 * np.abs(g).mean()


@settings(max_examples=6, deadline=None)
@given(cuts=st.lists(st.integers(0, 400), max_size=6), approximation=st.sampled_from(["nystroem", "features"]))
def test_kernel_ridge_in_chunks_is_that_of_all_rows(cuts, approximation):
    model = mercer.KernelRidge(kernel="rbf", alpha=0.3, approximation=approximation, rank=40)
    found = mercer.scale.fit(clone(model), cut(AMOUNTS, cuts), "y")
    whole = clone(model).fit(AMOUNTS.drop(columns="y"), AMOUNTS.y)
    np.testing.assert_allclose(found.predict(AMOUNTS), whole.predict(AMOUNTS), rtol=1e-7)
    assert found.log_marginal_likelihood_ == pytest.approx(whole.log_marginal_likelihood_, rel=1e-9)


@pytest.mark.parametrize("at_once", [0, 1 << 30])
def test_several_classes_some_of_which_are_in_one_chunk_alone(at_once, monkeypatch, tmp_path):
    monkeypatch.setattr(planes, "_AT_ONCE", at_once)
    rows = ROWS.assign(y=np.minimum(np.arange(len(ROWS)) // 150, 3)).sort_values("y")
    model = mercer.SVC(approximation="nystroem", rank=30)
    found = mercer.scale.fit(clone(model), cut(rows, [100, 150, 500]), "y")
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    assert whole.dual_ * (1 - 1e-6) <= found.primal_ <= whole.primal_ * (1 + 1e-6)
    mercer.save(found, tmp_path / "model.mercer")
    expect_same(mercer.load(tmp_path / "model.mercer"), found, rtol=0)
    assert np.mean(found.predict(rows) == whole.predict(rows)) > 0.98


def test_rows_in_blocks_beyond_those_that_are_gathered(monkeypatch):
    rows = people(2500)
    model = mercer.SVC(approximation="nystroem", rank=25)
    whole = clone(model).fit(rows.drop(columns="y"), rows.y)
    monkeypatch.setattr(planes, "_AT_ONCE", 0)
    monkeypatch.setattr("mercer.scale.learners.planes._GATHERED", 26 * 800)
    monkeypatch.setattr("mercer.scale.learners.planes.rows_at_a_time", lambda width: 300)
    found = mercer.scale.fit(clone(model), cut(rows, [700, 1500]), "y")
    assert whole.dual_ * (1 - 1e-6) <= found.primal_ <= whole.primal_ * (1 + 1e-6)


@pytest.mark.parametrize("model", [CLASSES[0], NUMBERS[0]])
def test_the_solution_of_rows_drawn_is_where_all_rows_start(model, monkeypatch):
    rows = people(3000) if isinstance(model, mercer.SVC) else people(3000).assign(y=lambda r: 3 * r.age)
    passes, merge = [], Local.merge
    monkeypatch.setattr(Local, "merge", lambda *given: passes.append(1) or merge(*given))
    monkeypatch.setattr(planes, "_AT_ONCE", 0)
    monkeypatch.setattr(planes, "_GATHERED", 41 * 200)
    found, needed = [], []
    for least in (planes._LEAST, 100):
        monkeypatch.setattr(planes, "_LEAST", least)
        monkeypatch.setattr(planes, "_A_COLUMN", 4)
        passes.clear()
        found.append(mercer.scale.fit(clone(model), cut(rows, [700, 1500]), "y"))
        needed.append(len(passes))
    plain, started = found
    assert plain.dual_ * (1 - 1e-6) <= started.primal_ <= plain.primal_ * (1 + 1e-6)
    if isinstance(model, mercer.SVC):
        assert needed[1] < needed[0]


def test_where_rows_are_is_known_from_the_first_pass():
    frames = cut(ROWS.assign(y=ROWS.y.mask(ROWS.index % 7 == 0)), [90, 90, 400])
    with pytest.warns(mercer.errors.MercerWarning, match="have no 'y'"):
        rows, _ = survey_rows(mercer.SVC(), frames, "y", Local(), None, "")
    counted = RowNumbers.of(replace(rows, known=None)).start
    assert np.diff(counted).tolist() == [f.y.notna().sum() for f in frames]
    np.testing.assert_array_equal(RowNumbers.of(rows).start, counted)


def test_more_rows_than_are_permuted_are_drawn_without_repetition(monkeypatch):
    monkeypatch.setattr("mercer.scale.learners.landmarks._PERMUTED", 10)
    numbers = RowNumbers(None, np.array([0, 50, 120]))
    drawn = [numbers.draw(100, np.random.RandomState(0)) for _ in range(2)]
    np.testing.assert_array_equal(*drawn)
    assert len(set(drawn[0].tolist())) == 100
    assert drawn[0].max() < 120


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (mercer.SVC(), "SVC needs all rows at once"),
        (mercer.SVC(approximation="nystroem", C="cv"), "needs all rows at once"),
        (mercer.SVC(approximation="nystroem", C=np.inf), "Give a finite C"),
        (mercer.SVC(approximation="nystroem", probability="sigmoid"), "probability= needs folds"),
        (mercer.SVC(approximation="nystroem", polish=True), "polish=True needs all rows"),
        (mercer.SVC(kernel="mixed", approximation="nystroem"), "need quartiles"),
        (mercer.SVC(kernel=Additive(RBF()), approximation="nystroem"), "Additive learns from all rows"),
        (mercer.SVC(kernel="precomputed", approximation="nystroem"), "give a name or a Kernel"),
        (mercer.SVC(kernel=Words(), approximation="nystroem"), "Words learns from all rows"),
    ],
)
def test_what_needs_all_rows_is_refused(model, said):
    with warnings.catch_warnings(), pytest.raises(MercerError, match=said):
        mercer.scale.fit(model, [ROWS], "y")


def test_a_ridge_without_penalty_is_refused():
    with pytest.raises(MercerError, match="alpha=0"):
        mercer.scale.fit(mercer.KernelRidge(alpha=0, approximation="nystroem"), [AMOUNTS], "y")

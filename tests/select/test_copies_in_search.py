"""A search inside `fit` keeps copies of a row in one fold, as the comparison of learners does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer.select.copies import find_copies
from mercer.select.search import fold_numbers
from mercer.table import from_array

RNG = np.random.default_rng(5)
N = 60
ORDER = np.repeat(np.arange(N), 3)
X, Y = RNG.normal(size=(N, 4))[ORDER], RNG.integers(0, 2, N)[ORDER]


def test_copies_lie_in_one_fold_and_classes_in_all() -> None:
    copies = find_copies(from_array(X), Y)
    folds = fold_numbers(5, Y, True, 0, copies)
    assert all(len(np.unique(folds[i == ORDER])) == 1 for i in range(N))
    assert all(len(np.unique(Y[folds == f])) == 2 for f in range(5))
    apart = fold_numbers(5, Y, True, 0)
    assert any(len(np.unique(apart[i == ORDER])) > 1 for i in range(N))


def test_too_few_distinct_rows_are_dealt_as_they_are() -> None:
    copies = find_copies(from_array(np.repeat(X[::3][:9], 12, axis=0)), np.repeat(Y[::3][:9], 12))
    folds = fold_numbers(5, np.repeat(Y[::3][:9], 12), True, 0, copies)
    assert len(np.unique(folds)) == 5


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_noise_written_three_times_scores_as_noise(rows: Any) -> None:
    grid = mercer.Grid(C=[100.0], gamma=[10.0], cv=5)
    model = mercer.SVC(C="cv", gamma="cv", grid=grid).fit(rows, Y)
    assert model.tuning_.best.mean < 0.7  # 1.0 when copies of the test rows are learned


def test_linear_machines_see_them_too() -> None:
    model = mercer.LinearSVC(C="cv").tunable_problem(X, Y)
    copies = model.copies()
    assert copies is not None
    assert copies.n_copies == 2 * N
    assert mercer.LinearSVC(C="cv").tunable_problem(X[::3], Y[::3]).copies() is None


@pytest.mark.parametrize("cv", ["loo", 5])
def test_neighbours_do_not_vote_for_their_copies(cv: Any) -> None:
    model = mercer.KNeighborsClassifier("cv", cv=cv, max_neighbors=9).fit(X, Y)
    assert max(scores.max() for scores in model.curve_.scores.values()) < 0.75  # 1.0 when copies are neighbours
    assert mercer.KNeighborsRegressor("cv", cv=cv).fit(X, Y).curve_.scores["uniform"].min() > 0.15  # variance 1/4

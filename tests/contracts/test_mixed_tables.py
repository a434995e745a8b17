"""What every estimator does with a mixed table: missing cells, columns by name, unseen levels, storing, threads."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier

import mercer
from mercer.errors import BadColumn, MercerWarning
from mercer.estimators.common.base import TableEstimator
from mercer.state import Reader

from .estimators import CHECKED

RNG = np.random.default_rng(5)
N = 120


def mixed() -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "age": RNG.normal(40, 10, N),
            "job": RNG.choice(["clerk", "sales", "tech"], N),
            "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
            "member": RNG.random(N) < 0.4,
            "note": [f"{w} words in a row {i}" for i, w in enumerate(RNG.choice(["blue", "red"], N))],
            "id": [f"r{i}" for i in range(N)],
        }
    )
    frame.loc[::9, "age"] = np.nan
    frame.loc[::7, "job"] = None
    frame.loc[::5, "size"] = np.nan
    return frame


X = mixed()
LABELS = np.where((X["age"].fillna(40) > 40) ^ (X["job"] == "tech"), "yes", "no")
NUMBERS = X["age"].fillna(40).to_numpy() + 5 * (X["job"] == "tech").to_numpy() + RNG.normal(size=N)


def target(estimator: Any) -> np.ndarray:
    return LABELS if is_classifier(estimator) else NUMBERS


def answers(estimator: Any, rows: Any) -> np.ndarray:
    for method in ("predict_proba", "decision_function"):
        if hasattr(estimator, method):
            return getattr(estimator, method)(rows)
    return estimator.predict(rows)


@pytest.fixture(scope="module", params=CHECKED, ids=repr)  # one fit for all tests: none of them changes the model
def fitted(request: pytest.FixtureRequest) -> Any:
    return clone(request.param).fit(X, target(request.param))


def test_kinds_and_reasons(fitted: Any) -> None:
    kinds = {c.name: str(c.kind) for c in fitted.schema_}
    assert kinds == {"age": "numeric", "job": "category", "size": "ordinal", "member": "binary", "note": "text"}
    assert [c.name for c in fitted.schema_.left_out] == ["id"]
    assert all(c.reason for c in fitted.schema_)


def test_answers_are_numbers(fitted: Any) -> None:
    found = answers(fitted, X)
    assert np.isfinite(found).all()
    assert len(fitted.predict(X)) == N


@pytest.mark.parametrize(
    "convert", [pl.from_pandas, lambda f: f.to_dict("list"), mercer.read_table], ids=["polars", "dict", "Table"]
)
def test_the_same_rows_in_another_container(fitted: Any, convert: Any) -> None:
    frame = X.drop(columns="id")
    np.testing.assert_allclose(answers(fitted, convert(frame)), answers(fitted, frame), rtol=1e-12)


def test_columns_in_any_order(fitted: Any) -> None:
    np.testing.assert_array_equal(answers(fitted, X[X.columns[::-1]]), answers(fitted, X))


def test_extra_columns_are_ignored_with_a_notice(fitted: Any) -> None:
    with pytest.warns(MercerWarning, match="'surplus'"):
        found = answers(fitted, X.assign(surplus=1))
    np.testing.assert_array_equal(found, answers(fitted, X))


def test_a_missing_column_is_named(fitted: Any) -> None:
    with pytest.raises(BadColumn, match=r"'job' is missing.*Did you mean 'jobb'"):
        fitted.predict(X.rename(columns={"job": "jobb"}))


def test_a_wrong_kind_is_named(fitted: Any) -> None:
    with pytest.raises(BadColumn, match="'age' is numeric, but row 3 holds 'old'"):
        fitted.predict(X.assign(age=["1", "2", *["old"] * (N - 2)]))  # a few strays would be missing cells
    with pytest.raises(BadColumn, match=r"'job' is category.*came as numbers"):
        fitted.predict(X.assign(job=np.linspace(0, 1, N)))


def test_unseen_levels_and_rows_of_missing_cells(fitted: Any) -> None:
    strange = X[:2].assign(job="astronaut", note="never met words")
    empty = pd.DataFrame({name: [None] for name in X.columns})
    assert np.isfinite(answers(fitted, strange)).all()
    assert np.isfinite(answers(fitted, empty)).all()


def test_one_row_at_a_time(fitted: Any) -> None:
    whole = answers(fitted, X[:6])
    single = np.concatenate([answers(fitted, X[i : i + 1]) for i in range(6)])
    np.testing.assert_allclose(single, whole, rtol=1e-9, atol=1e-12)


def test_stored_and_read_back_bit_for_bit(fitted: Any) -> None:
    again = type(fitted).from_state(Reader(fitted.to_state()))
    np.testing.assert_array_equal(answers(again, X), answers(fitted, X))
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(answers(copied, X), answers(fitted, X))


def test_repeated_rows_are_weights(fitted: Any) -> None:
    rows = X.drop(columns="id")
    counts = np.random.default_rng(0).integers(0, 3, N)  # the same in any order of the tests
    if any(hasattr(fitted, name) for name in ("calibrators_", "tuning_", "library_")):
        pytest.skip("copies of a row may lie in other folds than the row, so calibration, search and selection differ")
    if isinstance(fitted, mercer.Resampled | mercer.BalancedBagging):
        pytest.skip("rows are drawn: a row of weight 2 at once, two equal rows each by itself")
    if isinstance(fitted, mercer.Perceptron):
        pytest.skip("weights multiply steps, as in scikit-learn: two steps of one row are no step of twice the size")
    if isinstance(fitted, mercer.LaplacianSVC):
        pytest.skip("copies of a row are its nearest neighbours: there are no weights, and copies make another graph")
    if hasattr(fitted, "shuffle"):
        fitted = clone(fitted).set_params(shuffle=False)  # copies are drawn apart from each other
    if hasattr(fitted, "bootstrap"):
        fitted = clone(fitted).set_params(bootstrap=False)  # from repeated rows, others are drawn
    if any(machine in type(fitted).__name__ for machine in ("SV", "RV", "VectorMachine")):
        steps = {"max_iter": 1_000_000} if fitted.max_iter > 0 else {}
        fitted = clone(fitted).set_params(tol=1e-10, **steps)  # solvers stop within tol of the answer, not at it
    repeated = clone(fitted).fit(rows.loc[rows.index.repeat(counts)], np.repeat(target(fitted), counts))
    weighted = clone(fitted).fit(rows[counts > 0], target(fitted)[counts > 0], sample_weight=counts[counts > 0])
    if "Tree" in repr(fitted) or hasattr(fitted, "bootstrap"):
        rows = rows[counts > 0]  # a gap that no training row had goes to most rows, of which copies are several
    np.testing.assert_allclose(answers(weighted, rows), answers(repeated, rows), rtol=1e-7, atol=1e-9)


def test_every_public_learner_is_a_table_estimator_with_an_example() -> None:
    for estimator in CHECKED:
        assert isinstance(estimator, TableEstimator)
        assert ">>>" in (type(estimator).__doc__ or ""), f"{type(estimator).__name__} has no example"

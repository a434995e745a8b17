"""mercer.evaluate and its kin take rows in every container that a model takes: the same rows, the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

import mercer
from mercer.errors import BadTable, MercerError

RNG = np.random.default_rng(2)
N = 90
NUMBERS = np.column_stack([RNG.normal(size=N), RNG.integers(0, 5, N)])
COLOUR = RNG.choice(["red", "blue"], N)
Y = np.where(NUMBERS[:, 0] + (COLOUR == "red") + RNG.normal(size=N) > 0.5, "yes", "no")
FRAME = pd.DataFrame({"size": NUMBERS[:, 0], "count": NUMBERS[:, 1].astype(int), "colour": COLOUR})
WORDS = [" ".join(RNG.choice(["good", "fine", "bad", "poor"], 4)) for _ in range(N)]
MOOD = np.array(["good" if text.count("good") else "bad" for text in WORDS])
FOLDS = KFold(3, shuffle=True, random_state=0)


def _structured() -> Any:
    rows = np.zeros(N, dtype=[("size", "f8"), ("count", "i8"), ("colour", "U4")])
    for name in FRAME:
        rows[name] = FRAME[name]
    return rows


@pytest.mark.parametrize(
    "rows",
    [
        FRAME.to_dict("records"),
        FRAME.to_records(index=False),
        _structured(),
        FRAME.to_dict("list"),
        {name: FRAME[name] for name in FRAME},
        {name: pl.Series(FRAME[name].tolist()) for name in FRAME},
        pl.DataFrame(FRAME.to_dict("list")).lazy(),
    ],
    ids=["records", "record array", "structured", "lists", "series of pandas", "series of polars", "lazy"],
)
def test_mixed_rows_are_the_same_in_every_container(rows: Any) -> None:
    plain = mercer.evaluate(mercer.NaiveBayes(), FRAME, Y, cv=FOLDS)
    assert mercer.evaluate(mercer.NaiveBayes(), rows, Y, cv=FOLDS).scores == plain.scores
    model = mercer.SVC(kernel="mixed").fit(rows, Y)
    whole = mercer.SVC(kernel="mixed").fit(FRAME, Y)
    assert mercer.evaluate(model, rows, Y).scores == mercer.evaluate(whole, FRAME, Y).scores
    said, expected = (mercer.explain(m, x, [3], background=x) for m, x in ((model, rows), (whole, FRAME)))
    np.testing.assert_allclose(said.values, expected.values)
    assert str(mercer.counterfactual(model, rows, 3)) == str(mercer.counterfactual(whole, FRAME, 3))


def test_a_series_of_pandas_is_taken_by_place_whatever_its_labels() -> None:
    """Its labels lead to other rows where a frame was shuffled."""
    shuffled = FRAME.sample(frac=1.0, random_state=0)
    y = Y[shuffled.index]
    columns = {name: shuffled[name] for name in shuffled}
    expected = mercer.evaluate(mercer.NaiveBayes(), shuffled, y, cv=FOLDS)
    assert mercer.evaluate(mercer.NaiveBayes(), columns, y, cv=FOLDS).scores == expected.scores


def _with_a_gap(kind: str) -> Any:
    size = [*range(40), None]
    if kind == "polars":
        return pl.DataFrame({"size": size})
    if kind == "dict":
        return {"size": size}
    return pd.DataFrame({"size": pd.array(size, dtype="Int64" if kind == "nullable" else "int64[pyarrow]")})


@pytest.mark.parametrize("kind", ["polars", "dict", "nullable", "pandas with arrow"])
def test_whole_numbers_beside_a_missing_cell_are_changed_as_numbers(kind: str) -> None:
    """They came as objects, and were taken for texts, or ended in pandas' error of a truth value of NA."""

    class Above(ClassifierMixin, BaseEstimator):
        classes_ = np.array(["no", "yes"])

        def predict(self, X: Any) -> Any:
            size = X["size"].to_numpy(na_value=np.nan) if isinstance(X, pd.DataFrame) else X["size"]
            return self.classes_[(np.asarray(size, dtype=float) > 10).astype(int)]

    found = mercer.counterfactual(Above(), _with_a_gap(kind), 2)
    assert (found.after, float(found.changes[0].after)) == ("yes", 11)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.dok_matrix, sp.lil_array])
def test_sparse_rows_of_every_kind(kind: Any) -> None:
    for model in (mercer.SVC(), LogisticRegression()):
        found = mercer.evaluate(model, kind(NUMBERS), Y, cv=FOLDS)
        assert found["accuracy"].value == pytest.approx(cross_val_score(model, NUMBERS, Y, cv=FOLDS).mean())


def test_masked_cells_are_missing() -> None:
    masked = np.ma.masked_array(NUMBERS, mask=NUMBERS > 1)
    holes = np.where(NUMBERS > 1, np.nan, NUMBERS)
    for model in (mercer.NaiveBayes(), mercer.HistGradientBoostingClassifier()):
        expected = model.fit(holes, Y).predict_proba(holes)
        np.testing.assert_array_equal(model.predict_proba(masked), expected)
        np.testing.assert_array_equal(model.fit(masked, Y).predict_proba(holes), expected)
    assert mercer.read_table(masked).missing("x0").sum() == (NUMBERS[:, 0] > 1).sum()
    whole = np.ma.masked_array(np.arange(6).reshape(3, 2), mask=[[1, 0], [0, 0], [0, 0]])
    assert mercer.read_table(whole).missing("x0").tolist() == [True, False, False]
    found, expected = (mercer.evaluate(mercer.NaiveBayes(), X, Y, cv=FOLDS) for X in (masked, holes))
    assert found.scores == expected.scores


@pytest.mark.parametrize(
    "rows", [WORDS, pd.Series(WORDS), np.array(WORDS), pl.Series(WORDS)], ids=lambda x: type(x).__name__
)
def test_a_pipeline_that_reads_texts(rows: Any) -> None:
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    found = mercer.evaluate(model, rows, MOOD, cv=FOLDS)
    assert found["accuracy"].value == pytest.approx(cross_val_score(model, WORDS, MOOD, cv=FOLDS).mean())
    model.fit(WORDS, MOOD)
    assert mercer.evaluate(model, rows, MOOD)["accuracy"].value == model.score(WORDS, MOOD)
    assert mercer.compare(model, model, rows, MOOD).difference("accuracy").value == 0
    assert mercer.plot.roc_curve(model, rows, MOOD).get_lines()
    with pytest.raises(MercerError, match="rows and columns"):
        mercer.explain(model, rows, [0])


def test_a_pipeline_that_reads_dicts() -> None:
    rows = FRAME.to_dict("records")
    model = make_pipeline(DictVectorizer(), LogisticRegression())
    found = mercer.evaluate(model, rows, Y, cv=FOLDS)
    assert found["accuracy"].value == pytest.approx(cross_val_score(model, rows, Y, cv=FOLDS).mean())
    fitted = model.fit(rows, Y)
    assert mercer.compare(fitted, fitted, rows, Y, cost="fn=3,fp=1").difference("cost").value == 0


@pytest.mark.parametrize(
    ("stack", "y"),
    [
        (StackingClassifier([("a", LogisticRegression()), ("b", LinearSVC())]), Y),
        (StackingRegressor([("a", Ridge())]), NUMBERS[:, 0]),
    ],
    ids=["classes", "numbers"],
)
def test_a_stack_has_no_predict_before_its_fit(stack: Any, y: Any) -> None:
    found = mercer.evaluate(stack, NUMBERS, y, cv=FOLDS)
    key = "accuracy" if "accuracy" in found.scores else "r2"
    assert found[key].value == pytest.approx(cross_val_score(stack, NUMBERS, y, cv=FOLDS).mean())
    with pytest.raises(MercerError, match="is not fitted"):
        mercer.evaluate(stack, NUMBERS, y)


def test_cells_of_lists_have_no_counterfactual_of_their_own() -> None:
    rows = FRAME.assign(items=[[1, 2]] * (N - 1) + [[3]])
    encode = make_column_transformer((OneHotEncoder(), ["colour"]), ("passthrough", ["size"]))
    model = make_pipeline(encode, LogisticRegression()).fit(rows, Y)
    found = mercer.counterfactual(model, rows, 0)
    assert found.changes
    assert "items" not in {change.column for change in found.changes}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_of_other_numbers() -> None:
    for numbers in (np.asmatrix(NUMBERS), NUMBERS.astype(np.longdouble), NUMBERS.astype(np.float16)):
        result = mercer.train(numbers, Y, learners="tree", quick=True)
        assert result.predict(numbers).shape == (N,)
    with pytest.raises(BadTable, match="complex numbers"):
        mercer.train(NUMBERS + 1j, Y, learners="tree", quick=True)

"""Every encoder is a transformer as scikit-learn's are: in its compositions, before its learners, with data frames."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline

import mercer
from mercer import encode as e
from mercer.table import Table

N = 60
RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N),
        "pay": RNG.lognormal(3, 1, N),
        "job": RNG.choice(["clerk", "sales", "tech"], N),
        "size": pd.Categorical(RNG.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True),
        "note": [f"{word} words in row {i}" for i, word in enumerate(RNG.choice(["blue", "red"], N))],
    },
    index=np.arange(N) + 100,
)
Y = np.where(X["pay"] + RNG.normal(size=N) > 20, "yes", "no")
X.loc[X.index[::9], "age"] = np.nan
X.loc[X.index[::7], "job"] = None
NUMBERS, LEVELS = ["age", "pay"], ["job", "size"]
# An encoder, the columns that it is given, and whether levels without an order are left for the next step.
CASES: list[tuple[Any, list[str], bool]] = [
    *((scaler, NUMBERS, False) for scaler in (e.ZScore(), e.MinMax(), e.UnitLength(), e.Polynomial(), e.Log())),
    (e.Impute(), [*NUMBERS, "size"], False),
    (e.Impute(levels="level", indicator=True), [*NUMBERS, "job"], True),
    (e.DropMissing(), NUMBERS, False),
    *((dummies, LEVELS, False) for dummies in (e.OneHot(), e.OneHot(sparse=True), e.OneHot(missing="column"))),
    (e.TopLevels(2), LEVELS, True),
    *((bins, NUMBERS, False) for bins in (e.Bins(), e.Bins(cut="width"), e.Bins(cut="mdl"))),
    *((bag, ["note"], False) for bag in (e.BagOfWords(9), e.BagOfWords(9, sparse=False), e.BagOfWords(9, hashed=True))),
    (mercer.SelectByForest(1, n_estimators=5), NUMBERS, False),
    (e.Chain([("fill", e.Impute()), ("scale", e.ZScore())]), NUMBERS, False),
    (e.dense_recipe(), [*NUMBERS, *LEVELS], False),
    (e.dense_recipe(words=9), list(X), False),
    (e.categorical_recipe(), ["age", "job"], True),
]
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} on {', '.join(case[1])}".replace("\n", ""))
def case(request: pytest.FixtureRequest) -> tuple[Any, pd.DataFrame, bool]:
    encoder, names, has_levels = request.param
    return clone(encoder), X[names], has_levels


def table_of(encoder: Any, rows: Any) -> Table:
    table = mercer.read_table(rows)
    fitted = clone(encoder).set_output(transform="default").fit(table, Y)
    return fitted.table(table) if isinstance(fitted, e.Chain) else fitted.transform(table)


def is_sparse(encoder: Any, rows: Any) -> bool:
    return bool(table_of(encoder, rows).is_sparse)


def test_every_encoder_is_asked() -> None:
    public = {c for c in (getattr(e, n) for n in e.__all__) if inspect.isclass(c) and issubclass(c, e.Encoder)}
    assert public - {type(encoder) for encoder, _, _ in CASES} == {e.Encoder}


def test_a_frame_gives_a_table_that_is_an_array(case: Any) -> None:
    encoder, rows, has_levels = case
    found = encoder.fit_transform(rows, Y)
    expected = table_of(encoder, rows)
    assert sp.issparse(found) == expected.is_sparse
    assert list(encoder.get_feature_names_out()) == list(expected.columns)
    cells = found.toarray() if sp.issparse(found) else np.asarray(found)
    assert cells.shape == (N, len(expected.columns)) and cells.dtype == (object if has_levels else np.float64)
    again = encoder.transform(rows)
    np.testing.assert_array_equal(again.toarray() if sp.issparse(again) else np.asarray(again), cells)


@pytest.mark.parametrize("library", FRAMES)
def test_set_output(case: Any, library: str) -> None:
    encoder, rows, _ = case
    encoder.set_output(transform=library)
    if is_sparse(encoder, rows):
        with pytest.raises(ValueError, match=f"outputs a scipy sparse matrix.*{library.capitalize()} output"):
            encoder.fit_transform(rows, Y)
        return
    given = rows if library == "pandas" else pl.from_pandas(rows)
    found = encoder.fit_transform(given, Y)
    assert isinstance(found, FRAMES[library]) and list(found.columns) == list(encoder.get_feature_names_out())
    if library == "pandas":
        assert found.index.equals(rows.index)
        pd.testing.assert_frame_equal(encoder.transform(rows), found)
    if getattr(encoder, "output", "table") == "table":  # the same columns as the Table, cell by cell
        expected = table_of(encoder, given)
        back = mercer.table.conform_table(found, expected.schema)
        for name in expected:
            np.testing.assert_array_equal(back[name], expected[name])


def test_in_a_column_transformer(case: Any) -> None:
    encoder, rows, has_levels = case
    both = ColumnTransformer([("encoded", encoder, list(rows)), ("rest", "passthrough", ["pay"])], sparse_threshold=0)
    found = both.fit_transform(X, Y)
    expected = np.asarray(table_of(encoder, rows))
    assert isinstance(found, np.ndarray) and found.dtype == (object if has_levels else np.float64)
    np.testing.assert_array_equal(found[:, :-1], expected)
    assert both.get_feature_names_out()[-1] == "rest__pay" and len(both.get_feature_names_out()) == found.shape[1]
    np.testing.assert_array_equal(both.transform(X[list(X)[::-1]]), found)
    if not is_sparse(encoder, rows):
        framed = clone(both).set_output(transform="pandas").fit_transform(X, Y)
        assert list(framed.columns) == list(both.get_feature_names_out()) and framed.index.equals(X.index)


def test_in_a_feature_union(case: Any) -> None:
    encoder, rows, has_levels = case
    if has_levels and is_sparse(encoder, rows):
        pytest.skip("objects do not stand beside sparse numbers")
    union = FeatureUnion([("encoded", encoder), ("again", clone(encoder))])
    found = union.fit_transform(rows, Y)
    expected = np.asarray(table_of(encoder, rows))
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, np.hstack([expected, expected]))
    assert len(union.get_feature_names_out()) == found.shape[1]


def test_before_learners_of_scikit_learn(case: Any) -> None:
    encoder, rows, has_levels = case
    steps = [encoder, *([e.OneHot()] if has_levels else []), e.Impute(), e.ZScore(center="auto")]
    model = make_pipeline(*steps, LogisticRegression())
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 1.0]}, cv=3, error_score="raise").fit(rows, Y)
    copied = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copied.predict_proba(rows), search.predict_proba(rows))
    made = make_pipeline(*(clone(s) for s in steps)).fit_transform(rows, Y)
    made = made.toarray() if sp.issparse(made) else np.asarray(made)
    np.testing.assert_allclose(
        clone(model).fit(rows, Y).predict_proba(rows), LogisticRegression().fit(made, Y).predict_proba(made), rtol=1e-6
    )


def test_trees_take_levels_of_frames_as_categories() -> None:
    bins = e.Bins(4).set_output(transform="pandas")
    booster = HistGradientBoostingClassifier(max_iter=5)
    model = make_pipeline(bins, booster).fit(X[NUMBERS], Y)
    assert model[-1].is_categorical_.tolist() == [True, True]


def test_parameters_are_searched_through_the_pipeline() -> None:
    model = make_pipeline(e.ZScore(), e.Bins(), LogisticRegression())
    rows = X[["pay"]]
    search = GridSearchCV(model, {"bins__n": [2, 8], "bins__cut": ["width", "mdl"]}, cv=3, error_score="raise")
    assert search.fit(rows, Y).best_params_ == {"bins__cut": "mdl", "bins__n": 2}


def test_a_scaled_date_is_no_date() -> None:
    days = pd.DataFrame({"day": pd.to_datetime(["2021-03-04", "2021-03-06", "2021-03-08"])})
    for encoder in (e.ZScore(), e.MinMax(), e.UnitLength(), e.Log()):
        assert encoder.set_output(transform="pandas").fit_transform(days).dtypes.tolist() == [np.float64]
    scaler = e.ZScore().fit(days)
    back = scaler.inverse_transform(scaler.transform(days))
    pd.testing.assert_frame_equal(back.to_pandas(), days, check_dtype=False)
    framed = clone(scaler).set_output(transform="pandas")
    pd.testing.assert_frame_equal(scaler.inverse_transform(framed.fit_transform(days)).to_pandas(), back.to_pandas())


def test_the_global_setting_changes_answers_and_not_the_work() -> None:
    text_and_numbers = X[["age", "pay", "note"]]
    with config_context(transform_output="pandas"):
        chain = e.Chain([("fill", e.Impute()), ("bag", e.BagOfWords(5, sparse=False))])
        assert isinstance(chain.fit_transform(text_and_numbers), pd.DataFrame)
        chosen = mercer.select_features(text_and_numbers, Y, 1, n_estimators=5)
    assert chosen.selected == mercer.select_features(text_and_numbers, Y, 1, n_estimators=5).selected


@pytest.mark.parametrize(
    "model",
    [mercer.DecisionTreeClassifier(), mercer.HistGradientBoostingClassifier(max_iter=3, random_state=0),
     mercer.RandomForestClassifier(3, random_state=0), mercer.KNeighborsClassifier(), mercer.SVC(), mercer.NaiveBayes(),
     mercer.LogisticRegression(), mercer.Perceptron()],
    ids=lambda m: type(m).__name__,
)  # fmt: skip
@pytest.mark.parametrize("library", FRAMES)
def test_learners_on_text_do_not_heed_the_global_setting(model: Any, library: str) -> None:
    usual = clone(model).fit(X, Y).predict(X)
    with config_context(transform_output=library):
        np.testing.assert_array_equal(clone(model).fit(X, Y).predict(X), usual)


@pytest.mark.parametrize("library", FRAMES)
def test_columns_that_are_not_changed_keep_their_types(library: str) -> None:
    frame = X.assign(whole=np.arange(N) % 7, truth=np.arange(N) % 2 == 0, few=np.arange(N, dtype=np.int8) % 3)
    given = frame if library == "pandas" else pl.from_pandas(frame)
    scaled = e.ZScore(on=["age"]).set_output(transform=library).fit_transform(given)
    rest = [name for name in frame if name != "age"]
    types = dict(zip(given.columns, given.dtypes, strict=True))
    assert [dict(zip(scaled.columns, scaled.dtypes, strict=True))[n] for n in rest] == [types[n] for n in rest]
    chosen = mercer.SelectByForest(3, n_estimators=5).set_output(transform=library).fit_transform(given, Y)
    assert [types[n] for n in chosen.columns] == list(chosen.dtypes)
    chain = e.Chain([("drop", e.DropMissing()), ("fill", e.Impute(on=["age"]))]).set_output(transform=library)
    assert dict(zip(given.columns, chain.fit_transform(given).dtypes, strict=True)) == types


def test_a_rare_level_may_lack_in_a_training_fold() -> None:
    rows = X[["pay"]].assign(rare=["yes", *["no"] * (N - 1)])
    by_column = ColumnTransformer([("dummies", e.OneHot(), ["rare"]), ("scaled", e.ZScore(), ["pay"])])
    model = make_pipeline(by_column, LogisticRegression())
    scores = cross_val_score(model, rows, Y, cv=KFold(3), error_score="raise")  # the level is in the first fold alone
    assert scores.mean() > (Y == "no").mean()
    assert by_column.fit(rows[1:]).transform(rows[:2])[:, 0].tolist() == [0.0, 1.0]

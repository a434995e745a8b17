"""Partial dependence: that of scikit-learn, and what an additive model must have; of any model, in any container."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence as by_sklearn
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import mercer
from mercer.errors import BadColumn, MercerError
from mercer.evaluation.result import plain

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, 90).astype(float),
        "job": RNG.choice(["clerk", "pilot", "sales"], 90, p=[0.2, 0.3, 0.5]),
        "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, 90), unit="D"),
    }
)
PAY = 10 * FRAME["age"] + FRAME["job"].map({"clerk": 0.0, "pilot": 500.0, "sales": 100.0})


def test_the_averages_and_single_lines_of_scikit_learn():
    model = RandomForestClassifier(5, random_state=0).fit(X, CODES)
    ours = mercer.partial_dependence(model, X, 1, n_values=7, n_lines=90)
    theirs = by_sklearn(model, X, [1], kind="both", custom_values={1: np.array(ours.values)})
    assert len(ours.values) == 7
    assert [line.label for line in ours.lines] == ["0", "1", "2"]
    for k, line in enumerate(ours.lines):
        np.testing.assert_allclose(line.average, theirs["average"][k])
        np.testing.assert_allclose(line.individual, theirs["individual"][k])


def test_interval_and_spread_are_those_of_the_single_lines():
    model = RandomForestClassifier(5, random_state=0).fit(X, CODES == 1)
    line = mercer.partial_dependence(model, X, "x0", n_lines=90, level=0.9).lines[0]
    single = np.array(line.individual)
    low, high = stats.t.interval(0.9, 89, single.mean(axis=0), stats.sem(single, axis=0))
    np.testing.assert_allclose([line.low, line.high], [low, high])
    np.testing.assert_allclose([line.lower, line.upper], np.quantile(single, [0.1, 0.9], axis=0))


def test_a_linear_model_has_its_slope_in_every_row():
    model = LinearRegression().fit(X, X @ [1.0, -2.0, 3.0])
    line = mercer.partial_dependence(model, X, 2).lines[0]
    values = np.array(mercer.partial_dependence(model, X, 2).values)
    for single in line.individual:
        np.testing.assert_allclose(np.diff(single), 3 * np.diff(values))


def test_with_a_date_go_its_parts_and_the_days_since_another():
    """As of rows that hold the date: a model reads month, weekday and days since another date as columns."""
    rng, n = np.random.default_rng(1), 400
    opened = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    closed = opened + pd.to_timedelta(rng.integers(0, 60, n), unit="D")
    rows = pd.DataFrame({"opened": opened, "closed": closed})
    paid = np.where(opened.month == 6, 50.0, 0.0) + (closed - opened).days + 3.0 * opened.day_of_week
    model = mercer.DecisionTreeRegressor().fit(rows, paid)
    assert {"opened (month)", "opened (weekday)", "closed (days since opened)"} <= set(model.schema_.names)
    effect = mercer.partial_dependence(model, rows, "opened")
    each = [model.predict(rows.assign(opened=pd.Timestamp(day))).mean() for day in effect.values]
    np.testing.assert_allclose(effect.lines[0].average, each)
    months = mercer.partial_dependence(model, rows, "opened (month)")
    assert months.lines[0].average[months.values.index("June")] == max(months.lines[0].average)


@pytest.mark.parametrize("container", [lambda f: f, pl.from_pandas, lambda f: f.to_dict("list"), mercer.read_table])
def test_levels_and_dates_in_any_container(container):
    rows = container(FRAME)
    model = mercer.LinearRegression().fit(rows, PAY)
    jobs = mercer.partial_dependence(model, rows, "job", max_rows=None)
    assert (jobs.scale, jobs.values) == ("levels", FRAME["job"].value_counts().index.tolist())
    assert jobs.counts == FRAME["job"].value_counts().tolist()
    change = dict(zip(jobs.values, jobs.lines[0].average, strict=True))
    assert change["pilot"] - change["clerk"] == pytest.approx(500)
    dates = mercer.partial_dependence(model, rows, "since", n_values=4)
    assert (dates.scale, dates.values) == ("dates", sorted(dates.values))
    assert set(dates.values) <= set(FRAME["since"].dt.strftime("%Y-%m-%d"))
    assert dates.range == pytest.approx(0, abs=1e-8)


def test_a_pipeline_of_scikit_learn_on_a_frame():
    columns = make_column_transformer((OneHotEncoder(), ["job"]), ("passthrough", ["age"]))
    model = make_pipeline(columns, LinearRegression()).fit(FRAME, PAY)
    found = mercer.partial_dependence(model, FRAME, "job")
    theirs = by_sklearn(model, FRAME, ["job"], custom_values={"job": np.array(found.values, dtype=object)})
    np.testing.assert_allclose(found.lines[0].average, theirs["average"][0])


def test_missing_cells_are_a_level():
    rows = FRAME.assign(job=FRAME["job"].where(RNG.random(90) < 0.8))
    found = mercer.partial_dependence(mercer.DecisionTreeRegressor().fit(rows, PAY), rows, "job")
    assert found.values[-1] == "(missing)"
    assert found.counts[-1] == rows["job"].isna().sum()


def test_a_class_can_be_named_and_decisions_stand_in_for_probabilities():
    model = RidgeClassifier().fit(X, np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)])
    yes, no = (mercer.partial_dependence(model, X, 0, label=label) for label in ("yes", "no"))
    assert (yes.unit, yes.lines[0].label) == ("decision", "yes")
    np.testing.assert_allclose(yes.lines[0].average, -np.array(no.lines[0].average))
    assert mercer.partial_dependence(model, X, 0).lines == yes.lines
    with pytest.raises(MercerError, match="Did you mean 'yes'"):
        mercer.partial_dependence(model, X, 0, label="yess")


def test_a_sample_of_rows_is_near_all_rows():
    model = mercer.SVR().fit(X, X[:, 0] ** 2)
    all_rows = mercer.partial_dependence(model, X, 0, max_rows=None, n_values=5)
    some = mercer.partial_dependence(model, X, 0, max_rows=60, n_values=5)
    assert (all_rows.n_rows, some.n_rows) == (90, 60)
    assert some.values == all_rows.values
    np.testing.assert_allclose(some.lines[0].average, all_rows.lines[0].average, atol=0.2)


def test_few_cells_at_once_change_nothing(monkeypatch):
    model = LinearRegression().fit(X, X[:, 0] ** 2)
    whole = mercer.partial_dependence(model, X, 0)
    monkeypatch.setattr("mercer.evaluation.effects._CELLS", 1000)
    assert mercer.partial_dependence(model, X, 0) == whole


def test_sparse_rows():
    rows = sp.csr_array(np.where(X > 0, X, 0.0))
    model = mercer.LinearRegression().fit(rows, rows.toarray() @ [1.0, 2.0, 3.0])
    found = mercer.partial_dependence(model, rows, 1, n_values=4)
    np.testing.assert_allclose(np.diff(found.lines[0].average), 2 * np.diff(found.values), rtol=1e-5)


def test_constant_text_unknown_and_unfitted():
    rows = pd.DataFrame({"age": [1.0, 2.0, 3.0], "planet": "Earth", "note": ["a b", "c d e", "f g h i"]})
    model = mercer.DecisionTreeRegressor(kinds={"note": "text"}).fit(rows, [1.0, 2.0, 3.0])
    with pytest.raises(BadColumn, match="constant"):
        mercer.partial_dependence(model, rows, "planet")
    with pytest.raises(BadColumn, match="is text"):
        mercer.partial_dependence(model, rows, "note")
    with pytest.raises(BadColumn, match="Did you mean 'age'"):
        mercer.partial_dependence(model, rows, "agee")
    with pytest.raises(BadColumn, match="position 3"):
        mercer.partial_dependence(LinearRegression().fit(X, X[:, 0]), X, 3)
    with pytest.raises(NotFittedError):
        mercer.partial_dependence(mercer.SVC(), X, 0)
    with pytest.raises(MercerError, match="n_values"):
        mercer.partial_dependence(model, rows, "age", n_values=1)
    with pytest.raises(MercerError, match="level"):
        mercer.partial_dependence(model, rows, "age", level=2)


def test_one_row_has_no_interval_to_give():
    model = LinearRegression().fit(X, X[:, 0])
    line = mercer.partial_dependence(model, X, 0, max_rows=1).lines[0]
    assert line.low == line.average == line.high


def test_it_is_plain_data():
    model = LinearRegression().fit(X, X[:, 0])
    found = plain(mercer.partial_dependence(model, X, 0, n_lines=2))
    assert np.shape(found["lines"][0]["individual"]) == (2, 20)


def test_a_model_of_labels_alone_is_refused_by_name():
    model = VotingClassifier([("ridge", RidgeClassifier())]).fit(X, CODES)
    with pytest.raises(MercerError, match="The VotingClassifier gives neither probabilities nor a decision"):
        mercer.partial_dependence(model, X, 0)

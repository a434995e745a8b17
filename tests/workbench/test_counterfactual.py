"""mercer.counterfactual: the nearest row with another answer, against brute force, within ranges, validated."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import mercer
from mercer.errors import MercerError
from mercer.select.decisions import DecisionRule

N = 150


def people() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    rows = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N),
            "pay": rng.normal(3000, 500, N),
            "job": rng.choice(["clerk", "sales", "smith"], N),
            "note": [f"letter {k} of {rng.integers(99)}" for k in range(N)],
        }
    )
    score = (rows.age - 45) / 20 + (rows.pay - 3000) / 500 + (rows.job == "sales")
    return rows, np.where(score > 0.3, "yes", "no"), score.to_numpy()


ROWS, LABELS, SCORE = people()
PLAIN = ROWS.drop(columns="note")
LEARNERS = [
    mercer.NaiveBayes(),
    mercer.LogisticRegression(),
    mercer.SVC(),
    mercer.SVC(probability="sigmoid"),
    mercer.KNeighborsClassifier(),
    mercer.DecisionTreeClassifier(),
]


def changed(row: pd.DataFrame, found: mercer.Counterfactual) -> pd.DataFrame:
    """The row with the changes made by hand, from their texts."""
    again = row.copy()
    for c in found.changes:
        again[c.column] = c.after if c.column in ("job", "note") else float(c.after)
    return again


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: str(m)[:30])
def test_the_changed_row_has_the_other_answer(model) -> None:
    model.fit(PLAIN, LABELS)
    for i in range(3):
        found = mercer.counterfactual(model, PLAIN, i)
        row = PLAIN.iloc[[i]]
        assert found.before == model.predict(row)[0] != found.after
        assert model.predict(changed(row, found))[0] == found.after
        for c in found.changes:
            if c.column != "job":
                assert PLAIN[c.column].min() <= float(c.after) <= PLAIN[c.column].max()


class Corner(ClassifierMixin, BaseEstimator):
    """True where the first three numbers are 1 or more, with a score that grows in each."""

    classes_ = np.array([False, True])

    def fit(self, X, y=None):
        return self

    def decision_function(self, X):
        return np.minimum(X[:, :3], 1.0).sum(axis=1) - 2.999

    def predict(self, X):
        return self.decision_function(X) > 0


def test_as_brute_force_over_the_values_of_two_columns() -> None:
    """A grid of few values, which the search may not leave: it must find the cheapest pair."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 5, (60, 4)).astype(float)
    model = mercer.DecisionTreeClassifier().fit(x, (x[:, 0] + x[:, 1] > 5) & (x[:, 2] > 0))
    scale = [mercer.evaluation.attribution.candidates._numbers("", np.append(0, x[:, j])).scale for j in range(4)]
    checked = 0
    for i in range(14):
        found = mercer.counterfactual(model, x, i, most=2)
        own, best = model.predict(x[[i]])[0], (9, np.inf)
        for size in (1, 2):
            for columns in combinations(range(4), size):
                for values in product(*(np.unique(x[:, j]) for j in columns)):
                    row = x[[i]].copy()
                    row[0, list(columns)] = values
                    cost = sum(abs(row[0, j] - x[i, j]) / scale[j] for j in columns)
                    if model.predict(row)[0] != own:
                        best = min(best, (size, cost))
            if best[0] == size:
                break
        assert (len(found.changes), round(sum(c.distance for c in found.changes), 9)) == (best[0], round(best[1], 9))
        checked += best[0] == 2
    assert checked > 1


class Exactly(ClassifierMixin, BaseEstimator):
    """True where the first three cells are "b", without a score that says how near a row is."""

    classes_ = np.array([False, True])

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return (X.iloc[:, :3] == "b").all(axis=1).to_numpy()


@pytest.mark.parametrize("n_columns", [5, 16])
def test_three_columns_on_a_plateau(n_columns) -> None:
    """No change of one or two columns moves the score; of 16 columns with four levels not every triple is tried."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({f"x{j}": rng.choice([*"abcd"], 60) for j in range(n_columns)})
    rows.iloc[0] = "a"
    found = mercer.counterfactual(Exactly().fit(rows), rows, 0)
    if n_columns == 5:
        assert {c.column: c.after for c in found.changes} == {"x0": "b", "x1": "b", "x2": "b"}
        assert found.complete
        none = mercer.counterfactual(Exactly().fit(rows), rows, 0, fixed=["x1"])
        assert none.complete
        assert not none.found
    else:
        assert not found.complete
        assert all(c.after == "b" for c in found.changes)


def test_three_columns_when_two_are_not_enough() -> None:
    x = np.random.default_rng(0).uniform(0, 2, (80, 5))
    x[0] = 0.2
    found = mercer.counterfactual(Corner(), x, 0)
    assert {c.column for c in found.changes} == {"x0", "x1", "x2"}
    assert not mercer.counterfactual(Corner(), x, 0, most=2).found
    # just beyond the corner, not far inside
    assert all(float(c.after) < 1.2 for c in found.changes)


def test_numbers_come_as_near_as_the_answer_holds() -> None:
    x = np.linspace(0, 1, 200)[:, None]
    model = mercer.DecisionTreeClassifier(max_depth=1).fit(x, x[:, 0] > 0.618)
    found = mercer.counterfactual(model, x, 0)
    assert 0.61 < float(found.changes[0].after) < 0.65
    whole = np.arange(100)[:, None]
    model.fit(whole, whole[:, 0] > 61)
    assert mercer.counterfactual(model, whole, 0).changes[0].after == "62"


def test_fixed_columns_stay() -> None:
    model = mercer.LogisticRegression().fit(PLAIN, LABELS)
    free = mercer.counterfactual(model, PLAIN, 3)
    fixed = mercer.counterfactual(model, PLAIN, 3, fixed=[free.changes[0].column])
    assert free.changes[0].column not in {c.column for c in fixed.changes}
    with pytest.raises(MercerError, match="all are fixed"):
        mercer.counterfactual(model, PLAIN, 3, fixed=list(PLAIN))
    with pytest.raises(MercerError, match="no column 'agee'"):
        mercer.counterfactual(model, PLAIN, 3, fixed=["agee"])


def test_text_is_not_changed() -> None:
    model = mercer.NaiveBayes(kinds={"note": "text"}).fit(ROWS, LABELS)
    found = mercer.counterfactual(model, ROWS, 0)
    assert found.found and "note" not in {c.column for c in found.changes}


def test_across_a_threshold(tmp_path: Path) -> None:
    model = mercer.LogisticRegression().fit(PLAIN, LABELS)
    share = model.predict_proba(PLAIN)[:, 1]
    i = int(np.argmin(np.abs(share - 0.35)))
    path = tmp_path / "model.mercer"
    mercer.save(model, path, decision=DecisionRule(("no", "yes"), 1, 0.2))
    found = mercer.counterfactual(path, PLAIN, i)
    assert (found.before, found.after) == ("yes", "no") and found.score_after < 0.2
    assert mercer.counterfactual(model, PLAIN, i, threshold=0.2).changes == found.changes
    assert mercer.counterfactual(model, PLAIN, i).before == "no"
    flipped = mercer.counterfactual(model, PLAIN, i, threshold=0.7, positive="no")  # P(no) is 0.65
    assert (flipped.before, flipped.after) == ("yes", "no") and flipped.score_after >= 0.7


def test_a_model_whose_predictions_are_not_its_largest_scores() -> None:
    inner = FrozenEstimator(mercer.LogisticRegression().fit(PLAIN, LABELS))
    model = FixedThresholdClassifier(inner, threshold=0.2, pos_label="yes").fit(PLAIN, LABELS)
    for i in range(3):
        found = mercer.counterfactual(model, PLAIN, i)
        assert found.before == model.predict(PLAIN.iloc[[i]])[0]
        assert model.predict(changed(PLAIN.iloc[[i]], found))[0] == found.after != found.before


def test_a_pipeline_of_scikit_learn() -> None:
    encoder = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    model = make_pipeline(encoder, RandomForestClassifier(10, random_state=0)).fit(PLAIN, LABELS)
    found = mercer.counterfactual(model, PLAIN, 0)
    assert model.predict(changed(PLAIN.iloc[[0]], found))[0] == found.after != found.before


def test_numbers_above_and_below() -> None:
    model = mercer.LinearRegression().fit(PLAIN, SCORE)
    now = float(model.predict(PLAIN.iloc[[0]])[0])
    up = mercer.counterfactual(model, PLAIN, 0, above=now + 0.5)
    down = mercer.counterfactual(model, PLAIN, 0, below=now - 0.5)
    assert up.score_after > now + 0.5 and down.score_after < now - 0.5
    assert str(up).startswith("The prediction would be")
    with pytest.raises(MercerError, match="above= or below="):
        mercer.counterfactual(model, PLAIN, 0)
    with pytest.raises(MercerError, match="below=, not both"):
        mercer.counterfactual(model, PLAIN, 0, above=now + 1, below=now + 2)
    with pytest.raises(MercerError, match="already"):
        mercer.counterfactual(model, PLAIN, 0, above=now - 1)
    with pytest.raises(MercerError, match="predicts numbers"):
        mercer.counterfactual(model, PLAIN, 0, to="yes")


def test_the_class_asked_for() -> None:
    three = np.array(["low", "mid", "top"])[np.digitize(SCORE, [-0.7, 0.9])]
    model = mercer.LogisticRegression().fit(PLAIN, three)
    i = int(np.flatnonzero(model.predict(PLAIN) == "low")[0])
    assert mercer.counterfactual(model, PLAIN, i, to="top").after == "top"
    assert mercer.counterfactual(model, PLAIN, i).after == "mid"
    with pytest.raises(MercerError, match=r"no class of the model\. Did you mean 'top'"):
        mercer.counterfactual(model, PLAIN, i, to="tops")
    with pytest.raises(MercerError, match="'low' already"):
        mercer.counterfactual(model, PLAIN, i, to="low")
    with pytest.raises(MercerError, match="predicts classes"):
        mercer.counterfactual(model, PLAIN, i, above=1)


def test_missing_cells_may_be_filled_in_and_none_is_emptied() -> None:
    rows = PLAIN.astype({"age": float})
    rows.loc[0, ["age", "job"]] = np.nan, None
    model = mercer.DecisionTreeClassifier().fit(rows, LABELS)
    found = mercer.counterfactual(model, rows, 0)
    assert found.found and "(missing)" not in {c.after for c in found.changes}


def test_nothing_changes_a_baseline_and_that_is_said() -> None:
    model = mercer.MajorityClass().fit(PLAIN, LABELS)
    found = mercer.counterfactual(model, PLAIN, 0, most=1)
    assert not found.found and found.complete
    assert str(found) == f"No change of one column within the training ranges makes the answer not {found.before!r}."
    assert "not every combination" in str(mercer.counterfactual(model, PLAIN, 0))
    with pytest.raises(MercerError, match="1 or more"):
        mercer.counterfactual(model, PLAIN, 0, most=0)


def test_parts_of_a_date_change_with_the_date_alone():
    rng = np.random.default_rng(0)
    days = pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.integers(0, 700, 200), unit="D")
    rows = pd.DataFrame({"start": days.strftime("%Y-%m-%d"), "size": rng.normal(size=200)})
    model = mercer.LogisticRegression().fit(mercer.read_table(rows), np.where(days.month <= 6, "yes", "no"))
    assert "start (month)" in model.schema_.names
    row = int(np.flatnonzero(days.month == 11)[0])
    found = mercer.counterfactual(model, rows, row, fixed=["size"])
    assert [c.column for c in found.changes] == ["start"]
    again = rows.iloc[[row]].assign(start=found.changes[0].after)
    assert model.predict(again) == [found.after]
    fixed = ["size", "start (month)"]
    with pytest.raises(MercerError, match="No column can be changed"):
        mercer.counterfactual(model, rows, row, fixed=fixed)


def test_the_answer_is_what_the_model_predicts_where_its_probabilities_say_another_class():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = NearestCentroid().fit(X, np.where(X[:, 0] + 0.7 * X[:, 1] + rng.normal(size=120) > 0.9, "yes", "no"))
    every = np.random.default_rng(1).normal(size=(2000, 3))
    scores = model.classes_[model.predict_proba(every).argmax(axis=1)]
    assert 0 < (scores != model.predict(every)).mean() < 0.1
    for row in range(40):
        found = mercer.counterfactual(model, X, row)
        changed = X[[row]].copy()
        for change in found.changes:
            changed[0, int(change.column[1:])] = float(change.after)
        assert found.before == model.predict(X[[row]])[0] != model.predict(changed)[0] == found.after


def test_the_probability_reported_is_that_of_the_class_that_explanations_are_about() -> None:
    y = np.where(SCORE > 1.2, "a", "z")  # the rarer class comes first
    result = mercer.train(PLAIN, y, learners="naive_bayes", quick=True)
    said = mercer.explain(result, PLAIN, [0])
    found = mercer.counterfactual(result, PLAIN, 0)
    assert said.for_class is not None
    assert said.for_class[0] == "a"
    assert found.what == "probability of 'a'"

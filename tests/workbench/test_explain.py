"""mercer.explain: one shape for every learner, sums that are the prediction, and clear errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

import mercer
from mercer.errors import MercerError
from mercer.select.decisions import DecisionRule
from mercer.store.summary import summarise
from mercer.workbench.decided import Decided

N = 120


def people() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({f"n{k}": rng.normal(size=N) for k in range(7)})
    rows = rows.assign(job=rng.choice(["clerk", "sales", "smith"], N), city=rng.choice(list("pqrs"), N))
    rows.loc[rng.random(N) < 0.2, "n0"] = np.nan
    rows.loc[rng.random(N) < 0.1, "job"] = None
    return rows


ROWS = people()
SCORE = ROWS.n0.fillna(0.4) * 2 + ROWS.n1 * ROWS.n2 + (ROWS.job == "sales")
TWO, THREE = np.where(SCORE > 0.3, "yes", "no"), np.array(["low", "mid", "top"])[np.digitize(SCORE, [-0.5, 1])]
CLASSIFIERS = [
    mercer.NaiveBayes(),
    mercer.LogisticRegression(),
    mercer.Perceptron(),
    mercer.Perceptron(probability=True, average=True),
    mercer.Perceptron(average="voted"),
    mercer.KernelPerceptron(),
    mercer.LinearSVC(),
    mercer.SVC(),
    mercer.SVC(probability="sigmoid"),
    mercer.SVC(decision_function_shape="ovo"),
    mercer.NuSVC(nu=0.1),
    mercer.KNeighborsClassifier(),
    mercer.RoteLearner(),
    mercer.DecisionTreeClassifier(),
    mercer.MajorityClass(),
]
REGRESSORS = [
    mercer.NaiveBayesRegressor(),
    mercer.LinearRegression(),
    mercer.LinearSVR(),
    mercer.SVR(),
    mercer.NuSVR(),
    mercer.KNeighborsRegressor(),
    mercer.LocallyWeightedRegression(),
    mercer.DecisionTreeRegressor(),
    mercer.MeanTarget(),
]


def score_of(model, rows, found) -> np.ndarray:
    """What the explanation says that it explains, asked of the model."""
    place, i = {c: k for k, c in enumerate(model.classes_)}, np.arange(len(rows))
    own = [place[c] for c in found.for_class]
    if found.unit == "vote":
        return (model.predict(rows) == found.for_class).astype(float)
    if found.unit == "probability":
        return model.predict_proba(rows)[i, own]
    other = None if found.against_class is None else [place[c] for c in found.against_class]
    if found.unit == "log odds":
        logs = (
            model.predict_log_proba(rows) if hasattr(model, "predict_log_proba") else np.log(model.predict_proba(rows))
        )
        return logs[i, own] - logs[i, other]
    scores = model.decision_function(rows)
    if scores.ndim == 1:
        return scores
    return scores[i, own] - (0 if other is None else scores[i, other])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda m: str(m)[:30])
def test_classifiers_add_up(model, labels) -> None:
    model.fit(ROWS, labels)
    found = mercer.explain(model, ROWS, rows=[3, 50])
    assert_allclose(found.total, score_of(model, ROWS.iloc[[3, 50]], found), rtol=1e-9, atol=1e-9)
    assert set(found.columns) == set(ROWS.columns)  # "n0 is missing" counts for n0
    assert found.row_numbers.tolist() == [3, 50]
    assert len(found.cells) == 2 and len(found.cells[0]) == len(found.columns)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", REGRESSORS, ids=lambda m: str(m)[:30])
def test_regressors_add_up(model) -> None:
    model.fit(ROWS, SCORE)
    found = mercer.explain(model, ROWS, rows=[0, 7])
    assert_allclose(found.total, model.predict(ROWS.iloc[[0, 7]]), rtol=1e-9, atol=1e-9)
    assert found.unit == "prediction" and found.for_class is None


def test_outliers_add_up() -> None:
    model = mercer.OneClassSVM().fit(ROWS)
    found = mercer.explain(model, ROWS, rows=2)
    assert_allclose(found.total, model.decision_function(ROWS.iloc[[2]]), atol=1e-9)


@pytest.mark.parametrize("frame", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_a_pipeline_of_scikit_learn_by_its_own_columns(frame) -> None:
    rows = frame(ROWS.assign(n0=ROWS.n0.fillna(0), job=ROWS.job.fillna("none")))
    encoder = make_column_transformer((OneHotEncoder(sparse_output=False), ["job", "city"]), remainder="passthrough")
    model = make_pipeline(encoder, RandomForestClassifier(10, random_state=0)).fit(rows, TWO)
    found = mercer.explain(model, rows, rows=[4])
    assert_allclose(found.total, model.predict_proba(rows[4:5])[:, 1], atol=1e-9)
    assert found.columns == tuple(ROWS.columns) and found.cells[0][7] == ROWS.job.fillna("none")[4]
    assert not found.exact and found.error.shape == (1, 9)


def test_classes_without_probabilities_and_scores() -> None:
    x = ROWS[["n1", "n2"]].to_numpy()
    ridge = RidgeClassifier().fit(x, THREE)
    assert_allclose(mercer.explain(ridge, x, rows=0).total, ridge.decision_function(x[:1]).max(axis=1), atol=1e-9)

    class Stump(RidgeClassifier):
        decision_function = None

        def predict(self, X):
            return np.where(X[:, 0] > 0, "yes", "no")

    stump = Stump().fit(x, TWO)
    found = mercer.explain(stump, x, rows=[0, 1])
    assert found.unit == "vote" and set(found.total) <= {0.0, 1.0}
    assert_allclose(found.values[:, 1], 0)


def test_sparse_rows() -> None:
    x = sp.random_array((40, 12), density=0.3, rng=np.random.default_rng(0), format="csr")
    model = mercer.KNeighborsRegressor().fit(x, np.asarray(x.sum(axis=1)))
    found = mercer.explain(model, x, rows=[1])
    assert_allclose(found.total, model.predict(x[[1]]), atol=1e-9)


def test_from_the_side_of_the_class_asked_for() -> None:
    for model in (mercer.LogisticRegression(), mercer.DecisionTreeClassifier(max_depth=3)):
        model.fit(ROWS, TWO)
        yes, no = (mercer.explain(model, ROWS, rows=0, positive=side) for side in ("yes", "no"))
        assert_allclose(yes.values, -no.values)
        assert no.for_class[0] == "no" and no.against_class[0] == "yes"
        expected = 1 - yes.total if yes.unit == "probability" else -yes.total
        assert_allclose(no.total, expected, atol=1e-12)
    with pytest.raises(MercerError, match="no class"):
        mercer.explain(model, ROWS, rows=0, positive="maybe")
    with pytest.raises(MercerError, match="not one of two classes"):
        mercer.explain(model.fit(ROWS, THREE), ROWS, rows=0, positive="low")


def test_a_stored_model_and_its_positive_class(tmp_path: Path) -> None:
    model = mercer.LogisticRegression().fit(ROWS, TWO)
    path = tmp_path / "model.mercer"
    mercer.save(model, path, decision=DecisionRule(("no", "yes"), 0, 0.3))
    found = mercer.explain(path, ROWS, rows=0)
    assert found.for_class[0] == "no"
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    assert_allclose(mercer.explain(str(path), tmp_path / "rows.csv", rows=0).values, found.values, rtol=1e-6)


def test_a_result_of_train_with_its_threshold() -> None:
    result = mercer.train(ROWS.assign(churn=TWO), "churn", learners="tree", quick=True, threshold=0.2, positive="no")
    found = mercer.explain(result, ROWS, rows=[1])
    assert found.method.startswith("exact") and found.for_class[0] == "no"
    change = mercer.counterfactual(result, ROWS, 1)
    assert change.before == result.predict(ROWS.iloc[[1]])[0]
    assert_allclose(mercer.explain(result.model, ROWS, rows=[1]).values, found.values)


def test_a_stored_model_is_explained_by_its_column_summaries(tmp_path: Path) -> None:
    """One row alone, and no training row in the file of a model that keeps none."""
    path = tmp_path / "model.mercer"
    model = mercer.NaiveBayesRegressor().fit(ROWS, SCORE)
    mercer.save(model, path, summary=summarise(mercer.read_table(ROWS)))
    found = mercer.explain(path, ROWS.iloc[[3]])
    assert_allclose(found.total, model.predict(ROWS.iloc[[3]]), atol=1e-9)
    by_rows = mercer.explain(model, ROWS, rows=3)
    assert np.corrcoef(found.values[0], by_rows.values[0])[0, 1] > 0.7  # 50 other rows
    change = mercer.counterfactual(path, ROWS.iloc[[3]], above=found.total[0] + 0.5)
    assert change.found and change.score_after > found.total[0] + 0.5


def test_class_weights_of_the_fit_are_taken_out_again() -> None:
    rule = DecisionRule(("no", "yes"), 1, 0.5, class_weights=(1.0, 4.0))
    for model in (mercer.LogisticRegression(), mercer.DecisionTreeClassifier(max_depth=3)):
        decided = Decided(model.fit(ROWS, TWO), rule)
        found = mercer.explain(decided, ROWS, rows=[0, 1])
        share = decided.predict_proba(ROWS.iloc[:2])[:, 1]
        assert_allclose(found.total, share if found.unit == "probability" else np.log(share / (1 - share)), atol=1e-9)
        assert mercer.counterfactual(decided, ROWS, 0).before == decided.predict(ROWS.iloc[[0]])[0]


def test_more_samples_have_smaller_errors() -> None:
    model = mercer.KNeighborsClassifier().fit(ROWS, TWO)
    few, many = (mercer.explain(model, ROWS, rows=0, samples=k, background=ROWS[:10]) for k in (2, 32))
    assert many.error.mean() < few.error.mean() / 2
    again = mercer.explain(model, ROWS, rows=0, samples=2, background=ROWS[:10])
    assert_allclose(few.values, again.values)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rows": N}, f"no row {N}: the table has {N}, from 0 to {N - 1}"),
        ({"rows": "first"}, "positions, whole numbers from 0"),
        ({"rows": []}, "positions, whole numbers from 0"),
        ({"samples": 1}, "at least 2"),
        ({"background": ROWS[:0]}, "no rows"),
    ],
)
def test_bad_arguments(arguments, words) -> None:
    model = mercer.KNeighborsClassifier().fit(ROWS, TWO)
    with pytest.raises(MercerError, match=words):
        mercer.explain(model, ROWS, **arguments)


def test_one_row_alone_needs_a_background() -> None:
    model = mercer.KNeighborsClassifier().fit(ROWS, TWO)
    with pytest.raises(MercerError, match="background="):
        mercer.explain(model, ROWS.iloc[[0]])
    found = mercer.explain(model, ROWS.iloc[[0]], background=ROWS)
    assert_allclose(found.total, model.predict_proba(ROWS.iloc[[0]])[:, 1])


def test_several_targets_and_many_rows_are_refused() -> None:
    x = ROWS[["n1", "n2"]].to_numpy()
    with pytest.raises(MercerError, match="several targets"):
        mercer.explain(mercer.KNeighborsRegressor().fit(x, x), x, rows=0)
    model = mercer.KNeighborsClassifier().fit(x, TWO)
    with pytest.raises(MercerError, match=r"name at most 500"):
        mercer.explain(model, np.tile(x, (5, 1)))


def test_words_html_and_text() -> None:
    model = mercer.DecisionTreeClassifier(max_depth=3).fit(ROWS, TWO)
    found = mercer.explain(model, ROWS, rows=[5])
    strongest = found.columns[found.strongest(0)[0]]
    assert f"Mostly because {strongest} = " in found.words(0) or f"against it: {strongest} = " in found.words(0)
    assert "row 5: yes against no" in found.row(0) and "<table>" in found._repr_html_()
    plain = mercer.explain(mercer.MeanTarget().fit(ROWS, SCORE), ROWS, rows=[5])
    assert plain.words(0).endswith("no column makes a difference.")


def test_dates_are_shown_as_dates() -> None:
    days = pd.date_range("2024-01-01", periods=40, freq="D")
    rows = pd.DataFrame({"day": days, "x": np.arange(40) % 7})
    found = mercer.explain(mercer.LinearRegression().fit(rows, np.arange(40.0)), rows, rows=3)
    assert "2024-01-04" in found.cells[0][found.columns.index("day")]


@pytest.mark.parametrize("job", [mercer.explain, lambda model, X, rows: mercer.counterfactual(model, X, row=rows)])
def test_a_model_that_is_not_fitted(job) -> None:
    with pytest.raises(MercerError, match="SVC is not fitted: call its fit first"):
        job(SVC(), ROWS[["n1", "n2"]], rows=0)

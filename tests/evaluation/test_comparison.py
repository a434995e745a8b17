"""The comparison of learners end to end on generated tables."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mercer
from mercer.errors import BadTable, MercerError
from mercer.estimators import registry
from mercer.estimators.registry import LEARNERS, Learner, TaskModel, learners
from mercer.evaluation.advice import fitting_hint
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.intervals import AGRESTI_COULL, WILSON, Score
from mercer.evaluation.metrics import METRICS
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.result import FORMAT, plain
from mercer.evaluation.run.records import Entry
from mercer.evaluation.uncertainty.paired import ranking
from mercer.select import search as tuning
from mercer.select.sampling import limit_rows
from mercer.table import Task, open_source


def quiet(what, share):
    pass


def no_settings(seed, n_jobs):
    return {}


def mixed(n=300, seed=0, target="binary"):
    rng = np.random.default_rng(seed)
    age = rng.normal(40, 10, n).round(1)
    job = rng.choice(["clerk", "sales", "chef"], n)
    signal = (age - 40) / 10 + (job == "chef") * 1.5 + rng.normal(0, 0.7, n)
    y = {
        "binary": np.where(signal > 1, "yes", "no"),
        "several": np.where(signal > 1, "high", np.where(signal > 0, "middle", "low")),
        "number": signal * 100,
    }[target]
    ages = [None if rng.random() < 0.1 else a for a in age.tolist()]
    return {"row_id": [f"r{i}" for i in range(n)], "age": ages, "job": job.tolist(), "y": y.tolist()}


def run(data, **options):
    settings = ComparisonOptions(**{"repeats": 1, "learners": ["naive_bayes", "baseline"], **options})
    return compare_learners(prepare(open_source(data), "y", settings), quiet)


TWO = tuple(learner for learner in LEARNERS if learner.key in ("naive_bayes", "baseline"))


@pytest.mark.parametrize(("target", "metric"), [("binary", "roc_auc"), ("several", "accuracy"), ("number", "r2")])
def test_the_learner_beats_the_baseline(target, metric):
    found = run(mixed(target=target))
    assert found.metric.key == metric
    assert found.best.key == "naive_bayes"
    mean, base = (e.cross_validated[metric].value for e in found.leaderboard)
    assert mean > base + 0.1
    held = found.best.held_out[metric]
    assert held.low < held.value < held.high
    assert [c.name for c in found.left_out] == ["row_id"]
    assert next(c for c in found.columns if c.name == "age").missing == pytest.approx(0.1, abs=0.05)
    assert {i.column for i in found.diagnostics.importance} == {"age", "job"}


def test_the_winner_is_fitted_to_every_row_and_predicts_names():
    data = mixed()
    found = run(data)
    again = mercer.NaiveBayes().fit(mercer.read_table({k: data[k] for k in ("age", "job")}), np.array(data["y"]))
    rows = {"age": [30.0, 60.0], "job": ["clerk", "chef"]}
    assert found.best_model.predict(rows).tolist() == ["no", "yes"]
    np.testing.assert_allclose(found.best_model.predict_proba(rows), again.predict_proba(rows))


@pytest.mark.parametrize("target", ["binary", "several", "number"])
def test_the_result_is_json_and_repeats_by_seed(target):
    first, again, other = (run(mixed(target=target), seed=s).to_dict() for s in (0, 0, 1))
    for result in (first, again, other):
        json.dumps(result, allow_nan=False)
        result.pop("seconds")
        for entry in result["leaderboard"]:
            for key in ("seconds", "fit_seconds", "predict_seconds"):
                entry.pop(key)
    assert first == again != other
    assert first["format"] == FORMAT


def test_columns_that_know_nothing_give_no_skill():
    """Random levels, few rows each: a learner or a split that saw the test rows would show skill here.

    Below 0.5 is no skill either: a level with many rows of one class in training has fewer left to test.
    """
    rng = np.random.default_rng(5)
    n = 600
    y = rng.permutation(np.repeat(["a", "b"], n // 2))
    data = {"level": rng.choice([f"v{i}" for i in range(150)], n).tolist(), "noise": rng.normal(size=n).tolist()}
    found = run({**data, "y": y.tolist()})
    best = next(e for e in found.leaderboard if e.key == "naive_bayes")
    assert best.training["roc_auc"] > 0.65
    assert best.cross_validated["roc_auc"].value < 0.55
    assert best.held_out["roc_auc"].low < 0.5


def test_overfitting_is_told_and_its_absence_too():
    rng = np.random.default_rng(6)
    n = 400
    y = rng.integers(0, 2, n)
    told = run({"x": (y + rng.normal(0, 1, n)).tolist(), "y": y.tolist()})
    assert told.hint.startswith("No sign of overfitting")
    words = [f"{rng.integers(0, 400)} and {rng.integers(0, 400)} and {rng.integers(0, 400)}" for _ in range(n)]
    x = (0.4 * y + rng.normal(0, 1, n)).tolist()
    assert run({"w": words, "x": x, "y": y.tolist()}).hint.startswith(("Overfitting", "Underfitting"))


def test_a_simpler_model_is_not_promised_to_help_where_none_is_better():
    metric = METRICS["roc_auc"]

    def entry(key, trained, tested):
        scores = {"cross_validated": {"roc_auc": Score(tested, tested - 0.01, tested + 0.01)}}
        return Entry(key, key, "", key == "baseline", False, training={"roc_auc": trained}, **scores)

    forest, linear, baseline = entry("forest", 1.0, 0.8), entry("linear", 0.76, 0.75), entry("baseline", 0.5, 0.5)
    assert "No other learner here predicts new rows better." in fitting_hint(forest, [forest, linear, baseline], metric)
    assert "So may a simpler model." in fitting_hint(forest, [forest, baseline], metric)
    assert "So may a simpler model." in fitting_hint(forest, [linear, forest, baseline], metric)
    assert fitting_hint(linear, [forest, linear, baseline], metric).startswith("No sign of overfitting")


def test_a_gap_within_the_error_is_not_called_none():
    """A cost of 0.03 on the training rows and of 0.15 in cross-validation, 0 to 0.3."""
    metric = METRICS["log_loss"]

    def entry(key, trained, tested, half):
        scores = {"cross_validated": {"log_loss": Score(tested, tested - half, tested + half)}}
        return Entry(key, key, "", key == "baseline", False, training={"log_loss": trained}, **scores)

    forest, baseline = entry("forest", 0.03, 0.15, 0.14), entry("baseline", 0.3, 0.3, 0.01)
    hint = fitting_hint(forest, [forest, baseline], metric)
    assert hint.startswith("Whether it overfits cannot be told: the gap is within the error")
    assert "0.030 on its training rows, 0.150" in hint


class TooLate(mercer.NaiveBayes):
    def fit(self, X, y, sample_weight=None):
        if len(X) == 300:
            raise ArithmeticError("too many rows")
        return super().fit(X, y, sample_weight)


def test_a_learner_that_fails_on_all_rows_loses_its_place(monkeypatch):
    late = Learner("late", "Late", "Fails late.", TaskModel(TooLate, None, no_settings))
    monkeypatch.setattr(registry, "LEARNERS", (late, *TWO))
    found = run(mixed(), learners=None)
    assert [e.key for e in found.leaderboard] == ["naive_bayes", "baseline", "late"]
    assert "too many rows" in found.leaderboard[-1].error
    assert found.best_model.predict({"age": [60.0], "job": ["chef"]}).tolist() == ["yes"]


class Broken:
    def fit(self, X, y):
        raise ArithmeticError("the sky fell")


def test_a_learner_that_fails_is_listed_and_the_others_go_on(monkeypatch):
    broken = Learner("broken", "Broken", "Fails.", TaskModel(Broken, None, no_settings))
    monkeypatch.setattr(registry, "LEARNERS", (broken, *TWO))
    found = run(mixed(), learners=None)
    assert found.leaderboard[-1].error == "ArithmeticError: the sky fell"
    assert found.best.key == "naive_bayes"
    assert any("Broken failed" in n for n in found.notices)
    json.dumps(found.to_dict(), allow_nan=False)
    monkeypatch.setattr(registry, "LEARNERS", (broken,))
    with pytest.raises(BadTable, match="the sky fell"):
        run(mixed(), learners=None)


def test_a_learner_that_takes_few_rows_gets_a_sample(monkeypatch):
    sizes = []

    class Counting(mercer.MajorityClass):
        def fit(self, X, y, sample_weight=None):
            sizes.append((len(X), len(set(y))))
            return super().fit(X, y, sample_weight)

    small = Learner("small", "Small", "Samples.", TaskModel(Counting, None, no_settings), max_rows=50)
    monkeypatch.setattr(registry, "LEARNERS", (small,))
    found = run(mixed(), learners=None)
    assert all(45 <= n <= 51 and k == 2 for n, k in sizes)
    assert "of 240 rows, its row limit: a random sample" in found.best.note
    assert found.training_rows == sizes[-1][0] < len(mixed()["y"])  # what the last fit saw
    assert f"learned from {found.training_rows} of 300 rows" in found.row_limit
    assert any("of 240 rows" in n for n in found.notices)


def test_a_row_limit_keeps_every_row_of_a_rare_class(monkeypatch):
    seen = []

    class Weighing(mercer.NaiveBayes):
        def fit(self, X, y, sample_weight=None):
            seen.append((np.asarray(y), sample_weight))
            return super().fit(X, y, sample_weight)

    small = Learner("small", "Small", "Samples.", TaskModel(Weighing, None, no_settings), max_rows=100)
    monkeypatch.setattr(registry, "LEARNERS", (small,))
    data = mixed(600)
    data["y"] = ["rare" if i % 40 == 0 else y for i, y in enumerate(data["y"])]
    found = run(data, learners=None)
    labels, weight = seen[-1]
    assert (labels == "rare").sum() == 15
    assert found.training_rows == len(labels) <= 100
    shares = {str(c): weight[labels == c].sum() / weight.sum() for c in np.unique(labels)}
    assert shares == pytest.approx({c: data["y"].count(c) / 600 for c in shares}, abs=1e-9)
    assert "every row of 'rare' and a random sample of the others" in found.row_limit


def test_few_rows_of_a_class_are_said_and_no_interval_collapses():
    data = mixed(200)
    data["age"] = [float(i) for i in range(200)]
    data["y"] = ["yes" if i < 12 else "no" for i in range(200)]
    found = run(data, learners=["linear", "tree"], repeats=None)
    assert found.splits.n_repeats == 3
    assert found.headline == "cross_validated"
    assert any(n.startswith("Few rows of 'yes' (12)") for n in found.notices)
    for entry in found.leaderboard:
        for scores in (entry.cross_validated, entry.held_out):
            assert scores["roc_auc"].low < 0.95
            assert scores["accuracy"].low < scores["accuracy"].high
    assert run(mixed(1200)).headline == "held_out"


def test_a_class_with_one_row_is_set_aside():
    data = mixed(target="several")
    data["y"][7] = "alone"
    found = run(data)
    assert found.splits.n_rows == 299
    assert found.target.classes == ["high", "low", "middle"]
    assert found.target.reason == "3 levels of two rows or more"
    assert any("'alone'" in n and "set aside" in n for n in found.notices)


def test_rows_are_limited_as_they_say():
    rng = np.random.default_rng(0)
    classes = (rng.random(5000) < 0.01).astype(int)
    rows, weight, whole = limit_rows(classes, 5000, 1000, 0)
    assert whole.tolist() == [1]
    assert set(np.flatnonzero(classes == 1)) <= set(rows)
    assert 990 <= len(rows) <= 1000
    assert weight.mean() == pytest.approx(1)
    assert np.average(classes[rows], weights=weight) == pytest.approx(classes.mean())
    even, weight, whole = limit_rows(np.arange(5000) % 2, 5000, 1000, 0)
    assert (weight is None, len(whole), len(even)) == (True, 0, 1000)


@pytest.mark.parametrize(("target", "scoring"), [("binary", "roc_auc"), ("several", "accuracy"), ("number", "r2")])
def test_the_support_vector_machine_searches_on_training_rows(monkeypatch, target, scoring):
    searched = []
    original = tuning.search_folds

    def watched(problem, *rest):
        searched.append(len(problem.target))
        return original(problem, *rest)

    monkeypatch.setattr(tuning, "search_folds", watched)
    found = run(mixed(200, target=target), folds=3, learners=["svm"])
    n_train = found.splits.n_train * 2 / 3
    assert sorted(searched) == [pytest.approx(n_train, abs=3)] * 3 + [found.splits.n_train, 200]  # in any order
    assert found.best_model.tuning_.scoring == scoring
    assert set(found.best_model.tuning_.names) == {"C", "gamma"}
    assert found.best.error is None


@pytest.mark.parametrize("seed", [0, 7, 8, 10, 12])
def test_a_machine_searched_by_an_area_calls_both_classes(seed):
    found = run(mixed(200, seed), folds=3, learners=["svm"], seed=seed)
    [entry] = found.leaderboard
    assert entry.cross_validated["roc_auc"].value > 0.85
    assert min(entry.folds["recall"]) > 0.2  # one fold at least had 0, its probabilities up to exactly one half


@pytest.mark.parametrize("metric", ["log_loss", "average_precision", "f1_macro", "recall", "precision", "f1", "mcc"])
def test_one_metric_drives_search_and_ranking(metric):
    found = run(mixed(200), folds=3, metric=metric, learners=["svm", "neighbours", "baseline"])
    assert found.metric.key == metric
    values = [e.cross_validated[metric].value for e in found.leaderboard]
    assert values == sorted(values, reverse=found.metric.higher_is_better)
    assert found.best.error is None
    model = found.best_model
    name = model.tuning_.scoring if found.best.key == "svm" else model.scoring.__name__
    assert name == metric


def test_k_is_chosen_by_the_metric():
    data = mixed(300)
    by = {m: run(data, metric=m, learners=["neighbours"]).best_model for m in ("log_loss", "accuracy")}
    curve = by["log_loss"].curve_.scores["uniform"]
    assert by["log_loss"].n_neighbors_ == 2 * np.nanargmax(curve[::2]) + 1
    assert np.nanmax(curve) < 0  # minus the log loss
    assert by["accuracy"].curve_.scores["uniform"].max() > 0.5


def test_a_learner_over_its_time_limit_is_scored_on_fewer_folds():
    found = run(mixed(), folds=5, time_limit=1e-9, learners=["naive_bayes", "baseline"])
    assert all("2 of 5 folds" in e.note and "time limit" in e.note for e in found.leaderboard)
    assert any("time limit" in n for n in found.notices)


@pytest.mark.parametrize("seed", range(4))
def test_three_rows_of_a_class_have_a_score_within_a_time_limit(seed):
    data = mixed(120, seed)
    rows = [i for i, label in enumerate(data["y"]) if label == "yes"][:3]
    data["y"] = ["yes" if i in rows else "no" for i in range(120)]
    found = run(data, folds=5, time_limit=1e-3, learners=["svm", "naive_bayes", "kernel_logistic"], seed=seed)
    for entry in found.leaderboard:
        assert entry.error is None, entry
        assert entry.cross_validated["roc_auc"].value is not None, entry


def test_the_search_of_a_support_vector_machine_has_a_time_limit():
    found = run(mixed(), folds=3, time_limit=1e-3, learners=["svm"])
    assert found.best.error is None
    assert any("search over costs and widths met its time limit" in n for n in found.notices)


def test_progress_rises_to_one():
    seen = []
    context = prepare(open_source(mixed(100)), "y", ComparisonOptions(learners=["baseline"]))
    compare_learners(context, lambda what, share: seen.append((what, share)))
    shares = [s for _, s in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert any("fold 2 of 15" in what for what, _ in seen)


def test_learners_can_be_named():
    assert [e.key for e in run(mixed(100), learners=("baseline",)).leaderboard] == ["baseline"]
    with pytest.raises(MercerError, match="Did you mean 'naive_bayes'"):
        learners(Task.CLASSIFICATION, ["naive_baies"])
    with pytest.raises(MercerError, match="No learner"):
        learners(Task.REGRESSION, [])


def test_many_classes_bring_no_warning_and_no_bootstrap():
    classes = np.repeat([f"k{i:02}" for i in range(60)], 4)
    x = np.repeat(np.arange(60.0), 4) + np.random.default_rng(0).normal(0, 0.1, 240)
    found = run({"x": x.tolist(), "y": classes.tolist()}, folds=2)
    assert len(found.notices) == 1
    assert found.notices[0].startswith("Few rows of 'k00' (4)")
    assert found.best.held_out["accuracy"].method in (WILSON, AGRESTI_COULL)
    of_matrix = found.best.held_out["f1_macro"]
    assert of_matrix.low < of_matrix.value <= of_matrix.high <= 1


def test_nothing_to_learn_from():
    with pytest.raises(BadTable, match="No column is left"):
        run({"y": ["a", "b"] * 20, "same": ["x"] * 40})


def test_rows_without_a_target_are_mentioned():
    data = mixed(200)
    data["y"][3] = None
    found = run(data)
    assert found.splits.n_rows == 199
    assert "1 row without a value of 'y' left out." in found.notices


@pytest.mark.parametrize(
    "data",
    [
        {"x": [1.0, 2.0] * 6, "y": ["a", "b"] * 6},
        {"x": [None, 2.0, 3.0] * 20, "y": ["a", "a", "b", "c"] * 15},
        {"x": [f"l{i % 37}" for i in range(80)], "y": list(range(80))},
        {"x": np.arange(60.0), "y": ["a"] * 57 + ["b"] * 3},
        {"x": np.arange(60.0), "y": ["a"] * 56 + ["b", "b", "c", "c"]},
        {"x": np.arange(40) + 0.5, "y": np.linspace(-1e200, 1e200, 40)},
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # squares of 1e200 overflow
def test_small_and_odd_tables_go_through(data):
    json.dumps(run(data, task=None).to_dict(), allow_nan=False)


def test_every_learner_of_the_registry_runs_for_its_tasks():
    for task in Task:
        keys = [one.key for one in learners(task)]
        assert len(set(keys)) == len(keys)
        found = run(mixed(120, target="binary" if task is Task.CLASSIFICATION else "number"), learners=None)
        assert {e.key for e in found.leaderboard} - {"ensemble"} == set(keys)
        assert all(e.error is None for e in found.leaderboard)


def test_plain_data_have_no_numpy_and_no_nan():
    given = {"a": np.float64(1.5), "b": (np.int32(2), math.nan, math.inf), "c": Task.REGRESSION, "d": np.array([1.0])}
    assert plain(given) == {"a": 1.5, "b": [2, None, None], "c": "regression", "d": [1.0]}
    assert type(plain(given)["c"]) is str


def test_a_winner_that_is_not_clearly_better_is_a_tie():
    found = run(mixed(400), learners=["svm", "linear", "baseline"], repeats=3)
    keys = [e.key for e in found.leaderboard]
    metric = found.metric.key
    assert found.best.behind is None
    assert [e.tied for e in found.leaderboard] == [False, True, False]
    for entry in found.leaderboard[1:]:
        gap = found.best.cross_validated[metric].value - entry.cross_validated[metric].value
        assert entry.behind.value == pytest.approx(gap)
        assert entry.behind.low < entry.behind.value < entry.behind.high
    assert found.simpler in ("linear" if keys[0] == "svm" else None, None)


def test_learners_are_ranked_on_the_folds_that_both_have():
    """The second has the larger mean, of two easy folds only, on which the first is better."""
    whole, short, last = [0.95, 0.93, 0.70, 0.72], [0.94, 0.92], [0.5, 0.5, 0.5, 0.5]
    assert ranking([last, short, whole], METRICS["roc_auc"]) == [2, 1, 0]
    assert ranking([short, last, whole], METRICS["log_loss"])[0] == 1
    assert ranking([[np.nan, np.nan], last, whole], METRICS["roc_auc"]) == [2, 1, 0]
    assert ranking([last, whole, whole], METRICS["roc_auc"]) == [1, 2, 0]  # of equals, the first


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=5))
def test_with_all_folds_the_ranking_is_that_of_the_means(scores):
    means = np.mean(scores, axis=1)
    order = ranking(scores, METRICS["roc_auc"])
    assert sorted(order) == list(range(len(scores)))
    assert (np.diff(means[order]) <= 1e-12).all()


def test_a_shuffled_target_scores_at_chance():
    data = mixed(500)
    data["y"] = np.random.default_rng(3).permutation(data["y"]).tolist()
    found = run(data, folds=4, learners=["naive_bayes", "linear", "svm", "tree", "neighbours", "perceptron"])
    for entry in found.leaderboard:
        score = entry.cross_validated["roc_auc"]
        assert abs(score.value - 0.5) < 0.1, entry.key
        assert score.low < 0.5 < score.high, entry.key


def test_dates_have_no_share_of_themselves():
    days = np.arange(60)
    data = {"x": days + 0.5, "y": [str(np.datetime64("2024-01-01") + int(d)) for d in days]}
    found = run(data).to_dict()
    assert found["target"]["date_unit"] == "D"
    assert "mae" in found["metrics"] and "mape" not in found["metrics"]
    with pytest.raises(MercerError, match="which is a date"):
        run(data, metric="mape")


def test_what_a_run_told_of_a_column_is_not_warned_of_again():
    data, options = mixed(200, 0), ComparisonOptions(learners=("linear", "baseline"))
    tested = set(prepare(open_source(data), "y", options).plan.test[:9].tolist())
    data["job"] = ["baker" if i in tested else job for i, job in enumerate(data["job"])]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = compare_learners(prepare(open_source(data), "y", options), lambda what, share: None)
    assert any("a level never seen" in said for said in found.notices)
    assert not [str(one.message) for one in caught if "never seen" in str(one.message)]

"""The ensemble in the comparison of learners: its scores include its selection, and its model is kept whole."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mercer
from mercer.combine.ensemble.forward import weighted_mean
from mercer.errors import BadTable
from mercer.estimators import registry
from mercer.estimators.registry import LEARNERS, Learner, TaskModel
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.run.fitting import answering_by_name, fit, predict
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.run.records import FoldResult, can_stay
from mercer.evaluation.selection.ensemble import fit_run, fitted_rows, run_ensemble
from mercer.evaluation.selection.weighing import candidates, nested_weights, weigh
from mercer.evaluation.uncertainty.learner import row_scores
from mercer.report.page import render
from mercer.table import Task, open_source

FEW = ("naive_bayes", "linear", "tree", "baseline", "ensemble")


def rows(n=240, seed=0, target="binary"):
    """Half of the signal is linear, half a tree's: neither learner has all of it."""
    rng = np.random.default_rng(seed)
    a, b, job = rng.normal(size=n), rng.normal(size=n), rng.choice(["x", "y", "z"], n)
    signal = 1.2 * a + 2.0 * (np.abs(b) < 0.7) - 1.0 + rng.normal(0, 0.6, n)
    y = {
        "binary": np.where(signal > 0.3, "yes", "no"),
        "several": np.where(signal > 1.0, "high", np.where(signal > -0.5, "middle", "low")),
        "number": signal * 10,
        "noise": rng.choice(["yes", "no"], n),
    }[target]
    return {"a": a.tolist(), "b": b.tolist(), "job": job.tolist(), "y": y.tolist()}


def context(data, **options):
    settings = {"repeats": 1, "folds": 3, "learners": FEW, **options}
    return prepare(open_source(data), "y", ComparisonOptions(**settings))


def compare(data, **options):
    return compare_learners(context(data, **options), lambda what, share: None)


def entry(found, key):
    return next(e for e in found.leaderboard if e.key == key)


def run_all(where, keys=FEW[:3]):
    return [run_learner(one, where, lambda what: None) for one in LEARNERS if one.key in keys]


@pytest.mark.parametrize("target", ["binary", "several", "number"])
def test_the_ensemble_is_compared_kept_stored_and_explained(target, tmp_path):
    data = rows(target=target)
    found = compare(data, metric="r2" if target == "number" else "log_loss")
    assert found.kept == "ensemble", "no case to test"
    assert {e.key for e in found.leaderboard} == set(FEW)
    model = found.best_model
    assert sum(member.weight for member in model.members_) == pytest.approx(1)
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    inputs = {name: data[name] for name in ("a", "b", "job")}
    answer = "predict" if target == "number" else "predict_proba"
    np.testing.assert_array_equal(getattr(again, answer)(inputs), getattr(model, answer)(inputs))
    parts = [getattr(member.model, answer)(inputs) for member in model.members_]
    np.testing.assert_allclose(getattr(model, answer)(inputs), weighted_mean(parts, model.weights_))
    assert found.diagnostics.importance
    assert found.effects
    assert len(found.examples) >= 2
    shown = found.explanations[0]
    assert (shown.key, shown.family, shown.full) == ("ensemble", "ensemble", True)
    assert sum(line.weight for line in shown.details.members) == pytest.approx(1)
    page = render(json.loads(json.dumps(found.to_dict())))
    assert "Adding models" in page
    assert "on the held-out rows: weights were chosen without" in page


def test_a_fold_is_scored_with_weights_that_its_rows_had_no_part_in():
    where = context(rows())
    runs = run_all(where)
    folds = [run.folds for run in runs]
    weights = nested_weights(folds, where)
    for i in range(3):
        others = [[tested[j] for j in range(3) if j != i] for tested in folds]
        np.testing.assert_array_equal(weights[i], weigh(others, where).weights)
    run = run_ensemble(runs, where, lambda what: None)
    for i, fold in enumerate(run.folds):
        expected = weighted_mean([tested[i].predicted for tested in folds], weights[i])
        np.testing.assert_array_equal(fold.predicted, expected)
    final = weigh(folds, where).weights
    np.testing.assert_allclose(run.predicted, weighted_mean([one.predicted for one in runs], final))
    np.testing.assert_allclose(predict(run.model, run.held_out_table, where.target), run.predicted)


def test_labels_of_a_fold_do_not_change_its_weights():
    where = context(rows())
    folds = [run.folds for run in run_all(where)]
    before = nested_weights(folds, where)[0]
    codes = where.target.values
    codes[folds[0][0].rows] = 1 - codes[folds[0][0].rows]
    np.testing.assert_array_equal(nested_weights(folds, where)[0], before)


def test_of_rows_split_by_time_weights_come_from_earlier_folds():
    data = {**rows(), "day": list(range(240))}
    where = context(data, time="day", learners=FEW)
    runs = run_all(where)
    folds = [run.folds for run in runs]
    weights = nested_weights(folds, where)
    np.testing.assert_allclose(weights[0], 1 / len(runs))
    np.testing.assert_array_equal(weights[2], weigh([tested[:2] for tested in folds], where).weights)
    assert entry(compare(data, time="day"), "ensemble").error is None


def test_a_shuffled_target_scores_at_chance():
    found = compare(rows(400, 1, "noise"), metric="log_loss")
    assert entry(found, "ensemble").error is None
    for one in found.leaderboard:
        for score in (one.cross_validated["roc_auc"], one.held_out["roc_auc"]):
            assert score.low < 0.5 < score.high


def test_models_of_noise_gain_nothing_by_selection():
    """The score by which weights are chosen is far above chance; that with weights from other folds is not."""
    where, rng = context(rows(200, 2, "noise")), np.random.default_rng(0)
    chosen, honest = [], []
    for _ in range(15):
        folds = []
        for _model in range(8):
            drawn = [(test, rng.random(len(test))) for _, test in where.plan.folds]
            folds.append([FoldResult(test, np.column_stack([1 - p, p]), {}, {}) for test, p in drawn])
        chosen.append(weigh(folds, where).score)
        for i, weights in enumerate(nested_weights(folds, where)):
            mean = weighted_mean([tested[i].predicted for tested in folds], weights)
            honest.append(row_scores(mean, where, folds[0][i].rows)["roc_auc"])
    assert np.mean(chosen) > 0.55
    error = np.std(honest, ddof=1) / np.sqrt(len(honest))
    assert abs(np.mean(honest) - 0.5) < 3 * error


def test_members_fitted_with_class_weights_give_their_probabilities_without_them():
    data = rows(300, 3)
    found = compare(data, costs="fn=20,fp=1", metric="cost", learners=("linear", "tree", "ensemble"))
    details = next(e for e in found.explanations if e.key == "ensemble").details
    assert details.selected_by == "log_loss"
    assert details.gain_held_out.low is not None
    assert found.decision is not None
    where = context(data, costs="fn=20,fp=1", learners=("linear", "tree", "ensemble"))
    runs = run_all(where, ("linear", "tree"))
    runs[0] = replace(runs[0], class_weights=np.array([1.0, 3.0]))  # as if they had paid
    weighing = replace(where, class_weights=runs[0].class_weights)
    proba = predict(runs[0].model, runs[0].held_out_table, where.target, weighing.class_weights)
    runs[0] = replace(runs[0], predicted=proba)
    run = run_ensemble(runs, where, lambda what: None)
    np.testing.assert_allclose(predict(run.model, run.held_out_table, where.target), run.predicted)


def test_class_weights_of_members_go_into_the_file(tmp_path):
    data = {"a": [0.0, 1.0, 2.0, 3.0] * 5}
    y = ["n", "n", "y", "n"] * 5
    model = mercer.EnsembleSelection(["naive_bayes", "linear"]).fit(data, y)
    first = model.members_[0]
    model.members_ = [replace(first, weight=1.0, class_weights=np.array([1.0, 4.0]))]
    mercer.save(model, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    plain = first.model.predict_proba(data) / [1.0, 4.0]
    np.testing.assert_allclose(again.predict_proba(data), plain / plain.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("target", ["binary", "several", "number", "digits"])
def test_members_without_time_for_another_fit_stay_as_they_were_compared(target, tmp_path):
    data = rows(target="several" if target == "digits" else target)
    if target == "digits":
        data["y"] = np.array([{"low": 3, "middle": 5, "high": 8}[y] for y in data["y"]])
    where = context(data)
    run = run_ensemble(run_all(where), where, lambda what: None)
    run = replace(run, members=tuple((replace(one, stays=True), weight) for one, weight in run.members))
    every = where.plan.every
    model = fit_run(run, where, where.table.take(every), every)
    proba = predict(run.model, run.held_out_table, where.target)
    labels = np.unique(where.target.labels)
    mercer.save(model, tmp_path / "m.mercer")
    for one in (model, mercer.load(tmp_path / "m.mercer")):
        if target == "number":
            np.testing.assert_array_equal(one.predict(run.held_out_table), proba)
        else:
            np.testing.assert_array_equal(one.classes_, labels)
            np.testing.assert_array_equal(one.predict_proba(run.held_out_table), proba)
            np.testing.assert_array_equal(one.predict(run.held_out_table), labels[proba.argmax(axis=1)])
    n, note = fitted_rows(run, where, every)
    assert n == len(where.plan.train)
    assert f"learned from {n} of {len(every)} rows, those of the comparison" in note


@pytest.mark.parametrize(
    "learner",
    [one for one in registry.learners(Task.CLASSIFICATION, None) if not one.is_baseline],
    ids=lambda learner: learner.key,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_model_that_stays_is_the_one_that_names_would_have_made(learner, weighted):
    where = context(rows(target="several"))
    if weighted:
        where = replace(where, class_weights=np.array([1.0, 2.0, 3.0]))
    train = where.plan.train
    table = where.table.take(train)
    coded, named = (fit(learner, where, table, train, named=by_name) for by_name in (False, True))
    stays = answering_by_name(coded, where)
    assert list(coded.classes_) == [0, 1, 2]
    np.testing.assert_array_equal(stays.predict(table), named.predict(table))
    np.testing.assert_equal(stays.to_state(), named.to_state())


def test_classes_that_are_not_in_the_order_of_their_names_are_fitted_again():
    data = rows(target="several")
    data["y"] = [{"low": "2", "middle": "9", "high": "10"}[y] for y in data["y"]]  # by value 2, 9, 10; as text 10, 2, 9
    [run] = run_all(context(data), ["tree"])
    assert not can_stay(run, context(data))
    named = context(rows(target="several"))
    assert can_stay(run_all(named, ["tree"])[0], named)


def test_weights_and_groups_are_heeded():
    data = rows()
    data |= {"w": [1.0, 3.0] * 120, "who": [f"g{i % 40}" for i in range(240)]}
    found = compare(data, weight="w", group="who")
    assert entry(found, "ensemble").error is None
    assert found.splits.kind == "groups"


def test_candidates_have_the_folds_of_the_best_three():
    where = context(rows())
    full = run_all(where) + run_all(where, ("perceptron", "neighbours"))
    assert [len(run.folds) for run in candidates(full)] == [3] * 5
    short = replace(full[1], folds=full[1].folds[:2])
    assert [len(run.folds) for run in candidates([full[0], short, *full[2:]])] == [2] * 5
    found = candidates([full[0], full[2], full[3], short])
    assert [run.learner.key for run in found] == [full[i].learner.key for i in (0, 2, 3)]
    assert candidates([]) == []


def test_identical_models_and_a_single_one(monkeypatch):
    linear, baseline = (one for one in LEARNERS if one.key in ("linear", "baseline"))
    twin = Learner("twin", "Twin", "The same.", linear.classification)
    monkeypatch.setattr(registry, "LEARNERS", (linear, twin, baseline))
    found = compare(rows(), learners=None)
    assert found.kept == "linear"
    assert found.best_model.predict(rows()).shape == (240,)
    monkeypatch.setattr(registry, "LEARNERS", (linear, baseline))
    assert [e.key for e in compare(rows(), learners=None).leaderboard] == ["linear", "baseline"]


class Broken(mercer.NaiveBayes):
    """Fails at fitting."""

    def fit(self, X, y, sample_weight=None):
        raise ValueError("no")


def test_models_that_fail_are_no_members_and_an_error_where_all_do(monkeypatch):
    broken = Learner("broken", "Broken", "Fails.", TaskModel(Broken, None, lambda seed, n_jobs: {}))
    kept = tuple(one for one in LEARNERS if one.key in ("linear", "tree"))
    monkeypatch.setattr(registry, "LEARNERS", (broken, *kept))
    found = compare(rows(), learners=None)
    assert entry(found, "broken").error == "ValueError: no"
    assert entry(found, "ensemble").error is None
    monkeypatch.setattr(registry, "LEARNERS", (broken,))
    with pytest.raises(BadTable, match=r"No learner could be fitted\. Broken: ValueError: no"):
        compare(rows(), learners=None)


def test_a_class_absent_from_folds():
    data = rows(target="several")
    data["y"] = ["rare" if i in (5, 77) else y for i, y in enumerate(data["y"])]
    found = compare(data, metric="log_loss")
    assert entry(found, "ensemble").error is None
    model = found.best_model
    assert model.predict_proba({name: data[name][:2] for name in ("a", "b", "job")}).shape == (2, 4)


def test_a_metric_that_is_not_defined_on_other_folds_gives_way_to_log_loss():
    data = {**rows(120), "day": list(range(120))}
    data["y"] = ["yes" if i in (3, 9, 100, 118) else "no" for i in range(120)]
    where = context(data, time="day")
    folds = [run.folds for run in run_all(where)]
    assert weigh([tested[1:2] for tested in folds], where).metric == "log_loss"


def test_the_ensemble_alone_is_of_all_learners(monkeypatch):
    monkeypatch.setattr(registry, "LEARNERS", tuple(one for one in LEARNERS if one.key in FEW))
    found = compare(rows(), learners=("ensemble",))
    assert {e.key for e in found.leaderboard} == set(FEW)

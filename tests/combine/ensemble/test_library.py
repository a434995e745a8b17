"""Libraries and ensembles: resumed, out of time, failing, on odd tables, stored."""

from __future__ import annotations

import errno
import json
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import mercer
from mercer import atomic
from mercer.combine.ensemble.folder import model_key
from mercer.errors import BadFile, BadOutput, BadTable, MercerError
from mercer.estimators.neighbours.training_rows import TrainingRows
from mercer.state import Reader

RNG = np.random.default_rng(0)
N = 80
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N), "job": RNG.choice(["cook", "smith"], N)})
Y = np.where(X["a"] + (X["job"] == "cook") + RNG.normal(size=N) > 0.5, "yes", "no")
Z = X["a"].to_numpy() + 2 * (X["job"] == "cook").to_numpy() + RNG.normal(size=N) / 3
NUMBERS = X[["a", "b"]].to_numpy()
QUICK = ["naive_bayes", "linear", "baseline"]
SHORT = mercer.Forward(steps=6)


class Broken(ClassifierMixin, BaseEstimator):
    """Fails in every fit."""

    def fit(self, X: Any, y: Any) -> None:
        raise RuntimeError("no luck")


class Counting(mercer.NaiveBayes):
    """Tells how often it was fitted."""

    fits = 0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


def test_predictions_are_those_of_cross_validation() -> None:
    model = LogisticRegression()
    library = mercer.ModelLibrary([("theirs", model)], cv=4).fit(NUMBERS, Y)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    expected = cross_val_predict(model, NUMBERS, Y, cv=folds, method="predict_proba")
    np.testing.assert_allclose(library.predictions_[0], expected)


def test_rows_written_twice_lie_in_one_fold() -> None:
    twice = np.tile(np.arange(N), 2)
    library = mercer.ModelLibrary(["naive_bayes"]).fit(X.iloc[twice].reset_index(drop=True), Y[twice])
    for test in library.folds_:
        assert set(test % N) == set(test[test < N])
    np.testing.assert_array_equal(library.predictions_[0, :N], library.predictions_[0, N:])


def test_the_ensemble_is_the_weighted_mean_of_members_fitted_to_all_rows() -> None:
    model = mercer.EnsembleSelection(QUICK, metric="log_loss", combiner=SHORT).fit(X, Y)
    expected = sum(m.weight * m.model.predict_proba(X) for m in model.members_)
    np.testing.assert_allclose(model.predict_proba(X), expected)
    assert {m.name for m in model.members_} <= set(QUICK) and all(m.weight > 0 for m in model.members_)
    alone = mercer.NaiveBayes().fit(X, Y).predict_proba(X)
    here = next(m for m in model.members_ if m.name == "naive_bayes")
    np.testing.assert_array_equal(here.model.predict_proba(X), alone)
    assert here.score == pytest.approx(log_loss(Y, model.library_.predictions_[0]))


def test_kernel_machines_of_a_library_share_their_matrix(tmp_path: Path) -> None:
    costs = (0.1, 1.0, 10.0)
    models = [(f"C {c:g}", mercer.SVC(C=c, probability="sigmoid", tol=1e-8, n_jobs=1)) for c in costs]
    told: list[Any] = []
    library = mercer.ModelLibrary(
        [models[2], ("bayes", mercer.NaiveBayes()), *models[:2]], cv=3, folder=tmp_path, callback=told.append
    ).fit(X, Y)
    assert library.names_ == ["C 10", "bayes", "C 0.1", "C 1"] and [t.done for t in told] == [1, 2, 3, 4]
    for name, model in models:
        alone = mercer.ModelLibrary([(name, model)], cv=3).fit(X, Y).predictions_[0]
        np.testing.assert_allclose(library.predictions_[library.names_.index(name)], alone, atol=1e-4)
    (tmp_path / "manifest.json").write_text(
        (tmp_path / "manifest.json").read_text().replace(model_key(models[0][1]), "0" * 24)
    )
    again = mercer.ModelLibrary(models, cv=3, folder=tmp_path).fit(X, Y)
    assert not any(r.is_resumed for r in again.records_)  # a path of costs is trained whole
    np.testing.assert_array_equal(again.predictions_, library.predictions_[[2, 3, 0]])


def test_members_that_share_a_kernel_are_fitted_as_alone() -> None:
    models = [(f"C {c:g}", mercer.SVC(C=c, probability="sigmoid", tol=1e-8, n_jobs=1)) for c in (0.1, 1.0)]
    ensemble = mercer.EnsembleSelection(models, metric="log_loss", combiner=mercer.Forward(start=2, steps=2)).fit(X, Y)
    for member in ensemble.members_:
        alone = dict(models)[member.name].fit(X, Y)
        np.testing.assert_allclose(member.model.predict_proba(X), alone.predict_proba(X), atol=1e-4)
        assert "_shared_kernel" not in member.model.__dict__


def test_neighbours_of_one_distance_share_their_search(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [(1, "uniform"), (9, "distance"), (4, "uniform")]
    models = [(f"{k} {w}", mercer.KNeighborsClassifier(k, weights=w, metric="heom", n_jobs=1)) for k, w in settings]
    models.append(("other", mercer.KNeighborsClassifier(4, metric="gower", n_jobs=1)))
    alone = [mercer.ModelLibrary([pair], cv=3).fit(X, Y).predictions_[0] for pair in models]
    asked: list[int] = []
    search = TrainingRows.nearest

    def counted(self: Any, queries: Any, k: int, *, n_jobs: int) -> Any:
        asked.append(k)
        return search(self, queries, k, n_jobs=n_jobs)

    monkeypatch.setattr(TrainingRows, "nearest", counted)
    together = mercer.ModelLibrary(models, cv=3, n_jobs=1).fit(X, Y)
    np.testing.assert_array_equal(together.predictions_, alone)
    assert sorted(asked) == [4, 4, 4, 9, 9, 9]  # of each distance one search a fold
    asked.clear()
    weight = np.arange(1.0, N + 1) / N
    mercer.ModelLibrary(models[:2], cv=3, n_jobs=1).fit(X, Y, weight)
    assert len(asked) >= 6  # weights of rows decide how many are needed: each by itself
    many = mercer.ModelLibrary([models[0], ("all", mercer.KNeighborsClassifier(N, metric="heom", n_jobs=1))], cv=3).fit(
        X, Y
    )
    assert many.names_ == ["1 uniform"] and "n_neighbors=80 must be" in many.records_[1].error


def test_memory_limit() -> None:
    machines = [(f"C {c:g}", mercer.SVR(C=c, n_jobs=1)) for c in (0.1, 1.0)]
    wide = mercer.ModelLibrary(machines).fit(X, Z)
    narrow = mercer.ModelLibrary(machines, memory_limit=0.06, n_jobs=1).fit(X, Z)
    np.testing.assert_allclose(narrow.predictions_, wide.predictions_, atol=0.02)
    with pytest.raises(MercerError, match=r"take 1.28 kB, more than memory_limit=0.001 megabytes"):
        mercer.ModelLibrary(machines, memory_limit=0.001).fit(X, Z)
    with pytest.raises(MercerError, match="does not hold two kernel rows"):
        mercer.ModelLibrary(machines, memory_limit=0.0015, n_jobs=1).fit(X, Z)


def test_theirs_beside_ours_on_a_mixed_table_and_numbers() -> None:
    pipeline = mercer.encode.dense_recipe()
    models = [("ours", mercer.LinearRegression()), ("theirs", make_pipeline(pipeline, Ridge()))]
    model = mercer.EnsembleSelectionRegressor(models, combiner="stacking").fit(X, Z)
    assert not any(record.error for record in model.library_.records_)
    assert model.score_ > 0.8 and np.isfinite(model.predict(X)).all()


def test_a_model_that_fails_is_recorded_and_the_rest_go_on() -> None:
    library = mercer.ModelLibrary([("broken", Broken()), ("good", mercer.NaiveBayes())]).fit(X, Y)
    assert library.names_ == ["good"]
    assert [r.error for r in library.records_] == ["no luck", ""]
    with pytest.raises(MercerError, match=r"Every model of the library failed. broken: no luck"):
        mercer.EnsembleSelection([("broken", Broken())]).fit(X, Y)
    with pytest.raises(MercerError, match="gives no probabilities"):
        mercer.EnsembleSelection([("hinge", mercer.LinearSVC())]).fit(X, Y)


def test_one_model_and_two_identical_models() -> None:
    one = mercer.EnsembleSelection(["naive_bayes"]).fit(X, Y)
    two = mercer.EnsembleSelection([("a", mercer.NaiveBayes(n_jobs=1)), ("b", mercer.NaiveBayes(n_jobs=1))]).fit(X, Y)
    assert one.weights_.tolist() == [1.0]
    np.testing.assert_allclose(two.predict_proba(X), one.predict_proba(X))


def test_a_killed_run_goes_on_with_the_same_answer(tmp_path: Path) -> None:
    models = [("first", Counting()), ("second", Counting("density")), ("third", mercer.MajorityClass())]
    whole = mercer.ModelLibrary(models, n_jobs=1).fit(X, Y)

    def stop(progress: Any) -> None:
        if progress.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mercer.ModelLibrary(models, folder=tmp_path / "lib", callback=stop, n_jobs=1).fit(X, Y)
    kept = len(json.loads((tmp_path / "lib" / "manifest.json").read_text())["models"])
    assert kept == 2
    Counting.fits = 0
    again = mercer.ModelLibrary(models, folder=tmp_path / "lib").fit(X, Y)
    assert Counting.fits == 0 and [r.is_resumed for r in again.records_] == [True, True, False]
    np.testing.assert_array_equal(again.predictions_, whole.predictions_)
    with pytest.raises(BadFile, match="of other rows, weights or folds"):
        mercer.ModelLibrary(models, folder=tmp_path / "lib").fit(X, Y[::-1])
    with pytest.raises(BadFile, match="of other rows, weights or folds"):
        mercer.ModelLibrary(models, folder=tmp_path / "lib", cv=3).fit(X, Y)


def test_damaged_predictions_are_made_again(tmp_path: Path) -> None:
    expected = mercer.ModelLibrary(QUICK, folder=tmp_path).fit(X, Y).predictions_
    for file in tmp_path.glob("*.npy"):
        file.write_bytes(file.read_bytes()[:-8])
    again = mercer.ModelLibrary(QUICK, folder=tmp_path).fit(X, Y)
    assert not any(r.is_resumed for r in again.records_)
    np.testing.assert_array_equal(again.predictions_, expected)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(BadFile, match="no manifest of a model library"):
        mercer.ModelLibrary(QUICK, folder=tmp_path).fit(X, Y)


def test_a_full_disk_is_told_and_what_is_kept_stays_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = atomic.os.fsync, []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(BadOutput, match="the disk is full"):
        mercer.ModelLibrary(QUICK, folder=tmp_path, n_jobs=1).fit(X, Y)
    monkeypatch.undo()
    assert not list(tmp_path.glob(".*.part"))
    again = mercer.ModelLibrary(QUICK, folder=tmp_path).fit(X, Y)
    assert again.records_[0].is_resumed
    np.testing.assert_array_equal(again.predictions_, mercer.ModelLibrary(QUICK).fit(X, Y).predictions_)


def test_out_of_time_the_first_model_is_trained_and_the_others_named() -> None:
    told: list[Any] = []
    library = mercer.ModelLibrary(QUICK, time_limit=1e-9, callback=told.append, n_jobs=1).fit(X, Y)
    assert library.names_ == ["naive_bayes"]
    assert [r.error for r in library.records_] == ["", *["There was no time left for it."] * 2]
    assert [t.done for t in told] == [1, 2, 3] and told[-1].seconds_left == 0


def test_threads_do_not_change_the_answer() -> None:
    one, two = (mercer.ModelLibrary(QUICK, n_jobs=jobs).fit(X, Y) for jobs in (1, 3))
    np.testing.assert_array_equal(one.predictions_, two.predictions_)
    assert one.names_ == two.names_


def test_a_class_with_one_row_and_tables_too_small() -> None:
    rare = Y.astype(object)
    rare[5] = "never"
    model = mercer.EnsembleSelection(QUICK, metric="log_loss", combiner=SHORT).fit(X, rare)
    assert model.predict_proba(X).shape == (N, 3)
    assert (model.library_.predictions_[:, 5, 0] < 0.1).all()
    np.testing.assert_allclose(model.library_.predictions_.sum(axis=2), 1)
    with pytest.raises(BadTable, match="too few for folds"):
        mercer.EnsembleSelection(QUICK).fit(X[:3], Y[:3])
    with pytest.raises(MercerError, match="not defined on these rows, of one class"):
        mercer.EnsembleSelection(["baseline"], metric="roc_auc").fit(X, np.zeros(N))


def test_a_shuffled_target_is_at_chance_on_untouched_rows() -> None:
    rng = np.random.default_rng(1)
    rows, areas = rng.normal(size=(400, 3)), []
    for seed in range(5):
        y = np.random.default_rng(seed).integers(0, 2, 400)
        model = mercer.EnsembleSelection(QUICK, combiner=SHORT).fit(rows[:200], y[:200])
        areas.append(roc_auc_score(y[200:], model.predict_proba(rows[200:])[:, 1]))
    assert abs(np.mean(areas) - 0.5) < 3 * 0.041 / np.sqrt(5)  # standard error of an area of 200 rows: 0.041


def test_costs_and_names_are_checked() -> None:
    model = mercer.EnsembleSelection(QUICK, metric="cost", costs={"fn": 5, "fp": 1}, combiner=SHORT).fit(X, Y)
    assert model.score_ <= min(m.score for m in model.members_)
    with pytest.raises(MercerError, match="say what the errors cost"):
        mercer.EnsembleSelection(QUICK, metric="cost").fit(X, Y)
    with pytest.raises(MercerError, match="named 'a'"):
        mercer.EnsembleSelection([("a", mercer.NaiveBayes())] * 2).fit(X, Y)
    with pytest.raises(MercerError, match=r"no classification learner 'naive_bays'. Did you mean 'naive_bayes'"):
        mercer.EnsembleSelection(["naive_bays"]).fit(X, Y)


def test_a_model_file_keeps_members_and_refuses_others(tmp_path: Path) -> None:
    model = mercer.EnsembleSelection(QUICK, combiner="stacking").fit(X, Y)
    mercer.save(model, tmp_path / "e.mercer")
    again = mercer.load(tmp_path / "e.mercer")
    assert [(m.name, m.weight, m.score) for m in again.members_] == [
        (m.name, m.weight, m.score) for m in model.members_
    ]
    assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    theirs = mercer.EnsembleSelection([("theirs", LogisticRegression())]).fit(NUMBERS, Y)
    with pytest.raises(MercerError, match="LogisticRegression cannot be stored"):
        mercer.save(theirs, tmp_path / "t.mercer")
    state = model.to_state()
    state["fitted"]["weights"] = state["fitted"]["weights"] * 2
    with pytest.raises(BadFile, match="weights that sum to 1"):
        mercer.EnsembleSelection.from_state(Reader(state))


def test_an_ensemble_is_explained() -> None:
    model = mercer.EnsembleSelection(QUICK, combiner=SHORT).fit(X, Y)
    found = mercer.explain(model, X, rows=[0])
    assert set(found.columns) == {"a", "b", "job"}


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_the_full_list_is_trained_without_a_failure(task: str) -> None:
    rows, y = (X[:40], Y[:40]) if task == "classification" else (X[:40], Z[:40])
    library = mercer.ModelLibrary("full", cv=2).fit(rows, y)
    assert not [r for r in library.records_ if r.error]
    assert len(library.names_) >= 15


class Quiet(LogisticRegression):
    """Sets filters of warnings in each fit; those of the model with C=2 begin and end after those of the other."""

    together = threading.Barrier(2, timeout=30)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        before, inside, after = (0, 2, 1) if self.C == 1 else (1, 2, 0)
        self._wait(before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._wait(inside)
        self._wait(after)
        return super().fit(X, y, sample_weight)

    def _wait(self, times: int) -> None:
        for _ in range(times):
            self.together.wait()


def test_models_in_threads_leave_no_filter_of_warnings_behind() -> None:
    before = list(warnings.filters)
    try:
        mercer.ModelLibrary([("first", Quiet(C=1)), ("second", Quiet(C=2))], cv=2, n_jobs=2).fit(NUMBERS, Y)
        assert list(warnings.filters) == before
    finally:
        warnings.filters[:] = before  # type: ignore[index]

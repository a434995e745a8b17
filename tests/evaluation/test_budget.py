"""A time budget: told by a plan and by a clock that only the learners move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from mercer.estimators.registry import Learner, learners
from mercer.evaluation import budget as keeping
from mercer.evaluation.budget import Pilot, last_fit, rows_for, run_within, sampled, thinned, with_fewer_folds
from mercer.evaluation.comparison import prepare
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.run.records import Context, Entry, Run
from mercer.table import Task, open_source


@dataclass
class Clock:
    """Stands still unless it is moved."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def context() -> Context:
    rng = np.random.default_rng(0)
    rows = {"x": rng.normal(size=6000), "y": np.where(rng.random(6000) < 0.05, "a", "b")}
    return prepare(open_source(rows), "y", ComparisonOptions(folds=3))


@pytest.mark.parametrize("power", [1.0, 2.0])
@pytest.mark.parametrize("holds_rows", [False, True])
def test_rows_within_are_the_most_that_fit(power: float, holds_rows: bool) -> None:
    pilot = Pilot(100, 0.01, 1e-5, power, holds_rows)
    for seconds in (0.035, 0.1, 1.0, 1e6):
        brute = [n for n in range(100, 2001) if pilot.seconds(n, 300, 3) <= seconds]
        assert pilot.rows_within(seconds, 2000, 300, 3) == (brute[-1] if brute else None)
    assert pilot.seconds(200, 0, 1) == pytest.approx(0.01 * 2**power)
    assert pilot.seconds(200, 1000, 0) == pytest.approx(0.01 * (2 if holds_rows else 1))


def test_two_pilots_tell_how_seconds_grow_with_rows() -> None:
    few = Pilot(100, 1.0, 1e-5, 1.1, False)
    assert few.then(Pilot(400, 2.0, 1e-5, 1.1, False)).power == pytest.approx(0.6)  # a half, and a tenth
    assert few.then(Pilot(400, 9.0, 1e-5, 1.1, False)).power == 1.1
    assert few.then(Pilot(400, 0.9, 1e-5, 1.1, False)).power == 1.0


def test_a_long_table_has_fewer_folds(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_fewer_folds(context) is context
    monkeypatch.setattr(keeping, "VERY_MANY_ROWS", 4000)
    fewer = with_fewer_folds(context).plan
    assert fewer.folds == context.plan.folds[:2]
    assert (fewer.n_folds, fewer.n_repeats) == (2, 1)
    by_time = replace(context, plan=replace(context.plan, kind="time"))
    assert with_fewer_folds(by_time) is by_time  # its first folds are the shortest


def test_a_short_budget_takes_some_of_the_rows(context: Context) -> None:
    clock = Clock(3.0)  # reading took three seconds of four: left is a sixth of what all rows would take
    fewer, said = sampled(context, Budget(4.0, clock, 0.0))
    assert len(fewer.plan.every) == 1220  # four times the 305 rows of 'a', which all stay
    assert "1,220 of 6,000 rows" in said
    assert set(fewer.plan.train).isdisjoint(fewer.plan.test)
    for (train, test), (all_train, all_test) in zip(fewer.plan.folds, context.plan.folds, strict=True):
        assert set(train) < set(all_train)
        assert set(test) < set(all_test)
        assert (context.target.codes[test] == 0).sum() == (context.target.codes[all_test] == 0).sum()
        assert set(np.unique(context.target.codes[train])) == {0, 1}
    assert sampled(context, Budget(60.0, clock, 0.0)) == (context, "")
    assert thinned(context.plan, context.plan.train[:2]) is None


@pytest.mark.parametrize(("every", "n_kept"), [(50, 1000), (20, 1200)])
def test_a_short_budget_keeps_every_row_of_a_rare_class(every: int, n_kept: int) -> None:
    rng = np.random.default_rng(0)
    rows = {"x": rng.normal(size=6000), "y": np.where(np.arange(6000) % every == 0, "rare", "usual")}
    whole = prepare(open_source({**rows, "w": rng.random(6000)}), "y", ComparisonOptions(folds=3, weight="w"))
    fewer, said = sampled(whole, Budget(4.0, Clock(3.0), 0.0))
    rare, kept = whole.target.codes == whole.target.classes.index("rare"), fewer.plan.every
    assert rare[kept].sum() == 6000 // every
    assert len(kept) == n_kept
    stands_for = fewer.weight[kept] / whole.weight[kept]
    assert stands_for[rare[kept]].sum() / stands_for.sum() == pytest.approx(1 / every)  # as in the table
    assert np.ptp(stands_for[~rare[kept]]) == pytest.approx(0)
    assert f"{n_kept:,} of 6,000 rows, to keep the time budget of 4 s: every row of 'rare'" in said
    assert said == f"All models {fewer.row_sample}."


def _timed(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, costs: dict[str, float]
) -> tuple[list[str], Callable[[str], None]]:
    """Learners that take `costs` seconds for a fit to 300 rows, linear in the rows, and nothing else."""
    ran: list[str] = []

    def pilot(learner: Learner, context: Context, budget: Budget, n_rows: int | None = None) -> Pilot:
        rows = 300 if n_rows is None else n_rows
        clock.now += costs[learner.key] * rows / 300
        return Pilot(rows, costs[learner.key] * rows / 300, 0.0, 1.0, False)

    def run(learner: Learner, context: Context, step: Callable[[str], None]) -> Run:
        ran.append(learner.key)
        rows = min(len(context.plan.train), learner.max_rows or len(context.plan.train))
        clock.now += 3 * costs.get(learner.key, 0.0) * rows / 300
        return Run(learner, Entry.of(learner))

    monkeypatch.setattr(keeping, "_pilot", pilot)
    monkeypatch.setattr(keeping, "workers", lambda context: 1)
    monkeypatch.setattr(keeping, "run_learner", run)
    return ran, lambda _what: None


def test_cheap_learners_first_and_slow_ones_on_fewer_rows(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    costs = {"naive_bayes": 0.01, "linear": 0.02, "perceptron": 0.02, "tree": 0.5, "boosting": 0.05, "neighbours": 0.1}
    costs |= {"svm": 40.0, "forest": 0.05, "extra_trees": 0.05}
    ran, step = _timed(monkeypatch, clock, costs)
    running = learners(Task.CLASSIFICATION, None)
    runs, notices = run_within(running, context, step, Budget(60.0, clock, 0.0))
    cheap = ["baseline", "naive_bayes", "linear", "boosting", "forest", "extra_trees", "perceptron"]
    assert ran == [*cheap, "tree", "neighbours"]
    assert [run.learner.key for run in runs] == [x.key for x in running if x.key in ran]  # as in the registry
    rows = {run.learner.key: run.learner.max_rows for run in runs}
    assert rows["naive_bayes"] is None
    assert rows["tree"] is not None
    assert 300 <= rows["tree"] < 4800
    assert len(notices) == 1
    assert "Support vector machine was not run: with 300 rows it would take about 120.0 s" in notices[0]
    assert clock.now <= 60 * (1 - keeping.RESERVE) + 40  # what the one first fit took that could not be stopped


def test_with_nothing_left_the_baseline_and_one_learner_run(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(10.0)
    ran, step = _timed(monkeypatch, clock, dict.fromkeys(("naive_bayes", "linear", "tree"), 0.1))
    running = learners(Task.CLASSIFICATION, ["naive_bayes", "linear", "tree", "baseline"])
    _, notices = run_within(running, context, step, Budget(1.0, clock, 0.0))
    assert ran == ["baseline", "naive_bayes"]
    assert [notice.partition(":")[0] for notice in notices] == ["Linear model, Decision tree were not run"]


def test_a_slow_first_fit_leaves_the_time_of_the_library_to_the_other_learners(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    costs = {"naive_bayes": 0.01, "linear": 6.0, "tree": 0.02, "boosting": 0.02, "forest": 0.02}
    ran, step = _timed(monkeypatch, clock, costs)
    running = learners(Task.CLASSIFICATION, ["baseline", *costs])
    runs, notices = run_within(running, context, step, Budget(40.0, clock, 0.0), has_library=True)
    assert {"tree", "boosting", "forest"} < set(ran)
    assert [run.learner.key for run in runs] == [one.key for one in running if one.key in ran]
    assert "linear" in ran or "Linear model was not run: with 300 rows" in notices[0]
    assert clock.now <= 40 * (1 - keeping.REPORT)


def test_the_last_fit_leaves_time_for_the_report(context: Context) -> None:
    learner = learners(Task.CLASSIFICATION, ["tree"])[0]
    fitted = SimpleNamespace(classes_=np.arange(2))
    run = Run(learner, Entry.of(learner, fit_seconds=4.0), fitted, training_rows=np.arange(4000))
    assert last_fit(run, context, Budget(12.0, Clock(), 0.0)) is run
    short = last_fit(run, context, Budget(6.0, Clock(), 0.0))
    assert short.stays  # the model that was scored, not one of fewer rows
    assert short.learner.max_rows == learner.max_rows
    run = replace(run, model=SimpleNamespace(classes_=np.arange(1)))  # a class it has not seen
    short = last_fit(run, context, Budget(6.0, Clock(), 0.0))
    assert not short.stays
    assert short.learner.max_rows == 3000  # 4 s for 4,000 rows, 1.5 for more rows: 4.5 s for 3,000


def test_members_without_time_keep_their_model(context: Context) -> None:
    learner = learners(Task.CLASSIFICATION, ["tree"])[0]
    fitted = SimpleNamespace(classes_=np.arange(2))
    runs = [Run(learner, Entry.of(learner, fit_seconds=s), fitted, training_rows=np.arange(4000)) for s in (8, 1, 4)]
    ensemble = Run(learner, Entry.of(learner, fit_seconds=13.0), members=tuple(zip(runs, (0.5, 0.3, 0.2), strict=True)))
    only = replace(context, options=replace(context.options, n_jobs=1))
    assert last_fit(ensemble, only, Budget(40.0, Clock(), 0.0)) is ensemble
    found = last_fit(ensemble, only, Budget(18.0, Clock(), 0.0))  # 15.84 s without the report, asked for 19.5
    assert [run.stays for run, _ in found.members] == [False, False, True]  # least weight for its seconds
    assert [run.learner.max_rows for run, _ in found.members] == [learner.max_rows] * 3
    runs[2] = replace(runs[2], model=SimpleNamespace(classes_=np.arange(1)))  # a class it has not seen
    ensemble = replace(ensemble, members=tuple(zip(runs, (0.5, 0.3, 0.2), strict=True)))
    found = last_fit(ensemble, only, Budget(18.0, Clock(), 0.0))
    assert not any(run.stays for run, _ in found.members)
    assert found.members[2][0].learner.max_rows == 3249  # 15.84 / 19.5 of 4,000


def test_rows_that_can_be_predicted_in_the_seconds_left() -> None:
    learner = learners(Task.CLASSIFICATION, ["tree"])[0]
    run = Run(learner, Entry.of(learner, predict_seconds=1.0), predicted=np.zeros((100, 2)))
    assert rows_for(0.5, 10, run, None) is None
    assert rows_for(0.5, 10, run, Budget(6.0, Clock(), 0.0)) == 30

"""A library that fills a time budget, told by a clock that only its models move."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from mercer.combine.ensemble.forward import Selection, weighted_mean
from mercer.errors import MercerError
from mercer.estimators.registry import LEARNERS
from mercer.evaluation.comparison import prepare, sturdier_estimate
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.selection import ensemble, library
from mercer.evaluation.selection.ensemble import run_ensemble
from mercer.evaluation.selection.library import completed, grow
from mercer.evaluation.selection.portfolio import Further
from mercer.evaluation.selection.weighing import nested_weights
from mercer.table import open_source

TREE = next(one for one in LEARNERS if one.key == "tree")
QUIET = {"repeats": 1, "folds": 2}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def context(clock, seconds=100.0, n=200, **options):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, n))
    data = {"a": a.tolist(), "b": b.tolist(), "y": np.where(a + b + rng.normal(size=n) > 0, "yes", "no").tolist()}
    options = {**QUIET, "budget": Budget(seconds, clock, 0.0), **options}
    return prepare(open_source(data), "y", ComparisonOptions(**options))


@pytest.fixture
def settings(monkeypatch):
    """Trees with leaves of 10, 20, ... rows."""
    asked = [Further("tree", f"leaves of {n}", {"min_samples_leaf": n}, 1.0) for n in range(10, 2000, 10)]
    monkeypatch.setattr(library, "portfolio", lambda task, seed: iter(asked))
    return asked


def base_run(where, seconds=1.0):
    run = run_learner(TREE, where, lambda what: None)
    return replace(run, entry=replace(run.entry, seconds=3 * seconds, fit_seconds=seconds))


def slow_folds(monkeypatch, clock, base, seconds=1.0):
    """Folds of which each takes so long by the clock."""

    def folds(learner, where, step):
        clock.now += seconds * len(where.plan.folds)
        return list(base.folds)

    monkeypatch.setattr(library, "cross_validate", folds)
    monkeypatch.setattr(library.time, "perf_counter", clock)


@pytest.mark.parametrize(
    ("n_members", "last_fits"),
    [(1, 1.3 * 1.4), (100, 19 * 2.4 + 1.4)],  # the base is one and has a fit to the training rows; 20 are expected
)
def test_models_are_added_until_the_rest_is_needed_for_the_last_fits_and_the_report(
    settings, monkeypatch, n_members, last_fits
):
    clock = Clock()
    where = context(clock)
    base = base_run(where)
    slow_folds(monkeypatch, clock, base)
    monkeypatch.setattr(
        library, "weigh", lambda folds, context, kinds: SimpleNamespace(members=np.arange(len(folds))[:n_members])
    )
    found = grow([base], where, lambda what: None)
    assert [run.entry.title for run in found[:2]] == ["Decision tree, leaves of 10", "Decision tree, leaves of 20"]
    needed = 100 * 0.12 + last_fits + 1.4  # the report, the members, and the model that is added
    assert 100 - needed - 2.6 < clock.now <= 100 - needed
    assert all(run.predicted is None and run.entry.fit_seconds == 1.0 for run in found)


def test_there_is_no_library_without_time(settings):
    clock = Clock()
    base = base_run(context(clock))
    clock.now = 99.0
    assert grow([base], context(clock), lambda what: None) == []
    assert grow([], context(Clock()), lambda what: None) == []


def test_a_model_that_fails_is_recorded_and_the_others_go_on(settings, monkeypatch):
    clock = Clock()
    where = context(clock)
    base = base_run(where)

    def folds(learner, where, step):
        if learner.title.endswith("of 10"):
            raise MercerError("no leaves")
        return list(base.folds)

    monkeypatch.setattr(library, "cross_validate", folds)
    monkeypatch.setattr(library, "MOST_MODELS", 3)
    found = grow([base], where, lambda what: None)
    assert [run.entry.error for run in found] == ["MercerError: no leaves", None, None]


def grown(monkeypatch, n_models, gains):
    """Titles of a library of so many boosted trees, each better than the first by so much on each fold."""
    where = context(Clock())
    boosting = next(one for one in LEARNERS if one.key == "boosting")
    base = replace(base_run(where), learner=boosting)
    asked = [Further("boosting", f"{n} leaves", {"max_iter": 100}, 1.0, rounds=100) for n in (2, 3, 4)]
    monkeypatch.setattr(library, "portfolio", lambda task, seed: iter(asked))

    def folds(learner, where, step):
        better = gains.get(learner.title.partition(", ")[2], (-0.1, -0.1))
        return [
            replace(f, scores={k: v + gain for k, v in f.scores.items()})
            for f, gain in zip(base.folds, better, strict=True)
        ]

    monkeypatch.setattr(library, "cross_validate", folds)
    monkeypatch.setattr(library, "MOST_MODELS", n_models)
    return [run.entry.title.partition(", ")[2] for run in grow([base], where, lambda what: None)]


def test_the_best_yet_is_followed_by_twice_its_rounds(monkeypatch):
    titles = grown(monkeypatch, 5, {"2 leaves, 100 rounds": (0.001, 0.001), "2 leaves, 200 rounds": (0.002, 0.002)})
    two = [f"2 leaves, {rounds} rounds" for rounds in (100, 200, 400)]
    assert titles == [*two, "3 leaves, 100 rounds", "4 leaves, 100 rounds"]


def test_a_gain_within_noise_is_not_followed(monkeypatch):
    titles = grown(monkeypatch, 3, {"2 leaves, 100 rounds": (0.03, -0.02)})
    assert titles == ["2 leaves, 100 rounds", "3 leaves, 100 rounds", "4 leaves, 100 rounds"]


def test_settings_without_a_score_are_not_the_best_yet(monkeypatch):
    unknown, better = (float("nan"), float("nan")), (0.001, 0.001)
    titles = grown(monkeypatch, 4, {"2 leaves, 100 rounds": unknown, "3 leaves, 100 rounds": better})
    assert titles == [f"{n} leaves, 100 rounds" for n in (2, 3)] + ["3 leaves, 200 rounds", "4 leaves, 100 rounds"]


def test_members_are_fitted_and_scored_when_they_are_chosen(settings, monkeypatch):
    where = context(Clock())
    monkeypatch.setattr(library, "MOST_MODELS", 2)
    base = base_run(where)
    found = grow([base], where, lambda what: None)
    whole = completed(found[0], where)
    assert completed(whole, where) is whole
    assert whole.entry.held_out["roc_auc"].value is not None
    alone = run_learner(found[0].learner, where, lambda what: None)
    np.testing.assert_array_equal(whole.predicted, alone.predicted)
    for ours, theirs in zip(whole.folds, alone.folds, strict=True):
        np.testing.assert_array_equal(ours.predicted, theirs.predicted)
    chosen = run_ensemble([base, *found], where, lambda what: None)
    assert chosen.predicted is not None
    assert chosen.entry.error is None
    assert sturdier_estimate(where, chosen) == "held_out"
    assert sturdier_estimate(where, base) == "cross_validated"  # 40 held-out rows, fewer than 30 of a class


def test_the_best_of_a_library_alone_is_scored_with_its_choice_inside(settings, monkeypatch):
    where = context(Clock())
    monkeypatch.setattr(library, "MOST_MODELS", 3)
    base = base_run(where)
    found = grow([base], where, lambda what: None)
    ranked = sorted([base, *found], key=lambda run: -np.mean([f.scores["roc_auc"] for f in run.folds]))
    light = next(place for place, run in enumerate(ranked) if run.predicted is None)

    def alone(folds, context, kinds):
        weights = np.eye(len(folds))[light]
        return Selection(weights, np.zeros((1, 1)), 0.5, np.full(len(folds), 0.5), "roc_auc", True)

    monkeypatch.setattr(ensemble, "weigh", alone)
    run = run_ensemble(ranked, where, lambda what: None)
    assert run.entry.key == "ensemble"
    assert [member.entry.title for member, _ in run.members] == [ranked[light].entry.title]
    for i, weights in enumerate(nested_weights([one.folds for one in ranked], where)):
        ours = weighted_mean([one.folds[i].predicted for one in ranked], weights)
        np.testing.assert_allclose(run.folds[i].predicted, ours)

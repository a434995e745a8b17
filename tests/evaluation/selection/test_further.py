"""Further settings of learners, which the ensemble chooses from."""

from dataclasses import replace

import numpy as np
import pytest

from mercer.estimators import registry
from mercer.estimators.registry import LEARNERS
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.selection import further
from mercer.evaluation.selection.further import run_further
from mercer.evaluation.selection.portfolio import Further
from mercer.table import open_source

QUIET = {"repeats": 1, "folds": 2}
SLOWER = Further("tree", "leaves of 40 rows", {"min_samples_leaf": 40}, 1.0)


def context(n=200, **options):
    rng = np.random.default_rng(0)
    a = rng.normal(size=n)
    data = {"a": a.tolist(), "y": np.where(a + rng.normal(size=n) > 0, "yes", "no").tolist()}
    return prepare(open_source(data), "y", ComparisonOptions(**{**QUIET, **options}))


@pytest.fixture
def tree(monkeypatch):
    monkeypatch.setattr(further, "FURTHER", (SLOWER, Further("forest", "not run", {}, 1.0)))
    return next(one for one in LEARNERS if one.key == "tree")


def test_a_learner_that_ran_is_run_with_other_settings(tree):
    where = context()
    base = run_learner(tree, where, lambda what: None)
    [found] = run_further([base], where, lambda what: None)
    assert found.entry.title == "Decision tree, leaves of 40 rows"
    assert found.model.min_samples_leaf == 40
    assert base.model.min_samples_leaf == 5
    assert len(found.folds) == 2


def test_none_on_long_tables(tree, monkeypatch):
    where = context()
    base = run_learner(tree, where, lambda what: None)
    monkeypatch.setattr(further, "MOST_ROWS", 100)
    assert run_further([base], where, lambda what: None) == []


def test_a_time_budget_has_a_library_in_their_place(tree, monkeypatch):
    where = context(budget=Budget(1000.0, lambda: 0.9, 0.0))
    base = run_learner(tree, where, lambda what: None)
    failed = replace(base, entry=replace(base.entry, error="too late"))
    monkeypatch.setattr(further, "grow", lambda runs, context, step: [base, failed])
    assert run_further([base], where, lambda what: None) == [base]


def test_settings_better_than_any_mean_stand_in_the_leaderboard(tree, monkeypatch):
    monkeypatch.setattr(further, "FURTHER", (Further("tree", "pruned less", {"prune": None}, 1.0),))
    stump = next(one for one in LEARNERS if one.key == "baseline")
    monkeypatch.setattr(registry, "LEARNERS", (tree, stump))
    keys = {"tree", "baseline"}
    found = compare_learners(context(), lambda what, share: None)
    assert keys < {e.key for e in found.leaderboard} <= keys | {"ensemble", "tree, pruned less"}

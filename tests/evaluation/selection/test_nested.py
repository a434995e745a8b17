"""Choices for a fold by models that did not see it: labels of the fold have no part in them at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mercer.estimators.registry import LEARNERS
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.run.learner import run_learner
from mercer.evaluation.run.records import Context, Run
from mercer.evaluation.selection.ensemble import run_ensemble
from mercer.evaluation.selection.nested import choice_notice, n_pairs, with_inner_folds
from mercer.evaluation.selection.weighing import inner_weights, nested_weights
from mercer.table import open_source

KEYS = ("naive_bayes", "linear", "tree")


def context(n: int = 150, **options: object) -> Context:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=n), rng.normal(size=n)
    data = {"a": a.tolist(), "b": b.tolist(), "y": np.where(a + b * b + rng.normal(size=n) > 1, "yes", "no").tolist()}
    settings = {"repeats": 1, "folds": 4, "metric": "log_loss", "learners": KEYS, **options}
    return prepare(open_source(data), "y", ComparisonOptions(**settings))  # type: ignore[arg-type]


def runs(where: Context) -> list[Run]:
    found = [run_learner(one, where, lambda what: None) for one in LEARNERS if one.key in KEYS]
    return [with_inner_folds(run, where, lambda what: None) for run in found]


def test_the_others_are_predicted_without_both_folds() -> None:
    where = context()
    steps: list[str] = []
    [learner] = [one for one in LEARNERS if one.key == "naive_bayes"]
    run = with_inner_folds(run_learner(learner, where, lambda what: None), where, steps.append)
    assert len(steps) == n_pairs(where) == 6 and [len(one) for one in run.inner] == [3, 3, 3, 3]
    train = np.setdiff1d(where.plan.train, np.concatenate([where.plan.folds[0][1], where.plan.folds[2][1]]))
    model = learner.make(where.target.task, 0).fit(where.table.take(train), where.target.values[train])
    test = run.inner[0][1]  # of the folds that are not the first, the second: the third
    np.testing.assert_array_equal(test.rows, where.plan.folds[2][1])
    np.testing.assert_allclose(test.predicted, model.predict_proba(where.table.take(test.rows)))


def test_labels_of_a_fold_have_no_part_in_its_weights() -> None:
    where = context()
    before = runs(where)
    own = where.plan.folds[0][1]
    where.target.values[own] = 1 - where.target.values[own]  # the codes are the same array
    after = runs(where)
    same = [inner_weights([run.inner for run in each], where)[0] for each in (before, after)]
    np.testing.assert_array_equal(*same)
    leaked = [nested_weights([run.folds for run in each], where)[0] for each in (before, after)]
    assert not np.array_equal(*leaked)  # the models that predict the other folds saw this one


def test_the_ensemble_is_scored_on_the_first_round_with_inner_weights() -> None:
    where = context(repeats=2)
    found = runs(where)
    run = run_ensemble(found, where, lambda what: None)
    assert run is not None and len(found[0].folds) == 8 and len(run.folds) == 4
    weights = inner_weights([one.inner for one in found], where)
    expected = sum(w * one.folds[1].predicted for w, one in zip(weights[1], found, strict=True))
    np.testing.assert_allclose(run.folds[1].predicted, expected)


def test_where_no_pairs_are_left_out() -> None:
    assert n_pairs(context(folds=3)) == 0
    assert n_pairs(context(folds=7)) == 0
    assert n_pairs(context(1400)) == 0
    assert n_pairs(context(folds=5)) == 10
    where = context()
    hurried = replace(where, options=replace(where.options, budget=Budget(1.0)))
    run = run_learner(LEARNERS[0], where, lambda what: None)
    assert n_pairs(hurried) == 0 and with_inner_folds(run, hurried, lambda what: None) is run


def test_the_score_with_the_choice_inside_is_told() -> None:
    where = context(learners=(*KEYS, "baseline", "ensemble"), prefer="simple")
    found = compare_learners(where, lambda what, share: None)
    told = [n for n in found.notices if "chosen anew for every fold" in n]
    assert len(told) == (0 if found.kept == "ensemble" else 1)
    every = runs(where)
    scores = []
    for i in range(4):
        means = [np.mean([fold.scores["log_loss"] for fold in run.inner[i]]) for run in every]
        scores.append(every[int(np.argmin(means))].folds[i].scores["log_loss"])
    said = choice_notice(every, every[0], where)
    assert said.endswith(f"without its rows, it is {np.mean(scores):.3g}.")
    alone = np.mean([fold.scores["log_loss"] for fold in every[0].folds])
    assert f"is {alone:.3g}; with the learner chosen anew" in said
    assert choice_notice(every[:1], every[0], where) == ""


def test_a_learner_that_fails_without_a_pair_is_scored_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    where = context()
    run = run_learner(LEARNERS[0], where, lambda what: None)

    def fail(*given: object, **named: object) -> None:
        raise ValueError("too few rows")

    monkeypatch.setattr("mercer.evaluation.selection.nested.fit", fail)
    assert with_inner_folds(run, where, lambda what: None) is run

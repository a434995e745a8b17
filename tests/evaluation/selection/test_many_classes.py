"""Targets with many classes: fits are long, so there are fewer of them, and what is left out is said."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.estimators.registry import learners
from mercer.evaluation.comparison import prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.evaluation.run.records import Context
from mercer.evaluation.selection.further import run_further
from mercer.evaluation.selection.many_classes import for_many_classes
from mercer.evaluation.selection.nested import n_pairs
from mercer.table import Task, open_source


def _context(n_classes: int, **options: Any) -> Context:
    rng = np.random.default_rng(0)
    y = [f"class {place}" for place in range(n_classes)] * 10
    return prepare(open_source({"x": rng.normal(size=len(y)), "y": y}), "y", ComparisonOptions(**options))


def test_a_machine_for_each_of_many_pairs_is_run_by_name_alone() -> None:
    running = learners(Task.CLASSIFICATION)
    kept, notices = for_many_classes(running, _context(31))
    assert {one.key for one in running} - {one.key for one in kept} == {"svm"}
    assert notices == [
        "Support vector machine was not run: it tells each pair of classes apart, and 31 classes are 465 pairs. Name "
        "it to run it all the same: --learner svm.",
        "Fits to 31 classes are long: cross-validation is not repeated, and the ensemble has one setting of each "
        "learner. --time 10m tries further settings.",
    ]
    assert for_many_classes(running, _context(30, repeats=1)) == ([*running], [])
    named = learners(Task.CLASSIFICATION, ["svm", "tree"])
    assert for_many_classes(named, _context(31, learners=("svm", "tree"), repeats=1)) == ([*named], [])


def test_what_few_classes_are_given_is_not_said() -> None:
    assert for_many_classes([], _context(20)) == ([], [])


def test_folds_of_many_classes_are_neither_repeated_nor_left_out_in_pairs() -> None:
    few, many = _context(20), _context(21)
    assert (few.plan.n_repeats, n_pairs(few)) == (3, 10)
    assert (many.plan.n_repeats, n_pairs(many)) == (1, 0)
    assert run_further([], many, print) == []


def test_repeats_that_were_asked_for_are_made() -> None:
    assert _context(21, repeats=2).plan.n_repeats == 2

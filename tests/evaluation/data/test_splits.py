"""Splits: every row in its place, classes in proportion, no test row seen in training."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mercer
from mercer.errors import BadTable, MercerError
from mercer.evaluation.data.splits import plan_splits, split_table
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source
from mercer.table.display.frames import UNSEEN
from mercer.table.target_column import read_target


def plan(values, **options):
    return plan_splits(read_target(open_source({"y": values}), "y")[0], ComparisonOptions(**options))


def test_parts_are_disjoint_and_complete():
    made = plan(["a", "b", "b"] * 400, folds=4)
    assert sorted([*made.train, *made.test]) == list(range(1200))
    assert len(made.folds) == 4
    assert sorted(np.concatenate([test for _, test in made.folds])) == sorted(made.train)
    for train, test in made.folds:
        assert sorted([*train, *test]) == sorted(made.train)


def test_classes_keep_their_shares():
    values = np.array(["rare"] * 50 + ["common"] * 950)
    made = plan(values.tolist())
    for rows in (made.train, made.test, *(test for _, test in made.folds)):
        assert np.mean(values[rows] == "rare") == pytest.approx(0.05, abs=0.01)


def test_small_tables_are_repeated_with_other_folds():
    made = plan(["a", "b"] * 50)
    assert (made.n_folds, made.n_repeats, len(made.folds)) == (5, 3, 15)
    assert made.folds[0][1].tolist() != made.folds[5][1].tolist()
    assert plan(["a", "b"] * 600).n_repeats == 1


def test_folds_that_test_a_rare_class_come_first():
    values = np.array(["common"] * 97 + ["rare"] * 3)
    for seed in range(10):
        made = plan(values.tolist(), seed=seed)
        has_rare = np.array(["rare" in values[test] for _, test in made.folds]).reshape(made.n_repeats, made.n_folds)
        assert has_rare.sum(axis=1).tolist() == [2 if "rare" in values[made.test] else 3] * 3
        assert (np.diff(has_rare.astype(int), axis=1) <= 0).all()


def test_the_seed_decides():
    values = list(np.linspace(0, 1, 100))
    assert len(plan(values, seed=2**32 - 1).folds) == 15
    assert plan(values, seed=1).test.tolist() == plan(values, seed=1).test.tolist() != plan(values).test.tolist()


@pytest.mark.parametrize(
    "values", [["a", "b"] * 2, [1.5, 2.5, 3.5], ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e"]]
)
def test_too_few_rows(values):
    with pytest.raises(BadTable, match="too few"):
        plan(values)


@pytest.mark.parametrize(
    "wrong", [{"folds": 1}, {"held_out": 0.9}, {"level": 1.5}, {"repeats": 0}, {"repeats": 1000}, {"seed": -1}]
)
def test_options_out_of_range(wrong):
    with pytest.raises(MercerError, match=next(iter(wrong))):
        plan(["a", "b"] * 20, **wrong)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from("abc"), min_size=10, max_size=60))
def test_any_classes_are_split_or_refused(values):
    try:
        made = plan([*values, "x", "x", "y", "y"])
    except MercerError:
        return
    assert set(made.train).isdisjoint(made.test)
    assert all(len(test) and len(train) for train, test in made.folds)


def test_a_level_of_the_tested_rows_alone_is_never_seen():
    table = mercer.read_table({"c": ["u", "v", "w", "x", "u", None], "n": [1.0, 2, 3, 4, 5, 6]})
    taught, tested = split_table(table, np.array([0, 1, 4]), np.array([2, 3, 5, 0]))
    assert taught.schema["c"].levels == ("u", "v")
    assert taught.column("c").tolist() == ["u", "v", "u"]
    assert tested.column("c").tolist() == [UNSEEN, UNSEEN, None, "u"]
    assert taught.schema.columns == tested.schema.columns
    assert table.schema["c"].levels == ("u", "v", "w", "x")


def test_declared_order_is_kept():
    table = mercer.read_table({"c": ["S", "L", "M", "L"]}, kinds={"c": ["S", "M", "L"]})
    taught, tested = split_table(table, np.array([0, 1]), np.array([2]))
    assert taught.schema["c"].levels == ("S", "M", "L")
    assert tested.column("c").tolist() == ["M"]

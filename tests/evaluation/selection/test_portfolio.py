"""Settings of learners for the ensemble: a list, then draws."""

from itertools import islice

import pytest

from mercer.estimators.registry import LEARNERS
from mercer.evaluation.selection.portfolio import FIRST, FURTHER, MOST_ROUNDS, Further, doubled, portfolio
from mercer.parameters import check_parameters
from mercer.table import Task

KNOWN = {one.key: one for one in LEARNERS}


@pytest.mark.parametrize("task", list(Task))
def test_settings_are_of_parameters_that_learners_have(task):
    for one in (*FURTHER, *islice(portfolio(task, 0), 40)):
        model = one.variant(KNOWN[one.key]).make(task)
        check_parameters(model)
        assert {name: model.get_params()[name] for name in one.settings} == one.settings
        assert one.effort > 0


def test_the_same_seed_gives_the_same_settings_each_under_its_own_name():
    ours, again, other = ([*islice(portfolio(Task.CLASSIFICATION, seed), 40)] for seed in (0, 0, 1))
    assert ours == again
    assert ours[: len(FIRST)] == other[: len(FIRST)] == [*FIRST]
    assert ours[len(FIRST) :] != other[len(FIRST) :]
    assert len({(one.key, one.name) for one in ours}) == 40


def test_settings_of_one_task_are_left_out_of_the_other():
    first = [*islice(portfolio(Task.REGRESSION, 0), len(FIRST))]
    assert all(one.task is not Task.CLASSIFICATION for one in first)


def test_twice_the_rounds():
    slow = Further("boosting", "slow", {"max_iter": 300, "learning_rate": 0.02}, 1.5, rounds=300)
    twice = doubled(slow)
    assert twice == Further("boosting", "slow", {"max_iter": 600, "learning_rate": 0.02}, 3.0, rounds=600)
    assert (slow.name, twice.name) == ("slow, 300 rounds", "slow, 600 rounds")
    assert doubled(Further("boosting", "4 leaves", {"max_leaf_nodes": 4}, 0.6)).name == "4 leaves, 400 rounds"
    assert doubled(Further("boosting", "long", {"max_iter": MOST_ROUNDS}, 9.0)) is None
    assert doubled(Further("forest", "many", {"n_estimators": 500}, 5.0)) is None

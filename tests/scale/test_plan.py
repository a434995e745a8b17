"""The estimate of `mercer.scale.plan` is the arithmetic that its docstring states, and grows as it should."""

import math

import pytest

import mercer
from mercer.errors import BadParameter
from mercer.scale.chunks import CELLS
from mercer.scale.memory import BUDGET
from mercer.scale.plan import COPIES, COSTS, READ, SURVEY, TASK


def by_name(plan):
    return {e.learner: e for e in plan}


def test_naive_bayes_by_hand():
    rows, columns, workers = 10_000_000, 30, 4
    cells, chunks = 3e8, math.ceil(3e8 / 2**23)
    assert chunks == 36
    found = by_name(mercer.scale.plan(rows, columns, workers))["NaiveBayes"]
    kept = 4 * 2**29 / (3e8 * 8)
    again = 1 + 1 * (1 - kept)
    assert found.passes == 3
    assert found.merges == 3 * 35
    assert found.bytes_read == pytest.approx(cells * 8 * (1 + again))
    assert found.bytes_moved == pytest.approx(8 * 5 * 30 * 2 * 35 * 3 * 3 / 4)
    work = cells * (SURVEY + READ * again + COSTS["NaiveBayes"].work) / 4
    assert found.seconds == pytest.approx(max(work, 2 * 36 * 3 * TASK))
    assert found.worker_memory == COPIES * CELLS * 8 + BUDGET + 2 * 8 * 5 * 30 * 2


def test_boosting_asks_the_workers_and_holds_the_target():
    found, more = (
        by_name(mercer.scale.plan(10**8, 30, 10, memory=m))["HistGradientBoosting, 100 rounds"] for m in (8e9, 64e9)
    )
    assert found.own_memory == 10**8 * 12
    cost = COSTS[found.learner]
    assert found.bytes_moved == cost.questions * 10 * 5 * 256 * 16 * 30
    again = 1 + (cost.passes - 2) * (1 - 10 * BUDGET / (3e9 * 8))
    assert found.seconds == pytest.approx(
        3e9 * (SURVEY + READ * again + cost.work) / 10 + 2 * cost.questions * 10 * TASK
    )
    assert "from 6.7e+08 rows on, the process that asks holds 12 bytes a row, and has 8 GB" in found.breaks_first
    assert "from 1.1e+09 rows on, no more than 1.1e+09 rows are added up" in more.breaks_first


def test_twice_the_rows_take_twice_the_seconds_and_the_same_memory():
    for one, two in zip(mercer.scale.plan(10**9, 20, 8), mercer.scale.plan(2 * 10**9, 20, 8), strict=True):
        assert two.seconds / one.seconds == pytest.approx(2, rel=0.05)
        assert two.worker_memory == one.worker_memory


def test_the_scheduler_limits_how_many_workers_help():
    few, many = (by_name(mercer.scale.plan(10**10, 30, w))["NaiveBayes"] for w in (2, 1000))
    assert "keep the scheduler busy" not in few.breaks_first
    assert "keep the scheduler busy: take chunks" in many.breaks_first
    assert many.seconds == pytest.approx(2 * math.ceil(3e11 / CELLS) * 3 * TASK)


def test_one_process_moves_nothing():
    assert all(e.bytes_moved == 0 for e in mercer.scale.plan(10**6, 10, 1))


def test_it_is_shown_as_a_table():
    text = repr(mercer.scale.plan(10**6, 10, 2))
    assert text.splitlines()[0].split() == ["learner", "passes", "hours", "read", "moved", "merges", "worker", "here"]
    assert len(text.splitlines()) == 1 + 2 * len(COSTS)


@pytest.mark.parametrize("given", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_nothing_is_refused(given):
    with pytest.raises(BadParameter, match="give a number above 0"):
        mercer.scale.plan(*given)


def test_columns_beyond_a_worker_are_told():
    assert "leave out columns" in by_name(mercer.scale.plan(10**6, 10_000, 2))["LinearRegression"].breaks_first

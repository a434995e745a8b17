"""Chunks are kept between passes within a budget, and let go after the fit."""

from dataclasses import dataclass

import numpy as np
import pytest

import mercer
from mercer.scale import memory
from tests.scale.rows import ROWS, cut, expect_same


@dataclass
class Read:
    """A chunk that counts how often it is read."""

    name: str
    frame: object
    times: int = 0

    def read(self, options):
        self.times += 1
        return self.frame


@pytest.mark.parametrize(("budget", "times"), [(1 << 29, 2), (0, 3)])
def test_a_table_that_fits_is_read_twice(monkeypatch, budget, times):
    monkeypatch.setattr(memory, "BUDGET", budget)
    memory.forget()
    parts = [Read("the same name", part) for part in cut(ROWS, [100, 350])]
    model = mercer.scale.fit(mercer.NaiveBayes(), mercer.scale.Chunks(lambda: parts, parts=parts), "y")
    assert [part.times for part in parts] == [times] * 3
    expect_same(model, mercer.NaiveBayes().fit(ROWS.drop(columns="y"), ROWS.y))
    assert not memory.MEMORY._kept


def test_what_does_not_fit_is_made_again():
    kept = memory.Memory()
    large = np.zeros(memory.BUDGET // 8)
    assert kept.recall("a fit", 1, lambda: large) is large
    made = [kept.recall("a fit", 2, lambda: np.ones(1)) for _ in range(2)]
    assert made[0] is not made[1]
    assert kept.recall("a fit", 1, lambda: None) is large
    assert kept.recall("another", 1, lambda: None) is None

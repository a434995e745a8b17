"""More rounds than a machine can hold are refused at once; a long fit tells how far it is, and can be ended."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mercer
from mercer.errors import TooLarge
from mercer.estimators.boosting.training.rounds import round_printer
from mercer.solvers.boost import boost, memory

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] + RNG.normal(size=60)
LABELS = np.repeat(["a", "b", "c"], 20)


def never(*_: Any) -> None:
    raise AssertionError("a round was begun")


@pytest.mark.parametrize("rounds", [10**9, 2**31, 2**53])
@pytest.mark.parametrize(
    ("estimator", "target"),
    [(mercer.HistGradientBoostingClassifier(), LABELS), (mercer.HistGradientBoostingRegressor(), Y)],
    ids=["classes", "numbers"],
)
def test_rounds_beyond_the_memory_are_refused_before_the_first(
    estimator: Any, target: Any, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("round", "rounds"):
        monkeypatch.setattr(boost._Work, name, never)
    with pytest.raises(TooLarge, match=f"max_iter={rounds} needs about .* TB .* this machine has"):
        estimator.set_params(max_iter=rounds).fit(X, target)


def test_trees_too_large_together_are_refused_after_a_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 trees of one node would fit; those that are grown do not."""
    model = mercer.HistGradientBoostingRegressor(max_iter=100, min_samples_leaf=1, max_leaf_nodes=None)
    nodes = len(model.fit(X, Y).forest_.column) / 100
    monkeypatch.setattr(memory, "physical_memory", lambda: 100 * (memory.TREE_BYTES + memory.NODE_BYTES * nodes / 2))
    grown: list[int] = []
    work = boost._Work.rounds
    monkeypatch.setattr(boost._Work, "rounds", lambda self, n: grown.append(n) or work(self, n))
    with pytest.raises(TooLarge, match="100 trees of about"):
        model.fit(X, Y)
    assert grown == [1]


def test_rounds_that_early_stopping_may_not_need_are_refused_when_they_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = mercer.HistGradientBoostingRegressor(max_iter=10**9, early_stopping=True, min_samples_leaf=2)
    assert model.fit(X, Y).n_iter_ < 1000  # which ends by itself
    monkeypatch.setattr(memory, "physical_memory", lambda: 10)
    with pytest.raises(TooLarge, match="After 1 rounds that each did better, the trees take"):
        model.fit(X, Y)


def test_more_nodes_than_a_model_can_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "physical_memory", lambda: 1 << 60)
    with pytest.raises(TooLarge, match="at most 2,147,483,647 nodes"):
        memory.expect_room(2**30, 3.0, "max_iter=1073741824 needs about")
    memory.expect_room(2**30, 1.0, "max_iter=1073741824 needs about")


def test_verbose_tells_the_rounds_once_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    times: Iterator[float] = iter([0.0, 0.5, 1.2, 1.5, 2.3])
    show = round_printer(5000, lambda: next(times))
    assert all(show(done) for done in (10, 1200, 1300, 2400))
    assert capsys.readouterr().out.splitlines() == [
        "Round 1,200 of at most 5,000 after 1 s",
        "Round 2,400 of at most 5,000 after 2 s",
    ]


def test_an_interrupted_fit_ends_and_leaves_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "physical_memory", lambda: 1 << 60)
    model = mercer.HistGradientBoostingRegressor(max_iter=10**6, verbose=1)
    rounds: list[int] = []
    work = boost._Work.round

    def interrupted(self: Any) -> Any:
        rounds.append(1)
        if len(rounds) == 50:
            signal.raise_signal(signal.SIGINT)
        return work(self)

    monkeypatch.setattr(boost._Work, "round", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert len(rounds) == 50
    assert not hasattr(model, "forest_")

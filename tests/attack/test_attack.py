"""A few hundred attempts with fixed seeds; `make attack` goes on for as long as it is told."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import mercer
from mercer.errors import MercerError
from tests.attack import batch
from tests.attack.__main__ import run_batch
from tests.attack.model_files import estimators, mutate
from tests.attack.outcome import Outcome, Wrong, check_answers
from tests.attack.tables import LABELS, PROBES, ROWS, TARGET

ATTEMPTS = {"model_files": 260, "readers": 140, "frames": 80, "parameters": 80, "parts": 120, "workbench": 60}


@pytest.mark.parametrize("area", batch.AREAS)
def test_hostile_input_is_refused_or_answered_soundly(area: str) -> None:
    found = {seed: batch.attempt(area, seed) for seed in range(ATTEMPTS[area])}
    bad = {seed: why for seed, (outcome, why) in found.items() if outcome in (Outcome.WRONG, Outcome.CRASHED)}
    assert not bad
    assert {outcome for outcome, _ in found.values()} >= {Outcome.REFUSED, Outcome.ANSWERED}  # neither of them always


def test_every_seed_changes_the_file() -> None:
    state = {"state": {"fitted": {"values": np.ones(3), "names": ["a"]}}, "card": {"task": "x"}}
    before = repr(state)
    for seed in range(20):
        mutate(state, np.random.default_rng(seed))
    assert repr(state) != before
    assert len(estimators()) > 30


class _Liar:
    """A classifier whose probabilities do not sum to 1."""

    _estimator_type = "classifier"
    classes_ = np.array(["hi", "lo", "mid"])

    def __sklearn_tags__(self) -> object:
        return type("Tags", (), {"estimator_type": "classifier"})()

    def predict(self, rows: object) -> object:
        return LABELS[:2]

    def predict_proba(self, rows: object) -> object:
        return np.full((2, 3), 0.5)


def test_an_unsound_answer_is_wrong() -> None:
    with pytest.raises(Wrong, match="no probabilities"):
        check_answers(_Liar(), PROBES)
    assert ROWS.n_rows == len(LABELS)


def test_an_attempt_that_ends_its_process_is_a_crash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = subprocess.Popen
    dying = "import os; print('{\"seed\": 7}', flush=True); os.abort()"
    monkeypatch.setattr(subprocess, "Popen", lambda command, **rest: start([sys.executable, "-c", dying], **rest))
    count: Counter[str] = Counter()
    run_batch("readers", 0, 10.0, count, Counter())
    assert count == {Outcome.CRASHED: 1}
    assert "readers --seed 7: the process ended" in capsys.readouterr().out


def test_each_attempt_has_the_memory_limit_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses that an earlier attempt left reserved are no fault of the next one."""
    limited: list[int] = []
    monkeypatch.setattr(batch, "_limit_memory", lambda: limited.append(1))
    monkeypatch.setattr(batch, "attempt", lambda area, seed: (Outcome.REFUSED, ""))
    batch.run("frames", 0, 3, 60.0)
    assert len(limited) == 3


def test_rows_that_are_all_alike_beside_weights_near_nothing_have_their_mean() -> None:
    with np.errstate(all="ignore"):
        model = mercer.RVR(gamma=1e-12).fit(ROWS, TARGET, sample_weight=np.full(ROWS.n_rows, 1e-300))
    np.testing.assert_allclose(model.predict(ROWS), np.mean(TARGET))


@pytest.mark.parametrize("loss", ["hinge", "squared"])
def test_a_share_of_alpha_that_overflows_is_refused(loss: str) -> None:
    machine = mercer.TwinSVC(alpha=1e12, loss=loss)
    with pytest.raises(MercerError, match="alpha"), np.errstate(all="ignore"):
        machine.fit(ROWS, LABELS, sample_weight=np.where(np.arange(ROWS.n_rows) % 2, 1.0, 1e-300))

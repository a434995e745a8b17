"""The contest: every learner on the same rows, judged by the same folds and the same held-out part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mercer.evaluate.options import ContestOptions
from mercer.table import Source

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its interval and how that was found; None where the score is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the leaderboard: scores by metric key, or the error that stopped the learner."""

    key: str
    title: str
    description: str
    is_baseline: bool
    cross_validated: dict[str, Score]
    held_out: dict[str, Score]
    training: dict[str, float | None]
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class Contest:
    """All that was found; `winner` is fitted on every row, `leaderboard` best first."""

    leaderboard: list[Entry]
    winner: Any
    metric: str
    facts: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON; the fitted model is not in it."""
        raise NotImplementedError


def run_contest(source: Source, target: str, options: ContestOptions, progress: Progress) -> Contest:
    """Read the target, infer the schema, split, cross-validate each learner, check on the held-out part, refit the best.

    `progress(what, share)` is called as work goes on, `share` from 0 to 1.
    """
    raise NotImplementedError

"""Dot-and-whisker plots of the leaderboard and of the importance of columns, placed in percent of a common scale."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import Any

from mercer.formatting import MINUS
from mercer.report.svg import number, ticks

MOST_COLUMNS = 15

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of the axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Whisker:
    """A dot with an interval around it."""

    at: float
    start: float
    width: float


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One learner: its entry, and its cross-validated and held-out score; None where there is none."""

    entry: Data
    cross_validated: Whisker | None = None
    held_out: Whisker | None = None


@dataclass(frozen=True, slots=True)
class LeaderboardPlot:
    """Every learner on one scale."""

    rows: list[LeaderboardRow]
    axis: list[Tick]


@dataclass(frozen=True, slots=True)
class ImportanceRow:
    """One column: its importance, a bar from 0, and one standard deviation on either side."""

    importance: Data
    start: float
    width: float
    whisker: Whisker | None


@dataclass(frozen=True, slots=True)
class ImportancePlot:
    """The most important columns, and how many are not shown, insignificant, or harmful (beyond two deviations)."""

    rows: list[ImportanceRow]
    axis: list[Tick]
    n_hidden: int
    n_insignificant: int
    n_harmful: int
    digits: int  # behind the point, so that the largest has three figures

    def figure(self, value: float) -> str:
        """A mean or a deviation as it is printed, without a minus before zero."""
        text = f"{value:,.{self.digits}f}"
        return text.replace("-", MINUS) if float(text.replace(",", "")) else text.removeprefix("-")


def leaderboard_plot(result: Data) -> LeaderboardPlot:
    """For each learner the cross-validated mean with its interval, and the held-out score, on one scale."""
    key = result["metric"]["key"]
    entries = [e for e in result["leaderboard"] if not e["error"]]
    scores = [s for e in entries for s in (e["cross_validated"][key], e["held_out"][key])]
    values = [s[end] for s in scores for end in ("value", "low", "high") if s[end] is not None]
    low, high = scale(values or [0.0, 1.0])
    rows = [
        LeaderboardRow(e)
        if e["error"]
        else LeaderboardRow(e, _whisker(e["cross_validated"][key], low, high), _whisker(e["held_out"][key], low, high))
        for e in result["leaderboard"]
    ]
    return LeaderboardPlot(rows, axis(low, high))


def importance_plot(result: Data) -> ImportancePlot | None:
    """The columns whose permutation lowers the score most; None when importance was not computed."""
    every = result["diagnostics"]["importance"]
    if not every:
        return None
    top = every[:MOST_COLUMNS]
    ends = [d["mean"] + side * d["spread"] for d in top for side in (-1, 1)]
    low, high = scale(ends, zero=True)
    rows = []
    for one in top:
        mean, spread = one["mean"], one["spread"]
        left, right = sorted((_place(0.0, low, high), _place(mean, low, high)))
        whisker = _whisker({"value": mean, "low": mean - spread, "high": mean + spread}, low, high)
        rows.append(ImportanceRow(one, left, round(right - left, 2), whisker))
    return ImportancePlot(
        rows,
        axis(low, high),
        n_hidden=len(every) - len(top),
        n_insignificant=sum(abs(d["mean"]) <= 2 * d["spread"] for d in every),
        n_harmful=sum(d["mean"] < -2 * d["spread"] for d in every),
        digits=_digits(max(abs(end) for end in ends)),
    )


def _digits(largest: float) -> int:
    return min(6, max(0, 2 - floor(log10(largest)))) if largest > 0 else 3


def scale(values: list[float], *, zero: bool = False) -> tuple[float, float]:
    """A range around the values with a margin; it starts at zero when asked to."""
    low, high = min(values), max(values)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    margin = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
    return (low if zero and low == 0 else low - margin), high + margin


def axis(low: float, high: float) -> list[Tick]:
    """Ticks as places in percent."""
    return [Tick(_place(t, low, high), number(t)) for t in ticks(low, high, 5)]


def _place(value: float, low: float, high: float) -> float:
    return round(min(100.0, max(0.0, 100 * (value - low) / (high - low))), 2)


def _whisker(score: Data, low: float, high: float) -> Whisker | None:
    if score["value"] is None:
        return None
    start = _place(score["value"] if score["low"] is None else score["low"], low, high)
    end = _place(score["value"] if score["high"] is None else score["high"], low, high)
    return Whisker(_place(score["value"], low, high), start, round(end - start, 2))

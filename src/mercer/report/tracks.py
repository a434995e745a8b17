"""Dot-and-whisker and bar tracks: places in percent of a common scale, drawn by the page's style."""

from __future__ import annotations

from typing import Any

from mercer.report.svg import number, ticks

MOST_DRIVERS = 15

Data = dict[str, Any]


def scale(values: list[float], *, zero: bool = False) -> tuple[float, float]:
    """A range around the values with a little air; it starts at zero when asked to."""
    low, high = min(values), max(values)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    pad = 0.06 * (high - low) or abs(high) * 0.1 or 1.0
    return (low if zero and low == 0 else low - pad), high + pad


def axis(low: float, high: float) -> list[Data]:
    """Ticks as places in percent."""
    return [{"at": _place(t, low, high), "text": number(t)} for t in ticks(low, high, 5)]


def _place(value: float, low: float, high: float) -> float:
    return round(min(100.0, max(0.0, 100 * (value - low) / (high - low))), 2)


def leaderboard_tracks(result: Data) -> Data:
    """For each learner the cross-validated mean with its interval, and the held-out score, on one scale."""
    key = result["metric"]["key"]
    entries = [e for e in result["leaderboard"] if not e["error"]]
    scores = [s for e in entries for s in (e["cross_validated"][key], e["held_out"][key])]
    values = [s[end] for s in scores for end in ("value", "low", "high") if s[end] is not None]
    low, high = scale(values or [0.0, 1.0])
    rows = []
    for entry in result["leaderboard"]:
        row: Data = {"entry": entry}
        if not entry["error"]:
            row["cv"] = _track(entry["cross_validated"][key], low, high)
            row["held"] = _track(entry["held_out"][key], low, high)
        rows.append(row)
    return {"rows": rows, "axis": axis(low, high)}


def _track(score: Data, low: float, high: float) -> Data | None:
    if score["value"] is None:
        return None
    start = _place(score["value"] if score["low"] is None else score["low"], low, high)
    end = _place(score["value"] if score["high"] is None else score["high"], low, high)
    return {"at": _place(score["value"], low, high), "start": start, "width": round(end - start, 2)}


def importance_tracks(result: Data) -> Data | None:
    """The columns whose shuffling costs most, as bars with one standard deviation on either side."""
    every = result["details"]["importance"]
    if not every:
        return None
    top = every[:MOST_DRIVERS]
    ends = [d["mean"] + side * d["spread"] for d in top for side in (-1, 1)]
    low, high = scale(ends, zero=True)
    rows = []
    for driver in top:
        bar = sorted((_place(0.0, low, high), _place(driver["mean"], low, high)))
        spread = {"value": driver["mean"], "low": driver["mean"] - driver["spread"]}
        whisker = _track({**spread, "high": driver["mean"] + driver["spread"]}, low, high)
        rows.append({"driver": driver, "start": bar[0], "width": round(bar[1] - bar[0], 2), "whisker": whisker})
    return {
        "rows": rows,
        "axis": axis(low, high),
        "n_hidden": len(every) - len(top),
        "n_silent": sum(abs(d["mean"]) <= 2 * d["spread"] for d in every),
        "n_harmful": sum(d["mean"] < -2 * d["spread"] for d in every),
    }

"""Direction of effects: the partial dependence of the most important columns as small drawings on one scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from html import escape
from typing import Any

from markupsafe import Markup

from mercer.formatting import amount, percent, short, short_apart
from mercer.report.svg import SMALL, Axes, ticks
from mercer.report.svg import number as tick_label
from mercer.table.display.dates import Mark, date_ticks, day_ticks, value_text
from mercer.table.kinds.parts import DateUnit

MOST_LEVELS = 12  # lines of one drawing: every month
_ENDS = "average", "low", "high"  # of an effect, drawn for each level
_LINE = 19  # height of a level
_NAMES = 138  # width of the names of levels
_MOST_OF_NAME = 15  # letters that fit there
_MOST_LETTERS = 24  # of the ticks below them

Data = dict[str, Any]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Effect:
    """A drawing of one column, the direction in words, and how many of its levels are not shown."""

    column: str
    svg: Markup
    words: str
    n_hidden: int


@dataclass(frozen=True, slots=True)
class Effects:
    """Every drawing, what all of them show, and the names of the classes if there are several."""

    panels: list[Effect]
    what: str
    legend: tuple[str, ...]
    n_rows: int
    level: float


def effects_plot(result: Data) -> Effects | None:
    """The effects of the best model; None when none was computed."""
    found = result["effects"]
    if not found:
        return None
    lines = found[0]["lines"]
    several = len(lines) > 1
    target = short(result["target"]["name"], 40)
    label = "" if several or not lines[0]["label"] else f" of {target} = {short(lines[0]['label'], 30)}"
    unit = found[0]["unit"]
    what = {"probability": f"probability{label}", "decision": f"decision value{label}", "prediction": target}[unit]
    dates, span = result["target"].get("date_unit", ""), _span(found)
    panels = [_panel(one, span, f"Average {what}", dates) for one in found]
    return Effects(
        panels, what, tuple(line["label"] for line in lines) if several else (), found[0]["n_rows"], found[0]["level"]
    )


def _span(found: list[Data]) -> Span:
    """One scale for all drawings, so that they can be compared."""
    several = len(found[0]["lines"]) > 1
    ends = ("average",) if several else ("low", "high")
    values = [v for one in found for line in one["lines"] for end in ends for v in line[end]]
    low, high = min(values), max(values)
    if found[0]["unit"] == "probability":
        low, high = max(low, 0.0), min(high, 1.0)
    pad = 0.05 * (high - low) or abs(high) * 0.05 or 1.0
    bound = (0.0, 1.0) if found[0]["unit"] == "probability" else (-float("inf"), float("inf"))
    return max(low - pad, bound[0]), min(high + pad, bound[1])


def _panel(one: Data, span: Span, what: str, dates: DateUnit) -> Effect:
    n_values, one = len(one["values"]), _shown(one)
    words = direction(one, dates)
    marks = day_ticks(*span) if dates else [(at, tick_label(at)) for at in ticks(*span, SMALL.ticks)]
    about = f"{what} by {one['column']}: {words}"
    if one["scale"] == "levels":
        shown = len(one["values"])
        return Effect(one["column"], _levels(one, span, about, shown, marks), words, n_values - shown)
    return Effect(one["column"], _curve(one, span, about, marks), words, 0)


def _shown(one: Data) -> Data:
    """The effect as it is drawn: of levels those with most rows, in their order."""
    if one["scale"] != "levels":
        return one
    kept = sorted(sorted(range(len(one["values"])), key=lambda i: -one["counts"][i])[:MOST_LEVELS])
    lines = [{**line, **{end: [line[end][i] for i in kept] for end in _ENDS}} for line in one["lines"]]
    return {**one, "values": [one["values"][i] for i in kept], "lines": lines}


def _curve(one: Data, span: Span, about: str, marks: list[Mark]) -> Markup:
    """A line per class over numbers or dates; the marks below it are the values, so that they show where rows are."""
    dates = one["scale"] == "dates"
    at = [_day(v) for v in one["values"]] if dates else [float(v) for v in one["values"]]
    across = (at[0], at[-1]) if at[-1] > at[0] else (at[0] - 1, at[0] + 1)
    size = replace(SMALL, left=max(SMALL.left, 8 * max(len(text) for _, text in marks) + 8))
    below = date_ticks(*across)[:: 1 if size.left == SMALL.left else 2] if dates else None
    axes = Axes(about, across, span, "", "", size=size, x_ticks=below, y_ticks=marks)
    if len(one["lines"]) == 1:
        line = one["lines"][0]
        clip = [[min(max(v, span[0]), span[1]) for v in line[end]] for end in ("low", "high")]
        axes.band(at, clip[0], clip[1], "c0")
    for i, line in enumerate(one["lines"]):
        axes.line(list(zip(at, line["average"], strict=True)), f"curve c{i}")
        if len(at) == 1:
            axes.dot(at[0], line["average"][0], f"dot c{i}")
    rug = span[0] + 0.03 * (span[1] - span[0])
    for value in at:
        axes.line([(value, span[0]), (value, rug)], "rug")
    return axes.render()


def _levels(one: Data, span: Span, about: str, shown: int, marks: list[Mark]) -> Markup:
    """A line for each level: its name, and a dot per class with its interval."""
    size = replace(SMALL, left=_NAMES, height=SMALL.top + SMALL.bottom + shown * _LINE)
    right, bottom = size.width - size.right, size.height - size.bottom

    def x(value: float) -> float:
        inside = min(max(value, span[0]), span[1])
        return size.left + (inside - span[0]) / (span[1] - span[0]) * (right - size.left)

    parts = []
    for tick, text in marks if sum(len(text) for _, text in marks) < _MOST_LETTERS else marks[:: len(marks) - 1]:
        parts.append(f'<line class="grid" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{size.top}" y2="{bottom}"/>')
        label = f'<text class="tick" x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>'
        parts.append(label)
    names = short_apart(one["values"], _MOST_OF_NAME)
    for i in range(shown):
        y = size.top + (i + 0.5) * _LINE
        parts.append(
            f'<text class="tick" x="{size.left - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(names[i])}</text>'
        )
        for c, line in enumerate(one["lines"]):
            if len(one["lines"]) == 1:
                ends = f'x1="{x(line["low"][i]):.1f}" x2="{x(line["high"][i]):.1f}"'
                parts.append(f'<line class="whisker c{c}" {ends} y1="{y:.1f}" y2="{y:.1f}"/>')
            parts.append(f'<circle class="dot c{c}" cx="{x(line["average"][i]):.1f}" cy="{y:.1f}" r="4"/>')
    box = f'viewBox="0 0 {size.width} {size.height}"'
    return Markup(f'<svg {box} role="img" aria-label="{escape(about, quote=True)}">{"".join(parts)}</svg>')


def direction(one: Data, dates: DateUnit = "") -> str:
    """'rises from 12 % at 1 to 43 % at 72', of the class that changes most."""
    line = max(one["lines"], key=lambda each: max(each["average"]) - min(each["average"]))
    average, named = line["average"], short_apart(one["values"], 24) if one["scale"] == "levels" else one["values"]
    values = [_value(value).strip("()") for value in named]
    who = f"{short(line['label'], 24)} " if len(one["lines"]) > 1 else ""
    show = percent if one["unit"] == "probability" else partial(value_text, unit=dates)
    low, high = (average.index(pick(average)) for pick in (min, max))
    if show(average[low]) == show(average[high]):
        return f"{who}stays at {show(average[low])}"
    if one["scale"] == "levels":
        return f"{who}from {show(average[low])} ({values[low]}) to {show(average[high])} ({values[high]})"
    change = (average[-1] - average[0]) / (average[high] - average[low])
    if abs(change) >= 0.8:
        verb = "rises" if change > 0 else "falls"
        return f"{who}{verb} from {show(average[0])} at {values[0]} to {show(average[-1])} at {values[-1]}"
    return f"{who}lowest {show(average[low])} at {values[low]}, highest {show(average[high])} at {values[high]}"


def _value(value: float | str) -> str:
    if isinstance(value, str):
        return short(value, 24)
    return f"{value:.0f}" if 1000 <= value < 3000 and value == round(value) else amount(value)  # it may be a year


def _day(text: str) -> float:
    """A date, with or without a time of day, as a number of days."""
    moment = datetime.fromisoformat(text)
    return moment.toordinal() + (moment.hour + moment.minute / 60) / 24

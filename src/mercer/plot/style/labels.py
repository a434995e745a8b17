"""Titles, legends, and names beside an axis, placed so that nothing is cut or written over."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import formatting
from mercer.plot.style.canvas import is_own, whole
from mercer.plot.style.colours import light_lines
from mercer.plot.style.fonts import legible, letters, spelled_out
from mercer.table.display.dates import day_ticks
from mercer.table.kinds.parts import date_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_LETTERS, _FEW_LETTERS = 11.5, 6.0  # of a title, that fit an inch; that fit it whatever else takes room
_LEGEND: dict[str, Any] = {"framealpha": 0.85, "edgecolor": "none", "fontsize": "small"}
_PLACES: dict[str, dict[str, Any]] = {
    "below": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 3},
    "beside": {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0},
}
_LARGE = 0.2  # of the area of the axes: a larger legend stands beside them
_FEW_DAYS = 4  # on an axis, which has fewer starts of days than ticks
_LETTER, _LINE = 0.085, 0.13  # inches, of a tick
_THOUSANDS = 1e4, 1e7  # numbers of such a size are written in full with commas


def words(ax: Axes, title: str, x: str = "", y: str = "", *, legend: bool | str = False, place: str = "best") -> Axes:
    """Title, names of the axes and, if there is something to tell apart, a legend: "below", "beside", or where
    matplotlib says; one that would cover much of the axes stands beside them.
    """
    legible(ax)  # before anything is measured
    light_lines(ax)
    _write(ax, ax.set_title(title, loc="left", fontsize="medium"))
    _write(ax, ax.set_xlabel(x))
    _write(ax, ax.set_ylabel(y), "height")
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for which in ("x", "y"):
        _thousands(ax, which)
    if legend:
        _legend(ax, place, legend if isinstance(legend, str) else None)
    return ax


def _write(ax: Axes, text: Text, side: str = "width") -> None:
    """In letters that some font has, and in lines that fit."""
    legible(text)
    words = text.get_text()
    text.set_text("")  # while the axes are laid out: it would take their room
    text.set_text(_wrapped(ax, words, side))


def _wrapped(ax: Axes, text: str, side: str = "width") -> str:
    """The text in lines that are no longer than the axes; those are laid out first if it could be too long."""
    longest = max(map(letters, text.splitlines()), default=0)
    if longest > _FEW_LETTERS * _inches(ax, side):
        whole(ax).draw_without_rendering()
    most = max(20, int(_LETTERS * _inches(ax, side)))
    return "\n".join(fill(part, most * len(part) // max(1, letters(part)) or most) for part in text.splitlines())


def _inches(ax: Axes, side: str = "width") -> float:
    return float(getattr(ax.get_window_extent(), side) / ax.figure.dpi)


def _legend(ax: Axes, place: str, title: str | None) -> None:
    def drawn(at: str) -> Any:
        legend = ax.legend(**_LEGEND, **_PLACES.get(at, {"loc": at}), title=title)
        legible(legend)
        return legend.get_window_extent()

    box, room, figure = drawn(place), ax.get_window_extent(), whole(ax)
    large = (
        box.width * box.height > _LARGE * room.width * room.height
        or max(box.width / room.width, box.height / room.height) > 1
    )
    large = large or (place == "best" and is_own(figure) and _covers(ax, box))
    if place != "below" and (large or place == "beside") and figure.get_layout_engine() is not None:
        drawn("beside")
        if is_own(figure):
            width, height = figure.get_size_inches()
            figure.set_size_inches(width + box.width / figure.dpi, max(height, box.height / figure.dpi + 0.6))
            if ax.get_aspect() != "auto":
                figure.set_layout_engine("compressed")


def _covers(ax: Axes, box: Any) -> bool:
    """Whether a legend lies over lines or bars that it names."""
    handles: list[Any] = ax.get_legend_handles_labels()[0]
    if any(bar.get_window_extent().overlaps(box) for handle in handles for bar in getattr(handle, "patches", ())):
        return True
    lines = [handle for handle in handles if hasattr(handle, "get_xydata") and len(handle.get_xydata()) > 1]
    paths = [line.get_path().transformed(line.get_transform()) for line in lines if line.get_linestyle() != "None"]
    return any(path.intersects_bbox(box, filled=False) for path in paths)


def _thousands(ax: Axes, which: str) -> None:
    """Large numbers beside an axis in full, and no more of them than fit."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, ScalarFormatter  # noqa: PLC0415

    axis: Any = getattr(ax, f"{which}axis")
    low, high = sorted(getattr(ax, f"get_{which}lim")())
    largest = max(abs(low), abs(high))
    usual = isinstance(axis.get_major_formatter(), ScalarFormatter) and axis.get_scale() == "linear"
    if not usual or not _THOUSANDS[0] <= largest < _THOUSANDS[1] or high - low < 10:
        return
    axis.set_major_formatter(FuncFormatter(lambda value, _: formatting.amount(value)))
    if which == "x":
        most = int(_inches(ax) / (_LETTER * (2 + len(formatting.amount(largest)))))
        axis.set_major_locator(MaxNLocator(min(9, max(2, most)), steps=[1, 2, 2.5, 5, 10]))


def level_ticks(ax: Axes, which: str, places: Any, names: Sequence[str], most: int = 14) -> None:
    """Names of levels or classes at their places: slanting where they would run into each other, smaller if many."""
    shown = short_each(names, most)
    longest = max(map(letters, shown), default=0) if which == "x" else 2
    if which == "y":
        _heighten(ax, len(shown))
    room = _inches(ax, "width" if which == "x" else "height") / max(1, len(shown))
    slant: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style = slant if which == "x" and room < _LETTER * (longest + 1) else {}
    getattr(ax, f"set_{which}ticks")(places, shown, fontsize="x-small" if room < 2 * _LETTER else None, **style)


def _heighten(ax: Axes, n_lines: int) -> None:
    """Makes a figure of ours as high as so many lines need."""
    figure, lacking = whole(ax), n_lines * _LINE - _inches(ax, "height")
    if lacking > 0 and is_own(figure):
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, height + lacking)


def date_ticks(ax: Axes, which: str, first: float, last: float) -> None:
    """Dates within a range of days since 1970-01-01: starts of years, of months or of days, of few days moments too."""
    marks = [mark for mark in day_ticks(first, last) if first <= mark[0] <= last]
    if last - first < _FEW_DAYS or len(marks) < 2:
        marks = [(at, date_text(at, "s").replace("T", " ")[:-3]) for at in np.linspace(first, last, 5)[1::2]]
    getattr(ax, f"set_{which}ticks")([at for at, _ in marks], [text for _, text in marks])


def short(name: str, most: int = 28) -> str:
    """A name that fits beside an axis, cut in the middle, so that names with one beginning can be told apart."""
    words = spelled_out(str(name))
    return formatting.short(words, most * len(words) // max(1, letters(words)))


def short_each(names: Sequence[str], most: int = 28) -> list[str]:
    """Names that fit beside an axis, and that differ there too: those with one beginning and end are cut in front."""
    words = [spelled_out(str(name)) for name in names]
    widest = max((letters(word) / len(word) for word in words if word), default=1.0)
    return formatting.short_apart(words, int(most / widest))


def short_cell(name: str, value: str, most: int = 40) -> str:
    """'column = value', shortened in the name of the column first."""
    value = short(value, most // 2)
    return f"{short(name, max(12, most - 3 - len(value)))} = {value}"

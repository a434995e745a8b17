"""What all pictures share: axes, colours that the colour-blind tell apart, and marks that survive in grey.

Colours are those of Okabe and Ito (2008), in an order of alternating lightness. Each class or line also has its own
marker, line style and hatch. Nothing global is changed: every setting is of the axes drawn on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import numpy as np

from mercer import formatting
from mercer.docstrings import shares_docs
from mercer.errors import BadEnvironment
from mercer.table import Column, shown_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "----", "oo")
INK, PALE, GUIDE, CHALK = "#222222", "#B0B0B0", "#707070", "#EEEEEE"
SHADES = "cividis"  # even in lightness, so that it reads in grey
_LETTERS, _FEW_LETTERS = 11.5, 6.0  # of a title, that fit an inch; that fit it whatever else takes room
_LEGEND: dict[str, Any] = {"framealpha": 0.85, "edgecolor": "none", "fontsize": "small"}
_PLACES: dict[str, dict[str, Any]] = {
    "below": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 3},
    "beside": {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "borderaxespad": 0.0},
}
_LARGE = 0.2  # of the area of the axes: a larger legend stands beside them
_LETTER = 0.085  # inches, of a tick
_THOUSANDS = 1e4, 1e7  # numbers of such a size are written in full with commas
_OWN: WeakSet[Any] = WeakSet()  # figures made here: they may be widened
_TINT = 0.72  # of white in the colour of an area behind marks

Function = TypeVar("Function", bound=Callable[..., Any])
_DOCS = {
    "ax": """
        ax : matplotlib.axes.Axes, optional
            Where to draw; None for new axes.""",
    "axes": """
        ax : matplotlib.axes.Axes
            The axes drawn on.""",
    "model": """
        model : estimator
            Fitted: mercer's, scikit-learn's or a pipeline.""",
    "rows": """
        X : array, sparse matrix, data frame, mapping or Table of shape (n_rows, n_columns)
            Rows in any container that the model takes.""",
    "source": """
        source : estimator, Evaluation, Diagnostics or Curve
            A fitted classifier, or a result that holds its curves.""",
    "X_optional": """
        X : array, data frame, mapping or Table, optional
            Test rows, of a model.""",
    "y_optional": """
        y : array of shape (n_rows,), optional
            Their target.""",
    "band": """
        band : bool, default True
            Whether to draw the pointwise bootstrap band.""",
    "label": """
        label : object, optional
            The class that is looked at; None for the second of two classes, and for each of several.""",
    "level": """
        level : float, default 0.95
            Confidence level of bands and intervals.""",
}


def drawing(function: Function) -> Function:
    """The decorator of every picture: fills the docstring's shared entries."""
    return shares_docs(**_DOCS)(function)


def axes(ax: Axes | None, size: tuple[float, float] = (6.0, 4.2)) -> Axes:
    """The axes given, or new ones of this size in inches.

    Raises
    ------
    BadEnvironment
        If matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot  # noqa: PLC0415
    except ImportError:
        raise BadEnvironment(
            "mercer.plot draws with matplotlib, which is not installed. Install it with: pip install mercer[plot]"
        ) from None
    if ax is not None:
        return ax
    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    _OWN.add(figure)
    return ax


def words(ax: Axes, title: str, x: str = "", y: str = "", *, legend: bool | str = False, place: str = "best") -> Axes:
    """Title, names of the axes and, if there is something to tell apart, a legend: "below", "beside", or where
    matplotlib says; one that would cover much of the axes stands beside them.
    """
    ax.set_title(_wrapped(ax, title), loc="left", fontsize="medium")
    ax.set_xlabel(_wrapped(ax, x))
    ax.set_ylabel(_wrapped(ax, y, "height"))
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for which in ("x", "y"):
        _thousands(ax, which)
    if legend:
        _legend(ax, place, legend if isinstance(legend, str) else None)
    return ax


def _wrapped(ax: Axes, text: str, side: str = "width") -> str:
    """The text in lines that are no longer than the axes; those are laid out first if it could be too long."""
    longest = max(map(len, text.splitlines()), default=0)
    if longest > _FEW_LETTERS * _inches(ax, side):
        _whole(ax).draw_without_rendering()
    return "\n".join(fill(part, max(20, int(_LETTERS * _inches(ax, side)))) for part in text.splitlines())


def _inches(ax: Axes, side: str = "width") -> float:
    return float(getattr(ax.get_window_extent(), side) / ax.figure.dpi)


def _whole(ax: Axes) -> Any:
    """The figure, of a part of a figure too."""
    return ax.figure.figure


def _legend(ax: Axes, place: str, title: str | None) -> None:
    def drawn(at: str) -> Any:
        return ax.legend(**_LEGEND, **_PLACES.get(at, {"loc": at}), title=title).get_window_extent()

    box, room, figure = drawn(place), ax.get_window_extent(), _whole(ax)
    large = (
        box.width * box.height > _LARGE * room.width * room.height
        or max(box.width / room.width, box.height / room.height) > 1
    )
    if place != "below" and (large or place == "beside") and figure.get_layout_engine() is not None:
        drawn("beside")
        if figure in _OWN:
            width, height = figure.get_size_inches()
            figure.set_size_inches(width + box.width / figure.dpi, max(height, box.height / figure.dpi + 0.6))
            if ax.get_aspect() != "auto":
                figure.set_layout_engine("compressed")


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


def ink(ax: Axes) -> str:
    """Colour of text and marks on the ground of the axes: dark, or light on a dark one."""
    ground: Any = ax.get_facecolor()
    if ground[3] == 0:
        ground = _whole(ax).get_facecolor()
    return CHALK if float(np.dot(ground[:3], [0.2126, 0.7152, 0.0722])) < 0.4 and ground[3] > 0 else INK


def level_ticks(ax: Axes, which: str, places: Any, names: Sequence[str], most: int = 14) -> None:
    """Names of levels or classes at their places: slanting where they would run into each other, smaller if many."""
    shown = [short(name, most) for name in names]
    letters = max(map(len, shown), default=0) if which == "x" else 2
    room = _inches(ax, "width" if which == "x" else "height") / max(1, len(shown))
    slant: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style = slant if which == "x" and room < _LETTER * (letters + 1) else {}
    getattr(ax, f"set_{which}ticks")(places, shown, fontsize="x-small" if room < 2 * _LETTER else None, **style)


def colour(k: int) -> str:
    """Of class or line k; they repeat after eight, with another marker or line style.

    Parameters
    ----------
    k : int
        Number of the class or line, from 0.

    Returns
    -------
    colour : str
        As matplotlib takes it.

    Examples
    --------
    >>> from mercer.gallery import colour
    >>> colour(0)
    '#0072B2'
    """
    return COLOURS[k % len(COLOURS)]


def marker(k: int) -> str:
    """Of class k."""
    return MARKERS[(k + k // len(COLOURS)) % len(MARKERS)]


def line(k: int) -> Any:
    """Line style of line k."""
    return LINES[(k + k // len(COLOURS)) % len(LINES)]


def hatch(k: int) -> str:
    """Of area k."""
    return HATCHES[(k + k // len(COLOURS)) % len(HATCHES)]


def tint(k: int, white: float = _TINT) -> tuple[float, float, float]:
    """Colour k mixed with white."""
    hexadecimal = colour(k)
    parts = [int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (white + (1 - white) * p for p in parts)
    return red, green, blue


def on_shade(share: float) -> str:
    """Colour of text on a cell of `SHADES`, whose place between lightest and darkest is this."""
    return "white" if share < 0.55 else "black"


def bars(
    ax: Axes,
    names: Sequence[str],
    values: Any,
    ends: tuple[Any, Any] | None = None,
    *,
    signed: bool = False,
    most: int = 28,
) -> None:
    """Horizontal bars, the first on top, with error bars from low to high; below 0 they are orange and hatched.

    most : letters of a name
    """
    values = np.asarray(values, dtype=float)
    places = np.arange(len(values))[::-1]
    below = values < 0 if signed else np.zeros(len(values), dtype=bool)
    for k, rows in enumerate((~below, below)):
        if rows.any():
            ax.barh(
                places[rows], values[rows], height=0.62, color=tint(k, 0.25), edgecolor=INK, linewidth=0.6,
                hatch=hatch(k),
            )  # fmt: skip
    if ends is not None:
        low, high = (np.asarray(e, dtype=float) for e in ends)
        span = np.maximum(np.vstack([values - low, high - values]), 0.0)
        ax.errorbar(values, places, xerr=span, fmt="none", ecolor=ink(ax), capsize=3, linewidth=1.1)
    ax.axvline(0, color=GUIDE, linewidth=0.8)
    ax.set_yticks(places, [short(name, most) for name in names])
    ax.set_ylim(-0.7, len(values) - 0.3)


def band(ax: Axes, x: Any, low: Any, high: Any, k: int = 0) -> None:
    """The area between two lines, in the pale colour of line k."""
    ax.fill_between(x, low, high, color=colour(k), alpha=0.18, linewidth=0)


def date_ticks(ax: Axes, column: Column, first: float, last: float, which: str = "x") -> None:
    """Three ticks within a range of dates, as the column writes them."""
    ticks = np.linspace(first, last, 5)[1:-1]
    getattr(ax, f"set_{which}ticks")(ticks, [shown_number(column, float(t)) for t in ticks])


def short(name: str, most: int = 28) -> str:
    """A name that fits beside an axis, cut in the middle, so that names with one beginning can be told apart."""
    return formatting.short(name, most)


def short_cell(name: str, value: str, most: int = 40) -> str:
    """'column = value', shortened in the name of the column first."""
    value = short(value, most // 2)
    return f"{short(name, max(12, most - 3 - len(value)))} = {value}"


def spread_points(n: int, width: float = 0.25, step: float = 0.6180339887) -> Any:
    """Even offsets in a mixed order, for points that share a level: multiples of an irrational step, modulo 1."""
    return width * (2 * (np.arange(n) * step % 1.0) - 1)

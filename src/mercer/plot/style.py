"""What all pictures share: axes, colours that the colour-blind tell apart, and marks that survive in grey.

Colours are those of Okabe and Ito (2008), in an order of alternating lightness. Each class or line also has its own
marker, line style and hatch. Nothing global is changed: every setting is of the axes drawn on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from mercer.docstrings import shares_docs
from mercer.errors import BadEnvironment
from mercer.table import Column, shown_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "----", "oo")
INK, PALE, GUIDE = "#222222", "#B0B0B0", "#707070"
SHADES = "cividis"  # even in lightness, so that it reads in grey
_LETTERS, _FEW_LETTERS = 11.5, 6.0  # of a title, that fit an inch; that fit it whatever else takes room
_LEGEND: dict[str, Any] = {"framealpha": 0.85, "edgecolor": "none", "fontsize": "small"}
_PLACES: dict[str, dict[str, Any]] = {"below": {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16), "ncols": 3}}
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
    return pyplot.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def words(ax: Axes, title: str, x: str = "", y: str = "", *, legend: bool | str = False, place: str = "best") -> Axes:
    """Title, names of the axes and, if there is something to tell apart, a legend "below" or where matplotlib says."""
    ax.set_title(_wrapped(ax, title), loc="left", fontsize="medium")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if legend:
        ax.legend(**_LEGEND, **_PLACES.get(place, {"loc": place}), title=legend if isinstance(legend, str) else None)
    return ax


def _wrapped(ax: Axes, title: str) -> str:
    """The title in lines that are no wider than the axes; those are laid out first if it could be too long."""
    longest = max(map(len, title.splitlines()))
    if longest > _FEW_LETTERS * _inches(ax):
        whole: Any = ax.figure.figure  # of a part of a figure too
        whole.draw_without_rendering()
    return "\n".join(fill(part, max(20, int(_LETTERS * _inches(ax)))) for part in title.splitlines())


def _inches(ax: Axes) -> float:
    return float(ax.get_window_extent().width / ax.figure.dpi)


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
    ax: Axes, names: Sequence[str], values: Any, ends: tuple[Any, Any] | None = None, *, signed: bool = False
) -> None:
    """Horizontal bars, the first on top, with error bars from low to high; below 0 they are orange and hatched."""
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
        ax.errorbar(values, places, xerr=span, fmt="none", ecolor=INK, capsize=3, linewidth=1.1)
    ax.axvline(0, color=GUIDE, linewidth=0.8)
    ax.set_yticks(places, [short(name) for name in names])
    ax.set_ylim(-0.7, len(values) - 0.3)


def band(ax: Axes, x: Any, low: Any, high: Any, k: int = 0) -> None:
    """The area between two lines, in the pale colour of line k."""
    ax.fill_between(x, low, high, color=colour(k), alpha=0.18, linewidth=0)


def date_ticks(ax: Axes, column: Column, first: float, last: float, which: str = "x") -> None:
    """Three ticks within a range of dates, as the column writes them."""
    ticks = np.linspace(first, last, 5)[1:-1]
    getattr(ax, f"set_{which}ticks")(ticks, [shown_number(column, float(t)) for t in ticks])


def short(name: str, most: int = 28) -> str:
    """A name that fits beside an axis."""
    return name if len(name) <= most else name[: most - 1] + "…"


def spread_points(n: int, width: float = 0.25, step: float = 0.6180339887) -> Any:
    """Even offsets in a mixed order, for points that share a level: multiples of an irrational step, modulo 1."""
    return width * (2 * (np.arange(n) * step % 1.0) - 1)

"""Colours that the colour-blind tell apart, and markers, line styles and hatches that survive in grey.

Colours are those of Okabe and Ito (2008), in an order of alternating lightness. Each class or line also has its own
marker, line style and hatch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.plot.style.canvas import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLACK = "#000000"
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", BLACK, "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3)))
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++", "----", "oo")
INK, PALE, GUIDE, CHALK = "#222222", "#B0B0B0", "#707070", "#EEEEEE"
SHADES = "cividis"  # even in lightness, so that it reads in grey
_TINT = 0.72  # of white in the colour of an area behind marks


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


def ink(ax: Axes) -> str:
    """Colour of text and marks on the ground of the axes: dark, or light on a dark one."""
    ground: Any = ax.get_facecolor()
    if ground[3] == 0:
        ground = whole(ax).get_facecolor()
    return CHALK if float(np.dot(ground[:3], [0.2126, 0.7152, 0.0722])) < 0.4 and ground[3] > 0 else INK


def light_lines(ax: Axes) -> None:
    """On a dark ground the line that is black, the seventh, is drawn in the colour of text."""
    for drawn in ax.lines if ink(ax) == CHALK else ():
        if drawn.get_color() == BLACK:
            drawn.set_color(CHALK)

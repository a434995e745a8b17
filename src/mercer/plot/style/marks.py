"""Bars, bands, and points side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.plot.style.colours import GUIDE, INK, colour, hatch, ink, tint
from mercer.plot.style.labels import short_each

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    ax.set_yticks(places, short_each(names, most))
    ax.set_ylim(-0.7, len(values) - 0.3)


def band(ax: Axes, x: Any, low: Any, high: Any, k: int = 0) -> None:
    """The area between two lines, in the pale colour of line k."""
    ax.fill_between(x, low, high, color=colour(k), alpha=0.18, linewidth=0)


def spread_points(n: int, width: float = 0.25, step: float = 0.6180339887) -> Any:
    """Even offsets in a mixed order, for points that share a level: multiples of an irrational step, modulo 1."""
    return width * (2 * (np.arange(n) * step % 1.0) - 1)

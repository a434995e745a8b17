"""Drawing in SVG: axes, and marks placed in data units. Colours are CSS classes, so that dark pages work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import floor, log10

from markupsafe import Markup

from mercer.formatting import MINUS

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a drawing, the margins around its axes, and how many ticks these may have."""

    width: int = 440
    height: int = 350
    left: int = 58
    right: int = 14
    top: int = 12
    bottom: int = 46
    ticks: int = 6


_BESIDE, _TICK_LETTER = 30, 8.0  # units of the name of an axis with the space around it; of a letter of a tick
LARGE = Size()
DATED = Size(left=84)  # with dates beside it
SMALL = Size(width=300, height=196, left=52, right=22, top=10, bottom=26, ticks=5)  # one of many side by side


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with a title, a sentence on how to read it, and the names of its colours.

    `outline` says the same in lines of (depth, bold words, further words), for a screen on which it does not fit.
    """

    title: str
    svg: Markup
    note: str
    legend: tuple[str, ...] = ()
    outline: tuple[tuple[int, str, str], ...] = ()


def number(value: float) -> str:
    """A tick label: no trailing zeros, thousands shortened."""
    for size, letter in ((1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= (10 * size if size == 1e3 else size):
            return f"{value / size:.4g}{letter}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers inside low..high: steps of 1, 2 or 5 times a power of ten."""
    if not high > low:
        return [low]
    raw = (high - low) / (most - 1)
    power = 10.0 ** floor(log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * 0.999)
    first = -floor(-low / step + 1e-9)
    marks = (step * i for i in range(int(first), int(first) + most + 2))
    return [0.0 if abs(m) < step * 1e-6 else m for m in marks if m <= high + step * 1e-6]


@dataclass
class Axes:
    """A plot under construction. `title` is read out where the picture cannot be seen."""

    title: str
    x: tuple[float, float]
    y: tuple[float, float]
    x_label: str
    y_label: str
    marks: list[str] = field(default_factory=list)
    size: Size = LARGE
    x_ticks: Sequence[tuple[float, str]] | None = None  # round numbers when not given
    y_ticks: Sequence[tuple[float, str]] | None = None

    def __post_init__(self) -> None:
        """Room for the ticks beside the axis and its name."""
        longest = max((len(text) for _, text in _marks(self.y_ticks, self.y, self.size.ticks)), default=0)
        left = round(_BESIDE + _TICK_LETTER * longest)
        if self.y_label and left > self.size.left:
            self.size = replace(self.size, left=left)

    def place(self, x: float, y: float) -> Point:
        """Data units to drawing units."""
        across = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1)
        s = self.size
        right, bottom = s.width - s.left - s.right, s.height - s.top - s.bottom
        return s.left + across * right, s.height - s.bottom - up * bottom

    def _path(self, points: Iterable[Point]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in (self.place(*p) for p in points))

    def line(self, points: Sequence[Point], style: str) -> None:
        self.marks.append(f'<polyline class="{style}" points="{self._path(points)}"/>')

    def band(self, x: Sequence[float], low: Sequence[float], high: Sequence[float], style: str) -> None:
        around = [*zip(x, low, strict=True), *reversed(list(zip(x, high, strict=True)))]
        self.marks.append(f'<polygon class="band {style}" points="{self._path(around)}"/>')

    def dot(self, x: float, y: float, style: str, radius: float = 4) -> None:
        px, py = self.place(x, y)
        self.marks.append(f'<circle class="{style}" cx="{px:.1f}" cy="{py:.1f}" r="{radius:.3g}"/>')

    def bar(self, left: float, right: float, top: float, style: str) -> None:
        (x0, y0), (x1, y1) = self.place(left, 0), self.place(right, top)
        width, height = max(x1 - x0 - 1, 0.5), abs(y0 - y1)
        place = f'x="{x0:.1f}" y="{min(y0, y1):.1f}" width="{width:.1f}" height="{height:.1f}"'
        self.marks.append(f'<rect class="{style}" {place}/>')

    def text(self, x: float, y: float, label: str, style: str = "note", anchor: str = "start") -> None:
        px, py = self.place(x, y)
        self.marks.append(
            f'<text class="{style}" x="{px:.1f}" y="{py:.1f}" text-anchor="{anchor}">{escape(label)}</text>'
        )

    def render(self, *, y_ticks: bool = True) -> Markup:
        """The drawing as an <svg> element."""
        body = "".join([*self._grid(y_ticks), *self.marks])
        title = escape(self.title, quote=True)
        return Markup(
            f'<svg viewBox="0 0 {self.size.width} {self.size.height}" role="img" aria-label="{title}">{body}</svg>'
        )

    def _grid(self, y_ticks: bool) -> Iterable[str]:
        s = self.size
        bottom, right = s.height - s.bottom, s.width - s.right
        for value, label in _marks(self.y_ticks, self.y, s.ticks) if y_ticks else []:
            _, py = self.place(self.x[0], value)
            yield f'<line class="grid" x1="{s.left}" x2="{right}" y1="{py:.1f}" y2="{py:.1f}"/>'
            yield f'<text class="tick" x="{s.left - 8}" y="{py + 4:.1f}" text-anchor="end">{escape(label)}</text>'
        for value, label in _marks(self.x_ticks, self.x, s.ticks):
            px, _ = self.place(value, self.y[0])
            yield f'<line class="axis" x1="{px:.1f}" x2="{px:.1f}" y1="{bottom}" y2="{bottom + 4}"/>'
            yield f'<text class="tick" x="{px:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(label)}</text>'
        yield f'<line class="axis" x1="{s.left}" x2="{right}" y1="{bottom}" y2="{bottom}"/>'
        yield from self._labels((s.left + right) / 2, (s.top + bottom) / 2)

    def _labels(self, middle: float, across: float) -> Iterable[str]:
        if self.x_label:
            place = f'x="{middle}" y="{self.size.height - 8}"'
            yield f'<text class="label" {place} text-anchor="middle">{escape(self.x_label)}</text>'
        if self.y_label:
            place = f'transform="translate(14 {across}) rotate(-90)"'
            yield f'<text class="label" {place} text-anchor="middle">{escape(self.y_label)}</text>'


def _marks(
    given: Sequence[tuple[float, str]] | None, span: tuple[float, float], most: int
) -> Sequence[tuple[float, str]]:
    return [(value, number(value)) for value in ticks(*span, most)] if given is None else given

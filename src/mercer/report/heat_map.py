"""The scores of a grid search over cost and gamma as a heat map."""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup

from mercer.evaluation.metrics import METRICS
from mercer.formatting import counted
from mercer.report.svg import Figure, number

Data = dict[str, Any]
_CELL, _HIGH, _LEFT, _TOP, _BOTTOM = 46, 30, 92, 8, 46
_TITLES = {
    **{key: m.title if m.higher_is_better else f"Minus {m.title}" for key, m in METRICS.items()},
    "neg_log_loss": "Minus log loss",
    "neg_mean_squared_error": "Minus mean squared error",
}


def heat_map(grid: Data) -> Figure:
    """A cell for every gamma and cost, the darker the better; the best and the one-standard-error point framed."""
    title = _TITLES.get(grid["scoring"], str(grid["scoring"]))
    best, simplest = tuple(grid["best"]), tuple(grid["simplest"] or ())
    score = grid["mean"][best[0]][best[1]]
    chosen = _setting(grid, *best)
    label = f"Grid search: {title} by cost and gamma; best {score:.3f} at {chosen}"
    width = _LEFT + len(grid["costs"]) * _CELL + 10
    height = _TOP + len(grid["gammas"]) * _HIGH + _BOTTOM
    body = "".join([*_cells(grid, title), *_axes(grid), *_marks(best, simplest)])
    svg = (
        f'<svg class="heat" viewBox="0 0 {width} {height}" width="{width}" style="min-width: {0.7 * width:.0f}px" '
        f'role="img" aria-label="{escape(label, quote=True)}">{body}</svg>'
    )
    return Figure("Grid search", Markup(svg), _note(grid, title, best, simplest))


def _setting(grid: Data, g: int, c: int) -> str:
    gamma = f", γ = {grid['gammas'][g]}" if grid["gammas"][g] else ""
    return f"C = {number(grid['costs'][c])}{gamma}"


def _note(grid: Data, title: str, best: tuple[int, ...], simplest: tuple[int, ...]) -> str:
    error = grid["error"][best[0]][best[1]]
    epsilon = (
        f" at the best of {grid['n_epsilons']} values of ε, ε = {grid['epsilon']:.3g},"
        if grid["n_epsilons"] > 1
        else ""
    )
    how = f"{title}{epsilon} in {grid['folds']}-fold cross-validation of {counted(grid['rows'], 'row')}, "
    how += "the darker, the better."
    chosen = f"Solid frame: the best, {grid['mean'][best[0]][best[1]]:.3f}"
    spread = f" (standard error {error:.3f})." if error is not None else "."
    if not simplest:
        return f"{how} {chosen}{spread}"
    if best == simplest:
        return f"{how} {chosen}{spread} Nothing simpler is within one standard error of it."
    return f"{how} {chosen}{spread} Dashed frame: the smallest cost and γ within one standard error of it."


def _cells(grid: Data, title: str) -> list[str]:
    known = [v for line in grid["mean"] for v in line if v is not None]
    low, high = min(known), max(known)
    parts = []
    for g, line in enumerate(grid["mean"]):
        for c, value in enumerate(line):
            if value is None:
                continue
            x, y = _corner(g, c)
            depth = (value - low) / (high - low) if high > low else 1.0
            rough = "" if grid["exact"][g][c] else ", not solved to the tolerance"
            label = f"{_setting(grid, g, c)}: {title} {value:.3f}{rough}"
            parts.append(
                f'<g><title>{escape(label)}</title><rect class="warm" x="{x}" y="{y}" width="{_CELL - 2}" '
                f'height="{_HIGH - 2}" rx="3" opacity="{0.06 + 0.62 * depth**2:.2f}"/>'
                f'<text class="off" x="{x + _CELL / 2 - 1:.0f}" y="{y + 18}" '
                f'text-anchor="middle">{_brief(value)}</text></g>'
            )
    return parts


def _brief(value: float) -> str:
    """Three digits, without the zero before the point."""
    return f"{value:.3f}".replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.3g}"


def _corner(g: int, c: int) -> tuple[int, int]:
    return _LEFT + c * _CELL, _TOP + g * _HIGH


def _axes(grid: Data) -> list[str]:
    parts = []
    bottom = _TOP + len(grid["gammas"]) * _HIGH
    for g, gamma in enumerate(grid["gammas"]):
        y = _TOP + g * _HIGH + 18
        parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{y}" text-anchor="end">{escape(gamma)}</text>')
    for c, cost in enumerate(grid["costs"]):
        x = _LEFT + c * _CELL + _CELL / 2 - 1
        parts.append(f'<text class="tick" x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{number(cost)}</text>')
    middle = _LEFT + len(grid["costs"]) * _CELL / 2
    parts.append(f'<text class="label" x="{middle:.0f}" y="{bottom + 36}" text-anchor="middle">Cost C</text>')
    if any(grid["gammas"]):
        parts.append(f'<text class="label" x="8" y="{(_TOP + bottom) / 2:.0f}">γ</text>')
    return parts


def _marks(best: tuple[int, ...], simplest: tuple[int, ...]) -> list[str]:
    parts = []
    for style, place in (("frame simplest", simplest), ("frame", best)):
        if not place:
            continue
        x, y = _corner(*place)
        size = f'width="{_CELL - 2}" height="{_HIGH - 2}"'
        parts.append(f'<rect class="{style}" x="{x}" y="{y}" {size} rx="3"/>')
    return parts

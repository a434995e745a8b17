"""The tuning surface of a kernel machine as a heat map."""

from __future__ import annotations

from html import escape
from typing import Any

from markupsafe import Markup

from mercer.report.svg import number
from mercer.report.words import counted

Data = dict[str, Any]
_CELL, _HIGH, _LEFT, _TOP, _BOTTOM = 46, 30, 92, 8, 46
_TITLES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "ROC AUC",
    "auc_and_accuracy": "Mean of ROC AUC and accuracy",
    "r2": "R²",
    "neg_log_loss": "Minus log loss",
    "neg_mean_squared_error": "Minus mean squared error",
}


def heat_map(surface: Data) -> Data:
    """A cell for every gamma and cost, the stronger the better; the chosen and the one-standard-error point framed."""
    title = _TITLES.get(surface["scoring"], str(surface["scoring"]))
    best, modest = tuple(surface["best"]), tuple(surface["modest"] or ())
    score = surface["mean"][best[0]][best[1]]
    chosen = _setting(surface, *best)
    label = f"Tuning surface: {title} by cost and gamma; best {score:.3f} at {chosen}"
    width = _LEFT + len(surface["costs"]) * _CELL + 10
    height = _TOP + len(surface["gammas"]) * _HIGH + _BOTTOM
    body = "".join([*_cells(surface, title), *_axes(surface), *_marks(best, modest)])
    svg = (
        f'<svg class="heat" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escape(label, quote=True)}">{body}</svg>'
    )
    return {"title": "Tuning", "svg": Markup(svg), "note": _note(surface, title, best, modest), "legend": []}


def _setting(surface: Data, g: int, c: int) -> str:
    gamma = f", γ = {surface['gammas'][g]}" if surface["gammas"][g] else ""
    return f"C = {number(surface['costs'][c])}{gamma}"


def _note(surface: Data, title: str, best: tuple[int, ...], modest: tuple[int, ...]) -> str:
    error = surface["error"][best[0]][best[1]]
    tube = (
        f" at the best of {surface['n_epsilons']} tubes, ε = {surface['epsilon']:.3g},"
        if surface["n_epsilons"] > 1
        else ""
    )
    how = f"{title}{tube} in {surface['folds']}-fold cross-validation of {counted(surface['rows'], 'row')}, "
    how += "the stronger the colour, the better."
    chosen = f"Solid frame: the best, {surface['mean'][best[0]][best[1]]:.3f}"
    spread = f" (standard error {error:.3f})." if error is not None else "."
    if not modest:
        return f"{how} {chosen}{spread}"
    if best == modest:
        return f"{how} {chosen}{spread} Nothing simpler is within one standard error of it."
    return f"{how} {chosen}{spread} Dashed frame: the smallest cost and γ within one standard error of it."


def _cells(surface: Data, title: str) -> list[str]:
    known = [v for line in surface["mean"] for v in line if v is not None]
    low, high = min(known), max(known)
    parts = []
    for g, line in enumerate(surface["mean"]):
        for c, value in enumerate(line):
            if value is None:
                continue
            x, y = _corner(g, c)
            depth = (value - low) / (high - low) if high > low else 1.0
            rough = "" if surface["exact"][g][c] else ", left behind early"
            words = f"{_setting(surface, g, c)}: {title} {value:.3f}{rough}"
            parts.append(
                f'<g><title>{escape(words)}</title><rect class="warm" x="{x}" y="{y}" width="{_CELL - 2}" '
                f'height="{_HIGH - 2}" rx="3" opacity="{0.06 + 0.84 * depth**2:.2f}"/>'
                f'<text class="{"on" if depth > 0.85 else "off"}" x="{x + _CELL / 2 - 1:.0f}" y="{y + 18}" '
                f'text-anchor="middle">{_brief(value)}</text></g>'
            )
    return parts


def _brief(value: float) -> str:
    """Three digits, without the zero before the point."""
    return f"{value:.3f}".replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.3g}"


def _corner(g: int, c: int) -> tuple[int, int]:
    return _LEFT + c * _CELL, _TOP + g * _HIGH


def _axes(surface: Data) -> list[str]:
    parts = []
    bottom = _TOP + len(surface["gammas"]) * _HIGH
    for g, gamma in enumerate(surface["gammas"]):
        y = _TOP + g * _HIGH + 18
        parts.append(f'<text class="tick" x="{_LEFT - 8}" y="{y}" text-anchor="end">{escape(gamma)}</text>')
    for c, cost in enumerate(surface["costs"]):
        x = _LEFT + c * _CELL + _CELL / 2 - 1
        parts.append(f'<text class="tick" x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{number(cost)}</text>')
    middle = _LEFT + len(surface["costs"]) * _CELL / 2
    parts.append(f'<text class="label" x="{middle:.0f}" y="{bottom + 36}" text-anchor="middle">Cost C</text>')
    if any(surface["gammas"]):
        parts.append(f'<text class="label" x="8" y="{(_TOP + bottom) / 2:.0f}">γ</text>')
    return parts


def _marks(best: tuple[int, ...], modest: tuple[int, ...]) -> list[str]:
    parts = []
    for style, place in (("frame modest", modest), ("frame", best)):
        if not place:
            continue
        x, y = _corner(*place)
        size = f'width="{_CELL - 2}" height="{_HIGH - 2}"'
        parts.append(f'<rect class="{style}" x="{x}" y="{y}" {size} rx="3"/>')
    return parts

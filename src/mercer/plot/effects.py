"""What columns do: partial dependence with the lines of single rows, importances, the explanation of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.evaluation.effects import EffectLine, PartialDependence
from mercer.evaluation.effects import partial_dependence as computed_effect
from mercer.evaluation.importance import Importance, Importances, permutation_importance
from mercer.formatting import amount, counted
from mercer.plot.scores import expect_rows, held
from mercer.plot.style.canvas import axes, drawing, whole
from mercer.plot.style.colours import PALE, colour, ink, line, marker
from mercer.plot.style.fonts import legible
from mercer.plot.style.labels import date_ticks, level_ticks, short, short_cell, words
from mercer.plot.style.marks import band, bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS, _FAR = (0.05, 0.95), 5.0  # quantiles of single rows that are kept, where others span as many times more
_MOST_LETTERS = 40  # of a column and its cell
_UNITS = {
    "probability": "Average probability",
    "decision": "Average decision function",
    "prediction": "Average prediction",
}


@drawing
def partial_dependence(
    source: Any,
    X: Any = None,
    column: str | int | None = None,
    *,
    label: Any = None,
    individual: bool = True,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Average prediction over the values of one column, with its interval and the lines of single rows behind it.

    Parameters
    ----------
    source : estimator or PartialDependence
        A fitted model, or what `mercer.partial_dependence` found.
    X : array, sparse matrix, data frame, mapping or Table, optional
        Rows to average over, of a model.
    column : str or int, optional
        The column, by name or position, of a model.
    {label}
    individual : bool, default True
        Whether to draw the lines of single rows, where there is one class.
    {level}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0, 4.0] * 5, "shop": ["a", "b", "b", "a", "a"] * 4}
    >>> model = mercer.LinearRegression().fit(rows, [10.0, 20.0, 30.0, 40.0] * 5)
    >>> ax = mercer.plot.partial_dependence(model, rows, "size")
    >>> ax.lines[-1].get_ydata().round(6).tolist()
    [10.0, 20.0, 30.0, 40.0]
    """
    effect = source if isinstance(source, PartialDependence) else _effect(source, X, column, label, level)
    ax, x = axes(ax), _positions(effect)
    _value_axis(ax, effect, x)
    drawn = effect.lines[0].individual if individual and len(effect.lines) == 1 else []
    for k, single in enumerate(drawn):
        style: dict[str, Any] = {"marker": "_", "linestyle": "none"} if effect.scale == "levels" else {}
        ax.plot(x, single, color=PALE, linewidth=0.6, label="single rows" if k == 0 else None, **style)
    if drawn and effect.unit == "prediction":
        _near_the_average(ax, effect.lines[0])
    for k, one in enumerate(effect.lines):
        name = f"class {short(one.label)}" if len(effect.lines) > 1 else "average"
        _average(ax, effect, one, x, k, name)
    one_class = effect.lines[0].label if len(effect.lines) == 1 else ""
    what = _UNITS[effect.unit] + (f" of {short(one_class)}" if one_class else "")
    title = f"Partial dependence on {short(effect.column, 40)}"
    place = "beside" if effect.scale == "levels" else "best"
    return words(ax, title, effect.column, what, legend=bool(drawn) or len(effect.lines) > 1, place=place)


def _near_the_average(ax: Axes, one: EffectLine) -> None:
    """Limits without the lines of a few rows that are far off, which would leave a flat average; they are counted."""
    values, kept = np.array(one.individual), np.quantile(one.individual, _MOST_ROWS)
    low, high = min(kept[0], *one.low), max(kept[1], *one.high)
    beyond = int(((values < low) | (values > high)).any(axis=1).sum())
    if values.max() - values.min() > _FAR * (high - low) > 0:
        ax.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
        ax.lines[-len(values)].set_label(f"single rows, {beyond} beyond the picture")


def _effect(model: Any, X: Any, column: str | int | None, label: Any, level: float) -> PartialDependence:
    if X is None or column is None:
        raise MercerError(
            "A model needs rows and a column: give X and column, or what mercer.partial_dependence found."
        )
    return computed_effect(model, X, column, label=label, level=level)


def _positions(effect: PartialDependence) -> Floats:
    if effect.scale == "numbers":
        return np.asarray(effect.values, dtype=float)
    if effect.scale == "dates":
        return np.asarray(effect.values, dtype="datetime64[s]").astype(np.int64) / 86400.0
    return np.arange(len(effect.values), dtype=float)


def _average(ax: Axes, effect: PartialDependence, one: Any, x: Floats, k: int, name: str) -> None:
    if effect.scale == "levels":
        at = x + 0.12 * (k - (len(effect.lines) - 1) / 2)
        span = np.abs(np.array([one.low, one.high]) - np.array(one.average))
        ax.errorbar(at, one.average, yerr=span, fmt=marker(k), color=colour(k), capsize=4, markersize=7, label=name)
        return
    band(ax, x, one.low, one.high, k)
    ax.plot(x, one.average, color=colour(k), linestyle=line(k), linewidth=2.2, label=name)


def _value_axis(ax: Axes, effect: PartialDependence, x: Floats) -> None:
    """Names of levels or days; for numbers, a mark where each value of the table lies."""
    if effect.scale == "levels":
        level_ticks(ax, "x", x, [str(v) for v in effect.values])
        ax.set_xlim(-0.6, len(x) - 0.4)
        return
    if effect.scale == "dates":
        if len(x) > 1:
            date_ticks(ax, "x", x[0], x[-1])
        else:
            ax.set_xticks(x, [str(day) for day in effect.values])
    ax.plot(x, np.zeros(len(x)), "|", color=ink(ax), markersize=8, transform=ax.get_xaxis_transform(), zorder=0)


@drawing
def importances(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    most: int = 20,
    scoring: Any = None,
    random_state: Any = 0,
    ax: Axes | None = None,
) -> Axes:
    """Decrease of the score when a column is permuted, with the interval over the permutations, largest first.

    Parameters
    ----------
    source : estimator, Importances, Diagnostics or sequence of Importance
        A fitted model, or what `mercer.permutation_importance` found.
    {X_optional}
    {y_optional}
    most : int, default 20
        Most columns drawn.
    scoring : str or callable, optional
        As `mercer.permutation_importance` takes it, of a model.
    random_state : int, default 0
        Seed of the permutations, of a model.
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> age = mercer.Importance("age", mean=0.2, spread=0.05, low=0.14, high=0.26)
    >>> ax = mercer.plot.importances([age])
    >>> float(ax.patches[0].get_width())
    0.2
    """
    held_already = None if isinstance(source, Importances) else held(source, "importance", Importance)
    what = "Decrease of the score when permuted"
    if held_already is None:
        if not isinstance(source, Importances):
            expect_rows(X, y)
            source = permutation_importance(source, X, y, scoring=scoring, random_state=random_state)
        what = f"Decrease of {source.metric or 'the score'} when permuted, from {source.score:.3f}"
        held_already = list(source.columns)
    found = sorted(held_already, key=lambda one: -one.mean)
    shown = found[:most]
    ax = axes(ax, (6.0, 1.2 + 0.3 * len(shown)))
    bars(ax, [one.column for one in shown], [one.mean for one in shown],
         ([one.low for one in shown], [one.high for one in shown]), signed=True)  # fmt: skip
    rest = f", {len(shown)} of {len(found)} columns" if len(found) > len(shown) else ""
    return words(ax, f"Permutation importance{rest}", what)


@drawing
def explanation(
    source: Explanation,
    row: int = 0,
    *,
    most: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """What each column adds to the score of one row; with the base, bars add up to the prediction.

    Parameters
    ----------
    source : Explanation
        What `mercer.explain` gives.
    row : int, default 0
        Which of the rows explained.
    most : int, default 12
        Most columns drawn, those that add most either way; the others are one bar.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    BadTable
        If there is no such row.

    Examples
    --------
    >>> import mercer
    >>> rows = {"sky": ["blue", "blue", "grey"], "rain": ["no", "yes", "yes"]}
    >>> model = mercer.NaiveBayes().fit(rows, ["play", "play", "stay"])
    >>> ax = mercer.plot.explanation(model.explain(rows), row=2)
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['sky = grey', 'rain = yes']
    """
    if not isinstance(source, Explanation):
        raise MercerError(f"A {type(source).__name__} is no Explanation. Give what mercer.explain(model, X) returns.")
    if not -len(source) <= row < len(source):
        raise BadTable(f"There is no row {row}: {len(source)} rows are explained.")
    values = source.values[row]
    order = np.argsort(-np.abs(values), kind="stable")
    telling = np.abs(values) > 1e-9 * np.abs(values).max(initial=0.0)  # others add nothing but rounding
    order = order[: max(1, int(telling.sum()))]
    shown, rest = order[:most], order[most:]
    names = [_cell(source, row, int(j)) for j in shown] + ([counted(len(rest), "other column")] if len(rest) else [])
    sizes = np.append(values[shown], values[rest].sum()) if len(rest) else values[shown]
    error = source.error
    ends = None if error is None or len(rest) else (sizes - 2 * error[row][shown], sizes + 2 * error[row][shown])
    ax = axes(ax, (6.4, 1.4 + 0.3 * len(names)))
    bars(ax, names, sizes, ends, signed=True, most=_MOST_LETTERS)
    for place, size in zip(range(len(sizes) - 1, -1, -1), sizes, strict=True):
        above = size >= 0
        ax.annotate(
            ("+" if above else "") + amount(size, 3), (size, place), xytext=(4 if above else -4, 0),
            textcoords="offset points", ha="left" if above else "right", va="center", fontsize="x-small", color=ink(ax),
        )  # fmt: skip
    _room_beside(ax, sizes)
    return words(ax, _said(source, row), f"Added to the {source.unit}")


def _room_beside(ax: Axes, sizes: Floats) -> None:
    """Limits that leave room for the amounts beside bars, of which those to the left would stand in the names."""
    legible(ax)
    whole(ax).draw_without_rendering()
    low, high, across = min(0.0, sizes.min()), max(0.0, sizes.max()), ax.get_window_extent().width
    widths = np.array([text.get_window_extent().width for text in ax.texts]) / max(across, 1.0) + 0.03
    left, right = (max(widths[side], default=0.02) for side in (sizes < 0, sizes >= 0))
    span = (high - low or 1.0) / max(0.2, 1 - left - right)
    ax.set_xlim(low - left * span, high + right * span)


def _cell(source: Explanation, row: int, j: int) -> str:
    cell = source.cells[row][j] if len(source.cells) else ""
    return short_cell(source.columns[j], cell, _MOST_LETTERS) if cell else short(source.columns[j], _MOST_LETTERS)


def _said(source: Explanation, row: int) -> str:
    about = "Prediction" if source.for_class is None else f"{source.for_class[row]}"
    if source.against_class is not None:
        about += f" against {source.against_class[row]}"
    start, end = amount(source.base[row]), amount(source.total[row])
    return f"{about}: {source.unit} {end}, from {start} without the columns"

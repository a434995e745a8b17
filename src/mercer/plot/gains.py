"""What acting on a classifier brings: gains, lift, and cost over the threshold."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.evaluation import curves as computed
from mercer.evaluation.curves import Curve
from mercer.formatting import amount
from mercer.plot.scores import ClassScore, class_scores, held
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, colour, line, marker
from mercer.plot.style.labels import short, words
from mercer.plot.style.marks import band
from mercer.select.costs import Costs
from mercer.select.thresholds import RowCosts

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing
def gains_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Share of the positive rows found over the share of rows called positive, the most probable first.

    Parameters
    ----------
    {source}
    {X_optional}
    {y_optional}
    {label}
    {level}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = mercer.plot.gains_curve(mercer.NaiveBayes().fit(X[::2], y[::2]), X[1::2], y[1::2], label=0)
    >>> float(ax.lines[0].get_ydata()[-1])
    1.0
    """
    found = held(source, "gains", Curve) or _computed(computed.gains_curve, source, X, y, label, level)
    ax = _drawn(axes(ax), found)
    ax.plot([0, 1], [0, 1], color=GUIDE, linestyle=":", linewidth=1, label="rows at random")
    return words(ax, "Gains", "Share of rows called positive", "Share of the class found", legend=True)


@drawing
def lift_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """How many times as many positive rows are found as among as many rows at random.

    Parameters
    ----------
    {source}
    {X_optional}
    {y_optional}
    {label}
    {level}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = mercer.plot.lift_curve(mercer.NaiveBayes().fit(X[::2], y[::2]), X[1::2], y[1::2], label=0)
    >>> float(ax.lines[0].get_ydata()[-1])
    1.0
    """
    found = held(source, "lift", Curve) or _computed(computed.lift_curve, source, X, y, label, level)
    ax = _drawn(axes(ax), found)
    ax.axhline(1, color=GUIDE, linestyle=":", linewidth=1, label="rows at random")
    return words(ax, "Lift", "Share of rows called positive", "Times as many as at random", legend=True)


@drawing
def cost_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    cost: Any = None,
    label: Any = None,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Mean cost of a row over the threshold from which it is called positive; marked, the cheapest.

    Parameters
    ----------
    source : estimator, Comparison, Decision or Curve
        A fitted classifier with `predict_proba`, or a result that holds its cost curve.
    {X_optional}
    {y_optional}
    cost : str, dict or Costs, optional
        What a false negative and a false positive cost, such as "fn=20,fp=1"; 1 each when None.
    label : object, optional
        The positive class; None for the second of two.
    {level}
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If there are several classes and none is named, or the model has no probabilities.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.NaiveBayes().fit(X[::2], y[::2])
    >>> ax = mercer.plot.cost_curve(model, X[1::2], y[1::2], label=2, cost="fn=20,fp=1")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Threshold', 'Mean cost of a row')
    """
    found, title = held(source, "cost_curve", Curve), "Cost over the threshold"
    if found is None:
        parts = class_scores(source, X, y, label)
        if any(part.unit != "probability" for part in parts):
            raise MercerError(f"{type(source).__name__} has no predict_proba: a cost curve is over its probabilities.")
        if len(parts) != 1:
            raise MercerError("A cost curve is of the probability of one class. Name it: label=...")
        costs = _costs(parts[0], cost)
        found = [_cost_curve(parts[0], costs, level)]
        title += f"\nA missed row costs {amount(costs[1, 0])}, a false alarm {amount(costs[0, 1])}"
    ax = _drawn(axes(ax), found)
    for k, one in enumerate(found):
        best = int(np.argmin(one.y))
        ax.plot(
            [one.x[best]], [one.y[best]], marker(k), color=colour(3), markersize=8,
            label=f"least: {one.y[best]:.3g} at {one.x[best]:.3g}",
        )  # fmt: skip
    ax.axvline(0.5, color=GUIDE, linestyle=":", linewidth=1, label="threshold 0.5")
    return words(ax, title, "Threshold", "Mean cost of a row", legend=True)


def _computed(curve: Callable[..., Curve], model: Any, X: Any, y: Any, label: Any, level: float) -> list[Curve]:
    return [curve(part.positive, part.score, part.label, 0, level) for part in class_scores(model, X, y, label)]


def _costs(part: ClassScore, cost: Any) -> Floats:
    """What a row of each class (line) costs when it is called each class (column), the positive one second."""
    given = Costs() if cost is None else Costs.read(cost)
    matrix = (given or Costs()).matrix(["other", part.label], 1)
    if matrix.names:
        raise MercerError(f"cost={cost!r} takes costs from columns; give numbers.")
    return matrix.amounts


def _cost_curve(part: ClassScore, amounts: Floats, level: float) -> Curve:
    truth = part.positive.astype(int)
    return computed.cost_curve(
        part.positive, part.score, RowCosts(amounts[truth, 1], amounts[truth, 0]), part.label, 0, level
    )


def _drawn(ax: Axes, found: list[Curve]) -> Axes:
    for k, one in enumerate(found):
        ax.plot(one.x, one.y, color=colour(k), linestyle=line(k), linewidth=1.8, label=f"class {short(one.label)}")
        band(ax, one.x, one.low, one.high, k)
    return ax

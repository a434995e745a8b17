"""How an ensemble came to be, and what its members are: score after each step, and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.combine.ensemble.base import BaseEnsemble
from mercer.errors import MercerError
from mercer.evaluation.metrics import METRICS
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, PALE, colour
from mercer.plot.style.labels import words
from mercer.plot.style.marks import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@drawing
def ensemble_trajectory(model: Any, *, ax: Axes | None = None) -> Axes:
    """Score on out-of-fold predictions after each step of a selection, beside that of the best member alone.

    Parameters
    ----------
    model : EnsembleSelection or EnsembleSelectionRegressor
        Fitted, by forward selection; each bag is a line.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no ensemble, or one by stacking, which has no steps.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.EnsembleSelection(["naive_bayes", "linear"], metric="log_loss").fit(X, y)
    >>> ax = mercer.plot.ensemble_trajectory(model)
    >>> len(ax.lines[0].get_ydata()) == model.trajectory_.shape[1]
    True
    """
    found = _ensemble(model).trajectory_
    if not found.size:
        raise MercerError("This ensemble has no steps to draw: it is one by stacking. Draw its ensemble_members.")
    ax, several = axes(ax), len(found) > 1
    for k, steps in enumerate(found):
        style: dict[str, Any] = {"color": PALE, "linewidth": 0.8} if several else {"color": colour(0), "marker": "."}
        name = ("one of several bags" if k == 0 else None) if several else "ensemble so far"
        ax.plot(np.arange(1, len(steps) + 1), steps, label=name, **style)
    scores = [member.score for member in model.members_]
    alone = max(scores) if model.score_ >= max(scores) else min(scores)  # an ensemble is no worse than its members
    ax.axhline(alone, color=GUIDE, linestyle=":", linewidth=1, label="best member alone")
    ax.axhline(model.score_, color=colour(1), linestyle="--", linewidth=1, label="ensemble taken")
    ax.locator_params(axis="x", integer=True)
    return words(ax, "Ensemble selection", "Step", f"{_metric(model)}, out of fold", legend=True)


@drawing
def ensemble_members(model: Any, *, ax: Axes | None = None) -> Axes:
    """Weight of each member of an ensemble, with its score alone.

    Parameters
    ----------
    model : EnsembleSelection or EnsembleSelectionRegressor
        Fitted.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no ensemble.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.EnsembleSelection(["naive_bayes", "linear"], metric="log_loss").fit(X, y)
    >>> ax = mercer.plot.ensemble_members(model)
    >>> [bar.get_width() for bar in ax.patches] == model.weights_.tolist()
    True
    """
    members = _ensemble(model).members_
    ax = axes(ax, (6.0, 1.2 + 0.32 * len(members)))
    bars(ax, [member.name for member in members], [member.weight for member in members])
    for place, member in enumerate(reversed(members)):
        ax.text(member.weight, place, f" {member.score:.4g} alone", va="center", fontsize="small")
    ax.margins(x=0.25)
    return words(ax, f"Members of the ensemble: {_metric(model)} {model.score_:.4g}, out of fold", "Weight")


def _metric(model: BaseEnsemble) -> str:
    known = METRICS.get(model.metric_)
    return model.metric_ if known is None else known.title


def _ensemble(model: Any) -> BaseEnsemble:
    if not isinstance(model, BaseEnsemble) or not hasattr(model, "members_"):
        raise MercerError(f"{type(model).__name__} is no fitted ensemble. Give a fitted EnsembleSelection.")
    return model

"""Axes to draw on, and the decorator of every picture."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakSet

from mercer.docstrings import shares_docs
from mercer.errors import BadEnvironment
from mercer.plot.style.fonts import legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OWN: WeakSet[Any] = WeakSet()  # figures made here: they may be widened

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
    """The decorator of every picture: fills the docstring's shared entries, and has names in any script drawn."""

    @wraps(function)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        ax = function(*args, **kwargs)
        legible(whole(ax) if is_own(whole(ax)) else ax)
        return ax

    return cast("Function", shares_docs(**_DOCS)(drawn))


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


def is_own(figure: Any) -> bool:
    """Whether a figure was made here, rather than given."""
    return figure in _OWN


def whole(ax: Axes) -> Any:
    """The figure, of a part of a figure too."""
    return ax.figure.figure

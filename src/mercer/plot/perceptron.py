"""The path of a perceptron: its hyperplane after each mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import clone

from mercer.arrays import Floats
from mercer.errors import MercerError
from mercer.estimators.perceptron.perceptron import Perceptron
from mercer.formatting import counted
from mercer.plot.grid import Axis
from mercer.plot.scores import labels
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import CHALK, PALE, colour, ink, line, marker
from mercer.plot.style.labels import short, words
from mercer.solvers.perceptron import MOST_VOTERS
from mercer.table import Table
from mercer.table.estimator import prediction_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

View = Literal["boundary", "weights"]
_MOST_LINES = 40  # boundaries drawn: of more, evenly spaced ones
_MOST_NAMED = 10  # weights with a name: of more, those that were largest


@dataclass(frozen=True)
class Path:
    """(intercept, w_1, ...) after each mistake, in units of the columns, the zero it starts from first."""

    names: list[str]
    positions: Floats  # (n_mistakes + 1, 1 + n_terms)
    model: Perceptron
    rows: Table

    @property
    def thinned(self) -> bool:
        """Whether positions may have been dropped: a voted perceptron holds four times those that vote."""
        return self.model.n_iter_ * len(self.rows) > 4 * MOST_VOTERS <= 4 * (len(self.positions) - 1)


@drawing
def perceptron_path(
    model: Perceptron,
    X: Any,
    y: Any,
    *,
    view: View | None = None,
    ax: Axes | None = None,
) -> Axes:
    """w <- w + eta y x at each mistake: the boundary w'x + b = 0 after each of them, or the weights themselves.

    Of more than 2,000 mistakes only the positions that lasted longest are known, and the title says so.

    Parameters
    ----------
    model : Perceptron
        Its parameters are used; it need not be fitted, and a clone of it is. `shuffle=False` shows the rows as they
        come. What averages, pockets or penalties would change is left out.
    {rows}
    y : array of shape (n_rows,)
        Their classes, of which there are two.
    view : {"boundary", "weights"}, optional
        The boundaries among the rows, from pale to dark, of two columns of numbers; or each weight over the number of
        mistakes. None for the boundaries where they can be drawn.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no Perceptron, there are not two classes, or boundaries of other than two columns are asked for.

    Examples
    --------
    >>> import mercer
    >>> X, y = [[1.0, 2.0], [2.0, 3.0], [-1.0, -1.5], [-2.0, -1.0]], ["b", "b", "a", "a"]
    >>> ax = mercer.plot.perceptron_path(mercer.Perceptron(shuffle=False), X, y)
    >>> ax.get_title(loc="left")
    "Perceptron's path: 1 mistake"
    """
    if not isinstance(model, Perceptron):
        where = type(model).__module__.partition(".")[0]
        raise MercerError(f"{type(model).__name__} of {where} keeps no path of mistakes. Give a mercer.Perceptron.")
    path = _trained(model, X, y)
    planar = len(path.names) == 2 == len(path.rows.schema.numeric_names) == len(path.rows.schema)
    view = ("boundary" if planar else "weights") if view is None else view
    if view == "boundary" and not planar:
        raise MercerError(f"A boundary is drawn in two columns of numbers; there are {len(path.names)} terms.")
    ax = axes(ax)
    n = len(path.positions) - 1
    kept = "the longest-lived of many positions, " if path.thinned else ""
    title = f"Perceptron's path: {kept}{counted(n, 'mistake')}"
    if view == "weights":
        return _weights(ax, path, title)
    return _boundaries(ax, path, labels(y, path.rows), title)


def _trained(model: Perceptron, X: Any, y: Any) -> Path:
    """The positions that vote are all positions: what a voted perceptron keeps is its path."""
    voted = clone(model).set_params(average="voted", pocket=False, penalty=None, probability=False).fit(X, y)
    if len(voted.classes_) != 2:
        raise MercerError(f"The path is that of one hyperplane: y has {len(voted.classes_)} classes, two are needed.")
    vectors = voted.planes_.votes[0].vectors  # (b, w), after each mistake
    slopes, offsets = voted.terms_.in_units(vectors[:, 1:], vectors[:, 0])
    whole = np.column_stack([offsets, slopes])
    start = np.zeros((1, whole.shape[1]))
    moved = whole if not len(whole) or whole[0].any() else whole[1:]
    return Path(voted.term_names_, np.vstack([start, moved]), voted, prediction_table(voted, X))


def _weights(ax: Axes, path: Path, title: str) -> Axes:
    steps = np.arange(len(path.positions))
    names = ["intercept", *path.names]
    order = np.argsort(-np.abs(path.positions).max(axis=0), kind="stable")
    rest = order[_MOST_NAMED:] if len(names) > _MOST_NAMED + 1 else order[len(names) :]
    for number, k in enumerate(rest.tolist()):
        label = counted(len(rest), "smaller weight") if number == 0 else None
        ax.step(steps, path.positions[:, k], where="post", color=PALE, linewidth=0.7, label=label, zorder=1)
    for number, k in enumerate(sorted(set(range(len(names))) - set(rest.tolist()))):
        ax.step(
            steps, path.positions[:, k], where="post", color=colour(number), linestyle=line(number), linewidth=1.6,
            label=short(names[k]),
        )  # fmt: skip
    return words(ax, title, "Mistakes so far", "Weight", legend=True)


def _boundaries(ax: Axes, path: Path, truth: Any, title: str) -> Axes:
    across, up = (Axis.of(path.rows, name, 2) for name in path.rows.columns)
    for k, name in enumerate(map(str, path.model.classes_)):
        rows = truth == name
        ax.scatter(
            across.cells[rows], up.cells[rows], s=34, color=colour(k), marker=marker(k), edgecolors="white",
            label=f"class {short(name)}", zorder=3,
        )  # fmt: skip
    n = len(path.positions) - 1
    for number in np.unique(np.linspace(1, n, min(n, _MOST_LINES)).astype(int)).tolist():
        last = number == n
        grey = 0.85 - 0.6 * number / n if ink(ax) != CHALK else 0.25 + 0.5 * number / n
        _line_of(ax, path.positions[number], across, up, ink(ax) if last else str(grey), 2.2 if last else 0.9, number)
    across.label(ax, "x")
    up.label(ax, "y")
    return words(ax, title, across.column.name, up.column.name, legend=True)


def _line_of(ax: Axes, position: Floats, across: Axis, up: Axis, shade: str, width: float, number: int) -> None:
    """b + w_1 x + w_2 z = 0 across the picture, from the column that it crosses more steeply."""
    b, first, second = (float(v) for v in position)
    ends = across.steps[[0, -1]], up.steps[[0, -1]]
    flat = abs(second) * np.ptp(ends[1]) >= abs(first) * np.ptp(ends[0])
    if not (first or second):
        return
    x = ends[0] if flat else -(b + second * ends[1]) / first
    y = -(b + first * ends[0]) / second if flat else ends[1]
    last = shade == ink(ax)
    ax.plot(
        x, y, color=shade, linewidth=width, label=f"after mistake {number}" if last else None, zorder=2 if last else 1
    )

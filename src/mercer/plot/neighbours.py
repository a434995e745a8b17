"""The neighbours of a row: which training rows answer for it, and how far they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import BadTable, MercerError
from mercer.plot.grid import Grid
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, colour, ink, marker, tint
from mercer.plot.style.labels import short, words
from mercer.table.formats.containers import as_container, row_count, take_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CLASSES = 20  # beyond, a target of numbers is a number


@drawing
def neighbours(
    model: Any,
    X: Any,
    y: Any,
    row: int = 0,
    columns: Sequence[str | int] | None = None,
    *,
    queries: Any = None,
    k: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The k training rows nearest to a row, joined to it in two of the columns and numbered by their distance.

    Distances are those of the model, over all its columns; two columns are drawn, so the nearest need not look so.

    Parameters
    ----------
    model : KNeighborsClassifier or KNeighborsRegressor
        Fitted: mercer's, or any with `kneighbors`.
    X : array, data frame, mapping or Table of shape (n_rows, n_columns)
        The training rows, in the order of the fit.
    y : array of shape (n_rows,)
        Their target.
    row : int, default 0
        The row whose neighbours are drawn: of `queries`, or a training row, which is then not its own neighbour.
    columns : sequence of two str or int, optional
        The column across and the column up; None where the model has two.
    queries : array, data frame, mapping or Table, optional
        New rows, of which `row` is one.
    k : int, optional
        How many neighbours; None for as many as the model asks.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model has no neighbours, or the rows are not those that it was fitted to.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = mercer.plot.neighbours(mercer.KNeighborsClassifier(3).fit(X, y), X, y, row=70, columns=[2, 3])
    >>> ax.get_title(loc="left")
    '3 nearest neighbours of row 70: 3 of class 2'
    """
    found, distances = _search(model, X, row, queries, k)
    grid, target = Grid.of(model, X, columns, 2, 2), np.asarray(y)
    if len(target) != row_count(grid.rows) or found.max() >= len(target):
        raise MercerError("X and y must be the training rows: neighbours are found among those.")
    spots = np.column_stack(grid.spots())
    here = spots[row] if queries is None else _spot(model, queries, row, grid)
    ax = axes(ax, (5.6, 4.6))
    names = _points(ax, spots, target)
    for number, place in enumerate(found, 1):
        x, y_ = spots[place]
        ax.plot([here[0], x], [here[1], y_], color=GUIDE, linewidth=1, zorder=1)
        ax.annotate(f"{number}", (x, y_), xytext=(4, 4), textcoords="offset points", fontsize="x-small", color=ink(ax))
    ax.scatter(spots[found, 0], spots[found, 1], s=95, facecolors="none", edgecolors=ink(ax), linewidths=1.1, zorder=3)
    ax.scatter(here[0], here[1], s=190, marker="*", color=ink(ax), edgecolors="white", zorder=4, label="the row")
    for which, axis in zip("xy", grid.axes, strict=True):
        if axis.categorical or axis.column.is_date:
            axis.label(ax, which)
    ends = dict.fromkeys(f"{d:.3g}" for d in (distances.min(), distances.max()))
    far = f"distance {' to '.join(ends)}"
    gone = [axis.column.name for axis, at in zip(grid.axes, here, strict=True) if not np.isfinite(at)]
    far += f"; the row cannot be drawn, {' and '.join(gone)} is missing" if gone else ""
    ax.text(0.0, -0.16, far, transform=ax.transAxes, fontsize="x-small", color=ink(ax), va="top")
    title = f"{len(found)} nearest neighbours of row {row}: {_votes(target[found], bool(names))}"
    across, up = (axis.column.name for axis in grid.axes)
    return words(ax, title, across, up, legend=True)


def _search(model: Any, X: Any, row: int, queries: Any, k: int | None) -> tuple[Any, Any]:
    if not hasattr(model, "kneighbors"):
        raise MercerError(f"{type(model).__name__} has no neighbours. Use KNeighborsClassifier or KNeighborsRegressor.")
    check_is_fitted(model)
    asked = as_container(X if queries is None else queries)
    if not 0 <= row < row_count(asked):
        raise BadTable(f"There is no row {row}: there are {row_count(asked)} rows.")
    k = int(getattr(model, "n_neighbors_", None) or model.n_neighbors) if k is None else k
    one = take_rows(asked, np.array([row]))
    distances, found = (np.asarray(part)[0] for part in model.kneighbors(one, k + (queries is None)))
    if queries is None:
        others = np.flatnonzero(found != row)[:k]
        return found[others], distances[others]
    return found, distances


def _spot(model: Any, queries: Any, row: int, grid: Grid) -> Any:
    """Where a new row stands on axes of the training rows."""
    asked, at = Grid.of(model, queries, [axis.column.name for axis in grid.axes], 2, 2), []
    for own, new in zip(grid.axes, asked.axes, strict=True):
        if not own.categorical:
            at.append(new.cells[row])
            continue
        level = new.column.levels[int(new.cells[row])] if np.isfinite(new.cells[row]) else ""
        at.append(float(own.column.levels.index(level)) if level in own.column.levels else -0.5)
    return np.array(at)


def _points(ax: Axes, spots: Any, target: Any) -> list[str]:
    """Training rows by class, or by how large their number is; the names of the classes."""
    if target.dtype.kind == "f" and len(np.unique(target)) > _MOST_CLASSES:
        drawn = ax.scatter(spots[:, 0], spots[:, 1], s=16, c=target, cmap="cividis")
        ax.figure.colorbar(drawn, ax=ax, label="Target")
        return []
    names = sorted(set(target.astype(str)))
    for c, name in enumerate(names):
        rows = target.astype(str) == name
        ax.scatter(
            spots[rows, 0], spots[rows, 1], s=18, color=tint(c, 0.25), edgecolors=colour(c), linewidths=0.5,
            marker=marker(c), label=f"class {short(name)}", zorder=2,
        )  # fmt: skip
    return names


def _votes(target: Any, by_class: bool) -> str:
    if not by_class:
        return f"mean {float(np.mean(target)):.4g}"
    names, counts = np.unique(target.astype(str), return_counts=True)
    order = np.argsort(counts, kind="stable")
    return ", ".join(f"{counts[i]} of class {short(str(names[i]), 16)}" for i in order)

"""What a model says between the rows: regions of classes with margin and support vectors, the tube of an SVR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_outlier_detector

from mercer.arrays import Floats, Longs
from mercer.errors import MercerError
from mercer.evaluation.assessment.labels import label_names, names_as_known
from mercer.formatting import amount, counted
from mercer.plot.grid import Grid, last_step
from mercer.plot.scores import labels
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, INK, colour, hatch, ink, marker, tint
from mercer.plot.style.labels import short, words
from mercer.table.formats.containers import row_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW_VECTORS = 100
MOST_POINTS = 3000  # rows drawn among the regions: of more, evenly spaced ones


@drawing
def decision_regions(
    model: Any,
    X: Any,
    y: Any = None,
    columns: Sequence[str | int] | None = None,
    *,
    margin: bool | None = None,
    support: bool = True,
    steps: int = 120,
    ax: Axes | None = None,
) -> Axes:
    """The class that a classifier predicts at each point of two columns; f(x) = -1, 0, 1 for a margin.

    Columns may be numbers or categories. Where the model has more than two, the others stay at their median or most
    frequent level.

    Parameters
    ----------
    {model}
    {rows}
    y : array of shape (n_rows,), optional
        Their classes, drawn as points; None draws the regions alone.
    columns : sequence of two str or int, optional
        The column across and the column up, by name or position; None where the model has two.
    margin : bool, optional
        Whether to draw where the decision function is -1 and 1; None for support vector machines of two classes.
    support : bool, default True
        Whether to circle the support vectors of a model that was fitted to these rows.
    steps : int, default 120
        Points along each axis of numbers.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model is no classifier, or two columns are not named.

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [20, 30, 40, 50, 60, 70], "city": ["Rome", "Oslo", "Rome", "Oslo", "Oslo", "Rome"]}
    >>> y = ["no", "no", "no", "yes", "yes", "yes"]
    >>> ax = mercer.plot.decision_regions(mercer.SVC().fit(rows, y), rows, y)
    >>> ax.get_ylabel(), [tick.get_text() for tick in ax.get_yticklabels()]
    ('city', ['Oslo', 'Rome'])
    """
    grid = Grid.of(model, X, columns, 2, steps)
    names, shown = _classes(model)
    ax = axes(ax)
    across, up = grid.axes
    points, shape = grid.points(), (len(across.steps), len(up.steps))
    codes = _codes(label_names(model.predict(points)), names).reshape(shape).T
    _regions(ax, across.edges(), up.edges(), up.stretched(across.stretched(codes, 1), 0), len(names))
    machine = last_step(model)
    if margin or (margin is None and type(machine).__name__.endswith("SVC")):
        _margin(ax, grid, model, points, asked=bool(margin))
    (x, z), title = grid.spots(), _title("Decision regions", model, grid)
    if y is not None:
        title += _points(ax, x, z, _codes(labels(y, grid.rows, names).tolist(), names), shown)
    if support:
        _support(ax, model, grid, x, z, INK)
    across.label(ax, "x")
    up.label(ax, "y")
    if y is None:
        _region_legend(ax, shown)
    words(ax, title, across.column.name, up.column.name, legend=True)
    light_legend(ax)
    return ax


def light_legend(ax: Axes) -> None:
    """The ground of the regions is light in every style, and so is that of their legend."""
    legend = ax.get_legend()
    if legend is not None:
        legend.get_frame().set_facecolor("white")
        for text in legend.get_texts():
            text.set_color(INK)


def _classes(model: Any) -> tuple[list[str], list[str]]:
    """Classes as the model predicts them, and as they are shown; -1 is an outlier of a model of one class."""
    if is_outlier_detector(model):
        return ["-1", "1"], ["outlier", "inlier"]
    if not hasattr(model, "classes_"):
        raise MercerError(f"{type(model).__name__} predicts numbers; decision regions are of a classifier.")
    names = label_names(model.classes_)
    return names, names


def _codes(found: Sequence[str], names: list[str]) -> Longs:
    """Places of labels among the classes; -1 for one that the model does not know."""
    place = {name: k for k, name in enumerate(names)}
    return np.array([place.get(label, -1) for label in names_as_known(found, names)], dtype=np.int64)


def _regions(ax: Axes, x: Floats, y: Floats, codes: Any, n_classes: int) -> None:
    for k in range(n_classes):
        inside = (codes == k).astype(float)
        if inside.any():
            area = ax.contourf(x, y, inside, levels=[0.5, 1.5], colors=[tint(k)], hatches=[hatch(k)])
            area.set_edgecolor(tint(k, 0.45))
            area.set_linewidth(0.0)
            if not inside.all():
                ax.contour(x, y, inside, levels=[0.5], colors=[GUIDE], linewidths=0.8)


def _margin(ax: Axes, grid: Grid, model: Any, points: Any, *, asked: bool) -> None:
    two = len(model.classes_) == 2 and hasattr(model, "decision_function")
    numeric = not any(axis.categorical for axis in grid.axes)
    if not (two and numeric):
        if asked:
            raise MercerError("A margin is drawn for a decision function of two classes, over two columns of numbers.")
        return
    across, up = grid.axes
    score = np.asarray(model.decision_function(points)).reshape(len(across.steps), len(up.steps)).T
    levels = [v for v in (-1.0, 0.0, 1.0) if score.min() < v < score.max()]
    styles = {-1.0: "--", 0.0: "-", 1.0: "--"}
    if levels:
        kinds: Any = [styles[v] for v in levels]
        ax.contour(across.steps, up.steps, score, levels=levels, colors=[INK], linestyles=kinds, linewidths=1.3)


def _points(ax: Axes, x: Floats, y: Floats, codes: Longs, names: list[str]) -> str:
    """Rows by their class; what the title says of those that are left out."""
    x, y, codes, said = thinned(x, y, codes)
    for k, name in enumerate([*names, "another class"]):
        rows = codes == (k if k < len(names) else -1)
        if rows.any():
            ax.scatter(
                x[rows], y[rows], s=34, color=colour(k), marker=marker(k), edgecolors="white", linewidths=0.5,
                label=short(name),
            )  # fmt: skip
    return said


def thinned(x: Floats, y: Floats, codes: Any) -> tuple[Floats, Floats, Any, str]:
    """Evenly spaced rows of too many, and what the title says of them."""
    if len(x) <= MOST_POINTS:
        return x, y, codes, ""
    kept = np.linspace(0, len(x) - 1, MOST_POINTS).astype(int)
    return x[kept], y[kept], codes[kept], f"\n{MOST_POINTS:,} of {len(x):,} rows drawn"


def _support(ax: Axes, model: Any, grid: Grid, x: Floats, y: Floats, shade: str) -> None:
    machine = last_step(model)
    rows = getattr(machine, "support_", None)
    if rows is None or not _learned_from(model, machine, grid.rows, len(x)):
        return
    few = len(rows) <= _FEW_VECTORS
    ax.scatter(
        x[rows], y[rows], s=75 if few else 40, facecolors="none", edgecolors=shade, linewidths=0.9 if few else 0.4,
        label=counted(len(rows), "support vector"),
    )  # fmt: skip


def _learned_from(model: Any, machine: Any, X: Any, n_rows: int) -> bool:
    """Whether the support vectors of the machine stand at their places among these rows."""
    if getattr(machine, "shape_fit_", (None,))[0] != n_rows:
        return False
    seen = model[:-1].transform(X) if len(getattr(model, "steps", ())) > 1 else X
    if not hasattr(machine, "support_rows_"):  # a machine of scikit-learn
        rows, vectors = (v.toarray() if issparse(v) else np.asarray(v) for v in (seen, machine.support_vectors_))
        return np.allclose(rows[machine.support_].astype(float), vectors)
    found, kept = machine._predict_table(seen).take(machine.support_), machine.support_rows_
    same_numbers = np.array_equal(found.numbers(), kept.numbers(), equal_nan=True)
    return same_numbers and np.array_equal(found.codes(), kept.codes())


def _region_legend(ax: Axes, names: list[str]) -> None:
    for k, name in enumerate(names):
        ax.fill_between([], [], [], facecolor=tint(k), hatch=hatch(k), edgecolor=tint(k, 0.45), label=short(name))


def _title(what: str, model: Any, grid: Grid) -> str:
    name = type(last_step(model)).__name__
    return f"{what} of {name}" + (f"\n{grid.fixed}" if grid.fixed else "")


@drawing
def regression_tube(
    model: Any,
    X: Any,
    y: Any,
    column: str | int | None = None,
    *,
    steps: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """f(x) and the tube |y - f(x)| <= epsilon of a support vector regression; rows inside it cost nothing.

    Parameters
    ----------
    model : SVR, NuSVR or LinearSVR
        Fitted: mercer's or scikit-learn's, or a pipeline that ends in one.
    {rows}
    y : array of shape (n_rows,)
        Their target.
    column : str or int, optional
        The column across; None where the model has one. Others stay at their median or most frequent level.
    steps : int, default 200
        Points along the axis.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If the model has no tube.

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> ax = mercer.plot.regression_tube(mercer.SVR(epsilon=0.2).fit(x, np.sin(x[:, 0])), x, np.sin(x[:, 0]))
    >>> ax.get_legend().get_texts()[0].get_text()
    'prediction'
    """
    grid = Grid.of(model, X, None if column is None else [column], 1, steps)
    machine = last_step(model)
    epsilon = _epsilon(machine)
    (across,), ax = grid.axes, axes(ax)
    target = np.asarray(y, dtype=float)
    if len(target) != row_count(grid.rows):
        raise MercerError(f"y has {len(target)} numbers; expected one for each of the {row_count(grid.rows)} rows.")
    predicted = np.asarray(model.predict(grid.points()), dtype=float)
    x, middle = across.edges(), across.stretched(predicted, 0)
    ax.plot(x, middle, color=colour(0), linewidth=2, label="prediction")
    ax.fill_between(
        x, middle - epsilon, middle + epsilon, facecolor=tint(0), edgecolor=colour(0), linestyle="--", linewidth=0.9,
        label=f"tube: prediction ± {amount(epsilon)}",
    )  # fmt: skip
    ax.scatter(across.spots(), target, s=18, color=colour(3), marker=marker(1), edgecolors="white", label="rows")
    _support(ax, model, grid, across.spots(), target, ink(ax))
    across.label(ax, "x")
    return words(ax, _title("Prediction and tube", model, grid), across.column.name, "Target", legend=True)


def _epsilon(machine: Any) -> float:
    """Half the width of the tube: as fitted, or the parameter."""
    names = ("tube_", "epsilon_") if "nu" in machine.get_params() else ("tube_", "epsilon_", "epsilon")
    found = next((getattr(machine, name) for name in names if hasattr(machine, name)), None)
    if found is None or isinstance(found, str):
        raise MercerError(f"{type(machine).__name__} does not say how wide its tube is. mercer's SVR and NuSVR do.")
    return float(found)

"""Numbers predicted: against the actual ones, what is left over, coefficients with intervals, the logistic curve."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Longs
from mercer.errors import BadTable, MercerError, did_you_mean
from mercer.estimators.linear.coefficients import Coefficients, Summary
from mercer.evaluation.assessment.labels import label_names
from mercer.evaluation.diagnostics import Residuals
from mercer.evaluation.effects import predictions
from mercer.formatting import MINUS, counted
from mercer.plot.grid import Grid, last_step
from mercer.plot.scores import expect_model, expect_rows, labels, parts_of
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, colour, ink, line, marker
from mercer.plot.style.labels import short, short_each, words
from mercer.plot.style.marks import spread_points
from mercer.table.formats.containers import as_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INTERCEPT = "(Intercept)"
_SHARES, _FEW = 10, 5  # groups of rows whose median residual is drawn; the fewest rows of a group
_MOST_VECTORS = 5000  # points that a file holds as shapes; of more it holds a picture


@drawing
def predicted_against_actual(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """The number predicted for each row over its actual one; on the diagonal, they are equal.

    Parameters
    ----------
    source : estimator, Evaluation, Diagnostics, Residuals or array of shape (n_rows,)
        A fitted regressor, a result that holds its residuals, or the numbers predicted.
    {X_optional}
    {y_optional}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> ax = mercer.plot.predicted_against_actual([1.1, 2.3, 2.8], y=[1.0, 2.0, 3.0])
    >>> ax.get_title(loc="left")
    'Predicted against actual: R² 0.93'
    """
    actual, predicted = _numbers(source, X, y)
    ax = axes(ax, (5.0, 4.6))
    low, high = float(min(actual.min(), predicted.min())), float(max(actual.max(), predicted.max()))
    ax.plot([low, high], [low, high], color=GUIDE, linestyle="--", linewidth=1, label="predicted = actual")
    ax.scatter(actual, predicted, s=16, **_cloud(len(actual)))
    spread = float(((actual - actual.mean()) ** 2).sum())
    r2 = 1 - float(((actual - predicted) ** 2).sum()) / spread if spread > 0 else 0.0
    share = f": R² {r2:.2f}".replace("-", MINUS) if spread > 0 else ""
    return words(ax, f"Predicted against actual{share}", "Actual", "Predicted", legend=True)


@drawing
def residuals(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Actual minus predicted over predicted, with the median of each tenth of the rows.

    A line of medians that bends away from 0 is a shape that the model misses; a cloud that widens is a spread that
    grows with the prediction.

    Parameters
    ----------
    source : estimator, Evaluation, Diagnostics, Residuals or array of shape (n_rows,)
        A fitted regressor, a result that holds its residuals, or the numbers predicted.
    {X_optional}
    {y_optional}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> ax = mercer.plot.residuals([1.1, 2.3, 2.8], y=[1.0, 2.0, 3.0])
    >>> ax.collections[0].get_offsets()[0].round(2).tolist()
    [1.1, -0.1]
    """
    actual, predicted = _numbers(source, X, y)
    ax, left = axes(ax), actual - predicted
    ax.scatter(predicted, left, s=16, **_cloud(len(left)))
    ax.axhline(0, color=GUIDE, linestyle="--", linewidth=1)
    parts = _groups(predicted)
    middle = [float(np.median(left[rows])) for rows in parts]
    centre = [float(predicted[rows].mean()) for rows in parts]
    if len(parts) > 1:
        ax.plot(
            centre, middle, color=colour(3), marker=marker(1), markersize=4,
            label="median of a tenth of the rows" if len(parts) == _SHARES else "median of a group of rows",
        )  # fmt: skip
    return words(ax, "Residuals", "Predicted", "Actual minus predicted", legend=len(parts) > 1)


def _groups(predicted: Floats) -> list[Longs]:
    """Rows in the order of their predictions, in tenths of five rows and more; equal predictions are in one group."""
    wanted = min(_SHARES, len(predicted) // _FEW)
    order = np.argsort(predicted, kind="stable")
    ends = [int(rows[-1]) for rows in np.array_split(np.arange(len(order)), max(1, wanted))]
    upper = np.unique(np.searchsorted(predicted[order], predicted[order][ends], side="right"))
    return [rows for rows in np.split(order, upper) if len(rows)]


def _cloud(n_rows: int) -> dict[str, Any]:
    """How so many points are drawn."""
    opacity, as_picture = float(np.clip(30 / np.sqrt(max(n_rows, 1)), 0.15, 0.9)), n_rows > _MOST_VECTORS
    return {"color": colour(0), "marker": marker(0), "alpha": opacity, "linewidths": 0, "rasterized": as_picture}


def _numbers(source: Any, X: Any, y: Any) -> tuple[Floats, Floats]:
    """Actual and predicted numbers."""
    for part in parts_of(source):
        found = part if isinstance(part, Residuals) else getattr(part, "residuals", None)
        if isinstance(found, Residuals):
            return np.asarray(found.actual), np.asarray(found.predicted)
    if not isinstance(source, Sequence | np.ndarray) and not hasattr(source, "__array__"):
        expect_model(source, "residuals")
        expect_rows(X, y)
        check_is_fitted(source)
        if hasattr(source, "classes_"):
            raise MercerError(f"{type(source).__name__} predicts classes; use plot.confusion_matrix.")
        source = source.predict(as_rows(X))
    if y is None:
        raise MercerError("Give the actual numbers: y=...")
    actual, predicted = np.asarray(y, dtype=float), np.asarray(source, dtype=float)
    if actual.shape != predicted.shape or actual.ndim != 1 or not len(actual):
        raise BadTable(
            f"y has the shape {actual.shape} and the predictions {predicted.shape}: expected (n_rows,) both."
        )
    unknown = int((~np.isfinite(actual) | ~np.isfinite(predicted)).sum())
    if unknown:
        raise BadTable(
            f"The actual or the predicted number is missing or infinite in {counted(unknown, 'row')} of "
            f"{len(actual):,}. Leave such rows out."
        )
    return actual, predicted


@drawing
def coefficients(
    source: Any,
    *,
    table: str | None = None,
    intercept: bool = False,
    standardised: Any = None,
    most: int = 30,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Coefficients b_j with their confidence intervals b_j -+ q s_j; those of scikit-learn's models without.

    Parameters
    ----------
    source : LinearRegression, LogisticRegression, Summary or Coefficients
        A fitted linear model, mercer's or any with `coef_`, a pipeline that ends in one, or its summary.
    table : str, optional
        Which table of a summary with several classes, such as "b against a", or which class of another model; None
        where there is one.
    intercept : bool, default False
        Whether to draw the intercept too.
    standardised : array of shape (n_coefficients,), optional
        Standard deviations of the covariates, by which coefficients are multiplied: effects of one deviation.
    most : int, default 30
        Most coefficients drawn, the largest.
    {level}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [1.0, 2.0, 3.0, 4.0, 5.0], "age": [3.0, 1.0, 2.0, 2.0, 4.0]}
    >>> ax = mercer.plot.coefficients(mercer.LinearRegression().fit(rows, [1.0, 2.1, 2.9, 4.2, 5.0]))
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['size', 'age']
    """
    found, about = _coefficients(source, table, level)
    if standardised is not None:
        found = _standardised(found, standardised)
    kept = [j for j, name in enumerate(found.names) if intercept or name != _INTERCEPT]
    kept = [j for j in kept if np.isfinite(found.estimate[j])]
    kept = sorted(sorted(kept, key=lambda j: -abs(found.estimate[j]))[:most]) if len(kept) > most else kept
    ax = axes(ax, (6.0, 1.2 + 0.3 * len(kept)))
    places = np.arange(len(kept))[::-1]
    estimate, ends = found.estimate[kept], found.interval[kept]
    known = np.isfinite(ends).all(axis=1)
    span = np.abs(ends - estimate[:, None]).T
    ax.axvline(0, color=GUIDE, linestyle="--", linewidth=1)
    if known.any():
        ax.errorbar(
            estimate[known], places[known], xerr=span[:, known], fmt=marker(0), color=colour(0), ecolor=ink(ax),
            capsize=3, markersize=6, label=f"{found.level:.0%} interval",
        )  # fmt: skip
    if not known.all():
        ax.plot(estimate[~known], places[~known], marker(1), color=colour(3), label="no interval")
    ax.set_yticks(places, short_each([found.names[j] for j in kept], 36))
    ax.set_ylim(-0.7, len(kept) - 0.3)
    what = "Change of the log odds" if found.ratios else "Change of the prediction"
    unit = "one standard deviation more" if standardised is not None else "one unit more"
    return words(ax, "Coefficients" + about, f"{what} for {unit}", legend=True)


def _coefficients(source: Any, table: str | None, level: float) -> tuple[Coefficients, str]:
    if isinstance(source, Coefficients):
        return source, ""
    if isinstance(source, Summary):
        tables = source.tables
    else:
        check_is_fitted(source)
        machine = last_step(source)
        tables = machine.summary(level=level).tables if hasattr(machine, "summary") else _plain(source, machine)
    if table is None and len(tables) > 1:
        raise MercerError(f"There are {len(tables)} tables: name one. {did_you_mean('', tables)}")
    chosen = next(iter(tables)) if table is None else table
    if chosen not in tables:
        raise MercerError(f"There is no table {chosen!r}. {did_you_mean(chosen, tables)}")
    return tables[chosen], f": {chosen}" if chosen else ""


def _plain(model: Any, machine: Any) -> dict[str, Coefficients]:
    """Of any linear model, by class where it has several: no standard errors are known."""
    if not hasattr(machine, "coef_"):
        raise MercerError(f"{type(machine).__name__} has no coefficients. Use a linear model.")
    estimate = np.atleast_2d(np.asarray(machine.coef_, dtype=float))
    names, classes = _covariates(model, machine, estimate.shape[1]), getattr(machine, "classes_", None)
    error, ratios = np.full(estimate.shape[1], np.nan), classes is not None
    if len(estimate) == 1:
        return {"": Coefficients(names, estimate[0], error, ratios=ratios)}
    rows = range(len(estimate)) if classes is None or len(classes) != len(estimate) else classes
    return {str(k): Coefficients(names, row, error, ratios=ratios) for k, row in zip(rows, estimate, strict=True)}


def _covariates(model: Any, machine: Any, n: int) -> list[str]:
    """What the coefficients belong to: columns, or what the steps of a pipeline make of them."""
    names = getattr(machine, "feature_names_in_", None)
    if names is None and machine is not model:
        with suppress(AttributeError, ValueError):  # of steps that do not name what they make
            names = model[:-1].get_feature_names_out()
    return [f"x{j}" for j in range(n)] if names is None else [str(name) for name in names]


def _standardised(found: Coefficients, deviations: Any) -> Coefficients:
    scale = np.asarray(deviations, dtype=float)
    slopes = [j for j, name in enumerate(found.names) if name != _INTERCEPT]
    if scale.shape != (len(slopes),):
        raise BadTable(
            f"standardised has the shape {scale.shape}; expected ({len(slopes)},), one for each coefficient."
        )
    factor = np.ones(len(found.names))
    factor[slopes] = scale
    return replace(found, estimate=found.estimate * factor, error=found.error * factor)


@drawing
def logistic_curve(
    model: Any,
    X: Any,
    y: Any = None,
    column: str | int | None = None,
    *,
    label: Any = None,
    steps: int = 200,
    ax: Axes | None = None,
) -> Axes:
    """P(class | x) = 1 / (1 + exp(-b0 - b1 x)) over one column, others at their median or most frequent level.

    Of any classifier with probabilities: a tree's is a staircase. Rows are drawn at 1 where they are of the class, at 0
    where not.

    Parameters
    ----------
    {model}
    {rows}
    y : array of shape (n_rows,), optional
        Their classes.
    column : str or int, optional
        The column across, by name or position; None where the model has one.
    {label}
    steps : int, default 200
        Points along the axis.
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> hours = {"hours": [0.5, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0, 5.0]}
    >>> passed = ["no", "no", "yes", "no", "yes", "no", "yes", "yes"]
    >>> ax = mercer.plot.logistic_curve(mercer.LogisticRegression().fit(hours, passed), hours, passed)
    >>> ax.get_ylabel()
    'Probability of yes'
    """
    grid = Grid.of(model, X, None if column is None else [column], 1, steps)
    names, unit, found = predictions(model, grid.points(), label)
    if unit != "probability":
        raise MercerError(f"{type(model).__name__} has no predict_proba: there is no probability to draw.")
    (across,), ax = grid.axes, axes(ax)
    for k, name in enumerate(names):
        ax.plot(across.edges(), across.stretched(found[:, k], 0), color=colour(k), linestyle=line(k), linewidth=2,
                label=short(name))  # fmt: skip
    if y is not None:
        truth = labels(y, grid.rows, label_names(model.classes_))
        for k, name in enumerate(names):
            height = (truth == name) * 1.0 + spread_points(len(truth), 0.02, 0.7548776662) - (0.03 * k)
            ax.scatter(across.spots(), height, s=12, color=colour(k), marker=marker(k), alpha=0.6, linewidths=0)
    ax.axhline(0.5, color=GUIDE, linestyle=":", linewidth=1)
    across.label(ax, "x")
    what = f"Probability of {short(names[0])}" if len(names) == 1 else "Probability"
    title = f"Probability over {short(across.column.name)}" + (f"\n{grid.fixed}" if grid.fixed else "")
    return words(ax, title, across.column.name, what, legend=len(names) > 1)

"""Naive Bayes as tables: the likelihood of one column in each class, and the product for one row, step by step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from mercer.errors import BadColumn, MercerError, did_you_mean
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.bayes.model_explanation import information
from mercer.estimators.bayes.product import BayesProduct
from mercer.estimators.bayes.product import bayes_product as computed_product
from mercer.formatting import counted
from mercer.likelihoods import ColumnTable
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import INK, colour, hatch, line, tint
from mercer.plot.style.labels import date_ticks, level_ticks, short, short_cell, words
from mercer.table import Column, shown_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LEVELS = 12
_REACH = 3.5  # standard deviations drawn of a normal density
_PLACES = 1e-4, 1e7  # standard deviations that are written without a power of ten
_CELL = 1.3, 0.2, 8.0  # inches across and up that a cell of a product needs; its letters, in points


@drawing
def likelihood_table(
    model: Any,
    column: str | int,
    *,
    ax: Axes | None = None,
) -> Axes:
    """p(column | class) as naive Bayes estimated it: a bar for each level and class, or a density for each class.

    Bars carry the number of training cells behind them. Of more than twelve levels those that tell most about the class
    are drawn.

    Parameters
    ----------
    model : NaiveBayes
        Fitted; any of mercer's naive Bayes classifiers.
    column : str or int
        The column, by name or position.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    BadColumn
        If there is no such column.

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NaiveBayes().fit({"sky": ["blue", "blue", "grey"]}, ["play", "play", "stay"])
    >>> ax = mercer.plot.likelihood_table(model, "sky")
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['blue', 'grey']
    """
    tables = _tables(model)
    names = [t.name for t in tables]
    if isinstance(column, int) and 0 <= column < len(names):
        column = names[column]
    if column not in names:
        raise BadColumn(f"The model has no column {column!r}. {did_you_mean(str(column), names)}")
    table, ax = tables[str(column)], axes(ax)
    if table.counts is not None:
        return _bars(ax, table, tables.classes, tables.prior)
    spread = next((name for name in ("standard deviation", "bandwidth") if name in table.rows), None)
    if "mean" not in table.rows or spread is None:
        raise MercerError(f"The likelihood of {column!r}, {table.likelihood}, is neither levels nor a density to draw.")
    date = next((c for c in model.schema_ if c.name == table.name and c.is_date), None)
    if spread == "bandwidth":
        return _densities(ax, model, table, tables.classes, date)
    return _normals(ax, table, tables.classes, date)


def _tables(model: Any) -> Any:
    if not isinstance(model, BayesClassifier):
        raise MercerError(f"{type(model).__name__} is no naive Bayes classifier of mercer: it has no tables to draw.")
    check_is_fitted(model)
    return model.tables()


def _bars(ax: Axes, table: ColumnTable, classes: list[str], prior: Any) -> Axes:
    assert table.counts is not None
    values, counts, rows = np.asarray(table.values, dtype=float), table.counts, list(table.rows)
    if len(rows) > _MOST_LEVELS:
        kept = np.sort(np.argsort(-information(values, prior), kind="stable")[:_MOST_LEVELS])
        values, counts, rows = values[kept], counts[kept], [rows[i] for i in kept]
    width, places = 0.8 / len(classes), np.arange(len(rows))
    for k, name in enumerate(classes):
        at = places + (k - (len(classes) - 1) / 2) * width
        drawn = ax.bar(
            at, values[:, k], width=width * 0.95, color=tint(k, 0.25), edgecolor=INK, linewidth=0.6, hatch=hatch(k),
            label=short(name),
        )  # fmt: skip
        if len(rows) * len(classes) <= 24:
            ax.bar_label(drawn, [f"{n:g}" for n in counts[:, k]], fontsize="x-small", padding=1)
    level_ticks(ax, "x", places, rows)
    more = f", {len(rows)} of {len(table.rows)}" if len(rows) < len(table.rows) else ""
    title = f"Likelihood of {short(table.name)} ({table.likelihood}{more}); number of training cells"
    return words(ax, title, table.name, "Probability given the class", legend="class")


def _normals(ax: Axes, table: ColumnTable, classes: list[str], date: Column | None) -> Axes:
    mean, deviation = (table.values[table.rows.index(n)] for n in ("mean", "standard deviation"))
    x = np.linspace((mean - _REACH * deviation).min(), (mean + _REACH * deviation).max(), 300)
    for k, name in enumerate(classes):
        density = stats.norm.pdf(x, mean[k], deviation[k])
        ax.plot(x, density, color=colour(k), linestyle=line(k), linewidth=1.8,
                label=f"{short(name)}: {_centre(float(mean[k]), float(deviation[k]), date)}")  # fmt: skip
        ax.fill_between(x, density, color=colour(k), alpha=0.10, linewidth=0)
    if date is not None:
        date_ticks(ax, "x", x[0], x[-1])
    title = f"Likelihood of {short(table.name)} ({table.likelihood}); mean ± standard deviation"
    return words(ax, title, table.name, "Density given the class", legend="class")


def _centre(mean: float, deviation: float, date: Column | None) -> str:
    """Mean and standard deviation, both to the same place: three digits of the deviation."""
    if date is not None:
        middle = mean if deviation < 1 else math.floor(mean)
        return f"{shown_number(date, middle).removesuffix(' 00:00')} ± {deviation:.3g} days"
    if not _PLACES[0] <= deviation < _PLACES[1]:
        return f"{mean:.3g} ± {deviation:.3g}"
    places = max(0, 2 - math.floor(math.log10(deviation)))
    return f"{mean:,.{places}f} ± {deviation:,.{places}f}"


def _densities(ax: Axes, model: Any, table: ColumnTable, classes: list[str], date: Column | None) -> Axes:
    """Kernel densities, at the numbers that the likelihood keeps and around them."""
    likelihood = next(part for part in model.likelihoods_ if table.name in part.names)
    sample = likelihood.samples[list(likelihood.names).index(table.name)]
    reach = 3 * float(np.max(table.values[table.rows.index("bandwidth")]))
    x = np.linspace(sample.values.min() - reach, sample.values.max() + reach, 300)
    density = np.exp(likelihood._log_prob(sample, x))
    for k, name in enumerate(classes):
        ax.plot(x, density[:, k], color=colour(k), linestyle=line(k), linewidth=1.8, label=short(name))
        ax.fill_between(x, density[:, k], color=colour(k), alpha=0.10, linewidth=0)
    if date is not None:
        date_ticks(ax, "x", x[0], x[-1])
    title = f"Likelihood of {short(table.name)} ({table.likelihood})"
    return words(ax, title, table.name, "Density given the class", legend="class")


@drawing
def bayes_product(
    model: Any,
    X: Any = None,
    row: int = 0,
    *,
    most: int = 12,
    ax: Axes | None = None,
) -> Axes:
    """P(c) times p(x_j | c) of each column of one row: the factors, the product so far, and the posterior at the end.

    Parameters
    ----------
    model : NaiveBayes or BayesProduct
        Fitted; any of mercer's naive Bayes classifiers; or the product of one row.
    X : array, data frame, mapping or Table, optional
        Rows, of a model.
    row : int, default 0
        Which of them.
    most : int, default 12
        Most columns written out, those whose factors differ most between the classes; the others are one factor.
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> rows = {"sky": ["blue", "blue", "grey"], "rain": ["no", "yes", "yes"]}
    >>> ax = mercer.plot.bayes_product(mercer.NaiveBayes().fit(rows, ["play", "play", "stay"]), rows, row=2)
    >>> ax.get_title(loc="left").splitlines()[1]
    '0.333 × 0.667 × 0.667 = 0.148'
    """
    product = model if isinstance(model, BayesProduct) else _product(model, X, row)
    product = _shortened(product, most)
    best = int(np.argmax(product.posteriors[-1]))
    n_steps, n_classes = product.factors.shape
    ax = axes(ax, (2.6 + 1.5 * n_classes, 1.3 + 0.3 * (n_steps + 2)))
    from matplotlib.transforms import Bbox  # noqa: PLC0415

    ax.axis("off")
    cells = [
        [f"{product.factors[i, c]:.3g}   ({product.products[i, c]:.3g})" for c in range(n_classes)]
        for i in range(n_steps)
    ]
    cells.append([f"{p:.4g}" for p in product.posteriors[-1]])
    table = ax.table(
        cellText=cells, rowLabels=[*map(_step, product.steps), "posterior"],
        colLabels=[short(c, 18) for c in product.classes], cellLoc="center", bbox=Bbox.unit(),
    )  # fmt: skip
    table.auto_set_font_size(False)
    room, (across, up, letters) = ax.get_window_extent(), _CELL
    table.set_fontsize(letters * min(
        1.0, room.height / (up * (n_steps + 2) * ax.figure.dpi), room.width / (across * n_classes * ax.figure.dpi)
    ))  # fmt: skip
    for (i, j), cell in table.get_celld().items():
        cell.set_linewidth(0.4)
        cell.set_text_props(color=INK)  # cells are light in every style
        if j == best and i >= 0:
            cell.set_facecolor(tint(best))
        if i in (0, n_steps + 1):
            cell.set_text_props(weight="bold")
    written = " × ".join(f"{f:.3g}" for f in product.factors[:, best])
    said = f"{written} = {product.products[-1, best]:.3g}"
    title = f"{short(product.classes[best])} by its factors; the product so far is in brackets\n{said}"
    return words(ax, title)


def _step(words: str) -> str:
    name, _, cell = words.partition(" = ")
    return short_cell(name, cell, 32) if cell else short(words, 32)


def _product(model: Any, X: Any, row: int) -> BayesProduct:
    if X is None:
        raise MercerError("A model needs a row: give X, and row where it is not the first.")
    return computed_product(model, X, row)


def _shortened(product: BayesProduct, most: int) -> BayesProduct:
    """The columns whose factors differ most, in their order, and one factor for all others."""
    if len(product.steps) - 1 <= most:
        return product
    logs = product.logs[1:]
    order = np.argsort(-(logs.max(axis=1) - logs.min(axis=1)), kind="stable")
    kept, rest = np.sort(order[:most]), order[most:]
    joined = np.vstack([product.logs[:1], logs[kept], logs[rest].sum(axis=0)])
    steps = (product.steps[0], *(product.steps[1 + i] for i in kept), counted(len(rest), "other column"))
    return BayesProduct(product.classes, steps, np.exp(joined), joined)

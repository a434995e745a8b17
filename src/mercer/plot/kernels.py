"""Kernels: the matrix of similarities of rows sorted by class, and similarity as a function of distance and width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.kernels import RBF, Kernel, Laplacian, Matern, RationalQuadratic, as_kernel
from mercer.plot.scores import labels
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import SHADES, colour, line
from mercer.plot.style.labels import level_ticks, short, words
from mercer.table import Table, read_table
from mercer.table.estimator import is_array, prediction_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ROWS = 1000
_FEW_LINES = 4  # whose names find room between the lines


@drawing
def kernel_matrix(
    kernel: Any,
    X: Any,
    y: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """K_ij = k(x_i, x_j), rows sorted by class: classes that the kernel tells apart are light blocks on the diagonal.

    Parameters
    ----------
    kernel : Kernel, str or estimator
        A kernel, fitted or not, the name of one, or a fitted kernel machine whose kernel is taken.
    {rows}
    y : array of shape (n_rows,), optional
        Their classes, or numbers to sort by; None keeps the order of the rows.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If there is no such kernel.

    Examples
    --------
    >>> import mercer
    >>> ax = mercer.plot.kernel_matrix("rbf", {"age": [20, 60, 25, 70]}, ["young", "old", "young", "old"])
    >>> ax.images[0].get_array().shape
    (4, 4)
    """
    kernel, table = _fitted(kernel, X)
    order, names, ends = _sorted(y, len(table))
    if len(order) > _MOST_ROWS:  # evenly spaced, so that classes keep their shares
        order, names, ends = _thinned(order, names, ends)
    rows = table.take(order)
    gram = np.asarray(kernel.gram(rows), dtype=float)
    ax = axes(ax, (5.4, 4.6))
    image = ax.imshow(gram, cmap=SHADES, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="Similarity k(a, b)", shrink=0.85)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color="white", linewidth=1.2)
        ax.axvline(end - 0.5, color="white", linewidth=1.2)
    if names:
        middles = (np.append(0, ends[:-1]) + ends - 1) / 2
        for which in ("x", "y"):
            level_ticks(ax, which, middles, names)
    by = "sorted by class" if names else "in their order" if y is None else "sorted by target"
    of = "" if len(rows) == len(table) else f" of {len(table):,}"
    return words(ax, f"Kernel matrix of {len(rows):,}{of} rows", f"Rows, {by}", f"Rows, {by}")


def _table(X: Any) -> Table:
    return read_table(np.asarray(X) if is_array(X) and not hasattr(X, "tocsr") else X)


def _fitted(kernel: Any, X: Any) -> tuple[Kernel, Table]:
    """The kernel, fitted, and the rows as it compares them: a machine's with the columns that it has learned from."""
    if hasattr(kernel, "fit") and not isinstance(kernel, Kernel):
        check_is_fitted(kernel)
        if not isinstance(getattr(kernel, "kernel_", None), Kernel):
            raise MercerError(f"{type(kernel).__name__} has no kernel. Give a Kernel, its name, or a kernel machine.")
        return kernel.kernel_, kernel.missing_indicators_.apply(prediction_table(kernel, X))
    table = _table(X)
    if isinstance(kernel, Kernel):
        return kernel if hasattr(kernel, "schema_") else clone(kernel).fit(table), table
    return as_kernel(kernel, table.schema).fit(table), table


def _sorted(y: Any, n_rows: int) -> tuple[Any, list[str], Any]:
    """Order of the rows, names of the classes, and the place where each ends."""
    if y is None:
        return np.arange(n_rows), [], np.empty(0, dtype=int)
    target = np.asarray(y)
    labels(target, np.empty((n_rows, 1)))
    if target.dtype.kind == "f" and len(np.unique(target)) > 20:
        return np.argsort(target, kind="stable"), [], np.empty(0, dtype=int)
    classes, codes = np.unique(target.astype(str), return_inverse=True)
    return np.argsort(codes, kind="stable"), list(classes), np.cumsum(np.bincount(codes))


def _thinned(order: Any, names: list[str], ends: Any) -> tuple[Any, list[str], Any]:
    kept = np.linspace(0, len(order) - 1, _MOST_ROWS).astype(int)
    return order[kept], names, np.searchsorted(kept, ends)


@drawing
def kernel_shapes(
    kernels: Kernel | Sequence[Kernel] | None = None,
    widths: Sequence[float] = (1.0,),
    *,
    reach: float = 3.0,
    ax: Axes | None = None,
) -> Axes:
    """k(0, d / width) over the distance d: how fast rows stop being alike, for each kernel and width.

    Parameters
    ----------
    kernels : Kernel or sequence of Kernel, optional
        Kernels on numbers; None for RBF, Laplacian, Matern and RationalQuadratic of unit width.
    widths : sequence of float, default (1.0,)
        Factors on the distance at which each kernel has its value, above 0.
    reach : float, default 3.0
        Largest distance drawn, above 0.
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If a width is not above 0.

    Examples
    --------
    >>> import mercer
    >>> from mercer.kernels import RBF
    >>> ax = mercer.plot.kernel_shapes(RBF(gamma=0.5), widths=[0.5, 1, 2])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['RBF(gamma=0.5), width 0.5', 'RBF(gamma=0.5), width 1', 'RBF(gamma=0.5), width 2']
    """
    if not len(widths) or min(widths) <= 0 or reach <= 0:
        raise MercerError(f"widths={list(widths)!r} and reach={reach!r} must be above 0.")
    given = _usual() if kernels is None else [kernels] if isinstance(kernels, Kernel) else list(kernels)
    if not given:
        raise BadTable("There is no kernel to draw.")
    ax, distance = axes(ax), np.linspace(0, reach, 200)
    drawn = [(kernel, width) for kernel in given for width in widths]
    for k, (kernel, width) in enumerate(drawn):
        name = repr(kernel) + (f", width {width:g}" if len(widths) > 1 or width != 1 else "")
        ax.plot(
            distance, _similarity(kernel, distance / width), color=colour(k), linestyle=line(k), linewidth=1.8,
            label=short(name, 44),
        )  # fmt: skip
    ax.set_xlim(0, reach)
    place = "beside" if len(drawn) > _FEW_LINES else "upper right"
    return words(ax, "Similarity by distance", "Distance of two rows", "Similarity k(a, b)", legend=True, place=place)


def _usual() -> list[Kernel]:
    return [RBF(gamma=0.5), Laplacian(gamma=1.0), Matern(), RationalQuadratic()]


def _similarity(kernel: Kernel, distance: Floats) -> Floats:
    rows = distance[:, None]
    fitted = clone(kernel).fit(rows)
    return np.asarray(fitted.gram(np.zeros((1, 1)), rows), dtype=float)[0]

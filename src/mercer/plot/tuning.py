"""How a score goes with parameters and with the number of rows: tuning surface, learning and validation curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.evaluation.assessment.score_curves import LearningCurve, ValidationCurve
from mercer.evaluation.intervals import Score
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import SHADES, colour, line, marker, on_shade
from mercer.plot.style.labels import words
from mercer.plot.style.marks import band
from mercer.select.tuning_result import AXES, Tuning, TuningPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDE = 50.0  # times the fewest rows: beyond, few and many are told apart on a logarithmic axis alone
_MOST_NUMBERS = 64  # cells that carry their number
_WORDS = {"C": "Cost C", "gamma": "Inverse width gamma", "epsilon": "Half width of the tube, epsilon", "nu": "nu"}


@drawing
def tuning_surface(
    source: Any,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Mean score at each point of a search: a surface over two parameters, or a line over one.

    A star marks the best point, a circle the simplest within one standard error of it; points rejected early are
    crossed. Of more than two parameters, the best over the others is drawn.

    Parameters
    ----------
    source : Tuning or estimator
        What `mercer.tune` found, or a model fitted with a parameter "cv".
    {ax}

    Returns
    -------
    {axes}

    Raises
    ------
    MercerError
        If nothing was searched.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.SVC(C="cv", gamma="cv", grid=mercer.Grid(C=[0.1, 1, 10], gamma=[0.01, 0.1, 1])).fit(X, y)
    >>> ax = mercer.plot.tuning_surface(model)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Cost C', 'Inverse width gamma')
    """
    found = source if isinstance(source, Tuning) else getattr(source, "tuning_", None)
    if not isinstance(found, Tuning):
        raise MercerError(f"A {type(source).__name__} holds no search. Give a Tuning, or a model fitted with C='cv'.")
    names = [name for name in AXES if name in found.names and not isinstance(getattr(found.best, name), str)]
    names = [n for n in names if len({getattr(p, n) for p in found.points}) > 1] or names[:1]
    if not names:
        raise MercerError("The search had no parameter that is a number: there is nothing to draw.")
    ax = axes(ax)
    if len(names) == 1:
        return _one(ax, found, names[0])
    return _two(ax, found, "C" if "C" in names else names[0], names[-1])


def _one(ax: Axes, found: Tuning, name: str) -> Axes:
    points = _best_over_others(found, (name,))
    x = np.array([float(getattr(p, name)) for p in points])
    mean = np.array([p.mean for p in points])
    error = np.nan_to_num([p.standard_error for p in points])
    ax.errorbar(
        x, mean, yerr=error, color=colour(0), marker=marker(0), capsize=3, label="mean of the folds ± standard error"
    )
    _log(ax, "x", x)
    best, simple = found.best, found.points[found.one_standard_error]
    _mark(ax, getattr(best, name), best.mean, getattr(simple, name), simple.mean)
    return words(ax, f"Search over {name}", _WORDS[name], f"Score: {found.scoring}", legend=True)


def _two(ax: Axes, found: Tuning, across: str, up: str) -> Axes:
    points = _best_over_others(found, (across, up))
    x, y = (sorted({float(getattr(p, n)) for p in points}) for n in (across, up))
    mean, rejected = np.full((len(y), len(x)), np.nan), np.zeros((len(y), len(x)), dtype=bool)
    for p in points:
        at = y.index(float(getattr(p, up))), x.index(float(getattr(p, across)))
        mean[at], rejected[at] = p.mean, p.rejected
    image = ax.pcolormesh(_borders(x), _borders(y), np.ma.masked_invalid(mean), cmap=SHADES)
    ax.figure.colorbar(image, ax=ax, label=f"Score: {found.scoring}")
    _log(ax, "x", np.array(x))
    _log(ax, "y", np.array(y))
    if rejected.any():
        grid_y, grid_x = np.nonzero(rejected)
        ax.plot(np.array(x)[grid_x], np.array(y)[grid_y], "x", color="white", markersize=4, label="rejected early")
    best, simple = found.best, found.points[found.one_standard_error]
    _mark(ax, getattr(best, across), getattr(best, up), getattr(simple, across), getattr(simple, up))
    if mean.size <= _MOST_NUMBERS:
        _write(ax, x, y, mean)
    return words(ax, f"Search over {across} and {up}", _WORDS[across], _WORDS[up], legend=True, place="below")


def _write(ax: Axes, x: list[float], y: list[float], mean: Floats) -> None:
    """The score in each cell, below where a mark may be."""
    low, high = float(np.nanmin(mean)), float(np.nanmax(mean))
    for i, j in zip(*np.nonzero(np.isfinite(mean)), strict=True):
        share = (mean[i, j] - low) / (high - low) if high > low else 1.0
        ax.annotate(
            f"{mean[i, j]:.3f}", (x[j], y[i]), xytext=(0, -11), textcoords="offset points", ha="center", va="center",
            fontsize="xx-small", color=on_shade(share),
        )  # fmt: skip


def _best_over_others(found: Tuning, names: tuple[str, ...]) -> list[TuningPoint]:
    """For each combination of these parameters the point with the best mean."""
    best: dict[tuple[float, ...], TuningPoint] = {}
    for point in found.points:
        key = tuple(float(getattr(point, n)) for n in names)
        if key not in best or not point.mean <= best[key].mean:
            best[key] = point
    return [best[key] for key in sorted(best)]


def _mark(ax: Axes, x: Any, y: Any, simple_x: Any, simple_y: Any) -> None:
    ax.plot([x], [y], "*", color=colour(3), markeredgecolor="white", markersize=14, label="best")
    ax.plot(
        [simple_x], [simple_y], "o", markerfacecolor="none", markeredgecolor=colour(3), markeredgewidth=2,
        markersize=11, label="simplest within one standard error",
    )  # fmt: skip


def _log(ax: Axes, which: str, values: Floats) -> None:
    if values.min() > 0 and values.max() >= 10 * values.min():
        getattr(ax, f"set_{which}scale")("log")


def _borders(values: list[float]) -> Floats:
    """Where the cells around these values end: halfway, in logarithms where those are even."""
    if len(values) == 1:
        return np.array([values[0] * 0.9, values[0] * 1.1]) if values[0] else np.array([-0.5, 0.5])
    logs = values[0] > 0 and values[-1] >= 10 * values[0]
    at = np.log(values) if logs else np.array(values)
    half = np.diff(at) / 2
    edges = np.concatenate([[at[0] - half[0]], at[:-1] + half, [at[-1] + half[-1]]])
    return np.exp(edges) if logs else edges


@drawing
def learning_curve(
    source: Any,
    training: Any = None,
    test: Any = None,
    *,
    score: str = "Score",
    ax: Axes | None = None,
) -> Axes:
    """Score on training and on test rows over the number of training rows: would more rows help?

    Parameters
    ----------
    source : LearningCurve, or array of shape (n_sizes,)
        What `mercer.learning_curve` found, or numbers of training rows, as scikit-learn's `learning_curve` gives them.
    training : array of shape (n_sizes, n_folds), optional
        Scores on the training rows, where `source` is an array.
    test : array of shape (n_sizes, n_folds), optional
        Scores on the test rows.
    score : str, default "Score"
        Name of the score.
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> ax = mercer.plot.learning_curve([50, 100], [[0.99, 0.98], [0.97, 0.96]], [[0.80, 0.84], [0.88, 0.90]])
    >>> ax.lines[1].get_ydata().round(2).tolist()
    [0.82, 0.89]
    """
    if isinstance(source, LearningCurve):
        lines = _Lines.of_scores(source.sizes, source.metric.title, "Training rows", source)
    else:
        lines = _Lines.of_folds(source, score, "Training rows", training, test)
    return lines.draw(ax, "Learning curve", logs=False)


@drawing
def validation_curve(
    source: Any,
    training: Any = None,
    test: Any = None,
    *,
    parameter: str = "Parameter",
    score: str = "Score",
    ax: Axes | None = None,
) -> Axes:
    """Score on training and on test rows over a parameter: where they part, the model begins to overfit.

    Parameters
    ----------
    source : ValidationCurve, or array of shape (n_values,)
        What `mercer.validation_curve` found, or values of the parameter.
    training : array of shape (n_values, n_folds), optional
        Scores on the training rows, where `source` is an array.
    test : array of shape (n_values, n_folds), optional
        Scores on the test rows.
    parameter : str, default "Parameter"
        Name of the parameter.
    score : str, default "Score"
        Name of the score.
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> ax = mercer.plot.validation_curve([0.1, 1, 10], [0.8, 0.9, 1.0], [0.7, 0.8, 0.75], parameter="C")
    >>> ax.get_xlabel(), ax.get_xscale()
    ('C', 'log')
    """
    if isinstance(source, ValidationCurve):
        lines = _Lines.of_scores(source.values, source.metric.title, source.parameter, source)
    else:
        lines = _Lines.of_folds(source, score, parameter, training, test)
    return lines.draw(ax, "Validation curve", logs=True)


@dataclass(frozen=True)
class _Lines:
    """Mean score and a band on training and on test rows, at values of something."""

    values: Any
    score: str
    what: str
    means: tuple[Floats, Floats]
    ends: tuple[tuple[Floats, Floats], ...] | None  # (low, high) of each; None for one fold
    about: str  # what the band is

    @classmethod
    def of_scores(cls, values: Any, score: str, what: str, curve: LearningCurve | ValidationCurve) -> _Lines:
        """Of a result: means with their intervals; NaN where a score is not defined."""

        def column(name: str, part: tuple[Score, ...]) -> Floats:
            return np.array([getattr(s, name) for s in part], dtype=float)

        parts = (curve.train, curve.test)
        means = tuple(column("value", p) for p in parts)
        ends = tuple((column("low", p), column("high", p)) for p in parts)
        return cls(values, score, what, (means[0], means[1]), ends, f"{curve.level:.0%} interval")

    @classmethod
    def of_folds(cls, values: Any, score: str, what: str, training: Any, test: Any) -> _Lines:
        """Of scores by fold: means and standard deviations."""
        parts = []
        for name, given in (("training", training), ("test", test)):
            if given is None:
                raise MercerError("Give the scores on training and on test rows, or a result that holds them.")
            scores = np.asarray(given, dtype=float)
            parts.append(scores[:, None] if scores.ndim == 1 else scores)
            if len(parts[-1]) != len(values):
                raise BadTable(f"{len(values)} values, but scores of the {name} rows for {len(parts[-1])}.")
        means = [p.mean(axis=1) for p in parts]
        if parts[1].shape[1] < 2:
            return cls(values, score, what, (means[0], means[1]), None, "")
        spreads = [p.std(axis=1, ddof=1) if p.shape[1] > 1 else np.zeros(len(p)) for p in parts]
        ends = tuple((m - s, m + s) for m, s in zip(means, spreads, strict=True))
        return cls(values, score, what, (means[0], means[1]), ends, "standard deviation")

    def draw(self, ax: Axes | None, title: str, *, logs: bool) -> Axes:
        """Both lines with their bands."""
        ax, values = axes(ax), np.asarray(self.values)
        numeric = values.dtype.kind in "iuf"
        x = values.astype(float) if numeric else np.arange(len(values), dtype=float)
        for k, (name, mean) in enumerate(zip(("training rows", "test rows"), self.means, strict=True)):
            ax.plot(x, mean, color=colour(k), linestyle=line(k), marker=marker(k), markersize=5, label=name)
            if self.ends is not None:
                band(ax, x, *self.ends[k], k)
        if numeric and (logs or x.max() >= _WIDE * max(x.min(), 1e-300)):
            _log(ax, "x", x)
        elif not numeric:
            ax.set_xticks(x, [str(v) for v in self.values])
        about = f": mean of the folds and {self.about}" if self.ends is not None else ""
        return words(ax, title + about, self.what, self.score, legend=True)

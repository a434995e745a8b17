"""Curves of a classifier over its thresholds: ROC, precision and recall, calibration; the confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import metrics
from sklearn.utils.validation import check_is_fitted

from mercer.errors import MercerError
from mercer.evaluation import curves as computed
from mercer.evaluation.assessment.labels import label_names, names_as_known
from mercer.evaluation.curves import Bin, Curve
from mercer.evaluation.uncertainty.areas import auc_interval, precision_interval
from mercer.plot.scores import ClassScore, class_scores, expect_model, expect_rows, held, labels, parts_of
from mercer.plot.style.canvas import axes, drawing
from mercer.plot.style.colours import GUIDE, SHADES, colour, line, marker, on_shade
from mercer.plot.style.labels import level_ticks, short, words
from mercer.plot.style.marks import band
from mercer.select.auc import Ranked
from mercer.table.formats.containers import as_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW_CLASSES = 15  # of a confusion matrix whose cells hold shares too


@drawing
def roc_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    band: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """True positive rate over false positive rate, a point per threshold; the area is the ROC AUC.

    Parameters
    ----------
    {source}
    {X_optional}
    {y_optional}
    {label}
    {level}
    {band}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = mercer.NaiveBayes().fit(X[::2], y[::2])
    >>> ax = mercer.plot.roc_curve(model, X[1::2], y[1::2])
    >>> len(ax.get_legend().get_texts())  # a curve for each class, and random guessing
    4
    """
    found = held(source, "roc", Curve)
    ax = axes(ax, (5.0, 4.6))
    if found is not None:
        for k, one in enumerate(found):
            _line(ax, one.x, one.y, _named(one.label), k)
            _band(ax, one, k, band)
    else:
        for k, part in enumerate(class_scores(source, X, y, label)):
            false, true, _ = metrics.roc_curve(part.positive, part.score)
            area = auc_interval(part.positive, part.score, level)
            _line(ax, false, true, _named(part.label, "area", area), k)
            if band:
                _band(ax, computed.roc_curve(part.positive, part.score, part.label, 0, level), k, band)
    ax.plot([0, 1], [0, 1], color=GUIDE, linestyle=":", linewidth=1, label="random guessing")
    return _unit_square(ax, "ROC curve", "False positive rate", "True positive rate (recall)", "lower right")


@drawing
def precision_recall_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    band: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Precision over recall, a point per threshold; dotted, the precision of calling every row positive.

    Parameters
    ----------
    {source}
    {X_optional}
    {y_optional}
    {label}
    {level}
    {band}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = mercer.NaiveBayes().fit(X[::2], y[::2])
    >>> ax = mercer.plot.precision_recall_curve(model, X[1::2], y[1::2], label=1)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Recall', 'Precision')
    """
    found = held(source, "precision_recall", Curve)
    ax = axes(ax, (5.0, 4.6))
    if found is not None:
        for k, one in enumerate(found):
            _line(ax, one.x, one.y, _named(one.label), k)
            _band(ax, one, k, band)
    else:
        for k, part in enumerate(class_scores(source, X, y, label)):
            _precision_recall(ax, part, k, level, band)
    return _unit_square(ax, "Precision and recall", "Recall", "Precision", "lower left")


def _precision_recall(ax: Axes, part: ClassScore, k: int, level: float, band: bool) -> None:
    precision, recall, _ = metrics.precision_recall_curve(part.positive, part.score)
    score = precision_interval(Ranked(part.positive, part.score), level)
    _line(ax, recall, precision, _named(part.label, "average precision", score), k, drawstyle="steps-post")
    if band:
        _band(ax, computed.precision_recall_curve(part.positive, part.score, part.label, 0, level), k, band)
    ax.axhline(
        float(part.positive.mean()), color=colour(k), linestyle=":", linewidth=1,
        label="every row called positive" if k == 0 else None,
    )  # fmt: skip


@drawing
def calibration_curve(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Observed share over predicted probability in ten bins of equally many rows, with Wilson intervals.

    Parameters
    ----------
    source : estimator, Evaluation, Diagnostics or sequence of Bin
        A fitted classifier with `predict_proba`, or a result that holds its calibration.
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
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = mercer.NaiveBayes().fit(X[::2], y[::2])
    >>> ax = mercer.plot.calibration_curve(model, X[1::2], y[1::2], label=2)
    >>> ax.get_title(loc="left")
    'Calibration'
    """
    found = held(source, "calibration", Bin)
    ax = axes(ax, (5.0, 4.6))
    parts = [] if found is not None else class_scores(source, X, y, label)
    if any(part.unit != "probability" for part in parts):
        raise MercerError(f"{type(source).__name__} has no predict_proba: calibration is of probabilities.")
    ax.plot([0, 1], [0, 1], color=GUIDE, linestyle=":", linewidth=1, label="perfect calibration")
    groups = [("", found)] if found is not None else [
        (part.label, computed.calibration(part.positive, part.score, level)) for part in parts
    ]  # fmt: skip
    for k, (name, bins) in enumerate(groups):
        _bins(ax, bins, _named(name), k)
    return _unit_square(ax, "Calibration", "Mean predicted probability", "Observed share of the class", "upper left")


def _bins(ax: Axes, bins: list[Bin], name: str, k: int) -> None:
    known = [b for b in bins if b.observed is not None and b.low is not None and b.high is not None]
    x, y = [b.predicted for b in known], np.array([b.observed for b in known], dtype=float)
    span = np.abs(np.array([[b.low for b in known], [b.high for b in known]], dtype=float) - y)
    ax.errorbar(
        x, y, yerr=span, color=colour(k), marker=marker(k), linestyle=line(k), markersize=5, capsize=2, linewidth=1.3,
        elinewidth=0.9, label=name,
    )  # fmt: skip


@drawing
def confusion_matrix(
    source: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Rows of each true class (down) by the class predicted (across); shades are shares of the true class.

    Parameters
    ----------
    source : estimator, Evaluation or Diagnostics
        A fitted classifier, or a result that holds its confusion matrix.
    {X_optional}
    {y_optional}
    {ax}

    Returns
    -------
    {axes}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> ax = mercer.plot.confusion_matrix(mercer.NaiveBayes().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['0', '1', '2']
    """
    names, counts = _confusion(source, X, y)
    size = min(9.0, 3.0 + 0.6 * len(names))
    ax = axes(ax, (size + 0.4, size))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap=SHADES, vmin=0, vmax=1)
    many = len(names) > _FEW_CLASSES
    for i, j in zip(*np.nonzero(counts), strict=True) if many else np.ndindex(*counts.shape):
        text = f"{counts[i, j]:,}" + ("" if many else f"\n{shares[i, j]:.0%}")
        ax.text(
            j, i, text, ha="center", va="center", color=on_shade(shares[i, j]),
            fontsize=8.3 * min(1.0, 2 * _FEW_CLASSES / len(names)),
        )  # fmt: skip
    for which in ("x", "y"):
        level_ticks(ax, which, range(len(names)), names, 16)
    right = np.trace(counts) / max(1, counts.sum())
    title = f"Confusion matrix: {right:.1%} of {counts.sum():,} rows right"
    return words(ax, title, "Class predicted", "True class")


def _confusion(source: Any, X: Any, y: Any) -> tuple[list[str], Any]:
    for part in parts_of(source):
        if getattr(part, "confusion", None):
            return [c.label for c in part.classes], np.asarray(part.confusion)
    expect_model(source, "confusion matrix")
    expect_rows(X, y)
    check_is_fitted(source)
    if not hasattr(source, "classes_"):
        raise MercerError(f"{type(source).__name__} predicts numbers; a confusion matrix needs a classifier.")
    known = label_names(source.classes_)
    predicted = names_as_known(label_names(np.ravel(source.predict(as_rows(X)))), known)
    truth = labels(y, predicted, known)
    names = known + sorted(set(truth) - set(known))
    return names, metrics.confusion_matrix(truth, predicted, labels=names)


def _named(label: str, what: str = "", score: Any = None) -> str:
    name = f"class {short(label)}" if label else "predicted class"
    if score is None or score.value is None:
        return name
    interval = f" ({score.low:.2f} to {score.high:.2f})" if score.low is not None else ""
    return f"{name}: {what} {score.value:.2f}{interval}"


def _line(ax: Axes, x: Any, y: Any, name: str, k: int, **more: Any) -> None:
    ax.plot(x, y, color=colour(k), linestyle=line(k), linewidth=1.8, label=name, **more)


def _band(ax: Axes, curve: Curve, k: int, wanted: bool) -> None:
    if wanted:
        band(ax, curve.x, curve.low, curve.high, k)


def _unit_square(ax: Axes, title: str, x: str, y: str, place: str) -> Axes:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal", adjustable="box")
    return words(ax, title, x, y, legend=True, place=place)

"""The plots of the report, each from plain data of the result."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from markupsafe import Markup

from mercer.formatting import amount, percent, short
from mercer.report.svg import DATED, LARGE, Axes, Size
from mercer.table.display.dates import day_ticks

Data = dict[str, Any]


def roc(curves: list[Data], area: float | None) -> Markup:
    """True positive rate over false positive rate, against the diagonal of guessing."""
    about = f"ROC curve, area {area:.3f}" if area is not None else "ROC curve"
    axes = Axes(about, (0, 1), (0, 1), "False positive rate", "True positive rate (recall)")
    axes.line([(0, 0), (1, 1)], "reference")
    _curves(axes, curves, start=(0, 0))
    axes.text(0.64, 0.585, "guessing", "note")
    if area is not None and len(curves) == 1:
        axes.text(0.97, 0.07, f"area {area:.3f}", "value c0", "end")
    return axes.render()


def precision_recall(curves: list[Data], share: float | None, average: float | None) -> Markup:
    """Precision over recall, against the share of positives."""
    about = f"Precision-recall curve, average precision {average:.3f}" if average is not None else "Precision-recall"
    axes = Axes(about, (0, 1), (0, 1), "Recall", "Precision")
    if share is not None and len(curves) == 1:
        axes.line([(0, share), (1, share)], "reference")
        axes.text(0.02, share + (0.02 if share < 0.85 else -0.06), f"guessing {share:.3f}", "note")
    _curves(axes, curves)
    if average is not None and len(curves) == 1:
        free = (0.5, 0.45, "middle") if average > 0.7 else (0.97, 0.93, "end")  # where the curve is not
        axes.text(*free[:2], f"average precision {average:.3f}", "value c0", free[2])
    return axes.render()


def _curves(axes: Axes, curves: list[Data], start: tuple[float, float] | None = None) -> None:
    known = [c for c in curves if None not in c["y"]]
    for i, curve in enumerate(known):
        if len(known) == 1 and None not in curve["low"]:
            axes.band(curve["x"], curve["low"], curve["high"], f"c{i}")
    for i, curve in enumerate(known):
        points = list(zip(curve["x"], curve["y"], strict=True))
        axes.line([start, *points] if start else points, f"curve c{i}")


def calibration(bins: list[Data], about: str) -> Markup:
    """Predicted probability against the observed share; on the diagonal the probabilities are exact."""
    axes = Axes(
        f"Calibration: {about}, predicted against observed in {len(bins)} groups",
        (0, 1),
        (0, 1),
        "Predicted probability",
        "Observed share",
    )
    axes.line([(0, 0), (1, 1)], "reference")
    axes.text(0.64, 0.585, "perfect", "note")
    for b in bins:
        axes.line([(b["predicted"], b["low"]), (b["predicted"], b["high"])], "whisker c0")
    axes.line([(b["predicted"], b["observed"]) for b in bins], "curve thin c0")
    for b in bins:
        axes.dot(b["predicted"], b["observed"], "dot c0", 4)
    return axes.render()


def separation(counts: Data, positive: str) -> Markup:
    """Histograms of the predicted probability: positive rows (above) and the others (below)."""
    edges = counts["edges"]
    sides = [("positive", 1, "c1"), ("others", -1, "c0")]
    shares = {key: [n / max(sum(counts[key]), 1) for n in counts[key]] for key, _, _ in sides}
    top = max(max(s) for s in shares.values()) * 1.15
    axes = Axes(
        f"Predicted probability of {short(positive, 30)} for the rows of either class",
        (0, 1),
        (-top, top),
        f"Predicted probability of {short(positive, 30)}",
        "Share of the rows of the class",
    )
    for key, sign, style in sides:
        for left, right, share in zip(edges[:-1], edges[1:], shares[key], strict=True):
            axes.bar(left, right, sign * share, f"bar {style}")
    axes.line([(0, 0), (1, 0)], "zero")
    axes.text(0.5, top * 0.86, short(positive, 30), "value c1", "middle")
    axes.text(0.5, -top * 0.9, f"not {short(positive, 30)}", "value c0", "middle")
    return axes.render(y_ticks=False)


def scatter(residuals: Data, target: Data) -> Markup:
    """Actual over predicted, dates as dates; on the diagonal the prediction is exact."""
    actual, predicted = residuals["actual"], residuals["predicted"]
    low, high = min(*actual, *predicted), max(*actual, *predicted)
    pad = (high - low) * 0.02 or 1.0
    span = (low - pad, high + pad)
    name = short(target["name"], 30)
    marks = day_ticks(*span) if target.get("date_unit") else None
    named = f"Actual against predicted {name}", span, span, f"Predicted {name}", f"Actual {name}"
    axes = Axes(*named, size=LARGE if marks is None else DATED, x_ticks=marks, y_ticks=marks)
    for p, a in zip(predicted, actual, strict=True):
        axes.dot(p, a, "speck c0", 2.2)
    axes.line([(span[0], span[0]), (span[1], span[1])], "reference")
    return axes.render()


def residual_histogram(residuals: Data, target: Data) -> Markup:
    """A histogram of actual minus predicted."""
    edges, counts = residuals["edges"], residuals["counts"]
    axes = Axes(
        "Histogram of actual minus predicted",
        (edges[0], edges[-1]),
        (0, max(counts) * 1.18),
        f"Actual minus predicted {short(target['name'], 30)}{', days' if target.get('date_unit') else ''}",
        "Rows",
    )
    for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
        axes.bar(left, right, count, "bar c0")
    if edges[0] < 0 < edges[-1]:
        axes.line([(0, 0), (0, axes.y[1])], "reference")
    middle = residuals["quantiles"]
    axes.text(
        edges[0] + 0.02 * (edges[-1] - edges[0]),
        axes.y[1] * 0.95,
        f"half within {amount(middle['25 %'])} to {amount(middle['75 %'])}",
        "note",
    )
    return axes.render()


def k_curve(curve: list[tuple[int, float]], chosen: int, what: str) -> Markup:
    """The score of every number of neighbours, and the one chosen."""
    return _chosen_place(curve, chosen, "number of neighbours", "Neighbours (k)", what.capitalize())


def trajectory(scores: list[float], size: int, what: str) -> Markup:
    """The score of an ensemble after each model that was added, and the size chosen."""
    curve = list(enumerate(scores, 1))
    return _chosen_place(curve, size, "number of models added", "Models added", what)


def _chosen_place(curve: list[tuple[int, float]], chosen: int, by: str, x_label: str, y_label: str) -> Markup:
    """A curve over whole numbers with a dot at the one chosen."""
    scores = [score for _, score in curve]
    low, high = min(scores), max(scores)
    pad = 0.06 * (high - low) or abs(high) * 0.05 or 1.0
    kept = next(score for k, score in curve if k == chosen)
    title = f"{y_label} by {by}; {chosen} chosen with {amount(kept)}"
    size = Size(left=76)  # ticks of a narrow range have five figures
    axes = Axes(title, (0, curve[-1][0]), (low - pad, high + pad), x_label, y_label, size=size)
    axes.line(curve, "curve c0")
    axes.dot(chosen, kept, "dot c1", 5)
    return axes.render()


def cost_curve(curve: Data, chosen: float) -> Markup:
    """Mean cost of a row over the threshold; the one chosen, and 0.5."""
    x, y = curve["x"], curve["y"]
    top = 1.08 * max(curve["high"])
    axes = Axes(
        f"Cost of a row by threshold; {amount(_at(curve, chosen))} at {chosen:.3g}, {amount(_at(curve, 0.5))} at 0.5",
        (0, 1),
        (0, top or 1.0),
        "Threshold",
        "Cost of a row",
    )
    axes.band(x, curve["low"], curve["high"], "c0")
    axes.line(list(zip(x, y, strict=True)), "curve c0")
    for value, style in ((0.5, "c2"), (chosen, "c1")):
        axes.line([(value, 0), (value, top)], "reference")
        axes.dot(value, _at(curve, value), f"dot {style}", 5)
    axes.text(min(chosen + 0.02, 0.62), 0.94 * top, f"chosen {chosen:.3g}", "value c1")
    if abs(chosen - 0.5) > 0.25:
        axes.text(0.52, 0.05 * top, f"0.5: {amount(_at(curve, 0.5))}", "value c2")
    return axes.render()


def gains(curve: Data, decided: Data, name: str) -> Markup:
    """Share of the positive rows found over the share of rows called positive; the decision as a dot."""
    flagged, found = decided["flagged"], decided["recall"] or 0.0
    about = f"Gains: {percent(found)} of {name} among the {percent(flagged)} of rows called so"
    axes = Axes(about, (0, 1), (0, 1), f"Share of rows called {name}", f"Share of {name} found")
    axes.line([(0, 0), (1, 1)], "reference")
    _curves(axes, [curve])
    axes.text(0.64, 0.585, "at random", "note")
    axes.dot(flagged, found, "dot c1", 5)
    axes.text(0.97, 0.07, f"{percent(found)} found in {percent(flagged)} of the rows", "value c1", "end")
    return axes.render()


def lift(curve: Data, decided: Data, name: str) -> Markup:
    """The gains over those at random; the decision as a dot."""
    flagged, recall = decided["flagged"], decided["recall"] or 0.0
    times = recall / flagged if flagged > 0 else 0.0
    axes = Axes(
        f"Lift: {amount(times, 3)} times as many {name} as at random in the {percent(flagged)} of rows called so",
        (0, 1),
        (0, 1.05 * max(*curve["high"], times)),
        f"Share of rows called {name}",
        "Lift",
    )
    axes.line([(0, 1), (1, 1)], "reference")
    _curves(axes, [curve])
    axes.text(0.01, 1 + 0.02 * axes.y[1], "at random 1", "note")
    axes.dot(flagged, times, "dot c1", 5)
    said = f"{amount(times, 3)} times, in {percent(flagged)} of the rows"
    axes.text(0.97, 0.9 * axes.y[1], said, "value c1", "end")
    return axes.render()


def _at(curve: Data, x: float) -> float:
    """The height of a curve at a place, by straight lines."""
    places = curve["x"]
    right = min(max(bisect_left(places, x), 1), len(places) - 1)
    (a, b), (low, high) = places[right - 1 : right + 1], curve["y"][right - 1 : right + 1]
    return float(low + (high - low) * min(max((x - a) / (b - a), 0.0), 1.0))

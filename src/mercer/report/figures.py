"""The figures on the errors of the best model, each with a title and a sentence on how to read it."""

from __future__ import annotations

from typing import Any

from mercer.formatting import ended, percent, short
from mercer.report import plots
from mercer.report.sentences import kept
from mercer.report.svg import Figure

Data = dict[str, Any]


def figures(result: Data) -> list[Figure]:
    """Residuals of a regression; curves, probabilities and calibration of a classification."""
    if result["diagnostics"]["residuals"]:
        return _residual_figures(result["diagnostics"]["residuals"], result["target"])
    if result["target"]["positive"] is not None:
        return _two_class_figures(result)
    return _several_class_figures(result)


def _residual_figures(residuals: Data, target: Data) -> list[Figure]:
    return [
        Figure(
            "Actual against predicted",
            plots.scatter(residuals, target),
            "One point per held-out row. On the line, the prediction is exact.",
        ),
        Figure(
            "Residuals",
            plots.residual_histogram(residuals, target),
            "Actual minus predicted. The outermost bars include all larger errors.",
        ),
    ]


def _two_class_figures(result: Data) -> list[Figure]:
    diagnostics, target = result["diagnostics"], result["target"]
    held, positive = kept(result)["held_out"], str(target["positive"])
    line = next(c for c in diagnostics["classes"] if c["label"] == positive)
    share = line["support"] / max(sum(c["support"] for c in diagnostics["classes"]), 1e-12)
    band = f"The band holds {percent(result['level'])} of the bootstrap resamples at each point."
    found = [
        Figure(
            "Predicted probability by class",
            plots.separation(diagnostics["separation"], positive),
            "The less the two classes overlap, the better the model separates them.",
        )
    ]
    if diagnostics["roc"]:
        found.append(Figure("ROC curve", plots.roc(diagnostics["roc"], held["roc_auc"]["value"]), band))
    if diagnostics["precision_recall"]:
        average = held["average_precision"]["value"]
        svg = plots.precision_recall(diagnostics["precision_recall"], share, average)
        found.append(Figure("Precision and recall", svg, band))
    about = f"{short(target['name'], 40)} = {short(positive, 30)}"
    return found + _calibration_figure(diagnostics["calibration"], about)


def _several_class_figures(result: Data) -> list[Figure]:
    diagnostics = result["diagnostics"]
    note = "One class against all others, for the most frequent classes."
    found = []
    for title, key in (("ROC curves", "roc"), ("Precision and recall", "precision_recall")):
        curves = diagnostics[key]
        if curves:
            svg = plots.roc(curves, None) if key == "roc" else plots.precision_recall(curves, None, None)
            found.append(Figure(title, svg, note, tuple(c["label"] for c in curves)))
    return found + _calibration_figure(diagnostics["calibration"], "the class predicted")


def _calibration_figure(bins: list[Data], about: str) -> list[Figure]:
    if len(bins) < 2:
        return []
    note = f"Probability of {ended(about)} Above the line it happens more often than predicted."
    return [Figure("Calibration", plots.calibration(bins, about), note)]

"""The result of a contest as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mercer.evaluate.intervals import REPLICATES
from mercer.report import plots, words
from mercer.report.learners import sections
from mercer.report.tracks import importance_tracks, leaderboard_tracks

MOST_COLUMNS = 300  # lines of the schema table
MOST_CLASSES = 30  # lines of the class table
MOST_CONFUSED = 10  # classes of the confusion matrix; with more, the most frequent confusions are listed
MOST_NOTICES = 30
MOST_MISTAKES = 8
_HERE = Path(__file__).parent / "templates"

Data = dict[str, Any]


def render(result: Data) -> str:
    """One self-contained page from `Contest.to_dict()`: style and drawings inside, no script, no network."""
    page = _environment().get_template("page.html")
    return page.render(
        r=result,
        style=Markup((_HERE / "style.css").read_text(encoding="utf-8")),
        headline=words.headline(result),
        verdict=words.verdict(result),
        cautions=words.cautions(result),
        tiles=_tiles(result),
        board=leaderboard_tracks(result),
        scores=_scores(result),
        confusion=_confusion(result),
        figures=_figures(result),
        drivers=importance_tracks(result),
        explained=sections(result),
        shown_columns=result["columns"][:MOST_COLUMNS],
        shown_classes=_most_frequent(result["details"]["classes"], MOST_CLASSES),
        replicates=REPLICATES,
        notices=result["notices"][:MOST_NOTICES],
    )


def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "short": words.short,
        "percent": words.percent,
        "chance": words.chance,
        "amount": words.amount,
        "duration": words.duration,
    }
    found.globals |= {
        "figure": words.figure,
        "interval": words.interval,
        "counted": words.counted,
        "kinds_in_words": words.kinds_in_words,
    }
    return found


def _tiles(result: Data) -> list[Data]:
    """The figures at the top: the main metric first, then those a reader asks for next."""
    wanted = {
        "roc_auc": ["roc_auc", "average_precision", "accuracy", "positive_accuracy"],
        "accuracy": ["accuracy", "balanced_accuracy", "f1_macro", "log_loss"],
        "r2": ["r2", "rmse", "mae"],
    }[result["metric"]["key"]]
    base = _baseline(result)
    best = result["leaderboard"][0]["held_out"]
    return [
        {
            "key": key,
            "title": _metric_title(result, key),
            "meaning": result["metrics"][key]["meaning"],
            "score": best[key],
            "base": base[key]["value"] if base and not result["leaderboard"][0]["is_baseline"] else None,
        }
        for key in wanted
        if key in best
    ]


def _metric_title(result: Data, key: str) -> str:
    if key == "positive_accuracy":
        return f"Recall of {words.short(result['target']['positive'], 18)}"
    return str(result["metrics"][key]["title"])


def _baseline(result: Data) -> Data | None:
    return next((e["held_out"] for e in result["leaderboard"] if e["is_baseline"] and not e["error"]), None)


def _scores(result: Data) -> list[Data]:
    """Every metric of the best model: cross-validated, held out, on the training rows; the baseline beside it."""
    best, base = result["leaderboard"][0], _baseline(result)
    return [
        {
            "key": key,
            "title": _metric_title(result, key),
            "meaning": metric["meaning"],
            "better": "higher is better" if metric["higher_is_better"] else "lower is better",
            "cv": best["cross_validated"][key],
            "held": best["held_out"][key],
            "train": best["training"][key],
            "base": base[key]["value"] if base else None,
        }
        for key, metric in result["metrics"].items()
        if key in best["held_out"]
    ]


def _most_frequent(lines: list[Data], most: int) -> list[Data]:
    kept = sorted(range(len(lines)), key=lambda i: -lines[i]["support"])[:most]
    return [lines[i] for i in sorted(kept)]


def _confusion(result: Data) -> Data | None:
    """The most frequent classes; each cell with its share of the row's true class."""
    lines, matrix = result["details"]["classes"], result["details"]["confusion"]
    if not matrix:
        return None
    kept = sorted(sorted(range(len(lines)), key=lambda i: -lines[i]["support"])[:MOST_CONFUSED])
    rows = []
    for i in kept:
        total = max(lines[i]["support"], 1)
        cells = [{"n": matrix[i][j], "share": matrix[i][j] / total, "right": i == j} for j in kept]
        rest = lines[i]["support"] - sum(c["n"] for c in cells)
        rows.append({"label": lines[i]["label"], "cells": cells, "rest": rest, "support": lines[i]["support"]})
    labels = [lines[i]["label"] for i in kept]
    mistakes = _mistakes(lines, matrix) if len(lines) > MOST_CONFUSED else []
    return {"labels": labels, "rows": rows, "n_hidden": len(lines) - len(kept), "mistakes": mistakes}


def _mistakes(lines: list[Data], matrix: list[list[int]]) -> list[Data]:
    """The most frequent confusions, over all classes."""
    pairs = [(n, i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) if i != j and n]
    return [
        {"n": n, "true": lines[i]["label"], "called": lines[j]["label"], "share": n / lines[i]["support"]}
        for n, i, j in sorted(pairs, key=lambda pair: -pair[0])[:MOST_MISTAKES]
    ]


def _figures(result: Data) -> list[Data]:
    """Plots with a title and a sentence on how to read them."""
    if result["details"]["residuals"]:
        return _residual_figures(result["details"]["residuals"], result["target"]["name"])
    if result["target"]["positive"] is not None:
        return _two_class_figures(result)
    return _several_class_figures(result)


def _figure(title: str, svg: Markup, note: str, legend: tuple[str, ...] = ()) -> Data:
    return {"title": title, "svg": svg, "note": note, "legend": legend}


def _residual_figures(residuals: Data, target: str) -> list[Data]:
    return [
        _figure(
            "Actual against predicted",
            plots.scatter(residuals, target),
            "One point per held-out row. On the line, the prediction is exact.",
        ),
        _figure(
            "Residuals",
            plots.residual_histogram(residuals, target),
            "How far off the predictions are. The outermost bars also hold what lies beyond.",
        ),
    ]


def _two_class_figures(result: Data) -> list[Data]:
    details, target = result["details"], result["target"]
    held, positive = result["leaderboard"][0]["held_out"], str(target["positive"])
    line = next(c for c in details["classes"] if c["label"] == positive)
    share = line["support"] / max(result["splits"]["n_held_out"], 1)
    band = f"The band holds {words.percent(result['level'])} of the bootstrap resamples at each point."
    found = [
        _figure(
            "Predicted probability by class",
            plots.separation(details["separation"], positive),
            "Where the rows of each class lie: the further apart, the better they can be told apart.",
        )
    ]
    if details["roc"]:
        found.append(_figure("ROC curve", plots.roc(details["roc"], held["roc_auc"]["value"]), band))
    if details["precision_recall"]:
        average = held["average_precision"]["value"]
        svg = plots.precision_recall(details["precision_recall"], share, average)
        found.append(_figure("Precision and recall", svg, band))
    about = f"{words.short(target['name'], 40)} = {words.short(positive, 30)}"
    return found + _calibration_figure(details["calibration"], about)


def _several_class_figures(result: Data) -> list[Data]:
    details = result["details"]
    note = "One class against all others, for the most frequent classes."
    found = []
    for title, key in (("ROC curves", "roc"), ("Precision and recall", "precision_recall")):
        curves = details[key]
        if curves:
            svg = plots.roc(curves, None) if key == "roc" else plots.precision_recall(curves, None, None)
            found.append(_figure(title, svg, note, tuple(c["label"] for c in curves)))
    return found + _calibration_figure(details["calibration"], "the class predicted")


def _calibration_figure(bins: list[Data], about: str) -> list[Data]:
    if len(bins) < 2:
        return []
    note = f"Probability of {about}. Above the line it happens more often than predicted."
    return [_figure("Calibration", plots.calibration(bins, about), note)]

"""The result of a contest as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mercer.report import plots, words
from mercer.report.tracks import importance_tracks, leaderboard_tracks

MOST_COLUMNS = 300  # lines of the schema table
MOST_CLASSES = 30  # lines of the class table
MOST_CONFUSED = 10  # classes of the confusion matrix
MOST_NOTICES = 30
_HERE = Path(__file__).parent / "templates"

Data = dict[str, Any]


def render(result: Data) -> str:
    """One self-contained page from `Contest.to_dict()`: style and drawings inside, no script, no network."""
    page = _environment().get_template("page.html")
    return page.render(
        r=result,
        style=Markup((_HERE / "style.css").read_text(encoding="utf-8")),  # noqa: S704  a file of this package
        headline=words.headline(result),
        verdict=words.verdict(result),
        tiles=_tiles(result),
        board=leaderboard_tracks(result),
        scores=_scores(result),
        confusion=_confusion(result),
        figures=_figures(result),
        drivers=importance_tracks(result),
        shown_columns=result["columns"][:MOST_COLUMNS],
        shown_classes=_most_frequent(result["details"]["classes"], MOST_CLASSES),
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
    return {"labels": labels, "rows": rows, "n_hidden": len(lines) - len(kept)}


def _figures(result: Data) -> list[Data]:
    """Plots with a title and a sentence on how to read them."""
    details, target = result["details"], result["target"]
    if details["residuals"]:
        return [
            {
                "title": "Actual against predicted",
                "svg": plots.scatter(details["residuals"], target["name"]),
                "note": "One point per held-out row. On the line, the prediction is exact.",
            },
            {
                "title": "Residuals",
                "svg": plots.residual_histogram(details["residuals"], target["name"]),
                "note": "How far off the predictions are. The outermost bars also hold what lies beyond.",
            },
        ]
    return _class_figures(result, details, target)


def _class_figures(result: Data, details: Data, target: Data) -> list[Data]:
    held = result["leaderboard"][0]["held_out"]
    positive = target["positive"]
    share = None
    if positive is not None:
        line = next(c for c in details["classes"] if c["label"] == positive)
        share = line["support"] / max(result["splits"]["n_held_out"], 1)
    about = f"{target['name']} = {positive}" if positive is not None else "the class predicted"
    band = f"The band holds {result['level']:.0%} of the bootstrap resamples at each point."
    several = "One class against all others, for the most frequent classes."
    found = []
    if details["roc"]:
        svg = plots.roc(details["roc"], held["roc_auc"]["value"] if positive is not None else None)
        found.append({"title": "ROC curve", "svg": svg, "note": band if positive is not None else several})
    if details["precision_recall"]:
        average = held["average_precision"]["value"] if positive is not None else None
        svg = plots.precision_recall(details["precision_recall"], share, average)
        found.append({"title": "Precision and recall", "svg": svg, "note": band if positive is not None else several})
    if len(details["calibration"]) > 1:
        note = f"Probability of {words.short(about, 50)}. Above the line it happens more often than predicted."
        found.append({"title": "Calibration", "svg": plots.calibration(details["calibration"], about), "note": note})
    return found

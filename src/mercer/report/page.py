"""The result of a comparison of learners as one HTML page."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mercer import formatting
from mercer.evaluation.intervals import REPLICATES
from mercer.report import sentences
from mercer.report.confusion import confusion_matrix, most_frequent, weighted
from mercer.report.decision import decision_section
from mercer.report.dot_plots import importance_plot, leaderboard_plot
from mercer.report.effects import effects_plot
from mercer.report.explanations import FIGURES, sections
from mercer.report.figures import figures
from mercer.table.display.dates import value_text

MOST_COLUMNS = 300  # lines of the schema table
MOST_CLASSES = 30  # lines of the class table
MOST_NOTICES = 30
_TEMPLATES = Path(__file__).parent / "templates"
_OF_TWO = ("roc_auc", "average_precision", "accuracy", "recall")  # the scores at the top of the page
_OF_PROBABILITIES = ("roc_auc", "average_precision")
_OF_SEVERAL = ("accuracy", "balanced_accuracy", "f1_macro", "log_loss")
_OF_NUMBERS = ("r2", "rmse", "mae")
_IN_UNITS = ("rmse", "mae", "median_absolute_error")

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric of the best model; scores are dicts of value, low and high."""

    key: str
    title: str
    meaning: str
    better: str
    cross_validated: Data
    held_out: Data
    training: float | None
    baseline: float | None


def render(result: Data) -> str:
    """One self-contained page: style and drawings inside, no network.

    Its one script moves the slider over thresholds; without it, the tables say the same. A content security policy
    allows that script by its hash and nothing else.

    Parameters
    ----------
    result : dict
        From `Comparison.to_dict`, or read back from result.json.

    Returns
    -------
    str
        HTML.
    """
    templates = environment(splits=result["splits"]["kind"])
    scores, classes = _scores(result), result["diagnostics"]["classes"]
    wanted = _main_scores(result)
    decision, script = decision_section(result), (_TEMPLATES / "slider.js").read_text(encoding="utf-8")
    return templates.get_template("page.html").render(
        r=result,
        style=Markup(stylesheet()),
        headline=sentences.headline(result),
        verdict=sentences.verdict(result),
        cautions=sentences.cautions(result),
        tie=sentences.tie(result),
        preference=sentences.preference(result),
        quantiles=[value_text(value, result["target"].get("date_unit", "")) for value in result["target"]["quantiles"]],
        main_scores=[row for key in wanted for row in scores if row.key == key],
        board=leaderboard_plot(result),
        scores=scores,
        weighted=weighted(classes),
        confusion=confusion_matrix(classes, result["diagnostics"]["confusion"]),
        figures=figures(result),
        importance=importance_plot(result),
        effects=effects_plot(result),
        explained=sections(result, templates),
        shown_columns=result["columns"][:MOST_COLUMNS],
        shown_classes=[classes[i] for i in most_frequent(classes, MOST_CLASSES)],
        replicates=REPLICATES,
        notices=[notice for notice in result["notices"] if notice not in result["doubts"]],
        most_notices=MOST_NOTICES,
        decision=decision,
        script=Markup(script) if decision and decision.steps else None,
        policy=policy(script if decision and decision.steps else None),
    )


def stylesheet() -> str:
    """What the page looks like."""
    return (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def policy(script: str | None, *, images: bool = False) -> str:
    """What the page may load: its own style, one script by its hash, and images that it holds itself."""
    digest = "" if script is None else base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    scripts = f" script-src 'sha256-{digest}';" if script is not None else ""
    pictures = " img-src data:;" if images else ""
    return f"default-src 'none'; style-src 'unsafe-inline';{scripts}{pictures} base-uri 'none'; form-action 'none'"


def _main_scores(result: Data) -> tuple[str, ...]:
    """The metric that ranks, then the usual ones of the task: four in all.

    Where a threshold decides, recall and precision of `DecisionSection.reached` stand beside those of probabilities.
    """
    of_two = _OF_PROBABILITIES if result["decision"] else _OF_TWO
    of_classes = _OF_SEVERAL if result["target"]["positive"] is None else of_two
    usual = of_classes if result["task"] == "classification" else _OF_NUMBERS
    return tuple(dict.fromkeys((result["metric"]["key"], *usual)))[:4]


class _Templates(FileSystemLoader):
    """The templates of a folder in the words of a run whose rows were split so; what they show stays as it is."""

    def __init__(self, folder: Path, splits: str) -> None:
        super().__init__(folder)
        self.splits = splits

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, path, is_current = super().get_source(environment, template)
        return sentences.in_words_of(self.splits, source), path, is_current


def environment(folder: Path = _TEMPLATES, splits: str = "") -> Environment:
    """The templates of a folder, in the words of such splits of the rows, with the functions that they call."""
    found = Environment(
        loader=_Templates(folder, splits),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        formatting.short,
        formatting.short_apart,
        formatting.ended,
        formatting.begun,
        formatting.four_digits,
        formatting.threshold,
        formatting.percent,
        formatting.chance,
        formatting.amount,
        formatting.duration,
        formatting.odds_ratio,
        formatting.p_value,
    )
    functions: tuple[Callable[..., Any], ...] = (
        sentences.figure,
        sentences.interval,
        sentences.kept,
        sentences.class_predicted,
        sentences.kinds_in_words,
        formatting.counted,
        *FIGURES,
    )
    found.filters |= {f.__name__: f for f in filters}
    found.globals |= {f.__name__: f for f in functions}
    return found


def _scores(result: Data) -> list[ScoreRow]:
    """Every metric of the best model: cross-validated, held out, on the training rows; the baseline beside it."""
    best, base = sentences.kept(result), _baseline(result)
    return [
        ScoreRow(
            key=key,
            title=_metric_title(result, key),
            meaning=metric["meaning"],
            better="higher is better" if metric["higher_is_better"] else "lower is better",
            cross_validated=best["cross_validated"][key],
            held_out=best["held_out"][key],
            training=best["training"][key],
            baseline=base[key]["value"] if base else None,
        )
        for key, metric in result["metrics"].items()
        if key in best["held_out"]
    ]


def _metric_title(result: Data, key: str) -> str:
    if key in ("recall", "precision", "f1"):
        return f"{result['metrics'][key]['title'].split()[0]} of {formatting.short(result['target']['positive'], 18)}"
    days = ", days" if result["target"].get("date_unit") and key in _IN_UNITS else ""
    return f"{result['metrics'][key]['title']}{days}"


def _baseline(result: Data) -> Data | None:
    return next((e[result["headline"]] for e in result["leaderboard"] if e["is_baseline"] and not e["error"]), None)

"""Explanations of learners as sections of the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, TemplateNotFound
from markupsafe import Markup

from mercer.estimators.tree.explanations.picture import Node, draw
from mercer.evaluation.metrics import METRICS
from mercer.formatting import counted, short
from mercer.report import plots
from mercer.report.heat_map import heat_map
from mercer.report.sentences import figure, interval
from mercer.report.svg import Figure
from mercer.table.display.dates import value_text
from mercer.table.kinds.parts import DateUnit

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """One learner: its explanation, its score, and its details as HTML."""

    explanation: Data
    score: str
    details: Markup


def sections(result: Data, templates: Environment) -> list[Section]:
    """One section for each learner that was explained, best first."""
    entries = {e["key"]: e for e in result["leaderboard"]}
    key, title = result["metric"]["key"], result["metric"]["title"]
    found = []
    for one in result["explanations"]:
        score = entries[one["key"]]["cross_validated"].get(key, {}).get("value")
        found.append(Section(one, f"{title} {figure(key, score)}", _details(one, result, templates)))
    return found


def _details(explanation: Data, result: Data, templates: Environment) -> Markup:
    """The details by the template of the family; nothing for a family without one."""
    try:
        template = templates.get_template(f"explanations/{explanation['family'] or 'none'}.html")
    except TemplateNotFound:
        return Markup("")
    content = {name: explanation[name] for name in ("family", "full", "details")}
    if explanation["family"] == "tree":
        content["details"] = _dated(explanation["details"], result["target"].get("date_unit", ""))
    if explanation["family"] == "perceptron":
        content["details"] = _of_positive(explanation["details"], result["target"]["positive"])
    return Markup(template.render(**content, target=result["target"]["name"], task=result["task"]))


def _dated(tree: Data, unit: DateUnit) -> Data:
    """The details of a tree with the days that its nodes and rules answer as dates."""
    if not unit:
        return tree
    lines = {
        name: [{**line, "answer": value_text(float(line["answer"].replace(",", "")), unit)} for line in tree[name]]
        for name in ("nodes", "rules")
    }
    return {**tree, **lines}


def _of_positive(perceptron: Data, positive: str | None) -> Data:
    """The weights of a perceptron of two classes for the one that the page is about."""
    if positive is None or perceptron["against"] != positive:
        return perceptron
    weights = [[-v for v in line] for line in perceptron["weights"]]
    return {**perceptron, "classes": [positive], "against": perceptron["classes"][0], "weights": weights}


def k_figure(details: Data, task: str) -> Figure | None:
    """The scores of the k that were tried; None when k was given."""
    if len(details["curve"]) < 2:
        return None
    score = "mean squared error" if task == "regression" else details["scoring"]
    if max(found for _, found in details["curve"]) <= 0 and task != "regression":  # of a loss: more is better
        score = f"minus {score.removeprefix('neg ')}"
    svg = plots.k_curve(details["curve"], details["k"], score)
    return Figure("Choosing k", svg, f"The {score} of every k tried; the dot is the k chosen.")


def tuning_figure(details: Data) -> Figure | None:
    """The grid that was searched; None when nothing was tuned."""
    return heat_map(details["tuning"]) if details["tuning"] else None


def tree_figure(details: Data, target: str) -> Figure | None:
    """The upper levels of a tree; None for a single leaf."""
    if len(details["nodes"]) < 2:
        return None
    cut = details["depth"] > details["shown_depth"]
    levels = f"first {counted(details['shown_depth'], 'level')}"
    leaves = counted(details["n_leaves"], "leaf", "leaves")
    title = f"Decision tree of {short(target, 40)}: {leaves}, {f'its {levels}' if cut else 'all of it'}"
    others = ("others",) if details["n_classes"] > 4 else ()
    return Figure(
        f"The {levels}" if cut else "The tree",
        Markup(draw([Node(**node) for node in details["nodes"]], title)),
        _tree_note(details, cut),
        (*(short(c, 24) for c in details["coloured"]), *others),
        tuple(_outline(node) for node in details["nodes"]),
    )


def _outline(node: Data) -> tuple[int, str, str]:
    """A node as a line: the condition, then what is predicted there for how many rows."""
    share = "" if node["share"] is None else f" ({100 * node['share']:.0f} %)"
    more = f"; {node['hidden']} leaves beyond" if node["hidden"] > 1 else ""
    rows = counted(round(node["rows"]), "row")
    return node["depth"], short(node["test"], 90), f"{short(node['answer'], 40)}{share}, {rows}{more}"


def _tree_note(details: Data, cut: bool) -> str:
    bar = "the bar shows the shares of the classes" if details["n_classes"] else "the bar shows how high the mean is"
    note = f"Each box: the condition, the prediction and the number of rows; {bar}."
    return f"{note} A dashed box is split further." if cut else note


def trajectory_figure(details: Data) -> Figure | None:
    """The score of an ensemble as models were added; None for one of a single step."""
    if len(details["trajectory"]) < 2:
        return None
    title = METRICS[details["selected_by"]].title
    svg = plots.trajectory(details["trajectory"], details["size"], title)
    note = f"{title} on out-of-fold predictions; the dot is the ensemble that is kept. It was chosen by this score, "
    return Figure("Adding models", svg, f"{note}which is therefore too good: the leaderboard has the honest one.")


def ensemble_gain(details: Data) -> str:
    """How much better an ensemble is than the best learner alone, on rows that did not choose its weights."""
    key, gain, tested = details["ranked_by"], details["gain"], details["gain_held_out"]
    found = [
        f"{figure(key, score['value'])} ({interval(key, score)}) {where}" if interval(key, score) else ""
        for score, where in ((gain, "in cross-validation"), (tested, "on the held-out rows"))
    ]
    if not any(found):
        return ""
    rows = "weights were chosen without the rows that they are scored on"
    ahead = f"Ahead of {details['best']} alone in {METRICS[key].title} by {', '.join(filter(None, found))}"
    return f"{ahead}: {rows}. Below 0, the ensemble is behind."


FIGURES = (k_figure, tuning_figure, tree_figure, trajectory_figure, ensemble_gain)  # that templates call by name

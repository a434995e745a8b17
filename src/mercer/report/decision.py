"""The section of the page on decisions: which class a row is called, what that costs, and what other rules would."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mercer.formatting import amount, ended, percent, short
from mercer.formatting import threshold as threshold_text
from mercer.report import plots
from mercer.report.sentences import METRIC_TITLES, figure, in_words_of, interval, kept
from mercer.report.svg import Figure

Data = dict[str, Any]
_MOST_CLASSES = 12  # lines of the table of costs
_WHY = {
    "cost": ", where rows held out in cross-validation cost least",
    "youden": ", where recall exceeds the share of false alarms most on rows held out in cross-validation",
    "recall": ", which has the largest precision of all thresholds with a recall of at least {value} on rows held out "
    "in cross-validation",
    "precision": ", which has the largest recall of all thresholds with a precision of at least {value} on rows held "
    "out in cross-validation",
    "given": ", as given",
}
_WHY |= {
    rule: f", where rows held out in cross-validation have the largest {title}" for rule, title in METRIC_TITLES.items()
}


@dataclass(frozen=True, slots=True)
class ComparedRules:
    """A score as decided and by the usual rule: its key and title, what the gain is called, and figures by rows."""

    key: str
    title: str
    gain: str
    lines: list[tuple[str, Data]]


@dataclass(frozen=True, slots=True)
class DecisionSection:
    """What the section shows.

    Attributes
    ----------
    title, lead, statement : str
        Its heading, how rows are called which class, and what was asked for and cannot be had.
    usual : str
        What the decision is compared with.
    compared : list of ComparedRules
        What it costs, or the metric that ranks, beside that of the usual rule.
    matrix : list of (str, list of str)
        The costs of each pair of classes; empty of two, whose costs the lead tells.
    steps : Markup or None
        The data of the slider, as JSON that is safe inside a page.
    figures : list of Figure
        Cost, gains and lift.
    reached : list of (str, str, str)
        Recall and precision of the decisions: title, value and interval; empty of several classes.
    """

    title: str
    lead: str
    statement: str
    usual: str
    compared: list[ComparedRules]
    matrix: list[tuple[str, list[str]]]
    steps: Markup | None
    figures: list[Figure]
    reached: list[tuple[str, str, str]]


def decision_section(result: Data) -> DecisionSection | None:
    """The section on decisions; None where each row is called its most probable class.

    Parameters
    ----------
    result : dict
        From `Comparison.to_dict`.

    Returns
    -------
    DecisionSection or None
        What it shows.
    """
    found, splits = result["decision"], result["splits"]["kind"]
    if not found:
        return None
    of_two = found["positive"] is not None
    return DecisionSection(
        title=f"When is a row called {short(found['positive'], 30)}?" if of_two else "Which class is a row called?",
        lead=f"{_lead(found, splits)}{_costs_in_words(found)} The command mercer predict does the same.",
        statement=found["statement"],
        usual="At 0.5" if of_two else "The most probable class",
        compared=_compared(result),
        matrix=[] if of_two else _matrix(found["costs"]),
        steps=None if found["steps"] is None else safe_json(_rounded(found["steps"])),
        figures=_figures(result),
        reached=_reached(kept(result)[result["headline"]], short(found["positive"], 20)) if of_two else [],
    )


def _compared(result: Data) -> list[ComparedRules]:
    """What the decision costs and what the metric that ranks is, each beside that of the usual rule."""
    decision, metric, splits = result["decision"], result["metric"], result["splits"]["kind"]
    pairs = (
        ("In cross-validation, each fold decided as the others say is best", "cross_validated"),
        ("On the held-out rows", "held_out"),
    )
    tables = ("cost", "cost", "Cost of a row", "Saved"), ("score", metric["key"], metric["title"], "Gained")
    found = []
    for part, key, name, gain in tables:
        lines = [(in_words_of(splits, title), decision[f"{part}_{rows}"]) for title, rows in pairs]
        if lines[0][1]:
            found.append(ComparedRules(key, name, gain, lines))
    return found


def _reached(scores: Data, name: str) -> list[tuple[str, str, str]]:
    """Recall and precision of what is decided, on the rows of the headline.

    In cross-validation each fold is decided as the others say is best: a threshold does better on the rows that it was
    chosen on.
    """
    titles = ("recall", f"Recall of {name}, as decided"), ("precision", "Precision")
    return [(title, figure(key, scores[key]["value"]), interval(key, scores[key])) for key, title in titles]


def _lead(found: Data, splits: str) -> str:
    if found["positive"] is None:
        return "Each row is called the class of least expected cost: its probabilities times the costs."
    name, from_which = short(found["positive"], 30), threshold_text(found["threshold"])
    rows = in_words_of(splits, "rows held out in cross-validation")
    if found["stored"]["costs"]:
        return (
            f"A row is called {name} where that is expected to cost less, by its own costs; in a table without these, "
            f"from a probability of {from_which}, where {rows} cost least."
        )
    if found["stored"]["top"]:
        return (
            f"The {found['stored']['top']:,} most probable rows of a table are called {ended(name)} Here that was from "
            f"a probability of {from_which} on {rows}; in another table it is from another."
        )
    why = in_words_of(splits, _WHY[found["rule"]]).format(value=found["asked"].partition("=")[2])
    return f"A row is called {name} from a probability of {from_which}{why}."


def _costs_in_words(found: Data) -> str:
    """What the errors on two classes cost."""
    costs, positive = found["costs"], found["positive"]
    if not costs or positive is None:
        return ""
    place = costs["classes"].index(positive)
    columns = {(i, j): name for i, j, name in costs["columns"]}

    def cost(true: int, called: int) -> str:
        name = columns.get((true, called))
        mean = amount(costs["amounts"][true][called])
        return mean if name is None else f"{short(name, 30)} (mean {mean})"

    return f" A missed row costs {cost(place, 1 - place)}, a false alarm {cost(1 - place, place)}."


def _matrix(costs: Data | None) -> list[tuple[str, list[str]]]:
    if not costs or len(costs["classes"]) > _MOST_CLASSES:
        return []
    return [
        (name, [amount(value) for value in line]) for name, line in zip(costs["classes"], costs["amounts"], strict=True)
    ]


def _rounded(value: Any) -> Any:
    """Six significant digits: the page stays small."""
    if isinstance(value, dict):
        return {key: _rounded(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def safe_json(value: Any) -> Markup:
    """JSON that a page can hold inside <script type="application/json">, whatever its texts are."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for letter in "<>&":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)


def _figures(result: Data) -> list[Figure]:
    found = result["decision"]
    if found["gains"] is None:
        return []
    band = f"The band holds {percent(result['level'])} of the bootstrap resamples at each point."
    line = found["cross_validated"][0]
    name = short(found["positive"], 30)
    figures = []
    if found["cost_curve"]:
        svg = plots.cost_curve(found["cost_curve"], found["threshold"])
        figures.append(Figure("Cost by threshold", svg, f"Mean cost of a row. {band}"))
    gains, lift = plots.gains(found["gains"], line, name), plots.lift(found["lift"], line, name)
    return [
        *figures,
        Figure("Gains", gains, f"Of the rows that are {name}, the share among those called so. {band}"),
        Figure("Lift", lift, f"How many times as many rows are {name} among those called so as at random. {band}"),
    ]

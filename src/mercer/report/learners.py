"""Accounts of learners as sections of the page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from mercer.estimators.tree.picture import Node, draw
from mercer.report import plots
from mercer.report.facts import facts
from mercer.report.surface import heat_map
from mercer.report.words import counted, figure, short

Data = dict[str, Any]

_LEADS = {
    "bayes": "The probability of each level or word given the class, or the mean and spread of a number in each class; "
    "the columns that matter most first.",
    "posterior": "Each cell of a new row says how likely it is at each value of the target; the answer is the mean of "
    "what they say together.",
    "neighbours": "A new row gets the answer of the rows most like it.",
    "local": "Around a new row a plane is fitted to the rows most like it, the nearer the heavier; its height is the "
    "answer.",
    "tree": "A new row goes from left to right, each time to the box whose condition it meets.",
    "machine": "A new row is compared with the support vectors by the kernel k.",
    "perceptron": "A new row gets the sum of its columns times their weights: the side of 0 decides between two "
    "classes, the largest sum between several.",
    "baseline": "No column is looked at: whatever beats this has learned something.",
}


def sections(result: Data) -> list[Data]:
    """One section for each learner that has something to tell, best first."""
    scores = {e["key"]: e for e in result["leaderboard"]}
    return [_section(account, scores[account["key"]], result) for account in result["accounts"]]


def _section(account: Data, entry: Data, result: Data) -> Data:
    key = result["metric"]["key"]
    score = entry["cross_validated"].get(key, {}).get("value")
    return {
        **account,
        "lead": _lead(account, result["target"]["name"]),
        "facts": facts(account),
        "pictures": _pictures(account, result),
        "score": f"{result['metric']['title']} {figure(key, score)}",
    }


def _lead(account: Data, target: str) -> str:
    if account["family"] != "coefficients":
        return _LEADS.get(account["family"], "")
    name = short(target, 40)
    if not account["body"]["logistic"]:
        return f"Each coefficient says by how much {name} rises when the column rises by one and the others stay."
    return (
        "Each coefficient says by how much the log odds of a class rise when the column rises by one and the others "
        "stay; the odds ratio says by what factor the odds change."
    )


def _pictures(account: Data, result: Data) -> list[Data]:
    body = account["body"]
    if account["family"] == "tree" and len(body["nodes"]) > 1:
        return [_tree_picture(body, result["target"]["name"])]
    if account["family"] in ("neighbours", "local") and len(body["curve"]) > 1:
        what = "mean squared error" if result["task"] == "regression" else "accuracy"
        svg = plots.k_curve(body["curve"], body["k"], what)
        note = f"The {what} of every k tried; the dot is the one kept."
        return [{"title": "Choosing k", "svg": svg, "note": note, "legend": []}]
    if account["family"] == "machine" and body["surface"]:
        return [heat_map(body["surface"])]
    return []


def _tree_picture(body: Data, target: str) -> Data:
    boxes = [Node(**node) for node in body["nodes"]]
    cut = body["depth"] > body["shown_depth"]
    part = f"its first {counted(body['shown_depth'], 'level')}" if cut else "all of it"
    title = f"Decision tree of {short(target, 40)}: {counted(body['n_leaves'], 'leaf', 'leaves')}, {part}"
    return {
        "title": f"The first {counted(body['shown_depth'], 'level')}" if cut else "The tree",
        "svg": Markup(draw(boxes, title)),
        "note": _tree_note(body, cut),
        "legend": [short(c, 24) for c in body["toned"]] + (["others"] if body["n_classes"] > 4 else []),
    }


def _tree_note(body: Data, cut: bool) -> str:
    bar = "the bar shows the shares of the classes" if body["n_classes"] else "the bar shows how high the mean is"
    note = f"Each box: the condition, the answer there and the number of rows; {bar}."
    return f"{note} A dashed box is split further." if cut else note

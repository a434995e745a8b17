"""What is to be said of each family of learners, as pairs of a label and its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mercer.report.words import amount, counted, duration, percent, short

Data = dict[str, Any]
Fact = tuple[str, str, str]  # label, value, remark

_VOTES = {
    "uniform": ("equal", "each neighbour counts the same"),
    "distance": ("1 / distance", "the nearer, the more it counts"),
    "distance2": ("1 / distance²", "the nearer, the more it counts"),
    "tricube": ("tricube", "weight (1 − u³)³ at the share u of the distance of the last one"),
    "epanechnikov": ("epanechnikov", "weight 1 − u² at the share u of the distance of the last one"),
    "gaussian": ("gaussian", "weight exp(−u²/2) at the share u of the distance of the last one"),
    "callable": ("by a function given", ""),
}
_CRITERIA = {
    "gini": "Gini impurity",
    "entropy": "entropy (information gain)",
    "gain_ratio": "gain ratio",
    "error": "classification error",
    "squared_error": "squared error",
}
_FIGURES = {  # of a linear or logistic fit, in the order of reading
    "R^2": ("R²", "share of the variance explained"),
    "adjusted R^2": ("Adjusted R²", "corrected for the number of coefficients"),
    "pseudo R^2": ("Pseudo R²", "McFadden's: 1 − log likelihood / that without columns"),
    "F": ("F", "all coefficients against none"),
    "likelihood ratio": ("Likelihood ratio", "all coefficients against none"),
    "residual standard error": ("Residual standard error", "in units of the target"),
    "AIC": ("AIC", "smaller is better, among models of the same rows"),
    "BIC": ("BIC", "as AIC, with a stronger charge per coefficient"),
}


def facts(account: Data) -> list[Fact]:
    """The facts of an account's family; none when there are none to tell."""
    tell = _FAMILIES.get(account["family"])
    return tell(account["body"]) if tell else []


def _local(b: Data) -> list[Fact]:
    return [("Weights", value, remark) if label == "Votes" else (label, value, remark)
            for label, value, remark in _neighbours(b)]  # fmt: skip


def _neighbours(b: Data) -> list[Fact]:
    way = f"cross-validation in {b['folds']} folds" if b["folds"] else "leaving out each row in turn"
    return [
        ("Neighbours asked (k)", f"{b['k']:,}", f"chosen among {len(b['curve'])} by {way}" if b["curve"] else ""),
        ("Votes", *_VOTES.get(b["votes"], (b["votes"], ""))),
        ("Distance", b["distance"], b["formula"]),
        ("Rows to compare with", f"{b['rows']:,}", ""),
    ]


def _coefficients(b: Data) -> list[Fact]:
    found: list[Fact] = [("Rows", f"{b['rows']:,}", "")]
    values = b["figures"]
    for key, (label, remark) in _FIGURES.items():
        if values.get(key) is None:
            continue
        p = {"F": "p of F", "likelihood ratio": "p of the ratio"}.get(key)
        more = f"; {p_value(values[p])}" if p and values.get(p) is not None else ""
        found.append((label, amount(values[key]), remark + more))
    return found


def p_value(p: float) -> str:
    """'p = 0.012', or 'p < 0.001'."""
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def _tree(b: Data) -> list[Fact]:
    pruned = {
        "cv": ("by cross-validation", f"a leaf must pay {amount(b['penalty'])}"),
        "pessimistic": ("by pessimistic error", ""),
        None: ("by cost", f"a leaf must pay {amount(b['penalty'])}") if b["penalty"] else ("no", ""),
    }[b["prune"]]
    gaps = {"fraction": "down every branch, in parts", "surrogate": "by the test most alike"}[b["missing"]]
    return [
        ("Leaves", f"{b['n_leaves']:,}", ""),
        ("Depth", f"{b['depth']:,}", "tests on the longest way"),
        ("Tests chosen by", _CRITERIA[b["criterion"]], ""),
        ("Pruned", *pruned),
        ("Missing cells", gaps, ""),
    ]


def _machine(b: Data) -> list[Fact]:
    unit = ", per standard deviation of the target" if b["relative"] else ""
    found: list[Fact] = [("Cost C", amount(b["cost"]), f"of an error, against the width of the margin{unit}")]
    if b["kernel"]["gamma"] is not None:
        found.append(("γ", amount(b["kernel"]["gamma"]), "the larger, the more local"))
    if b["epsilon"] is not None:
        found.append(("ε", amount(b["epsilon"]), "errors up to it cost nothing; in units of the target"))
    found += _support(b)
    state = "" if b["converged"] else "; stopped early"
    found += [
        ("Duality gap", f"{amount(b['relative_gap'])} of the objective", f"{amount(b['gap'])} in all{state}"),
        ("Steps of the solver", f"{b['iterations']:,}", f"{duration(b['seconds'])} to fit the training part"),
        ("Rows learned from", f"{b['rows']:,}", ""),
    ]
    if b["strategy"]:
        way = "one for each pair of classes" if b["strategy"] == "ovo" else "one for each class against the rest"
        found.append(("Machines", f"{b['n_machines']:,}", way))
    if b["calibration"]:
        curve = "a logistic curve" if b["calibration"] == "sigmoid" else "a rising step curve"
        found.append(("Probabilities", b["calibration"], f"{curve} through decisions held out in 5 folds"))
    return found


def _support(b: Data) -> list[Fact]:
    share = f"{percent(b['n_support'] / max(b['rows'], 1))} of the rows"
    found: list[Fact] = [("Support vectors", f"{b['n_support']:,}", share)]
    if b["n_bounded"] is not None:
        where = "inside the margin" if b["epsilon"] is None else "outside the tube"
        free = b["n_support"] - b["n_bounded"]
        found.append(("Bounded support vectors", f"{b['n_bounded']:,}", f"{where}; {free:,} on its edge"))
    return found


def _perceptron(b: Data) -> list[Fact]:
    lost = counted(round(b["mistakes"]), "mistake")
    verdict = "yes" if b["separated"] else "no"
    return [
        ("Classes separated", verdict, "" if b["separated"] else f"{lost} in the last pass"),
        ("Passes over the rows", f"{b['passes']:,}", ""),
        ("Weights", "averaged over the way" if b["averaged"] else "as after the last mistake", ""),
    ]


def _posterior(b: Data) -> list[Fact]:
    how = {"intervals": "intervals of the target", "kernel": "a smooth density on a grid"}[b["method"]]
    span = f"from {amount(b['points'][0])} to {amount(b['points'][4])}, half of them below {amount(b['points'][2])}"
    return [("Posterior over", how, ""), ("Values it is spread over", f"{b['n_points']:,}", span)]


def _baseline(b: Data) -> list[Fact]:
    if b["mean"] is not None:
        return [("Always predicts", amount(b["mean"]), "the mean of the target")]
    return [("Always predicts", short(b["classes"][0], 40), f"the most frequent class, {percent(b['shares'][0])}")]


_FAMILIES: Mapping[str, Callable[[Data], list[Fact]]] = {
    "neighbours": _neighbours,
    "local": _local,
    "coefficients": _coefficients,
    "tree": _tree,
    "machine": _machine,
    "perceptron": _perceptron,
    "posterior": _posterior,
    "baseline": _baseline,
}

"""Scores as the report prints them, and its findings as sentences."""

from __future__ import annotations

from typing import Any

from mercer.evaluation.metrics import METRICS
from mercer.formatting import MINUS, NOTHING, amount, percent, short, threshold
from mercer.select.thresholds import METRIC_RULES

Data = dict[str, Any]
_SHARES = {"accuracy", "balanced_accuracy", "recall", "precision", "mape"}
_WHY_KEPT = {
    "accurate": "a mean of models scored with its choice of them inside",
    "simple": "the simplest model",
    "fast": "the one that predicts fastest",
}
METRIC_TITLES = {key: METRICS[key].title for key in METRIC_RULES}  # of thresholds that a metric chooses
_NAMED = "R²", "F1", "Brier", "Matthews", "Cohen"  # titles that begin with a name or a letter of their own
_UNITS = {"rmse", "mse", "mae", "median_absolute_error", "cost"}
_OF_CHANCE = {"roc_auc": 0.5, "mcc": 0.0, "r2": 0.0}  # what an answer that ignores every column scores on any rows


def figure(key: str, value: float | None, more: int = 0) -> str:
    """A metric's value as the report prints it, with `more` digits than usual."""
    if value is None:
        return NOTHING
    if key in _UNITS:
        return amount(value, 4 + more if more else None)
    size, digits = (100, 1 + more) if key in _SHARES else (1, 3 + more)
    text = f"{size * value:.{digits}f}"
    text = text.replace("-", MINUS) if float(text) else text.removeprefix("-")  # no minus zero
    return f"{text} %" if key in _SHARES else text


def interval(key: str, score: Data | None) -> str:
    """'low to high', or '' when there is none."""
    if not score or score.get("low") is None or score.get("high") is None:
        return ""
    ends = score["low"], score["high"]
    for more in range(4):  # as many digits as tell the ends apart
        low, high = (figure(key, end, more) for end in ends)
        if low != high or ends[0] == ends[1]:
            break
    return f"{low.removesuffix(' %')} to {high}"


_VALIDATED = {  # what is said of cross-validation, and what in its place where validation rows rank the learners
    "no row held out in cross-validation": "no validation row",
    "rows held out in cross-validation": "validation rows",
    "Rows held out in cross-validation": "Validation rows",
    "In cross-validation": "On validation rows",
    "in cross-validation": "on validation rows",
    "Cross-validated scores": "Scores on validation rows",
    "cross-validated means": "means over parts of the validation rows",
    "cross-validated mean": "validation rows",
    "Cross-validated": "Validation",
    "cross-validated": "validation",
}


def in_words_of(splits: str, text: str) -> str:
    """A text about cross-validation for a run whose rows were split so; give none that holds names from the table."""
    for usual, instead in _VALIDATED.items() if splits == "validation" else ():
        text = text.replace(usual, instead)
    return text


def headline(result: Data) -> str:
    """What the best model does on rows it has not seen, in one sentence."""
    best, metric, target = kept(result), result["metric"]["key"], result["target"]
    scores = best[result["headline"]]
    held = in_words_of(result["splits"]["kind"], "rows held out in cross-validation")
    rows = "the held-out rows" if result["headline"] == "held_out" else held
    score = scores.get(metric, {}).get("value")
    name, title = short(target["name"], 40), best["title"]
    if score is None:
        return f"{title} could not be scored on the held-out rows: there are too few of them."
    if metric == "roc_auc":
        positive = short(target["positive"], 30)
        pair = f"Given one row where {name} is {positive} and one where it is not, {title}"
        if score == 1:
            return f"{pair} ranked the first higher in every pair of {rows}."
        return f"{pair} ranks the first higher {percent(score)} of the time."
    if metric == "cost":
        return f"{title} costs {amount(score)} a row on {rows}{_usual_cost(result)}."
    if metric == "accuracy":
        if score == 1:
            return f"{title} got {name} right for every one of {rows}."
        return f"{title} gets {name} right for {percent(score)} of {rows}."
    if metric != "r2":
        reached = f"{within(result['metric']['title'])} {figure(metric, score)}"
        return f"{title} predicts {name} with {reached} on {rows} ({result['metric']['meaning']})."
    if score <= 0:
        return f"{title} explains nothing of how {name} varies on {rows}."
    off = amount(scores["mae"]["value"]) + (" days" if target.get("date_unit") else "")
    return f"{title} explains {percent(score)} of how {name} varies; its mean absolute error is {off}."


def within(title: str) -> str:
    """The title of a metric within a sentence: 'average precision', but 'ROC AUC' and 'Brier score'."""
    return title if title[1:2] != title[1:2].lower() or title.startswith(_NAMED) else title[:1].lower() + title[1:]


def _usual_cost(result: Data) -> str:
    """What the usual rule would cost on the same rows; '' when that is not known."""
    decision = result["decision"] or {}
    cost = decision.get(f"cost_{result['headline']}")
    if not cost or cost["usual"]["value"] is None:
        return ""
    usual = "a threshold of 0.5" if decision["positive"] is not None else "calling each row its most probable class"
    return f"; {usual} would cost {amount(cost['usual']['value'])}"


def verdict(result: Data) -> tuple[str, str]:
    """A grade ('good', 'fair', 'poor') and a sentence: is the best model worth using?"""
    metric = result["metric"]
    best = kept(result)
    score = best[result["headline"]].get(metric["key"], {})
    base = _baseline(result, metric["key"])
    if best["is_baseline"]:
        return "poor", "Not worth using: no learner does better than ignoring every column."
    if score.get("value") is None or base is None:
        return "fair", "There is no baseline to compare with: name the learner baseline too."
    sign = 1 if metric["higher_is_better"] else -1
    skill = sign * (score["value"] - base) / max(abs((1.0 if sign > 0 else 0.0) - base), 1e-12)
    worst = score["low"] if sign > 0 else score["high"]
    if skill <= 0 or (worst is not None and sign * (worst - base) <= 0):
        return "poor", "Not worth using yet: on rows it has not seen it is not clearly better than the baseline."
    share = f"it closes {percent(min(skill, 1.0))} of the gap between the baseline and perfection"
    if skill < 0.2:
        return "fair", f"Better than the baseline, but weak: {share}."
    if skill < 0.6:
        return "good", f"Worth using, with its errors in mind: {share}."
    return "good", f"Worth using: {share}."


def kept(result: Data) -> Data:
    """The entry of the model that is kept."""
    found: Data = next(entry for entry in result["leaderboard"] if entry["key"] == result["kept"])
    return found


def preference(result: Data) -> str:
    """Why the model that is kept is not the first of the leaderboard; '' where it is."""
    first, entry = result["leaderboard"][0], kept(result)
    if entry is first:
        return ""
    key, gap, why = result["metric"]["key"], entry["behind"], _WHY_KEPT[result["preference"]]
    reason = f"{why} within one standard error of the best (prefer {result['preference']})"
    if entry.get("recalibrated"):
        reason = "chosen before its probabilities were recalibrated"
    return (
        f"{entry['title']} is kept, {reason}. "
        f"{first['title']} is ahead by {figure(key, gap['value'])} ({interval(key, gap)})."
    )


def tie(result: Data, *, python: bool = False) -> str:
    """A sentence that offers a simpler learner which ties with the best, and what it costs; '' when there is none.

    python : whether to say what is given to `mercer.train`, in place of the option of the terminal
    """
    entry = next((e for e in result["leaderboard"] if e["key"] == result["simpler"]), None)
    if entry is None:
        return ""
    first, key, near = result["leaderboard"][0], entry["key"], entry.get("near", True)
    given = 'prefer="simple"' if near else f'learners=["{key}"]'
    how = given if python else f"mercer train ... {'--prefer simple' if near else f'--learner {key}'}"
    if entry is first:
        return f"{first['title']} is simpler than the model that is kept. For it: {how}."
    ahead = f"{_ahead(result, entry)}{', within one standard error' if near else ''}"
    return f"A tie: {ahead}. For the simpler model: {how}."


def _ahead(result: Data, entry: Data) -> str:
    """By how much the best is ahead of a simpler learner, with the interval of the paired difference."""
    metric, gap = result["metric"], entry["behind"]
    apart = f"{figure(metric['key'], gap['value'])} ({interval(metric['key'], gap)})"
    best = result["leaderboard"][0]["title"]
    return f"{best} is ahead of {entry['title']}, which is simpler, by {apart} in {within(metric['title'])}"


def cautions(result: Data) -> list[str]:
    """What the main score does not show: accuracy below the most frequent class, overconfident probabilities."""
    best = kept(result)
    found = list(result["doubts"])
    if best["is_baseline"] or result["task"] != "classification":
        return found
    if result["decision"]:
        return [*found, *_overconfidence(result, best)]
    right, usual = _value(result, best, "accuracy"), _baseline(result, "accuracy")
    if right is not None and usual is not None and right <= usual:
        found.append(
            f"Predicting the most probable class is right for {figure('accuracy', right)} of the rows; "
            f"always predicting the most frequent class is right for {figure('accuracy', usual)}. "
            "Use it to rank rows, or choose a threshold on the probability that fits the cost of each error."
        )
    return [*found, *_overconfidence(result, best)]


def _overconfidence(result: Data, best: Data) -> list[str]:
    loss, plain = _value(result, best, "log_loss"), _baseline(result, "log_loss")
    if loss is None or plain is None or loss <= plain:
        return []
    score = best[result["headline"]]["log_loss"]
    if score["low"] is None or score["low"] <= plain:
        return [
            "Whether its probabilities are worth more than the shares of the classes cannot be told "
            f"(log loss {loss:.3f}, {interval('log_loss', score)}; baseline {plain:.3f}): "
            "trust their order more than their values."
        ]
    return [
        f"Its probabilities are overconfident (log loss {loss:.3f}, baseline {plain:.3f}): "
        "use their order, not their values."
    ]


def class_predicted(result: Data) -> str:
    """Which class rows are called, and why: the end of a sentence."""
    decision = result["decision"]
    if decision and decision["stored"]["top"]:
        name, start = short(decision["positive"], 30), threshold(decision["threshold"])
        top = f"the {decision['stored']['top']:,} most probable of a table"
        return f"a row is called {name} from a probability of {start} here; the command mercer predict calls {top} so."
    if decision:
        return "the class predicted is that of the decision, as the command mercer predict answers."
    if result["target"]["positive"] is None:
        return "the class predicted is the most probable one."
    metric = result["metric"]
    why = f"{metric['title']} does not depend on a threshold"
    if metric["key"] == "recall":
        why = "recall alone is largest where every row is called positive, so that no threshold was chosen by it"
    if metric["key"] == "precision":
        why = "precision alone is largest where hardly a row is called positive, so that no threshold was chosen by it"
    return (
        f"the class predicted is the more probable one, from a probability of 0.5: {why}. For another, train with "
        "--threshold or --cost, or by a --metric such as f1."
    )


def _value(result: Data, entry: Data, key: str) -> float | None:
    value: float | None = entry[result["headline"]].get(key, {}).get("value")
    return value


def _baseline(result: Data, key: str) -> float | None:
    """What ignoring every column scores: as it was run; where it was not, what it must be, or None."""
    for entry in result["leaderboard"]:
        if entry["is_baseline"] and entry["error"] is None:
            return _value(result, entry, key)
    return 1 / len(result["target"]["classes"]) if key == "balanced_accuracy" else _OF_CHANCE.get(key)


def kinds_in_words(columns: list[Data]) -> str:
    """'3 numeric, 6 binary and 10 category columns'."""
    counts: dict[str, int] = {}
    for column in columns:
        counts[column["kind"]] = counts.get(column["kind"], 0) + 1
    parts = [f"{n:,} {kind}" for kind, n in sorted(counts.items(), key=lambda item: -item[1])]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "no"
    return f"{listed} {'column' if len(columns) == 1 else 'columns'}"

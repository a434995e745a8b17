"""Numbers and findings in plain words."""

from __future__ import annotations

from typing import Any

Data = dict[str, Any]
NOTHING = "\N{EN DASH}"  # where there is no value
MINUS = "\N{MINUS SIGN}"
_SHARES = {"accuracy", "balanced_accuracy", "positive_accuracy"}
_UNITS = {"rmse", "mse", "mae"}


def short(text: object, most: int = 60) -> str:
    """Cut in the middle when longer than `most`, so that both ends can be told apart."""
    words = " ".join(str(text).split()) or "(blank)"
    if len(words) <= most:
        return words
    head = (most - 1) * 2 // 3
    return f"{words[:head]}…{words[len(words) - (most - 1 - head) :]}"


def amount(value: float | None) -> str:
    """Four significant digits, thousands separated."""
    if value is None:
        return NOTHING
    if value and (abs(value) >= 1e9 or abs(value) < 1e-3):
        return f"{value:.3g}".replace("-", MINUS, 1) if value < 0 else f"{value:.3g}"
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def percent(share: float | None) -> str:
    """A share in percent, one decimal when it is small or nearly all."""
    if share is None:
        return NOTHING
    if 0 < share < 0.001:
        return "< 0.1 %"
    digits = 0 if 0.1 <= share <= 0.9 else 1
    return f"{100 * share:.{digits}f}".removesuffix(".0") + " %"


def chance(probability: float | None) -> str:
    """A probability in percent, two digits when it is small."""
    if probability is None:
        return NOTHING
    return f"{100 * probability:.2g} %" if 0 < probability < 0.01 else percent(probability)


def figure(key: str, value: float | None) -> str:
    """A metric's value as the report prints it."""
    if value is None:
        return NOTHING
    if key in _UNITS:
        return amount(value)
    if key in _SHARES:
        return f"{100 * value:.1f} %"
    value = 0.0 if abs(value) < 0.0005 else value  # no minus zero
    return f"{value:.3f}".replace("-", MINUS)


def interval(key: str, score: Data | None) -> str:
    """'low to high', or '' when there is none."""
    if not score or score.get("low") is None or score.get("high") is None:
        return ""
    low, high = figure(key, score["low"]), figure(key, score["high"])
    return f"{low.removesuffix(' %')} to {high}"


def duration(seconds: float) -> str:
    """Milliseconds, seconds or minutes."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


def counted(n: int, noun: str, plural: str | None = None) -> str:
    """'1 row', '2 rows'."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def headline(result: Data) -> str:
    """What the best model does on rows it has not seen, in one sentence."""
    best, metric, target = result["leaderboard"][0], result["metric"]["key"], result["target"]
    score = best["held_out"].get(metric, {}).get("value")
    name, title = short(target["name"], 40), best["title"]
    if score is None:
        return f"{title} could not be scored on the held-out rows: there are too few of them."
    if metric == "roc_auc":
        positive = short(target["positive"], 30)
        return (
            f"Given one row where {name} is {positive} and one where it is not, {title} tells which is which "
            f"{percent(score)} of the time."
        )
    if metric == "accuracy":
        return f"{title} gets {name} right for {percent(score)} of the rows it has not seen."
    if score <= 0:
        return f"{title} explains nothing of how {name} varies on rows it has not seen."
    off = amount(best["held_out"]["mae"]["value"])
    return f"{title} explains {percent(score)} of how {name} varies; its predictions are off by {off} on average."


def verdict(result: Data) -> tuple[str, str]:
    """A tone ('good', 'fair', 'poor') and a sentence: is the best model worth using?"""
    metric = result["metric"]
    best = result["leaderboard"][0]
    score = best["held_out"].get(metric["key"], {})
    base = _baseline(result, metric["key"])
    if best["is_baseline"]:
        return "poor", "Not worth using: no learner does better than ignoring every column."
    if score.get("value") is None or base is None:
        return "fair", "There is no baseline to compare with."
    sign = 1 if metric["higher_is_better"] else -1
    skill = sign * (score["value"] - base) / max(abs((1.0 if sign > 0 else 0.0) - base), 1e-12)
    worst = score["low"] if sign > 0 else score["high"]
    if skill <= 0 or (worst is not None and sign * (worst - base) <= 0):
        return "poor", "Not worth using yet: on the held-out rows it cannot be told from the baseline."
    share = f"it closes {percent(min(skill, 1.0))} of the gap between the baseline and perfection"
    if skill < 0.2:
        return "fair", f"Better than the baseline, but weak: {share}."
    if skill < 0.6:
        return "good", f"Worth using, with its errors in mind: {share}."
    return "good", f"Worth using: {share}."


def cautions(result: Data) -> list[str]:
    """What the main figure hides: answers no better than the most frequent class, probabilities not to be believed."""
    best = result["leaderboard"][0]
    found: list[str] = []
    if best["is_baseline"] or result["task"] != "classification":
        return found
    right, usual = _value(best, "accuracy"), _baseline(result, "accuracy")
    if right is not None and usual is not None and right <= usual:
        found.append(
            f"Taking the most probable class as the answer is right for {figure('accuracy', right)} of the rows; "
            f"always answering with the most frequent class is right for {figure('accuracy', usual)}. "
            "Use it to rank rows, or choose a threshold on the probability that fits the cost of each error."
        )
    loss, plain = _value(best, "log_loss"), _baseline(result, "log_loss")
    if loss is not None and plain is not None and loss > plain:
        found.append(
            f"Its probabilities are too sure of themselves (log loss {loss:.3f}, baseline {plain:.3f}): "
            "trust the order, not the percentages."
        )
    return found


def _value(entry: Data, key: str) -> float | None:
    value: float | None = entry["held_out"].get(key, {}).get("value")
    return value


def _baseline(result: Data, key: str) -> float | None:
    for entry in result["leaderboard"]:
        if entry["is_baseline"] and entry["error"] is None:
            return _value(entry, key)
    return None


def kinds_in_words(columns: list[Data]) -> str:
    """'3 numeric, 6 binary and 10 category columns'."""
    counts: dict[str, int] = {}
    for column in columns:
        counts[column["kind"]] = counts.get(column["kind"], 0) + 1
    parts = [f"{n:,} {kind}" for kind, n in sorted(counts.items(), key=lambda item: -item[1])]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else "no"
    return f"{listed} {'column' if len(columns) == 1 else 'columns'}"

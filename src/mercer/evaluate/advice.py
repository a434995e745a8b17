"""Under- and over-fitting, told from training against cross-validated scores."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.evaluate.metrics import Metric
from mercer.evaluate.run import Entry

_WIDE = 0.1  # of the learner's lead over the baseline: a training score further ahead than this counts as a gap


def fitting_hint(entry: Entry, everyone: Sequence[Entry], metric: Metric) -> str:
    """One sentence about the best learner; '' when its scores are not defined."""
    trained, checked = entry.training.get(metric.key), entry.cross_validated.get(metric.key)
    if trained is None or checked is None or checked.value is None:
        return ""
    sign = 1 if metric.higher_is_better else -1
    half = (checked.high - checked.low) / 2 if checked.high is not None and checked.low is not None else 0.0
    scores = f"{metric.title} {trained:.3f} on the rows it learned from, {checked.value:.3f} on rows it did not"
    baseline = next((_mean(e, metric) for e in everyone if e.is_baseline), None)
    if entry.is_baseline:
        return "Nothing beats the baseline: the columns say little about the target, or no learner can use it."
    if baseline is not None and sign * (checked.value - baseline) <= half:
        return f"Underfitting, or no signal: hardly better than the baseline ({scores})."
    lead = abs(trained - baseline) if baseline is not None else abs(trained)
    if sign * (trained - checked.value) > max(half, _WIDE * lead):
        return f"Overfitting: {scores}. More rows, fewer columns or a simpler model would help."
    return f"No sign of overfitting: {scores}."


def _mean(entry: Entry, metric: Metric) -> float | None:
    score = entry.cross_validated.get(metric.key)
    return None if score is None else score.value

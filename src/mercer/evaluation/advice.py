"""Underfitting and overfitting, recognised by training against cross-validated scores."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.evaluation.metrics import Metric
from mercer.evaluation.run.records import Entry

_WIDE = 0.1  # of the learner's lead over the baseline: a training score ahead by more counts as overfitting


def fitting_hint(entry: Entry, everyone: Sequence[Entry], metric: Metric) -> str:
    """One sentence about the best learner; '' when its scores are not defined."""
    trained, tested = entry.training.get(metric.key), entry.cross_validated.get(metric.key)
    if trained is None or tested is None or tested.value is None:
        return ""
    sign = 1 if metric.higher_is_better else -1
    half = (tested.high - tested.low) / 2 if tested.high is not None and tested.low is not None else 0.0
    scores = f"{metric.title} {trained:.3f} on its training rows, {tested.value:.3f} in cross-validation"
    baseline = next((_mean(e, metric) for e in everyone if e.is_baseline), None)
    if entry.is_baseline:
        return "Nothing beats the baseline: the columns tell little about the target, or no learner can use it."
    if baseline is not None and sign * (tested.value - baseline) <= half:
        return f"Underfitting, no signal or too few rows: its lead over the baseline is within its error ({scores})."
    lead = abs(trained - baseline) if baseline is not None else abs(trained)
    gap = sign * (trained - tested.value)
    if half >= gap > _WIDE * lead:
        return (
            f"Whether it overfits cannot be told: the gap is within the error of the cross-validated score ({scores})."
        )
    if gap > max(half, _WIDE * lead):
        others = any(not (e.is_baseline or e.error or e is entry) for e in everyone)
        best = entry is everyone[0] and others  # a forest all but repeats its training rows, and is often the best
        also = "No other learner here predicts new rows better." if best else "So may a simpler model."
        return f"Overfitting: {scores}. More rows or fewer columns may help. {also}"
    return f"No sign of overfitting: {scores}."


def _mean(entry: Entry, metric: Metric) -> float | None:
    score = entry.cross_validated.get(metric.key)
    return None if score is None else score.value

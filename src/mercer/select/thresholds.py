"""From the probability of one of two classes to a decision: the threshold of least cost, of best F1, or one given."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mercer.arrays import Bools, Floats
from mercer.errors import MercerError
from mercer.select.auc import Ranked

RULES = ("cost", "f1")


@dataclass(frozen=True, slots=True)
class Costs:
    """What a missed positive row and a false alarm cost.

    Attributes
    ----------
    fn, fp : float
        Cost of a false negative and of a false positive, 0 or more.
    """

    fn: float
    fp: float

    def __post_init__(self) -> None:
        for name in ("fn", "fp"):
            value = getattr(self, name)
            if not (value >= 0 and math.isfinite(value)):
                raise MercerError(f"cost {name}={value:g}: a cost is 0 or more.")
        if self.fn == self.fp == 0:
            raise MercerError("cost: both errors cost nothing. Give at least one of them a cost above 0.")


@dataclass(frozen=True, slots=True)
class ThresholdLine:
    """What calling every row of at least this probability positive leads to.

    Attributes
    ----------
    threshold : float
        Least probability of the positive class that is called positive.
    true_positive, false_positive, false_negative, true_negative : float
        Rows, or their weights.
    precision, recall : float or None
        Of the rows called positive, the share that is; of the positive rows, the share found. None of no rows.
    flagged : float
        Share of the rows called positive.
    cost : float or None
        Mean cost of a row, when costs are given.
    """

    threshold: float
    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float
    precision: float | None
    recall: float | None
    flagged: float
    cost: float | None


def choose_threshold(
    positive: Bools, probability: Floats, rule: str | float, costs: Costs | None = None, weight: Floats | None = None
) -> float:
    """The threshold of least cost or of largest F1 on these rows, half-way to the next lower probability.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
        Which rows are of the positive class.
    probability : ndarray of shape (n_rows,)
        Predicted for them by models that were not fitted to them.
    rule : {"cost", "f1"} or float
        What is to be best; a number is taken as it is.
    costs : Costs, optional
        For "cost".
    weight : ndarray of shape (n_rows,), optional
        Of each row.

    Returns
    -------
    threshold : float
        Rows of at least this probability are called positive.

    Raises
    ------
    MercerError
        No such rule, a number outside 0 to 1, or "cost" without costs.
    """
    if not isinstance(rule, str):
        if not 0 <= rule <= 1:
            raise MercerError(f"threshold {rule:g}: a threshold on a probability lies between 0 and 1.")
        return float(rule)
    if rule not in RULES:
        raise MercerError(f"threshold {rule!r}: give a number from 0 to 1, or one of {', '.join(map(repr, RULES))}.")
    if rule == "cost" and costs is None:
        raise MercerError("threshold 'cost': say what the errors cost, for example --cost fn=20,fp=1.")
    ranked = Ranked(positive, probability)
    true, false = ranked.counts(np.ones(len(positive)) if weight is None else weight)
    true, false = np.append(0.0, true), np.append(0.0, false)  # first: no row is called positive
    if rule == "f1":
        best = int(np.argmax(2 * true / np.maximum(true + false + true[-1], 1e-300)))
    else:
        assert costs is not None
        best = int(np.argmin(costs.fn * (true[-1] - true) + costs.fp * false))
    levels = np.append(np.append(1.0, ranked.thresholds), 0.0)  # of probabilities, in falling order
    if best == 0:
        return float((1.0 + levels[1]) / 2) if levels[1] < 1 else math.nextafter(1.0, 2.0)
    return float((levels[best] + levels[best + 1]) / 2)


def threshold_line(
    positive: Bools, probability: Floats, threshold: float, costs: Costs | None = None, weight: Floats | None = None
) -> ThresholdLine:
    """What a threshold leads to on these rows.

    Parameters
    ----------
    positive, probability, costs, weight
        As for `choose_threshold`.
    threshold : float
        Rows of at least this probability are called positive.

    Returns
    -------
    ThresholdLine
        Counts, precision, recall, share flagged and cost.
    """
    mass = np.ones(len(positive)) if weight is None else weight
    called = probability >= threshold
    parts = (called & positive, called & ~positive, ~called & positive, ~called & ~positive)
    tp, fp, fn, tn = (float(mass[part].sum()) for part in parts)
    total = tp + fp + fn + tn
    return ThresholdLine(
        threshold,
        tp,
        fp,
        fn,
        tn,
        precision=tp / (tp + fp) if tp + fp else None,
        recall=tp / (tp + fn) if tp + fn else None,
        flagged=(tp + fp) / total,
        cost=None if costs is None else (costs.fn * fn + costs.fp * fp) / total,
    )

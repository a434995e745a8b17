"""From the probability of one of two classes to a decision: the threshold that a rule asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from mercer.arrays import Bools, Floats
from mercer.errors import MercerError
from mercer.select.auc import Ranked

Rule: TypeAlias = Literal[
    "cost",
    "youden",
    "f1",
    "mcc",
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "f1_weighted",
    "recall",
    "precision",
    "top",
    "given",
]
# named as the metric that is largest there
METRIC_RULES = ("f1", "mcc", "accuracy", "balanced_accuracy", "f1_macro", "f1_weighted")
_BARE = ("cost", "youden", *METRIC_RULES)
RULES = ("cost", *METRIC_RULES, "youden", "recall=0.9", "precision=0.5", "top=100")  # as users write them
_MET = 1e-12  # a share of 0.9 that was summed from rows may be this much below it


@dataclass(frozen=True, slots=True)
class Threshold:
    """From which probability a row is called positive, as a rule.

    Attributes
    ----------
    rule : str
        "cost": least cost; "youden": largest TPR - FPR (Youden 1950); "f1" (of the positive class), "mcc", "accuracy",
        "balanced_accuracy", "f1_macro", "f1_weighted": largest value of that metric; "recall": largest
        precision of those with a recall of at least `value`; "precision": largest recall of those with a precision of
        at least `value`; "top": the `value` most probable rows of a table; "given": the threshold `value`.
    value : float, optional
        Of the rules that need one.

    Examples
    --------
    >>> from mercer.select.thresholds import Threshold
    >>> Threshold.read("recall=0.9")
    Threshold(rule='recall', value=0.9)
    >>> str(Threshold.read("top=100")), Threshold.read(0.3) == Threshold.read("0.3")
    ('top=100', True)
    """

    rule: Rule
    value: float | None = None

    def __str__(self) -> str:
        if self.value is None:
            return self.rule
        value = f"{self.value:.15g}"
        return value if self.rule == "given" else f"{self.rule}={value}"

    @classmethod
    def read(cls, given: Any) -> Threshold | None:
        """A threshold as users write it.

        Parameters
        ----------
        given : Threshold, str, float or None
            One of `RULES`, or a number from 0 to 1.

        Returns
        -------
        Threshold or None
            None for None.

        Raises
        ------
        MercerError
            It is none of these, or its number is out of range.
        """
        if given is None or isinstance(given, Threshold):
            return given
        name, _, text = str(given).replace(" ", "").lower().partition("=")
        if not text and name in _BARE:
            return cls(cast(Rule, name))
        value = _number(text or name)
        if name == "top" and text and value >= 1 and value == int(value):
            return cls("top", value)
        if name in ("recall", "precision") and 0 < value <= 1:
            return cls(cast(Rule, name), value)
        if not text and 0 <= value <= 1:
            return cls("given", value)
        raise MercerError(
            f"threshold {str(given)!r}: give a number from 0 to 1, or one of {', '.join(RULES)} "
            "(recall and precision above 0 and at most 1, top a number of rows)."
        )


def _number(text: str) -> float:
    """A number, or a percentage as a share; NaN where it is neither."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


@dataclass(frozen=True, slots=True)
class RowCosts:
    """What each row costs when it is called positive, and when it is not.

    Attributes
    ----------
    positive, negative : ndarray of shape (n_rows,)
        Cost of the row when called so.
    """

    positive: Floats
    negative: Floats


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


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    """A threshold, and whether it is what was asked for or only the nearest that can be had.

    Attributes
    ----------
    value : float
        Rows of at least this probability are called positive.
    reached : bool
        False where no threshold has the recall or precision asked for.
    """

    value: float
    reached: bool = True


class Operating:
    """Every threshold of these rows in falling order, from the one that calls no row positive; counts at each.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
        Which rows are of the positive class.
    probability : ndarray of shape (n_rows,)
        Predicted for them by models that were not fitted to them.
    costs : RowCosts, optional
        Of each row.
    weight : ndarray of shape (n_rows,), optional
        Of each row.

    Attributes
    ----------
    true, false : ndarray of shape (n_thresholds,)
        Weight of positive and of other rows that are called positive.
    thresholds : ndarray of shape (n_thresholds,)
        Half-way to the next lower probability.
    cost : ndarray of shape (n_thresholds,) or None
        Mean cost of a row.
    """

    def __init__(
        self, positive: Bools, probability: Floats, costs: RowCosts | None = None, weight: Floats | None = None
    ) -> None:
        mass = np.ones(len(positive)) if weight is None else weight
        ranked = Ranked(positive, probability)
        true, false = ranked.counts(mass)
        self.true, self.false = np.append(0.0, true), np.append(0.0, false)
        self.total = float(mass.sum())
        self._levels = ranked.thresholds
        levels = np.concatenate([[1.0], ranked.thresholds, [0.0]])
        self.thresholds = (levels[:-1] + levels[1:]) / 2
        if levels[1] >= 1:
            self.thresholds[0] = math.nextafter(1.0, 2.0)
        self.cost = None
        if costs is not None:
            saved = np.cumsum((mass * (costs.positive - costs.negative))[ranked.order])[ranked.ends]
            self.cost = (float((mass * costs.negative).sum()) + np.append(0.0, saved)) / self.total

    def place(self, threshold: float) -> int:
        """Which of the thresholds calls the same rows positive as a number does."""
        return int(np.searchsorted(-self._levels, -threshold, side="right"))

    def goal(self, rule: str) -> Floats:
        """What a rule wants to be large, at each threshold.

        Parameters
        ----------
        rule : str
            "cost" (minus the cost), "youden", or one of `METRIC_RULES`.

        Returns
        -------
        ndarray of shape (n_thresholds,)
            Values.
        """
        if rule == "cost":
            assert self.cost is not None
            return -self.cost
        positive, negative = float(self.true[-1]), float(self.false[-1])
        rejected = negative - self.false
        specificity = rejected / max(negative, 1e-300)
        called = self.true + self.false
        f1 = 2 * self.true / np.maximum(called + positive, 1e-300)
        other_f1 = 2 * rejected / np.maximum(self.total - called + negative, 1e-300)
        goals: dict[str, Floats] = {
            "f1": f1,
            "mcc": self._matthews(),
            "youden": self.recall + specificity - 1,
            "accuracy": (self.true + rejected) / self.total,
            "balanced_accuracy": (self.recall + specificity) / 2,
            "f1_macro": (f1 + other_f1) / 2,
            "f1_weighted": (positive * f1 + negative * other_f1) / self.total,
        }
        return goals[rule]

    def _matthews(self) -> Floats:
        """(tp tn - fp fn) / sqrt(positive negative called others); 0 where all rows are called one class."""
        positive, negative = float(self.true[-1]), float(self.false[-1])
        called = self.true + self.false
        product = self.true * (negative - self.false) - self.false * (positive - self.true)
        spread = positive * negative * called * (self.total - called)
        found: Floats = np.where(spread > 0, product / np.sqrt(np.maximum(spread, 1e-300)), 0.0)
        return found

    @property
    def recall(self) -> Floats:
        """Share of the positive rows that is found; 0 when there are none."""
        found: Floats = self.true / max(float(self.true[-1]), 1e-300)
        return found

    @property
    def precision(self) -> Floats:
        """Share of the rows called positive that is; 0 where none is called so."""
        found: Floats = self.true / np.maximum(self.true + self.false, 1e-300)
        return found


def choose_threshold(
    positive: Bools,
    probability: Floats,
    asked: Threshold | str | float,
    costs: RowCosts | None = None,
    weight: Floats | None = None,
) -> ChosenThreshold:
    """The threshold that a rule asks for on these rows, half-way to the next lower probability.

    Parameters
    ----------
    positive : ndarray of shape (n_rows,)
        Which rows are of the positive class.
    probability : ndarray of shape (n_rows,)
        Predicted for them by models that were not fitted to them.
    asked : Threshold, str or float
        The rule, as `Threshold.read` takes it; a number is taken as it is.
    costs : RowCosts, optional
        For "cost".
    weight : ndarray of shape (n_rows,), optional
        Of each row.

    Returns
    -------
    ChosenThreshold
        Rows of at least this probability are called positive. Where no threshold has the precision asked for, the one
        of largest precision.

    Raises
    ------
    MercerError
        No such rule, "cost" without costs, or more rows asked for than there are.
    """
    wanted = Threshold.read(asked)
    assert wanted is not None
    if wanted.rule == "given":
        return ChosenThreshold(float(wanted.value or 0.0))
    if wanted.rule == "cost" and costs is None:
        raise MercerError("threshold 'cost': say what the errors cost, for example --cost fn=20,fp=1.")
    if wanted.rule == "top":
        return _top(probability, int(wanted.value or 1))
    points = Operating(positive, probability, costs, weight)
    if wanted.rule in ("recall", "precision"):
        return _bounded(points, wanted)
    return ChosenThreshold(float(points.thresholds[np.argmax(points.goal(wanted.rule))]))


def _bounded(points: Operating, wanted: Threshold) -> ChosenThreshold:
    """The largest precision with at least a recall, or the other way round."""
    bound, goal = (points.recall, points.precision)[:: 1 if wanted.rule == "recall" else -1]
    able = bound >= float(wanted.value or 0.0) - _MET
    if able.any():
        return ChosenThreshold(float(points.thresholds[np.argmax(np.where(able, goal, -1.0))]))
    best = bound >= bound.max() - _MET
    return ChosenThreshold(float(points.thresholds[np.argmax(np.where(best, goal, -1.0))]), reached=False)


def _top(probability: Floats, count: int) -> ChosenThreshold:
    """Half-way between the last row that is called positive and the next."""
    if count > len(probability):
        raise MercerError(
            f"threshold 'top={count}': there are {len(probability):,} rows to choose from. Ask for fewer."
        )
    falling = np.append(-np.sort(-probability), 0.0)
    return ChosenThreshold(float((falling[count - 1] + falling[count]) / 2))


def threshold_line(
    positive: Bools,
    probability: Floats,
    threshold: float,
    costs: RowCosts | None = None,
    weight: Floats | None = None,
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
    return called_line(positive, probability >= threshold, threshold, costs, weight)


def called_line(
    positive: Bools, called: Bools, threshold: float, costs: RowCosts | None = None, weight: Floats | None = None
) -> ThresholdLine:
    """What calling these rows positive leads to; the threshold is only shown beside it."""
    mass = np.ones(len(positive)) if weight is None else weight
    parts = (called & positive, called & ~positive, ~called & positive, ~called & ~positive)
    tp, fp, fn, tn = (float(mass[part].sum()) for part in parts)
    total = tp + fp + fn + tn
    cost = None
    if costs is not None:
        cost = float((mass * np.where(called, costs.positive, costs.negative)).sum()) / total
    return ThresholdLine(
        threshold,
        tp,
        fp,
        fn,
        tn,
        precision=tp / (tp + fp) if tp + fp else None,
        recall=tp / (tp + fn) if tp + fn else None,
        flagged=(tp + fp) / total,
        cost=cost,
    )

"""What the report says of linear and logistic regression: coefficients with their tests, and measures of fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer import formatting
from mercer.estimators.common.explanations.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.linear.coefficients import LEGEND, Coefficients
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.estimators.linear.summary import INTERCEPT, column_notes
from mercer.formatting import amount, short
from mercer.table.schema import representatives

MOST_LINES, FEW_LINES = (25, 10)  # coefficients of one table, of the best learner and of the others
MOST_TABLES = 3  # classes compared with the reference class

_EFFECT = (
    "The effect of a column: the change in {what} when a number rises by one standard deviation, or a level takes the "
    "place of the one it is compared with, and the other columns stay the same."
)
_ODDS = " The odds ratio is the factor by which the odds change."
_MEASURES = {  # of the whole fit, in the order of reading
    "R^2": ("R²", "share of the variance explained"),
    "adjusted R^2": ("Adjusted R²", "corrected for the number of coefficients"),
    "pseudo R^2": ("Pseudo R²", "McFadden's: 1 − log likelihood / log likelihood of the intercept alone"),
    "F": ("F", "all coefficients against none"),
    "likelihood ratio": ("Likelihood ratio", "all coefficients against none"),
    "residual standard error": ("Residual standard error", "in units of the target"),
    "AIC": ("AIC", "smaller is better, among models of the same rows"),
    "BIC": ("BIC", "as AIC, with a stronger penalty per coefficient"),
}
_P_VALUES = {"F": "p of F", "likelihood ratio": "p of the ratio"}


@dataclass(frozen=True, slots=True)
class CoefficientLine:
    """One coefficient; None where there is nothing to test. `reference`: the level that this level is compared with.

    `estimate` is for a step of one in the column. `effect`, its `error`, its interval from `low` to `high` and `ratio`
    are for a step of `step`: one standard deviation of a number, else 1.
    """

    name: str
    reference: str | None
    estimate: float
    step: float
    unit: str  # of the step: "" or "days"
    effect: float
    error: float
    statistic: float
    p: float
    stars: str
    low: float
    high: float
    ratio: float | None  # exp(effect), of the odds; None of the intercept, and of a linear regression


@dataclass(frozen=True, slots=True)
class CoefficientTable:
    """The coefficients with the largest statistics, in the order of the columns; `n_lines` counts all of them."""

    title: str
    lines: list[CoefficientLine]
    n_lines: int
    n_significant: int  # p below 0.05, without the intercept


@dataclass(frozen=True, slots=True)
class LinearDetails:
    """Tables (one, or one a class), measures such as R^2, residual quantiles, notes, and the legend of stars."""

    logistic: bool
    reference_class: str | None
    positive: str | None  # of two classes
    statistic: str  # "t" or "z"
    tested: bool  # whether there are standard errors
    level: float
    tables: list[CoefficientTable]
    n_tables: int
    figures: dict[str, float]
    residuals: dict[str, float]
    notes: list[str]
    legend: str
    rows: int


def explain_linear(fitted: FittedLearner) -> ModelExplanation:
    """Coefficients, their tests, and measures of the whole fit."""
    found = _details(fitted)
    name = short(fitted.target.name, 40)
    who = f"{name} = {short(found.positive, 30)}" if found.positive else "a class"
    lead = _EFFECT.format(what=f"the log odds of {who}") + _ODDS if found.logistic else _EFFECT.format(what=name)
    if any(column.is_date for column in representatives(fitted.model.schema_.columns)):
        lead += " A date rises by one day."
    return ModelExplanation("linear", lead, _facts(found), found)


def _details(fitted: FittedLearner) -> LinearDetails:
    model = fitted.model
    summary = model.summary(fitted.level)
    logistic = isinstance(model, LogisticRegression)
    tables = list(summary.tables.values())
    positive = _positive(fitted) if logistic else None
    reference = fitted.classes[0] if logistic else None
    titles = [f"{name} against {reference}" for name in fitted.classes[1:]] if logistic else [""]
    if positive is not None and positive == reference:
        reference = fitted.classes[1]
        tables, titles = [replace(tables[0], estimate=-tables[0].estimate)], [f"{positive} against {reference}"]
    shown = _frequent(fitted) if logistic else [0]
    references = _references(model)
    most = MOST_LINES if fitted.full else FEW_LINES
    shown_elsewhere = set(column_notes(model.baselines_, {}))  # beside each coefficient
    return LinearDetails(
        logistic=logistic,
        reference_class=reference,
        positive=positive,
        statistic="z" if logistic else "t",
        tested=bool(np.isfinite(tables[0].error).any()),
        level=fitted.level,
        tables=[_table(titles[k], tables[k], references, fitted, most) for k in shown],
        n_tables=len(tables),
        figures={name: float(value) for name, value in summary.figures.items()},
        residuals=dict(summary.residuals),
        notes=[note for note in summary.notes if note not in shown_elsewhere],
        legend=LEGEND,
        rows=model.n_rows_,
    )


def _facts(found: LinearDetails) -> list[Fact]:
    facts = [Fact("Rows", f"{found.rows:,}")]
    for key, (label, remark) in _MEASURES.items():
        value, p = (found.figures.get(key, np.nan), found.figures.get(_P_VALUES.get(key, ""), np.nan))
        if np.isfinite(value):
            facts.append(Fact(label, amount(value), f"{remark}; {p_value(p)}" if np.isfinite(p) else remark))
    return facts


def p_value(p: float) -> str:
    """'p = 0.012', or 'p < 0.001'."""
    found = formatting.p_value(p)
    return f"p {found}" if found.startswith("<") else f"p = {found}"


def _frequent(fitted: FittedLearner) -> list[int]:
    """Tables of the most frequent classes, without the reference class."""
    ranked = np.argsort(-fitted.rows_per_class()[1:], kind="stable")
    return sorted(ranked[: MOST_TABLES if fitted.full else 1].tolist())


def _references(model: Any) -> dict[str, str]:
    """Coefficient of a level -> the level it is compared with."""
    baselines = model.baselines_
    owners = zip(model.term_names_, model.design_.owners, strict=True)
    return {name: baselines[o] for name, o in owners if o in baselines and name.startswith(f"{o}=")}


def _positive(fitted: FittedLearner) -> str | None:
    """The positive class of two; None of several."""
    target = fitted.target
    return None if target.positive is None or len(fitted.classes) != 2 else str(target.classes[target.positive])


def _table(
    title: str, table: Coefficients, references: dict[str, str], fitted: FittedLearner, most: int
) -> CoefficientTable:
    p, test, ends = table.p_value, np.abs(table.statistic), table.interval
    size = test if np.isfinite(test).any() else np.abs(table.estimate)
    size = np.where(np.isnan(size), -1.0, size)
    slopes = np.array([name != INTERCEPT for name in table.names])
    order = np.argsort(np.where(slopes, -size, -np.inf), kind="stable")[:most]
    steps = np.array([fitted.deviations.get(name, 1.0) for name in table.names])
    ratios = replace(table, estimate=table.estimate * steps).odds_ratio
    lines = [
        CoefficientLine(
            table.names[j], references.get(table.names[j]), float(table.estimate[j]),
            step=float(steps[j]), unit="days" if table.names[j] in fitted.dates else "",
            effect=float(table.estimate[j] * steps[j]), error=float(table.error[j] * steps[j]),
            statistic=float(table.statistic[j]), p=float(p[j]), stars=table.stars[j],
            low=float(ends[j, 0] * steps[j]), high=float(ends[j, 1] * steps[j]),
            ratio=float(ratios[j]) if table.ratios and slopes[j] else None,
        )
        for j in np.sort(order)
    ]  # fmt: skip
    return CoefficientTable(title, lines, len(table), int((slopes & (p < 0.05)).sum()))

"""What the report says of linear and logistic regression: coefficients with their tests, and measures of fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.estimators.common.model_explanation import Fact, FittedLearner, ModelExplanation
from mercer.estimators.linear.coefficients import LEGEND, Coefficients
from mercer.estimators.linear.logistic_regression import LogisticRegression
from mercer.estimators.linear.summary import INTERCEPT, column_notes
from mercer.formatting import amount, short

MOST_LINES, FEW_LINES = 25, 10  # coefficients of one table, of the best learner and of the others
MOST_TABLES = 3  # classes compared with the reference class

_EFFECT = "the change in {what} when the column rises by one and the others stay the same"
_LOGISTIC = (
    f"Each coefficient: {_EFFECT.format(what='the log odds of a class')}; the odds ratio is the factor by which the "
    "odds change."
)
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
    """One coefficient; None where there is nothing to test. `reference`: the level that this level is compared with."""

    name: str
    reference: str | None
    estimate: float
    error: float
    statistic: float
    p: float
    stars: str
    low: float
    high: float
    ratio: float | None  # exp(estimate), of the odds


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
    lead = _LOGISTIC if found.logistic else f"Each coefficient: {_EFFECT.format(what=name)}."
    return ModelExplanation("linear", lead, _facts(found), found)


def _details(fitted: FittedLearner) -> LinearDetails:
    model = fitted.model
    summary = model.summary(fitted.level)
    logistic = isinstance(model, LogisticRegression)
    tables = list(summary.tables.values())
    titles = [f"{name} against {fitted.classes[0]}" for name in fitted.classes[1:]] if logistic else [""]
    shown = _frequent(fitted) if logistic else [0]
    references = _references(model)
    most = MOST_LINES if fitted.full else FEW_LINES
    shown_elsewhere = set(column_notes(model.baselines_, {}))  # beside each coefficient
    return LinearDetails(
        logistic=logistic,
        reference_class=fitted.classes[0] if logistic else None,
        statistic="z" if logistic else "t",
        tested=bool(np.isfinite(tables[0].error).any()),
        level=fitted.level,
        tables=[_table(titles[k], tables[k], references, most) for k in shown],
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
        value, p = found.figures.get(key, np.nan), found.figures.get(_P_VALUES.get(key, ""), np.nan)
        if np.isfinite(value):
            facts.append(Fact(label, amount(value), f"{remark}; {p_value(p)}" if np.isfinite(p) else remark))
    return facts


def p_value(p: float) -> str:
    """'p = 0.012', or 'p < 0.001'."""
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"


def _frequent(fitted: FittedLearner) -> list[int]:
    """Tables of the most frequent classes, without the reference class."""
    ranked = np.argsort(-fitted.rows_per_class()[1:], kind="stable")
    return sorted(ranked[: MOST_TABLES if fitted.full else 1].tolist())


def _references(model: Any) -> dict[str, str]:
    """Coefficient of a level -> the level it is compared with."""
    baselines = model.baselines_
    owners = zip(model.term_names_, model.design_.owners, strict=True)
    return {name: baselines[o] for name, o in owners if o in baselines and name.startswith(f"{o}=")}


def _table(title: str, table: Coefficients, references: dict[str, str], most: int) -> CoefficientTable:
    p, test, ends = table.p_value, np.abs(table.statistic), table.interval
    size = test if np.isfinite(test).any() else np.abs(table.estimate)
    size = np.where(np.isnan(size), -1.0, size)
    slopes = np.array([name != INTERCEPT for name in table.names])
    order = np.argsort(np.where(slopes, -size, -np.inf), kind="stable")[:most]
    ratios = table.odds_ratio if table.ratios else None
    lines = [
        CoefficientLine(
            table.names[j], references.get(table.names[j]), float(table.estimate[j]), float(table.error[j]),
            float(table.statistic[j]), float(p[j]), table.stars[j], float(ends[j, 0]), float(ends[j, 1]),
            None if ratios is None else float(ratios[j]),
        )
        for j in np.sort(order)
    ]  # fmt: skip
    return CoefficientTable(title, lines, len(table), int((slopes & (p < 0.05)).sum()))

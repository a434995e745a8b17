"""Linear and logistic regression: coefficients with their tests, and the figures of the whole fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.estimators.linear.coefficients import LEGEND, Coefficients
from mercer.estimators.linear.logistic_regression import LogisticRegression
from mercer.estimators.linear.summary import INTERCEPT, column_notes
from mercer.evaluate.explanations.subject import Subject

MOST_LINES, FEW_LINES = 25, 10  # coefficients of one table, of the best learner and of the others
MOST_TABLES = 3  # classes compared with the reference class


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
    """The coefficients that can best be told from 0, in the order of the columns; `n_lines` before it was shortened."""

    title: str
    lines: list[CoefficientLine]
    n_lines: int
    n_clear: int  # p below 0.05, the intercept apart


@dataclass(frozen=True, slots=True)
class CoefficientAccount:
    """Tables (one, or one a class), figures such as R^2, residual quantiles, remarks, and the legend of stars."""

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


def coefficient_account(subject: Subject) -> CoefficientAccount:
    model, ground = subject.model, subject.ground
    summary = model.summary(ground.options.level)
    logistic = isinstance(model, LogisticRegression)
    tables = list(summary.tables.values())
    titles = [f"{name} against {subject.classes[0]}" for name in subject.classes[1:]] if logistic else [""]
    shown = _common(subject) if logistic else [0]
    references = _references(model)
    most = MOST_LINES if subject.full else FEW_LINES
    told = set(column_notes(model.baselines_, {}))
    return CoefficientAccount(
        logistic=logistic,
        reference_class=subject.classes[0] if logistic else None,
        statistic="z" if logistic else "t",
        tested=bool(np.isfinite(tables[0].error).any()),
        level=ground.options.level,
        tables=[_table(titles[k], tables[k], references, most) for k in shown],
        n_tables=len(tables),
        figures={name: float(value) for name, value in summary.figures.items()},
        residuals=dict(summary.residuals),
        notes=[note for note in summary.notes if note not in told],
        legend=LEGEND,
        rows=model.n_rows_,
    )


def _common(subject: Subject) -> list[int]:
    """Tables of the most frequent classes, the reference apart."""
    target = subject.ground.target
    counts = dict(zip(target.classes, np.bincount(target.codes, minlength=len(target.classes)), strict=True))
    ranked = sorted(range(1, len(subject.classes)), key=lambda c: -counts[subject.classes[c]])
    return sorted(c - 1 for c in ranked[: MOST_TABLES if subject.full else 1])


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

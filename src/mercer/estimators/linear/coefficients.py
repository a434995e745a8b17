"""Tables of coefficients with their tests, readable in a terminal and in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape

import numpy as np
from scipy import special

from mercer.arrays import Floats
from mercer.estimators.common.explanations.text_table import html_table, text_table
from mercer.formatting import p_value

_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."))
LEGEND = "*** p < 0.001, ** p < 0.01, * p < 0.05, . p < 0.1"


def stars(p: float) -> str:
    """Degree of significance: '***' below 0.001, '**' below 0.01, '*' below 0.05, '.' below 0.1."""
    return next((mark for bound, mark in _STARS if p < bound), "")


@dataclass(frozen=True)
class Coefficients:
    """b_j, its standard error s_j, the Wald statistic b_j / s_j, p = P(|T| >= |b_j / s_j|), and b_j -+ q s_j.

    NaN where there is nothing to test: an aliased column, or no degree of freedom left.

    Attributes
    ----------
    names : list of str
        What each coefficient belongs to.
    estimate : ndarray of shape (n,)
        b_j.
    error : ndarray of shape (n,)
        s_j.
    df : float or None
        Degrees of freedom of Student's t; None for the normal distribution.
    level : float
        Of the confidence intervals.
    ratios : bool
        Whether the odds ratios exp(b_j) are shown too.
    """

    names: list[str]
    estimate: Floats
    error: Floats
    df: float | None = None
    level: float = 0.95
    ratios: bool = False

    @property
    def statistic(self) -> Floats:
        """b_j / s_j."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = self.estimate / self.error
        return found

    @property
    def p_value(self) -> Floats:
        """Of the two-sided test of b_j = 0."""
        size = np.abs(self.statistic)
        found: Floats = 2 * (special.ndtr(-size) if self.df is None else special.stdtr(self.df, -size))
        return found

    @property
    def interval(self) -> Floats:
        """Lower and upper ends of the confidence intervals, (n, 2)."""
        tail = (1 + self.level) / 2
        q = special.ndtri(tail) if self.df is None else special.stdtrit(self.df, tail)
        return np.column_stack([self.estimate - q * self.error, self.estimate + q * self.error])

    @property
    def odds_ratio(self) -> Floats:
        """exp(b_j)."""
        with np.errstate(over="ignore"):
            found: Floats = np.exp(self.estimate)
        return found

    @property
    def stars(self) -> list[str]:
        """The degree of significance of each coefficient."""
        return [stars(p) for p in self.p_value]

    def __len__(self) -> int:
        return len(self.names)

    def grid(self) -> list[list[str]]:
        """The lines of the table as texts, headings first."""
        letter = "z" if self.df is None else "t"
        share = f"{self.level:.0%}"
        head = ["covariate", "estimate", "std. error", f"{letter} value", "p-value", "", f"{share} from", "to"]
        rows = [head + (["odds ratio"] if self.ratios else [])]
        ends, p_values, tests, odds = self.interval, self.p_value, self.statistic, self.odds_ratio
        for j, name in enumerate(self.names):
            row = [
                name, _short(self.estimate[j]), _short(self.error[j]), _fixed(tests[j], 2), _p_value(p_values[j]),
                f"{stars(p_values[j]):<3}", _short(ends[j, 0]), _short(ends[j, 1]),
            ]  # fmt: skip
            rows.append(row + ([_short(odds[j])] if self.ratios else []))
        return rows


@dataclass(frozen=True)
class Summary:
    """What statistics packages print of a fit: tables of coefficients, figures of the whole fit, notes.

    Attributes
    ----------
    title : str
        What was fitted to how many rows.
    tables : dict of str to Coefficients
        One table, or one for each class but the first.
    figures : dict of str to float
        R^2, F, log likelihood, AIC and the like; `summary["AIC"]` reads one.
    residuals : dict of str to float
        Quantiles of the residuals.
    notes : tuple of str
        Baselines, fill values, aliased columns, penalties.
    """

    title: str
    tables: dict[str, Coefficients]
    figures: dict[str, float]
    residuals: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def coefficients(self) -> Coefficients:
        """All tables as one; of several, a name says whose it is: "b against a: age"."""
        first, *others = self.tables.values()
        if not others:
            return first
        return replace(
            first,
            names=[f"{title}: {name}" for title, table in self.tables.items() for name in table.names],
            estimate=np.concatenate([table.estimate for table in self.tables.values()]),
            error=np.concatenate([table.error for table in self.tables.values()]),
        )

    def __getitem__(self, figure: str) -> float:
        return self.figures[figure]

    def _facts(self) -> list[list[str]]:
        return [["", "value"], *([name, _short(value)] for name, value in self.figures.items())]

    def _spread(self) -> list[list[str]]:
        return [["residuals", *self.residuals], ["", *(_short(v) for v in self.residuals.values())]]

    def __repr__(self) -> str:
        parts = [self.title]
        parts += [f"{name}\n{text_table(t.grid())}".lstrip("\n") for name, t in self.tables.items()]
        parts += [f"  {LEGEND}"]
        parts += [text_table(self._spread())] if self.residuals else []
        parts += [text_table(self._facts()[1:]), *self.notes]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escape(self.title)}</h4>"]
        parts += [f"<h5>{escape(name)}</h5>{html_table(t.grid())}" for name, t in self.tables.items()]
        parts += [f"<p>{escape(LEGEND)}</p>", html_table(self._spread()) if self.residuals else ""]
        parts += [html_table(self._facts()), *(f"<p>{escape(note)}</p>" for note in self.notes)]
        return "".join(parts)


def _short(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"


def _p_value(p: float) -> str:
    return "" if np.isnan(p) else p_value(p)


def _fixed(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"

"""What is known about a least-squares fit beside its coefficients: errors, residuals, influence of single rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.solvers.linear.least_squares import LeastSquares
from mercer.solvers.linear.moments import Moments
from mercer.solvers.row_chunks import Sums, chunks, sum_rows
from mercer.state import Reader, State

ERRORS = ("classical", "HC0", "HC1", "HC2", "HC3")
QUANTILES = {"min": 0.0, "1st quartile": 0.25, "median": 0.5, "3rd quartile": 0.75, "max": 1.0}


@dataclass(frozen=True)
class LinearFit:
    """Sums of squares, degrees of freedom and the covariance of (intercept, coefficients).

    classical: s^2 (X'WX)^-1,  s^2 = sum w r^2 / (n - k). Robust (White 1980, MacKinnon & White 1985):
    (X'WX)^-1 [sum_i a_i w_i^2 r_i^2 x_i x_i'] (X'WX)^-1 with a_i = 1 (HC0), n / (n - k) (HC1), 1 / (1 - h_i) (HC2),
    1 / (1 - h_i)^2 (HC3), h_i the leverage. With a penalty, k is the effective number of parameters.
    """

    rows: int
    parameters: float  # k, the intercept included
    residual_squares: float
    total_squares: float
    log_weights: float  # sum of log w
    covariance: Floats  # (d + 1, d + 1)
    quantiles: Floats | None  # of the residuals; None when the rows were not kept together

    @property
    def freedom(self) -> float:
        return self.rows - self.parameters

    def to_state(self) -> State:
        state: State = {
            "rows": self.rows, "parameters": float(self.parameters), "residual_squares": self.residual_squares,
            "total_squares": self.total_squares, "log_weights": self.log_weights, "covariance": self.covariance,
        }  # fmt: skip
        return state if self.quantiles is None else state | {"quantiles": self.quantiles}

    @classmethod
    def from_state(cls, state: Reader, size: int) -> LinearFit:
        quantiles = state.array("quantiles", "float64", (len(QUANTILES),)) if state.has("quantiles") else None
        fit = cls(
            state.integer("rows"), state.number("parameters", 0.0), state.number("residual_squares", 0.0),
            state.number("total_squares", 0.0), state.number("log_weights"),
            state.array("covariance", "float64", (size, size), finite=False), quantiles,
        )  # fmt: skip
        state.finish()
        return fit


@dataclass(frozen=True)
class Diagnostics:
    """h_i = w_i x_i'(X'WX)^-1 x_i,  t_i = r_i / (s_(i) sqrt(1 - h_i)),  D_i = u_i^2 h_i / (k (1 - h_i)).

    `studentised` residuals t leave row i out of its own error s_(i); u, `standardised`, does not. Beyond 3, a row is
    surprising; with a Cook's distance D above 4 / n it also moves the fit.
    """

    residual: Floats
    leverage: Floats
    standardised: Floats
    studentised: Floats
    cooks_distance: Floats

    def __len__(self) -> int:
        return len(self.residual)

    @property
    def left_out(self) -> Floats:
        """r_i / (1 - h_i): the error on each row of the model of all other rows, without fitting any (Allen 1974).

        Exact, with a ridge penalty and weights too; levels and what stands for missing cells stay those of all rows.
        NaN for a row of leverage 1, which no other row says anything about.
        """
        rest = 1 - self.leverage
        known = rest > 1e-10
        return np.where(known, self.residual / np.where(known, rest, 1.0), np.nan)

    @property
    def press(self) -> float:
        """The sum of squares of `left_out`: the predicted residual sum of squares."""
        return float(np.nansum(self.left_out**2))

    def outliers(self, bound: float = 3.0) -> NDArray[np.intp]:
        """Rows whose studentised residual is beyond the bound, the worst first."""
        size = np.nan_to_num(np.abs(self.studentised), nan=0.0)
        rows = np.flatnonzero(size > bound)
        return rows[np.argsort(-size[rows], kind="stable")]


def bread(solution: LeastSquares, moments: Moments, intercept: bool) -> Floats:
    """(X'WX)^-1 of the columns with a leading 1 from the inverse of the centred columns, (d + 1, d + 1)."""
    inverse, mean = solution.inverse, moments.mean[:-1]
    whole = np.zeros((len(mean) + 1, len(mean) + 1))
    whole[1:, 1:] = inverse
    if intercept:
        whole[0, 1:] = whole[1:, 0] = -inverse @ mean
        whole[0, 0] = 1 / moments.weight + mean @ inverse @ mean
    return whole


def leverages(X: Any, weight: Floats | None, solution: LeastSquares, moments: Moments, intercept: bool) -> Floats:
    """h_i, (n_rows,)."""
    found = np.empty(X.shape[0])
    for rows, part in chunks(X):
        centred = part - moments.mean[:-1]
        found[rows] = np.einsum("ij,ij->i", centred @ solution.inverse, centred)
    found += 1 / moments.weight if intercept else 0.0
    found *= 1.0 if weight is None else weight
    return np.clip(found, 0.0, 1.0)


def robust(
    X: Any, scores: Floats, solution: LeastSquares, moments: Moments, intercept: bool
) -> Floats:  # fmt: skip
    """sum_i u_i u_i', u_i = (X'WX)^-1 x_i * score_i: the sandwich of robust errors, (d + 1, d + 1)."""
    mean, d = moments.mean[:-1], X.shape[1]

    def work(rows: slice, part: Floats) -> Sums:
        u = np.zeros((len(part), d + 1))
        u[:, 1:] = (part - mean) @ solution.inverse
        if intercept:
            u[:, 0] = 1 / moments.weight - u[:, 1:] @ mean
        u *= scores[rows, None]
        return (u.T @ u,)

    return np.asarray(sum_rows(X, work)[0])


def measure(
    X: Any, residual: Floats, weight: Floats | None, solution: LeastSquares, moments: Moments, *,
    intercept: bool, alpha: float, errors: str,
) -> LinearFit:  # fmt: skip
    """Everything about the fit that needs the rows once more."""
    squares = float(residual @ (residual if weight is None else weight * residual))
    logs = 0.0 if weight is None else float(np.log(weight).sum())
    quantiles = np.quantile(residual, list(QUANTILES.values()))
    fit = from_moments(squares, logs, solution, moments, intercept=intercept, alpha=alpha)
    if errors == "classical":
        covariance = fit.covariance
    else:
        scores = residual * (1.0 if weight is None else weight)
        if errors in ("HC2", "HC3"):
            rest = np.maximum(1 - leverages(X, weight, solution, moments, intercept), 1e-12)
            scores = scores / (np.sqrt(rest) if errors == "HC2" else rest)
        factor = fit.rows / fit.freedom if errors == "HC1" and fit.freedom > 0 else 1.0
        covariance = factor * robust(X, scores, solution, moments, intercept)
    return LinearFit(
        fit.rows, fit.parameters, squares, fit.total_squares, logs, covariance, quantiles
    )  # fmt: skip


def from_moments(
    squares: float, logs: float, solution: LeastSquares, moments: Moments, *, intercept: bool, alpha: float
) -> LinearFit:
    """The fit as the moments alone know it, with classical errors."""
    scatter, inverse = moments.scatter[:-1, :-1], solution.inverse
    kept = np.count_nonzero(np.diag(inverse))
    spent = float(np.trace(inverse @ scatter)) if alpha > 0 else float(kept)
    parameters = spent + intercept
    freedom = moments.rows - parameters
    variance = squares / freedom if freedom > 1e-9 else np.nan
    covariance = bread(solution, moments, intercept)
    if alpha > 0:
        covariance[1:, 1:] = inverse @ scatter @ inverse
    return LinearFit(
        moments.rows, parameters, squares, float(moments.scatter[-1, -1]), logs, covariance * variance, None
    )  # fmt: skip


def without_errors(fit: LinearFit) -> LinearFit:
    """The fit of coefficients held at or above 0: near the bound they are not normal, so that no error is given."""
    return replace(fit, covariance=np.full_like(fit.covariance, np.nan))


def diagnose(residual: Floats, leverage: Floats, weight: Floats | None, parameters: float) -> Diagnostics:
    """Influence of each row from its residual and leverage."""
    n = len(residual)
    scaled = residual if weight is None else residual * np.sqrt(weight)
    freedom, squares = n - parameters, float(scaled @ scaled)
    rest = 1 - leverage
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(rest > 1e-10, scaled / np.sqrt(rest), np.nan)  # leverage 1: the row is its own prediction
        standardised = own / np.sqrt(squares / freedom)
        without = (squares - own**2) / (freedom - 1)
        studentised = np.where(freedom > 1, own / np.sqrt(np.maximum(without, 0.0)), np.nan)
        distance = standardised**2 * leverage / (rest * parameters)
    return Diagnostics(residual, leverage, standardised, studentised, distance)

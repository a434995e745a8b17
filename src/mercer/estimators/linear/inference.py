"""What is known about a least-squares fit beside its coefficients: standard errors, residuals, influence of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.solvers.linear.least_squares import LeastSquares
from mercer.solvers.linear.moments import Moments
from mercer.solvers.row_chunks import Sums, chunks, sum_rows
from mercer.state import LARGEST_SQUARE, Reader, State

Errors = Literal["classical", "HC0", "HC1", "HC2", "HC3"]
ERRORS_DOCS = {
    "errors": """
        errors : {"classical", "HC0", "HC1", "HC2", "HC3"}, default "classical"
            Standard errors of the coefficients: classical, or robust to unequal variances.""",
    "outliers": """
        outliers : float or None, default None
            Leave out rows whose studentised residual is above this (3, say) and fit again; None keeps all.""",
}
QUANTILES = {"min": 0.0, "1st quartile": 0.25, "median": 0.5, "3rd quartile": 0.75, "max": 1.0}


@dataclass(frozen=True)
class Inference:
    """Sums of squares, degrees of freedom and the covariance of (intercept, coefficients).

    classical: s^2 (X'WX)^-1,  s^2 = sum w r^2 / (n - k). Robust (White 1980, MacKinnon & White 1985):
    (X'WX)^-1 [sum_i a_i w_i^2 r_i^2 x_i x_i'] (X'WX)^-1 with a_i = 1 (HC0), n / (n - k) (HC1), 1 / (1 - h_i) (HC2),
    1 / (1 - h_i)^2 (HC3), h_i the leverage. With a penalty, k is the effective number of parameters.
    """

    n_rows: int
    n_parameters: float  # k, the intercept included
    rss: float  # sum of w r^2
    tss: float  # of w (y - mean)^2, or of w y^2 without an intercept
    log_weights: float  # sum of log w
    covariance: Floats  # (d + 1, d + 1)
    quantiles: Floats | None  # of the residuals; None when the rows came in parts

    @property
    def df_residual(self) -> float:
        """n - k."""
        return self.n_rows - self.n_parameters

    def moved(self, offset: Floats) -> Inference:
        """Of rows that are further by `offset`, (d,): the intercept is less by offset'b."""
        change = np.eye(len(offset) + 1)
        change[0, 1:] = -offset
        return replace(self, covariance=change @ self.covariance @ change.T)

    def without_errors(self) -> Inference:
        """For coefficients held at or above 0: near the bound they are not normal, so that no error is given."""
        return replace(self, covariance=np.full_like(self.covariance, np.nan))

    def to_state(self) -> State:
        state: State = {
            "rows": self.n_rows, "parameters": float(self.n_parameters), "rss": self.rss, "tss": self.tss,
            "log_weights": self.log_weights, "covariance": self.covariance,
        }  # fmt: skip
        return state if self.quantiles is None else state | {"quantiles": self.quantiles}

    @classmethod
    def from_state(cls, state: Reader, size: int) -> Inference:
        quantiles = state.array("quantiles", "float64", (len(QUANTILES),)) if state.has("quantiles") else None
        found = cls(
            state.integer("rows"), state.number("parameters", 0.0),
            state.number("rss", 0.0, LARGEST_SQUARE), state.number("tss", 0.0, LARGEST_SQUARE),
            state.number("log_weights"), state.array("covariance", "float64", (size, size), finite=False), quantiles,
        )  # fmt: skip
        state.finish()
        return found


@dataclass(frozen=True)
class Diagnostics:
    """h_i = w_i x_i'(X'WX)^-1 x_i,  t_i = r_i / (s_(i) sqrt(1 - h_i)),  D_i = u_i^2 h_i / (k (1 - h_i)).

    A row whose |t_i| is above 3 is surprising; with a Cook's distance above 4 / n it also moves the fit.

    Attributes
    ----------
    residual : ndarray of shape (n_rows,)
        r_i = y_i - f(x_i).
    leverage : ndarray of shape (n_rows,)
        h_i, from 0 to 1: how far the row's own target moves its prediction.
    standardised : ndarray of shape (n_rows,)
        u_i = r_i / (s sqrt(1 - h_i)).
    studentised : ndarray of shape (n_rows,)
        t_i, with the standard error s_(i) of the fit to all other rows.
    cooks_distance : ndarray of shape (n_rows,)
        D_i: how far all predictions move when the row is left out.
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

        Exact, with a ridge penalty and weights too; levels and fill values stay those of all rows. NaN for a row of
        leverage 1, on whose target no other row bears.
        """
        rest = 1 - self.leverage
        known = rest > 1e-10
        return np.where(known, self.residual / np.where(known, rest, 1.0), np.nan)

    @property
    def press(self) -> float:
        """The sum of squares of `left_out`: the predicted residual sum of squares."""
        return float(np.nansum(self.left_out**2))

    def outliers(self, bound: float = 3.0) -> Longs:
        """Rows with a large studentised residual.

        Parameters
        ----------
        bound : float, default 3.0
            What its absolute value must be above.

        Returns
        -------
        rows : ndarray of shape (n_outliers,)
            Their positions, the largest residual first.
        """
        size = np.nan_to_num(np.abs(self.studentised), nan=0.0)
        rows = np.flatnonzero(size > bound)
        return rows[np.argsort(-size[rows], kind="stable")]


def diagnostics(residual: Floats, leverage: Floats, weight: Floats | None, n_parameters: float) -> Diagnostics:
    """The influence of each row, from its residual and leverage."""
    n = len(residual)
    scaled = residual if weight is None else residual * np.sqrt(weight)
    df, rss = n - n_parameters, float(scaled @ scaled)
    rest = 1 - leverage
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.where(rest > 1e-10, scaled / np.sqrt(rest), np.nan)  # leverage 1: the row is its own prediction
        standardised = own / np.sqrt(rss / df)
        without = (rss - own**2) / (df - 1)
        studentised = np.where(df > 1, own / np.sqrt(np.maximum(without, 0.0)), np.nan)
        distance = standardised**2 * leverage / (rest * n_parameters)
    return Diagnostics(residual, leverage, standardised, studentised, distance)


def infer_from_rows(
    X: Any, residual: Floats, weight: Floats | None, solution: LeastSquares, moments: Moments, *,
    intercept: bool, alpha: float, errors: Errors,
) -> Inference:  # fmt: skip
    """Standard errors of any kind, and quantiles of the residuals, in one or two passes over the rows.

    moments : of the columns as the solver saw them, about their mean or about 0
    """
    rss = float(residual @ (residual if weight is None else weight * residual))
    log_weights = 0.0 if weight is None else float(np.log(weight).sum())
    found = infer_from_moments(rss, log_weights, solution, moments, intercept=intercept, alpha=alpha)
    found = replace(found, quantiles=np.quantile(residual, list(QUANTILES.values())))
    if errors == "classical":
        return found
    scores = residual * (1.0 if weight is None else weight)
    if errors in ("HC2", "HC3"):
        rest = np.maximum(1 - leverages(X, weight, solution, moments, intercept), 1e-12)
        scores = scores / (np.sqrt(rest) if errors == "HC2" else rest)
    return robust(found, sandwich(X, scores, solution, moments, intercept), errors)


def robust(found: Inference, covariance: Floats, errors: Errors) -> Inference:
    """With the covariance of a sandwich in place of the classical one."""
    factor = found.n_rows / found.df_residual if errors == "HC1" and found.df_residual > 0 else 1.0
    return replace(found, covariance=factor * covariance)


def infer_from_moments(
    rss: float, log_weights: float, solution: LeastSquares, moments: Moments, *, intercept: bool, alpha: float
) -> Inference:
    """Classical standard errors, which need no row."""
    scatter, inverse = moments.scatter[:-1, :-1], solution.inverse
    kept = np.count_nonzero(np.diag(inverse))
    n_parameters = (float(np.trace(inverse @ scatter)) if alpha > 0 else float(kept)) + intercept
    df = moments.rows - n_parameters
    variance = rss / df if df > 1e-9 else np.nan
    covariance = _bread(solution, moments, intercept)
    if alpha > 0:
        covariance[1:, 1:] = inverse @ scatter @ inverse
    tss = float(moments.scatter[-1, -1])
    return Inference(moments.rows, n_parameters, rss, tss, log_weights, covariance * variance, None)


def _bread(solution: LeastSquares, moments: Moments, intercept: bool) -> Floats:
    """(X'WX)^-1 of the columns with a leading 1 from the inverse of the centred columns, (d + 1, d + 1)."""
    inverse, mean = solution.inverse, moments.mean[:-1]
    whole = np.zeros((len(mean) + 1, len(mean) + 1))
    whole[1:, 1:] = inverse
    if intercept:
        whole[0, 1:] = whole[1:, 0] = -inverse @ mean
        whole[0, 0] = 1 / moments.weight + mean @ inverse @ mean
    return whole


def sandwich(X: Any, scores: Floats, solution: LeastSquares, moments: Moments, intercept: bool) -> Floats:
    """sum_i u_i u_i',  u_i = (X'WX)^-1 x_i * score_i: the sandwich covariance, (d + 1, d + 1)."""
    mean, d = moments.mean[:-1], X.shape[1]

    def work(rows: slice, part: Floats) -> Sums:
        u = np.zeros((len(part), d + 1))
        u[:, 1:] = (part - mean) @ solution.inverse
        if intercept:
            u[:, 0] = 1 / moments.weight - u[:, 1:] @ mean
        u *= scores[rows, None]
        return (u.T @ u,)

    return np.asarray(sum_rows(X, work)[0])


def leverages(X: Any, weight: Floats | None, solution: LeastSquares, moments: Moments, intercept: bool) -> Floats:
    """h_i, (n_rows,)."""
    found = np.empty(X.shape[0])
    for rows, part in chunks(X):
        centred = part - moments.mean[:-1]
        found[rows] = np.einsum("ij,ij->i", centred @ solution.inverse, centred)
    found += 1 / moments.weight if intercept else 0.0
    found *= 1.0 if weight is None else weight
    return np.clip(found, 0.0, 1.0)

"""A linear regression as plain data, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.encode.design import Design
from mercer.errors import BadFile
from mercer.estimators.linear.fit import ERRORS, LinearFit
from mercer.solvers.linear.least_squares import LeastSquares
from mercer.solvers.linear.moments import Moments
from mercer.state import Reader, State


def linear_state(model: Any) -> State:
    """Of a model of one target."""
    moments, solution = model.moments_, model.solution_
    combinations = np.array([*solution.aliased.values()]).reshape(len(solution.aliased), len(model.coef_))
    return {
        "design": model.design_.to_state(),
        "alpha": float(model.alpha), "fit_intercept": bool(model.fit_intercept), "errors": model.errors,
        "positive": bool(model.positive),
        "coef": model.coef_, "intercept": model.intercept_, "inverse": solution.inverse,
        "aliased": np.array([*solution.aliased], dtype=np.int64), "combinations": combinations,
        "rows": moments.rows, "weight": moments.weight, "mean": moments.mean, "scatter": moments.scatter,
        "fit": model.fit_.to_state(), "outliers": model.outliers_,
    }  # fmt: skip


def restore_linear(model: Any, state: Reader) -> None:
    """Options and what was learned into a model that knows its columns."""
    model.alpha = state.number("alpha", 0.0, np.finfo(float).max)
    model.fit_intercept, model.positive = state.flag("fit_intercept"), state.flag("positive")
    model.errors = state.text("errors", ERRORS)
    model.design_ = Design.from_state(state.child("design"), model.schema_)
    model.terms = list(model.design_.terms) or None
    d = len(model.design_.names)
    model.coef_, model.intercept_ = state.array("coef", "float64", (d,)), state.number("intercept")
    aliased = state.array("aliased", "int64", (None,), low=0, high=d - 1)
    combinations = state.array("combinations", "float64", (len(aliased), d))
    if not np.isfinite(model.intercept_) or len(np.unique(aliased)) != len(aliased):
        raise BadFile(f"{state.where}: the coefficients are not usable.")
    named = dict(zip(aliased.tolist(), combinations, strict=True))
    model.solution_ = LeastSquares(model.coef_, state.array("inverse", "float64", (d, d)), named)
    model.moments_ = Moments(
        state.integer("rows"), state.number("weight", 0.0, np.finfo(float).max),
        state.array("mean", "float64", (d + 1,)), state.array("scatter", "float64", (d + 1, d + 1)),
    )  # fmt: skip
    model.fit_ = LinearFit.from_state(state.child("fit"), d + 1)
    model.outliers_ = state.array("outliers", "int64", (None,), low=0)

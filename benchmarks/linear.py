"""Are linear and logistic regression at least as fast as scikit-learn's at no worse fit, within 1.5 times the memory?

The linear target is the elevation, from the other 53 columns; the classes are cover type 2 against the rest, and all
seven. Times are of whole fits at default options; rivals that stop early are said to by their log-loss.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import Row, best, peak_extra, unpacked
from sklearn import linear_model
from sklearn.metrics import log_loss

import mercer


def rows(data: Path) -> list[Row]:
    warnings.simplefilter("ignore")
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    y = cells["Cover_Type"].to_numpy()
    x = np.ascontiguousarray(cells.drop("Cover_Type").to_numpy().astype(np.float64))
    return [*_linear(x), *_logistic("two classes", x, y == 2), *_logistic("seven classes", x, y)]


def _linear(x: np.ndarray) -> list[Row]:
    height, rest = x[:, 0].copy(), np.ascontiguousarray(x[:, 1:])
    ours, theirs = mercer.LinearRegression(), linear_model.LinearRegression()
    name = f"covtype {rest.shape[0]:,} x {rest.shape[1]}"
    times = [best(lambda m=model: m.fit(rest, height), 3) for model in (ours, theirs)]
    left = [1 - model.score(rest, height) for model in (ours, theirs)]
    extra = peak_extra(lambda: mercer.LinearRegression().fit(rest, height).predict(rest))
    return [
        Row(f"LinearRegression.fit, {name}", times[0], times[1], "scikit-learn", "1x"),
        Row("  its 1 - R^2", left[0], left[1], "scikit-learn", "1x", ""),
        Row("  peak extra memory", extra / 1e6, rest.nbytes / 1e6, "the array itself", "0.67x", "MB"),
    ]


def _logistic(name: str, x: np.ndarray, y: np.ndarray) -> list[Row]:
    ours: dict[str, Any] = {name: mercer.LogisticRegression()}
    rivals: dict[str, Any] = {"scikit-learn": linear_model.LogisticRegression()}
    if len(np.unique(y)) == 2:
        rivals["newton-cholesky"] = linear_model.LogisticRegression(solver="newton-cholesky")
    else:
        ours[f"{name}, at most 30 steps"] = mercer.LogisticRegression(max_iter=30)
    figures = {key: _measure(model, x, y) for key, model in [*ours.items(), *rivals.items()]}
    found = []
    for mine in ours:
        for rival in rivals:
            (time, loss), (their_time, their_loss) = figures[mine], figures[rival]
            found.append(Row(f"LogisticRegression.fit, {mine}", time, their_time, rival, "1x"))
            found.append(Row("  its log-loss", loss, their_loss, rival, "1x", ""))
    extra = peak_extra(lambda: mercer.LogisticRegression(max_iter=20).fit(x, y))
    return [*found, Row("  peak extra memory", extra / 1e6, x.nbytes / 1e6, "the array itself", "0.67x", "MB")]


def _measure(model: Any, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    return best(lambda: model.fit(x, y), 1), log_loss(y, model.predict_proba(x))

"""Are linear machines at least as fast as LIBLINEAR's (through scikit-learn) at no worse an objective?

The first 20,000 rows of covtype in shuffled order, columns standardised; cover type 2 against the rest, and all seven.
Both sides at the same tolerance and their default number of passes. The search tries eight costs on five folds.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import Row, best, unpacked
from sklearn import svm
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import mercer

_ROWS = 20_000
_COSTS = [4.0**k for k in range(-5, 3)]


def rows(data: Path) -> list[Row]:
    warnings.simplefilter("ignore")
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    drawn = np.random.default_rng(0).permutation(len(cells))[:_ROWS]
    y = cells["Cover_Type"].to_numpy()[drawn]
    x = cells.drop("Cover_Type").to_numpy().astype(np.float64)[drawn]
    x = (x - x.mean(axis=0)) / np.maximum(x.std(axis=0), 1e-9)
    return [*_squared(x, y), *_joint(x, y), *_search(x, y)]


def _squared(x: np.ndarray, y: np.ndarray) -> list[Row]:
    found = []
    for name, labels in (("two classes", y == 2), ("seven classes", y)):
        ours, theirs = mercer.LinearSVC(), svm.LinearSVC()
        times = [best(lambda m=m, t=labels: m.fit(x, t), 2) for m in (ours, theirs)]
        values = [_one_against_rest(m, x, labels) for m in (ours, theirs)]
        found.append(Row(f"LinearSVC.fit, {name}", *times, "scikit-learn", "1x"))
        found.append(Row("  its objective", *values, "scikit-learn", "1x", ""))
    return found


def _one_against_rest(model: Any, x: np.ndarray, labels: np.ndarray) -> float:
    """1/2 |w|^2 + sum of squared slacks, over all machines, at C = 1."""
    sides = model.classes_[1:] if len(model.classes_) == 2 else model.classes_
    sign = np.where(labels[:, None] == sides, 1.0, -1.0)
    slack = np.maximum(0.0, 1 - sign * (x @ model.coef_.T + model.intercept_))
    return 0.5 * float((model.coef_**2).sum() + (model.intercept_**2).sum()) + float((slack**2).sum())


def _joint(x: np.ndarray, y: np.ndarray) -> list[Row]:
    options = {"multi_class": "crammer_singer", "C": 0.1, "tol": 1e-2}
    ours, theirs = mercer.LinearSVC(**options), svm.LinearSVC(**options)
    times = [best(lambda m=m: m.fit(x, y), 1) for m in (ours, theirs)]
    values = [_crammer_singer(m, x, y, 0.1) for m in (ours, theirs)]
    return [
        Row("LinearSVC(multi_class='crammer_singer').fit, seven classes", *times, "scikit-learn", "1x"),
        Row("  its objective", *values, "scikit-learn", "1x", ""),
    ]


def _crammer_singer(model: Any, x: np.ndarray, y: np.ndarray, cost: float) -> float:
    f = x @ model.coef_.T + model.intercept_
    own = y[:, None] == model.classes_
    slack = np.maximum(0.0, 1 - f[own] + np.where(own, -np.inf, f).max(axis=1))
    return 0.5 * float((model.coef_**2).sum() + (model.intercept_**2).sum()) + cost * float(slack.sum())


def _search(x: np.ndarray, y: np.ndarray) -> list[Row]:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ours = mercer.LinearSVC(C="cv", grid=mercer.Grid(C=_COSTS, cv=folds, rows=_ROWS))
    theirs = GridSearchCV(svm.LinearSVC(), {"C": _COSTS}, cv=folds, n_jobs=2)
    times = [best(lambda m=m: m.fit(x, y == 2), 1) for m in (ours, theirs)]
    return [
        Row("LinearSVC(C='cv').fit, two classes", *times, "GridSearchCV", "1x"),
        Row("  1 - accuracy held out", 1 - ours.tuning_.best_score, 1 - theirs.best_score_, "GridSearchCV", "1x", ""),
    ]

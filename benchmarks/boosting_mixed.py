"""On mixed tables, are boosted trees no worse than LightGBM's with categories of its own, within the interval?

100 rounds of 31 leaves, five folds; the loss is 1 - AUC, or 1 - R2 of a number. In brackets the mean of LightGBM's loss
less ours over the folds and its 95 % interval (t of four degrees of freedom).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from boosting import ROUNDS, THREADS, table_codes
from harness import Row
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

import mercer
from mercer.table import Table, open_source

FOLDS, T95 = 5, 2.776


@dataclass(frozen=True)
class Mixed:
    """A file, its target, and the class that is looked for (None: a number)."""

    path: str
    target: str
    positive: str | None


TABLES = {
    "adult": Mixed("adult/adult.data", "-1", ">50K"),
    "telco": Mixed("telco_churn/Telco-Customer-Churn.csv", "Churn", "Yes"),
    "ames": Mixed("ames_housing/AmesHousing.csv", "SalePrice", None),
}


def rows(data: Path) -> list[Row]:
    return [_compared(name, data, given) for name, given in TABLES.items()]


def _compared(name: str, data: Path, given: Mixed) -> Row:
    source = open_source(data / given.path)
    target = source.pop(given.target)
    table = mercer.read_table(source)
    by_class = given.positive is not None
    y = np.array([str(v).strip() == given.positive for v in target]) if by_class else target.cast(float).to_numpy()
    deal = (StratifiedKFold if by_class else KFold)(FOLDS, shuffle=True, random_state=0)
    losses = np.array([_losses(table, y, train, test, by_class) for train, test in deal.split(y, y)])
    gain = losses[:, 1] - losses[:, 0]
    half = T95 * gain.std(ddof=1) / np.sqrt(FOLDS)
    ours, theirs = losses.mean(axis=0)
    what = f"{name} {len(table):,} x {len(table.schema)}, {'1 - AUC' if by_class else '1 - R2'}"
    return Row(f"{what} ({gain.mean():+.4f} ± {half:.4f})", ours, theirs, "LightGBM", "1x", "")


def _losses(table: Table, y: Any, train: Any, test: Any, by_class: bool) -> tuple[float, float]:
    kind = "Classifier" if by_class else "Regressor"
    ours: Any = getattr(mercer, f"HistGradientBoosting{kind}")(max_iter=ROUNDS, early_stopping=False, n_jobs=THREADS)
    theirs: Any = getattr(lightgbm, f"LGBM{kind}")(n_estimators=ROUNDS, num_leaves=31, n_jobs=THREADS, verbose=-1)
    codes = table_codes(table)
    theirs.fit(codes[train], y[train], categorical_feature=[*range(table.numbers().shape[1], codes.shape[1])])
    ours.fit(table.take(train), y[train])
    if by_class:
        answers = ours.predict_proba(table.take(test))[:, 1], theirs.predict_proba(codes[test])[:, 1]
        return tuple(1 - float(roc_auc_score(y[test], a)) for a in answers)
    answers = ours.predict(table.take(test)), theirs.predict(codes[test])
    return tuple(1 - float(r2_score(y[test], a)) for a in answers)

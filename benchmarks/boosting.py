"""Are 100 rounds of 31 leaves as fast as LightGBM's and twice as fast as scikit-learn's, at no greater log-loss?

All on two threads, learning rate 0.1, 255 bins, leaves of at least 20 rows, no early stopping; tables are in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import polars as pl
from harness import Row, best, unpacked
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

import mercer
from mercer.table import Table, conform_table, open_source

ROUNDS = 100
THREADS = 2
REPEATS = 2
COVTYPE_ROWS, GENERATED_ROWS, GENERATED_COLUMNS = 200_000, 1_000_000, 50


@dataclass(frozen=True)
class Task:
    """Rows to fit and to predict, as mercer takes them and as numbers with codes in the columns `categories`."""

    name: str
    ours: tuple[Any, Any]
    plain: tuple[Any, Any]
    y: Any
    truth: Any
    categories: list[int]


def rows(data: Path) -> list[Row]:
    tasks: list[Callable[[], Task]] = [
        lambda: _covtype(data, 2),
        lambda: _covtype(data, 7),
        lambda: _census(data),
        _generated,
    ]
    return [row for make in tasks for row in _measured(make())]


def _measured(task: Task) -> list[Row]:
    booster: Any = lightgbm.LGBMClassifier(
        n_estimators=ROUNDS, num_leaves=31, min_child_samples=20, max_bin=255, n_jobs=THREADS, verbose=-1
    )
    theirs: Any = HistGradientBoostingClassifier(
        max_iter=ROUNDS, early_stopping=False, categorical_features=task.categories or None
    )
    ours: Any = mercer.HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False, n_jobs=THREADS)
    fits = {
        "mercer": lambda: ours.fit(task.ours[0], task.y),
        "LightGBM": lambda: booster.fit(task.plain[0], task.y, categorical_feature=task.categories or "auto"),
        "scikit-learn": lambda: theirs.fit(task.plain[0], task.y),
    }
    answers = {
        "mercer": lambda: ours.predict_proba(task.ours[1]),
        "LightGBM": lambda: booster.predict_proba(task.plain[1]),
        "scikit-learn": lambda: theirs.predict_proba(task.plain[1]),
    }
    with threadpool_limits(THREADS):
        fit = {name: best(action, REPEATS) for name, action in fits.items()}
        predict = {name: best(action, REPEATS) for name, action in answers.items()}
        loss = {name: log_loss(task.truth, action()) for name, action in answers.items()}
    found = []
    for rival, bar in (("LightGBM", "1x"), ("scikit-learn", "2x")):
        found += [
            Row(f"fit, {task.name}", fit["mercer"], fit[rival], rival, bar),
            Row(f"  predict {len(task.truth):,} rows", predict["mercer"], predict[rival], rival, "1x"),
            Row("  log-loss of these rows", loss["mercer"], loss[rival], rival, "1x", ""),
        ]
    return found


def _of_arrays(name: str, x: Any, y: Any, test: Any) -> Task:
    parts = np.ascontiguousarray(x[~test]), np.ascontiguousarray(x[test])
    return Task(f"{name} {parts[0].shape[0]:,} x {x.shape[1]}", parts, parts, y[~test], y[test], [])


def _covtype(data: Path, n_classes: int) -> Task:
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(cells))[: COVTYPE_ROWS * 5 // 4])
    y = cells["Cover_Type"].to_numpy()[chosen]
    x = cells.drop("Cover_Type").to_numpy().astype(np.float64)[chosen]
    kind = "type 2 or not" if n_classes == 2 else f"{n_classes} classes"
    return _of_arrays(f"covtype ({kind})", x, y == 2 if n_classes == 2 else y, rng.random(len(y)) < 0.2)


def _generated() -> Task:
    rng = np.random.default_rng(0)
    n = GENERATED_ROWS * 11 // 10
    x = rng.normal(size=(n, GENERATED_COLUMNS))
    score = x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + np.abs(x[:, 3]) + x[:, 4:14] @ rng.normal(size=10) / 4
    return _of_arrays("generated", x, score + rng.logistic(size=n) > 1, np.arange(n) >= GENERATED_ROWS)


def _census(data: Path) -> Task:
    folder = data / "census_income_kdd"
    with (
        unpacked(folder / "census_income_1994_1995_train.csv.gz") as train,
        unpacked(folder / "census_income_1994_1995_test.csv.gz") as test,
    ):
        source, fresh = open_source(train), open_source(test)
    labels = [s.pop("-1").cast(pl.String).str.strip_chars().to_numpy() for s in (source, fresh)]
    table = mercer.read_table(source)
    tables = table, conform_table(fresh, table.schema)
    y, truth = (label == "50000+." for label in labels)
    plain = table_codes(tables[0]), table_codes(tables[1])
    first = tables[0].numbers().shape[1]
    categories = [*range(first, plain[0].shape[1])]
    return Task(f"census {len(y):,} x {len(table.schema)} mixed", tables, plain, y, truth, categories)


def table_codes(table: Table) -> Any:
    """Numbers, then codes; a missing cell and a level never seen are NaN."""
    codes = table.codes().astype(np.float64)
    levels = [len(table.schema[name].levels) for name in table.schema.names if table.schema[name].kind.categorical]
    codes[(codes < 0) | (codes >= np.array(levels))] = np.nan
    return np.hstack([table.numbers(), codes])

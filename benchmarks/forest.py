"""Is a forest of 100 trees twice as fast as scikit-learn's on two threads, at equal or better test error?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from census import census_income
from harness import Row, best, unpacked
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import mercer
from mercer.table import CATEGORICAL, Table

GIVEN: dict[str, Any] = {"n_estimators": 100, "random_state": 0, "n_jobs": 2}
N_TRAIN = 200_000


def rows(data: Path) -> list[Row]:
    return [*_covtype(data), *_census(data), *_weighted(data)]


def _covtype(data: Path) -> list[Row]:
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path)
    y = cells["Cover_Type"].to_numpy()
    x = np.ascontiguousarray(cells.drop("Cover_Type").to_numpy().astype(np.float64))
    order = np.random.default_rng(0).permutation(len(y))
    train, test = order[:N_TRAIN], order[N_TRAIN : 2 * N_TRAIN]
    found: list[Row] = []
    for name, rival in (("RandomForest", RandomForestClassifier), ("ExtraTrees", ExtraTreesClassifier)):
        ours, theirs = getattr(mercer, f"{name}Classifier")(**GIVEN), rival(**GIVEN)
        times = [best(lambda m=m: m.fit(x[train], y[train]), 1) for m in (ours, theirs)]
        asked = [best(lambda m=m: m.predict_proba(x[test]), 1) for m in (ours, theirs)]
        wrong = [100 * float((m.predict(x[test]) != y[test]).mean()) for m in (ours, theirs)]
        found += [
            Row(f"{name}, covtype 200,000 x 54, 100 trees", *times, "scikit-learn", "2x"),
            Row("  its predictions of 200,000 rows", *asked, "scikit-learn", "1x"),
            Row("  its test error", *wrong, "scikit-learn", "1x", "%"),
        ]
    return found


def _census(data: Path) -> list[Row]:
    table, y, fresh, truth = census_income(data)
    plain, plain_test = _plain(table), _plain(fresh)
    coded = list(range(len(table.schema.numeric_names), plain.shape[1]))
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    encode = make_column_transformer((encoder, coded), remainder="passthrough")
    ours, theirs = mercer.RandomForestClassifier(**GIVEN), make_pipeline(encode, RandomForestClassifier(**GIVEN))
    times = [best(lambda: ours.fit(table, y), 1), best(lambda: theirs.fit(plain, y), 1)]
    asked = [best(lambda: ours.predict_proba(fresh), 1), best(lambda: theirs.predict_proba(plain_test), 1)]
    shares = [ours.predict_proba(fresh)[:, 1], theirs.predict_proba(plain_test)[:, 1]]
    lost = [1 - float(roc_auc_score(truth, share)) for share in shares]
    return [
        Row("RandomForest, census 199,523 x 41 mixed, 100 trees", *times, "codes + scikit-learn", "2x"),
        Row("  its predictions of the test table", *asked, "codes + scikit-learn", "1x"),
        Row("  its 1 - AUC on the test table", *lost, "codes + scikit-learn", "1x", ""),
    ]


def _weighted(data: Path) -> list[Row]:
    """Weights that are not whole, such as those of rows drawn from a table beyond a row limit."""
    cells = pl.read_csv(data / "creditcard_fraud" / "union_random_28402.csv.gz")[:20_000]
    y, x = cells["Class"].to_numpy(), cells.drop("Class").to_numpy().astype(np.float64)
    weight = np.where(y == 1, 1.0, 1.065)
    given: dict[str, Any] = {**GIVEN, "max_features": 0.5, "min_samples_leaf": 2}
    found: list[Row] = []
    for name, rival in (("RandomForest", RandomForestClassifier), ("ExtraTrees", ExtraTreesClassifier)):
        ours, theirs = getattr(mercer, f"{name}Classifier")(**given), rival(**given)
        alone = best(lambda m=ours: m.fit(x, y), 3)
        times = [best(lambda m=m: m.fit(x, y, sample_weight=weight), 3) for m in (ours, theirs)]
        found += [
            Row(f"{name}, fraud 20,000 x 30, weights that are not whole", *times, "scikit-learn", "2x"),
            Row("  beside its fit without weights", times[0], alone, "without", "none"),
        ]
    return found


def _plain(table: Table) -> np.ndarray:
    """Numbers, then codes of levels."""
    assert len(table.schema) == len(table.schema.numeric_names) + len(table.schema.of_kind(*CATEGORICAL))
    return np.hstack([table.numbers(), table.codes()])

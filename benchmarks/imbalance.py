"""What does each remedy for a rare class do to AUC, average precision, Brier score and cost?

Run by itself: `python benchmarks/imbalance.py DATA [TABLE ...]` with the folder of the public tables; a TABLE is a name
below, or that of a set of keel_imbalanced. Prints the tables of docs/rare-classes.md; `--rows 3000` draws as many of a
larger table.

Cross-validated in five stratified folds, the same for all. A missed row of the rare class costs as much as common rows
outnumber rare ones, a false alarm costs 1, and a row is called rare where that is expected to cost less, by the
probabilities as they are; the cost is over that of the better of calling all rows rare and none.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import mercer
from mercer.errors import MercerError
from mercer.table import Table

SMALL = ("ecoli3", "glass2", "abalone9-18", "car-good", "flare-F", "vehicle1")
LEARNERS: dict[str, Any] = {
    "linear": mercer.LogisticRegression(max_iter=1000, scale=True),
    "tree": mercer.DecisionTreeClassifier(min_samples_leaf=5),
    "boosted": mercer.HistGradientBoostingClassifier(max_iter=50, random_state=0, n_jobs=1),
}
REMEDIES: dict[str, Callable[[Any], Any]] = {
    "nothing": clone,
    "class weights": lambda e: clone(e).set_params(class_weight="balanced"),
    "over, not corrected": lambda e: mercer.Resampled(e, "over", correct=False),
    **{m: (lambda e, m=m: mercer.Resampled(e, m)) for m in ("over", "under", "smote", "borderline", "adasyn")},
    **{m: (lambda e, m=m: mercer.Resampled(e, m)) for m in ("tomek", "edited")},
    "balanced bagging": mercer.BalancedBagging,
}
METRICS = ("AUC", "AP", "Brier", "cost")


def read(data: Path, name: str, most_rows: int) -> tuple[Table, np.ndarray]:
    """The columns, and which rows are of the rare class."""
    files = {
        "telco": (data / "telco_churn" / "Telco-Customer-Churn.csv", "Churn"),
        "census": (data / "census_income_kdd" / "census_income_1994_1995_train.csv.gz", None),
        "mammography": (data / "mammography" / "mammography.csv", None),
        "fraud": (data / "creditcard_fraud" / "union_random_28402.csv.gz", "Class"),
    }
    path, target = files.get(name, (data / "keel_imbalanced" / f"{name}.dat", None))
    if not path.exists():
        raise SystemExit(f"There is no {path}. Give the names of tables that are there.")
    header = {} if target else {"header": False}
    table = mercer.read_table(path, **header)
    target = table.columns[-1] if target is None else target
    labels = table.column(target)
    values, counts = np.unique(labels.astype(str), return_counts=True)
    rare = labels.astype(str) == values[counts.argmin()]
    rows = np.arange(len(rare))
    if len(rows) > most_rows:
        rows = np.sort(np.random.default_rng(0).choice(len(rare), most_rows, replace=False))
    return table.drop([target]).take(rows), rare[rows]


def judged(table: Table, rare: np.ndarray, remedied: Any) -> dict[str, float]:
    """The metrics of one remedy."""
    found, aucs, precisions = np.zeros(len(rare)), [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(rare, rare):
        model = clone(remedied).fit(table.take(train), rare[train])
        found[test] = model.predict_proba(table.take(test))[:, 1]
        aucs.append(roc_auc_score(rare[test], found[test]))
        precisions.append(average_precision_score(rare[test], found[test]))
    miss = (~rare).sum() / rare.sum()
    called = found * miss > 1 - found
    paid = (miss * (rare & ~called).sum() + (~rare & called).sum()) / (~rare).sum()
    values = (np.mean(aucs), np.mean(precisions), brier_score_loss(rare, found), paid)
    return dict(zip(METRICS, map(float, values), strict=True))


def judged_one_class(table: Table, rare: np.ndarray) -> dict[str, float]:
    """One-class detection: how far from the common rows; a score, no probability."""
    aucs, precisions = [], []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(rare, rare):
        model = mercer.OneClassSVM(kernel="mixed", nu=0.1).fit(table.take(train[~rare[train]]))
        score = -model.decision_function(table.take(test))
        aucs.append(roc_auc_score(rare[test], score))
        precisions.append(average_precision_score(rare[test], score))
    return {"AUC": float(np.mean(aucs)), "AP": float(np.mean(precisions))}


def compare(tables: dict[str, tuple[Table, np.ndarray]]) -> None:
    for title, learner in LEARNERS.items():
        results: dict[str, list[dict[str, float]]] = {name: [] for name in REMEDIES}
        refused = dict.fromkeys(REMEDIES, 0)
        for table, rare in tables.values():
            for name, remedy in REMEDIES.items():
                try:
                    results[name].append(judged(table, rare, remedy(learner)))
                except MercerError:  # what a user does then: without the remedy
                    refused[name] += 1
                    results[name].append(results["nothing"][-1])
        print_table(title, results, refused)
    alone = [judged_one_class(*table) for table in tables.values()]
    means = (float(np.mean([one[m] for one in alone])) for m in ("AUC", "AP"))
    print("\nOne-class support vector machine on the common rows: AUC {:.3f}, AP {:.3f}".format(*means))


def print_table(title: str, results: dict[str, list[dict[str, float]]], refused: dict[str, int]) -> None:
    """Means over the tables; in how many AP is above that of the learner alone, and in how many it was refused."""
    print(f"\n| {title} | AUC | AP | Brier | cost | AP better | refused |\n|---|---|---|---|---|---|---|")
    plain = results["nothing"]
    for name, found in results.items():
        means = [f"{np.mean([one[m] for one in found]):.3f}" for m in METRICS]
        better = sum(one["AP"] > alone["AP"] + 1e-12 for one, alone in zip(found, plain, strict=True))
        print(f"| {name} | {' | '.join(means)} | {better or ''} | {refused[name] or ''} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("tables", nargs="*", default=SMALL)
    parser.add_argument("--rows", type=int, default=10_000)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = {name: read(given.data, name, given.rows) for name in given.tables}
    for name, (table, rare) in tables.items():
        print(f"{name}: {len(table):,} rows, {table.shape[1]} columns, {rare.mean():.1%} rare")
    compare(tables)
    times = os.times()
    print(f"\n{times.user:.0f} s of processor time")


if __name__ == "__main__":
    main()

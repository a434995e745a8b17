"""Do kernels that look at the frequencies of levels beat dummies under an RBF? Eight kernels on six tables.

    MERCER_DATA=folder python benchmarks/categorical_kernels.py

Support vector machines on the same 10 stratified folds of at most 2,000 rows a table. Inside each training part a
3-fold search chooses the cost, and the width where there is one, so no held-out row helps to choose anything.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from harness import data_folder
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

import mercer
from mercer import kernels as k
from mercer.evaluation.intervals import Score, corrected_t
from mercer.table import Kind, Schema, Table, infer, open_source
from mercer.table.build import build
from mercer.table.target_column import read_target

TABLES = {
    "mushroom": ("mushroom/agaricus-lepiota.data", "1"),
    "car": ("car/car.data", "-1"),
    "soybean": ("soybean/soybean.arff", "-1"),
    "house_votes_84": ("house_votes_84/house-votes-84.data", "1"),
    "telco_churn": ("telco_churn/Telco-Customer-Churn.csv", "-1"),
    "adult": ("adult/adult.data", "-1"),
}
MOST_ROWS, FOLDS, INNER = 2_000, 10, 3
COSTS = [0.1, 1.0, 10.0, 100.0, 1000.0]
WIDTHS = [0.3, 1.0, 3.0, 10.0]
FREQUENCY = (k.Overlap, k.IOF, k.OF, k.Lin, k.Goodall1, k.Goodall2, k.Goodall3, k.Goodall4)


def contenders(schema: Schema) -> dict[str, list[k.Kernel]]:
    """Each way to compare rows, as the kernels among which the inner search may choose."""
    p, q = len(schema.of_kind(Kind.NUMERIC)), sum(c.kind.categorical for c in schema)
    found = {"dummies, RBF": [k.Encoded(k.RBF(gamma=width / (2 * (p + q)))) for width in WIDTHS]}
    for part in FREQUENCY:
        found[part.__name__] = [_with_numbers((q / (p + q)) * part(), p, q)]
        found[f"exp {part.__name__}"] = [_radial(part(), width, p, q) for width in WIDTHS]
    return found


def _with_numbers(levels: k.Kernel, p: int, q: int) -> k.Kernel:
    """The kernel of the categories plus an RBF of the numbers, by their share of the columns."""
    if not p:
        return levels
    return levels + (p / (p + q)) * k.Encoded(k.RBF(gamma=1 / p), levels="keep")


def _radial(levels: k.Kernel, width: float, p: int, q: int) -> k.Kernel:
    """As `default_kernel`, with another similarity of the categories."""
    shaped = k.Normalise(k.Exp((width * q / (p + q)) * levels))
    return shaped * k.Encoded(k.RBF(gamma=width / (2 * (p + q))), levels="keep") if p else shaped


def load(data: Path, name: str) -> tuple[Table, np.ndarray]:
    """At most MOST_ROWS rows, drawn once at random."""
    path, place = TABLES[name]
    target, rest = read_target(open_source(data / path), place)
    table = build(rest, infer(rest))
    rows = np.sort(np.random.default_rng(0).permutation(len(table))[:MOST_ROWS])
    return table.take(rows), target.codes[rows]


def judge(options: Sequence[k.Kernel], table: Table, y: np.ndarray) -> Score:
    """Cross-validated AUC (two classes) or accuracy of the option that the training part chooses."""
    two = len(np.unique(y)) == 2
    scores = []
    for teach, check in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y):
        seen, unseen = table.take(teach), table.take(check)
        inner = StratifiedKFold(INNER, shuffle=True, random_state=1)
        found = [
            mercer.tune(mercer.SVC(kernel=kernel), seen, y[teach], {"C": COSTS}, cv=inner,
                        scoring="roc_auc" if two else "accuracy")
            for kernel in options
        ]  # fmt: skip
        model = max(found, key=lambda f: f.best_score).best_estimator
        if two:
            scores.append(roc_auc_score(y[check], model.decision_function(unseen)))
        else:
            scores.append(accuracy_score(y[check], model.predict(unseen)))
    return corrected_t(scores, 1 / (FOLDS - 1), limits=(0.0, 1.0))


def main(names: list[str]) -> None:
    data = data_folder()
    warnings.simplefilter(
        "ignore"
    )  # small classes of soybean in 3 folds; indefinite kernels are the point of some rows
    for name in names or TABLES:
        table, y = load(data, name)
        metric = "AUC" if len(np.unique(y)) == 2 else "accuracy"
        print(f"\n### {name}: {len(y):,} rows, {len(table.schema)} columns\n")
        print(f"| kernel | {metric} | 95 % |\n|---|---|---|")
        for title, options in contenders(table.schema).items():
            score = judge(options, table, y)
            print(f"| {title} | {score.value:.4f} | {score.low:.4f} to {score.high:.4f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

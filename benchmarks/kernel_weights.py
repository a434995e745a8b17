"""Which columns and measures matter, and do learned weights pay? Sums of kernels on mixed tables.

    MERCER_DATA=folder python benchmarks/kernel_weights.py [table ...]

Support vector machines with C = 1 on the same 5 stratified folds of at most 1,000 rows a table: area under the ROC
curve with its corrected 95 % interval, and the mean seconds of a fit. Then the largest weights on all of these rows.
"""

from __future__ import annotations

import sys
import time
import warnings

import categorical_kernels
import numpy as np
from harness import data_folder
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import mercer
from mercer.evaluation.intervals import corrected_t
from mercer.kernels import MultipleKernel
from mercer.table import Table

TABLES = {
    "german_credit": ("german_credit/german.data", "-1"),
    "telco_churn": ("telco_churn/Telco-Customer-Churn.csv", "-1"),
    "adult": ("adult/adult.data", "-1"),
    "titanic": ("titanic/train.csv", "Survived"),
}
MOST_ROWS, FOLDS, SHOWN = 1_000, 5, 8


def contenders() -> dict[str, mercer.SVC]:
    """Each way to compare rows."""
    found = {"default kernel": mercer.SVC()}
    for kernels in ("columns", "widths", "measures"):
        for method in ("mean", "align", "alignf", "easy", "simple", "lp"):
            if kernels == "columns" or method == "alignf" or (kernels == "widths" and method == "simple"):
                found[f"{kernels}, {method}"] = mercer.SVC(kernel=MultipleKernel(kernels, method=method))
    return found


def judge(model: mercer.SVC, table: Table, y: np.ndarray) -> str:
    """Cells of a row of the page."""
    splits = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y[:, None], y))
    scores, start = [], time.perf_counter()
    for train, test in splits:
        model.fit(table.take(train), y[train])
        scores.append(roc_auc_score(y[test], model.decision_function(table.take(test))))
    found = corrected_t(np.array(scores), len(splits[0][1]) / len(splits[0][0]))
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}] | {(time.perf_counter() - start) / FOLDS:.2f}"


def main(names: list[str]) -> None:
    data = data_folder()
    warnings.simplefilter("ignore")  # measures of levels that are not positive semi-definite
    categorical_kernels.TABLES, categorical_kernels.MOST_ROWS = TABLES, MOST_ROWS
    for name in names or TABLES:
        table, y = categorical_kernels.load(data, name)
        print(f"\n### {name}: {len(y):,} rows, {len(table.schema)} columns\n")
        print("| kernels | AUC | seconds |\n|---|---|---|")
        for title, model in contenders().items():
            print(f"| {title} | {judge(model, table, y)} |", flush=True)
        for kernels, method in (("columns", "alignf"), ("columns", "simple"), ("measures", "alignf")):
            found = MultipleKernel(kernels, method=method).fit(table, y=y)
            listed = ", ".join(f"{name} {weight:.2f}" for name, weight in found.largest_weights(SHOWN).items())
            kept = np.count_nonzero(found.weights_)
            print(f"\n{kernels}, {method}: {kept} of {len(found.names_)} kernels; {listed}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

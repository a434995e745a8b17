"""Does C4.5 here err as often as C4.5 elsewhere: error rates beside those of Weka's J48 (smaller is better)?

J48 of Weka 3.6.14 at its defaults, ten stratified folds with the seeds 1, 2 and 3 (`-x 10 -s 1`),
errs on 58, 67 and 62 of 683 rows of soybean, 16, 14 and 16 of 435 of the votes, 8, 7 and 7 of 101 animals of the zoo.
Both sides are means of three runs; the sampling error of one is sqrt(e (1 - e) / n).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polars as pl
from harness import Row
from sklearn.model_selection import StratifiedKFold

import mercer
from mercer.table import open_source

# folder, file, target (None: the first of columns without names), column left out, errors of J48 in three runs, rows
TABLES = (
    ("soybean", "soybean.arff", "class", None, 187, 683),
    ("house_votes_84", "house-votes-84.data", None, None, 46, 435),
    ("zoo", "zoo.data", "type", "animal_name", 22, 101),
)


def rows(data: Path) -> list[Row]:
    found = []
    for folder, name, target, left_out, wrong, n in TABLES:
        table, label = _table(data / folder / name, target, left_out)
        rate = wrong / (3 * n)
        error = 100 * np.sqrt(rate * (1 - rate) / n)
        question = f"C4.5 on {folder}, {n} rows, error rate (sampling error {error:.1f} %)"
        found.append(Row(question, 100 * _error(table, label), 100 * rate, "Weka J48", "alike", "%"))
    return found


def _table(path: Path, target: str | None, left_out: str | None) -> tuple[mercer.Table, np.ndarray]:
    if path.suffix == ".arff":
        source = open_source(path)
        label = source.pop(target).to_numpy()
        return mercer.read_table(source), label.astype(str)
    cells = pl.read_csv(path, has_header=target is not None, null_values=["?"])
    target = target or cells.columns[0]
    gone = [name for name in (target, left_out) if name is not None]
    return mercer.read_table(cells.drop(gone)), cells[target].to_numpy().astype(str)


def _error(table: mercer.Table, label: np.ndarray) -> float:
    wrong = []
    warnings.filterwarnings("ignore", message="The least populated class")
    for seed in range(3):
        for train, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(label, label):
            model = mercer.DecisionTreeClassifier(algorithm="c4.5").fit(table.take(train), label[train])
            wrong.append((model.predict(table.take(test)) != label[test]).sum())
    return float(sum(wrong) / (3 * len(label)))

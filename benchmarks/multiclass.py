"""How do the ways to tell several classes apart compare in error and time, and is a code slower than twice the pairs?

Run by itself: `python benchmarks/multiclass.py DATA [ROWS]` with the folder of the public tables: letter, 26 classes,
the first ROWS (4,000) rows to train, the last 4,000 to test, RBF kernel with C = 10 and gamma = 0.05. Prints
the table of docs/multiclass.md; fits are interleaved, REPEATS of each, and the least processor time of each counts.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import mercer

REPEATS, N_TEST = 2, 4000
SVM = mercer.SVC(C=10, gamma=0.05)
STRATEGIES: dict[str, Any] = {
    "SVC()": SVM,
    'SVC(multi_class="ovr")': mercer.SVC(C=10, gamma=0.05, multi_class="ovr"),
    'SVC(multi_class="ecoc")': mercer.SVC(C=10, gamma=0.05, multi_class="ecoc"),
    "OneVsOne(SVC())": mercer.OneVsOne(SVM),
    "OneVsRest(SVC())": mercer.OneVsRest(SVM),
    'OutputCode(SVC(), length=15, decoding="hinge")': mercer.OutputCode(SVM, length=15, decoding="hinge"),
    'OutputCode(SVC(), length=9, decoding="weighted")': mercer.OutputCode(SVM, length=9, decoding="weighted"),
}
PAIRS = {'SVC(multi_class="ecoc")': "SVC()", 'OutputCode(SVC(), length=15, decoding="hinge")': "OneVsOne(SVC())"}


def read(data: Path, n_train: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training rows and letters, test rows and letters."""
    path = next((data / "letter").glob("*.data*"), None) or next((data / "letter").glob("*.csv*"), None)
    if path is None:
        raise SystemExit(f"There is no table in {data / 'letter'}.")
    table = mercer.read_table(path)
    name = next(c.name for c in table.schema if len(c.levels) == 26)
    letters, numbers = table.column(name).astype(str), table.drop([name]).numbers()
    return numbers[:n_train], letters[:n_train], numbers[-N_TEST:], letters[-N_TEST:]


def measured(model: Any, rows: tuple[np.ndarray, ...]) -> tuple[float, float, float]:
    """Error, and processor seconds of fitting and predicting."""
    X, y, test, truth = rows
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    error = float((model.predict(test) != truth).mean())
    return error, fitted - start, time.process_time() - fitted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("rows", type=int, nargs="?", default=4000)
    given = parser.parse_args()
    rows = read(given.data, given.rows)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in STRATEGIES}
    for _ in range(REPEATS):
        for name, model in STRATEGIES.items():
            found[name].append(measured(model, rows))
    print(f"{len(rows[0]):,} rows to train, {N_TEST:,} to test, {len(np.unique(rows[1]))} classes\n")
    print("| model | error | fit | predict |\n|---|---|---|---|")
    for name, each in found.items():
        print(f"| `{name}` | {each[0][0]:.1%} | {min(e[1] for e in each):.1f} | {min(e[2] for e in each):.1f} |")
    print()
    for code, pairs in PAIRS.items():
        ours, theirs = (min(e[1] + e[2] for e in found[name]) for name in (code, pairs))
        print(f"{code}: {ours / theirs:.2f} times the processor time of {pairs}")


if __name__ == "__main__":
    main()

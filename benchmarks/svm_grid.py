"""Is a 10 x 10 grid with 5 folds faster than liquidSVM, 15 times GridSearchCV over intelex, 50 times over scikit-learn?

C from 0.1 to 1000, gamma from 0.03 to 30, covtype binary, columns on [0, 1]; the error is that of the winner refitted
on all rows, on 10,000 others. MERCER_RIVALS names the interpreter with liquidSVM and scikit-learn-intelex. GridSearchCV
runs on 1,000 rows (intelex also on 5,000 with MERCER_LONG=1). MERCER_TABLES="1000 rows" runs that
size alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import svm_tables
from harness import Row
from svm_fit import ask_rival, chosen, classes

from mercer._core.gram import KernelSpec, gram
from mercer.solvers.svm import cv_path

COSTS, GAMMAS = np.logspace(-1, 3, 10), np.logspace(np.log10(0.03), np.log10(30), 10)


def rows(data: Path) -> Iterator[Row]:
    settings = {"C": COSTS.tolist(), "gamma": GAMMAS.tolist()}
    for n in (1_000, 5_000, 10_000):
        if not chosen(f"{n} rows"):
            continue
        split = svm_tables.covtype(data, n)
        folds = (np.arange(n) % 5).astype(np.int32)
        seconds, error = min(ours(split, folds) for _ in range(2))
        rivals = [("liquid", "1x, aim 3x")]
        long = n == 5_000 and os.environ.get("MERCER_LONG")
        rivals += [("grid-intelex32", "15x")] if n == 1_000 or long else []
        rivals += [("grid-sklearn", "50x")] if n == 1_000 else []
        for rival, bar in rivals:
            theirs = ask_rival(rival, settings, split, folds=folds)
            label = f"grid, {n} rows, error {error:.4f} and {theirs['error']:.4f}"
            yield Row(label, seconds, theirs["seconds"], rival, bar)


def ours(split: svm_tables.Split, folds: np.ndarray) -> tuple[float, float]:
    """Seconds for distances, grid and the winner's refit; its error."""
    x, y, z, t = split

    def score(decisions: np.ndarray, held: np.ndarray) -> float:
        return float(((decisions[0, held] > 0) == (y[held] > 0)).mean())

    start = time.perf_counter()
    distances = gram(x, None, KernelSpec("distance"))
    found = cv_path.search(distances, GAMMAS, cv_path.Plan(y[None], folds, COSTS), score)
    g, c = found.best
    refit = classes(x, y, z, t, float(COSTS[c]), float(GAMMAS[g]))
    return time.perf_counter() - start - refit.predict, refit.error

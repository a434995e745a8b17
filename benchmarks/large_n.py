"""Does an SVM learn from all of covtype, 581,012 rows, and better than the exact one from 20,000?

MERCER_ROWS, all when not set, is the number of rows of covtype (7 classes, columns on [0, 1]), a tenth of them test
rows; MERCER_RANK, 500 when not set, that of landmarks. Rows of errors compare shares of test rows that are wrong (the
smaller the better). scikit-learn's Nystroem and LinearSVC get the same landmarks in number, kernel and cost, on
MERCER_RIVAL_ROWS (20,000) training rows: on all of them they take hours. liquidSVM's cells get the same rows,
first at the same width and cost, then each side chooses both from the same 3 x 3 grid, where MERCER_RIVALS names an
interpreter in which it is installed; means over MERCER_SPLITS draws of the rows, 1 when not set.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import Row, peak_extra, unpacked
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from svm_fit import ask_rival

import mercer

EXACT_ROWS = 20_000
EXACT: dict[str, Any] = {"C": 10, "gamma": 30}  # the best of a few on 20,000 rows
# Wider, so that few landmarks explain it; loss and strategy are those of LinearSVC.
LOW_RANK: dict[str, Any] = {"C": 1, "gamma": 2, "loss": "squared_hinge", "multi_class": "ovr"}
GRID: dict[str, Any] = {"C": [1.0, 10.0, 100.0], "gamma": [10.0, 30.0, 90.0]}  # around EXACT, for both sides
PAIRS: dict[str, Any] = {"C": 10, "gamma": 2}  # SVC's own loss and strategy, at a cost of equal accuracy


def covtype(data: Path, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    """Training and test rows, 90/10, in random order."""
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path).to_numpy().astype(np.float32)
    x, y = cells[:, :-1], cells[:, -1].astype(np.int64)
    x = (x - x.min(axis=0)) / np.maximum(np.ptp(x, axis=0), 1e-12)
    order = np.random.default_rng(seed).permutation(len(y))[: int(os.environ.get("MERCER_ROWS", len(y)))]
    x, y, n = x[order], y[order], len(order) // 10
    return x[n:], y[n:], x[:n], y[:n]


def measured(model: Any, x: Any, y: Any, test: Any, truth: Any) -> tuple[float, float, float, float]:
    """(seconds of the fit, share of test rows that are wrong, bytes, seconds of processor time of the fit)."""
    began, start = time.perf_counter(), time.process_time()
    extra = peak_extra(lambda: model.fit(x, y))
    seconds, processor = time.perf_counter() - began, time.process_time() - start
    return seconds, float((model.predict(test) != truth).mean()), extra, processor


def rows(data: Path) -> Iterator[Row]:
    x, y, test, truth = covtype(data)
    rank = int(os.environ.get("MERCER_RANK", "500"))
    exact = measured(mercer.SVC(**EXACT), x[:EXACT_ROWS], y[:EXACT_ROWS], test, truth)
    named = f"exact SVC on {EXACT_ROWS:,} rows"
    ways = {
        "cells": EXACT | {"approximation": "cells"},
        "landmarks": LOW_RANK | {"approximation": "nystroem", "rank": rank},
    }
    for name, given in ways.items():
        found = measured(mercer.SVC(random_state=0, **given), x, y, test, truth)
        yield Row(f"SVC by {name}, {len(y):,} rows: error", found[1], exact[1], named, "1x", "")
        yield Row(f"SVC by {name}, {len(y):,} rows: time", found[0], exact[0], named, "minutes")
        yield Row(f"SVC by {name}, {len(y):,} rows: memory", found[2] / 1e9, 10.0, "limit", "1x", "GB")
    few = int(os.environ.get("MERCER_RIVAL_ROWS", "20000"))
    part, own = x[:few], y[:few]
    rival, compared = "Nystroem + LinearSVC", {"landmarks": LOW_RANK, "landmarks, hinge, pairs of classes": PAIRS}
    for name, given in compared.items():
        model = mercer.SVC(random_state=0, approximation="nystroem", rank=rank, **given)
        mine = measured(model, part, own, test, truth)
        features = Nystroem(gamma=LOW_RANK["gamma"], n_components=rank, random_state=0)
        theirs = measured(make_pipeline(features, LinearSVC(C=LOW_RANK["C"])), part, own, test, truth)
        yield Row(f"{name}, {few:,} rows: time", mine[0], theirs[0], rival, "3x")
        yield Row(f"{name}, {few:,} rows: error", mine[1], theirs[1], rival, "1x", "")
    if "MERCER_RIVALS" in os.environ:
        draws = (covtype(data, seed) for seed in range(int(os.environ.get("MERCER_SPLITS", "1"))))
        yield from beside_liquid([(a[:few], b[:few], c, d) for a, b, c, d in draws])


def beside_liquid(splits: list[tuple[Any, Any, Any, Any]]) -> Iterator[Row]:
    """Cells on both sides: at one cost and width, then each side choosing its own among nine points by five folds.

    SVC compares the points by the mean over cells and answers by the mean of the machines of the three best, liquidSVM
    compares them in every cell and fold, and answers by the mean of the machines of its folds.
    """
    one = {name: [value] for name, value in EXACT.items()}
    sides = {
        "C = 10, gamma = 30": (EXACT, "liquid-cells", one),
        "each its own of 3 x 3": ({"C": "cv", "gamma": "cv", "grid": mercer.Grid(**GRID)}, "liquid-cells-grid", GRID),
    }
    for name, (given, rival, asked) in sides.items():
        model = mercer.SVC(random_state=0, approximation="cells", **given)
        mine = np.mean([measured(model, *split) for split in splits], axis=0)
        found = [ask_rival(rival, asked, split) for split in splits]
        liquid = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
        question = f"cells, {len(splits[0][1]):,} rows, {name}"
        yield Row(f"{question}: time", mine[0], liquid["seconds"], "liquidSVM", "1x")
        yield Row(f"{question}: processor time", mine[3], liquid["processor"], "liquidSVM", "none")
        yield Row(f"{question}: error", mine[1], liquid["error"], "liquidSVM", "1x", "")

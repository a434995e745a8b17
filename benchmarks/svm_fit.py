"""Is one fit twice as fast as the faster of scikit-learn and intelex float32, and prediction as fast as intelex's?

SVC and SVR on float32 tables against the same classes of the rivals, each with 2 GB for kernel rows; best of four on
each side, fewer of a rival that takes longer than 10 s. MERCER_RIVALS names the interpreter in which
scikit-learn-intelex is installed. MERCER_TABLES, when set, names the tables to run, by their first words and separated
by commas.

Below a fit is its floor: the kernel values that any solver must see, those of each support vector of a problem with
every row of it (between two support vectors once), at the speed at which blocks of the kernel matrix are computed here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import svm_tables
from harness import Row

import mercer

CACHE = 2000  # megabytes for kernel rows, as the rivals have


@dataclass
class Timing:
    fit: float
    predict: float
    error: float


def rows(data: Path) -> Iterator[Row]:
    tables: dict[str, tuple[Callable[[], svm_tables.Split], float, float, str]] = {
        "covtype 10,000": (lambda: svm_tables.covtype(data, 10_000), 10.0, 4.0, "classes"),
        "covtype 20,000": (lambda: svm_tables.covtype(data, 20_000), 10.0, 4.0, "classes"),
        "a9a 32,561": (lambda: svm_tables.a9a(data), 1.0, 0.05, "classes"),
        "letter 15,000": (lambda: svm_tables.letter(data), 10.0, 0.1, "classes"),
        "california 16,512 SVR": (lambda: svm_tables.california(data), 10.0, 0.1, "regression"),
    }
    for name, (load, cost, gamma, kind) in tables.items():
        if not chosen(name):
            continue
        split = load()
        found = [OURS[kind](*split, cost, gamma) for _ in range(4)]
        ours = Timing(min(t.fit for t in found), min(t.predict for t in found), found[0].error)
        yield Row(f"fit {name}: floor", ours.fit, floor(kind, split[0], split[1], cost, gamma), "floor", "none")
        settings = {"C": cost, "gamma": gamma, "regression": kind == "regression"}
        for rival in ("sklearn", "intelex32", "intelex64"):
            theirs = ask_rival(rival, settings, split)
            label = f"{name}, error {ours.error:.4f} and {theirs['error']:.4f}"
            yield Row(f"fit {label}", ours.fit, theirs["fit"], rival, "2x")
            yield Row(f"predict {label}", ours.predict, theirs["predict"], rival, "1x")


def floor(kind: str, x: np.ndarray, y: np.ndarray, cost: float, gamma: float) -> float:
    """Seconds for the kernel values that a solver must see."""
    made = mercer.SVR if kind == "regression" else mercer.SVC
    model = made(C=cost, gamma=gamma, precision="single").fit(x, y)
    if kind == "regression":
        sizes, found = [len(y)], [len(model.support_)]
    else:
        counts = np.unique(y, return_counts=True)[1]
        sizes = [int(counts[a] + counts[b]) for a, b in combinations(range(len(counts)), 2)]
        pairs = model._multiclass.problem_coef(np.asarray(model.dual_coef_), model.n_support_)
        found = np.count_nonzero(pairs, axis=1).tolist()
    entries = sum(n_support * n - n_support**2 / 2 for n_support, n in zip(found, sizes, strict=True))
    return entries * min(_seconds_per_entry(x, gamma) for _ in range(3))


def _seconds_per_entry(x: np.ndarray, gamma: float) -> float:
    """Of blocks of the kernel matrix that fit into the processor's cache."""
    kernel, some, step = mercer.kernels.RBF(gamma).fit(x), x[:512], 2048
    start = time.perf_counter()
    for first in range(0, len(x) - step, step):
        kernel.gram(some, x[first : first + step], dtype=np.float32)
    return (time.perf_counter() - start) / (len(some) * step * ((len(x) - 1) // step))


def chosen(name: str) -> bool:
    return name.startswith(tuple(os.environ.get("MERCER_TABLES", "").split(",")))


def ask_rival(rival: str, settings: dict[str, Any], split: svm_tables.Split, **more: np.ndarray) -> dict[str, float]:
    """The rival's own interpreter on the same arrays; its imports are not part of the time."""
    python = os.environ.get("MERCER_RIVALS", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, x=split[0], y=split[1], x_test=split[2], y_test=split[3], **more)
        script = str(Path(__file__).with_name("svm_rivals.py"))
        command = [python, "-W", "ignore", script, rival, json.dumps(settings), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def _timed(model: Any, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[float, float, np.ndarray]:
    start = time.perf_counter()
    model.fit(x, y)
    fit = time.perf_counter() - start
    start = time.perf_counter()
    value = model.predict(z)
    return fit, time.perf_counter() - start, value


def classes(x: np.ndarray, y: np.ndarray, z: np.ndarray, t: np.ndarray, cost: float, gamma: float) -> Timing:
    fit, predict, label = _timed(mercer.SVC(C=cost, gamma=gamma, precision="single", cache_size=CACHE), x, y, z)
    return Timing(fit, predict, float(np.mean(label != t)))


def regression(x: np.ndarray, y: np.ndarray, z: np.ndarray, t: np.ndarray, cost: float, gamma: float) -> Timing:
    fit, predict, value = _timed(mercer.SVR(C=cost, gamma=gamma, precision="single", cache_size=CACHE), x, y, z)
    return Timing(fit, predict, float(np.mean(np.abs(value - t))))


OURS = {"classes": classes, "regression": regression}

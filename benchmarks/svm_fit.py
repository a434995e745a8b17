"""Is one fit twice as fast as the faster of scikit-learn and intelex float32, and prediction as fast as intelex's?

SVC and SVR on float32 tables against the same classes of the rivals; best of four on each side, fewer of a rival that
takes longer than 10 s. MERCER_RIVALS names the interpreter in which scikit-learn-intelex is installed. MERCER_TABLES,
when set, names the tables to run, by their first words and separated by commas.
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
from pathlib import Path
from typing import Any

import numpy as np
import svm_tables
from harness import Row

import mercer


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
        settings = {"C": cost, "gamma": gamma, "regression": kind == "regression"}
        for rival in ("sklearn", "intelex32", "intelex64"):
            theirs = ask_rival(rival, settings, split)
            label = f"{name}, error {ours.error:.4f} and {theirs['error']:.4f}"
            yield Row(f"fit {label}", ours.fit, theirs["fit"], rival, "2x")
            yield Row(f"predict {label}", ours.predict, theirs["predict"], rival, "1x")


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
    fit, predict, label = _timed(mercer.SVC(C=cost, gamma=gamma, precision="single"), x, y, z)
    return Timing(fit, predict, float(np.mean(label != t)))


def regression(x: np.ndarray, y: np.ndarray, z: np.ndarray, t: np.ndarray, cost: float, gamma: float) -> Timing:
    fit, predict, value = _timed(mercer.SVR(C=cost, gamma=gamma, precision="single"), x, y, z)
    return Timing(fit, predict, float(np.mean(np.abs(value - t))))


OURS = {"classes": classes, "regression": regression}

"""Rivals behind one command each, for the interpreter in which they are installed (MERCER_RIVALS):

    python svm_rivals.py RIVAL settings.json data.npz

prints a JSON object with seconds and errors; the rivals are the keys of RIVALS.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

Data = dict[str, np.ndarray]


def main() -> None:
    rival, settings, data = sys.argv[1], json.loads(sys.argv[2]), dict(np.load(sys.argv[3]))
    print(json.dumps(RIVALS[rival](data, settings)))


def fit_with(module: str, dtype: str) -> Callable[[Data, dict[str, Any]], dict[str, float]]:
    def run(data: Data, settings: dict[str, Any]) -> dict[str, float]:
        x, z = data["x"].astype(dtype), data["x_test"].astype(dtype)
        svc, svr = _machines(module)
        make = svr if settings.pop("regression") else svc
        fits: list[float] = []
        predictions: list[float] = []
        while len(fits) < 4 and sum(fits) < 10:
            start = time.perf_counter()
            model = make(cache_size=2000, **settings).fit(x, data["y"])
            fits.append(time.perf_counter() - start)
            start = time.perf_counter()
            found = model.predict(z)
            predictions.append(time.perf_counter() - start)
        error = (
            float(np.mean(np.abs(found - data["y_test"]))) if make is svr else float(np.mean(found != data["y_test"]))
        )
        return {"fit": min(fits), "predict": min(predictions), "error": error}

    return run


def grid_with(module: str, dtype: str) -> Callable[[Data, dict[str, Any]], dict[str, float]]:
    def run(data: Data, settings: dict[str, Any]) -> dict[str, float]:
        selection = import_module("sklearn.model_selection")
        svc, _ = _machines(module)
        start = time.perf_counter()
        jobs = 2 if module == "sklearn.svm" else 1
        model = selection.GridSearchCV(svc(), settings, cv=selection.PredefinedSplit(data["folds"]), n_jobs=jobs)
        model.fit(data["x"].astype(dtype), data["y"])
        seconds = time.perf_counter() - start
        error = float(np.mean(model.predict(data["x_test"].astype(dtype)) != data["y_test"]))
        return {"seconds": seconds, "error": error}

    return run


def liquid(data: Data, settings: dict[str, Any]) -> dict[str, float]:
    return _liquid(data, settings, folds=5)


def liquid_cells(data: Data, settings: dict[str, Any]) -> dict[str, float]:
    """At one cost and width; its models are means over folds, of which it takes two at least."""
    return _liquid(data, settings, folds=2, useCells=True)


def liquid_cells_grid(data: Data, settings: dict[str, Any]) -> dict[str, float]:
    """Every cell chooses among the costs and widths, by its default of five folds."""
    return _liquid(data, settings, folds=5, useCells=True)


def _liquid(data: Data, settings: dict[str, Any], **options: Any) -> dict[str, float]:
    variables = sysconfig.get_config_vars()
    variables.setdefault("SO", variables["EXT_SUFFIX"])  # the name its loader asks for left Python in 3.11
    machine = import_module("liquidSVM").mcSVM
    widths = [float(1 / np.sqrt(g)) for g in settings["gamma"]]  # it writes exp(-|a - b|^2 / width^2)
    costs = [float(c) for c in settings["C"]]
    x, y = data["x"].astype(float), data["y"].astype(float)
    start, began = time.perf_counter(), time.process_time()
    model = machine(x, y, threads=2, display=0, mc_type="AvA_hinge", gammas=widths, c_values=costs, **options)
    seconds, processor = time.perf_counter() - start, time.process_time() - began
    found, _ = model.test(data["x_test"].astype(float), data["y_test"].astype(float))
    return {"seconds": seconds, "processor": processor, "error": float(np.mean(found[:, 0] != data["y_test"]))}


def _machines(module: str) -> tuple[Any, Any]:
    found = import_module(module)
    return found.SVC, found.SVR


RIVALS = {
    "sklearn": fit_with("sklearn.svm", "float64"),
    "intelex32": fit_with("sklearnex.svm", "float32"),
    "intelex64": fit_with("sklearnex.svm", "float64"),
    "grid-sklearn": grid_with("sklearn.svm", "float64"),
    "grid-intelex32": grid_with("sklearnex.svm", "float32"),
    "liquid": liquid,
    "liquid-cells": liquid_cells,
    "liquid-cells-grid": liquid_cells_grid,
}

if __name__ == "__main__":
    main()

"""Run every question, or those named: `python benchmarks/run.py naive_bayes start`. Needs MERCER_DATA."""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

from harness import HEADER, data_folder

HERE = Path(__file__).parent
NOT_RUN = {
    "automl",
    "categorical_kernels",
    "interval_coverage",
    "ensemble_bias",
    "imbalance",
    "kernel_weights",
    "thesis",
    "versions",
}  # have a command of their own
SHARED = NOT_RUN | {"automl_rivals", "harness", "run", "svm_rivals", "svm_tables"}


def main(names: list[str]) -> None:
    data = data_folder()
    names = names or sorted(p.stem for p in HERE.glob("*.py") if p.stem not in SHARED)
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    for name in names:
        module = importlib.import_module(name)
        header = getattr(module, "HEADER", HEADER)
        print(f"## {name}\n\n{(module.__doc__ or '').strip()}\n\n{header}", flush=True)
        for row in module.rows(data):
            print(row.line(), flush=True)
        print()


if __name__ == "__main__":
    main(sys.argv[1:])

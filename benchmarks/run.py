"""Run every question, or those named: `python benchmarks/run.py naive_bayes start`. Needs MERCER_DATA.

Questions without `rows` have a command of their own.
"""

from __future__ import annotations

import importlib
import platform
import sys
from pathlib import Path

from harness import HEADER, data_folder

HERE = Path(__file__).parent


def main(names: list[str]) -> None:
    data = data_folder()
    names = names or sorted(p.stem for p in HERE.glob("*.py") if "\ndef rows(" in p.read_text())
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

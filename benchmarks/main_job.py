"""How long does `mercer train` take, with its defaults and with a budget of 30 s? From start to written report.

Wall-clock seconds mean something on an idle machine of two cores alone; seconds of processor time are printed beside.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import Row

ADULT_ROWS = 10_000
BUDGET, KEPT = 30, 33


def rows(data: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        adult = Path(folder) / "adult.csv"
        lines = (data / "adult" / "adult.data").read_text().splitlines()[:ADULT_ROWS]
        adult.write_text("\n".join(lines) + "\n")
        census = data / "census_income_kdd" / "census_income_1994_1995_train.csv.gz"
        tables = [
            ("german_credit, 1,000 rows", data / "german_credit" / "german.data", "-1", 15),
            ("telco_churn, 7,043 rows", data / "telco_churn" / "Telco-Customer-Churn.csv", "Churn", 60),
            ("adult, 10,000 rows", adult, "-1", 60),
            ("census_income_kdd, 199,523 rows", census, "-1", 120),
        ]
        found = []
        for name, path, target, limit in tables:
            for words, bar in (((), limit), (("--time", str(BUDGET)), KEPT)):
                found.append(_train(f"{name} {' '.join(words)}".strip(), path, target, words, bar, Path(folder)))
        return found


def _train(name: str, path: Path, target: str, words: tuple[str, ...], bar: float, folder: Path) -> Row:
    """One run in a process of its own; the bar stands in the place of a rival."""
    out = folder / "out"
    command = [sys.executable, "-m", "mercer", "train", str(path), "--target", target, *words, "--out", str(out)]
    before, start = os.times(), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds, after = time.perf_counter() - start, os.times()
    if not (out / "model.mercer").is_file():
        raise SystemExit(f"{name}: no model was written")
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return Row(f"{name} ({busy:.0f} s of processor time)", seconds, bar, "the bar", "1x")

"""Is a typed table read within 1.5 times of polars.read_csv alone?"""

from __future__ import annotations

from pathlib import Path

import polars as pl
from harness import Row, best, unpacked

import mercer

TABLES = {
    "covtype/covtype.csv.gz": True,
    "census_income_kdd/census_income_1994_1995_train.csv.gz": False,
}


def rows(data: Path) -> list[Row]:
    found = []
    for name, header in TABLES.items():
        with unpacked(data / name) as path:
            table = mercer.read_table(path)
            question = f"read_table, {name.split('/')[0]} {table.n_rows:,} rows, {path.stat().st_size / 1e6:.0f} MB"
            found.append(_compare(question, path, header))
    return found


def _compare(question: str, path: Path, header: bool) -> Row:
    """Ours and the rival's by turns, so that other work on the machine meets both."""
    ours, rival = [], []
    for _ in range(5):
        ours.append(best(lambda: mercer.read_table(path), 1))
        rival.append(best(lambda: pl.read_csv(path, has_header=header), 1))
    return Row(question, min(ours), min(rival), "polars.read_csv", "0.67x" if header else "none")

"""The census of incomes as a training and a test table, for the questions that ask it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from harness import unpacked
from numpy.typing import NDArray

import mercer
from mercer.table import Table, conform_table, open_source

FOLDER = "census_income_kdd"
LABEL = "-1"  # the files have no header: what the last column is called in their place


def census_income(data: Path) -> tuple[Table, NDArray[np.int32], Table, NDArray[np.bool_]]:
    """Training table, 1 for the rare class in it, test table, True for that class."""
    with (
        unpacked(data / FOLDER / "census_income_1994_1995_train.csv.gz") as train,
        unpacked(data / FOLDER / "census_income_1994_1995_test.csv.gz") as test,
    ):
        source = open_source(train)
        label = source.pop(LABEL).cast(pl.String).str.strip_chars()
        rare = label.value_counts().sort("count")[label.name][0]
        table = mercer.read_table(source)
        source = open_source(test)
        truth = (source.pop(LABEL).cast(pl.String).str.strip_chars() == rare).to_numpy()
        fresh = conform_table(source, table.schema)
    return table, (label == rare).to_numpy().astype(np.int32), fresh, truth

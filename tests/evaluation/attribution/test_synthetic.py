"""Rows made up from summaries have the distributions of the columns, and no row of the training table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.evaluation.attribution.synthetic import synthetic_rows
from mercer.table import Column, Kind


@dataclass
class Summary:
    column: Column
    n_missing: int
    quantiles: np.ndarray
    counts: np.ndarray


@dataclass
class Rows:
    n_rows: int
    columns: list[Summary]


def summarised(table) -> Rows:
    found = []
    for column in table.schema:
        gone = int(table.missing(column.name).sum())
        if column.kind is Kind.NUMERIC:
            found.append(Summary(column, gone, np.nanquantile(table[column.name], np.linspace(0, 1, 11)), np.empty(0)))
        else:
            codes = table.codes(column.name)[:, 0]
            found.append(
                Summary(column, gone, np.empty(0), np.bincount(codes[codes >= 0], minlength=len(column.levels)))
            )
    return Rows(len(table), found)


def people(n: int = 500):
    rng = np.random.default_rng(0)
    pay = rng.exponential(1000, n)
    pay[:50] = np.nan
    job = rng.choice(["clerk", "sales", "smith", "rare"], n, p=[0.5, 0.3, 0.195, 0.005]).astype(object)
    job[:25] = None
    return mercer.read_table({"pay": pay, "age": rng.integers(18, 80, n), "job": job}, kinds={"age": "numeric"})


def test_columns_are_distributed_as_in_the_summary() -> None:
    table = people()
    made = synthetic_rows(summarised(table), table.schema, 200)
    assert made.schema == table.schema and len(made) == 200
    for name in ("pay", "age"):
        ours, theirs = (np.nanquantile(t[name], [0, 0.1, 0.5, 0.9, 1]) for t in (made, table))
        assert_allclose(ours, theirs, rtol=0.06)
    assert np.isnan(made["pay"]).mean() == pytest.approx(0.1)
    assert (made["age"] == np.round(made["age"])).all()  # whole numbers stay whole
    shares = np.bincount(made.codes("job")[:, 0] + 1, minlength=5) / 200
    expected = np.bincount(table.codes("job")[:, 0] + 1, minlength=5) / 500
    assert_allclose(shares, expected, atol=0.01)
    assert (shares > 0).all()  # the rare level too
    both = set(zip(made["pay"], made["age"], strict=True)) & set(zip(table["pay"], table["age"], strict=True))
    assert not {pair for pair in both if pair[0] == pair[0]}
    assert abs(np.corrcoef(np.nan_to_num(made["pay"]), made["age"])[0, 1]) < 0.2


def test_a_column_without_cells_stays_without() -> None:
    table = people()
    known = summarised(table)
    known.columns[0].n_missing, known.columns[0].quantiles = 500, np.full(11, np.nan)
    known.columns[2].n_missing, known.columns[2].counts = 500, np.zeros(4, dtype=int)
    made = synthetic_rows(known, table.schema, 20)
    assert np.isnan(made["pay"]).all() and (made.codes("job") == -1).all()

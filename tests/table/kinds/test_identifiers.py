"""Columns that name the rows, and whole numbers that may be names."""

import uuid
from random import Random

import numpy as np
import pandas as pd
import pytest

import mercer
from mercer.table.kinds.identifiers import names_rows

N = 200
RANDOM = Random(0)
UNIQUE = [str(n) for n in RANDOM.sample(range(10_000, 99_999), N)]


def _read(tmp_path, name, cells):
    path = tmp_path / "t.csv"
    pd.DataFrame({name: cells, "x": np.arange(N) / 7}).to_csv(path, index=False)
    return mercer.read_table(path).schema


@pytest.mark.parametrize("name", ["id", "customer_id", "customerId", "CUSTOMER-ID", "Sample code number", "key"])
def test_nearly_unique_whole_numbers_that_name_rows_are_left_out(tmp_path, name):
    cells = [*UNIQUE[:-10], *UNIQUE[:10]]
    (found,) = _read(tmp_path, name, cells).left_out
    assert (found.name, found.cause) == (name, "identifier")


@pytest.mark.parametrize("name", ["paid", "grid", "bid", "valid", "Covid", "3SsnPorch"])
def test_names_that_only_end_like_id(tmp_path, name):
    assert not names_rows(name)
    column = _read(tmp_path, name, UNIQUE)[name]
    assert column.kind == "numeric"
    assert "nearly every row has a whole number of its own" in column.reason


@pytest.mark.parametrize("name", ["zip", "zip_code", "zipCode", "product code", "plz"])
def test_codes_are_doubted(tmp_path, name):
    column = _read(tmp_path, name, [RANDOM.choice(UNIQUE[:40]) for _ in range(N)])[name]
    assert column.kind == "numeric"
    assert "its name says that it numbers or names something" in column.reason


def test_amounts_are_not_doubted(tmp_path):
    assert (
        _read(tmp_path, "age", [RANDOM.randint(18, 90) for _ in range(N)])["age"].reason
        == "whole numbers from 18 to 90"
    )


@pytest.mark.parametrize("make", [lambda i: str(uuid.UUID(int=RANDOM.getrandbits(128))), lambda i: f"C-{i:05}"])
def test_texts_that_name_rows_are_left_out(tmp_path, make):
    assert _read(tmp_path, "who", [make(i) for i in range(N)]).left_out[0].cause == "identifier"


def test_numbers_of_a_frame_stay_numbers():
    frame = pd.DataFrame({"id": np.arange(N), "zip": [int(n) for n in UNIQUE]})
    assert list(mercer.read_table(frame).schema.of_kind("numeric")) == ["id", "zip"]


@pytest.mark.parametrize(
    "make",
    [
        lambda i: f"+49 {100 + i} {7_000_000 + 7919 * i}",
        lambda i: f"DE{i % 90 + 10} {1234 + i} {9999 - 3 * i} {5 * i + 1000} 0000",
        lambda i: f"({200 + i}) {300 + i}-{i:04} {i}",
    ],
)
def test_numbers_of_telephones_and_accounts_are_identifiers_and_no_texts(make):
    table = mercer.read_table({"x": [make(i) for i in range(200)], "y": [i % 7 / 2 for i in range(200)]})
    assert table.columns == ("y",)
    assert table.schema.left_out[0].reason.startswith("identifier")


def test_lists_of_codes_that_come_back_are_texts():
    cells = [" ".join(f"I{RANDOM.randrange(30)}.{k}" for k in range(4)) for _ in range(200)]
    assert mercer.read_table({"x": cells}).schema["x"].kind == "text"

"""Columns to look at before the scores are believed."""

import numpy as np
import pytest

import mercer
from mercer.evaluation.data.columns import several_rows_each, suspicious_columns
from mercer.table import infer, open_source
from mercer.table.build import build
from mercer.table.target_column import read_target


def suspicions(columns, y):
    target, rest = read_target(open_source({**columns, "y": list(y)}), "y")
    found = suspicious_columns(build(rest, infer(rest)), target)
    return {s.column: s.why for s in found}


def random(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return rng, rng.random(n) < 0.3, {"x": rng.normal(size=n).tolist(), "job": rng.choice(["a", "b", "c"], n).tolist()}


def test_nothing_is_suspicious_in_an_honest_table():
    rng, y, columns = random()
    columns["good"] = (y + rng.normal(0, 0.6, len(y))).tolist()
    columns["rooms"] = rng.integers(1, 9, len(y)).tolist()
    columns["often_missing"] = [None if rng.random() < 0.5 else 1.5 * i for i in range(len(y))]
    assert suspicions(columns, np.where(y, "yes", "no")) == {}


@pytest.mark.parametrize("kind", ["two", "several", "number"])
@pytest.mark.parametrize("category", [False, True])
def test_a_column_that_gives_the_answer_away(kind, category):
    rng, y, columns = random(1200)
    signal = rng.integers(0, 4, len(y))
    target = {
        "two": np.where(signal > 1, "yes", "no"),
        "several": np.array(list("abcd"))[signal],
        "number": signal * 1.5,
    }
    columns["leak"] = [f"level {s}" for s in signal] if category else (signal + rng.normal(0, 0.02, len(y))).tolist()
    y = target[kind] if kind != "number" else target[kind] + rng.normal(0, 0.01, len(signal))
    found = suspicions(columns, y)
    assert list(found) == ["leak"]
    assert "almost perfectly" in found["leak"]


def test_high_cardinality_does_not_give_the_answer_away():
    _, y, columns = random()
    columns["city"] = [f"city {i % 150}" for i in range(len(y))]
    assert suspicions(columns, np.where(y, "yes", "no")) == {}


def test_a_column_filled_only_after_the_event():
    rng, y, columns = random()
    columns["cancelled_after"] = [float(rng.integers(1, 99)) + 0.5 if v and rng.random() < 0.6 else None for v in y]
    found = suspicions(columns, np.where(y, "yes", "no"))
    assert "known only where 'y' is 'yes'" in found["cancelled_after"]


@pytest.mark.parametrize("name", ["id", "customer_id", "CustomerId", "zip", "branch code"])
def test_whole_numbers_that_are_names(name):
    rng, y, columns = random()
    columns[name] = rng.integers(100, 999, len(y)).tolist()
    columns["paid"] = rng.integers(100, 999, len(y)).tolist()
    assert list(suspicions(columns, np.where(y, "yes", "no"))) == [name]


def test_whole_numbers_nearly_all_different():
    rng, y, columns = random()
    columns["reference"] = rng.integers(10**6, 10**9, len(y)).tolist()
    found = suspicions(columns, np.where(y, "yes", "no"))
    assert "of its own" in found["reference"]


def test_a_number_above_0_only_after_the_event():
    """Zeros share a range with the smallest amounts; by its order the column tells the classes apart."""
    rng, y, columns = random()
    columns["refund"] = np.where(y, rng.normal(50, 5, len(y)), 0.0).tolist()
    found = suspicions(columns, np.where(y, "yes", "no"))
    assert list(found) == ["refund"]
    assert "ROC AUC 1.000" in found["refund"]
    columns["refund"] = [-amount for amount in columns["refund"]]
    assert list(suspicions(columns, np.where(y, "yes", "no"))) == ["refund"]


def test_a_number_with_heavy_tails_that_follows_the_target():
    rng, _, columns = random(300)
    target = rng.lognormal(3, 2, 300)
    columns["with tax"] = (1.19 * target).tolist()
    assert list(suspicions(columns, target)) == ["with tax"]


def test_of_a_date_the_date_is_named_and_not_its_parts():
    rng, y, columns = random()
    columns["closed"] = [f"2024-03-{rng.integers(1, 28):02d}" if ill else None for ill in y]
    found = suspicions(columns, np.where(y, "yes", "no"))
    assert list(found) == ["closed"]


def test_a_column_that_is_filled_after_the_event():
    """Its blanks are a level, and so few rows leave the area open."""
    _, y, columns = random(150)
    columns["closed by"] = ["closed" if one else "" for one in y]
    columns["member"] = ["Y" if i % 2 else "" for i in range(150)]
    found = suspicions(columns, np.where(y, "fraud", "ok"))
    assert found == {"closed by": "its cells are known only where 'y' is 'fraud'"}


@pytest.mark.parametrize(
    ("name", "each", "found"),
    [
        ("patient_id", 4, True),
        ("customerID", 2, True),
        ("patient_id", 1, False),
        ("patient_id", 80, False),
        ("paid", 4, False),
    ],
)
def test_names_of_what_has_several_rows(name, each, found):
    cells = [f"p{i // each}" for i in range(400)]
    numbers = [i // each for i in range(400)]
    for column in (cells, numbers):
        table = mercer.read_table({name: column, "x": np.arange(400) % 7})
        assert several_rows_each(table) == ({name: (400 // each, float(each))} if found else {})

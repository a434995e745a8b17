"""JSON: records a line, arrays of records, and columns."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import mercer
from mercer.errors import BadFile, BadTable

RECORDS = [{"age": 31 + i, "job": "abc"[i % 3], "pay": None if i == 2 else i / 4} for i in range(30)]


def write(folder: Path, data: str | bytes, name: str = "t.jsonl") -> Path:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / name


def lines(records: list[dict], end: str = "\n") -> str:
    return "".join(json.dumps(record) + end for record in records)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("t.jsonl", lines(RECORDS)),
        ("t.ndjson", lines(RECORDS, "\r\n")),
        ("t.jsonl", b"\xef\xbb\xbf" + lines(RECORDS).encode() + b"\n\n"),
        ("t.jsonl", lines(RECORDS).encode("utf-16")),
        ("t.json", lines(RECORDS)),
        ("t.json", json.dumps(RECORDS)),
        ("t.json", json.dumps(RECORDS, indent=2)),
        ("t.json", json.dumps({name: [r[name] for r in RECORDS] for name in RECORDS[0]})),
        ("t.txt", lines(RECORDS)),
        ("t", json.dumps(RECORDS)),
    ],
)
def test_the_same_table_as_from_python(tmp_path, name, data):
    table, expected = mercer.read_table(write(tmp_path, data, name)), mercer.read_table(pl.DataFrame(RECORDS))
    assert table.columns == expected.columns
    assert np.array_equal(table.numbers(), expected.numbers(), equal_nan=True)
    assert np.array_equal(table.codes(), expected.codes())


def test_names_that_some_records_lack_are_missing_cells(tmp_path):
    records = [{"a": 1.5}, {"b": "x", "a": 2.5}, {"b": "y"}, {"a": 3.0, "b": "x"}, {}]
    table = mercer.read_table(write(tmp_path, lines(records)))
    assert table.columns == ("a", "b")
    assert np.array_equal(table.numbers("a").ravel(), [1.5, 2.5, np.nan, 3.0, np.nan], equal_nan=True)
    assert table.codes("b").ravel().tolist() == [-1, 0, 1, 0, -1]


def test_objects_inside_become_columns_and_lists_are_left_out(tmp_path):
    records = [{"at": {"city": "ab"[i % 2], "geo": {"x": i / 2}}, "tags": ["u"] * i} for i in range(6)]
    table = mercer.read_table(write(tmp_path, lines(records)))
    assert table.columns == ("at.city", "at.geo.x")
    assert table.numbers().ravel().tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
    assert [(c.name, str(c.cause)) for c in table.schema.left_out] == [("tags", "unreadable")]


def test_one_name_for_two_things(tmp_path):
    with pytest.raises(BadFile, match=r"record 2: the name 'a\.b' is met twice"):
        mercer.read_table(write(tmp_path, lines([{"c": 1}, {"a.b": 1, "a": {"b": 2}}])))


def test_cells_of_several_types_are_texts(tmp_path):
    table = mercer.read_table(write(tmp_path, lines([{"a": v} for v in [1, "x", True, 2.5, None] * 3])))
    assert table.schema["a"].levels == ("1", "2.5", "true", "x")


def test_whole_numbers_beyond_64_bits_keep_their_digits(tmp_path):
    table = mercer.read_table(write(tmp_path, lines([{"a": 10**30 + i % 3} for i in range(9)])))
    assert table.schema["a"].levels == tuple(str(10**30 + i) for i in range(3))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.jsonl", '{"a": 1}\n5\n', "line 2: a number where an object"),
        ("t.jsonl", '{"a": 1}\n[1]\n', "line 2: a list where an object"),
        ("t.jsonl", '{"a": 1}\n{"a": }\n', "line 2: not JSON"),
        ("t.jsonl", '{"a": 1}\n' + '{"a": 1' * 3, "line 2: not JSON"),
        ("t.json", '[{"a": 1},\n null]', "record 2: null where an object"),
        ("t.json", '[{"a": 1},\n {"a" 2}]', "line 2: not JSON"),
        ("t.json", "3", "holds a number, not a table"),
        ("t.json", '{"rows": {"a": 1}}', "holds an object, not a table"),
        ("t.json", "[" * 100_000, "cannot be read as JSON"),
        ("t.json", " \n", "empty"),
        ("t.jsonl", lines([{"a": json.loads('{"a":' * 30 + "1" + "}" * 30)}]), "nested deeper"),
        ("t.jsonl", '{"a": ' + "9" * 5000 + "}", "line 1: not JSON"),
    ],
)
def test_what_is_no_table(tmp_path, name, data, message):
    with pytest.raises(BadFile, match=message):
        mercer.read_table(write(tmp_path, data, name))


def test_no_records(tmp_path):
    with pytest.raises(BadTable, match="no rows"):
        mercer.read_table(write(tmp_path, "[]", "t.json"))
    with pytest.raises(BadTable, match="differ in length"):
        mercer.read_table(write(tmp_path, '{"a": [1], "b": [1, 2]}', "t.json"))


def test_names_used_as_values_cannot_ask_for_all_memory(tmp_path):
    with pytest.raises(BadFile, match="Are names used as values"):
        mercer.read_table(write(tmp_path, lines([{f"n{i}": 1} for i in range(8000)])))

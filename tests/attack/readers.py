"""Small files of every format with bytes changed, cut, doubled or put in."""

from __future__ import annotations

import datetime
import gzip
import sqlite3
import tempfile
import warnings
import zipfile
from contextlib import closing
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xlsxwriter

import mercer
from mercer.errors import MercerError
from mercer.table import Table
from tests.attack.outcome import Outcome, Wrong
from tests.attack.tables import CELLS

TOKENS = (
    b"\0", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b'"', b"'", b"%", b"@data\n", b"@attribute x {a,b}\n", b"{", b"}",
    b"?", b"nan", b"inf", b"-inf", b"1e308", b"1e400", b"-0", b"9" * 30, b"9" * 400, b"0x1F", b"1_000", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xc3\x28", "\u0663\u0664".encode(), "\u2028".encode(), "\U0001f600".encode(),
    b"2024-02-30", b"12:00", b"1:1", b"-1:5", b"99999999:1",
    b"0002", b" ", b"\\", b"#", b"true", b"FALSE", b"NA", b"1,5", b"1.000,5", b"$3", b"50%", b"=cmd()", b"<b>",
    b' r="XFD1048576"', b"</row>", b'ref="A1:XFD1048576"',
)  # fmt: skip
SIZES = (-1, -2, 2**15, 2**31 - 1, -(2**31), 2**40, 2**55, 2**63 - 1, -(2**63))  # of binary formats, in 4 or 8 bytes

SHEET = "xl/worksheets/sheet1.xml"


@cache
def files() -> tuple[tuple[str, bytes], ...]:
    """(name, contents) of one sound file for each format."""
    frame = pl.DataFrame(CELLS)
    parquet = BytesIO()
    frame.write_parquet(parquet, compression="uncompressed")
    arrow = BytesIO()
    frame.write_ipc(arrow)
    zipped = BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("t.csv", frame.write_csv())
    arff = "@relation t\n@attribute number numeric\n@attribute gaps numeric\n@attribute job {clerk,sales,chef}\n"
    arff += "@attribute flag {yes,no}\n@attribute size string\n@attribute note string\n@data\n"
    arff += "".join(
        ",".join("?" if v is None else f"'{v}'" if isinstance(v, str) else str(v) for v in r) + "\n"
        for r in frame.rows()
    )
    sparse = "@relation s\n@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n@data\n"
    sparse += "".join(f"{{0 {i}, 1 {'xy'[i % 2]}}}\n" if i % 3 else "{2 1.5}\n" for i in range(20))
    libsvm = "".join(f"{i % 2 * 2 - 1} 1:{i / 7:.3f} 3:{i % 5} 9:1\n" for i in range(30))
    return (
        ("t.csv", frame.write_csv().encode()),
        ("t.tsv", frame.write_csv(separator="\t").encode()),
        ("t.txt", frame.write_csv(separator=";").encode()),
        ("t.arff", arff.encode()),
        ("s.arff", sparse.encode()),
        ("t.libsvm", libsvm.encode()),
        ("t.parquet", parquet.getvalue()),
        ("t.arrow", arrow.getvalue()),
        *((f"{packing}.parquet", _parquet(packing)) for packing in ("snappy", "zstd", "gzip", "lz4")),
        *((f"{packing}.arrow", _arrow(packing)) for packing in ("uncompressed", "lz4", "zstd")),
        ("t.jsonl", frame.write_ndjson().encode()),
        ("t.json", frame.write_json().encode()),
        ("t.zip", zipped.getvalue()),
        ("t.csv.gz", gzip.compress(frame.write_csv().encode(), mtime=0)),
        ("t.xlsx", _sheet()),
        ("t.db", _database(frame)),
        ("title.csv", b"Sales, by region\n# x\n\n" + frame.write_csv().encode()),
    )


def _typed() -> pl.DataFrame:
    """Columns of further types, as only the formats of frames have them."""
    n = len(CELLS["number"])
    return pl.DataFrame(CELLS).with_columns(
        level=pl.Series(CELLS["job"], dtype=pl.Categorical),
        day=pl.Series([datetime.date(2020, 1, 1 + i % 28) for i in range(n)]),
        truth=pl.Series([None if i % 5 == 0 else i % 2 == 0 for i in range(n)]),
        nothing=pl.Series([None] * n),
    )


def _parquet(packing: Any) -> bytes:
    buffer = BytesIO()
    _typed().write_parquet(buffer, compression=packing)
    return buffer.getvalue()


def _arrow(packing: Any) -> bytes:
    buffer = BytesIO()
    _typed().write_ipc(buffer, compression=packing)
    return buffer.getvalue()


@cache
def _workbook() -> bytes:
    buffer = BytesIO()
    book = xlsxwriter.Workbook(buffer, {"strings_to_numbers": False})
    sheet = book.add_worksheet("S")
    frame = pl.DataFrame(CELLS)
    for i, row in enumerate([frame.columns, *frame.rows()]):
        sheet.write_row(i, 0, row)
    sheet.merge_range("A3:A5", 7)
    book.close()
    return buffer.getvalue()


def _with_sheet(sheet: bytes) -> bytes:
    """The workbook with another sheet: bytes changed in the archive itself are met by its checksums alone."""
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(_workbook())) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, sheet if name == SHEET else old.read(name))
    return buffer.getvalue()


def _sheet() -> bytes:
    with zipfile.ZipFile(BytesIO(_workbook())) as archive:
        return archive.read(SHEET)


def _database(frame: pl.DataFrame) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table t ({', '.join(frame.columns)})")
        connection.executemany(f"insert into t values ({', '.join('?' * frame.width)})", frame.rows())
        connection.commit()
        return connection.serialize()


def attempt(seed: int) -> Outcome:
    """Change a file in one to four places and read it."""
    rng = np.random.default_rng(seed)
    name, data = files()[seed % len(files())]
    for _ in range(int(rng.integers(1, 5))):
        data = mutated(data, rng)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / name
        path.write_bytes(_with_sheet(data) if name == "t.xlsx" else data)
        try:
            check_table(mercer.read_table(path))
        except MercerError:
            return Outcome.REFUSED
    return Outcome.ANSWERED


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """The bytes with one change."""
    at = int(rng.integers(len(data) + 1))
    action, span = rng.integers(7), int(rng.choice([1, 2, 8, 60]))
    token = TOKENS[rng.integers(len(TOKENS))]
    if action == 0:
        return data[:at] + token + data[at:]
    if action == 1:
        return data[:at] + token + data[at + len(token) :]
    if action == 2:
        return data[:at] + data[at + span :]
    if action == 3:
        return data[:at] + data[at : at + span] * 2 + data[at + span :]
    if action == 4:
        return data[:at] + bytes([rng.integers(256)]) + data[at + 1 :]
    if action == 5:
        size = SIZES[rng.integers(len(SIZES))]
        number = size.to_bytes(8, "little", signed=True)[: 8 if rng.random() < 0.5 else 4]
        return data[:at] + number + data[at + len(number) :]
    return data[:at] if rng.random() < 0.3 else data.replace(token, TOKENS[rng.integers(len(TOKENS))], 3)


def check_table(table: Table) -> None:
    """Numbers are finite or missing, codes are levels or missing, names are distinct."""
    numbers = table.number_block.values
    cells = numbers if isinstance(numbers, np.ndarray) else numbers.data
    if np.isinf(cells).any():
        raise Wrong("infinite numbers")
    for column in table.schema:
        if column.kind.categorical:
            codes = table.codes(column.name)
            if codes.min(initial=-1) < -1 or codes.max(initial=-1) >= len(column.levels):
                raise Wrong(f"codes of {column.name!r} that are no levels")
    if len(set(table.schema.names)) < len(table.schema):
        raise Wrong("one name twice")

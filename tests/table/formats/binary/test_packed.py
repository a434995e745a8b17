"""Packed files: the table inside, bounded, whole, and one."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest

import mercer
from mercer.errors import BadFile
from mercer.table.formats.binary import packed

TEXT = b"age,job\n" + b"31,sales\n45,chef\n58,sales\n" * 5


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name or zipfile.ZipInfo(""), data)  # which writestr itself takes for a folder
    return buffer.getvalue()


def write(folder: Path, data: bytes, name: str) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("t.csv.gz", gzip.compress),
        ("t.csv.bz2", bz2.compress),
        ("t.csv.xz", lzma.compress),
        ("t.csv.zip", lambda data: zipped(**{"t.csv": data})),
        ("t", gzip.compress),
        ("t.zip", lambda data: zipped(**{"folder/": b"", "folder/t.csv": data, "__MACOSX/._t.csv": b"x"})),
        ("t.zip", lambda data: zipped(**{"t.csv.gz": gzip.compress(data)})),
        ("t.csv.gz", lambda data: gzip.compress(data[:40]) + gzip.compress(data[40:]) + b"\0" * 9),
    ],
)
def test_the_table_inside(tmp_path, name, pack):
    table = mercer.read_table(write(tmp_path, pack(TEXT), name))
    assert table.n_rows == 15
    assert table.schema["job"].levels == ("chef", "sales")


def test_the_name_inside_an_archive_says_the_format(tmp_path):
    data = b'{"a": 1.5}\n{"a": 2.5}\n{"a": 4.0}\n'
    assert mercer.read_table(write(tmp_path, zipped(**{"x.jsonl": data}), "t.zip")).numbers().ravel().tolist() == [
        1.5,
        2.5,
        4,
    ]
    assert mercer.read_table(write(tmp_path, gzip.compress(data), "t.jsonl.gz")).n_rows == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped(), "holds no file"),
        (zipped(**{"folder/": b""}), "holds no file"),
        (zipped(**{"": b"a,b"}), "holds no file"),
        (zipped(**{"a.csv": TEXT, "b.csv": TEXT}), r"holds 2 files: 'a\.csv', 'b\.csv'\. Unpack it"),
        (zipped(**{"a.csv": TEXT})[:-30], "zip archive"),
        (bz2.compress(TEXT)[:-5], "not a whole bzip2 file"),
        (lzma.compress(TEXT)[:-5], "not a whole xz file"),
        (gzip.compress(TEXT) + b"more", "not a whole gzip file"),
        (gzip.compress(gzip.compress(gzip.compress(gzip.compress(TEXT)))), "packed several times"),
    ],
    # gzip writes the time into its bytes: they must not be part of a test's name, which every worker collects
    ids=lambda value: value if isinstance(value, str) else "data",
)
def test_archives_that_hold_no_table(tmp_path, data, message):
    with pytest.raises(BadFile, match=message):
        mercer.read_table(write(tmp_path, data, "t.zip"))


def test_an_archive_with_a_password(tmp_path):
    data = bytearray(zipped(**{"a.csv": TEXT}))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.find(magic) + place] |= 1
    with pytest.raises(BadFile, match="password"):
        mercer.read_table(write(tmp_path, bytes(data), "t.zip"))


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: zipped(**{"t.csv": data})])
def test_a_bomb_is_refused_at_the_limit(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(packed, "_FREE", 1 << 20)
    monkeypatch.setattr(packed, "_TIMES", 2)
    with pytest.raises(BadFile, match=r"unpacks to more than 1 MiB.*If you trust it"):
        mercer.read_table(write(tmp_path, pack(b"1,2\n" * (1 << 20)), "t.csv"))


def test_the_limit_grows_with_the_file():
    assert packed.most_unpacked(1000) == 256 << 20
    assert packed.most_unpacked(100 << 20) == 10_000 << 20

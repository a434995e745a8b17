"""libsvm files: `label index:value ...` a row, indices from 1. The label becomes the column 'target'."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path

import polars as pl
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from mercer.errors import BadFile
from mercer.table.formats.text import GZIP, read_bytes
from mercer.table.source import Source

_LONGEST = 1 << 24
_ROW = re.compile(r"\s*[+-]?\d[\d.eE+-]*(\s+\d+:\S+)+\s*(#.*)?")


def looks_like_libsvm(path: Path) -> bool:
    """Whether the first lines read `label index:value ...`."""
    with path.open("rb") as raw:
        packed = raw.read(2) == GZIP
    try:
        with (gzip.open if packed else open)(path, "rb") as file:
            lines = [file.readline(_LONGEST).decode("utf-8", errors="replace") for _ in range(5)]
    except (OSError, EOFError, zlib.error):
        return False
    lines = [line.rstrip("\r\n") for line in lines if line]
    return bool(lines) and all(_ROW.fullmatch(line) for line in lines)


def read_libsvm(path: Path) -> Source:
    """Sparse numeric columns x1, x2, ... and the label."""
    try:
        values, labels = load_svmlight_file(io.BytesIO(read_bytes(path)))
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} cannot be read as a libsvm file: {error}") from None
    if values.shape[0] == 0:
        raise BadFile(f"{path} has no rows.")
    return Source({"target": pl.Series("target", labels)}, sparse=sp.csr_array(values))

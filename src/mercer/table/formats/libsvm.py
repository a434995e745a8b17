"""libsvm files: `label index:value ...` a row, indices from 1. The label becomes the column 'target'."""

from __future__ import annotations

import io
import math
import re
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from mercer.errors import BadFile
from mercer.table.formats.source import Source

_LONGEST = 1 << 24
_ROW = re.compile(r"\s*[+-]?\d[\d.eE+-]*(\s+\d+:\S+)+\s*(#.*)?")


def looks_like_libsvm(data: bytes) -> bool:
    """Whether the first lines read `label index:value ...`."""
    file = io.BytesIO(data)
    lines = [file.readline(_LONGEST).decode("utf-8", errors="replace").rstrip("\r\n") for _ in range(5)]
    lines = [line for line in lines if line]
    return bool(lines) and all(_ROW.fullmatch(line) for line in lines)


def read_libsvm(data: bytes, path: Path) -> Source:
    """Sparse numeric columns x1, x2, ... and the label."""
    try:
        values, labels = load_svmlight_file(io.BytesIO(data))
    except (ValueError, OverflowError, OSError) as error:
        raise BadFile(f"{path} cannot be read as a libsvm file: {error}") from None
    if values.shape[0] == 0:
        raise BadFile(f"{path} has no rows.")
    if np.isinf(values.data).any() or np.isinf(labels).any():
        raise BadFile(f"{path}, line {_infinite_line(data)}: infinity; numbers must be finite or missing.")
    return Source({"target": pl.Series("target", labels)}, sparse=sp.csr_array(values))


def _infinite_line(data: bytes) -> int:
    """The first line with an infinite label or value."""
    for number, line in enumerate(data.split(b"\n"), 1):
        cells = line.partition(b"#")[0].split()
        if any(math.isinf(float(cell.rpartition(b":")[2])) for cell in cells):
            return number
    raise AssertionError("no line holds the infinity that was read")

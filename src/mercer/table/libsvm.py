"""libsvm files: `label index:value ...` a row, indices from 1. The label becomes the column 'target'."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import polars as pl
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from mercer.errors import BadFile
from mercer.table.source import Source

_ROW = re.compile(r"\s*[+-]?\d[\d.eE+-]*(\s+\d+:\S+)+\s*(#.*)?")


def looks_like_libsvm(path: Path) -> bool:
    """Whether the first lines read `label index:value ...`."""
    opener = gzip.open if path.read_bytes()[:2] == b"\x1f\x8b" else open
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        lines = [line for _, line in zip(range(5), file, strict=False)]
    return bool(lines) and all(_ROW.fullmatch(line) for line in lines)


def read_libsvm(path: Path) -> Source:
    """Sparse numeric columns x1, x2, ... and the label."""
    try:
        values, labels = load_svmlight_file(str(path))
    except (ValueError, OSError) as error:
        raise BadFile(f"{path} cannot be read as a libsvm file: {error}") from None
    if values.shape[0] == 0:
        raise BadFile(f"{path} has no rows.")
    return Source({"target": pl.Series("target", labels)}, sparse=sp.csr_array(values))

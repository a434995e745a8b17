"""Arrow's own files (.feather, .arrow, .ipc) through polars."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl

ARROW = b"ARROW1"


def read_arrow(source: Path | bytes, path: Path) -> pl.DataFrame:
    """The rows of a file or of its bytes."""
    return pl.read_ipc(io.BytesIO(source) if isinstance(source, bytes) else source)

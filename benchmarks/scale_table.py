"""The generated table of benchmarks/scale.py: files that are written once; shorter tables are the first of them."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import numpy as np
import polars as pl

NUMBERS, LEVELS = 24, (3, 5, 8, 12, 20, 40)
COLUMNS = NUMBERS + len(LEVELS)
PART = 250_000  # rows of a file


def files(folder: Path, n_rows: int) -> list[str]:
    """The Parquet files of a table of so many rows, whole files of more than one; those that lack are written."""
    folder.mkdir(parents=True, exist_ok=True)
    if n_rows < PART:
        sizes = {folder / f"rows-{n_rows}.parquet": (0, n_rows)}
    else:
        sizes = {folder / f"part-{k:05}.parquet": (k, PART) for k in range(-(-n_rows // PART))}
    lacking = [path for path in sizes if not path.exists()]
    if len(lacking) < 4:
        for path in lacking:
            _write(path, *sizes[path])
    else:
        with multiprocessing.get_context("spawn").Pool(2) as pool:
            pool.starmap(_write, [(path, *sizes[path]) for path in lacking])
    return [str(path) for path in sizes]


def n_rows(paths: list[str]) -> int:
    """Rows of all files."""
    return sum(int(pl.scan_parquet(path).select(pl.len()).collect().item()) for path in paths)


def _write(path: Path, part: int, n: int) -> None:
    """Rows of a seed of their own: numbers of two decimals, levels, gaps, a class and an amount.

    Two decimals make few different numbers, which a dictionary writes in a sixth of the bytes: files of 3.6 GB are
    20 GB as decoded, and every pass reads them from the system's cache, not from the disk.
    """
    rng, weights = np.random.default_rng([0, part]), np.random.default_rng(0).normal(size=NUMBERS)
    x = rng.standard_normal((NUMBERS, n))
    levels = [rng.integers(0, size, n) for size in LEVELS]
    score = weights @ x + (levels[1] == 2) + rng.logistic(size=n)
    x = np.round(x, 2)
    x[0, rng.random(n) < 0.05] = np.nan
    names = pl.Series([f"level {k}" for k in range(max(LEVELS))])
    frame = {f"x{j}": column for j, column in enumerate(x)}
    frame |= {f"c{j}": names.gather(codes) for j, codes in enumerate(levels)}
    table = pl.DataFrame(frame | {"y": np.where(score > 0, "yes", "no"), "amount": score})
    unfinished = path.with_suffix(f".{part}.tmp")
    table.with_columns(pl.col("x0").fill_nan(None)).write_parquet(
        unfinished, use_pyarrow=True, compression="none", pyarrow_options={"row_group_size": PART}
    )
    unfinished.rename(path)  # a run that was stopped leaves no half of a file

"""Cells of one column, worked on by the calling thread alone.

Many operations of polars (sort, unique of numbers, str.strip_chars, is_in, fill_null, replace_strict, anything lazy)
hand their work to a pool of threads. A forked child has the pool without its threads and waits for ever. Tables in
memory must be read in forked children (multiprocessing, joblib, gunicorn), so these stand in for such operations; files
need the pool, and `expect_threads` refuses where it is dead.
"""

from __future__ import annotations

import os
import threading

import numpy as np
import polars as pl

from mercer.errors import MercerError

_PATIENCE = 10.0  # seconds for a sort of two numbers, on a busy machine
_forked = threading.Event()  # set in a child that was forked and has not found the threads yet


def strip(cells: pl.Series) -> pl.Series:
    """Texts without surrounding blanks."""
    return pl.Series(cells.name, [c if c is None else c.strip() for c in cells.to_list()], dtype=pl.String)


def nan_to_null(cells: pl.Series) -> pl.Series:
    """Floats with null where they were NaN."""
    return pl.Series(cells.name, cells.to_numpy(), dtype=cells.dtype, nan_to_null=True)


def unique(cells: pl.Series) -> pl.Series:
    """The distinct cells, without null."""
    known = cells.drop_nulls()
    if cells.dtype == pl.String:
        return known.unique()
    values = known.to_numpy()
    found = list(dict.fromkeys(known.to_list())) if values.dtype == object else np.unique(values)
    return pl.Series(cells.name, found, dtype=cells.dtype)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked.set)


def expect_threads(what: str) -> None:
    """Refuse work that needs polars' threads in a process that was forked without them.

    Whether they are there is not said anywhere, so a sort of two numbers is tried: it ends at once, or never.
    """
    if not _forked.is_set():
        return
    trial = threading.Thread(target=pl.Series([2.0, 1.0]).sort, daemon=True)
    trial.start()
    trial.join(_PATIENCE)
    if trial.is_alive():
        raise MercerError(
            f"{what} cannot be read here: this process was forked (os.fork, multiprocessing, joblib) from one in which "
            "polars had started its threads, and a fork leaves threads behind. Read it before the fork and hand over "
            'the table, or start processes with multiprocessing.get_context("spawn").'
        )
    _forked.clear()

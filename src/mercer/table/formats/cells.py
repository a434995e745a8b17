"""Cells of one column, also in a process that was forked.

Many operations of polars (sort, unique of numbers, strip_chars, contains, is_in, fill_null, replace_strict, anything
lazy) hand their work to a pool of threads. A forked child has the pool without its threads and waits for ever. Tables
in memory must be read in forked children (multiprocessing, joblib, gunicorn), so the operations here do without the
pool: always where that costs nothing, in forked children only where Python takes twice the time. Files need the pool,
and `expect_threads` refuses them where it is dead.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Collection

import numpy as np
import polars as pl

from mercer.arrays import Bools
from mercer.errors import MercerError

LONG = tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))  # the latter since polars 1.34
_PATIENCE = 10.0  # seconds for a sort of two numbers, on a busy machine
# What polars strips: the white space of Unicode. Python's own strip() takes four separators more.
_BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_forked = threading.Event()  # set in a child that was forked and has not found the threads yet


def strip(cells: pl.Series) -> pl.Series:
    """Texts without surrounding blanks."""
    if not _forked.is_set():
        return cells.str.strip_chars()
    return pl.Series(cells.name, [c if c is None else c.strip(_BLANKS) for c in cells], dtype=pl.String)


def lower_in(cells: pl.Series, words: Collection[str]) -> Bools:
    """Whether each text, in lower case, is one of some words."""
    if not _forked.is_set():
        return cells.str.to_lowercase().is_in(list(words)).fill_null(False).to_numpy()
    return np.array([c is not None and c.lower() in words for c in cells], dtype=bool)


def matches(cells: pl.Series, pattern: str) -> Bools:
    """Whether the whole of each text fits a regular expression that Rust and Python read alike."""
    if not _forked.is_set():
        return cells.str.contains(f"^(?:{pattern})$").to_numpy()
    return np.array([re.fullmatch(pattern, c) is not None for c in cells], dtype=bool)


def sorted_texts(cells: pl.Series) -> pl.Series:
    """The distinct texts in the order of their characters."""
    if not _forked.is_set():
        return cells.unique().sort()
    return pl.Series(cells.name, sorted(set(cells)), dtype=pl.String)


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
    sort = threading.Thread(target=pl.Series([2.0, 1.0]).sort, daemon=True)
    sort.start()
    sort.join(_PATIENCE)
    if sort.is_alive():
        raise MercerError(
            f"{what} cannot be read here: this process was forked (os.fork, multiprocessing, joblib) from one in which "
            "polars had started its threads, and a fork leaves threads behind. Read it before the fork and hand over "
            'the table, or start processes with multiprocessing.get_context("spawn").'
        )
    _forked.clear()

"""Data frames, mappings and arrays whose columns have odd types, odd cells or odd names."""

from __future__ import annotations

import datetime
import decimal
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import mercer
from mercer.errors import MercerError
from tests.attack.outcome import Outcome, check_answers
from tests.attack.readers import check_table

N = 12
Cells = list[Any]
COLUMNS: dict[str, Callable[[np.random.Generator], Cells]] = {
    "floats": lambda rng: rng.normal(size=N).tolist(),
    "huge": lambda rng: (rng.normal(size=N) * rng.choice([1e155, 1e307, 1e-310])).tolist(),
    "infinite": lambda rng: [np.inf, *rng.normal(size=N - 1)],
    "gaps": lambda rng: [None if i % 3 else float(i) for i in range(N)],
    "NaN": lambda rng: [float("nan")] * N,
    "nothing": lambda rng: [None] * N,
    "integers": lambda rng: rng.integers(-9, 9, N).tolist(),
    "beyond 64 bits": lambda rng: [2**70 + i for i in range(N)],
    "unsigned": lambda rng: [2**64 - 1 - i for i in range(N)],
    "flags": lambda rng: [bool(i % 2) for i in range(N)],
    "texts": lambda rng: rng.choice(["a", "b", "", " ", "NA", "\u2028", "1", "01"], N).tolist(),
    "digits": lambda rng: rng.choice(["1", "2", "\u0663", "\uff11", "4b", "1e5"], N).tolist(),
    "bytes": lambda rng: [bytes([i]) for i in range(N)],
    "dates": lambda rng: [datetime.date(2000 + i, 1, 1) for i in range(N)],
    "moments": lambda rng: [datetime.datetime(1, 1, 1) + datetime.timedelta(days=i * 9999) for i in range(N)],
    "durations": lambda rng: [datetime.timedelta(seconds=i) for i in range(N)],
    "times": lambda rng: [datetime.time(i) for i in range(N)],
    "periods": lambda rng: pd.period_range("2000", periods=N, freq="Q").tolist(),
    "intervals": lambda rng: [pd.Interval(i % 4, i % 4 + 1) for i in range(N)],
    "two numbers": lambda rng: [f"{100 + i}/{60 + i}" for i in range(N)],
    "decimals": lambda rng: [decimal.Decimal(i) / 7 for i in range(N)],
    "complex": lambda rng: [complex(i, 1) for i in range(N)],
    "lists": lambda rng: [[i, i + 1] for i in range(N)],
    "records": lambda rng: [{"a": i} for i in range(N)],
    "mixed": lambda rng: [1, "a", None, 2.5, True, b"x", (), {}, [], "b", 3, 4],
    "objects": lambda rng: [object() for _ in range(N)],
}
NAMES: tuple[Any, ...] = ("x", "", " ", "a", "x" * 5000, "\u2028", "1", "<b>", "x ", "a\nb", "\0")
TYPES = (
    "category",
    "string",
    "object",
    "Int64",
    "boolean",
    "float32",
    "float16",
    "int8",
    "datetime64[ns]",
    "Sparse[float]",
)


def attempt(seed: int) -> Outcome:
    """Make a frame, read it, and fit naive Bayes or a tree to it."""
    rng = np.random.default_rng(seed)
    keys = rng.choice(list(COLUMNS), size=rng.integers(1, 5))
    cells = {
        (NAMES[rng.integers(len(NAMES))] if rng.random() < 0.3 else f"c{i}"): COLUMNS[k](rng)
        for i, k in enumerate(keys)
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            frame = _frame(cells, rng)
        except BaseException:  # pandas or polars cannot hold such cells; a panic is no Exception
            return Outcome.REFUSED
        try:
            check_table(mercer.read_table(frame))
            learner = (mercer.NaiveBayes, mercer.DecisionTreeClassifier)[rng.integers(2)]
            check_answers(learner().fit(frame, ["a", "b", "b"] * (N // 3)), frame)
        except MercerError:
            return Outcome.REFUSED
        except TypeError as error:  # what scikit-learn's checks demand of arrays of objects, word for word
            if "argument must be a string or a number" in str(error):
                return Outcome.REFUSED
            raise
    return Outcome.ANSWERED


def _frame(cells: dict[str, Cells], rng: np.random.Generator) -> Any:
    """The columns as a mapping, in pandas, polars, Arrow, or as an array of objects."""
    kind = rng.integers(6)
    if kind == 0:
        return cells
    if kind == 1:
        return pl.DataFrame(cells, strict=bool(rng.integers(2)))
    if kind == 2:
        named = {name.replace("\0", ""): column for name, column in cells.items()}  # Arrow panics at a NUL
        return pl.DataFrame(named, strict=False).to_arrow()
    if kind == 3:
        return np.array(list(cells.values()), dtype=object).T
    frame = pd.DataFrame(cells)
    if kind == 4:
        name = frame.columns[rng.integers(frame.shape[1])]
        frame[name] = frame[name].astype(TYPES[rng.integers(len(TYPES))])
        return frame
    frame.index = rng.choice([0, 0, 1, 5], N)
    frame.columns = pd.Index([*frame.columns[:-1], frame.columns[0]])  # one name twice when there are several
    return frame

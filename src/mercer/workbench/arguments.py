"""What the arguments of the main jobs may be: a name means the same in every function, and is declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from mercer.errors import did_you_mean
from mercer.parameters import Choice, Either, Flag, Number, Parameter, Parameters, Text, Texts, Unstored, check_value

P = ParamSpec("P")
R = TypeVar("R")


def _is_label(value: Any) -> bool:
    return value is None or (isinstance(value, str | int | float | np.generic) and np.ndim(value) == 0)


def _has_rows(value: Any) -> bool:
    """A column, a table or the name of a file: anything but a single value."""
    if isinstance(value, np.ndarray | np.generic):
        return value.ndim > 0
    return not isinstance(value, bytes) and any(hasattr(type(value), name) for name in ("__len__", "columns", "open"))


def _is_marker(value: Any) -> bool:
    return value is None or isinstance(value, str | float | int) or _has_rows(value)


def _is_column(value: Any) -> bool:
    return _has_rows(value) and not isinstance(value, str | Path | Mapping)


def _optional(parameter: Parameter) -> Parameter:
    return Either(Choice((None,)), parameter)


_ROWS = Unstored("a table, with a cell in each row and column", _has_rows)
_COLUMN = Unstored("a list or array", _is_column)
_NAMES = Either(Text(), Texts())
_LABEL = Unstored("a label of the target or None", _is_label)
_SEED = Number(0, 2**32 - 1, whole=True)
_LIMIT = Either(Number(optional=True), Unstored("a date", lambda v: isinstance(v, str | date | np.datetime64)))
ARGUMENTS: Parameters = {
    "X": _ROWS,
    "background": _optional(_ROWS),
    "y": _optional(_ROWS),  # also the name of a column
    "predicted": _optional(_COLUMN),
    "probabilities": _optional(_COLUMN),
    "classes": _optional(_COLUMN),
    "groups": _optional(_COLUMN),
    "sample_weight": _optional(_COLUMN),
    "values": _COLUMN,
    "sizes": _COLUMN,
    "amounts": Unstored("a mapping of names to arrays, or None", lambda v: v is None or isinstance(v, Mapping)),
    "cv": Either(
        Number(-(2**31), 2**31, whole=True, optional=True),  # fewer than two folds are refused by name
        Unstored("a splitter or a list of splits", lambda v: _is_list(v) or _is_splitter(v)),
    ),
    "random_state": _SEED,
    "seed": _SEED,
    "samples": Number(whole=True, optional=True),
    "metric": Text(optional=True),
    "task": Text(optional=True),
    "name": Text(),
    "parameter": Text(),
    "positive": _LABEL,
    "to": _LABEL,
    "row": Number(whole=True),
    "above": _LIMIT,
    "below": _LIMIT,
    "fixed": Texts(),
    "prefer": Text(),
    "imbalance": Text(),
    "calibrate": Text(),
    "time_column": Text(optional=True),
    "kinds": Unstored("a mapping of columns to kinds, or None", lambda v: v is None or isinstance(v, Mapping)),
    "learners": _optional(_NAMES),
    "drop": _NAMES,
    "missing": Unstored("a cell, a list of cells or a mapping of columns to cells", _is_marker),
    "weight": Either(Text(optional=True), _COLUMN),
    "group": Either(Text(optional=True), _COLUMN),
    "separator": Text(optional=True),
    "header": _optional(Flag()),
    "query": Text(optional=True),
    "table_name": Text(optional=True),
    "folds": Number(whole=True, optional=True),
    "test_size": Number(),
    "quick": Flag(),
    "scheduler": Unstored(
        "the address of a Dask scheduler, a client of one, or None",
        lambda v: v is None or isinstance(v, str) or hasattr(v, "scheduler"),
    ),
}


def _is_splitter(value: Any) -> bool:
    return hasattr(value, "split") and not isinstance(value, str | bytes)


def _is_list(value: Any) -> bool:
    return not isinstance(value, str | Mapping) and (_has_rows(value) or isinstance(value, Iterator))


# what scikit-learn calls them
_ELSEWHERE = {"sample_weight": "weight", "groups": "group", "random_state": "seed", "y": "target"}


def _meant(given: Mapping[str, Any], known: Sequence[str]) -> str:
    """A hint where an argument is called otherwise here; '' where none is."""
    name = next((name for name in given if name not in known), None)
    if name is None:
        return ""
    near = _ELSEWHERE.get(name)
    return f". Did you mean {near!r}?" if near in known else f". {did_you_mean(name, known)}"


def checks_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator: BadParameter for the first argument that `ARGUMENTS` does not accept; numbers of NumPy as Python's.

    An int8 that is added to overflows, and a float32 is written with the digits of its rounding.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{function.__name__}() {error}{_meant(kwargs, list(signature.parameters))}") from None
        for name, value in bound.arguments.items():
            if name in ARGUMENTS:
                check_value(name, value, ARGUMENTS[name], function.__name__)
            if isinstance(value, np.number | np.bool_):
                bound.arguments[name] = value.item()
        return function(*bound.args, **bound.kwargs)

    return checked

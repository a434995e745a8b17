"""The command that repeats a run: for the shell where the table is a file, else as a call in Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from mercer.select.costs import Costs
from mercer.select.thresholds import Threshold
from mercer.table.read import source_name
from mercer.workbench.training.options import TrainOptions

_FLAGS = {"kinds": "kind", "learners": "learner"}  # whose names in the terminal are singular
_ALWAYS = ("seed",)  # said even where it is the default: without it, no run is repeated


def command(data: Any, target: str | Sequence[str], options: TrainOptions) -> str:
    """What to type to repeat a run; passwords in the address of a database are left out.

    Parameters
    ----------
    data : Any
        What was trained on: a path or address, None for the embedded table, or anything else.
    target : str or sequence of str
        Name of the target, or of each of several.
    options : TrainOptions
        As they were given.

    Returns
    -------
    command : str
        Quoted for the shell, or a call of `mercer.train`.

    Examples
    --------
    >>> from mercer.workbench.training.command import command
    >>> from mercer.workbench.training.options import TrainOptions
    >>> command("my table.csv", "churn", TrainOptions(drop=("zip",), quick=True))
    "mercer train 'my table.csv' --target churn --drop zip --quick --seed 0"
    """
    if data is not None and not isinstance(data, str | Path):
        words = "".join(f", {name}={value!r}" for name, value in _given(options))
        return f"mercer.train(data, {(target if isinstance(target, str) else list(target))!r}{words})"
    table = [] if data is None else [source_name(data) if "://" in str(data) else str(data)]
    named = [word for one in ([target] if isinstance(target, str) else target) for word in ("--target", one)]
    return shlex.join(["mercer", "train", *table, *named, *_words(options)])


def _given(options: TrainOptions) -> Iterator[tuple[str, Any]]:
    """Names and values of the options that differ from the defaults; costs and thresholds as text."""
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name == "cost" and value is not None:
            yield field.name, value if isinstance(value, str) else _cost(Costs.read(value))
        elif field.name == "scheduler" and value is not None:
            yield field.name, value if isinstance(value, str) else value.scheduler.address
        elif field.name == "threshold" and isinstance(value, Threshold):
            yield field.name, str(value)
        elif field.name in _ALWAYS or (value != field.default and value not in (None, (), {})):
            yield field.name, value


def _cost(costs: Costs | None) -> str:
    """As `Costs.read` takes them."""
    if costs is None:
        return ""
    cells = [(f"{true}>{called}", amount) for true, called, amount in costs.cells]
    pairs = cells or [("fn", costs.fn), ("fp", costs.fp)]
    return ",".join(f"{name}={amount if isinstance(amount, str) else f'{amount:.15g}'}" for name, amount in pairs)


def _words(options: TrainOptions) -> Iterator[str]:
    """The options as words of the terminal."""
    for name, value in _given(options):
        flag = f"--{_FLAGS.get(name, name).replace('_', '-')}"
        if isinstance(value, bool):
            yield flag if value else f"--no-{name}"
        elif name == "kinds":
            for column, kind in value.items():
                yield from (flag, f"{column}={kind if isinstance(kind, str) else '<'.join(map(str, kind))}")
        elif isinstance(value, tuple):
            for item in value:
                yield from (flag, str(item))
        else:
            yield from (flag, f"{value:.15g}" if isinstance(value, float) else str(value))

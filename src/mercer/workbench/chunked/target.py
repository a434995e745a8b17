"""The target of a table in chunks: class or number, as the first pass over all rows found it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.errors import BadTarget, MercerError
from mercer.scale.target import Amounts, Classes, Either
from mercer.table import Task
from mercer.table.formats.notation import LIMITS
from mercer.table.kinds.order import has_no_answer
from mercer.table.kinds.strays import are_few
from mercer.table.target_column import MAX_CLASSES, Target, as_dates, task_of_values

_NO_CODES: Longs = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class SurveyedTarget:
    """What is predicted, over all rows.

    Attributes
    ----------
    target : Target
        Without rows.
    n_known : int
        Rows that have one.
    labels : ndarray of shape (n_classes,) or None
        The classes as the column has them, in increasing order; None of numbers.
    counts : ndarray of shape (n_classes,)
        Rows of each class.
    ends : tuple of float
        The least and the largest number.
    notation : str
        That of dates; "limits" where cells that are no numbers count as missing; '' of others.
    """

    target: Target
    n_known: int
    labels: NDArray[Any] | None = None
    counts: Longs = field(default_factory=lambda: _NO_CODES)
    ends: tuple[float, float] = (0.0, 0.0)
    notation: str = ""


def surveyed_target(found: Either, name: str, task: str | None) -> SurveyedTarget:
    """Whether a column is classes or numbers, as `mercer.table.target_column.read_target` says of rows in memory."""
    if task is not None and task not in list(Task):
        raise MercerError(f"task = {task!r} is not a task. Tasks: {', '.join(Task)}, or None to infer it.")
    found, strays = _but_for_strays(found, task)
    n_values = np.inf if found.classes is None else len(found.classes.labels)
    if n_values == 1 and found.classes is not None:
        only = found.classes.labels[0].item()
        raise BadTarget(f"The target {name!r} is constant: every cell is {only!r}. There is nothing to predict.")
    labels = None if found.classes is None else _whole_numbers(found.classes.labels)
    both = map(str, labels.tolist()) if labels is not None and n_values == 2 else ()
    whole = None if found.amounts is None else found.whole
    chosen, reason = (Task(task), "as asked") if task else task_of_values(n_values, both, whole, found.n_known)
    reason += strays
    if found.doubt and task != Task.CLASSIFICATION:
        raise BadTarget(
            f"The target {name!r} holds {found.doubt}. Write its dates as YYYY-MM-DD in every chunk, or ask for "
            "classification."
        )
    if chosen is Task.REGRESSION:
        numbers = _numbers(name, reason, found.amounts)
        dated = replace(numbers, notation=found.dates, target=replace(numbers.target, notation=found.dates))
        if found.dates == LIMITS:
            return dated
        return replace(dated, target=as_dates(dated.target, found.whole)) if found.dates else dated
    return _classes(name, reason, found.classes, labels)


def _but_for_strays(found: Either, task: str | None) -> tuple[Either, str]:
    """The target as amounts where cells that are no numbers are few, and what is said of them; otherwise as it is."""
    numbers = found.numbers
    if found.amounts is not None or numbers is None or task == Task.CLASSIFICATION:
        return _alike(found), ""
    n_known, different = numbers.amounts.n_known + numbers.n_strays, len(numbers.strays.met)
    n_different = numbers.n_values + different
    silent = sum(n for cell, (n, _, _) in numbers.strays.met.items() if has_no_answer(cell))
    few = are_few(numbers.n_strays - silent, different, n_known, n_different)
    if task is None:
        few &= task_of_values(numbers.n_values, (), numbers.whole, numbers.amounts.n_known)[0] is Task.REGRESSION
    if not few:
        return _alike(found), ""
    said = numbers.statement() if different else "; limits such as <5 as the number that each names"
    return Either(numbers.classes, numbers.amounts, numbers.whole, LIMITS, found.where), said


def _alike(found: Either) -> Either:
    if found.unlike:
        raise BadTarget(found.unlike)
    return found


def _numbers(name: str, reason: str, amounts: Amounts | None) -> SurveyedTarget:
    if amounts is None:
        raise BadTarget(f"The target {name!r} holds texts, which are no numbers. Use classification.")
    target = Target(name, Task.REGRESSION, reason, amounts.n_missing, (), None, _NO_CODES, np.empty(0))
    return SurveyedTarget(target, amounts.n_known, ends=(amounts.low, amounts.high))


def _classes(name: str, reason: str, classes: Classes | None, labels: NDArray[Any] | None) -> SurveyedTarget:
    if classes is None or labels is None or len(labels) > MAX_CLASSES:
        raise BadTarget(
            f"The target {name!r} has more than {MAX_CLASSES:,} classes: it looks like an identifier or free text. "
            "Name another column as the target, or ask for regression if they are numbers."
        )
    names = tuple(map(str, labels.tolist()))
    positive = int(classes.counts[1] <= classes.counts[0]) if len(names) == 2 else None
    originals = () if labels.dtype.kind == "U" else tuple(labels.tolist())
    known = Task.CLASSIFICATION, reason, classes.n_missing, names, positive, _NO_CODES, np.empty(0)
    return SurveyedTarget(Target(name, *known, originals=originals), classes.n_known, labels, classes.counts)


def _whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
    """0.0 and 1.0, as numbers beside missing cells are read, as 0 and 1."""
    whole = labels.dtype.kind == "f" and bool((labels == np.round(labels)).all())
    return labels.astype(np.int64) if whole else labels

"""The target as a column of a table that was read: class or number, and the rows that have one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadTarget, MercerError
from mercer.formatting import short
from mercer.table import Source, Task
from mercer.table.formats.cells import nan_to_null, unique
from mercer.table.formats.notation import (
    DATES,
    ISO_DATE,
    ISO_TIME,
    PLAIN,
    TIME,
    read_numbers,
    readable,
    recognise,
    recognise_limits,
    without_limit,
)
from mercer.table.kinds.levels import declared_levels, number_levels, sort_levels
from mercer.table.kinds.parts import DateUnit, seconds, typed_days
from mercer.table.kinds.strays import notation_but_for_strays, stray_reason

FEW_VALUES = 10  # whole numbers with at most so many values are classes...
ROWS_PER_VALUE = 5  # ...when each value has so many rows on average
MAX_CLASSES = 1000  # with more, a column of text is an identifier or free text
_FEW_CLASSES = 20  # as many with a single row each may be classes of a small table
MIN_ROWS_PER_LONE = 10  # with fewer, a column of mostly single rows is no class
_SAMPLE = 2000
_FEW_WORDS = 3  # beside numbers, which may say that one is not known
_TIMES = (pl.Duration, pl.Time)


@dataclass(frozen=True, slots=True)
class Target:
    """What is predicted.

    `codes` (classification) are places in `classes`, `numbers` (regression) are floats; one for each row that has one.
    `positive` is the place of the rarer of two classes, None otherwise.
    """

    name: str
    task: Task
    reason: str
    n_missing: int
    classes: tuple[str, ...]
    positive: int | None
    codes: NDArray[np.int64]
    numbers: NDArray[np.float64]
    lone: tuple[str, ...] = ()  # classes with a single row, which was set aside
    originals: tuple[Any, ...] = ()  # the classes as numbers or booleans, where a data frame or array held such
    date_unit: DateUnit = ""  # of dates, which are numbers of days: whether whole days or moments are predicted
    notation: str = PLAIN  # how numbers are written

    @property
    def values(self) -> NDArray[Any]:
        """What learners are scored against: codes or numbers."""
        return self.codes if self.task is Task.CLASSIFICATION else self.numbers

    @property
    def labels(self) -> NDArray[Any]:
        """What the final model is fitted to: classes as they came, by name from a file, or numbers."""
        if self.task is Task.REGRESSION:
            return self.numbers
        labels: NDArray[Any] = np.array(self.originals or self.classes)[self.codes]
        return labels


def read_target(source: Source, target: str, task: str | None = None) -> tuple[Target, Source]:
    """Take the target out of a source; the rows without one are left out. The source given is not changed."""
    if task is not None and task not in list(Task):
        raise MercerError(
            f"task = {task!r} is not a task. Tasks: {', '.join(Task)}, or None to infer it from the target."
        )
    rest = replace(source, columns=dict(source.columns))
    name = source.find(target)
    given = rest.pop(name)
    cells, strays = _but_for_strays(source, _cells(source, name, given), task)
    known = cells.is_not_null()
    if not known.any():
        raise BadTarget(f"Every cell of the target {name!r} is missing. Name another column as the target.")
    n_missing = int((~known).sum())
    cells = cells.filter(known)
    if len(unique(cells)) == 1:
        raise BadTarget(f"The target {name!r} is constant: {_only_value(cells[0], n_missing)}")
    numbers = _as_numbers(cells)
    chosen, reason = (Task(task), "as asked") if task else infer_task(cells, numbers)
    reason = f"{reason}{', in seconds' if given.dtype in _TIMES else ''}{strays}"
    if chosen is Task.REGRESSION:
        found = _amounts(_regression(name, cells, numbers, reason, n_missing), given.dtype, cells)
        return found, rest.filter(known) if n_missing else rest
    typed = name in source.typed or cells.dtype == pl.Boolean
    alone = _alone(cells)
    if alone is None:
        found = _classification(name, cells, reason, n_missing)
        return _as_they_came(found, cells) if typed else found, rest.filter(known) if n_missing else rest
    kept = known.clone()
    kept[np.flatnonzero(known.to_numpy())[alone].tolist()] = False
    found = _classification(name, cells.filter(pl.Series(~alone)), reason, n_missing)
    found = replace(found, reason=f"{len(found.classes):,} levels of two rows or more")
    lone = _class_names(cells.filter(pl.Series(alone)))[1]
    return replace(_as_they_came(found, cells) if typed else found, lone=lone), rest.filter(kept)


def _only_value(cell: Any, n_missing: int) -> str:
    if not n_missing:
        return f"every cell is {cell!r}. There is nothing to predict."
    return (
        f"every cell is {cell!r}, or blank ({n_missing:,} rows). Rows without a target are left out; where a blank "
        "means 'no', write that into the cells."
    )


def _numbers_beside(name: str, classes: Sequence[str]) -> str:
    """What to say of classes that are numbers but for a few words; "" for other classes."""
    words = [c for c in classes if not readable(c)]
    if not 0 < len(words) <= _FEW_WORDS or len(classes) - len(words) < FEW_VALUES:
        return ""
    options = " ".join(f"--missing {f'{name}={word}'!r}" for word in words)
    return f" Numbers beside {', '.join(map(repr, words))}? To have them read, say {options}."


def _as_they_came(target: Target, cells: pl.Series) -> Target:
    """The target with its classes as the whole numbers or booleans that they were: classifiers take no fractions."""
    values = unique(cells)
    if values.dtype.is_float():
        if not bool((values == values.round()).all()):
            return target
        values = values.cast(pl.Int64)  # 0 and 1 beside missing cells are floats in pandas
    by_name = dict(zip(_class_names(values)[0].to_list(), values.to_list(), strict=True))
    return replace(target, originals=tuple(by_name[name] for name in target.classes))


def _alone(cells: pl.Series) -> NDArray[np.bool_] | None:
    """Which rows are the only one of their class; None when there are none, or too few classes without them."""
    names = _class_names(cells)[0].to_frame("name")
    counts = names.select(pl.len().over("name")).to_series().to_numpy()
    left = names.filter(pl.Series(counts > 1)).n_unique()
    return (
        counts == 1
        if (counts == 1).any() and left >= 2 and len(cells) > MIN_ROWS_PER_LONE * (counts == 1).sum()
        else None
    )


def infer_task(cells: pl.Series, numbers: pl.Series | None) -> tuple[Task, str]:
    """Class or number, and why."""
    different = unique(cells)
    whole = None if numbers is None else bool((numbers == numbers.round()).all())
    return task_of_values(len(different), number_levels(different) if len(different) == 2 else (), whole, len(cells))


def task_of_values(n_values: float, both: Iterable[str], whole: bool | None, n_rows: int) -> tuple[Task, str]:
    """Class or number, and why.

    Parameters
    ----------
    n_values : float
        How many values differ; infinity for more than were counted.
    both : iterable of str
        The values, where there are two.
    whole : bool or None
        Whether all are whole numbers; None where they are no numbers.
    n_rows : int
        Rows that have a value.

    Returns
    -------
    task : Task
        What to predict.
    reason : str
        Why.
    """
    if whole is None:
        return Task.CLASSIFICATION, f"{n_values:,} levels"
    if n_values == 2:
        return Task.CLASSIFICATION, f"two values, {' and '.join(sort_levels(both))}"
    if whole and n_values <= FEW_VALUES and n_rows >= ROWS_PER_VALUE * n_values:
        return Task.CLASSIFICATION, f"{n_values} different whole numbers"
    many = f"{n_values:,}" if n_values < float("inf") else "very many"
    return Task.REGRESSION, f"numbers with {many} different values"


def _cells(source: Source, name: str, cells: pl.Series) -> pl.Series:
    """Null where missing, text stripped."""
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        return cells
    if cells.dtype == pl.String:
        return source.known(cells)
    if cells.dtype.is_float():
        cells = nan_to_null(cells)
        if cells.is_infinite().any():
            row = int(cells.is_infinite().arg_max() or 0)
            raise BadTarget(f"The target {name!r}, row {row + 1}: the value is infinite. Correct or remove the row.")
    if cells.dtype in (pl.Date, pl.Datetime):
        return typed_days(cells)
    if cells.dtype in _TIMES:
        return seconds(cells)
    if not (cells.dtype.is_numeric() or cells.dtype in (pl.Boolean, pl.Null)):
        raise BadTarget(f"The target {name!r} holds {cells.dtype}, neither numbers nor text.")
    return cells


def _as_numbers(cells: pl.Series) -> pl.Series | None:
    """The cells as floats; None when they are text, booleans or declared levels."""
    if cells.dtype.is_numeric():
        return cells.cast(pl.Float64)
    if cells.dtype != pl.String:
        return None
    notation = _notation(unique(cells))
    if notation is None:
        return None
    numbers = read_numbers(cells, notation)
    return None if numbers.null_count() else numbers


def _amounts(found: Target, dtype: Any, cells: pl.Series) -> Target:
    """A target of numbers, which came in this type, with how they are written, and limits and dates among them said."""
    if dtype == pl.String:
        notation = _notation(unique(cells)) or PLAIN
        if any(without_limit(cell) != cell for cell in unique(cells)):
            found = replace(found, reason=f"{found.reason}; limits such as <5 as the number that each names")
    else:
        notation = TIME if dtype in _TIMES else ISO_TIME if dtype == pl.Datetime else PLAIN
    if dtype not in (pl.Date, pl.Datetime) and not written_dates(cells):
        return replace(found, notation=notation)
    whole = bool((found.numbers == found.numbers.round()).all())
    return as_dates(replace(found, notation=ISO_DATE if whole and dtype != pl.String else notation), whole)


def _notation(different: pl.Series) -> str | None:
    """How the numbers of a target are written, limits such as <5 among them; None where they are not all numbers."""
    sample = different.head(_SAMPLE)
    found = recognise(sample)
    if found is None:
        return recognise_limits(sample)
    others = different.filter(read_numbers(different, found).is_null()).head(_SAMPLE)  # limits below the sample
    return found if not len(others) else recognise_limits([*sample, *others])


def _but_for_strays(source: Source, cells: pl.Series, task: str | None) -> tuple[pl.Series, str]:
    """A target of amounts without a few cells that are no numbers, and what is said of these; any other as it is."""
    if cells.dtype != pl.String or task == Task.CLASSIFICATION:
        return cells, ""
    found = source.distinct_of(cells)
    if not len(found.known) or _notation(found.known) is not None:
        return cells, ""
    notation = notation_but_for_strays(found)
    if notation is None:
        return cells, ""
    numbers = read_numbers(cells, notation)
    kept = cells.set(numbers.is_null(), None)
    if task is None and infer_task(kept.drop_nulls(), numbers.drop_nulls())[0] is Task.CLASSIFICATION:
        return cells, ""
    return kept, stray_reason(found, notation)


def written_dates(cells: pl.Series) -> str:
    """The notation of a column of texts that are all dates, or else ''."""
    notation = recognise(unique(cells).head(_SAMPLE)) if cells.dtype == pl.String else None
    return notation if notation is not None and notation in DATES else ""


def as_dates(target: Target, whole: bool) -> Target:
    """A target of numbers of days, all of them whole or not, as one of dates or moments."""
    return replace(target, reason=target.reason.replace("numbers", "dates", 1), date_unit="D" if whole else "s")


def _regression(name: str, cells: pl.Series, numbers: pl.Series | None, reason: str, n_missing: int) -> Target:
    if numbers is None:
        texts = cells.cast(pl.String)
        example = next((c for c in texts if not readable(c)), texts[0])
        raise BadTarget(f"The target {name!r} holds {example!r}, which is not a number. Use classification.")
    values = numbers.to_numpy().astype(np.float64)
    return Target(name, Task.REGRESSION, reason, n_missing, (), None, np.empty(0, dtype=np.int64), values)


def _classification(name: str, cells: pl.Series, reason: str, n_missing: int) -> Target:
    names, classes = _class_names(cells)
    if len(classes) > MAX_CLASSES or _name_rows(names, classes):
        raise BadTarget(
            f"The target {name!r} has {len(classes):,} classes in {len(cells):,} rows: it looks like an identifier "
            "or free text. Name another column as the target, or ask for regression if they are numbers."
            f"{_numbers_beside(name, classes[:_SAMPLE])}"
        )
    codes = names.cast(pl.Enum(classes)).to_physical().to_numpy().astype(np.int64)
    counts = np.bincount(codes, minlength=len(classes))
    if counts.min() < 2:
        lone = [classes[i] for i in np.flatnonzero(counts < 2)]
        shown = ", ".join(repr(short(c)) for c in lone[:5]) + (f" and {len(lone) - 5} more" if len(lone) > 5 else "")
        raise BadTarget(
            f"The target {name!r} has {len(lone)} class{'es' if len(lone) > 1 else ''} with a single row ({shown}), "
            "too few for both training and test rows. Leave such rows out, merge classes, or add rows."
            f"{_numbers_beside(name, classes)}"
        )
    positive = int(counts[1] <= counts[0]) if len(classes) == 2 else None
    return Target(name, Task.CLASSIFICATION, reason, n_missing, classes, positive, codes, np.empty(0))


def _name_rows(names: pl.Series, classes: tuple[str, ...]) -> bool:
    """Whether most rows have a class of their own, and these are not numbers."""
    alone = int(names.is_unique().sum())
    return len(classes) > _FEW_CLASSES and 2 * alone > len(names) and not _numbers_beside("", classes)


def _class_names(cells: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Each row's class by name, and the classes in order: a declared order, by value, or by name."""
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        names = cells.cast(pl.String)
        present = set(unique(names))
        return names, tuple(level for level in declared_levels(cells) if level in present)
    names = cells if cells.dtype == pl.String else number_levels(cells)
    return names, sort_levels(unique(names))

"""Training rows and test rows; and tables split by them, with the levels of the training rows alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from mercer.arrays import Floats, Ints, Longs
from mercer.errors import BadTable, MercerError
from mercer.evaluation.options import ComparisonOptions
from mercer.select.copies import MIN_DISTINCT, Copies
from mercer.table import Column, Kind, Table
from mercer.table.blocks import MISSING, Codes
from mercer.table.target_column import Target

MIN_ROWS = 10
SMALL = 1000  # with fewer rows, cross-validation is repeated with other folds
FEW = 100  # with fewer rows of a class, too...
MANY = 20_000  # ...unless the table is long
REPEATS = 3
MANY_CLASSES = 20  # with more, fits are long: not repeated, no pairs of folds left out, no further settings tried


@dataclass(frozen=True)
class SplitPlan:
    """Row numbers: training and held-out rows, and the folds of the training rows as (training, test) rows."""

    train: Longs
    test: Longs
    folds: tuple[tuple[Longs, Longs], ...]
    n_folds: int
    n_repeats: int
    stratified: bool
    n_copies: int = 0  # rows that repeat another one
    copies_but_for: tuple[str, ...] = ()  # columns in which copies differ
    keeps_copies_together: bool = True
    kind: Literal["random", "groups", "time", "validation"] = "random"
    groups: Longs | None = None  # of each row of the table, where rows of a group are not independent

    @property
    def every(self) -> Longs:
        """Training and held-out rows, in order."""
        return np.sort(np.concatenate([self.train, self.test]))

    @property
    def test_share(self) -> float:
        """n_test / n_train of one fold, for the corrected t interval."""
        return float(np.mean([len(test) / len(train) for train, test in self.folds]))

    def independent(self, rows: Longs, target: Target) -> Longs:
        """Of these rows the first of each group and class: copies tell no more than one row does."""
        if self.groups is None:
            return rows
        classes = target.codes[rows] if target.classes else np.zeros(len(rows), dtype=np.int64)
        pairs = np.column_stack([self.groups[rows], classes])
        return rows[np.sort(np.unique(pairs, axis=0, return_index=True)[1])]


@dataclass(frozen=True)
class ValidationPlan(SplitPlan):
    """Some rows of a table in chunks: folds are parts of its validation rows, `train` a few of its `n_train` rows."""

    n_train: int = 1

    @property
    def test_share(self) -> float:
        """n_test / n_train, of a part of the validation rows."""
        return float(np.mean([len(test) / self.n_train for _, test in self.folds]))


def plan_splits(
    target: Target,
    options: ComparisonOptions,
    copies: Copies | None = None,
    *,
    groups: Copies | None = None,
    times: Floats | None = None,
) -> SplitPlan:
    """A held-out part and K folds of the rest; classes keep their shares in every part, and copies stay together.

    Parameters
    ----------
    target : Target
        What is predicted.
    options : ComparisonOptions
        Folds, held-out share, seed.
    copies : Copies, optional
        Rows written more than once.
    groups : Copies, optional
        Rows that are kept together instead, by their first row's class.
    times : ndarray of shape (n_rows,), optional
        When each row was: the last rows are held out, and each fold is tested on rows later than its training rows.

    Returns
    -------
    SplitPlan
        Row numbers.
    """
    _check(options)
    together = copies if groups is None else groups
    plan = _plan_rows(target, options, copies, groups, times)
    return plan if together is None else replace(plan, groups=together.group)


def _plan_rows(
    target: Target, options: ComparisonOptions, copies: Copies | None, groups: Copies | None, times: Floats | None
) -> SplitPlan:
    if times is not None:
        return _plan_by_time(times, target, options)
    if groups is not None:
        return replace(_plan_together(groups, target, options), kind="groups")
    if copies is None:
        return _plan(target.values, len(target.classes), options)
    if not _can_split(copies, target):
        plan = _plan(target.values, len(target.classes), options)
        plan = replace(plan, keeps_copies_together=False)
    else:
        plan = _plan_together(copies, target, options)
    return replace(plan, n_copies=copies.n_copies, copies_but_for=copies.but_for)


def _plan_together(groups: Copies, target: Target, options: ComparisonOptions) -> SplitPlan:
    """Groups split as rows are, each by the class of its first row."""
    first = target.values[groups.first]
    if target.classes and int(np.bincount(first, minlength=len(target.classes)).min()) < 2:
        plan = _plan(first, 0, options)  # a class in fewer than two groups: not stratified
    else:
        plan = _plan(first, len(target.classes), options)
    folds = tuple((groups.rows_of(train), groups.rows_of(test)) for train, test in plan.folds)
    return replace(plan, train=groups.rows_of(plan.train), test=groups.rows_of(plan.test), folds=folds)


def _plan_by_time(times: Floats, target: Target, options: ComparisonOptions) -> SplitPlan:
    """Train on earlier rows and test on later ones; rows of the same time stay on one side."""
    order = np.argsort(times, kind="stable")
    n, n_test = len(order), max(int(np.ceil(options.held_out * len(order))), 2)
    if n < MIN_ROWS:
        raise _too_few(n, len(target.classes))
    ends = np.linspace(0, n - n_test, options.folds + 2)[1:].astype(np.int64)
    cuts = np.unique(np.searchsorted(times[order], times[order][np.minimum(ends, n - 1)], side="left"))
    train, test = np.sort(order[: cuts[-1]]), np.sort(order[cuts[-1] :])
    folds = [(np.sort(order[:a]), np.sort(order[a:b])) for a, b in pairwise(cuts) if a > 0]
    folds = [(early, late) for early, late in folds if not target.classes or len(np.unique(target.codes[early])) > 1]
    if len(folds) < 2 or not len(test):
        raise BadTable(
            f"time = {options.time!r}: too few different times, or too few classes in the earlier rows, to train on "
            "earlier and test on later rows."
        )
    return SplitPlan(train, test, tuple(folds), len(folds), 1, stratified=False, kind="time")


def _can_split(copies: Copies, target: Target) -> bool:
    """Whether the distinct rows are enough to be split: some of each class for training and for test."""
    distinct = target.values[copies.first]
    enough = len(distinct) >= MIN_DISTINCT
    return enough and (not target.classes or int(np.bincount(distinct, minlength=len(target.classes)).min()) >= 2)


def _plan(values: NDArray[Any], classes: int, options: ComparisonOptions) -> SplitPlan:
    n = len(values)
    n_test = max(int(np.ceil(options.held_out * n)), classes, 2)
    if n < MIN_ROWS or n - n_test < max(classes + 1, 4):
        raise _too_few(n, classes)
    train, test = train_test_split(
        np.arange(n), test_size=n_test, random_state=options.seed, stratify=values if classes else None
    )
    train.sort()
    test.sort()
    n_folds = min(options.folds, int(np.bincount(values[train]).max()) if classes else len(train) // 2)
    if n_folds < 2:
        raise _too_few(n, classes)
    few = n < SMALL or (bool(classes) and n < MANY and int(np.bincount(values).min()) < FEW)
    repeats = options.repeats or (REPEATS if few and classes <= MANY_CLASSES else 1)
    folds = tuple(_folds(train, values[train] if classes else None, n_folds, repeats, options.seed))
    return SplitPlan(train, test, folds, n_folds, repeats, bool(classes))


def _too_few(n: int, classes: int) -> BadTable:
    needed = f" for {classes} classes" if classes else ""
    return BadTable(
        f"{n} row{'s' if n > 1 else ''} with a target: too few{needed} for training and test rows. Add rows."
    )


def _check(options: ComparisonOptions) -> None:
    if not 2 <= options.folds <= 20:
        raise MercerError(f"folds = {options.folds}: cross-validation takes 2 to 20 folds.")
    if not 0.05 <= options.held_out <= 0.5:
        raise MercerError(f"held_out = {options.held_out}: the held-out share lies between 0.05 and 0.5.")
    if not 0.5 <= options.level < 1:
        raise MercerError(f"level = {options.level}: the level of intervals lies between 0.5 and 1, e.g. 0.95.")
    if options.repeats is not None and not 1 <= options.repeats <= 100:
        raise MercerError(f"repeats = {options.repeats}: cross-validation is repeated 1 to 100 times.")
    if not 0 <= options.seed < 2**32:
        raise MercerError(f"seed = {options.seed}: a seed is a whole number from 0 to {2**32 - 1}.")


def _folds(
    rows: Longs, classes: NDArray[Any] | None, n_folds: int, repeats: int, seed: int
) -> Iterator[tuple[Longs, Longs]]:
    """Folds that keep the shares of the classes, when there are classes; first those whose test rows have most of them.

    Under a time limit a learner may be scored on the first folds alone, and rows of one class have no area.
    """
    kind = KFold if classes is None else StratifiedKFold
    for repeat in range(repeats):
        splitter = kind(n_folds, shuffle=True, random_state=(seed + repeat) % 2**32)
        with warnings.catch_warnings():  # a class with fewer rows than folds is missing from some folds
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = [*splitter.split(rows, classes)]
        if classes is not None:
            splits.sort(key=lambda split: -len(np.unique(classes[split[1]])))
        for train, test in splits:
            yield rows[train], rows[test]


def split_table(table: Table, train_rows: Longs, test_rows: Longs) -> tuple[Table, Table]:
    """The training and the test rows of a table, under a schema with the levels of the training rows alone.

    A level that only test rows have is an unseen level, as it would be in new rows. Ordinal columns keep all levels:
    their order is not learned from the rows.
    """
    categorical = [c for c in table.schema if c.kind.categorical]
    train, test = table.take(train_rows), table.take(test_rows)
    kept = [_levels_present(c, train.codes()[:, j]) for j, c in enumerate(categorical)]
    if all(len(k) == len(c.levels) for k, c in zip(kept, categorical, strict=True)):
        return train, test
    present = {c.name: replace(c, levels=tuple(c.levels[i] for i in k)) for k, c in zip(kept, categorical, strict=True)}
    schema = replace(table.schema, columns=tuple(present.get(c.name, c) for c in table.schema))
    lookups = [_lookup(k, len(c.levels)) for k, c in zip(kept, categorical, strict=True)]
    return tuple(replace(t, schema=schema, code_block=_recode(t, lookups)) for t in (train, test))  # type: ignore[return-value]


def _levels_present(column: Column, codes: Ints) -> Longs:
    everything = np.arange(len(column.levels))
    if column.kind is Kind.ORDINAL:
        return everything
    present = np.flatnonzero(np.bincount(codes[codes != MISSING], minlength=len(column.levels))[: len(everything)])
    return present if len(present) > 1 else everything


def _lookup(kept: Longs, n_levels: int) -> Ints:
    """Old code -> new code; the last place answers code -1."""
    table = np.full(n_levels + 2, len(kept), dtype=np.int32)
    table[kept] = np.arange(len(kept))
    table[MISSING] = MISSING
    return table


def _recode(table: Table, lookups: list[Ints]) -> Codes:
    codes = np.empty_like(table.codes(), order="F")
    for j, lookup in enumerate(lookups):
        codes[:, j] = lookup[table.codes()[:, j]]
    return Codes(codes)

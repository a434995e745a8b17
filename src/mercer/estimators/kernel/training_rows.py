"""The rows that a kernel machine is trained on: table, target and weights, and unlabelled rows beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.errors import BadTarget, MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.estimators.multiclass.strategy import expect_two_classes
from mercer.parameters import check_parameters
from mercer.table import Table, from_array
from mercer.table.target import class_codes


@dataclass(frozen=True)
class TrainingRows:
    """What a machine and a search of its parameters learn from.

    target : class codes or numbers
    weight : multiplies the cost of each row; class weights included
    sample_weight : the weights given to fit, or None; they count in the kernel's statistics and in scores
    unlabelled : rows from which the kernel learns too (scales, frequencies of levels), or None
    labelled : where X had rows without a target, the numbers of those that have one
    """

    table: Table
    target: NDArray[Any]
    weight: Floats
    sample_weight: Floats | None = None
    unlabelled: Table | None = None
    labelled: Longs | None = None

    def take(self, rows: Longs, *, square: bool) -> TrainingRows:
        """Some of the rows; of a precomputed kernel (`square`) the same columns."""
        table = from_array(self.table.numbers()[np.ix_(rows, rows)]) if square else self.table.take(rows)
        own = None if self.sample_weight is None else self.sample_weight[rows]
        return replace(self, table=table, target=self.target[rows], weight=self.weight[rows], sample_weight=own)


def class_rows(machine: Any, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
    """The training rows of a classifier with class codes, weights times those of their class.

    Checks the parameters of the machine; sets `classes_` and `class_weight_`.
    """
    check_parameters(machine)

    def codes(y: Any, n_rows: int) -> Ints:
        machine.classes_, found = class_codes(y, n_rows)
        return found

    return weigh_classes(machine, machine._training_rows(X, codes, y, sample_weight, None))


def weigh_classes(machine: Any, data: TrainingRows) -> TrainingRows:
    """The rows of a classifier, weights times those of their class; sets `class_weight_`."""
    expect_two_classes(machine, data.target, data.weight)
    machine.class_weight_ = class_factors(machine.class_weight, machine.classes_, data.target, data.weight)
    return replace(data, weight=data.weight * machine.class_weight_[data.target])


def is_missing(y: Any) -> Bools:
    """Which targets are missing: None, NaN, or the missing value of a data frame."""
    return np.array([_is_missing(cell) for cell in np.asarray(y, dtype=object).reshape(-1)], dtype=bool)


def _is_missing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def split_unlabelled(table: Table, y: Any, sample_weight: Any, unlabelled: Any) -> tuple[Longs, Any, Any, Table | None]:
    """(rows that have a target, their targets, their weights, the other rows or None)."""
    missing = is_missing(y)
    if len(missing) != len(table):
        raise BadTarget(f"Found input variables with inconsistent numbers of samples: {[len(table), len(missing)]}")
    if missing.any() and unlabelled is not None:
        raise MercerError("Give unlabelled rows as rows without a target or as `unlabelled`, not both.")
    labelled = np.flatnonzero(~missing)
    if not len(labelled):
        raise BadTarget("No row has a target: nothing can be learned.")
    cells = np.asarray(y, dtype=object).reshape(-1)[labelled]
    weight = None if sample_weight is None else np.asarray(sample_weight)[labelled]
    return labelled, np.array(cells.tolist()), weight, table.take(missing) if missing.any() else unlabelled

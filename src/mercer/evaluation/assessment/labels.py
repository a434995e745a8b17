"""The target of the rows that a model is assessed on: class codes with their names, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.errors import BadTarget, MercerError, did_you_mean
from mercer.table import Task
from mercer.table.target import in_numbers, label_codes, one_column

_TRUTH = {"0": "False", "1": "True"}
FEW_VALUES = 20  # whole numbers with more values are numbers, not classes


@dataclass(frozen=True)
class Labels:
    """What is to be predicted.

    Attributes
    ----------
    task : Task
        Classification or regression.
    values : ndarray of shape (n_rows,)
        Class codes or numbers.
    names : tuple of str
        Of the classes, by code; empty in regression.
    positive : int or None
        Code of the positive class of two.
    """

    task: Task
    values: NDArray[Any]
    names: tuple[str, ...] = ()
    positive: int | None = None

    def __len__(self) -> int:
        return len(self.values)

    def codes_of(self, labels: NDArray[Any]) -> Longs:
        """Codes of labels, which are told by name: 1, 1.0 and "1" are one class."""
        distinct, places = label_codes(labels)
        known = {name: code for code, name in enumerate(self.names)}
        names = names_as_known(label_names(distinct), self.names)
        missing = [name for name in names if name not in known]
        if missing:
            raise MercerError(f"Class {missing[0]!r} is predicted, but not known. {did_you_mean(missing[0], known)}")
        return np.array([known[name] for name in names], dtype=np.int64)[places]

    def including(self, labels: NDArray[Any]) -> Self:
        """The labels with further classes, those of `labels` that no row has, at the end."""
        names = names_as_known(label_names(label_codes(labels)[0]), self.names)
        return replace(self, names=(*self.names, *(name for name in names if name not in self.names)))

    def place_of(self, name: str) -> int:
        """Code of a class; an error that names the others."""
        name = names_as_known([name], self.names)[0]
        if name not in self.names:
            raise MercerError(f"There is no class {name!r}. {did_you_mean(name, self.names)}")
        return self.names.index(name)

    def with_positive(self, positive: Any) -> Self:
        """The labels with this positive class, or the rarer of two for None."""
        if self.task is Task.REGRESSION or len(self.names) != 2:
            if positive is not None:
                found = "numbers" if self.task is Task.REGRESSION else f"{len(self.names)} classes"
                raise MercerError(f"positive={positive!r}: a positive class is one of two; the target has {found}.")
            return self
        if positive is not None:
            return replace(self, positive=self.place_of(label_name(positive)))
        counts = np.bincount(self.values, minlength=2)
        return replace(self, positive=int(counts[1] <= counts[0]))


def label_name(label: Any) -> str:
    """A label as text: whole numbers without a decimal point, whatever type they have."""
    if isinstance(label, float) and label.is_integer():
        return str(int(label))
    return str(label)


def label_names(labels: Any) -> list[str]:
    """Labels as texts, one for each, in any container."""
    return [label_name(v) for v in np.asarray(labels).tolist()]


def names_as_known(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """False and True under the names 0 and 1 where classes are called so, and the other way round.

    Parameters
    ----------
    names : sequence of str
        Names of labels.
    known : sequence of str
        Names of the classes: xgboost, for one, calls truth values 0 and 1.

    Returns
    -------
    list of str
        The same names where labels and classes are called alike, or are no truth values.
    """
    for other in (_TRUTH, {truth: number for number, truth in _TRUTH.items()}):
        if len(names) and len(known) and set(names) <= set(other) and set(known) <= set(other.values()):
            return [other[name] for name in names]
    return list(names)


def read_labels(y: Any, n_rows: int, task: Task | None, known: NDArray[Any] | None = None) -> Labels:
    """The target as class codes or numbers.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Labels or numbers; none may be missing.
    n_rows : int
        How many there must be.
    task : Task or None
        None to infer it: text, truth values and up to 20 different whole numbers are classes.
    known : ndarray, optional
        Classes that a model knows, which come first; those of y alone follow.

    Returns
    -------
    Labels
        Without a positive class.

    Raises
    ------
    BadTarget
        A label is missing, a number is asked for and not found, or the model knows none of the classes.
    """
    read = in_numbers(y)
    values = one_column(read, n_rows)
    if not len(values):
        raise BadTarget("y has no rows: there is nothing to score.")
    inferred = infer_task(values) if read is y else Task.REGRESSION  # dates and durations are amounts
    if (task or inferred) is Task.REGRESSION:
        try:
            return Labels(Task.REGRESSION, as_numbers(values))
        except (TypeError, ValueError):
            example = next((v for v in values.tolist() if not isinstance(v, int | float)), values[0])
            raise BadTarget(f"y holds {example!r}, which is not a number, but a number is predicted.") from None
    classes, codes = label_codes(values)
    ordered = [] if known is None else label_names(known)
    names = names_as_known(label_names(classes), ordered)
    if ordered and not set(ordered) & set(names):
        shown = ", ".join(map(repr, names[:4])), ", ".join(map(repr, ordered[:4]))
        raise BadTarget(f"y holds {shown[0]}, the model knows {shown[1]}: none of the classes is known to it.")
    ordered += [name for name in names if name not in set(ordered)]
    place = {name: code for code, name in enumerate(ordered)}
    return Labels(Task.CLASSIFICATION, np.array([place[n] for n in names], dtype=np.int64)[codes], tuple(ordered))


def infer_task(values: NDArray[Any]) -> Task:
    """Text, truth values and few different whole numbers are classes."""
    if values.dtype.kind not in "iuf":
        return Task.CLASSIFICATION
    if values.dtype.kind == "f" and not np.array_equal(values, np.round(values)):
        return Task.REGRESSION
    few = len(np.unique(values)) <= min(FEW_VALUES, max(2, len(values) // 5))
    return Task.CLASSIFICATION if few else Task.REGRESSION


def as_numbers(values: Any) -> NDArray[np.float64]:
    """The values as numbers, dates as days since 1970-01-01, durations in seconds."""
    return np.asarray(in_numbers(values), dtype=np.float64)

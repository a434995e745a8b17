"""What errors cost: as users write it, and as a matrix over the classes of a target."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.errors import BadFile, MercerError, did_you_mean
from mercer.state import LARGEST, Reader, State

Amount: TypeAlias = float | str  # a number, or the column that has one for each row
RowAmounts: TypeAlias = Mapping[str, Floats]  # a number for each row, by name of the column
_FORMS = "write fn=20,fp=1, a cost for each pair as in 'a>b=5,b>a=1' (true class>class called), or name a matrix.csv"


@dataclass(frozen=True, slots=True)
class Costs:
    """What errors cost, before the classes are known.

    Attributes
    ----------
    fn, fp : float or str
        Of two classes: cost of a missed positive row and of a false alarm, 0 or more; a text names a column with the
        cost of each row.
    cells : tuple of (true class, class called, amount)
        Instead of `fn` and `fp`, for any number of classes. Classes are names, or places where a matrix had no names.
    assumed : str
        "fn" or "fp" where the other alone was given: its cost of 1 is assumed.

    Examples
    --------
    >>> from mercer.select.costs import Costs
    >>> Costs.read("fn=20,fp=1") == Costs.read({"fn": 20, "fp": 1}) == Costs(20, 1)
    True
    >>> Costs.read("cat>dog=5,dog>cat=1").matrix(("cat", "dog")).amounts
    array([[0., 5.],
           [1., 0.]])
    """

    fn: Amount = 1.0
    fp: Amount = 1.0
    cells: tuple[tuple[str | int, str | int, Amount], ...] = ()
    assumed: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        given = [("fn", self.fn), ("fp", self.fp)] if not self.cells else [(f"{a}>{b}", x) for a, b, x in self.cells]
        for name, value in given:
            if not isinstance(value, str) and not (value >= 0 and math.isfinite(value)):
                raise MercerError(f"cost {name}={value:g}: a cost is 0 or more, and finite.")
        if not any(isinstance(value, str) or value > 0 for _, value in given):
            raise MercerError("cost: every error costs nothing. Give at least one of them a cost above 0.")

    @classmethod
    def read(cls, given: Any) -> Costs | None:
        """Costs as users write them.

        Parameters
        ----------
        given : Costs, str, mapping, data frame, array or None
            "fn=20,fp=1" (an error that is not named costs 1; fn=COLUMN takes the amount of each row), "a>b=5,b>a=1"
            (true class>class called), or the name of a CSV file with the classes in its header and first column (a line
            for each true class); {"fn": 20, "fp": 1}, {("a", "b"): 5, ...} or {"a": {"b": 5}, ...}; a pandas data frame
            with the true classes as its index; a square array in the order of the classes.

        Returns
        -------
        Costs or None
            None for None.

        Raises
        ------
        MercerError
            It is none of these, or a cost is negative.
        """
        if given is None or isinstance(given, Costs):
            return given
        if isinstance(given, str | Path):
            path = Path(given)
            is_file = path.suffix.lower() in (".csv", ".tsv", ".txt")
            return cls(cells=_from_file(path)) if is_file else _from_pairs(_pairs(str(given)), repr(given))
        if hasattr(given, "to_dict") and hasattr(given, "index"):
            given = given.to_dict("index")
        if isinstance(given, Mapping):
            return _from_pairs(_flat(given), repr(given))
        return cls(cells=_from_array(given))

    @property
    def assumption(self) -> str:
        """What is said where one error alone was given a cost; '' otherwise."""
        if not self.assumed:
            return ""
        what, given = ("a false alarm", self.fn) if self.assumed == "fp" else ("a missed positive row", self.fp)
        amount = f"the amount in {given!r}" if isinstance(given, str) else f"{given:g}"
        ratio = ", as much as the other error" if given == 1 else f", the other error {amount}"
        return (
            f"cost: nothing says what {what} costs. It is taken to cost 1{ratio}; give it with {self.assumed}=AMOUNT."
        )

    def matrix(self, classes: Sequence[str], positive: int | None = None) -> CostMatrix:
        """These costs over the classes of a target.

        Parameters
        ----------
        classes : sequence of str
            Names of the classes.
        positive : int, optional
            Place of the positive one of two.

        Returns
        -------
        CostMatrix
            With 0 where a column is to fill in.

        Raises
        ------
        MercerError
            Of fn and fp for other than two classes, a class that does not exist, or a pair that has no cost.
        """
        if not self.cells:
            if len(classes) != 2 or positive is None:
                raise MercerError(
                    f"cost fn, fp: these are for two classes, and there are {len(classes)}. "
                    f"Give a cost for each pair, as in '{classes[0]}>{classes[1]}=5', or a matrix.csv."
                )
            return _filled([(positive, 1 - positive, self.fn), (1 - positive, positive, self.fp)], classes)
        cells = [(_place(true, classes), _place(called, classes), amount) for true, called, amount in self.cells]
        known = {(true, called) for true, called, _ in cells}
        pairs = [(i, j) for i in range(len(classes)) for j in range(len(classes)) if i != j]
        if lacking := [pair for pair in pairs if pair not in known]:
            i, j = lacking[0]
            more = f", nor of {len(lacking) - 1} more pairs" if len(lacking) > 1 else ""
            raise MercerError(
                f"cost: nothing says what a row of {classes[i]!r} costs that is called {classes[j]!r}{more}. "
                f"Name every pair of the classes {', '.join(map(repr, classes[:8]))}."
            )
        return _filled(cells, classes)


@dataclass(frozen=True)
class CostMatrix:
    """What a row of each class costs when it is called each class.

    Attributes
    ----------
    classes : tuple of str
        Names of the classes.
    amounts : ndarray of shape (n_classes, n_classes)
        Cost of a row of class i that is called class j; where a column says it, the mean of that.
    columns : tuple of (int, int, str)
        Cells whose cost is that of the row in a column of the table.
    """

    classes: tuple[str, ...]
    amounts: Floats
    columns: tuple[tuple[int, int, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that have the cost of each row."""
        return tuple(dict.fromkeys(name for _, _, name in self.columns))

    def expected(self, proba: Floats, by_row: RowAmounts | None = None) -> Floats:
        """sum_i p_i C_ij: what calling each row each class is expected to cost, (n_rows, n_classes)."""
        found: Floats = proba @ self.amounts
        for i, j, name in self.columns:
            if by_row is not None and name in by_row:
                found[:, j] += proba[:, i] * (by_row[name] - self.amounts[i, j])
        return found

    def incurred(self, truth: Longs, called: Longs | int, by_row: RowAmounts | None = None) -> Floats:
        """What each row cost that was called so, (n_rows,)."""
        called = np.broadcast_to(np.asarray(called), truth.shape)
        found: Floats = self.amounts[truth, called].astype(np.float64)
        for i, j, name in self.columns:
            if by_row is not None and name in by_row:
                here = (truth == i) & (called == j)
                found[here] = by_row[name][here]
        return found

    def with_means(self, truth: Longs, by_row: RowAmounts) -> CostMatrix:
        """The same with the mean of each column over the rows of the true class."""
        amounts = self.amounts.copy()
        for i, j, name in self.columns:
            here = truth == i
            amounts[i, j] = float(by_row[name][here].mean()) if here.any() else 0.0
        return CostMatrix(self.classes, amounts, self.columns)

    def alike(self, other: CostMatrix) -> bool:
        """Whether errors cost the same in both, whatever the order of their classes."""
        if sorted(self.classes) != sorted(other.classes):
            return False
        same = other.take(np.array([other.classes.index(name) for name in self.classes], dtype=np.int64))
        return sorted(same.columns) == sorted(self.columns) and np.array_equal(same.amounts, self.amounts)

    def class_weights(self) -> Floats:
        """sum_j C_ij, scaled to a smallest of 1: the weight of each class in a fit (Ting 2002)."""
        total = np.asarray(self.amounts.sum(axis=1), dtype=np.float64)
        smallest = total[total > 0].min()
        found: Floats = total / smallest
        return found

    def take(self, places: Longs) -> CostMatrix:
        """The matrix of some of the classes."""
        order = places.tolist()
        columns = [(order.index(i), order.index(j), n) for i, j, n in self.columns if i in order and j in order]
        names = tuple(self.classes[i] for i in order)
        return CostMatrix(names, self.amounts[np.ix_(places, places)], tuple(columns))

    def to_state(self) -> State:
        return {
            "classes": list(self.classes),
            "amounts": np.ascontiguousarray(self.amounts, dtype=np.float64),
            "cells": np.array([(i, j) for i, j, _ in self.columns], dtype=np.int64).reshape(-1, 2),
            "columns": [name for _, _, name in self.columns],
        }

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        classes, names = state.texts("classes"), state.texts("columns")
        size = len(classes)
        amounts = state.array("amounts", "float64", (size, size), low=0.0, high=LARGEST)
        cells = state.array("cells", "int64", (len(names), 2), low=0, high=max(size - 1, 0))
        if size < 2 or len(set(classes)) < size:
            raise BadFile(f"{state.where}.classes: expected two or more different classes.")
        return cls(classes, amounts, tuple((i, j, name) for (i, j), name in zip(cells.tolist(), names, strict=True)))


def _filled(cells: Sequence[tuple[int, int, Amount]], classes: Sequence[str]) -> CostMatrix:
    amounts = np.zeros((len(classes), len(classes)))
    columns = []
    for i, j, amount in cells:
        if isinstance(amount, str):
            columns.append((i, j, amount))
        else:
            amounts[i, j] = amount
    return CostMatrix(tuple(classes), amounts, tuple(columns))


def _place(label: str | int, classes: Sequence[str]) -> int:
    if isinstance(label, int):
        if label >= len(classes):
            raise MercerError(f"cost: the matrix has more than {len(classes)} lines, one for each class.")
        return label
    if label not in classes:
        raise MercerError(f"cost: there is no class {label!r}. {did_you_mean(label, classes)}")
    return list(classes).index(label)


def _pairs(text: str) -> list[tuple[str, Any]]:
    """'fn=20, a>b=COLUMN' as names and values; a class may itself hold '=', a column may not."""
    parts = (part.rpartition("=") for part in text.split(","))
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _flat(given: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """{true: {called: amount}} as pairs of ((true, called), amount); other mappings as they are."""
    if not any(isinstance(v, Mapping) for v in given.values()):
        return list(given.items())
    if not all(isinstance(v, Mapping) for v in given.values()):
        raise MercerError(f"cost {given!r}: {_FORMS}.")
    return [((true, called), amount) for true, line in given.items() for called, amount in line.items()]


def _from_pairs(pairs: list[tuple[Any, Any]], text: str) -> Costs:
    sides: dict[str, Amount] = {}
    cells: list[tuple[str | int, str | int, Amount]] = []
    for key, value in pairs:
        true, between, called = key.partition(">") if isinstance(key, str) else ("", "", "")
        side, amount = key.lower() if isinstance(key, str) else "", _amount(value)
        if isinstance(key, tuple) and len(key) == 2 and amount is not None:
            cells.append((_name(key[0]), _name(key[1]), amount))
        elif between and amount is not None:
            cells.append((true.strip(), called.strip(), amount))
        elif side in ("fn", "fp") and side not in sides and amount is not None:
            sides[side] = amount
        else:
            raise MercerError(f"cost {text}: {_FORMS}, each pair once.")
    if (sides and cells) or len({cell[:2] for cell in cells}) < len(cells) or not pairs:
        raise MercerError(f"cost {text}: {_FORMS}, each pair once.")
    if cells:
        return Costs(cells=tuple(cells))
    return Costs(sides.get("fn", 1.0), sides.get("fp", 1.0), assumed="".join({"fn", "fp"} - sides.keys()))


def _amount(value: Any) -> Amount | None:
    """A number, or a column's name; None for neither. NaN is no column."""
    if isinstance(value, str) and not value:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return value if isinstance(value, str) else None


def _name(label: Any) -> str:
    """A label as the name of its class: 1.0 is '1'."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _from_file(path: Path) -> tuple[tuple[str, str, Amount], ...]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"cost {str(path)!r}: the file cannot be read ({error}).") from None
    first = text.split("\n", 1)[0]
    separator = max((",", ";", "\t"), key=first.count)
    lines = [[cell.strip() for cell in line] for line in csv.reader(text.splitlines(), delimiter=separator) if line]
    if len(lines) < 3 or any(len(line) != len(lines[0]) for line in lines):
        raise BadFile(
            f"cost {str(path)!r}: expected a line with the classes, then a line for each true class that begins with "
            "its name."
        )
    cells = []
    for line in lines[1:]:
        for called, cell in zip(lines[0][1:], line[1:], strict=True):
            amount = _amount(cell.replace(",", ".") if separator != "," else cell)
            if not isinstance(amount, float):
                raise BadFile(f"cost {str(path)!r}, {line[0]!r} called {called!r}: {cell!r} is not a number.")
            cells.append((line[0], called, amount))
    return tuple(cells)


def _from_array(given: Any) -> tuple[tuple[int, int, Amount], ...]:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or len(found) < 2:
        raise MercerError(f"cost {given!r}: {_FORMS}; from Python a mapping or a square array.")
    return tuple((i, j, float(found[i, j])) for i in range(len(found)) for j in range(len(found)))

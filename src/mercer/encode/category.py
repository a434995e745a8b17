"""Levels as dummies, and rare levels as one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder
from mercer.encode.blocks import LevelBlock, dummies, level_counts
from mercer.errors import BadColumn, ColumnWarning
from mercer.parameters import Choice, Flag, Number, Parameters, Text
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Column, Columns, Kind, Schema, Selector, Table
from mercer.table.assemble import all_but, code_table, hstack, number_table
from mercer.table.blocks import MISSING
from mercer.table.schema import column_size

MissingDummy = Literal["zeros", "column"]
Drop = Literal["first", "common", "binary", None]


@shares_docs()
class OneHot(Encoder):
    """z_l = alpha if x is level l, else 0: one numeric column '<name>=<level>' for each level l.

    For learners that compute with numbers. alpha is the size of a dummy beside the other columns: two rows
    that differ in the level are alpha * sqrt(2) apart. An unseen level is zeros. Linear regression needs
    `drop`, since all dummies of a column add up to alpha: each coefficient is then a contrast with the
    dropped baseline.

    Parameters
    ----------
    alpha : float, default 1.0
        Size of a dummy, above 0; choose the order of magnitude of the other columns.
    missing : {"zeros", "column"}, default "zeros"
        What a missing cell is: zeros, or a dummy '<name>=(missing)' where a cell was missing in fitting.
    drop : {"first", "common", "binary"} or None, default None
        "first" or "common" drops the dummy of the first or the commonest level; "binary" drops the first of
        two-level columns. Missing and unseen cells then count as the baseline, with a warning.
    sparse : bool, default False
        Whether the numbers become a CSR array.
    {encoded_categorical}

    Attributes
    ----------
    own_ : ndarray of shape (n_selected,)
        Whether missing cells of the column have a dummy.
    baseline_ : ndarray of shape (n_selected,)
        The code of the level whose dummy is dropped, -1 for none.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from mercer.encode import OneHot
    >>> table = mercer.read_table({"job": ["sales", "clerk", "sales"], "age": [31, 25, 58]})
    >>> out = OneHot(alpha=2).fit_transform(table)
    >>> out.columns, out.numbers(["job=clerk", "job=sales"]).tolist()
    (('job=clerk', 'job=sales', 'age'), [[0.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    """

    takes: ClassVar[tuple[Kind, ...]] = CATEGORICAL
    parameters: ClassVar[Parameters] = {
        "alpha": Number(0.0, 1e300, above=True, below=True),
        "missing": Choice(MissingDummy),
        "drop": Choice(Drop),
        "sparse": Flag(),
        "on": Columns(),
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        missing: MissingDummy = "zeros",
        drop: Drop = None,
        sparse: bool = False,
        on: Selector = None,
    ) -> None:
        self.alpha = alpha
        self.missing = missing
        self.drop = drop
        self.sparse = sparse
        self.on = on

    def _learn(self, table: Table, y: Any) -> None:
        self._set_counts([level_counts(table, n, None) for n in self.names_])

    def _set_counts(self, counts: Sequence[Floats]) -> None:
        """counts : of each column as by `level_counts`"""
        self.own_ = np.array([mass[0] > 0 for mass in counts], dtype=bool) & (self.missing == "column")
        self.baseline_ = np.array([self._baseline(mass[1:-1]) for mass in counts], dtype=np.int32)

    def _baseline(self, counts: Floats) -> int:
        """The level whose dummy is dropped, -1 for none; counts : rows of each level."""
        if self.drop is None or (self.drop == "binary" and len(counts) != 2):
            return -1
        return int(counts.argmax()) if self.drop == "common" else 0

    @property
    def baselines(self) -> dict[str, str]:
        """The level that each column's dummies are contrasts with."""
        pairs = zip(self.names_, self.baseline_, strict=True)
        return {n: self.schema_[n].levels[b] for n, b in pairs if b >= 0}

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        place = {n: j for j, n in enumerate(names)}
        columns: list[Column] = []
        for column in schema:
            columns += self._dummies(column, place[column.name]) if column.name in place else [column]
        return replace(schema, columns=tuple(columns))

    def _block(self, column: Column, j: int) -> LevelBlock:
        return LevelBlock.every_level(column, int(self.baseline_[j]), bool(self.own_[j]))

    def _dummies(self, column: Column, j: int) -> list[Column]:
        block = self._block(column, j)
        against = f", baseline {block.baseline!r}" if block.baseline is not None else ""
        reason = f"{self.alpha:g} where {column.name!r} is"
        levels = [name.removeprefix(f"{column.name}=") for name in block.names]
        return [
            Column(name, Kind.NUMERIC, reason=f"{reason} {level!r}{against}")
            for name, level in zip(block.names, levels, strict=True)
        ]

    def _names_size(self) -> float:
        return sum(len(self.schema_[n].levels) * column_size(n) for n in self.names_)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        self._warn_baseline(table.codes(self.names_))
        blocks = [self._block(self.schema_[n], j) for j, n in enumerate(self.names_)]
        columns = [self.schema_out_[name] for block in blocks for name in block.names]
        ones = number_table(columns, dummies(blocks, table, sparse=self.sparse, size=float(self.alpha)))
        return hstack([all_but(table, self.names_), ones], self.schema_out_)

    def _warn_baseline(self, codes: NDArray[np.int32]) -> None:
        sizes = np.array([len(self.schema_[n].levels) for n in self.names_])
        unknown = ((codes == MISSING) & ~self.own_) | (codes >= sizes)
        taken = unknown.any(axis=0) & (self.baseline_ >= 0)
        if taken.any():
            name = self.names_[int(taken.argmax())]
            said = (
                f"missing or unseen cells count as the baseline {self.baselines[name]!r}. Impute them first to choose "
                "otherwise."
            )
            warnings.warn(ColumnWarning(name, said), stacklevel=4)

    def _fitted_state(self) -> State:
        return {"own": self.own_.astype(np.uint8), "baseline": self.baseline_}

    def _restore_fitted(self, state: Reader) -> None:
        n = len(self.names_)
        self.own_ = state.array("own", "uint8", (n,), high=1).astype(bool)
        self.baseline_ = state.array("baseline", "int32", (n,), low=-1)
        sizes = np.array([len(self.schema_[m].levels) for m in self.names_], dtype=np.int64)
        if (self.baseline_ >= sizes).any():
            raise state.refuse("baseline", "levels of the columns")


@shares_docs()
class TopLevels(Encoder):
    """x stays if it is among the k commonest values of its column, and becomes `other` if not.

    For columns with many rare levels, before dummies or similarities by frequency; unseen levels become
    `other` too. Numeric columns that are named in `on` become categories of their k commonest numbers. A
    column with at most k levels is not changed. Equal counts are settled by the order of the levels. Missing
    cells stay missing.

    Parameters
    ----------
    k : int, default 20
        How many values stay, at least 1.
    other : str, default "(other)"
        Name of the level that stands for the rest.
    on : str, list of str, selector or None, default None
        The columns to change, by name or kind; None for every categorical one.

    Attributes
    ----------
    kept_ : list of ndarray
        The codes or numbers of each column that stay.
    rest_ : ndarray of shape (n_selected,)
        Whether other values were seen in fitting.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from mercer.encode import TopLevels
    >>> table = mercer.read_table({"city": ["Rome", "Oslo", "Rome", "Bern", "Oslo", "Lima"]})
    >>> TopLevels(k=2).fit_transform(table).column("city").tolist()
    ['Rome', 'Oslo', 'Rome', '(other)', 'Oslo', '(other)']
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC, *CATEGORICAL)
    default: ClassVar[tuple[Kind, ...]] = CATEGORICAL
    parameters: ClassVar[Parameters] = {"k": Number(1, 2**31 - 2, whole=True), "other": Text(), "on": Columns()}
    keeps_zeros = False

    def __init__(self, k: int = 20, other: str = "(other)", *, on: Selector = None) -> None:
        self.k = k
        self.other = other
        self.on = on

    def _sparse_allowed(self) -> bool:
        return self.on is None

    def _learn(self, table: Table, y: Any) -> None:
        self._set_counts([self._values(table, n) for n in self.names_])

    def _values(self, table: Table, name: str) -> tuple[Floats, Array]:
        """The codes or numbers of a column, increasing, and how often each is there."""
        if table.schema[name].kind.categorical:
            counts = level_counts(table, name, None)[1:-1]
            return np.arange(len(counts), dtype=np.float64), counts
        numbers = table.numbers(name)[:, 0].astype(np.float64)
        values, times = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
        return values, times

    def _set_counts(self, found: Sequence[tuple[Floats, Array]]) -> None:
        """found : of each column as by `_values`"""
        for name, (values, _) in zip(self.names_, found, strict=True):
            if not len(values):
                raise BadColumn(f"Column {name!r} has no known cell to learn from. Leave it out (DropMissing).")
        common = [np.argsort(-counts, kind="stable")[: self.k] for _, counts in found]
        self.kept_ = [values[np.sort(places)] for (values, _), places in zip(found, common, strict=True)]
        self.rest_ = np.array([len(values) > self.k for values, _ in found], dtype=bool)

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        place = {n: j for j, n in enumerate(names)}
        return replace(
            schema,
            columns=tuple(self._column(c, place[c.name]) if c.name in place else c for c in schema),
        )

    def _column(self, column: Column, j: int) -> Column:
        kept, rest = self.kept_[j], self.rest_[j]
        if column.kind.categorical and not rest:
            return column
        levels = [column.levels[int(v)] if column.kind.categorical else _number_name(v) for v in kept]
        if rest and self.other in levels:
            raise BadColumn(f"Column {column.name!r} already has a level {self.other!r}. Choose another other=.")
        levels += [self.other] if rest else []
        kind = Kind.BINARY if len(levels) == 2 else Kind.CATEGORY
        reason = f"{column.reason}; the {len(kept)} commonest values" + (f" and {self.other}" if rest else "")
        return Column(column.name, kind, tuple(levels), reason)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        codes = np.empty((table.n_rows, len(self.names_)), dtype=np.int32, order="F")
        for j, name in enumerate(self.names_):
            codes[:, j] = self._codes(table, name, j)
        changed = code_table([self.schema_out_[n] for n in self.names_], codes)
        return hstack([all_but(table, self.names_), changed], self.schema_out_)

    def _codes(self, table: Table, name: str, j: int) -> NDArray[np.int32]:
        kept = self.kept_[j]
        if self.schema_[name].kind.categorical:
            cells = table.codes(name)[:, 0].astype(np.float64)
            missing = cells == MISSING
        else:
            cells = table.numbers(name)[:, 0].astype(np.float64)
            missing = np.isnan(cells)
        place = np.searchsorted(kept, np.where(missing, kept[0], cells))
        known = kept[np.minimum(place, len(kept) - 1)] == cells
        # Without an "other" level the code after the last stands for an unseen one: the number is the same.
        return np.where(missing, MISSING, np.where(known, place, len(kept))).astype(np.int32)

    def _fitted_state(self) -> State:
        columns = [{"kept": kept} for kept in self.kept_]
        return {"columns": columns, "rest": self.rest_.astype(np.uint8)}

    def _restore_fitted(self, state: Reader) -> None:
        self.rest_ = state.array("rest", "uint8", (len(self.names_),), high=1).astype(bool)
        columns = state.children("columns")
        if len(columns) != len(self.names_):
            raise state.refuse("columns", f"{len(self.names_)} columns")
        self.kept_ = []
        for name, rest, reader in zip(self.names_, self.rest_, columns, strict=True):
            kept = reader.array("kept", "float64", (None,))
            self._check_kept(kept, bool(rest), self.schema_[name], reader)
            reader.finish()
            self.kept_.append(kept)

    def _check_kept(self, kept: NDArray[np.float64], rest: bool, column: Column, state: Reader) -> None:
        if not len(kept) or len(kept) > self.k or (np.diff(kept) <= 0).any():
            raise state.refuse("kept", f"1 to {self.k} increasing values")
        if not column.kind.categorical:
            return
        whole = (kept == np.floor(kept)).all() and kept[0] >= 0 and kept[-1] < len(column.levels)
        if not whole or (not rest and len(kept) != len(column.levels)):
            raise state.refuse("kept", "levels of the column")


def _number_name(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))

"""Missing cells: filled in, flagged, or the column dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder, known_numbers
from mercer.encode.blocks.levels import MISSING_LEVEL, level_counts
from mercer.errors import BadColumn
from mercer.parameters import Choice, Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Cause, Column, Columns, Kind, LeftOut, Schema, Selector, Table
from mercer.table.assemble import all_but, code_table, hstack, with_left_out, with_numbers
from mercer.table.blocks import MISSING
from mercer.table.missingness import flag_name

NumberFill = Literal["median", "mean", "mode"]
LevelFill = Literal["mode", "level"]


@shares_docs()
class Impute(Encoder):
    """x = the median, mean or mode of its column where x is missing; a missing level is the commonest level.

    For learners that cannot skip a cell. Equal counts are settled by the smaller number or the earlier level.
    Levels never seen in fitting are left as they are, and so are text columns.

    Parameters
    ----------
    numbers : {"median", "mean", "mode"}, default "median"
        What stands for a missing number.
    levels : {"mode", "level"}, default "mode"
        What stands for a missing level: the commonest level, or '(missing)' as a level of its own.
    indicator : bool, default False
        Whether each column that had a missing cell in fitting gets a binary column '<name> is missing' beside it.
    on : str, list of str, selector or None, default None
        The columns to fill, by name or kind; None for every numeric and categorical one.

    Attributes
    ----------
    fill_ : ndarray of shape (n_numeric,)
        What stands for the missing numbers of each numeric column.
    code_ : ndarray of shape (n_categorical,)
        The code that stands for the missing levels of each categorical column.
    flagged_ : ndarray of shape (n_selected,)
        Whether the column gets one beside it.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import Impute
    >>> Impute().fit_transform([[1.0], [None], [2.0], [9.0]]).ravel().tolist()
    [1.0, 2.0, 2.0, 9.0]
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC, *CATEGORICAL)
    parameters: ClassVar[Parameters] = {
        "numbers": Choice(NumberFill),
        "levels": Choice(LevelFill),
        "indicator": Flag(),
        "on": Columns(),
    }

    def __init__(
        self,
        numbers: NumberFill = "median",
        levels: LevelFill = "mode",
        *,
        indicator: bool = False,
        on: Selector = None,
    ) -> None:
        self.numbers = numbers
        self.levels = levels
        self.indicator = indicator
        self.on = on

    def _learn(self, table: Table, y: Any) -> None:
        numeric, categorical = self._split(table.schema, self.names_)
        self.fill_ = self._number_fill(table, numeric)
        self._set_codes(categorical, [level_counts(table, n, None) for n in categorical])
        gaps = [table.missing(n).any() for n in self.names_] if not table.is_sparse else self._gaps(table)
        self.flagged_ = np.array(gaps, dtype=bool) & self.indicator

    def _split(self, schema: Schema, names: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        numeric = tuple(n for n in names if schema[n].kind is Kind.NUMERIC)
        return numeric, tuple(n for n in names if schema[n].kind.categorical)

    def _number_fill(self, table: Table, names: tuple[str, ...]) -> Floats:
        if table.is_sparse and names:
            columns = sp.csc_array(table.csr(names))
            return np.array([self._sparse_fill(columns, j, name) for j, name in enumerate(names)])
        values = known_numbers(table, names)
        if self.numbers == "median":
            return np.array([np.nanmedian(column) for column in values.T])
        if self.numbers == "mean":
            return np.array([_mean(column[~np.isnan(column)]) for column in values.T])
        return np.array([_mode(column[~np.isnan(column)]) for column in values.T])

    def _sparse_fill(self, columns: sp.csc_array, j: int, name: str) -> float:
        stored = columns.data[columns.indptr[j] : columns.indptr[j + 1]]
        known = stored[~np.isnan(stored)]
        zeros = columns.shape[0] - len(stored)
        if not len(known) + zeros:
            raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out (DropMissing).")
        whole = np.concatenate([known, np.zeros(zeros)])
        return {"median": lambda v: float(np.median(v)), "mean": _mean, "mode": _mode}[self.numbers](whole)

    def _gaps(self, table: Table) -> list[bool]:
        numbers = table.csr()
        with_gap = set(numbers.indices[np.isnan(numbers.data)].tolist())
        place = {n: j for j, n in enumerate(table.schema.numeric_names)}
        return [place[n] in with_gap if n in place else bool(table.missing(n).any()) for n in self.names_]

    def _set_codes(self, names: Sequence[str], counts: Sequence[Floats]) -> None:
        """counts : of each categorical column as by `level_counts`"""
        found = [self._code_fill(name, mass) for name, mass in zip(names, counts, strict=True)]
        self.code_ = np.array(found, dtype=np.int32)

    def _code_fill(self, name: str, counts: Floats) -> int:
        known = counts[1:-1]
        if self.levels == "level":
            return len(known)
        if not known.sum():
            raise BadColumn(f"Column {name!r} has no known level to learn from. Leave it out (DropMissing).")
        return int(known.argmax())

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        flagged = {n for n, flag in zip(names, self.flagged_, strict=True) if flag}
        columns: list[Column] = []
        for column in schema:
            chosen = column.name in names
            columns.append(self._column(column) if chosen and column.kind.categorical else column)
            if column.name in flagged:
                columns.append(_flag(column.name))
        return replace(schema, columns=tuple(columns))

    def _column(self, column: Column) -> Column:
        if self.levels == "mode":
            return column
        if MISSING_LEVEL in column.levels:
            raise BadColumn(f"Column {column.name!r} already has a level {MISSING_LEVEL!r}: use levels='mode'.")
        reason = f"{column.reason}; missing cells are a level"
        return replace(column, kind=Kind.CATEGORY, levels=(*column.levels, MISSING_LEVEL), reason=reason)

    def _apply(self, table: Table) -> Table:
        numeric, categorical = self._split(self.schema_, self.names_)
        filled = self._filled_numbers(table, numeric)
        parts = [all_but(filled, categorical) if categorical else filled]
        if categorical:
            parts.append(code_table([self.schema_out_[n] for n in categorical], self._filled_codes(table, categorical)))
        flagged = [n for n, flag in zip(self.names_, self.flagged_, strict=True) if flag]
        if flagged:
            flags = np.column_stack([table.missing(n) for n in flagged]).astype(np.int32)
            parts.append(code_table([_flag(n) for n in flagged], flags))
        return hstack(parts, self.schema_out_) if len(parts) > 1 else parts[0]

    def _filled_numbers(self, table: Table, names: tuple[str, ...]) -> Table:
        if not names:
            return table
        if table.is_sparse:
            values = table.csr(names).copy()
            values.data = np.where(np.isnan(values.data), self.fill_[values.indices], values.data)
            return with_numbers(table, names, values)
        dense = table.numbers(names)
        return with_numbers(table, names, np.where(np.isnan(dense), self.fill_.astype(dense.dtype), dense))

    def _filled_codes(self, table: Table, names: tuple[str, ...]) -> NDArray[np.int32]:
        codes = np.array(table.codes(names))
        if self.levels == "level":  # the new level takes the number that stood for unseen ones
            codes[codes == self.code_] += 1
        return np.where(codes == MISSING, self.code_, codes).astype(np.int32)

    def _fitted_state(self) -> State:
        return {"fill": self.fill_, "code": self.code_, "flagged": self.flagged_.astype(np.uint8)}

    def _restore_fitted(self, state: Reader) -> None:
        numeric, categorical = self._split(self.schema_, self.names_)
        self.fill_ = state.array("fill", "float64", (len(numeric),))
        self.code_ = state.array("code", "int32", (len(categorical),), low=0)
        most = [len(self.schema_[n].levels) - (self.levels == "mode") for n in categorical]
        if (self.code_ > np.array(most, dtype=np.int64)).any():
            raise state.refuse("code", "levels of the columns")
        self.flagged_ = state.array("flagged", "uint8", (len(self.names_),), high=1).astype(bool)


def _mean(values: Floats) -> float:
    """Safe for numbers whose sum is beyond a double."""
    peak = float(np.abs(values).max())
    return float(values.mean()) if peak < 1e290 else float((values / peak).mean() * peak)


def _mode(values: Floats) -> float:
    found, counts = np.unique(values, return_counts=True)
    return float(found[counts.argmax()])


def _flag(name: str) -> Column:
    return Column(flag_name(name), Kind.BINARY, ("no", "yes"), f"whether {name!r} is missing")


@shares_docs()
class DropMissing(Encoder):
    """Leaves out the columns j with share_j > rate, share_j = missing cells of column j / rows.

    For tables with columns that are nearly empty, before imputation makes up most of their cells. The columns
    are listed in the schema's `left_out` with their share.

    Parameters
    ----------
    rate : float, default 0.95
        From 0 to 1; a column with a larger share of missing cells is left out.
    on : str, list of str, selector or None, default None
        The columns to look at, by name or kind; None for all.

    Attributes
    ----------
    share_ : ndarray of shape (n_selected,)
        Share of missing cells of each column.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import DropMissing
    >>> DropMissing(rate=0.5).fit_transform([[1.0, None], [2.0, None], [3.0, 4.0]]).ravel().tolist()
    [1.0, 2.0, 3.0]
    """

    parameters: ClassVar[Parameters] = {"rate": Number(0.0, 1.0), "on": Columns()}
    selects = True

    def __init__(self, rate: float = 0.95, *, on: Selector = None) -> None:
        self.rate = rate
        self.on = on

    def _learn(self, table: Table, y: Any) -> None:
        share = missing_shares(table)
        self.share_ = np.array([share[n] for n in self.names_], dtype=np.float64)

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        gone = [
            LeftOut(n, Cause.MISSING, f"{share:.1%} of the cells are missing, above {self.rate:.1%}")
            for n, share in zip(names, self.share_, strict=True)
            if share > self.rate
        ]
        return with_left_out(schema, gone)

    def _apply(self, table: Table) -> Table:
        kept = table.select(self.schema_out_.names)
        return replace(kept, schema=self.schema_out_)

    def _fitted_state(self) -> State:
        return {"share": self.share_}

    def _restore_fitted(self, state: Reader) -> None:
        self.share_ = state.array("share", "float64", (len(self.names_),), low=0.0, high=1.0)


def missing_shares(table: Table) -> dict[str, float]:
    """Share of missing cells of every column."""
    kinds = {(Kind.NUMERIC,): table.number_block, CATEGORICAL: table.code_block, (Kind.TEXT,): table.text_block}
    shares: dict[str, float] = {}
    for of, block in kinds.items():
        names = table.schema.of_kind(*of)
        if isinstance(values := block.values, np.ndarray):
            found = block.missing().mean(axis=0) if names else np.empty(0)
        else:
            found = np.bincount(values.indices[np.isnan(values.data)], minlength=len(names)) / table.n_rows
        shares.update(zip(names, found.tolist(), strict=True))
    return shares

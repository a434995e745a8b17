"""Missing cells that carry information: columns "<name> is missing", decided on training rows.

A learner that fills a missing cell in, or skips it, cannot know that the cell was missing. Where being missing and the
target go together, the table gets a column that says so, and every learner can use it in its own way: a kernel and a
distance compare it, a linear model gives it a coefficient, naive Bayes factorises into P(missing | class) times
p(value | class, present).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import chdtrc

from mercer.arrays import Bools, Floats
from mercer.errors import BadFile
from mercer.parameters import Choice
from mercer.state import Reader, State
from mercer.table.assemble import code_table, hstack, number_table
from mercer.table.blocks import MISSING, SparseNumbers
from mercer.table.schema import CATEGORICAL, Column, Kind, Schema
from mercer.table.table import Table

MissingIndicator: TypeAlias = Literal["auto", True, False]
MISSING_INDICATOR = Choice(("auto", True, False))

# How many of 4,000 tables of 300 rows and six columns with gaps get an indicator though none has to do with the target:
# 4.3 % with two classes, 4.2 % with five, 4.4 % with numbers. With 1 to 4 % missing cells and three classes in shares
# of 80, 15 and 5 % it is 2.7 %, but 8.6 % if 5 cells were enough and 12.6 % if one was: the test is one for many rows.
# Five classes of which one has 90 % of the rows are the worst case found: 6.6 %.
LEVEL = 0.05
FEWEST = 10


@dataclass(frozen=True)
class MissingIndicators:
    """m_j(x) = 1 if the cell of column j of x is missing, else 0, for columns j whose gaps go with the target.

    Attributes
    ----------
    columns : tuple of str
        The columns j.
    kind : Kind
        Of the derived columns: binary, of the levels "no" and "yes", or numeric, of 0 and 1, for learners that take
        numbers as they are.
    """

    columns: tuple[str, ...] = ()
    kind: Kind = Kind.BINARY

    @classmethod
    def learn(
        cls, table: Table, targets: Sequence[Any], weight: Floats | None, kind: Kind, choice: MissingIndicator = "auto"
    ) -> MissingIndicators:
        """Choose the columns, from training rows.

        Parameters
        ----------
        table : Table
            The training rows. A sparse table gets no indicators.
        targets : sequence of ndarray of shape (n_rows,)
            The target, or each of several: class codes (whole numbers) or numbers.
        weight : ndarray of shape (n_rows,) or None
            How many rows each row stands for; None for one each.
        kind : Kind
            Of the derived columns, binary or numeric.
        choice : {"auto", True, False}, default "auto"
            "auto" takes the columns of at least 10 missing and 10 known cells whose gaps go with the target:
            p < 5 % divided by the number of columns with missing cells. True takes every column with missing cells,
            False none.

        Returns
        -------
        indicators : MissingIndicators
            Of these columns.
        """
        found = [] if choice is False else columns_with_gaps(table)
        if choice == "auto":
            tests = len(found) * max(len(targets), 1)
            found = [
                name
                for name in found
                if any(association(table.missing(name), target, weight) < LEVEL / tests for target in targets)
            ]
        return cls.of(table.schema, found, kind)

    @classmethod
    def of(cls, schema: Schema, columns: Sequence[str], kind: Kind) -> MissingIndicators:
        """Of these columns but for those whose flag's name is taken."""
        taken = {*schema.names, *(c.name for c in schema.left_out)} if columns else set()
        return cls(tuple(n for n in columns if flag_name(n) not in taken), kind)

    def schema(self, schema: Schema) -> Schema:
        """The schema with the derived columns behind those of the input."""
        return replace(schema, columns=(*schema.columns, *self._derived)) if self.columns else schema

    def input_schema(self, schema: Schema) -> Schema:
        """The schema without the derived columns."""
        return replace(schema, columns=tuple(schema.columns[: -len(self.columns)])) if self.columns else schema

    def apply(self, table: Table) -> Table:
        """The rows with the derived columns."""
        if not self.columns:
            return table
        flags = np.column_stack([table.missing(name) for name in self.columns])
        if self.kind is Kind.NUMERIC:
            made = number_table(self._derived, flags.astype(table.number_block.values.dtype))
        else:
            made = code_table(self._derived, flags.astype(np.int32))
        return hstack([table, made], self.schema(table.schema))

    @property
    def _derived(self) -> tuple[Column, ...]:
        levels = () if self.kind is Kind.NUMERIC else ("no", "yes")
        return tuple(Column(flag_name(n), self.kind, levels, f"whether {n!r} is missing") for n in self.columns)

    def to_state(self) -> State:
        return {"columns": list(self.columns), "kind": str(self.kind)}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> MissingIndicators:
        """The indicators that `to_state` wrote, of columns of this schema."""
        columns, kind = state.texts("columns"), Kind(state.text("kind", (Kind.BINARY, Kind.NUMERIC)))
        state.finish()
        flags = [flag_name(n) for n in columns]
        taken = {*schema.names, *(c.name for c in schema.left_out)}
        if not columns or len(set(columns)) < len(columns) or not taken.isdisjoint(flags):
            raise BadFile(f"{state.where}.columns: expected distinct columns without an indicator.")
        if any(n not in schema for n in columns):
            raise BadFile(f"{state.where}.columns: expected columns of the schema.")
        return cls(columns, kind)


NO_INDICATORS = MissingIndicators()


def flag_name(name: str) -> str:
    """The name of the column that says where the cells of a column are missing."""
    return f"{name} is missing"


def indicator_kind(schema: Schema) -> Kind:
    """Numeric among numbers, which learners take as they are; binary beside categories."""
    return Kind.BINARY if schema.of_kind(*CATEGORICAL, Kind.TEXT) else Kind.NUMERIC


def columns_with_gaps(table: Table) -> list[str]:
    """Names of the columns that have a missing cell; none of a sparse table, whose cells are zeros."""
    if isinstance(table.number_block, SparseNumbers):
        return []
    found: set[str] = set()
    if not table.number_block.is_complete():
        gaps = np.isnan(table.number_block.values).any(axis=0)
        found.update(np.array(table.schema.numeric_names, dtype=object)[gaps])
    codes, texts = table.code_block.values, table.text_block.missing()
    found.update(n for n, j in _places(table, *CATEGORICAL) if codes[:, j].min(initial=0) == MISSING)
    found.update(n for n, j in _places(table, Kind.TEXT) if texts[:, j].any())
    return [c.name for c in table.schema if c.name in found and c.is_main] if found else []


def _places(table: Table, *kinds: Kind) -> list[tuple[str, int]]:
    return [(name, table.schema.block_place(name)) for name in table.schema.of_kind(*kinds)]


def association(missing: Bools, target: Any, weight: Floats | None) -> float:
    """The p-value of independence: (n - 1) R^2 is chi-square with g degrees of freedom under it.

    R^2 is the share of the variation of `missing` that the target explains. For g + 1 classes that is Pearson's test,
    for numbers the rank test of Kruskal and Wallis (g = 1), which no outlier decides; both have the right mean in any
    sample, as under permutation of the target. 1.0 where fewer than 10 rows are missing, or known.
    """
    weight = np.ones(len(missing)) if weight is None else weight
    if target.dtype.kind in "iub":
        total: Floats = np.bincount(target, weights=weight).astype(np.float64)
        gone: Floats = np.bincount(target[missing], weights=weight[missing], minlength=len(total)).astype(np.float64)
        return class_association(gone, total)
    n, lost = float(weight.sum()), float(weight[missing].sum())
    if min(lost, n - lost) < FEWEST:
        return 1.0
    _, place = np.unique(target, return_inverse=True)
    mass = np.bincount(place, weights=weight).astype(np.float64)
    rank = middle_ranks(mass)
    return rank_association(lost, float(weight[missing] @ rank[place[missing]]), rank, mass)


def class_association(gone: Floats, total: Floats) -> float:
    """The same p-value from the rows of each class, all of them and those whose cell is missing, (n_classes,) each."""
    n, lost = float(total.sum()), float(gone.sum())
    if min(lost, n - lost) < FEWEST:
        return 1.0
    share = lost / n
    gone, total = gone[total > 0], total[total > 0]
    explained = ((gone - share * total) ** 2 / total).sum() / (n * share * (1 - share))
    return float(chdtrc(len(total) - 1, (n - 1) * explained)) if len(total) > 1 else 1.0


def middle_ranks(mass: Floats) -> Floats:
    """The ranks, around their mean, of different numbers in increasing order with these weights; equal ones share the
    middle one."""
    return np.asarray(np.cumsum(mass) - mass / 2 - mass.sum() / 2)


def rank_association(lost: float, shift: float, rank: Floats, mass: Floats) -> float:
    """The same p-value for numbers, from the weight of the rows whose cell is missing and the sum of their ranks."""
    n, scatter = float(mass.sum()), float(mass @ rank**2)
    if min(lost, n - lost) < FEWEST or not scatter:
        return 1.0
    share = lost / n
    explained = shift**2 / (scatter * n * share * (1 - share))
    return float(chdtrc(1, (n - 1) * explained))

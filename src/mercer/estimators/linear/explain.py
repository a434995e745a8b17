"""How columns move predictions: contributions to single rows, and the probability of each class along one column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.errors import BadColumn
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.explanations.text_table import cell_text, html_table, shown_cells, text_table
from mercer.estimators.linear.fit import LinearFit
from mercer.table import Kind, Table
from mercer.table.assemble import all_but, code_table, hstack, with_numbers

_MAX_CURVE_ROWS = 1000  # that a curve averages over
_LINES_SHOWN = 12  # values in the repr of a curve


def by_column(design: Design, table: Table, coef: Floats, mean: Floats) -> tuple[tuple[str, ...], Floats]:
    """Names of the columns and terms, and sum of coef * (x - mean) over the coefficients of each: (n_rows, n_names).

    coef : (n_terms,), or (n_rows, n_terms) when rows compare different classes
    """
    names = tuple(dict.fromkeys([*table.schema.names, *design.terms]))
    return names, owner_sums(design.matrix(table), design.owners, names, coef, mean)


def owner_sums(matrix: Any, owners: Sequence[str], names: Sequence[str], coef: Floats, mean: Floats | float) -> Floats:
    """sum of coef * (x - mean) over the columns of the matrix that each name owns: (n_rows, n_names)."""
    place = {name: g for g, name in enumerate(names)}
    groups = [place[o] for o in owners]
    gather = sp.csr_array((np.ones(len(owners)), (groups, np.arange(len(owners)))), shape=(len(names), len(owners)))
    dense = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    return np.ascontiguousarray((gather @ ((dense - mean) * coef).T).T)


def explain_predictions(fit: LinearFit, design: Design, table: Table) -> Explanation:
    """What each column adds to the number predicted, compared with the mean of the training rows."""
    names, values = by_column(design, table, fit.coef, fit.mean)
    base = np.full(len(table), fit.intercept + float(fit.mean @ fit.coef))
    return Explanation(names, values, base, cells=shown_cells(table, names), unit="prediction")


def explain_classes(
    design: Design, table: Table, coefficients: tuple[Floats, Floats], mean: Floats, scores: Floats, classes: Any
) -> Explanation:
    """What each column adds to the log odds of the second class, or of the most probable against the runner-up."""
    n = len(table)
    coef, a = coefficients
    if len(classes) == 2:
        chosen, other = np.ones(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
        coef, a = np.tile(coef[0], (n, 1)), np.full(n, a[0])
    else:
        order = np.argsort(-scores, axis=1, kind="stable")
        chosen, other = order[:, 0], order[:, 1]
        coef, a = coef[chosen] - coef[other], a[chosen] - a[other]
    names, values = by_column(design, table, coef, mean)
    return Explanation(names, values, a + coef @ mean, classes[chosen], classes[other], shown_cells(table, names))


@dataclass(frozen=True)
class ProbabilityCurve:
    """P(class | column = v), averaged over the other columns as they are in some rows: partial dependence.

    Attributes
    ----------
    column : str
        The column that varies.
    values : ndarray of shape (n_values,)
        What it is set to: numbers, or levels.
    classes : list of str
        The classes.
    probability : ndarray of shape (n_values, n_classes)
        The mean probability of each class at each value.
    """

    column: str
    values: NDArray[Any]
    classes: list[str]
    probability: Floats

    def __len__(self) -> int:
        return len(self.values)

    def _grid(self) -> list[list[str]]:
        places = np.unique(np.linspace(0, len(self) - 1, min(len(self), _LINES_SHOWN)).astype(int))
        rows = [[cell_text(self.values[i]), *(f"{p:.4f}" for p in self.probability[i])] for i in places]
        return [[self.column, *self.classes], *rows]

    def __repr__(self) -> str:
        return text_table(self._grid())

    def _repr_html_(self) -> str:
        return html_table(self._grid())


def probability_curve(
    predict_proba: Callable[[Table], Floats], table: Table, column: str, points: int, classes: NDArray[Any]
) -> ProbabilityCurve:
    """The curve of one column, over at most 1000 rows of a table."""
    if len(table) > _MAX_CURVE_ROWS:
        table = table.take(np.linspace(0, len(table) - 1, _MAX_CURVE_ROWS).astype(np.intp))
    values = curve_values(table, column, points)
    means = [predict_proba(with_value(table, column, v)).mean(axis=0) for v in values]
    return ProbabilityCurve(column, values, [str(c) for c in classes], np.array(means))


def curve_values(table: Table, name: str, points: int) -> NDArray[Any]:
    """The values that one column is set to: `points` numbers from the least to the largest, or every level."""
    column = table.schema[name]
    if column.kind is Kind.TEXT:
        raise BadColumn(f"Column {name!r} is text: a curve needs numbers or levels.")
    if column.kind.categorical:
        return np.array(column.levels, dtype=object)
    cells = table.numbers(name)[:, 0].astype(np.float64)
    known = cells[~np.isnan(cells)]
    if not len(known):
        raise BadColumn(f"Column {name!r} has no known number in these rows.")
    return np.linspace(known.min(), known.max(), points)


def with_value(table: Table, name: str, value: Any) -> Table:
    """The same rows with one value in this column."""
    column = table.schema[name]
    if not column.kind.categorical:
        return with_numbers(table, (name,), np.full((len(table), 1), float(value)))
    codes = np.full((len(table), 1), column.levels.index(value), dtype=np.int32)
    return hstack([all_but(table, [name]), code_table([column], codes)], table.schema)

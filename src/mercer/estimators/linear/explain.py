"""Which column moves a prediction by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.estimators.common.text_table import text_table
from mercer.table import Table


@dataclass(frozen=True)
class Contributions:
    """f(x) = base + sum over columns, row by row; `base` is the prediction of an average row."""

    columns: tuple[str, ...]
    values: Floats  # (n_rows, n_columns)
    base: float
    cells: list[tuple[str, ...]]

    @property
    def total(self) -> Floats:
        """The prediction of each row, (n_rows,)."""
        total: Floats = self.base + self.values.sum(axis=1)
        return total

    def __len__(self) -> int:
        return len(self.values)

    def row(self, i: int) -> str:
        """The columns of one row from the strongest to the weakest."""
        order = np.argsort(-np.abs(self.values[i]), kind="stable")
        rows = [["column", "cell", "adds"], ["(average row)", "", f"{self.base:.4g}"]]
        rows += [[self.columns[j], self.cells[i][j], f"{self.values[i, j]:+.4g}"] for j in order]
        rows.append(["(sum)", "", f"{self.total[i]:.4g}"])
        return f"row {i}\n{text_table(rows)}"

    def __repr__(self) -> str:
        shown = "\n\n".join(self.row(i) for i in range(min(len(self), 3)))
        return shown + (f"\n\n... {len(self) - 3} more rows" if len(self) > 3 else "")


def by_column(design: Design, table: Table, coef: Floats, mean: Floats) -> tuple[tuple[str, ...], Floats]:
    """Names of the columns and terms, and sum of coef * (x - mean) over the coefficients of each: (n_rows, n_names).

    coef : (n_terms,), or (n_rows, n_terms) when rows differ in what is asked
    """
    owners = design.owners
    names = tuple(dict.fromkeys([*table.schema.names, *design.terms]))
    place = {name: g for g, name in enumerate(names)}
    gather = np.zeros((len(owners), len(names)))
    gather[np.arange(len(owners)), [place[o] for o in owners]] = 1.0
    matrix = design.matrix(table)
    dense = matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    return names, ((dense - mean) * coef) @ gather

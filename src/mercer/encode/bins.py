"""Numbers cut into bins: equal width, equal frequency, clusters, or where the classes change."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder, known_numbers
from mercer.encode.bin_edges import clusters, entropy_mdl, equal_frequency, equal_width
from mercer.errors import BadTarget, MercerWarning
from mercer.parameters import Choice, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Kind, Schema, Selector, Table
from mercer.table.assemble import all_but, code_table, hstack
from mercer.table.blocks import MISSING
from mercer.table.target import class_codes

Cut = Literal["frequency", "width", "kmeans", "mdl"]
_EDGES = {"width": equal_width, "frequency": equal_frequency, "kmeans": clusters}


@shares_docs()
class Bins(Encoder):
    """x becomes the ordinal level i with c_i <= x < c_{i+1},  c_1 < c_2 < ... the inner edges of its column.

    For learners on levels (categorical naive Bayes, similarities by frequency) and for relations that are not
    straight. Numbers beyond the fitted range fall in the outer bins. Missing cells stay missing. `fit_transform` is
    `fit` then `transform`: with cut="mdl" it has seen the classes of the rows that it cuts. Inside a pipeline the bins
    are cut anew in every training fold, without the test fold.

    Parameters
    ----------
    n : int, default 5
        How many bins, at least 2; fewer, with a warning, when the numbers have too few distinct values. Not used by
        "mdl".
    cut : {"frequency", "width", "kmeans", "mdl"}, default "frequency"
        "frequency" (as many rows in each), "width" (equally wide), "kmeans" (around the centres of clusters), or "mdl"
        (least class entropy, as many bins as minimal description length allows; needs y; Fayyad & Irani 1993).
    {encoded_numeric}

    Attributes
    ----------
    edges_ : list of ndarray
        The inner edges of each column, increasing.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from mercer.encode import Bins
    >>> table = mercer.read_table({"age": [18, 25, 41, 67]})
    >>> Bins(n=2).fit_transform(table).column("age").tolist()
    ['< 33', '< 33', '>= 33', '>= 33']
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {
        "n": Number(2, 1_000_000, whole=True), "cut": Choice(Cut), "on": Columns(),
    }  # fmt: skip
    keeps_zeros = False

    def __init__(self, n: int = 5, cut: Cut = "frequency", *, on: Selector = None) -> None:
        self.n = n
        self.cut = cut
        self.on = on

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.cut == "mdl"
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        values = known_numbers(table, self.names_)
        if self.cut == "mdl":
            self.edges_ = self._supervised(values, y)
            return
        self.edges_ = [_EDGES[self.cut](np.sort(column[~np.isnan(column)]), self.n) for column in values.T]
        self._warn_few()

    def _warn_few(self) -> None:
        few = [n for n, edges in zip(self.names_, self.edges_, strict=True) if len(edges) + 1 < self.n]
        if few:
            more = f" and {len(few) - 5} more" if len(few) > 5 else ""
            shown = ", ".join(repr(n) for n in few[:5]) + more
            notice = f"Fewer than {self.n} bins, for want of distinct numbers: {shown}."
            warnings.warn(notice, MercerWarning, stacklevel=5)

    def _supervised(self, values: NDArray[np.float64], y: Any) -> list[NDArray[np.float64]]:
        if y is None:
            raise BadTarget("Bins(cut='mdl') requires y to be passed, but the target y is None.")
        classes, codes = class_codes(y, len(values))
        edges = []
        for column in values.T:
            known = ~np.isnan(column)
            edges.append(entropy_mdl(column[known], codes[known], len(classes)))
        return edges

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        place = {n: j for j, n in enumerate(names)}
        changed = [self._column(c, self.edges_[place[c.name]]) if c.name in place else c for c in schema]
        return replace(schema, columns=tuple(changed))

    def _column(self, column: Column, edges: NDArray[np.float64]) -> Column:
        kind = Kind.BINARY if len(edges) == 1 else Kind.ORDINAL
        reason = f"{column.reason}; {len(edges) + 1} bins by {self.cut}"
        return Column(column.name, kind, interval_names(edges), reason)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        self._refuse_sparse(table)
        values = table.numbers(self.names_)
        codes = np.empty(values.shape, dtype=np.int32, order="F")
        for j, edges in enumerate(self.edges_):
            column = values[:, j].astype(np.float64)
            codes[:, j] = np.where(np.isnan(column), MISSING, np.searchsorted(edges, column, side="right"))
        binned = code_table([self.schema_out_[n] for n in self.names_], codes)
        return hstack([all_but(table, self.names_), binned], self.schema_out_)

    def _fitted_state(self) -> State:
        return {"columns": [{"edges": edges} for edges in self.edges_]}

    def _restore_fitted(self, state: Reader) -> None:
        columns = state.children("columns")
        if len(columns) != len(self.names_):
            raise state.refuse("columns", f"{len(self.names_)} columns")
        self.edges_ = []
        for reader in columns:
            edges = reader.array("edges", "float64", (None,))
            if (np.diff(edges) <= 0).any():
                raise reader.refuse("edges", "increasing numbers")
            reader.finish()
            self.edges_.append(edges)


def interval_names(edges: NDArray[np.float64]) -> tuple[str, ...]:
    """Names of the bins between edges, with as many digits as tell them apart."""
    if not len(edges):
        return ("any number",)
    digits = next(d for d in range(4, 18) if len({f"{e:.{d}g}" for e in edges}) == len(edges))
    shown = [f"{e:.{digits}g}" for e in edges]
    inner = [f"{a} to < {b}" for a, b in pairwise(shown)]
    return (f"< {shown[0]}", *inner, f">= {shown[-1]}")

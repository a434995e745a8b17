"""More columns out of numbers: powers, products, logarithms."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement
from math import comb
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.docstrings import shares_docs
from mercer.encode.base import Encoder
from mercer.errors import BadColumn, BadTable
from mercer.parameters import Choice, Flag, Number, Parameters
from mercer.table import Column, Columns, Kind, Schema, Selector, Table
from mercer.table.assemble import all_but, hstack, number_table, with_names, without_formats
from mercer.table.schema import column_size

_MAX_COLUMNS = 1_000_000
Products = Literal["all", "powers", "interactions"]
Factors = tuple[int, ...]  # places of the columns multiplied, increasing; (0, 0, 2) is a^2 c


@shares_docs()
class Polynomial(Encoder):
    """Adds the products x_i x_j ... of 2 to `degree` chosen columns, e.g. a^2, a*b, b^2.

    For learners that are linear in their columns. The chosen columns stay; a product with a missing cell is
    missing.

    Parameters
    ----------
    degree : int, default 2
        The largest number of factors, 2 to 10.
    terms : {"all", "powers", "interactions"}, default "all"
        All products, "powers" (a^2, a^3, no mixed products) or "interactions" (products of different columns only).
    {encoded_numeric}

    Attributes
    ----------
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import Polynomial
    >>> powers = Polynomial().fit([[2.0, 3.0]])
    >>> powers.get_feature_names_out().tolist(), powers.transform([[2.0, 3.0]]).tolist()
    (['x0', 'x1', 'x0^2', 'x0*x1', 'x1^2'], [[2.0, 3.0, 4.0, 6.0, 9.0]])
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {
        "degree": Number(2, 10, whole=True), "terms": Choice(Products), "on": Columns(),
    }  # fmt: skip
    keeps_zeros = False

    def __init__(self, degree: int = 2, terms: Products = "all", *, on: Selector = None) -> None:
        self.degree = degree
        self.terms = terms
        self.on = on

    def _terms(self) -> list[Factors]:
        p = len(self.names_)
        if self.terms == "powers":
            return [(j,) * d for d in range(2, self.degree + 1) for j in range(p)]
        mixed = self.terms == "interactions"
        size = sum(comb(p, d) if mixed else comb(p + d - 1, d) for d in range(2, self.degree + 1))
        if size > _MAX_COLUMNS:
            raise BadTable(
                f"Polynomial(degree={self.degree}) of {p} columns would add {size:,}. "
                "Lower degree, or choose columns by on=."
            )
        choose = combinations if mixed else combinations_with_replacement
        return list(chain.from_iterable(choose(range(p), d) for d in range(2, self.degree + 1)))

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        return replace(schema, columns=(*schema.columns, *self._columns(names)))

    def _columns(self, names: tuple[str, ...]) -> list[Column]:
        products = [_product_name(term, names) for term in self._terms()]
        return [Column(name, Kind.NUMERIC, reason="a product of columns") for name in products]

    def _names_size(self) -> float:
        return len(self._terms()) * column_size(max(self.names_, key=len, default="")) * self.degree

    def _apply(self, table: Table) -> Table:
        terms = self._terms()
        if not terms:
            return table
        self._refuse_sparse(table)
        values = table.numbers(self.names_)
        products: dict[Factors, NDArray[np.floating]] = {(j,): values[:, j] for j in range(values.shape[1])}
        out = np.empty((table.n_rows, len(terms)), dtype=values.dtype, order="F")
        with np.errstate(over="ignore"):
            for k, term in enumerate(terms):
                out[:, k] = products[term[:-1]] * values[:, term[-1]]
                products[term] = out[:, k]
        columns = self._columns(self.names_)
        _refuse_infinite(out, columns)
        return hstack([table, number_table(columns, out)], self.schema_out_)


def _product_name(term: Factors, names: tuple[str, ...]) -> str:
    powers = Counter(term).items()
    return "*".join(names[j] if power == 1 else f"{names[j]}^{power}" for j, power in powers)


def _refuse_infinite(values: NDArray[np.floating], columns: list[Column]) -> None:
    wrong = np.isinf(values)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise BadColumn(f"{columns[column].name!r} overflows in row {row + 1}. Scale the columns first.")


@shares_docs()
class Log(Encoder):
    """z = log(x + shift).

    For numbers that grow by factors: prices, counts, incomes. x + shift must be above 0: a cell that is not
    is an error, in fitting and afterwards. Missing cells stay missing.

    Parameters
    ----------
    shift : float, default 0.0
        What is added first; 1 for counts that may be 0.
    keep : bool, default False
        Whether x stays beside its logarithm, which is then added at the end.
    {encoded_numeric}

    Attributes
    ----------
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> from mercer.encode import Log
    >>> Log(shift=1).fit_transform([[0.0], [9.0]]).ravel().round(4).tolist()
    [0.0, 2.3026]
    """

    takes: ClassVar[tuple[Kind, ...]] = (Kind.NUMERIC,)
    parameters: ClassVar[Parameters] = {"shift": Number(-1e300, 1e300), "keep": Flag(), "on": Columns()}
    keeps_zeros = False

    def __init__(self, shift: float = 0.0, *, keep: bool = False, on: Selector = None) -> None:
        self.shift = shift
        self.keep = keep
        self.on = on

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _learn(self, table: Table, y: Any) -> None:
        self._logs(table)

    def _logs(self, table: Table) -> NDArray[np.floating]:
        values = table.numbers(self.names_)
        wrong = values <= -self.shift
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise BadColumn(
                f"Negative values in data passed to Log, or zeros: {self.names_[column]!r} holds "
                f"{values[row, column]:g} (row {row + 1}), which has no logarithm with shift={self.shift:g}. "
                "Add a larger shift, or leave the column out of on=."
            )
        # log1p keeps the digits of small numbers that 1 + x loses.
        logs: NDArray[np.floating] = np.log1p(values) if self.shift == 1 else np.log(values + self.shift)
        return logs

    def _name(self, name: str) -> str:
        return f"log({name})" if self.shift == 0 else f"log({name}{self.shift:+g})"

    def _schema_out(self, schema: Schema, names: tuple[str, ...]) -> Schema:
        if self.keep:
            added = tuple(replace(schema[n], name=self._name(n), format="") for n in names)
            return replace(schema, columns=(*schema.columns, *added))
        new = {n: self._name(n) if n in names else n for n in schema.names}
        return with_names(without_formats(schema, names), new)

    def _apply(self, table: Table) -> Table:
        if not self.names_:
            return table
        self._refuse_sparse(table)
        logs = number_table([self.schema_out_[self._name(n)] for n in self.names_], self._logs(table))
        return hstack([table if self.keep else all_but(table, self.names_), logs], self.schema_out_)

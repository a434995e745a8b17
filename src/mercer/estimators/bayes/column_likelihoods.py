"""Which likelihood each column has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mercer.likelihoods import Likelihood
from mercer.likelihoods.registry import LIKELIHOOD, LikelihoodChoice, LikelihoodName
from mercer.parameters import Choice, Either, Mapped
from mercer.table import Column, Kind, Schema, Table

Likelihoods: TypeAlias = LikelihoodChoice | Mapping[str, LikelihoodChoice] | None
LIKELIHOODS_PARAMETER = Either(Choice((None,)), LIKELIHOOD, Mapped(LIKELIHOOD))

_BY_KIND: dict[Kind, LikelihoodName] = {
    Kind.NUMERIC: "gaussian",
    Kind.BINARY: "categorical",
    Kind.CATEGORY: "categorical",
    Kind.ORDINAL: "categorical",
    Kind.TEXT: "words",
}


def column_likelihoods(
    table: Table, likelihoods: Likelihoods, make: Callable[[LikelihoodName], Likelihood], n_classes: int
) -> list[Likelihood]:
    """Likelihoods without statistics, one for each group of columns of the same choice, in the order of the table.

    `likelihoods` is NaiveBayes' parameter, `make` gives what a name in it stands for.
    """
    chosen = _by_name(likelihoods, table.schema)
    default = _BY_KIND | ({Kind.NUMERIC: _sparse_default(table)} if table.is_sparse else {})
    by_kind = {kind: _for_kind(chosen.get(str(kind), name), kind) for kind, name in default.items()}
    groups: dict[str, tuple[LikelihoodChoice, list[Column]]] = {}
    numbers = table.schema.numeric_names

    def fresh(choice: LikelihoodChoice, columns: Sequence[Column]) -> Likelihood:
        return (make(choice) if isinstance(choice, str) else choice.unfitted()).reset(columns, n_classes)

    if len(numbers) == len(table.schema) and not any(name in table.schema for name in chosen):
        return [fresh(by_kind[Kind.NUMERIC], table.schema.columns)]
    for column in table.schema:
        name, kind = column.name, column.kind
        choice = _for_kind(chosen[name], kind) if name in chosen else by_kind[kind]
        groups.setdefault(str(choice), (choice, []))[1].append(column)
    return [fresh(choice, columns) for choice, columns in groups.values()]


def _by_name(likelihoods: Likelihoods, schema: Schema) -> Mapping[str, LikelihoodChoice]:
    """The choices by column name or kind; BadColumn for a name that is neither."""
    if likelihoods is None:
        return {}
    if not isinstance(likelihoods, Mapping):
        return {str(Kind.NUMERIC): likelihoods}
    for name in likelihoods:
        if name not in list(Kind):
            schema.position(name)
    return likelihoods


def _for_kind(choice: LikelihoodChoice, kind: Kind) -> LikelihoodChoice:
    """A binary column is Bernoulli as Categorical of two levels; a text column multinomial as Words."""
    if choice == "bernoulli" and kind is Kind.BINARY:
        return "categorical"
    return "words" if choice == "multinomial" and kind is Kind.TEXT else choice


def _sparse_default(table: Table) -> LikelihoodName:
    """A sparse matrix without negative numbers is taken for counts."""
    values = table.csr().data
    return "multinomial" if not len(values) or values.min() >= 0 else "gaussian"

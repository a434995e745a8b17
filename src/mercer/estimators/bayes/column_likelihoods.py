"""Which likelihood each column has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from mercer.likelihoods import Likelihood
from mercer.likelihoods.registry import LIKELIHOOD, LikelihoodChoice, LikelihoodName
from mercer.parameters import Choice, Either, Mapped
from mercer.table import Kind, Schema, Table

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
    table: Table, likelihoods: Likelihoods, named: Mapping[str, Likelihood], n_classes: int
) -> list[Likelihood]:
    """Likelihoods without statistics, one for each group of columns of the same choice, in the order of the table.

    `likelihoods` is NaiveBayes' parameter, `named` what the names in it stand for.
    """
    chosen = _by_name(likelihoods, table.schema)
    default = _BY_KIND | ({Kind.NUMERIC: _sparse_default(table)} if table.is_sparse else {})
    groups: dict[str, tuple[Likelihood, list[str]]] = {}
    for column in table.schema:
        choice = chosen.get(column.name, chosen.get(str(column.kind), default[column.kind]))
        likelihood = named[_for_kind(choice, column.kind)] if isinstance(choice, str) else choice
        groups.setdefault(repr(likelihood), (likelihood, []))[1].append(column.name)
    return [
        likelihood.unfitted().reset([table.schema[name] for name in names], n_classes)
        for likelihood, names in groups.values()
    ]


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


def _for_kind(name: LikelihoodName, kind: Kind) -> LikelihoodName:
    """A binary column is Bernoulli as Categorical of two levels; a text column multinomial as Words."""
    if name == "bernoulli" and kind is Kind.BINARY:
        return "categorical"
    return "words" if name == "multinomial" and kind is Kind.TEXT else name


def _sparse_default(table: Table) -> LikelihoodName:
    """A sparse matrix without negative numbers is taken for counts."""
    values = table.sparse().data
    return "multinomial" if not len(values) or values.min() >= 0 else "gaussian"

"""The sufficient statistics of a naive Bayes model: counted once over the rows, added up over chunks and models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.errors import BadColumn, BadFile, MercerError
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.likelihoods import Likelihood
from mercer.likelihoods.registry import read_fitted
from mercer.parameters import Choice, Dictionary, Either, Numbers
from mercer.state import Reader, State
from mercer.table import Column, Kind, Schema, Table
from mercer.table.kinds.levels import sort_levels

Priors: TypeAlias = Literal["uniform"] | Mapping[Any, float] | Sequence[float] | None
PRIORS = Either(Choice(("uniform", None)), Dictionary(optional=False), Numbers())


@dataclass(frozen=True)
class Statistics:
    """The weight of each class, and the fitted likelihood of each group of columns."""

    schema: Schema
    classes: NDArray[Any]
    class_count: Floats  # (n_classes,)
    likelihoods: list[Likelihood]

    def merge(self, other: Statistics) -> Statistics:
        """Those of both samples together; neither is changed."""
        schema = _join_schemas(self.schema, other.schema)
        mine, theirs = ([(part.names, repr(part)) for part in s.likelihoods] for s in (self, other))
        if mine != theirs:
            raise MercerError("The models differ in likelihoods or options; merge models fitted with the same ones.")
        return _sum([self, other], schema, np.unique(np.concatenate([self.classes, other.classes])))

    def with_classes(self, classes: Any) -> Statistics:
        """The same with further classes, of which no row was seen."""
        return _sum([self], self.schema, np.unique(np.concatenate([self.classes, np.unique(classes)])))

    def to_state(self) -> State:
        return {
            "classes": labels_state(self.classes),
            "class_count": self.class_count,
            "likelihoods": [part.to_state() for part in self.likelihoods],
        }

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Statistics:
        classes = labels_from_state(state.child("classes"))
        if not _increase(classes):
            raise state.refuse("classes", "labels in increasing order")
        parts = [read_fitted(reader, schema, len(classes)) for reader in state.children("likelihoods")]
        covered = [part.names for part in parts]
        if covered != [schema.names] and sorted(n for names in covered for n in names) != sorted(schema.names):
            raise BadFile(f"{state.where}.likelihoods do not cover each column once.")
        class_count = state.array("class_count", "float64", (len(classes),), low=0.0)
        if not class_count.any():
            raise BadFile(f"{state.where}.class_count: expected a class with rows.")
        return cls(schema, classes, class_count, parts)


def count_rows(
    table: Table, classes: NDArray[Any], codes: Ints, weight: Floats | None, likelihoods: list[Likelihood], n_jobs: int
) -> Statistics:
    """The statistics of these rows; `likelihoods` come without statistics and are filled in place."""
    class_count = np.bincount(codes, weights=weight, minlength=len(classes)).astype(np.float64)
    for likelihood in likelihoods:
        likelihood.update(table, codes, weight, n_jobs)
    return Statistics(table.schema, classes, class_count, likelihoods)


def class_priors(priors: Priors, classes: NDArray[Any], class_count: Floats) -> Floats:
    """P(class), (n_classes,): shares of the counts for None, equal for "uniform", or those given."""
    n = len(classes)
    if priors is None:
        return class_count / class_count.sum()
    if isinstance(priors, str):
        return np.full(n, 1.0 / n)
    listed = [priors.get(c, np.nan) for c in classes.tolist()] if isinstance(priors, Mapping) else priors
    values = np.asarray(listed, dtype=np.float64)
    if values.shape != (n,):
        raise MercerError(f"Number of priors must match number of classes: {n} classes, {len(values)} priors.")
    if np.isnan(values).any():
        raise MercerError(f"priors lacks the class '{classes[int(np.isnan(values).argmax())]}'.")
    if (values < 0).any() or not np.isclose(values.sum(), 1.0):
        raise MercerError("Priors must be non-negative. The sum of the priors should be 1.")
    return values


def _increase(classes: NDArray[Any]) -> bool:
    """Whether labels are in the order in which models are merged."""
    labels = classes.tolist()
    try:
        return all(a < b for a, b in pairwise(labels))
    except TypeError:
        return False


def without_rows(likelihoods: list[Likelihood], schema: Schema, n_classes: int) -> list[Likelihood]:
    """Likelihoods of the same parameters and columns, with the statistics of no rows."""
    return [part.unfitted().reset(schema.select(part.names).columns, n_classes) for part in likelihoods]


def _sum(samples: list[Statistics], schema: Schema, classes: NDArray[Any]) -> Statistics:
    """Samples of the same likelihoods added up, in a schema and classes that cover theirs."""
    class_count = np.zeros(len(classes))
    likelihoods = without_rows(samples[0].likelihoods, schema, len(classes))
    for sample in samples:
        positions = np.searchsorted(classes, sample.classes).tolist()
        class_count[positions] += sample.class_count
        for total, part in zip(likelihoods, sample.likelihoods, strict=True):
            total.merge(part, positions)
    return Statistics(schema, classes, class_count, likelihoods)


def _join_schemas(a: Schema, b: Schema) -> Schema:
    """One schema for both: the same columns, levels joined."""
    if a.names != b.names:
        odd = sorted(set(a.names) ^ set(b.names)) or [n for n, m in zip(a.names, b.names, strict=True) if n != m]
        raise BadColumn(f"The models were fitted on different columns, {odd[0]!r} for one. Give kinds= to both fits.")
    if a.columns == b.columns:
        return a
    return replace(a, columns=tuple(_join_columns(x, y) for x, y in zip(a, b, strict=True)))


def _join_columns(a: Column, b: Column) -> Column:
    unordered = (Kind.BINARY, Kind.CATEGORY)
    if a.kind in unordered and b.kind in unordered:
        if a.levels == b.levels:
            return a
        levels = sort_levels({*a.levels, *b.levels})
        kind = Kind.BINARY if len(levels) == 2 and Kind.BINARY in (a.kind, b.kind) else Kind.CATEGORY
        return replace(a, kind=kind, levels=levels)
    if a.kind is not b.kind or a.levels != b.levels:
        raise BadColumn(f"Column {a.name!r} is {a.kind} in one model and {b.kind} in the other, or its order differs.")
    return a

"""Kernels whose levels have a structure of their own: a graph of neighbours, or a tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import expm

from mercer.arrays import Array, Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.kernels.base import Kernel
from mercer.kernels.categorical.base import CategoricalKernel, Missing
from mercer.kernels.registry import register
from mercer.parameters import Choice, Dictionary, ListOf, Number, Parameters, Text, Texts
from mercer.state import Reader
from mercer.table import Columns, Selector, Table, categorical

_MISSING = Choice(Missing)
_MOST_LEVELS = 5_000  # of a column: a table of all pairs is 200 MB


class LevelKernel(Kernel):
    """k(a, b) = 1/d sum_k S_k[a_k, b_k], with a table S_k of all pairs of levels; subclasses write `levels_gram`.

    A level never seen and a missing cell are like themselves alone.
    """

    missing: Missing
    _refuse = CategoricalKernel._refuse

    @abstractmethod
    def levels_gram(self, levels: Sequence[str]) -> Floats:
        """S of all pairs of levels, positive semi-definite with a diagonal of 1, (n_levels, n_levels)."""

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        super()._fit(tables, weight)
        self._set_tables()

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self._set_tables()

    def _set_tables(self) -> None:
        for column in self.schema_:
            if len(column.levels) > _MOST_LEVELS:
                raise BadParameter(
                    f"{type(self).__name__}: column {column.name!r} has {len(column.levels):,} levels, of at most "
                    f"{_MOST_LEVELS:,}."
                )
        self._tables = [self._table(column.levels) for column in self.schema_]

    def _table(self, levels: Sequence[str]) -> Floats:
        n = len(levels)
        table = np.eye(n + 2)  # then a level never seen, and a missing cell: place -1
        table[:n, :n] = self.levels_gram([str(level) for level in levels])
        table[-1, -1] = float(self.missing == "level")
        return table

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        left, right = a.codes(self.schema_.names), b.codes(self.schema_.names)
        found = np.zeros((len(a), len(b)))
        for k, table in enumerate(self._tables):
            found += table[left[:, k]][:, right[:, k]]
        return np.asarray((found / len(self._tables)).astype(dtype, copy=False))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        codes = a.codes(self.schema_.names)
        own = [table.diagonal()[codes[:, k]] for k, table in enumerate(self._tables)]
        return np.mean(own, axis=0).astype(dtype)


@register
@shares_docs()
class GraphDiffusion(LevelKernel):
    """k(a, b) = 1/d sum_k H[a_k, b_k] / sqrt(H[a_k, a_k] H[b_k, b_k]), with H = exp(-beta D) and D the Laplacian
    of a graph

    Heat starts at a level and flows along the edges for the time beta: levels are alike when many short ways join them.
    For levels with neighbours (countries, stations, stages). A level without an edge is like itself alone.

    Parameters
    ----------
    edges : list of list of str
        Pairs of levels that are neighbours.
    beta : float, default 1.0
        Above 0; the longer the heat flows, the more alike distant levels are.
    {kernel_missing}
    {on_categorical}

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Kondor and Lafferty (2002), Diffusion kernels on graphs and other discrete input spaces.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import GraphDiffusion
    >>> rows = read_table({"land": ["France", "Spain", "Portugal", "Japan"]}, kinds={"land": "category"})
    >>> GraphDiffusion([["France", "Spain"], ["Spain", "Portugal"]]).fit(rows).gram(rows)[0].round(3)
    array([1.   , 0.722, 0.3  , 0.   ])
    """

    parameters: ClassVar[Parameters] = {
        "edges": ListOf(Texts()),
        "beta": Number(0, above=True),
        "missing": _MISSING,
        "on": Columns(),
    }

    def __init__(
        self,
        edges: list[list[str]],
        beta: float = 1.0,
        *,
        missing: Missing = "level",
        on: Selector = categorical(),
    ) -> None:
        self.edges = edges
        self.beta = beta
        self.missing = missing
        self.on = on

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        for edge in self.edges:
            if len(edge) != 2:
                raise BadParameter(f"GraphDiffusion: an edge joins two levels, but {list(edge)!r} has {len(edge)}.")
        super()._fit(tables, weight)

    def levels_gram(self, levels: Sequence[str]) -> Floats:
        nodes = sorted({*levels, *(node for edge in self.edges for node in edge)})
        place = {node: i for i, node in enumerate(nodes)}
        laplacian = np.zeros((len(nodes), len(nodes)))
        for i, j in {tuple(sorted((place[a], place[b]))) for a, b in self.edges if a != b}:
            laplacian[[i, j], [j, i]] -= 1
            laplacian[[i, j], [i, j]] += 1
        heat = expm(-float(self.beta) * laplacian)
        chosen = [place[level] for level in levels]
        heat = (heat + heat.T)[np.ix_(chosen, chosen)] / 2
        lengths = np.sqrt(heat.diagonal())
        return np.asarray(heat / np.outer(lengths, lengths))


@register
@shares_docs()
class LevelTree(LevelKernel):
    """k(a, b) = 1/d sum_k |A(a_k) and A(b_k)| / sqrt(|A(a_k)| |A(b_k)|), with A(x) the level x and what it belongs to

    For levels that form a tree: codes of diseases or goods, places, departments. Levels are the more alike, the further
    their ways from the root go together; levels of different branches have nothing in common.

    Parameters
    ----------
    separator : str or None, default "/"
        What stands between the steps from the root in the name of a level, as in "animal/dog/poodle"; None takes each
        character as a step ("E11" is in "E1", which is in "E").
    parents : dict of str to str, or None, default None
        What each level belongs to, in place of names with steps.
    {kernel_missing}
    {on_categorical}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import LevelTree
    >>> rows = read_table({"code": ["E11", "E10", "E66", "I10"]}, kinds={"code": "category"})
    >>> LevelTree(separator=None).fit(rows).gram(rows)[0].round(3)
    array([1.   , 0.667, 0.333, 0.   ])
    """

    parameters: ClassVar[Parameters] = {
        "separator": Text(optional=True),
        "parents": Dictionary(),
        "missing": _MISSING,
        "on": Columns(),
    }

    def __init__(
        self,
        separator: str | None = "/",
        parents: dict[str, str] | None = None,
        *,
        missing: Missing = "level",
        on: Selector = categorical(),
    ) -> None:
        self.separator = separator
        self.parents = parents
        self.missing = missing
        self.on = on

    def levels_gram(self, levels: Sequence[str]) -> Floats:
        ways = [self._way(level) for level in levels]
        place = {step: k for k, step in enumerate(sorted({step for way in ways for step in way}, key=repr))}
        held = np.zeros((len(levels), len(place)))
        for i, way in enumerate(ways):
            held[i, [place[step] for step in way]] = 1
        lengths = np.sqrt(held.sum(axis=1))
        return np.asarray(held @ held.T / np.outer(lengths, lengths))

    def _way(self, level: str) -> Iterable[Any]:
        """The level and all that it belongs to."""
        if self.parents is None:
            steps = list(level) if self.separator is None else level.split(self.separator)
            return {tuple(steps[: k + 1]) for k in range(len(steps))}
        way = [level]
        while (parent := self.parents.get(way[-1])) is not None:
            if parent in way:
                raise BadParameter(f"LevelTree: parents go in a circle at {parent!r}.")
            way.append(parent)
        return way

"""Diffusion on categories: heat that flows between levels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.categorical.base import CategoricalKernel, Missing
from mercer.kernels.registry import register
from mercer.parameters import Number, Parameters
from mercer.table import Columns, Selector, Table, categorical


@register
@shares_docs()
class Diffusion(CategoricalKernel):
    """k(a, b) = prod over columns with a_k != b_k of (1 - q_k) / (1 + (L_k - 1) q_k), with q_k = exp(-L_k beta)

    and L_k the number of levels: exp(-beta times the Laplacian) of the graph in which all levels of a column are
    neighbours, and of the grid of all combinations of levels, divided by its diagonal. Columns act together: each one
    that differs takes a factor off. A missing cell is a level of its own.

    Parameters
    ----------
    beta : float, default 0.1
        Above 0; how long the heat flows: the longer, the more alike different levels are.
    {on_categorical}

    Attributes
    ----------
    {counts_}
    {compared_schema_}

    References
    ----------
    Kondor and Lafferty (2002), Diffusion kernels on graphs and other discrete input spaces.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import Diffusion
    >>> rows = read_table({"job": ["sales", "clerk", "smith"], "city": ["Oslo", "Oslo", "Rome"]})
    >>> Diffusion(beta=0.1).fit(rows).gram(rows).round(4)
    array([[1.    , 0.1044, 0.0104],
           [0.1044, 1.    , 0.0104],
           [0.0104, 0.0104, 1.    ]])
    """

    parameters: ClassVar[Parameters] = {"beta": Number(0, above=True), "on": Columns()}
    missing: Missing = "level"

    def __init__(self, beta: float = 0.1, *, on: Selector = categorical()) -> None:
        self.beta = beta
        self.on = on

    def match(self, counts: Array) -> Array:
        # minus the logarithm of the factor that a difference in this column takes off
        return np.full(len(counts), -np.log(self._factor(max(len(counts) - 2, 2))))

    def _factor(self, n_levels: int) -> float:
        rate = n_levels * float(self.beta)
        least = np.finfo(np.float64).tiny
        return float(max(-np.expm1(-rate) / (1 + (n_levels - 1) * np.exp(-rate)), least))

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = self._sums(self._cells(a), None if b is a else self._cells(b), np.dtype(np.float64))
        found -= self._tables.match[self._tables.offsets[:-1]].sum()
        return np.asarray(np.exp(np.minimum(found, 0.0, out=found), out=found).astype(dtype, copy=False))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return np.ones(len(a), dtype=dtype)

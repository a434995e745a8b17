"""Kernels on counts and shares."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import additive_chi2_kernel

from mercer._core.gram import KernelSpec, Matrix
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.kernels.numeric.gamma import GAMMA, Gamma, GammaKernel
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.kernels.registry import register
from mercer.parameters import Parameters
from mercer.table import Columns, Selector, Table, numeric


def _refuse_negative(kernel: GammaKernel, x: Matrix) -> None:
    cells = x.data if is_sparse(x) else x
    if (cells < 0).any():
        row, place = np.argwhere(_dense(x) < 0)[0]
        where = f"column {kernel.schema_.names[place]!r}, row {row + 1} is {_dense(x)[row, place]:g}"
        who = type(kernel).__name__
        raise BadTable(f"{who} compares counts, of at least 0, but {where}. Use RBF or Laplacian.")


@register
@shares_docs()
class ChiSquared(GammaKernel):
    """k(a, b) = exp(-gamma sum_k (a_k - b_k)^2 / (a_k + b_k)), on numbers of at least 0; 0/0 counts as 0

    For histograms and shares, where a step from 1 to 2 says more than one from 101 to 102.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float, default 1.0
        Above 0; "scale" is 1 / (n_columns * variance of all training cells), "auto" is 1 / n_columns.
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import ChiSquared
    >>> ChiSquared(gamma=1.0).fit([[1.0, 0.0]]).gram([[1.0, 0.0]], [[3.0, 0.0]]).round(4)
    array([[0.3679]])
    """

    parameters: ClassVar[Parameters] = {"gamma": GAMMA, "on": Columns()}

    def __init__(self, gamma: Gamma = 1.0, *, on: Selector = numeric()) -> None:
        self.gamma = gamma
        self.on = on

    def compare_self(self, x: Matrix) -> Array:
        return np.ones(x.shape[0])

    def _refuse_cells(self, x: Matrix) -> None:
        super()._refuse_cells(x)
        _refuse_negative(self, x)

    def compare(self, x: Matrix, y: Matrix) -> Array:
        found: Array = additive_chi2_kernel(_dense(x), _dense(y))  # minus the sum
        found *= self.gamma_
        return np.exp(found, out=found)


@register
@shares_docs()
class Hellinger(GammaKernel):
    """k(a, b) = exp(-gamma sum_k (sqrt(a_k) - sqrt(b_k))^2), on numbers of at least 0

    The Gaussian on counts: the square root of a Poisson count has about the same variance whatever its mean, so a step
    from 1 to 4 counts as one from 100 to 121. On shares the sum is twice the squared Hellinger distance.

    Parameters
    ----------
    {kernel_gamma}
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Hellinger
    >>> Hellinger(gamma=1.0).fit([[1.0]]).gram([[1.0], [100.0]], [[4.0], [121.0]]).round(4)
    array([[0.3679, 0.    ],
           [0.    , 0.3679]])
    """

    parameters: ClassVar[Parameters] = {"gamma": GAMMA, "on": Columns()}

    def __init__(self, gamma: Gamma = "scale", *, on: Selector = numeric()) -> None:
        self.gamma = gamma
        self.on = on

    def compare_self(self, x: Matrix) -> Array:
        return np.ones(x.shape[0])

    def _refuse_cells(self, x: Matrix) -> None:
        super()._refuse_cells(x)
        _refuse_negative(self, x)

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("rbf", self.gamma_)

    def _learn(self, x: Matrix, weight: Array) -> None:
        super()._learn(np.sqrt(x), weight)

    def rows(self, table: Table, dtype: np.dtype[Any]) -> Matrix:
        return np.sqrt(self._finite(table, dtype))


def _dense(x: Matrix) -> Array:
    return np.asarray(x.toarray() if is_sparse(x) else x)

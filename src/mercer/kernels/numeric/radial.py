"""Kernels of a distance: RBF, Laplacian, RationalQuadratic."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from mercer._core.gram import KernelSpec, Matrix, gram
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.kernels.numeric.base import WIDTH, NumericKernel
from mercer.kernels.numeric.gamma import GAMMA, Gamma, GammaKernel, find_gamma
from mercer.kernels.numeric.pairwise import is_sparse, squared_distances
from mercer.kernels.registry import register
from mercer.parameters import Number, Parameters
from mercer.state import Reader, State
from mercer.table import Columns, Selector, Table, numeric


class RadialKernel(NumericKernel):
    """k(a, b) = f(|a - b|^2) with f(0) = 1; subclasses write f as `of_squares`.

    Examples
    --------
    >>> from mercer.kernels import RadialKernel
    >>> from mercer.table import numeric
    >>> class Cauchy(RadialKernel):  # k(a, b) = 1 / (1 + |a - b|^2)
    ...     def __init__(self, *, on=numeric()):
    ...         self.on = on
    ...     def of_squares(self, squared):
    ...         return 1 / (1 + squared)
    >>> Cauchy().fit([[0.0]]).gram([[0.0]], [[0.0], [2.0]])
    array([[1. , 0.2]])
    """

    centre_: Array  # subtracted before products are taken (see squared_distances)

    @property
    def local(self) -> bool:
        return True

    @abstractmethod
    def of_squares(self, squared: Array) -> Array:
        """k from squared distances.

        Parameters
        ----------
        squared : ndarray of shape (n_x, n_y)
            Squared distances, which may be overwritten.

        Returns
        -------
        gram : ndarray of shape (n_x, n_y)
            The Gram matrix.
        """

    def _learn(self, x: Matrix, weight: Array) -> None:
        """The mean of each column, but 0 where most cells are 0 and the mean is a standard deviation away at most:
        products skip zeros."""
        self.centre_ = np.zeros(x.shape[1])
        if not is_sparse(x):
            filled = 2 * np.count_nonzero(x, axis=0) > len(x)
            self.centre_[filled] = weight @ x[:, filled] / weight.sum()

    def rows(self, table: Table, dtype: np.dtype[Any]) -> Matrix:
        x = self._finite(table)
        if not self.centre_.any():
            return x.astype(dtype, copy=False)
        if is_sparse(x):
            return (x - self.centre_).astype(dtype, copy=False)
        centred = np.empty(x.shape, dtype)  # differences in double precision, without an array of them
        return np.subtract(x, self.centre_, out=centred, dtype=np.float64, casting="same_kind")

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        self._finite(a)
        return np.ones(len(a), dtype)

    def compare(self, x: Matrix, y: Matrix) -> Array:
        return self.of_squares(squared_distances(x, y))

    def compare_self(self, x: Matrix) -> Array:
        return np.ones(x.shape[0])

    def _learned(self) -> State:
        return super()._learned() | {"centre": self.centre_}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.centre_ = state.array("centre", "float64", (len(self.schema_),))


@register
@shares_docs()
class RBF(RadialKernel):
    """k(a, b) = exp(-gamma |a - b|^2), with gamma = 1 / (2 sigma^2)

    The usual first choice on numbers: near rows are alike, far rows are not. Columns should have like scales.

    Parameters
    ----------
    {kernel_gamma}
    sigma : float or None, default None
        The width in place of gamma, above 0.
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {centre_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RBF
    >>> RBF(gamma=0.5).fit([[0.0], [2.0]]).gram([[0.0]], [[0.0], [2.0]]).round(4)
    array([[1.    , 0.1353]])
    """

    parameters: ClassVar[Parameters] = {
        "gamma": GAMMA,
        "sigma": replace(WIDTH, optional=True),
        "on": Columns(),
    }
    gamma_: float

    def __init__(self, gamma: Gamma = "scale", *, sigma: float | None = None, on: Selector = numeric()) -> None:
        self.gamma = gamma
        self.sigma = sigma
        self.on = on

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("rbf", self.gamma_)

    def compare(self, x: Matrix, y: Matrix) -> Array:
        return gram(x, None if y is x else y, self.spec)

    def of_squares(self, squared: Array) -> Array:
        squared *= -self.gamma_
        return np.exp(squared, out=squared)

    def _learn(self, x: Matrix, weight: Array) -> None:
        super()._learn(x, weight)
        if self.sigma is None:
            self.gamma_ = find_gamma(self.gamma, x, weight)
        elif isinstance(self.gamma, str):
            self.gamma_ = 1 / (2 * self.sigma**2)
        else:
            raise MercerError(f"RBF: gamma={self.gamma} and sigma={self.sigma} both give the width. Give one of them.")

    def _learned(self) -> State:
        return super()._learned() | {"gamma": float(self.gamma_)}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.gamma_ = state.number("gamma", np.nextafter(0, 1))


@register
@shares_docs()
class RationalQuadratic(RadialKernel):
    """k(a, b) = (1 + |a - b|^2 / (2 alpha length_scale^2))^-alpha

    RBF kernels of many widths at once; the smaller alpha, the wider the mixture. alpha to infinity is the
    RBF.

    Parameters
    ----------
    alpha : float, default 1.0
        Above 0; the smaller, the wider the mixture of widths.
    length_scale : float, default 1.0
        Above 0; distances are divided by it.
    {on_numeric}

    Attributes
    ----------
    {centre_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RationalQuadratic
    >>> RationalQuadratic().fit([[0.0]]).gram([[0.0]], [[0.0], [2.0]]).round(4)
    array([[1.    , 0.3333]])
    """

    parameters: ClassVar[Parameters] = {
        "alpha": Number(0, above=True),
        "length_scale": WIDTH,
        "on": Columns(),
    }

    def __init__(self, alpha: float = 1.0, length_scale: float = 1.0, *, on: Selector = numeric()) -> None:
        self.alpha = alpha
        self.length_scale = length_scale
        self.on = on

    def of_squares(self, squared: Array) -> Array:
        squared /= 2 * self.alpha * self.length_scale**2
        squared += 1
        return np.power(squared, -self.alpha, out=squared)


@register
@shares_docs()
class Laplacian(GammaKernel):
    """k(a, b) = exp(-gamma sum_k |a_k - b_k|)

    Less smooth than the RBF, and less sensitive to a large difference in one column.

    Parameters
    ----------
    gamma : {"scale", "auto"} or float, default "auto"
        Above 0; "auto" is 1 / n_columns, "scale" is 1 / (n_columns * variance of all training cells).
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Laplacian
    >>> Laplacian(gamma=0.5).fit([[0.0, 0.0]]).gram([[0.0, 0.0]], [[1.0, 3.0]]).round(4)
    array([[0.1353]])
    """

    parameters: ClassVar[Parameters] = {"gamma": GAMMA, "on": Columns()}

    def __init__(self, gamma: Gamma = "auto", *, on: Selector = numeric()) -> None:
        self.gamma = gamma
        self.on = on

    @property
    def local(self) -> bool:
        return True

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("laplacian", self.gamma_)

    def compare_self(self, x: Matrix) -> Array:
        return np.ones(x.shape[0])

"""Kernels of the dot product: Linear, Polynomial, Sigmoid, Cosine."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mercer._core.gram import KernelSpec, Matrix
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.gamma import GAMMA, Gamma, GammaKernel
from mercer.kernels.numeric.pairwise import dots, squares
from mercer.kernels.registry import register
from mercer.parameters import Number, Parameters
from mercer.state import LARGEST
from mercer.table import Columns, Selector, numeric

_HIGHEST = 100  # degree; at 2 instead of 1 the value is 1e30 already


@register
@shares_docs()
class Linear(NumericKernel):
    """k(a, b) = a . b

    For classes separated by a hyperplane, and for models that show what each column adds.

    Parameters
    ----------
    {on_numeric}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> Linear().fit([[1.0, 2.0]]).gram([[1.0, 2.0]], [[3.0, 4.0], [0.0, 1.0]])
    array([[11.,  2.]])
    """

    def __init__(self, *, on: Selector = numeric()) -> None:
        self.on = on

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("linear")

    def compare(self, x: Matrix, y: Matrix) -> Array:
        return dots(x, y)  # BLAS: nothing follows the product

    def compare_self(self, x: Matrix) -> Array:
        return squares(x)


@register
@shares_docs()
class Polynomial(GammaKernel):
    """k(a, b) = (gamma a . b + coef0)^degree

    Products of up to `degree` columns at once. Positive semi-definite for coef0 >= 0.

    Parameters
    ----------
    {kernel_gamma}
    coef0 : float, default 0.0
        Weight of the lower degrees; 0 leaves the products of exactly `degree` columns.
    degree : int, default 3
        From 0 to 100.
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Polynomial
    >>> Polynomial(gamma=1.0, coef0=1.0, degree=2).fit([[1.0, 2.0]]).gram([[1.0, 2.0]])
    array([[36.]])
    """

    parameters: ClassVar[Parameters] = {
        "gamma": GAMMA,
        "coef0": Number(-LARGEST, LARGEST),
        "degree": Number(0, _HIGHEST, whole=True),
        "on": Columns(),
    }

    def __init__(
        self, gamma: Gamma = "scale", coef0: float = 0.0, degree: int = 3, *, on: Selector = numeric()
    ) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.on = on

    @property
    def positive(self) -> bool:
        return self.coef0 >= 0

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("polynomial", self.gamma_, self.coef0, self.degree)

    def compare_self(self, x: Matrix) -> Array:
        return np.asarray((self.gamma_ * squares(x) + self.coef0) ** self.degree)


@register
@shares_docs()
class Sigmoid(GammaKernel):
    """k(a, b) = tanh(gamma a . b + coef0)

    The unit of a neural network as a similarity. Not positive semi-definite in general: `check` measures it.

    Parameters
    ----------
    {kernel_gamma}
    coef0 : float, default 0.0
        Shift inside the tanh.
    {on_numeric}

    Attributes
    ----------
    {gamma_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Sigmoid
    >>> Sigmoid(gamma=0.5).fit([[1.0]]).gram([[1.0]], [[0.0], [2.0]]).round(4)
    array([[0.    , 0.7616]])
    """

    parameters: ClassVar[Parameters] = {"gamma": GAMMA, "coef0": Number(), "on": Columns()}

    def __init__(self, gamma: Gamma = "scale", coef0: float = 0.0, *, on: Selector = numeric()) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self.on = on

    @property
    def positive(self) -> bool:
        return False

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec("sigmoid", self.gamma_, self.coef0)

    def compare_self(self, x: Matrix) -> Array:
        return np.asarray(np.tanh(self.gamma_ * squares(x) + self.coef0))


@register
@shares_docs()
class Cosine(NumericKernel):
    """k(a, b) = a . b / (|a| |b|), and 0 when a or b is the zero row

    Direction without length: counts of words, spectra.

    Parameters
    ----------
    {on_numeric}

    Attributes
    ----------
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Cosine
    >>> Cosine().fit([[1.0, 0.0]]).gram([[3.0, 4.0]], [[1.0, 0.0], [6.0, 8.0]])
    array([[0.6, 1. ]])
    """

    def __init__(self, *, on: Selector = numeric()) -> None:
        self.on = on

    def compare(self, x: Matrix, y: Matrix) -> Array:
        found = dots(x, y)
        found *= _inverse_lengths(x)[:, None]
        found *= _inverse_lengths(y)[None, :]
        return found

    def compare_self(self, x: Matrix) -> Array:
        return (squares(x) > 0).astype(x.dtype)


def _inverse_lengths(x: Matrix) -> Array:
    lengths = np.sqrt(squares(x))
    return np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)

"""Sums, products and positive functions of kernels: each keeps Mercer's condition when its parts have it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.kernels.composite import Composite
from mercer.kernels.registry import register
from mercer.parameters import Number, Numbers, Parameters
from mercer.table import Table

_SUMS = ("Sum", "PolynomialOf")


class _Pair(Composite):
    """Two kernels, entry by entry; subclasses write `_of`."""

    part_names = ("k1", "k2")
    parameters: ClassVar[Parameters] = {"k1": KERNEL_OBJECT, "k2": KERNEL_OBJECT}
    k1_: Kernel
    k2_: Kernel

    def __init__(self, k1: Kernel, k2: Kernel) -> None:
        self.k1 = k1
        self.k2 = k2

    @abstractmethod
    def _of(self, first: Array, second: Array) -> Array:
        """The entries from those of the parts; `first` may be overwritten."""

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        return self._of(self.k1_._gram(a, b, dtype), self.k2_._gram(a, b, dtype))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self._of(self.k1_._diag(a, dtype), self.k2_._diag(a, dtype))


class _Map(Composite):
    """A function of one kernel, entry by entry; subclasses write `_of`."""

    @abstractmethod
    def _of(self, inner: Array) -> Array:
        """The entries from those of the kernel, which may be overwritten."""

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        return self._of(self.kernel_._gram(a, b, dtype))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return self._of(self.kernel_._diag(a, dtype))


@register
@shares_docs()
class Sum(_Pair):
    """k(a, b) = k1(a, b) + k2(a, b), written k1 + k2

    Rows are alike when either kernel says so: models become sums of one part per kernel.

    Parameters
    ----------
    {kernel_pair}

    Attributes
    ----------
    {kernel_pair_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> kernel = RBF(gamma=0.5) + 2 * Linear()
    >>> kernel.set_params(k1__gamma=1.0)
    RBF(gamma=1.0) + 2 * Linear()
    >>> kernel.fit([[1.0]]).gram([[1.0]])
    array([[3.]])
    """

    def _of(self, first: Array, second: Array) -> Array:
        first += second
        return first

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{self.k1!r} + {self.k2!r}"


@register
@shares_docs()
class Product(_Pair):
    """k(a, b) = k1(a, b) * k2(a, b), written k1 * k2

    Rows are alike only when both kernels say so: columns act together.

    Parameters
    ----------
    {kernel_pair}

    Attributes
    ----------
    {kernel_pair_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import RBF, Linear
    >>> (RBF(gamma=0.5) * Linear()).fit([[2.0]]).gram([[2.0]])
    array([[4.]])
    """

    @property
    def local(self) -> bool:
        return self.k1.local or self.k2.local

    def _of(self, first: Array, second: Array) -> Array:
        first *= second
        return first

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{self._part_repr('k1', *_SUMS)} * {self._part_repr('k2', *_SUMS)}"


@register
@shares_docs()
class Scale(_Map):
    """k(a, b) = factor * kernel(a, b), written factor * kernel

    Parameters
    ----------
    {kernel_part}
    factor : float, default 1.0
        Above 0.

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> (3 * Linear()).fit([[2.0]]).gram([[2.0]])
    array([[12.]])
    """

    parameters: ClassVar[Parameters] = {"kernel": KERNEL_OBJECT, "factor": Number(0, above=True)}

    def __init__(self, kernel: Kernel, factor: float = 1.0) -> None:
        self.kernel = kernel
        self.factor = factor

    def _of(self, inner: Array) -> Array:
        inner *= self.factor
        return inner

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{self.factor:g} * {self._part_repr('kernel', *_SUMS)}"


@register
@shares_docs()
class Power(_Map):
    """k(a, b) = kernel(a, b)^degree, written kernel ** degree

    Parameters
    ----------
    {kernel_part}
    degree : int, default 2
        At least 1.

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> (Linear() ** 3).fit([[2.0]]).gram([[2.0]])
    array([[64.]])
    """

    parameters: ClassVar[Parameters] = {"kernel": KERNEL_OBJECT, "degree": Number(1, whole=True)}

    def __init__(self, kernel: Kernel, degree: int = 2) -> None:
        self.kernel = kernel
        self.degree = degree

    def _of(self, inner: Array) -> Array:
        return np.power(inner, int(self.degree))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return f"{self._part_repr('kernel', *_SUMS, 'Product', 'Scale', 'Power')} ** {self.degree}"


@register
@shares_docs()
class PolynomialOf(_Map):
    """k(a, b) = sum_i coefficients[i] * kernel(a, b)^i, with coefficients of at least 0; kernel + 1 is (1, 1)

    Parameters
    ----------
    {kernel_part}
    coefficients : sequence of float, default (0.0, 1.0)
        Of degree 0, 1, 2, ...; none negative, one positive.

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Linear, PolynomialOf
    >>> PolynomialOf(Linear(), (1, 2, 1)).fit([[3.0]]).gram([[3.0]])  # (1 + k)^2
    array([[100.]])
    """

    parameters: ClassVar[Parameters] = {"kernel": KERNEL_OBJECT, "coefficients": Numbers(0, any_positive=True)}

    def __init__(self, kernel: Kernel, coefficients: Any = (0.0, 1.0)) -> None:
        self.kernel = kernel
        self.coefficients = coefficients

    def _of(self, inner: Array) -> Array:
        """Horner's rule."""
        total = np.full_like(inner, float(self.coefficients[-1]))
        for coefficient in reversed(list(self.coefficients)[:-1]):
            total *= inner
            total += float(coefficient)
        return total


@register
@shares_docs()
class Exp(_Map):
    """k(a, b) = exp(kernel(a, b))

    All degrees at once: a power series with positive coefficients. exp(-g) Exp(g Overlap()) is the RBF of
    categories.

    Parameters
    ----------
    {kernel_part}

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Exp, Linear
    >>> Exp(Linear()).fit([[1.0]]).gram([[1.0]]).round(4)
    array([[2.7183]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _of(self, inner: Array) -> Array:
        limit = float(np.log(np.finfo(inner.dtype).max))
        if inner.size and inner.max() > limit:
            raise BadTable(f"{self!r} overflows {inner.dtype}: the kernel inside is up to {inner.max():.3g}. Scale it.")
        return np.exp(inner, out=inner)

"""Independent random features u_1, ..., u_n of a kernel: E[u_j(a) u_j(b)] = k(a, b) for every j.

A product of kernels has the products of features of its parts, a sum those of a part chosen at random, a power series
those of a power of random degree (Kar and Karnick 2012), a finite map a random mixture of its features.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from mercer.arrays import Array, Floats
from mercer.errors import BadFile, MercerError
from mercer.kernels.algebra import Exp, PolynomialOf, Power, Product, Scale, Sum
from mercer.kernels.base import Kernel
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.categorical.diffusion import Diffusion
from mercer.kernels.categorical.lin import Lin
from mercer.kernels.encoded import Encoded
from mercer.kernels.feature_space import Normalise
from mercer.kernels.maps.draws import Draws, FeatureMap
from mercer.kernels.maps.exact import encoded, exact_map, normalised, times
from mercer.kernels.maps.fourier import fourier_map
from mercer.kernels.maps.levels import level_products
from mercer.kernels.numeric.dot import Polynomial
from mercer.table import Table

_MOST_DEGREE = 12  # of a power series: beyond it Poisson's law has 1e-9 of its mass at rate 1


@singledispatch
def sampled_map(kernel: Kernel, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    """n independent features of a fitted kernel; MercerError where none are known."""
    found = fourier_map(kernel, n, draws, orthogonal)
    return _mixed(kernel, n, draws) if found is None else found


@sampled_map.register
def _(kernel: Diffusion, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    logs, first = kernel._tables.match, kernel._tables.offsets[:-1]
    return level_products(kernel, n, draws, logs, float(np.exp(-logs[first].sum() / 2)))


@sampled_map.register
def _(kernel: Encoded, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    return encoded(kernel, sampled_map(kernel.kernel_, n, draws, orthogonal))


@sampled_map.register
def _(kernel: Scale, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    return times(sampled_map(kernel.kernel_, n, draws, orthogonal), kernel.factor**0.5)


@sampled_map.register
def _(kernel: Normalise, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    return normalised(kernel, sampled_map(kernel.kernel_, n, draws, orthogonal))


@sampled_map.register
def _(kernel: Product, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    return _product([sampled_map(part, n, draws, orthogonal) for part in (kernel.k1_, kernel.k2_)])


@sampled_map.register
def _(kernel: Sum, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    first, second = (sampled_map(part, n, draws, orthogonal) for part in (kernel.k1_, kernel.k2_))
    chosen = draws.take((n,), lambda rng: rng.random(n) < 0.5) > 0

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        found = np.where(chosen, first(table, dtype), second(table, dtype)) * np.sqrt(2)
        return np.asarray(found.astype(dtype, copy=False))

    return apply


@sampled_map.register
def _(kernel: Power, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    return _product([sampled_map(kernel.kernel_, n, draws, orthogonal) for _ in range(int(kernel.degree))])


@sampled_map.register
def _(kernel: PolynomialOf, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    weight = np.asarray(kernel.coefficients, dtype=np.float64)
    return _series(kernel.kernel_, weight, weight / weight.sum(), n, draws, orthogonal)


@sampled_map.register
def _(kernel: Polynomial, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    if kernel.coef0 < 0:
        return _mixed(kernel, n, draws)
    d, root, constant = len(kernel.schema_), kernel.gamma_**0.5, kernel.coef0**0.5
    signs = [draws.take((d + 1, n), lambda rng: rng.choice([-1.0, 1.0], (d + 1, n))) for _ in range(kernel.degree)]

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        x, found = kernel.rows(table, np.dtype(np.float64)), np.ones((len(table), n))
        for s in signs:
            found *= root * (x @ s[:-1]) + constant * s[-1]
        return np.asarray(found.astype(dtype, copy=False))

    return apply


@sampled_map.register
def _(kernel: Exp, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    inner, factor = kernel.kernel_, 1.0
    while isinstance(inner, Scale):
        inner, factor = inner.kernel_, factor * inner.factor
    if isinstance(inner, CategoricalKernel) and inner.mismatch == "zero" and not isinstance(inner, Diffusion | Lin):
        return level_products(inner, n, draws, inner._tables.match * (factor / len(inner.schema_)), 1.0)
    weight = 1 / np.cumprod(np.maximum(np.arange(_MOST_DEGREE + 1.0), 1))
    return _series(kernel.kernel_, weight, weight / weight.sum(), n, draws, orthogonal)


def _series(kernel: Kernel, weight: Floats, chance: Floats, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    """Features of sum_i weight_i k^i: of a power of random degree each."""
    degrees = draws.take((n,), lambda rng: rng.choice(len(weight), n, p=chance)).astype(np.int64)
    most = int(degrees.max(initial=0))
    if degrees.min(initial=0) < 0 or most >= len(weight) or (chance[degrees] == 0).any():
        raise BadFile("A degree of a feature map is none of its power series.")
    size = np.sqrt(weight[degrees] / chance[degrees])
    parts = [sampled_map(kernel, n, draws, orthogonal) for _ in range(most)]

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        found = np.tile(size, (len(table), 1))
        for power, part in enumerate(parts, start=1):
            found *= np.where(degrees >= power, part(table, dtype), 1.0)
        return np.asarray(found.astype(dtype, copy=False))

    return apply


def _mixed(kernel: Kernel, n: int, draws: Draws) -> FeatureMap:
    """Random sums of the features of a finite map: u = s.z with signs s."""
    inner = exact_map(kernel)
    if inner is None:
        raise MercerError(
            f"{kernel!r} has no random features here. RBF, Laplacian, Matern, RationalQuadratic, Linear, Polynomial, "
            "measures of categories but Lin, and sums, products and power series of them do; Nystroem takes any kernel."
        )
    signs = draws.take((inner.width, n), lambda rng: rng.choice([-1.0, 1.0], (inner.width, n)))
    return lambda table, dtype: np.asarray(inner.features(table, dtype) @ signs.astype(dtype))


def _product(parts: list[FeatureMap]) -> FeatureMap:
    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        found = parts[0](table, dtype)
        for part in parts[1:]:
            found = found * part(table, dtype)
        return found

    return apply

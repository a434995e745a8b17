"""Random Fourier features of stationary kernels: u(x) = sqrt(2) cos(w.x + b), E[u(a) u(b)] = k(a, b).

w is drawn from the Fourier transform of the kernel, b uniformly from [0, 2 pi] (Rahimi and Recht 2007): a normal w for
the RBF, Cauchy ones for the Laplacian, a multivariate t for Matern, a normal of random width for the rational
quadratic. Orthogonal w (Yu et al. 2016) have the same distribution one by one and miss less together.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from mercer.arrays import Array, Floats
from mercer.kernels.base import Kernel
from mercer.kernels.maps.draws import Draws, FeatureMap
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.matern import Matern
from mercer.kernels.numeric.radial import RBF, Laplacian, RationalQuadratic
from mercer.table import Table


@singledispatch
def frequencies(kernel: Kernel, n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats | None:
    """w, (d, n), drawn for a fitted kernel on d numbers; None when the kernel is none of these."""
    return None


@frequencies.register
def _(kernel: RBF, n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats | None:
    return _normals(n, d, rng, orthogonal) * float(np.sqrt(2 * kernel.gamma_))


@frequencies.register
def _(kernel: Laplacian, n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats | None:
    return rng.standard_cauchy((d, n)) * kernel.gamma_  # no rotation leaves these as they are: never orthogonal


@frequencies.register
def _(kernel: Matern, n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats | None:
    width = 1.0 if np.isinf(kernel.nu) else np.sqrt(2 * kernel.nu / rng.chisquare(2 * kernel.nu, n))
    return _normals(n, d, rng, orthogonal) * width / kernel.length_scale


@frequencies.register
def _(kernel: RationalQuadratic, n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats | None:
    width = np.sqrt(rng.gamma(kernel.alpha, 1 / kernel.alpha, n))
    return _normals(n, d, rng, orthogonal) * width / kernel.length_scale


def _normals(n: int, d: int, rng: np.random.Generator, orthogonal: bool) -> Floats:
    """Standard normals, (d, n); `orthogonal` in groups of d, each of the length of a normal vector."""
    if not orthogonal:
        return rng.standard_normal((d, n))
    groups = [np.linalg.qr(rng.standard_normal((d, d)))[0] for _ in range(-(-n // d))]
    return np.asarray(np.hstack(groups)[:, :n] * np.sqrt(rng.chisquare(d, n)))


def fourier_map(kernel: Kernel, n: int, draws: Draws, orthogonal: bool) -> FeatureMap | None:
    """The features of a fitted kernel; None when it is not known to be stationary."""
    if not isinstance(kernel, NumericKernel) or frequencies.dispatch(type(kernel)) is frequencies.dispatch(Kernel):
        return None
    d = len(kernel.schema_)
    weight = draws.take((d, n), lambda rng: frequencies(kernel, n, d, rng, orthogonal))
    offset = draws.take((n,), lambda rng: rng.uniform(0, 2 * np.pi, n))

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        found = np.asarray(kernel.rows(table, dtype) @ weight.astype(dtype))
        found += offset.astype(dtype)
        np.cos(found, out=found)
        found *= dtype.type(np.sqrt(2))
        return found

    return apply

"""The feature map of any kernel expression: exact where it is finite, sampled otherwise."""

from __future__ import annotations

from mercer.kernels.algebra import Scale, Sum
from mercer.kernels.base import Kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.maps.draws import Draws, FeatureMap
from mercer.kernels.maps.exact import encoded, exact_map, side_by_side, times
from mercer.kernels.maps.sampled import sampled_map


def feature_map(kernel: Kernel, n: int, draws: Draws, orthogonal: bool) -> FeatureMap:
    """z with E[z(a).z(b)] = k(a, b) for a fitted kernel: n sampled features beside those of finite maps.

    A sum has the features of its parts side by side, so that a part with a finite map is exact; two sampled parts share
    n.
    """
    exact = exact_map(kernel)
    if exact is not None:
        return exact.features
    if isinstance(kernel, Encoded):
        return encoded(kernel, feature_map(kernel.kernel_, n, draws, orthogonal))
    if isinstance(kernel, Scale):
        return times(feature_map(kernel.kernel_, n, draws, orthogonal), kernel.factor**0.5)
    if isinstance(kernel, Sum):
        finite = is_exact(kernel.k1_) or is_exact(kernel.k2_)
        half = n if finite else max(n // 2, 1)
        first = feature_map(kernel.k1_, n if finite else n - n // 2, draws, orthogonal)
        return side_by_side(first, feature_map(kernel.k2_, half, draws, orthogonal))
    return times(sampled_map(kernel, n, draws, orthogonal), n**-0.5)


def is_exact(kernel: Kernel) -> bool:
    """Whether the features of a fitted kernel are a finite map, which nothing is drawn for."""
    return exact_map(kernel) is not None

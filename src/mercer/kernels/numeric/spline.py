"""The kernel of linear splines."""

from __future__ import annotations

import numpy as np

from mercer._core.gram import Matrix
from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.kernels.registry import register
from mercer.table import Selector, numeric


@register
@shares_docs()
class Spline(NumericKernel):
    """k(a, b) = prod_k (1 + a_k b_k + a_k b_k m_k - (a_k + b_k)/2 m_k^2 + m_k^3/3), with m_k = max(min(a_k, b_k), 0)

    = prod_k (1 + a_k b_k + integral over t > 0 of (a_k - t)_+ (b_k - t)_+): linear splines with a knot at every
    positive number. Cubic smoothing between training rows, straight below 0. For numbers between 0 and 1:
    `Encoded(Spline(), scaling="minmax")` brings them there.

    Parameters
    ----------
    {on_numeric}

    Attributes
    ----------
    {compared_schema_}

    References
    ----------
    Vapnik (1995), The nature of statistical learning theory; Gunn (1998), Support vector machines for classification
    and regression.

    Examples
    --------
    >>> from mercer.kernels import Spline
    >>> Spline().fit([[0.5]]).gram([[0.5]], [[0.0], [0.5], [1.0]]).round(4)
    array([[1.    , 1.2917, 1.6042]])
    """

    def __init__(self, *, on: Selector = numeric()) -> None:
        self.on = on

    def compare(self, x: Matrix, y: Matrix) -> Array:
        left, right = (z.toarray() if is_sparse(z) else z for z in (x, y))
        found = np.ones((left.shape[0], right.shape[0]), dtype=left.dtype)
        for a, b in zip(left.T, right.T, strict=True):
            found *= _spline(a[:, None], b[None, :])
        return found

    def compare_self(self, x: Matrix) -> Array:
        cells = x.toarray() if is_sparse(x) else x
        return np.asarray(_spline(cells, cells).prod(axis=1))


def _spline(a: Array, b: Array) -> Array:
    product, least = a * b, np.maximum(np.minimum(a, b), 0)
    return np.asarray(1 + product + least * (product - (a + b) / 2 * least + least**2 / 3))

"""Kernels brought to a common scale: Normalise (length 1) and Centre (mean 0) in feature space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.arrays import Array
from mercer.docstrings import shares_docs
from mercer.errors import BadTable
from mercer.kernels.base import Kernel
from mercer.kernels.composite import Composite
from mercer.kernels.registry import register
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state


@register
@shares_docs()
class Normalise(Composite):
    """k(a, b) = kernel(a, b) / sqrt(kernel(a, a) kernel(b, b)), 0 where a row has similarity 0 with itself

    Every row has similarity 1 with itself, so that kernels of different size can be added on equal terms.

    Parameters
    ----------
    {kernel_part}

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}

    Examples
    --------
    >>> from mercer.kernels import Linear, Normalise
    >>> Normalise(Linear()).fit([[3.0, 4.0]]).gram([[3.0, 4.0]], [[1.0, 0.0]])
    array([[0.6]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = self.kernel_._gram(a, b, dtype)
        left = self._inverse_lengths(a, dtype)
        found *= left[:, None]
        found *= (left if b is a else self._inverse_lengths(b, dtype))[None, :]
        return found

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return (self._inverse_lengths(a, dtype) > 0).astype(dtype)

    def _inverse_lengths(self, a: Table, dtype: np.dtype[Any]) -> Array:
        own = self.kernel_._diag(a, dtype)
        if (own < 0).any():
            row = int((own < 0).argmax())
            raise BadTable(
                f"{self!r}: row {row + 1} has similarity {own[row]:.3g} with itself, so it has no length. "
                "Normalise takes kernels that are never negative there."
            )
        return np.divide(1, np.sqrt(own), out=np.zeros_like(own), where=own > 0)


@register
@shares_docs()
class Centre(Composite):
    """k(a, b) = <f(a) - m, f(b) - m>, with f the feature map of the kernel and m its mean over the training rows

    = kernel(a, b) - mean_t kernel(a, t) - mean_t kernel(b, t) + mean_st kernel(s, t). Keeps the
    training rows, and compares every new row with all of them.

    Parameters
    ----------
    {kernel_part}

    Attributes
    ----------
    {kernel_part_}
    {compared_schema_}
    rows_ : Table
        The training rows.
    share_ : ndarray of shape (n_rows,)
        Weight of each training row, 1 in all.
    mean_ : float
        Mean of the kernel over pairs of training rows.

    Examples
    --------
    >>> from mercer.kernels import Centre, Linear
    >>> rows = [[1.0], [3.0]]
    >>> Centre(Linear()).fit(rows).gram(rows)
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        super()._fit_target(tables, weight, y)
        rows = tables[0].select(self.schema_.names)
        own = weight[: len(rows)]
        self.rows_, self.share_ = rows.take(own > 0), own[own > 0] / own.sum()
        self.mean_ = float(self._means(self.rows_, np.dtype(np.float64)) @ self.share_)

    def _means(self, a: Table, dtype: np.dtype[Any]) -> Array:
        """mean_t kernel(a_i, t), (n_a,)."""
        return np.asarray(self.kernel_.product(a, self.rows_, self.share_[:, None], dtype=dtype)[:, 0], dtype=dtype)

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        found = self.kernel_._gram(a, b, dtype)
        left = self._means(a, dtype)
        found -= left[:, None]
        found -= (left if b is a else self._means(b, dtype))[None, :]
        found += self.mean_
        return found

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        found = self.kernel_._diag(a, dtype)
        found -= 2 * self._means(a, dtype)
        found += self.mean_
        return found

    def _learned(self) -> State:
        return super()._learned() | {"rows": table_state(self.rows_), "share": self.share_, "mean": self.mean_}

    def _restore(self, state: Reader) -> None:
        super()._restore(state)
        self.rows_ = self._conform(table_from_state(state.child("rows")))
        self.share_ = state.array("share", "float64", (len(self.rows_),), low=0.0, high=1.0)
        self.mean_ = state.number("mean")

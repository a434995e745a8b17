"""Kernels fitted in chunks: frequencies of levels, means and widths are those of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.arrays import Floats
from mercer.encode.blocks import NumberBlock
from mercer.encode.blocks.scaling import minmax_scale, standard_scale
from mercer.encode.numeric import NumericEncoding
from mercer.errors import MercerError
from mercer.kernels import Encoded, Kernel
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.categorical.levels import LevelKernel
from mercer.kernels.composite import Composite, join_schemas
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.gamma import GammaKernel
from mercer.kernels.numeric.radial import RBF, RadialKernel
from mercer.parameters import check_parameters
from mercer.scale.learners.encoding import NumberMoments
from mercer.scale.rows import Part, Rows, Sums
from mercer.table import Schema, Table, resolve

_LEARNED = (NumericKernel._learn, GammaKernel._learn, RadialKernel._learn, RBF._learn)  # by means and variances alone


@dataclass(frozen=True)
class View:
    """The rows as a kernel inside other kernels sees them, encoded by those; `sample` is some of them."""

    sample: Table
    encoders: tuple[Encoded, ...] = ()

    def __call__(self, table: Table) -> Table:
        """Other rows."""
        for encoder in self.encoders:
            table = encoder.encode(table)
        return table

    def inside(self, encoder: Encoded) -> View:
        """What the kernel of the encoder sees."""
        return View(encoder.encode(self.sample), (*self.encoders, encoder))


@dataclass(frozen=True)
class CountLevels:
    """Rows of each level of each column that a kernel compares, one column after the other."""

    view: View
    kernel: CategoricalKernel

    def __call__(self, part: Part) -> Sums:
        places, sizes = self.kernel._places(self.view(part.table)), self.kernel._sizes()
        return Sums(tuple(np.bincount(c, minlength=n) for c, n in zip(places.T, sizes, strict=True)))


@dataclass(frozen=True)
class NumberStatistics:
    """Moments of columns, and how many of their cells are not 0."""

    moments: NumberMoments
    filled: Floats

    def merge(self, other: NumberStatistics) -> NumberStatistics:
        """Of both samples together."""
        return NumberStatistics(self.moments.merge(other.moments), self.filled + other.filled)


@dataclass(frozen=True)
class CountNumbers:
    """The statistics of numeric columns."""

    view: View
    names: Sequence[str]

    def __call__(self, part: Part) -> NumberStatistics:
        x = self.view(part.table).numbers(self.names).astype(np.float64, copy=False)
        return NumberStatistics(NumberMoments.of(x), np.count_nonzero(x, axis=0).astype(np.float64))


def fit_kernel(kernel: Kernel, rows: Rows, view: View) -> Kernel:
    """The kernel that `fit` to all rows makes, a new object; MercerError where chunks do not tell what it learns."""
    made = clone(kernel)
    check_parameters(made)
    if isinstance(made, Encoded):
        return _fit_encoded(made, rows, view)
    if isinstance(made, Composite) and type(made)._fit_target is Composite._fit_target:
        for name in made.part_names:
            setattr(made, f"{name}_", fit_kernel(getattr(made, name), rows, view))
        made.schema_ = join_schemas(made.fitted_parts)
        return made
    known = isinstance(made, CategoricalKernel | LevelKernel)
    if not known and not (isinstance(made, NumericKernel) and type(made)._learn in _LEARNED):
        raise MercerError(
            f"{type(made).__name__} learns from all rows at once. In chunks, take kernels of numbers and of levels, "
            "their sums and products, and leave columns of text out."
        )
    made._fit([view.sample], np.ones(len(view.sample)))  # which columns; what is learned from the rows is set below
    if isinstance(made, CategoricalKernel):
        made._learn([counts.astype(np.float64) for counts in rows.merge(CountLevels(view, made)).values])
    elif isinstance(made, NumericKernel):
        _set_widths(made, rows.merge(CountNumbers(view, made.schema_.names)))
    return made


def _set_widths(kernel: Any, found: NumberStatistics) -> None:
    """gamma and the centre of a numeric kernel."""
    n, mean = found.moments.known[:1].sum(), found.moments.mean
    if isinstance(kernel, RadialKernel):
        kernel.centre_ = np.where(2 * found.filled > n, mean, 0.0)
    if getattr(kernel, "gamma", None) == "scale" and getattr(kernel, "sigma", None) is None:
        variance = float((found.moments.scatter / n + (mean - mean.mean()) ** 2).mean())
        kernel.gamma_ = 1 / (len(mean) * variance) if variance > 0 else 1.0


def _fit_encoded(kernel: Encoded, rows: Rows, view: View) -> Encoded:
    if kernel.scaling == "robust" or kernel.missing == "median":
        raise MercerError(
            "scaling='robust' and missing='median' need quartiles of every column. To fit in chunks, give "
            "kernel='rbf', or Encoded(kernel, scaling='standard', missing='mean')."
        )
    schema = view.sample.schema
    if kernel.on is not None:
        schema = schema.select(list(resolve(kernel.on, schema)))
    names = schema.numeric_names
    found = rows.merge(CountNumbers(view, names)).moments
    if kernel.scaling == "minmax":
        fill, shift, factor = minmax_scale(found.mean, np.nan_to_num(found.low), np.nan_to_num(found.high))
    else:
        fill, shift, factor = standard_scale(found.mean, found.deviation(), found.largest(), names)
    numbers = NumberBlock(names, fill, np.zeros(len(names), bool), shift, factor)
    numbers = replace(numbers, shift=None, factor=None) if kernel.scaling == "none" else numbers
    kernel.encoding_ = NumericEncoding.of_numbers(Schema(schema.columns, named=schema.named), numbers)
    kernel.schema_ = kernel.encoding_.schema
    kernel.kernel_ = fit_kernel(kernel.kernel, rows, view.inside(kernel))
    return kernel

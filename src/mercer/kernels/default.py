"""The kernel for a mixed table when none is named."""

from __future__ import annotations

from mercer.errors import BadTable
from mercer.kernels.algebra import Exp, Scale
from mercer.kernels.base import Kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.normal import Normalise
from mercer.kernels.overlap import Overlap
from mercer.kernels.radial import RBF
from mercer.table import Kind, Schema


def default_kernel(schema: Schema) -> Kernel:
    """RBF on standardised numbers times an RBF of categories, exp(overlap - 1); 1 between equal rows.

    Both blocks count alike, however many columns each has: gamma is 1 / columns for numbers, and Overlap is a
    share of columns. Missing numbers become the mean, missing levels a level of their own. Text is not
    compared.

    >>> from mercer import read_table
    >>> from mercer.kernels import default_kernel
    >>> default_kernel(read_table({"age": [30.0, 50.0, 41.5], "job": ["sales", "clerk", "smith"]}).schema)
    Encoded(kernel=RBF(gamma='auto'), levels='keep') * Normalise(kernel=Exp(kernel=2 * Overlap()))
    """
    numbers, levels = schema.of_kind(Kind.NUMERIC), [c for c in schema if c.kind.coded]
    parts: list[Kernel] = []
    if numbers:
        parts.append(Encoded(RBF(gamma="auto"), levels="keep"))
    if levels:
        parts.append(Normalise(Exp(Scale(Overlap(), 2.0))))
    if not parts:
        raise BadTable("No column is numeric or a category: there is nothing for a kernel to compare.")
    return parts[0] if len(parts) == 1 else parts[0] * parts[1]

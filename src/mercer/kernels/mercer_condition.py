"""Whether Mercer's condition holds for a kernel on a table, and what to do when it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Array
from mercer.errors import BadTable, MercerError
from mercer.kernels.base import Kernel
from mercer.table import Table, read_table

METHODS = ("clip", "flip", "shift")
_MOST_ROWS = 2000  # eigenvalues of 2,000 rows take a second or two; beyond it, evenly spaced rows are looked at


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """What a Gram matrix says about its kernel.

    kernel : the expression
    n_rows : rows that were compared
    asymmetry : largest |K - K'|
    smallest, largest : eigenvalues of (K + K') / 2
    symmetric, holds : whether K is symmetric, and positive semi-definite, beyond rounding
    promised : whether it is for every table, by theorem
    advice : what to do
    """

    kernel: str
    n_rows: int
    asymmetry: float
    smallest: float
    largest: float
    symmetric: bool
    holds: bool
    promised: bool
    advice: str


def check(kernel: Kernel, table: Any, *, max_rows: int = _MOST_ROWS) -> KernelCheck:
    """Mercer's condition on these rows: is the Gram matrix symmetric, and is no eigenvalue negative?

    An unfitted kernel is fitted first, as a copy. Of more than `max_rows` rows, evenly spaced ones are
    compared: a negative eigenvalue among some rows is one among all of them, not the other way round.

    >>> from mercer.kernels import Sigmoid, check
    >>> found = check(Sigmoid(gamma=1.0, coef0=-1.0), [[0.0], [1.0], [2.0]])
    >>> found.holds, round(found.smallest, 3)
    (False, -1.27)
    """
    rows = read_table(np.asarray(table) if isinstance(table, list | tuple) else table)
    fitted = kernel if hasattr(kernel, "schema_") else _fit_copy(kernel, rows)
    if len(rows) > max_rows:
        rows = rows.take(np.linspace(0, len(rows) - 1, max_rows).astype(np.int64))
    return check_gram(fitted.gram(rows, dtype=np.float64), name=repr(kernel), promised=kernel.positive)


def check_gram(gram: Array, *, name: str = "gram", promised: bool = False) -> KernelCheck:
    """The same for a Gram matrix that is there already."""
    gram = _square(gram)
    asymmetry = float(np.abs(gram - gram.T).max())
    values = np.linalg.eigvalsh((gram + gram.T) / 2)
    smallest, largest = float(values[0]), float(values[-1])
    rounding = 10 * len(gram) * np.finfo(np.float64).eps * max(abs(smallest), abs(largest), 1e-300)
    symmetric = bool(asymmetry <= rounding)
    holds = bool(symmetric and smallest >= -rounding)
    advice = _advice(symmetric, holds, promised, smallest, largest)
    return KernelCheck(name, len(gram), asymmetry, smallest, largest, symmetric, holds, promised, advice)


def repair(gram: Array, method: str = "clip") -> Array:
    """The nearest in spirit positive semi-definite matrix, from the eigenvalues v of (K + K') / 2.

    "clip" : max(v, 0), the nearest in Frobenius norm; the negative part is taken for noise
    "flip" : |v|; the negative part is taken for signal
    "shift" : v - min(v, 0); adds to the diagonal alone, so that different rows compare as before
    """
    if method not in METHODS:
        raise MercerError(f"repair: method={method!r}; expected one of {', '.join(METHODS)}.")
    gram = _square(gram)
    even = (gram + gram.T) / 2
    values, vectors = np.linalg.eigh(even)
    if method == "shift":
        even[np.diag_indices(len(even))] -= min(float(values[0]), 0.0)
        return even
    values = np.maximum(values, 0) if method == "clip" else np.abs(values)
    found: Array = (vectors * values) @ vectors.T
    return (found + found.T) / 2


def _advice(symmetric: bool, holds: bool, promised: bool, smallest: float, largest: float) -> str:
    if not symmetric:
        return "Not symmetric, so not a kernel: k(a, b) is not k(b, a). Use (K + K.T) / 2, or mend the function."
    if holds:
        return "Nothing to do." if promised else "Nothing to do on these rows; other rows may differ."
    share = abs(smallest) / max(largest, 1e-300)
    if share < 1e-3:
        return f"Indefinite by {share:.1e} of the largest eigenvalue: an SVM will do; repair(gram) mends it."
    return (
        f"Indefinite by {share:.1e} of the largest eigenvalue: an SVM finds a local solution only. "
        "Use repair(gram, 'clip'), 'flip' or 'shift', or a kernel whose condition is promised."
    )


def _square(gram: Array) -> Array:
    gram = np.asarray(gram, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or not gram.size:
        raise BadTable(f"A Gram matrix is square; found shape {gram.shape}.")
    if not np.isfinite(gram).all():
        raise BadTable("The Gram matrix holds NaN or infinity.")
    return gram


def _fit_copy(kernel: Kernel, rows: Table) -> Kernel:
    made: Kernel = type(kernel)(**kernel.get_params(deep=False))
    return made.fit(rows)

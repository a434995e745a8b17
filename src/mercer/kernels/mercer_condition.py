"""Whether Mercer's condition holds for a kernel on a table, and what to do when it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from mercer.arrays import Array
from mercer.errors import BadTable, MercerError
from mercer.kernels.base import Kernel
from mercer.table import Table, read_table

Repair = Literal["clip", "flip", "shift"]
_MOST_ROWS = 2000  # eigenvalues of 2,000 rows take a second or two; beyond it, evenly spaced rows are compared


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """What a Gram matrix K says about its kernel.

    Parameters
    ----------
    kernel : str
        The kernel as an expression.
    n_rows : int
        Number of rows that were compared.
    asymmetry : float
        Largest |K - K'|.
    smallest : float
        Smallest eigenvalue of (K + K') / 2.
    largest : float
        Largest eigenvalue of (K + K') / 2.
    symmetric : bool
        Whether K is symmetric, up to rounding.
    holds : bool
        Whether K is symmetric and positive semi-definite, up to rounding.
    promised : bool
        Whether it is so for every table, by theorem.
    advice : str
        What to do.

    Examples
    --------
    >>> from mercer.kernels import check_gram
    >>> found = check_gram([[1.0, 2.0], [2.0, 1.0]])
    >>> found.symmetric, found.holds, round(found.smallest, 6)
    (True, False, -1.0)
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

    A kernel that is not fitted is fitted first, as a copy.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    table : array-like, sparse matrix, data frame, dict of columns or Table, of shape (n_rows, n_columns)
        The rows.
    max_rows : int, default 2000
        Of more rows, evenly spaced ones are compared: a matrix that is indefinite on some rows is so on all of them,
        not the other way round.

    Returns
    -------
    found : KernelCheck
        Eigenvalues, whether the condition holds, and what to do.

    Examples
    --------
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


def check_gram(gram: Any, *, name: str = "gram", promised: bool = False) -> KernelCheck:
    """Mercer's condition of a Gram matrix that is there already.

    Parameters
    ----------
    gram : array-like of shape (n_rows, n_rows)
        The Gram matrix.
    name : str, default "gram"
        What the result calls it.
    promised : bool, default False
        Whether the condition is a theorem for its kernel.

    Returns
    -------
    found : KernelCheck
        Eigenvalues, whether the condition holds, and what to do.

    Examples
    --------
    >>> from mercer.kernels import check_gram
    >>> check_gram([[2.0, 1.0], [1.0, 2.0]]).advice
    'Nothing to do on these rows; other rows may differ.'
    """
    gram = _square(gram)
    asymmetry = float(np.abs(gram - gram.T).max())
    values = np.linalg.eigvalsh((gram + gram.T) / 2)
    smallest, largest = float(values[0]), float(values[-1])
    rounding = 10 * len(gram) * np.finfo(np.float64).eps * max(abs(smallest), abs(largest), 1e-300)
    symmetric = bool(asymmetry <= rounding)
    holds = bool(symmetric and smallest >= -rounding)
    advice = _advice(symmetric, holds, promised, smallest, largest)
    return KernelCheck(name, len(gram), asymmetry, smallest, largest, symmetric, holds, promised, advice)


def repair(gram: Any, method: Repair = "clip") -> Array:
    """A positive semi-definite matrix in place of an indefinite one, from the eigenvalues v of (K + K') / 2.

    Parameters
    ----------
    gram : array-like of shape (n_rows, n_rows)
        The Gram matrix K.
    method : {"clip", "flip", "shift"}, default "clip"
        "clip" takes max(v, 0), the nearest matrix in Frobenius norm: the negative part is noise. "flip" takes |v|: the
        negative part is signal. "shift" takes v - min(v, 0), which adds to the diagonal alone: different rows compare
        as before.

    Returns
    -------
    repaired : ndarray of shape (n_rows, n_rows)
        Symmetric and positive semi-definite.

    Examples
    --------
    >>> from mercer.kernels import repair
    >>> repair([[1.0, 2.0], [2.0, 1.0]], "shift")
    array([[2., 2.],
           [2., 2.]])
    """
    if method not in get_args(Repair):
        raise MercerError(f"repair: method={method!r}; expected one of {', '.join(get_args(Repair))}.")
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
        return "Not symmetric, so not a kernel: k(a, b) is not k(b, a). Use (K + K.T) / 2, or correct the function."
    if holds:
        return "Nothing to do." if promised else "Nothing to do on these rows; other rows may differ."
    share = abs(smallest) / max(largest, 1e-300)
    if share < 1e-3:
        return f"Indefinite by {share:.1e} of the largest eigenvalue: an SVM will do; repair(gram) makes it definite."
    return (
        f"Indefinite by {share:.1e} of the largest eigenvalue: an SVM finds a local solution only. "
        "Use repair(gram, 'clip'), 'flip' or 'shift', or a kernel whose condition is promised."
    )


def _square(gram: Any) -> Array:
    gram = np.asarray(gram, dtype=np.float64)
    if gram.ndim != 2 or gram.shape[0] != gram.shape[1] or not gram.size:
        raise BadTable(f"A Gram matrix is square; found shape {gram.shape}.")
    if not np.isfinite(gram).all():
        raise BadTable("The Gram matrix holds NaN or infinity.")
    return gram


def _fit_copy(kernel: Kernel, rows: Table) -> Kernel:
    made: Kernel = type(kernel)(**kernel.get_params(deep=False))
    return made.fit(rows)

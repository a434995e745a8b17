"""Which kernel a name, a function or a kernel object means: the same for every estimator that takes `kernel`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias, get_args

from sklearn.base import clone

from mercer.arrays import Array
from mercer.errors import MercerError, did_you_mean
from mercer.kernels.base import KERNEL_OBJECT, Kernel
from mercer.kernels.default import default_kernel
from mercer.kernels.encoded import Encoded
from mercer.kernels.numeric.base import NumericKernel
from mercer.kernels.numeric.dot import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels.numeric.gamma import Gamma
from mercer.kernels.numeric.histogram import ChiSquared
from mercer.kernels.numeric.radial import RBF, Laplacian
from mercer.kernels.precomputed import FromCallable, Precomputed
from mercer.parameters import Choice, Either, Unstored
from mercer.table import CATEGORICAL, Kind, Schema
from mercer.table.select import text

KernelName = Literal[
    "linear", "poly", "rbf", "sigmoid", "mixed", "precomputed", "polynomial", "laplacian", "cosine", "chi2"
]  # fmt: skip
KernelLike: TypeAlias = KernelName | Kernel | Callable[..., Any]
NAMES = get_args(KernelName)

KERNEL = Either(Choice(KernelName), KERNEL_OBJECT, Unstored("a function of two arrays", callable, instead="rbf"))


def as_kernel(
    kernel: KernelLike, schema: Schema, *, gamma: Gamma = "scale", coef0: float = 0.0, degree: int = 3
) -> Kernel:
    """The kernel that a name, a function or a kernel object means, not fitted.

    A name means the kernel on the numbers as they are, as in scikit-learn, with missing numbers filled by the mean of
    the column. In a table with categories, numbers are standardised and levels become dummies. In a table with
    categories or text, "rbf" is `default_kernel`, of width 1 for a gamma in words and `2 * gamma * n_columns` for a
    number. "mixed" is that kernel whatever the columns are, cells far from all others being cut off when numbers are
    standardised. A kernel object compares what it says it compares; missing numbers that nothing in it fills become the
    mean of the column, too.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly" (also "polynomial"), "rbf", "sigmoid", "laplacian", "cosine", "chi2", "mixed", "precomputed",
        or the kernel itself; a callable takes arrays of shape (n_a, n_columns) and (n_b, n_columns), or of shape
        (n_a,) and (n_b,) when the only column is text, and gives (n_a, n_b) numbers.
    schema : Schema
        What the columns of the training table are.
    gamma : {"scale", "auto"} or float, default "scale"
        Inverse width of "rbf", "laplacian" and "chi2", factor of the dot product in "poly" and "sigmoid".
    coef0 : float, default 0.0
        Constant of "poly" and "sigmoid".
    degree : int, default 3
        Degree of "poly".

    Returns
    -------
    kernel : Kernel
        A new object, not fitted.

    Raises
    ------
    MercerError
        When there is no kernel of that name, or `kernel` is none of the above.

    Examples
    --------
    >>> from mercer import read_table
    >>> from mercer.kernels import as_kernel
    >>> as_kernel("poly", read_table({"age": [1.5, 2.0]}).schema, gamma=0.5, degree=2)
    Encoded(kernel=Polynomial(gamma=0.5, degree=2), scaling='none', levels='keep')
    """
    if isinstance(kernel, Kernel):
        return Encoded(clone(kernel), scaling="none", levels="keep") if _refuses_gaps(kernel) else clone(kernel)
    if not isinstance(kernel, str):
        if not callable(kernel):
            raise MercerError(f"kernel={kernel!r}: expected a name, a Kernel, or a function of two arrays.")
        if len(schema) == 1 and schema.columns[0].kind is Kind.TEXT:
            return FromCallable(_OfTexts(kernel), on=text())
        return FromCallable(kernel)
    if kernel not in NAMES:
        raise MercerError(f"There is no kernel {kernel!r}. {did_you_mean(kernel, NAMES)}")
    if kernel == "precomputed":
        return Precomputed()
    if is_mixed(kernel, schema):
        width = 1.0 if isinstance(gamma, str) else 2.0 * gamma * len(schema)
        return default_kernel(schema, width, scaling="robust" if kernel == "mixed" else "standard")
    named: dict[str, Kernel] = {
        "linear": Linear(), "rbf": RBF(gamma), "sigmoid": Sigmoid(gamma, coef0), "laplacian": Laplacian(gamma),
        "cosine": Cosine(), "chi2": ChiSquared(gamma),
    }  # fmt: skip
    numeric = named.get(kernel) or Polynomial(gamma, coef0, degree)
    if not schema.of_kind(*CATEGORICAL):
        return Encoded(numeric, scaling="none", levels="keep")
    return Encoded(numeric)


def is_mixed(kernel: KernelLike, schema: Schema) -> bool:
    """Whether a kernel stands for `default_kernel`: "mixed", and "rbf" in a table with categories or text."""
    if not isinstance(kernel, str):
        return False
    return kernel == "mixed" or (kernel == "rbf" and bool(schema.of_kind(*CATEGORICAL, Kind.TEXT)))


def _refuses_gaps(kernel: Kernel) -> bool:
    """Whether some part of a kernel compares numbers that nothing has filled."""
    parts = () if isinstance(kernel, Encoded) else getattr(kernel, "part_names", ())
    return isinstance(kernel, NumericKernel) or any(_refuses_gaps(getattr(kernel, name)) for name in parts)


class _OfTexts:
    """A function of two arrays of texts, (n_a,) and (n_b,), as one of two arrays of one text column."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", str(function))

    def __call__(self, a: Array, b: Array) -> Any:
        return self.function(a[:, 0], b[:, 0])

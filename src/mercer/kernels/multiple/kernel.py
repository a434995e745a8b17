"""A weighted sum of kernels, the weights learned from the target."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._core.memory import physical_memory
from mercer.arrays import Array, Floats, Longs
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, BadParameter, BadTable, MercerError
from mercer.kernels.base import Kernel
from mercer.kernels.composite import join_schemas
from mercer.kernels.multiple.generate import Generated, generate
from mercer.kernels.multiple.target import Target, thinned
from mercer.kernels.multiple.weights import MANY_PASSES, Method, Recipe, Scaling, learn_weights
from mercer.kernels.named import KERNEL, KernelLike, as_kernel
from mercer.kernels.precomputed import Precomputed
from mercer.kernels.registry import register
from mercer.parameters import Choice, Either, ListOf, Mapped, Number, Parameters, check_parameters
from mercer.solvers.mkl.grams import Grams
from mercer.state import Reader, State
from mercer.table import Schema, Table

_DOUBLE_CELLS = 5000**2  # entries of all matrices up to which they are doubles, 200 MB, as in SVC
_BLOCK_CELLS = 1 << 24  # entries of all matrices computed at a time where they do not fit into memory
_SYMMETRY_ROWS = 50


@register
@shares_docs()
class MultipleKernel(Kernel):
    """k(a, b) = sum_m w_m k_m(a, b) / s_m, weights w learned from the target, s_m the size of k_m on the training rows

    Which columns, widths or measures matter is then written in `weights_`. The target comes from the machine that fits
    the kernel, or as `fit(table, y=y)`. Several classes share their weights: values of all pairs of classes add up.
    Without a target (OneClassSVM), rows are separated from the origin, or kernels aligned with their mean.

    Parameters
    ----------
    kernels : {"columns", "widths", "measures"}, list or dict, default "columns"
        Kernels, or names such as "rbf", in a list or as the values of a dict whose keys name them. "columns" makes one
        per column (RBF of standardised numbers, Overlap of levels, Words of texts), "widths" the default kernel of the
        table in five widths, "measures" all eight measures of each column of levels.
    method : {"alignf", "align", "mean", "simple", "lp", "easy"}, default "alignf"
        "alignf": the sum that is best aligned with the target; "align": each by its own alignment; "mean": all alike;
        "simple" (SimpleMKL): weights and machine together, with weights that sum to 1, most of them 0; "lp": the same
        with weights of `p`-norm 1, none of them 0; "easy" (EasyMKL): each by its share in the margin of their sum.
    C : float, default 1.0
        Cost of the support vector machines of "simple" and "lp", above 0: give that of the machine in use. For numbers
        the machine is SVR(epsilon=0.1, relative=True), without a target OneClassSVM(nu=0.5).
    p : float, default 2.0
        Norm of the weights of "lp", above 1: the smaller, the nearer to "simple".
    lam : float, default 0.1
        From 0, the rows nearest to the other class, to 1, the mean of each class: what "easy" takes the margin of.
    scaling : {"variance", "trace", "none"}, default "variance"
        s_m: the variance of the training rows in feature space, the mean of k_m(x, x), or 1. A kernel that is constant
        on the training rows gets no weight.
    max_kernels : int or None, default None
        At most so many weights above 0: the largest, learned anew among themselves; None sets no limit.
    max_rows : int or None, default None
        Weights are learned from at most so many training rows, evenly spaced; None takes all.
    tol : float, default 0.001
        Duality gap, as a part of the objective, at which "simple" and "lp" stop.

    Attributes
    ----------
    weights_ : ndarray of shape (n_kernels,)
        At least 0; their sum is 1, with "lp" their p-norm.
    names_ : list of str
        Of the kernels, in the order of `weights_`.
    sizes_ : ndarray of shape (n_kernels,)
        s_m; 0 for a kernel that is constant on the training rows.
    kernels_ : list of Kernel
        The fitted kernels whose weight is not 0.
    gap_ : float
        Duality gap of the whole problem as a part of `objective_`: how far the weights can be from the best.
    objective_ : float
        The value of the machines ("simple", "lp", "easy"), or the alignment with the target ("align", "alignf").
    n_iter_ : int
        Weights that were tried.
    {compared_schema_}

    References
    ----------
    Gonen and Alpaydin (2011), Multiple kernel learning algorithms. Cortes, Mohri and Rostamizadeh (2012), Algorithms
    for learning kernels based on centered alignment. Rakotomamonjy et al. (2008), SimpleMKL. Kloft et al. (2011),
    lp-norm multiple kernel learning. Aiolli and Donini (2015), EasyMKL.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> from mercer.kernels import MultipleKernel
    >>> draw = np.random.default_rng(0)
    >>> x = draw.normal(size=(80, 3))
    >>> y = np.where(x[:, 1] > 0, "high", "low")
    >>> model = mercer.SVC(kernel=MultipleKernel("columns", method="simple")).fit(x, y)
    >>> model.kernel_.largest_weights(1)
    {'x1': 1.0}
    """

    parameters: ClassVar[Parameters] = {
        "kernels": Either(Choice(Generated), ListOf(KERNEL), Mapped(KERNEL)),
        "method": Choice(Method),
        "C": Number(0, 1e100, above=True),
        "p": Number(1, 100, above=True),
        "lam": Number(0, 1),
        "scaling": Choice(Scaling),
        "max_kernels": Number(1, whole=True, optional=True),
        "max_rows": Number(2, whole=True, optional=True),
        "tol": Number(0, above=True),
    }
    weights_: Floats
    sizes_: Floats
    names_: list[str]
    kernels_: list[Kernel]

    def __init__(
        self,
        kernels: Generated | Sequence[KernelLike] | Mapping[str, KernelLike] = "columns",
        *,
        method: Method = "alignf",
        C: float = 1.0,
        p: float = 2.0,
        lam: float = 0.1,
        scaling: Scaling = "variance",
        max_kernels: int | None = None,
        max_rows: int | None = None,
        tol: float = 1e-3,
    ) -> None:
        self.kernels = kernels
        self.method = method
        self.C = C
        self.p = p
        self.lam = lam
        self.scaling = scaling
        self.max_kernels = max_kernels
        self.max_rows = max_rows
        self.tol = tol

    @property
    def positive(self) -> bool:
        """Of the kernels that have a weight, once there are weights."""
        if hasattr(self, "kernels_"):
            return all(part.positive for part in self.kernels_)
        given = self.kernels.values() if isinstance(self.kernels, Mapping) else self.kernels
        return self.kernels != "measures" and all(k.positive for k in given if isinstance(k, Kernel))

    @property
    def supervised(self) -> bool:
        return True

    @property
    def fitted_parts(self) -> tuple[Kernel, ...]:
        """The fitted kernels whose weight is not 0."""
        return tuple(self.kernels_)

    def largest_weights(self, n: int | None = None) -> dict[str, float]:
        """Weights by the names of the kernels, the largest first.

        Parameters
        ----------
        n : int or None, default None
            How many; None is all that are not 0.

        Returns
        -------
        weights : dict of str to float
            Of the fitted kernel.
        """
        order = np.argsort(-self.weights_, kind="stable")[: np.count_nonzero(self.weights_)]
        return {self.names_[k]: float(self.weights_[k]) for k in order[:n]}

    def _fit(self, tables: Sequence[Table], weight: Array) -> None:
        self._fit_target(tables, weight, None)

    def _fit_target(self, tables: Sequence[Table], weight: Array, y: Any) -> None:
        parts = self._made(tables[0].schema)
        for part in parts.values():
            check_parameters(part)
            part._fit_target(tables, weight, y)
        target = Target.of(y, len(tables[0]))
        rows = thinned(weight[: len(tables[0])], self.max_rows)
        table, names = tables[0].take(rows), list(parts)
        grams = self._grams(parts, table)
        recipe = Recipe(**{name: getattr(self, name) for name in Recipe.__dataclass_fields__})
        found, sizes = learn_weights(grams, target.take(rows), weight[rows], recipe, names)
        if not found.converged:
            warnings.warn(
                f"The weights of {len(names)} kernels were not found to the tolerance: the duality gap is "
                f"{found.gap:.3g} of the objective after {found.iterations} machines. Raise tol, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.names_, self.weights_ = names, found.weights
        self.sizes_ = np.where(np.isfinite(sizes), sizes, 0.0)
        self.gap_, self.objective_, self.n_iter_ = found.gap, found.objective, found.iterations
        self._keep([part for part, w in zip(parts.values(), found.weights, strict=True) if w > 0])

    def _made(self, schema: Schema) -> dict[str, Kernel]:
        """The kernels by name, not fitted."""
        if isinstance(self.kernels, str):
            return generate(self.kernels, schema)
        if isinstance(self.kernels, Mapping):
            given = {str(name): kernel for name, kernel in self.kernels.items()}
        else:
            given = _numbered(
                [kernel if isinstance(kernel, str) else repr(kernel) for kernel in self.kernels], self.kernels
            )
        if not given:
            raise BadParameter("MultipleKernel: no kernel was given. Give a list of kernels, or 'columns'.")
        made = {name: as_kernel(kernel, schema) for name, kernel in given.items()}
        for name, kernel in made.items():
            if isinstance(kernel, Precomputed):
                raise BadParameter(f"MultipleKernel: {name!r} is a Gram matrix; kernels that compare rows are weighed.")
        return made

    def _grams(self, parts: Mapping[str, Kernel], table: Table) -> Grams:
        """The matrices in memory; where they do not fit, in blocks that each pass computes anew."""
        n, m = len(table), len(parts)
        for name, part in parts.items():
            _refuse_asymmetric(name, part, table)
        dtype = np.dtype(np.float64 if m * n * n <= _DOUBLE_CELLS else np.float32)
        needed, room = (m + 2) * n * n * dtype.itemsize, physical_memory() // 4
        if needed <= room:
            stack = np.empty((m, n, n), dtype=dtype)
            for k, part in enumerate(parts.values()):
                stack[k] = part.gram(table, dtype=dtype)
            return Grams.held(stack)
        if self.method in MANY_PASSES:
            fits = int(np.sqrt(room / ((m + 2) * dtype.itemsize)))
            raise BadTable(
                f"MultipleKernel(method={self.method!r}) holds the Gram matrices of {m} kernels over {n:,} rows, "
                f"{needed / 1e9:.3g} GB, of which {room / 1e9:.3g} GB are there (a quarter of the memory). Give "
                f"max_rows={fits}, fewer kernels, or method='alignf', 'align' or 'easy', which hold none of them."
            )
        step = max(1, _BLOCK_CELLS // (m * n))

        def blocks() -> Iterable[tuple[slice, Array]]:
            for start in range(0, n, step):
                some = table.take(slice(start, start + step))
                yield slice(start, start + step), np.stack([p.gram(some, table, dtype=dtype) for p in parts.values()])

        return Grams(n, blocks, np.ones(m))

    def _keep(self, parts: list[Kernel]) -> None:
        self.kernels_ = parts
        self.schema_ = join_schemas(parts)

    @property
    def _factors(self) -> Floats:
        """What each kernel of `kernels_` is multiplied with."""
        used = self.weights_ > 0
        return np.asarray(self.weights_[used] / self.sizes_[used])

    def _gram(self, a: Table, b: Table, dtype: np.dtype[Any]) -> Array:
        return _added(self._factors, (part._gram(a, b, dtype) for part in self.kernels_))

    def _diag(self, a: Table, dtype: np.dtype[Any]) -> Array:
        return _added(self._factors, (part._diag(a, dtype) for part in self.kernels_))

    def _learned(self) -> State:
        return {
            "names": list(self.names_), "weights": self.weights_, "sizes": self.sizes_,
            "parts": [part.to_state() for part in self.kernels_], "gap": float(self.gap_),
            "objective": float(self.objective_), "n_iter": int(self.n_iter_),
        }  # fmt: skip

    def _restore(self, state: Reader) -> None:
        self.names_ = list(state.texts("names"))
        self.weights_ = state.array("weights", "float64", (len(self.names_),), low=0.0, high=1.0)
        self.sizes_ = state.array("sizes", "float64", (len(self.names_),), low=0.0)
        parts = [Kernel.from_state(reader) for reader in state.children("parts")]
        used = self.weights_ > 0
        if len(parts) != used.sum() or not parts or not (self.sizes_[used] > 0).all():
            raise BadFile(f"{state.where}: expected a kernel, and a size above 0, for each weight that is not 0.")
        self.gap_, self.objective_ = state.number("gap", 0.0), state.number("objective")
        self.n_iter_ = state.integer("n_iter", 0)
        self._keep(parts)


def _added(factors: Floats, matrices: Iterable[Array]) -> Array:
    total: Array | None = None
    for factor, values in zip(factors, matrices, strict=True):
        scaled = np.multiply(values, values.dtype.type(factor), out=values)
        total = scaled if total is None else np.add(total, scaled, out=total)
    assert total is not None
    return total


def _numbered(names: Sequence[str], kernels: Sequence[KernelLike]) -> dict[str, KernelLike]:
    """By their names; a name that came before gets a number."""
    found: dict[str, KernelLike] = {}
    for name, kernel in zip(names, kernels, strict=True):
        copies = sum(1 for known in found if known == name or known.startswith(f"{name} ("))
        found[f"{name} ({copies + 1})" if copies else name] = kernel
    return found


def _refuse_asymmetric(name: str, part: Kernel, table: Table) -> None:
    if part.positive:
        return
    rows: Longs = np.unique(np.linspace(0, len(table) - 1, min(len(table), _SYMMETRY_ROWS)).astype(np.int64))
    gram = part.gram(table.take(rows), dtype=np.float64)
    difference = np.abs(gram - gram.T).max()
    if difference > 1e-6 * max(float(np.abs(gram).max()), 1e-300):
        raise MercerError(f"{name!r} is no kernel: k(a, b) and k(b, a) differ by {difference:.3g}.")

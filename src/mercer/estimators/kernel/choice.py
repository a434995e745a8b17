"""Which kernel a machine has, and its matrices at several gammas: distances once for all of them where they suffice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._core.gram import KernelSpec, gram
from mercer.arrays import Array, Floats
from mercer.errors import MercerError
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.kernels import Encoded, Kernel, KernelLike, Precomputed, as_kernel
from mercer.kernels.base import refuse_overflow
from mercer.kernels.named import is_mixed
from mercer.kernels.nested_gamma import first_gamma, has_gamma, scale_gamma
from mercer.select.grid import GAMMAS, Grid, gamma_values
from mercer.select.search import is_searched
from mercer.table import Kind, Schema

Gamma: TypeAlias = float | Literal["scale", "auto", "cv"]
_WITH_GAMMA = ("rbf", "poly", "polynomial", "sigmoid", "laplacian", "chi2", "mixed")
_LOG_GAMMA = 1 / 64  # of the kernel whose logarithm gives distances: nothing underflows, little is lost to rounding


@dataclass(frozen=True)
class KernelChoice:
    """What the parameters kernel, degree and coef0 of a machine say, for any gamma.

    gamma_factor : whether a gamma multiplies every gamma in a kernel object, as it does where gamma is searched
    """

    kernel: KernelLike
    degree: int
    coef0: float
    gamma_factor: bool = False

    @property
    def precomputed(self) -> bool:
        """Whether X is the kernel matrix itself."""
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    @property
    def is_function(self) -> bool:
        """Whether it is a Python function of two arrays."""
        return callable(self.kernel) and not isinstance(self.kernel, Kernel)

    @property
    def compares_numbers(self) -> bool:
        """Whether it is one of scikit-learn's kernels, which know numbers alone."""
        return self.is_function or (isinstance(self.kernel, str) and self.kernel != "mixed")

    @property
    def has_gamma(self) -> bool:
        """Whether a gamma makes a difference."""
        if isinstance(self.kernel, Kernel):
            return has_gamma(self.kernel)
        return self.kernel in _WITH_GAMMA

    def is_local(self, schema: Schema) -> bool:
        """Whether the kernel of a table falls to 0 as rows grow apart."""
        return as_kernel(self.kernel, schema, gamma="scale", coef0=self.coef0, degree=self.degree).local

    def fitted(self, rows: TrainingRows, gamma: Any) -> Kernel:
        """The kernel with this gamma, fitted to the rows."""
        learn_from = rows.table, rows.unlabelled, rows.sample_weight, rows.target
        kernel = as_kernel(self.kernel, rows.table.schema, gamma=gamma, coef0=self.coef0, degree=self.degree)
        if isinstance(self.kernel, Kernel) and self.gamma_factor and gamma is not None:
            return scale_gamma(kernel, gamma, *learn_from)
        return kernel.fit(*learn_from)

    def parameters_of(self, best: Mapping[str, Any], rows: TrainingRows) -> dict[str, Any]:
        """The best point of a search as constructor parameters, in a kernel object as its own gammas."""
        if "gamma" not in best or not isinstance(self.kernel, Kernel):
            return dict(best)
        others = {name: value for name, value in best.items() if name != "gamma"}
        found = self.fitted(rows, best["gamma"])
        filling = isinstance(found, Encoded) and not isinstance(self.kernel, Encoded)  # added by as_kernel
        return others | {"kernel": clone(found.kernel if filling else found)}


def searched_by(model: Any) -> tuple[str, ...]:
    """Which parameters of a machine are "cv"; gamma only where its kernel has one."""
    wide = KernelChoice(model.kernel, model.degree, model.coef0).has_gamma
    return tuple(n for n in model.tunable if is_searched(getattr(model, n)) and (n != "gamma" or wide))


@dataclass(frozen=True)
class KernelMatrices:
    """The kernel matrices of training rows at several gammas."""

    choice: KernelChoice
    rows: TrainingRows
    dtype: np.dtype[Any]
    n_jobs: int | None

    def __post_init__(self) -> None:
        if isinstance(self.choice.kernel, Kernel) and self.choice.kernel.supervised:
            raise MercerError(
                f"{type(self.choice.kernel).__name__} learns from the target, and a search by 'cv' has one matrix for "
                "all folds: the kernel would have seen the rows it is scored on. Give numbers, or search by "
                "scikit-learn's GridSearchCV, which fits the kernel in each fold."
            )

    @property
    def _default_mixed(self) -> bool:
        """Whether the name of the kernel stands for `default_kernel`, a product over numbers and categories."""
        return is_mixed(self.choice.kernel, self.rows.table.schema)

    def gamma_number(self, gamma: float | str) -> float:
        """The number that "scale" and "auto" stand for; a number as it is."""
        if not isinstance(gamma, str):
            return float(gamma)
        if isinstance(self.choice.kernel, Kernel):
            return 1.0  # a factor of the kernel's own gammas
        if self._default_mixed:
            return 1 / (2 * len(self.rows.table.schema))
        found = first_gamma(self.choice.fitted(self.rows, gamma))
        assert found is not None
        return found

    def gammas(self, grid: Grid) -> list[float | str]:
        """The values to try: those of the grid, or the usual ones around "scale"."""
        if grid.gamma is not None:
            return gamma_values(grid.gamma)
        scale = self.gamma_number("scale")
        return [scale * g for g in GAMMAS]

    def each(self, gammas: Sequence[Any]) -> Iterator[tuple[slice, Array, Floats | None]]:
        """(places among the gammas, matrix, gammas): k = exp(-gamma matrix), or the Gram matrix when gammas is None."""
        distances = self._distances() if len(gammas) > 1 else None
        if distances is not None:
            yield slice(None), distances, np.array([self.gamma_number(g) for g in gammas])
            return
        for place, gamma in enumerate(gammas):
            yield slice(place, place + 1), self._gram(gamma), None

    def grams(self, gammas: Sequence[Any]) -> Iterator[tuple[int, Array]]:
        """(place, Gram matrix) of each gamma."""
        for places, matrix, numbers in self.each(gammas):
            if numbers is None:
                yield int(places.start), matrix
            else:
                yield from ((g, np.exp(-gamma * matrix)) for g, gamma in enumerate(numbers))

    def _gram(self, gamma: Any) -> Array:
        kernel = self.choice.fitted(self.rows, gamma)
        matrix = np.ascontiguousarray(kernel.gram(self.rows.table, dtype=self.dtype, n_jobs=self.n_jobs))
        refuse_overflow(kernel, matrix[0], matrix.diagonal())
        return matrix

    def _distances(self) -> NDArray[Any] | None:
        """D with k = exp(-gamma D) at every gamma, when there is such a D."""
        if self._default_mixed and any(c.kind is not Kind.NUMERIC for c in self.rows.table.schema):
            gamma = _LOG_GAMMA * self.gamma_number("scale")
            similar = self._gram(gamma)
            np.maximum(similar, np.finfo(self.dtype).tiny, out=similar)
            return np.asarray(np.log(similar, out=similar) / -gamma, dtype=self.dtype)
        kernel = self.choice.fitted(self.rows, 1.0)
        formula = kernel.formula(kernel._conform(self.rows.table), self.dtype)
        if formula is None or formula[1].kind != "rbf":
            return None
        distances = gram(formula[0], None, KernelSpec("distance"), self.n_jobs)
        distances *= formula[1].gamma
        return distances

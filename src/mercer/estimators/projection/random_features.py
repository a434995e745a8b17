"""Features of a kernel drawn at random, or exact where the kernel has finitely many, as numeric columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.kernel.approximation.error import entry_error
from mercer.estimators.kernel.approximation.features import RandomMap
from mercer.estimators.kernel.choice import KernelChoice
from mercer.estimators.projection.base import KernelEncoder
from mercer.kernels import KERNEL, KernelLike
from mercer.kernels.numeric.gamma import GAMMA, Gamma
from mercer.parameters import RANDOM_STATE, Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Selector, Table


@shares_docs()
class RandomFeatures(KernelEncoder):
    """z(x) = (u_1(x), ..., u_n(x)) / sqrt(n) with E[u_j(a) u_j(b)] = k(a, b), so that z(a).z(b) is k(a, b) on average.

    u_j(x) = sqrt(2) cos(w_j.x + b_j) for kernels of a difference, w_j drawn from the kernel's Fourier transform (Rahimi
    and Recht 2007). Measures of categories that are linear in indicators of levels (Overlap, Goodall, IOF, OF, levels
    of a graph or a tree) and the linear kernel are exact: their own features, whatever `n_components` is; of a measure
    that is not positive semi-definite those of its positive part. Sums, products, powers, exponentials and the kernel
    of mixed tables are made of these. No training row is kept. The columns compared become numeric ones, the others
    pass unchanged.

    Parameters
    ----------
    kernel : str or Kernel, default "rbf"
        "rbf", "laplacian", "linear", "poly", "mixed", or a mercer kernel such as Matern(1.5) * Exp(Overlap()); a name
        means what it means in SVC (`mercer.kernels.as_kernel`).
    {gamma}
    {degree}
    {coef0}
    n_components : int, default 100
        How many features to draw. The error falls with its square root.
    orthogonal : bool, default False
        Whether frequencies w_j of RBF, Matern and RationalQuadratic are orthogonal in groups, which lowers the error
        (Yu et al. 2016).
    {random_state}
    on : str, list of str, selector or None, default None
        The columns compared; None for all.
    {n_jobs}

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, fitted.
    exact_ : bool
        Whether z(a).z(b) = k(a, b) without any draw.
    error_ : float
        |K - Z Z'| / |K| over all pairs of 300 training rows at most.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    References
    ----------
    Rahimi and Recht (2007), Random features for large-scale kernel machines; Kar and Karnick (2012), Random feature
    maps for dot product kernels; Yu et al. (2016), Orthogonal random features.

    Examples
    --------
    >>> import mercer
    >>> from mercer.kernels import Overlap
    >>> rows = {"age": [25, 31, None, 52], "job": ["clerk", "sales", "clerk", None]}
    >>> mercer.RandomFeatures(n_components=50, random_state=0).fit_transform(rows).shape
    (4, 50)
    >>> mercer.RandomFeatures(Overlap(), on="job").fit(rows).exact_
    True
    """

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": Number(0, whole=True),
        "coef0": Number(),
        "n_components": Number(1, whole=True),
        "orthogonal": Flag(),
        "random_state": RANDOM_STATE,
        "on": Columns(),
        "n_jobs": Number(whole=True, optional=True),
    }
    keeps_zeros = False
    _map: RandomMap

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_components: int = 100,
        orthogonal: bool = False,
        random_state: int | np.random.RandomState | None = None,
        on: Selector = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.orthogonal = orthogonal
        self.random_state = random_state
        self.on = on
        self.n_jobs = n_jobs

    def _learn(self, table: Table, y: Any) -> None:
        rows, rng = table.select(list(self.names_)), check_random_state(self.random_state)
        self.kernel_ = self._fitted_kernel(KernelChoice(self.kernel, self.degree, self.coef0), self.gamma, rows)
        self._map = RandomMap.draw(self.kernel_, self.n_components, self.orthogonal, rng)
        self._width = self._map.features(rows.take(slice(0, 1)), np.dtype(np.float64)).shape[1]
        with at_most(self._jobs):
            self.error_ = entry_error(self.kernel_, self._map.features, rows, rng)

    @property
    def exact_(self) -> bool:
        """Whether z(a).z(b) = k(a, b) without any draw."""
        return self._map.exact

    def _made(self) -> list[Column]:
        return self._numbered(self._width, "a feature of a kernel")

    def _values(self, rows: Table) -> Floats:
        with at_most(self._jobs):
            return self._map.features(rows, np.dtype(np.float64))

    def _fitted_state(self) -> State:
        return {"map": self._map.to_state(), "width": self._width, "error": self.error_}

    def _restore_fitted(self, state: Reader) -> None:
        self._map = RandomMap.from_state(state.child("map"))
        self.kernel_ = self._map.kernel
        self._width, self.error_ = state.integer("width", 1), state.number("error", 0.0)

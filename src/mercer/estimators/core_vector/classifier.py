"""Classes by the smallest ball around the rows in the space of a kernel, on any table and any kernel."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer._core.threads import at_most
from mercer.arrays import Array, Floats, Longs
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.core_vector.search import CoreVectorSearch
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision, budget_bytes, kernel_dtype, refuse_infinite_sums
from mercer.estimators.kernel.training_rows import TrainingRows, class_rows
from mercer.estimators.multiclass.codes import BinaryProblem
from mercer.estimators.multiclass.decisions import ClassDecisions
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.estimators.multiclass.strategy import Multiclass, Shape
from mercer.kernels import KernelLike, Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.parameters import RANDOM_STATE, Choice, Number, Parameters
from mercer.select.grid import GRID, Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.svm.core_set import CoreBall, KernelProducts, NotPositive, core_ball
from mercer.state import LARGEST, LARGEST_SQUARE, Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator

_SHARED = (
    "kernel", "degree", "coef0", "tol", "max_iter", "time_limit", "cache_size", "kinds",
    "missing_indicator", "n_jobs",
)  # fmt: skip
_SINGLE_TOL = 1e-6
_LARGEST_RIDGE = 1e100  # 1 / (C weight) of a row that weighs next to nothing


@shares_docs()
class CoreVectorMachine(ClassifierMixin, KernelMachine):
    """min 1/2 (|w|^2 + b^2) + C/2 sum_i weight_i max(0, 1 - y_i f(x_i))^2, f(x) = w.x + b, as an enclosing ball.

    The dual is the smallest ball around the rows in the space of y_i y_j (k(x_i, x_j) + 1) + [i = j] / (C weight_i);
    a ball is known from few rows, the core set (Tsang, Kwok and Cheung 2005). It grows by the farthest rows, found in
    samples in tables above 2,000 rows and at last among all, until every row is within 1 + tol of the radius: memory is
    that of the core set, whatever the number of rows, and how far the farthest row is beyond the radius is
    reported as `guarantee_`. Rows of unequal k(x, x) or weight are lifted to the same length by one more coordinate
    (Tsang, Kwok and Zurada 2006), so every kernel is taken. The radius R* of the exact ball is in
    [radius_, (1 + guarantee_) radius_].

    Parameters
    ----------
    C : float or "cv", default 1.0
        Cost of a squared error, above 0; "cv" searches it by cross-validation, where at most `grid.rows` rows are
        solved whole.
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {class_weight}
    multi_class : {"ovr", "ovo"}, default "ovo"
        Several classes by a binary problem for each class against the rest, or for each pair.
    tol : float, default 1e-6
        How far beyond the radius a row may lie, as a share of it: the eps of 1 + eps. The more rows lie on the wrong
        side, the less the radius tells of the margin, and the smaller it must be.
    max_iter : int, default -1
        Times the core set may grow in each binary problem, after which the model is usable; -1 for no limit.
    {time_limit}
    cache_size : float or None, default None
        Megabytes for the kernel matrix of the core set, which stops growing there, with a usable model; None for a
        quarter of the machine's memory.
    random_state : int, RandomState or None, default None
        Seed of the samples in tables above 2,000 rows; None draws afresh in every fit.
    {kinds}
    grid : Grid or None, default None
        What "cv" tries, by its C, gamma, cv, scoring, rows and random_state; None for `mercer.Grid()`.
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    C_ : float
        The cost, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    kernel_ : Kernel
        The kernel, fitted.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that predictions compare with.
    support_rows_ : Table
        Those rows.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Their coefficients in each binary problem.
    intercept_ : ndarray of shape (n_problems,)
        b.
    n_core_ : ndarray of shape (n_problems,)
        Rows in each core set.
    radius_ : ndarray of shape (n_problems,)
        Radius of the smallest ball around each core set.
    guarantee_ : ndarray of shape (n_problems,)
        Distance of the farthest row from the centre / radius - 1, measured over all rows.
    n_iter_ : ndarray of shape (n_problems,)
        Times each core set has grown.
    shape_fit_ : tuple of int
        Rows and columns of the training table.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> model = mercer.CoreVectorMachine(gamma=2.0, tol=1e-4).fit(X, y)
    >>> model.score(X, y) > 0.98, bool(model.n_core_[0] < 200), bool(model.guarantee_[0] <= 1e-4)
    (True, True, True)
    """

    parameters: ClassVar[Parameters] = {
        **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
        "C": Number(0, LARGEST, above=True, words=("cv",)),
        "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
        "class_weight": CLASS_WEIGHT,
        "multi_class": Choice(Shape),
        "random_state": RANDOM_STATE,
        "grid": GRID,
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")
    settled: ClassVar[tuple[str, ...]] = ("multi_class",)
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    precision: Precision = "auto"
    classes_: NDArray[Any]
    C_: float

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        multi_class: Shape = "ovo",
        tol: float = 1e-6,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        random_state: Any = None,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.random_state = random_state
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the ball of each binary problem.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the cost C of each row, at least 0; None weighs all by 1. A row of weight 2 is two rows.

        Returns
        -------
        {self}
        """
        data = class_rows(self, X, y, sample_weight)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        self._choose_kernel(data, values["gamma"])
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        diagonal = np.asarray(self.kernel_.diag(data.table, dtype=np.float64))
        refuse_overflow(self.kernel_, diagonal)
        with at_most(self._jobs):
            balls = [self._ball(data, diagonal, p, rng) for p in self._multiclass.problems(data.target)]
        self._keep(data, balls)
        return self

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> CoreVectorSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._search_problem(class_rows(self, X, y, None))

    def _search_problem(self, data: TrainingRows) -> CoreVectorSearch:
        reader = ClassDecisions(self.classes_, data.target, self._multiclass, True, "ovr", "sigmoid")
        return CoreVectorSearch(given_parameters(self), data, reader, self._choice, self._jobs)

    @property
    def _multiclass(self) -> Multiclass:
        return Multiclass(len(self.classes_), self.multi_class)

    def _ball(self, data: TrainingRows, diagonal: Floats, problem: BinaryProblem, rng: np.random.Generator) -> CoreBall:
        """Of the rows of positive weight; `core` are rows of the training table."""
        used = data.weight[problem.rows] > 0
        rows = problem.rows[used].astype(np.int64)
        if not len(rows):  # a pair of classes of weight 0
            return CoreBall(rows, np.empty(0), 0.0, 0.0, 0, False)
        cost = np.maximum(float(self.C_) * data.weight[rows], 1 / _LARGEST_RIDGE)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit}
        twice = 2 * self._values_dtype(len(rows)).itemsize  # the matrix, and its copy as it grows
        limits["max_rows"] = isqrt(budget_bytes(self.cache_size) // twice)
        products = self._kernel_products(data.table, rows, diagonal[rows])
        try:
            found = core_ball(problem.y[used], cost, products, **limits, rng=rng, n_jobs=self._jobs)
        except NotPositive:
            raise MercerError(
                f"{self.kernel_!r} is not positive semi-definite: no ball encloses the rows. Use one that is, or "
                "repair it (mercer.kernels.repair)."
            ) from None
        return CoreBall(rows[found.core], found.coef, found.radius, found.guarantee, found.rounds, found.stopped)

    def _kernel_products(self, table: Table, rows: Longs, diagonal: Floats) -> KernelProducts:
        """The fitted kernel between some training rows, numbered in that order."""
        kernel, n_jobs, dtype = self.kernel_, self._jobs, self._values_dtype(len(rows))
        if isinstance(kernel, Precomputed):
            gram = kernel.values(table)
            return KernelProducts(
                lambda a, b: gram[np.ix_(rows[a], rows[b])],
                lambda a, b, coef: gram[np.ix_(rows[a], rows[b])] @ coef,
                diagonal,
            )
        own = table if len(rows) == len(table) else table.take(rows)

        def between(a: Longs, b: Longs) -> Array:
            found = np.asarray(kernel.gram(own.take(a), own.take(b), dtype=dtype, n_jobs=n_jobs))
            refuse_overflow(kernel, found)
            return found

        def product(a: Longs, b: Longs, coef: Floats) -> Floats:
            found = kernel.product(own.take(a), own.take(b), coef[:, None], dtype=dtype, n_jobs=n_jobs)[:, 0]
            refuse_infinite_sums(kernel, found)
            return found

        return KernelProducts(between, product, diagonal)

    def _values_dtype(self, n_rows: int) -> np.dtype[Any]:
        """Of kernel values while learning: rounding to single precision moves a row by a tenth of tol 1e-6 at most."""
        return kernel_dtype("auto" if self.tol >= _SINGLE_TOL else "double", n_rows)

    def _keep(self, data: TrainingRows, balls: Sequence[CoreBall]) -> None:
        coef = np.zeros((len(balls), len(data.table)))
        for line, ball in zip(coef, balls, strict=True):
            line[ball.core] = ball.coef
        support = np.flatnonzero(coef.any(axis=0))
        self._keep_support(data, support, coef[:, support], coef.sum(axis=1))
        self._n_support = np.count_nonzero(coef, axis=1).astype(np.int32)
        self.n_core_ = np.array([len(b.core) for b in balls], dtype=np.int64)
        self.radius_ = np.array([b.radius for b in balls])
        self.guarantee_ = np.array([b.guarantee for b in balls])
        self.n_iter_ = np.array([b.rounds for b in balls], dtype=np.int64)
        if any(b.stopped for b in balls):
            warnings.warn(
                f"The core set was stopped early: a row lies {self.guarantee_.max():.3g} of the radius beyond it. "
                "Raise max_iter, time_limit or cache_size, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """f(x), positive on the side of the second of two classes; of several, a value per class.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, else a column per class.
        """
        decisions = self._decisions(self._predict_table(X))
        return self._multiclass.decision_function(decisions, "ovr")

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        decisions = self._decisions(self._predict_table(X))
        labels: NDArray[Any] = self.classes_[self._multiclass.class_codes(decisions, break_ties=True)]
        return labels

    def _fitted_state(self) -> State:
        own = {
            "classes": labels_state(self.classes_), "n_core": self.n_core_, "radius": self.radius_,
            "guarantee": self.guarantee_, "n_iter": self.n_iter_,
        }  # fmt: skip
        return super()._fitted_state() | own | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        n = self._multiclass.n_problems
        self._restore_support(state, n, n)
        self.n_core_ = state.array("n_core", "int64", (n,), low=0)
        self.radius_ = state.array("radius", "float64", (n,), low=0.0, high=LARGEST_SQUARE)
        self.guarantee_ = state.array("guarantee", "float64", (n,), low=0.0, high=LARGEST_SQUARE)
        self.n_iter_ = state.array("n_iter", "int64", (n,), low=0)
        self._n_support = np.count_nonzero(self._coef_rows, axis=1).astype(np.int32)
        restore_parameters(self, state)

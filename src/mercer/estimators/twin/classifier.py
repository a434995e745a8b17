"""Classes by nonparallel planes, each near the rows of its class, on any table and any kernel."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.errors import TooLarge
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision, budget_bytes, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows, class_rows
from mercer.estimators.multiclass.decisions import ClassDecisions
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.estimators.multiclass.strategy import Multiclass
from mercer.estimators.svm.solve import Solver
from mercer.estimators.twin.search import TwinLoss, TwinPlanes, TwinSearch, nearness
from mercer.formatting import byte_size
from mercer.kernels import KernelLike, Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.parameters import Choice, Number, Parameters
from mercer.select.grid import GRID, Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.svm.twin import Plane
from mercer.state import LARGEST, LARGEST_SQUARE, Reader, State
from mercer.table.estimator import TableEstimator
from mercer.table.missingness import MissingIndicator

_SHARED = (
    "kernel", "degree", "coef0", "tol", "max_iter", "time_limit", "cache_size", "precision", "kinds",
    "missing_indicator", "n_jobs",
)  # fmt: skip


@shares_docs()
class TwinSVC(ClassifierMixin, KernelMachine):
    """min 1/2 sum_own f(x_i)^2 + C sum_others max(0, 1 + f(x_i)) + alpha/2 (|w|^2 + b^2), f(x) = w.x + b, by class.

    A twin support vector machine: every class has a plane near its own rows and away from all others, and a row is of
    the class whose plane is nearest, |f(x)| / |w|. Planes need not be parallel: each class may lie along a line or
    surface of its own. With loss="squared" the second sum is of (1 + f)^2 / 2, and each plane is the
    solution of a linear system (least squares twin support vector machine). Of several classes, each has the rest as
    others. The whole kernel matrix is held.

    Parameters
    ----------
    C : float or "cv", default 1.0
        Cost of rows of other classes near the plane, above 0; "cv" searches it by cross-validation.
    alpha : float or "cv", default 1.0
        Penalty on the size of the planes' weights, above 0; "cv" searches it.
    loss : {"hinge", "squared"}, default "hinge"
        What a row of another class costs where f is above -1 (or, squared, is not -1).
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {class_weight}
    {svm_tol}
    {svm_max_iter}
    {time_limit}
    cache_size : float or None, default None
        Megabytes for the kernel matrix, at most; None for a quarter of the machine's memory.
    precision : {"auto", "single", "double"}, default "double"
        Of kernel values in predictions; "auto" is double up to 5,000 rows.
    {kinds}
    grid : Grid or None, default None
        What "cv" tries, by its C, alpha, gamma, cv, scoring, rows and random_state; None for `mercer.Grid()`.
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    C_ : float
        The cost, as given or as found by "cv".
    alpha_ : float
        The penalty, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    kernel_ : Kernel
        The kernel, fitted.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that predictions compare with.
    support_rows_ : Table
        Those rows.
    dual_coef_ : ndarray of shape (n_classes, n_support)
        Their coefficients in the plane of each class.
    intercept_ : ndarray of shape (n_classes,)
        b.
    norms_ : ndarray of shape (n_classes,)
        |w|.
    duality_gap_ : float
        Primal minus dual value of the plane for which it is largest; 0 for squares, whose system is solved directly.
    n_iter_ : ndarray of shape (n_classes,)
        Steps of the solver; 1 for a linear system.
    shape_fit_ : tuple of int
        Rows and columns of the training table.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    Each class along a line of its own:

    >>> import mercer, numpy as np
    >>> t = np.linspace(0, 1, 20)
    >>> X, y = np.r_[np.c_[t, t], np.c_[t, -t / 3]], np.repeat(["rising", "falling"], 20)
    >>> model = mercer.TwinSVC(kernel="linear", alpha=1e-3).fit(X, y)
    >>> model.predict([[0.9, 0.8], [0.7, -0.3]]).tolist()
    ['rising', 'falling']
    """

    parameters: ClassVar[Parameters] = {
        **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
        "C": Number(0, LARGEST, above=True, words=("cv",)),
        "alpha": Number(0, LARGEST, above=True, words=("cv",)),
        "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
        "loss": Choice(TwinLoss),
        "class_weight": CLASS_WEIGHT,
        "grid": GRID,
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "alpha", "gamma")
    shares_kernel: ClassVar[bool] = False
    classes_: NDArray[Any]

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        alpha: float | Literal["cv"] = 1.0,
        loss: TwinLoss = "hinge",
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        precision: Precision = "double",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.loss = loss
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _weights(self, sample_weight: Any, n_rows: int) -> Floats | None:
        return TableEstimator._weights(self, sample_weight, n_rows)

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the plane of each class.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row in both sums, at least 0; None weighs all by 1. A row of weight 2 is two rows, and a
            factor on all weights is one on 1 / alpha.

        Returns
        -------
        {self}
        """
        data = class_rows(self, X, y, sample_weight)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        self._choose_kernel(data, values["gamma"])
        kept = np.flatnonzero(data.weight > 0)
        gram = self._gram(data, kept)
        with at_most(self._jobs):
            planes = self._planes.of(gram, data.target[kept], data.weight[kept], values["C"], values["alpha"])
        self._keep(data, kept, planes)
        return self

    def _gram(self, data: TrainingRows, kept: Longs) -> Floats:
        n, budget = len(data.table), budget_bytes(self.cache_size)
        if n * n * 8 > budget and not isinstance(self.kernel_, Precomputed):
            raise TooLarge(
                f"TwinSVC holds the kernel matrix, which takes {byte_size(n * n * 8)} for {n:,} rows; the budget is "
                f"{byte_size(budget)}. Raise cache_size, train on fewer rows, or use SVC."
            )
        gram = whole_matrix(self.kernel_, data.table, np.dtype(np.float64), budget - n * n * 8, self._jobs)
        refuse_overflow(self.kernel_, gram[0], gram.diagonal())
        return gram if len(kept) == n else gram[np.ix_(kept, kept)]

    @property
    def _planes(self) -> TwinPlanes:
        return TwinPlanes(len(self.classes_), self.loss, Solver.of(self))

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> TwinSearch:
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

    def _search_problem(self, data: TrainingRows) -> TwinSearch:
        reader = ClassDecisions(
            self.classes_, data.target, Multiclass(len(self.classes_), "ovr"), True, "ovr", "sigmoid"
        )
        return TwinSearch(given_parameters(self), data, reader, self._choice, self._jobs, self._planes)

    def _keep(self, data: TrainingRows, kept: Longs, planes: Sequence[Plane]) -> None:
        coef = np.array([p.coef for p in planes])
        support = np.flatnonzero(coef.any(axis=0))
        self._keep_support(data, kept[support], coef[:, support], [p.bias for p in planes])
        self.norms_ = np.array([p.norm for p in planes])
        self._n_support = np.count_nonzero(coef, axis=1).astype(np.int32)
        reports = [p.report for p in planes if p.report is not None]
        self.duality_gap_ = max((r.gap for r in reports), default=0.0)
        self.n_iter_ = np.array([1 if p.report is None else p.report.iterations for p in planes], dtype=np.int64)
        if any(r.status in ("max_iter", "time_limit") for r in reports):
            warnings.warn(
                f"The solver stopped early, with a duality gap of {self.duality_gap_:.3g}. Raise max_iter or "
                "time_limit, raise alpha, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """How much nearer the plane of the second of two classes is; of several, minus the distance from each plane.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, else a column per class.
        """
        values = self._products(self._predict_table(X), self._coef_rows.T) + self.intercept_
        found = nearness(values, self.norms_)
        return found[:, 0] if len(self.classes_) == 2 else found

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class whose plane is nearest to each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        decisions = self.decision_function(X)
        codes = (decisions >= 0).astype(np.int64) if decisions.ndim == 1 else np.argmax(decisions, axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def _fitted_state(self) -> State:
        own = {
            "classes": labels_state(self.classes_), "norms": self.norms_, "gap": float(self.duality_gap_),
            "n_iter": self.n_iter_,
        }  # fmt: skip
        return super()._fitted_state() | own | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        n = len(self.classes_)
        self._restore_support(state, n, n)
        self.norms_ = state.array("norms", "float64", (n,), low=0.0, high=LARGEST_SQUARE)
        self.duality_gap_ = state.number("gap", -LARGEST_SQUARE, LARGEST_SQUARE)
        self.n_iter_ = state.array("n_iter", "int64", (n,), low=0)
        self._n_support = np.count_nonzero(self._coef_rows, axis=1).astype(np.int32)
        restore_parameters(self, state)

"""Classes from few labels and many rows: a support vector machine that is smooth along a graph of neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Bools, Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget, MercerError, TooLarge
from mercer.estimators.common.labels import labels_state
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision, budget_bytes, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows, is_missing
from mercer.estimators.laplacian.search import DeformedMachines, LaplacianLoss, LaplacianSearch, deformed_kernel
from mercer.estimators.multiclass.decisions import ClassDecisions
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.estimators.multiclass.strategy import Multiclass, Shape, expect_two_classes
from mercer.estimators.svm.solve import Solver
from mercer.formatting import byte_size
from mercer.kernels import Kernel, KernelLike
from mercer.kernels.base import refuse_overflow
from mercer.parameters import Choice, Number, Parameters, check_parameters
from mercer.select.grid import GRID, Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.svm.manifold import neighbour_laplacian
from mercer.state import LARGEST, Reader, State
from mercer.table import Kind, Table
from mercer.table.missingness import MissingIndicator
from mercer.table.target import class_codes

_SHARED = (
    "kernel", "degree", "coef0", "tol", "max_iter", "time_limit", "cache_size", "kinds", "missing_indicator",
    "n_jobs",
)  # fmt: skip


@shares_docs()
class LaplacianSVC(ClassifierMixin, KernelMachine):
    """min 1/2 |w|^2 + gamma_manifold/2 sum_i~j (f(x_i) - f(x_j))^2 + C sum_labelled loss(y_i f(x_i)), f(x) = w.x + b.

    A Laplacian support vector machine (Belkin, Niyogi and Sindhwani 2006): i ~ j are neighbours among all rows, with a
    label or without, so the decision changes where rows are few. It is the plain machine on a kernel deformed by the
    graph, and with gamma_manifold=0 that on the rows with a label. The whole kernel matrix is held, and a linear system
    of its size solved.

    Rows without a label have None, NaN or the missing value of a data frame as target, or, as in scikit-learn, the
    number -1 where two classes or more are left without it; of the numbers -1 and 1 alone, both are classes.

    Parameters
    ----------
    C : float or "cv", default 1.0
        Cost of an error on a row with a label, above 0; "cv" searches it by cross-validation: rows with a label are
        left out by turns and stay in the graph.
    gamma_manifold : float or "cv", default "cv"
        Weight of differences between neighbours, at least 0; "cv" searches it, for which a linear system of all rows is
        solved at each value of the grid. No number serves all tables: where classes lie apart along the graph, as
        images of digits do, 1 is good, and where they do not, neighbours pull every row to the more frequent class.
    n_neighbors : int, default 7
        Nearest rows in the kernel's space that each row is joined with.
    loss : {"hinge", "squared"}, default "hinge"
        max(0, 1 - y f), or (y - f)^2 / 2, a linear system (Laplacian regularised least squares).
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    multi_class : {"ovr", "ovo"}, default "ovr"
        Several classes by a binary problem for each class against the rest, or for each pair.
    {svm_tol}
    {svm_max_iter}
    {time_limit}
    cache_size : float or None, default None
        Megabytes for the kernel matrix and the graph, at most; None for a quarter of the machine's memory.
    {kinds}
    grid : Grid or None, default None
        What "cv" tries, by its C, gamma_manifold, gamma, cv, scoring, rows (with a label) and random_state; None for
        `mercer.Grid()`.
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    C_ : float
        The cost, as given or as found by "cv".
    gamma_manifold_ : float
        The weight of differences, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    kernel_ : Kernel
        The kernel, fitted.
    n_labelled_ : int
        Training rows with a label.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that predictions compare with.
    support_rows_ : Table
        Those rows.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Their coefficients in each binary problem.
    intercept_ : ndarray of shape (n_problems,)
        b.
    n_iter_ : ndarray of shape (n_problems,)
        Steps of the solver; 1 for a linear system.
    shape_fit_ : tuple of int
        Rows and columns of the training table.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    Two labels for two hundred rows:

    >>> import mercer, numpy as np
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> few = np.full(200, -1)
    >>> few[[np.argmax(y == 0), np.argmax(y == 1)]] = 0, 1
    >>> model = mercer.LaplacianSVC(gamma=10.0, gamma_manifold=10.0, C=100.0).fit(X, few)
    >>> model.n_labelled_, model.score(X, y) > 0.95
    (2, True)
    """

    parameters: ClassVar[Parameters] = {
        **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
        "C": Number(0, LARGEST, above=True, words=("cv",)),
        "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
        "gamma_manifold": Number(0, LARGEST, words=("cv",)),
        "n_neighbors": Number(1, whole=True),
        "loss": Choice(LaplacianLoss),
        "multi_class": Choice(Shape),
        "grid": GRID,
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma_manifold", "gamma")
    settled: ClassVar[tuple[str, ...]] = ("multi_class",)
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    precision: Precision = "double"
    classes_: NDArray[Any]

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        gamma_manifold: float | Literal["cv"] = "cv",
        n_neighbors: int = 7,
        loss: LaplacianLoss = "hinge",
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        multi_class: Shape = "ovr",
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.C = C
        self.gamma_manifold = gamma_manifold
        self.n_neighbors = n_neighbors
        self.loss = loss
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any) -> Self:
        """Deform the kernel by the graph of all rows, and learn from those with a label.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,)
            Class of each row; None, NaN or -1 for rows without.

        Returns
        -------
        {self}
        """
        data = self._read(X, y)
        self.n_labelled_ = int((data.target >= 0).sum())
        values = choose_parameters(self, self._search_problem(data), self.grid)
        self._choose_kernel(data, values["gamma"])
        with at_most(self._jobs):
            self._learn(data, float(values["gamma_manifold"]), float(values["C"]))
        return self

    def _read(self, X: Any, y: Any) -> TrainingRows:
        """All rows, with class codes or -1; sets `classes_`."""
        check_parameters(self)
        data = self._training_rows(X, self._class_codes, y, None, None)
        labelled = data.target >= 0
        expect_two_classes(self, data.target[labelled], data.weight[labelled])
        if isinstance(self.kernel, Kernel) and self.kernel.supervised and not labelled.all():
            raise MercerError(f"{self.kernel!r} learns from the target, which some rows have not. Use another kernel.")
        return data

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> LaplacianSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,)
            Class of each row; None, NaN or -1 for rows without.

        Returns
        -------
        {problem}
        """
        return self._search_problem(self._read(X, y))

    def _search_problem(self, data: TrainingRows) -> LaplacianSearch:
        known = data.target[data.target >= 0]
        reader = ClassDecisions(self.classes_, known, self._multiclass, True, "ovr", "sigmoid")
        return LaplacianSearch(
            given_parameters(self), data, reader, self._choice, self._jobs, int(self.n_neighbors), self._machines
        )

    @property
    def _machines(self) -> DeformedMachines:
        return DeformedMachines(self.loss, Solver.of(self))

    def _class_codes(self, y: Any, n_rows: int) -> Ints:
        """Codes of classes, -1 for rows without; sets `classes_`."""
        known = ~_unlabelled(y)
        if known.all() or len(known) != n_rows:
            self.classes_, codes = class_codes(y, n_rows)
            return codes
        if not known.any():
            raise BadTarget("No row has a label: nothing can be learned.")
        cells = np.asarray(y, dtype=object).reshape(-1)[known]
        found = np.full(n_rows, -1, dtype=np.int32)
        self.classes_, found[known] = class_codes(np.array(cells.tolist()), len(cells))
        return found

    def _flag_missing(
        self, table: Table, targets: Sequence[Any], counts: Floats | None, kind: Kind | None = None
    ) -> Table:
        """Whether gaps go with the target is asked of the rows with a label."""
        [codes] = targets
        return super()._flag_missing(table, [np.maximum(codes, 0)], (codes >= 0).astype(np.float64), kind)

    @property
    def _multiclass(self) -> Multiclass:
        return Multiclass(len(self.classes_), self.multi_class)

    def _gram(self, data: TrainingRows) -> Floats:
        n, budget = len(data.table), budget_bytes(self.cache_size)
        needed = 4 * n * n * 8  # the matrix, the graph, their product and distances
        if needed > budget:
            raise TooLarge(
                f"LaplacianSVC holds the kernel matrix and the graph, {byte_size(needed)} for {n:,} rows; the budget "
                f"is {byte_size(budget)}. Raise cache_size, train on fewer rows, or use SVC(transductive=True)."
            )
        gram = whole_matrix(self.kernel_, data.table, np.dtype(np.float64), budget - n * n * 8, self._jobs)
        refuse_overflow(self.kernel_, gram[0], gram.diagonal())
        return np.asarray(gram)

    def _learn(self, data: TrainingRows, strength: float, cost: float) -> None:
        gram, labelled = self._gram(data), np.flatnonzero(data.target >= 0)
        columns, deformed = deformed_kernel(gram, neighbour_laplacian(gram, self.n_neighbors), strength, labelled)
        problems = self._multiclass.problems(data.target[labelled])
        found = [self._machines.path(deformed, problem, [cost])[0] for problem in problems]
        coef = np.array([columns @ machine.coef for machine in found])
        support = np.flatnonzero(coef.any(axis=0))
        self._keep_support(data, support, coef[:, support], [machine.bias for machine in found])
        self._n_support = np.count_nonzero(coef, axis=1).astype(np.int32)
        self.n_iter_ = np.array([machine.steps for machine in found], dtype=np.int64)
        stopped = [machine.gap for machine in found if machine.stopped]
        if stopped:
            warnings.warn(
                f"The solver stopped early, with a duality gap of {max(stopped):.3g}. Raise max_iter or time_limit, or "
                "lower C.",
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
        own = {"classes": labels_state(self.classes_), "n_labelled": int(self.n_labelled_), "n_iter": self.n_iter_}
        return super()._fitted_state() | own | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        n = self._multiclass.n_problems
        self._restore_support(state, n, n)
        self.n_labelled_ = state.integer("n_labelled", 2)
        self.n_iter_ = state.array("n_iter", "int64", (n,), low=0)
        self._n_support = np.count_nonzero(self._coef_rows, axis=1).astype(np.int32)
        restore_parameters(self, state)


def _unlabelled(y: Any) -> Bools:
    """Which rows have no label: missing, or -1 where that leaves two classes or more."""
    missing = is_missing(y)
    cells = np.asarray(y, dtype=object).reshape(-1)
    minus = np.array([isinstance(c, int | float | np.number) and c == -1 for c in cells], dtype=bool)
    if minus.any() and len(set(cells[~missing & ~minus])) >= 2:
        return missing | minus
    return missing

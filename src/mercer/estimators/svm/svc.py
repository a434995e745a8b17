"""Support vector classification on any table and any kernel."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import Rows
from mercer.arrays import Floats
from mercer.errors import BadTarget, MercerError, MercerWarning
from mercer.estimators.svm.binary_problems import Duel, duels
from mercer.estimators.svm.classifier import DuelClassifier
from mercer.estimators.svm.nu import NuMachine
from mercer.estimators.svm.search import Folds, Given, Grid, PathMachine, is_cv
from mercer.estimators.svm.warm_start import Start
from mercer.kernels import KernelLike
from mercer.solvers.svm import duals
from mercer.solvers.svm.cv_path import Plan
from mercer.solvers.svm.smo import Problem, Solution

SLACKS = ("l1", "l2")


class SVC(PathMachine, DuelClassifier):
    """min 1/2 |w|^2 + C sum_i weight_i xi_i, with y_i (w.f(x_i) + b) >= 1 - xi_i and xi_i >= 0.

    A plane in the feature space f of a kernel, k(a, b) = f(a).f(b), with the widest margin between two classes. Several
    classes are compared pair by pair, or each with the rest, on one kernel matrix; pairs on a small one each where that
    is cheaper. Arrays, sparse matrices, data frames and mixed tables with missing cells are taken as they are.

    Parameters
    ----------
    C : cost of a margin error, above 0; infinity allows none (hard margin); "cv" searches it by cross-validation
    kernel : "rbf", "linear", "poly", "sigmoid", "precomputed", a function of two arrays, or a mercer Kernel such as
        RBF(0.5) + Lin(). A name stands for the numbers as they are, missing ones as the mean; in a table with
        categories, numbers are standardised and levels compared too (`mercer.kernels.default_kernel`)
    degree, gamma, coef0 : of the kernels named; gamma is a number above 0, "scale" (1 / (columns * variance)), "auto"
        (1 / columns) or "cv", which searches it, or a factor on every gamma of a kernel given as an object
    slack : "l1" charges C xi, "l2" C/2 xi^2
    probability : False, "sigmoid" (or True) or "isotonic": how decisions held out by 5 folds become probabilities
    class_weight : None, "balanced", or class -> weight; times C
    multi_class : "ovo" (a machine for each pair of classes) or "ovr" (one for each class)
    decision_function_shape : "ovr" (a column for each class) or "ovo" (for each pair)
    break_ties : decide equal votes by decision values instead of by order of the classes
    tol : largest violation of the optimality conditions left
    max_iter, time_limit : steps and seconds after which the solver stops, with a usable model; -1 and None for none
        (but 10 million steps, or 100 a row)
    warm_start : whether fit goes on where the last one stopped, by a limit or by Ctrl-C, when the rows are the same;
        also after a change of C or gamma, from the solution there
    transductive : whether rows of X whose y is missing (None or NaN) tell the kernel, too, how frequent levels are and
        how wide numbers spread; they are not learned from. Only for rows that may be known before predicting
    cache_size : megabytes for kernel rows, at most; rows that are cheap to compute are not all kept. None for a quarter
        of the machine's memory
    precision : of kernel values: "single", "double", or "auto" (double up to 5,000 rows)
    kinds : column -> kind, overriding what is inferred from a data frame
    grid : what "cv" tries and how; None for `mercer.Grid()`
    n_jobs : threads; None for all. Results do not depend on it

    Attributes
    ----------
    classes_, class_weight_, kernel_, schema_
    C_, gamma_ : as given, or as found by "cv"; then `tuning_` (`mercer.Tuning`) holds every point that was tried
    support_, n_support_, support_vectors_ : rows of the training table that the model compares with, by class
    dual_coef_, intercept_ : as in scikit-learn; coef_ for a linear kernel
    margin_ : distance 2 / |w| between the margins, of each machine
    duality_gap_, primal_, dual_, n_iter_, fit_status_ : how well the problem is solved (0: converged)
    n_bounded_ : support rows at their bound, that is inside the margin

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, 47, 52], "job": ["clerk", "sales", "clerk", "smith"]}
    >>> model = mercer.SVC(C=10).fit(rows, ["no", "no", "yes", "yes"])
    >>> model.predict({"age": [50, 28], "job": [None, "pilot"]})
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        slack: str = "l1",
        probability: bool | str = False,
        class_weight: Mapping[Any, float] | str | None = None,
        multi_class: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        cache_size: float | None = None,
        precision: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.slack = slack
        self.probability = probability
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs

    def _check_own(self) -> None:
        if not is_cv(self.C):
            expect_cost(self.C)
        if self.slack not in SLACKS:
            raise MercerError(f"slack={self.slack!r}: expected one of {', '.join(SLACKS)}.")

    def _problem(self, duel: Duel, weight: Floats) -> Problem:
        cost = (self.C_ if np.isfinite(self.C_) else 1.0) * weight
        squared = self.slack == "l2" and bool(np.isfinite(self.C_))
        cost = weighted(cost) if squared else cost
        return replace(duals.svc(duel.y, cost, squared_slack=squared), rows=duel.rows)

    def _plan(self, given: Given, folds: Folds, costs: Floats, tube: float | None) -> Plan:
        machines = duels(given.truth, len(self.classes_), self.multi_class)
        targets = np.zeros((len(machines), len(given.truth)))
        for p, duel in enumerate(machines):
            targets[p, duel.rows] = duel.y
        squared = self.slack == "l2"
        members = (targets != 0) & ((given.weight > 0) | squared)
        weight = weighted(given.weight) if squared else given.weight
        return Plan(targets, folds, costs, members=members.astype(np.uint8), weight=weight, squared_slack=squared)

    def _answer(self, problem: Problem, source: Rows, start: Start | None = None) -> tuple[Floats, float, Solution]:
        soft = np.isfinite(self.C_)
        found = self._solve(problem, source, start=start) if soft else self._hard(problem, source)
        return found.beta, found.bias[0], found

    def _hard(self, problem: Problem, source: Rows) -> Solution:
        """The widest margin without errors."""
        found, exact = self._solve_hard(problem, source)
        if exact:
            return found
        wrong = int((-problem.linear * (found.f[problem.kernel_rows] + found.bias[0]) < 1 - 1e-2).sum())
        raise BadTarget(
            f"C=inf asks for a margin without errors, but the classes do not separate with {self.kernel_!r}: {wrong} "
            f"of {len(problem.linear)} rows are inside the margin. Give a finite C, or a kernel of more features."
        )


class NuSVC(NuMachine, DuelClassifier):
    """SVC with nu in place of C: at most a share nu of the rows are margin errors, at least a share nu support vectors.

    Parameters
    ----------
    nu : above 0, up to 1, and at most twice the share of the smaller class of each pair; "cv" searches it
    gamma : as SVC's, with "cv"
    grid : what "cv" tries and how; None for `mercer.Grid()`
    others : as SVC's

    Attributes
    ----------
    nu_, gamma_ : as given, or as found by "cv"; then `tuning_` (`mercer.Tuning`) holds every point that was tried
    others : as SVC's

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NuSVC(nu=0.5).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> model.predict([[0.5], [4.5]])
    array([0, 1])
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.NuSVC(nu="cv", gamma="cv", grid=mercer.Grid(nu=[0.05, 0.2], gamma=[0.1, 1], cv=3)).fit(X, y)
    >>> model.tuning_.best_params == {"nu": model.nu_, "gamma": model.gamma_}, model.tuning_.mean.shape
    (True, (2, 2))
    """

    def __init__(
        self,
        *,
        nu: float | str = 0.5,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        probability: bool | str = False,
        class_weight: Mapping[Any, float] | str | None = None,
        multi_class: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        cache_size: float | None = None,
        precision: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.probability = probability
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs

    tuned = ("nu", "gamma")

    def _check_own(self) -> None:
        if not is_cv(self.nu):
            expect_nu(self.nu)

    def _most_nu(self, given: Given) -> float:
        pairs = duels(given.truth, len(self.classes_), self.multi_class)
        return min(_most(duel, given.weight[duel.rows]) for duel in pairs)

    def _held_out(self, given: Given, kept: NDArray[np.bool_], source: Rows) -> Floats:
        decisions = []
        for duel in duels(given.truth, len(self.classes_), self.multi_class):
            known = kept[duel.rows]
            part = Duel(duel.rows[known], duel.y[known])
            weight = given.weight[part.rows]
            sides = {*part.y[weight > 0].tolist()}
            one_sided = np.full(len(kept), sum(sides))  # a class that no kept row has: the other one it is
            decisions.append(self._decided(part, weight, source) if len(sides) == 2 else one_sided)
        return np.array(decisions)

    def _problem(self, duel: Duel, weight: Floats) -> Problem:
        most = _most(duel, weight)
        nu = min(self.nu_, most) if self._cross_fitting else self.nu_  # a fold may be a row short of the whole
        if nu > most * (1 + 1e-9):
            raise BadTarget(
                f"specified nu is infeasible: nu={self.nu_} asks for more rows of the smaller class than there are; at "
                f"most {most:.4g} here. Lower nu, or weigh the classes."
            )
        made = duals.nu_svc(duel.y, weight, min(nu, most))
        return replace(made, rows=duel.rows[made.kernel_rows])

    def _answer(self, problem: Problem, source: Rows, start: Start | None = None) -> tuple[Floats, float, Solution]:
        found = self._solve(problem, source, start=start)
        first, second = found.bias
        if second - first < 10 * self.tol and not self._cross_fitting:
            warnings.warn(
                f"nu={self.nu_} leaves no margin: the classes overlap by more than it allows, and the answer is as "
                "rough as tol. Raise nu, or use SVC.",
                MercerWarning,
                stacklevel=4,
            )
        scale = 2 / (second - first) if second > first else 1.0
        return found.beta * scale, (first + second) / 2 * scale, found


def _most(duel: Duel, weight: Floats) -> float:
    """The largest nu that a duel allows: twice the share of the smaller side."""
    sides = [float(weight[duel.y == sign].sum()) for sign in (1.0, -1.0)]
    return 2 * min(sides) / sum(sides)


def weighted(cost: Floats) -> Floats:
    """Costs of squared slacks: a row of no weight has one that costs next to nothing."""
    return cost if (cost > 0).all() else np.maximum(cost, 1e-12 * cost.max())


def expect_cost(cost: Any) -> None:
    """MercerError unless cost is a number above 0."""
    if isinstance(cost, bool | str) or not np.isscalar(cost) or not cost > 0:  # type: ignore[operator]
        raise MercerError(f"C={cost!r}: expected a number above 0; infinity for a hard margin.")


def expect_nu(nu: Any) -> None:
    """MercerError unless nu is above 0 and up to 1."""
    if isinstance(nu, bool | str) or not np.isscalar(nu) or not 0 < nu <= 1:  # type: ignore[operator]
        raise MercerError(f"nu={nu!r}: expected a number above 0, up to 1.")

"""Choosing the cost, tube and width of a kernel machine, with the work shared between folds, costs and pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.svm.cv_scores import Judge
from mercer.estimators.svm.kernel_machine import KernelMachine
from mercer.estimators.svm.kernel_widths import KernelPath
from mercer.kernels import Kernel
from mercer.kernels.nested_gamma import has_gamma, scale_gamma
from mercer.select.sampling import deal_folds, sample_rows
from mercer.select.tuning_result import Tuning
from mercer.solvers.svm.cv_path import Plan, Search, search
from mercer.table import Table, from_array

Folds: TypeAlias = NDArray[np.int32]
COSTS = tuple(4.0**k for k in range(-2, 6))
TUBES = (0.03, 0.1, 0.3)
WIDTHS = tuple(4.0**k for k in range(-4, 3))
LEVEL = 0.95


class Grid(BaseEstimator):
    """What "cv" tries for C, epsilon, nu and gamma, and how the points are compared.

    Parameters
    ----------
    C : costs to try; None for 4^-2, 4^-1, ..., 4^5, in regression times the standard deviation of the target
    epsilon : tubes to try; None for 0.03, 0.1 and 0.3 standard deviations of the target
    nu : of NuSVC and NuSVR; None for 0.02, 0.05, 0.1, 0.2, 0.4, 0.6 and 0.8 of the largest that the classes allow
    gamma : widths to try; None for the gamma of "scale" times 4^-4, ..., 4^2. For a kernel given as an object they are
        factors of every gamma in it, and None stands for 4^-4, ..., 4^2
    cv : number of folds, or a splitter of scikit-learn whose held-out parts do not overlap
    scoring : the name of a scorer of scikit-learn, or a function of (estimator, X, y) such as make_scorer makes;
        accuracy or R^2 when None
    rows : the search uses at most so many rows, drawn at random
    race : after two folds and each further one, leave out points that are behind by three standard errors
    gap : how exactly points that cannot win are solved, relative to the sum of costs (in regression times the standard
        deviation of the target); 0 solves every point exactly. Race and gap are for SVC and SVR: others are exact
    random_state : of the folds and of the rows drawn

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = mercer.Grid(C=[0.1, 1, 10], gamma=[0.01, 0.1, 1], cv=3, scoring="balanced_accuracy")
    >>> model = mercer.SVC(C="cv", gamma="cv", grid=grid).fit(X, y)
    >>> model.tuning_.best_params == {"C": model.C_, "gamma": model.gamma_}, len(model.tuning_.points)
    (True, 9)
    """

    def __init__(
        self,
        *,
        C: Sequence[float] | None = None,
        epsilon: Sequence[float] | None = None,
        nu: Sequence[float] | None = None,
        gamma: Sequence[float | str] | None = None,
        cv: Any = 5,
        scoring: str | Callable[..., float] | None = None,
        rows: int = 5000,
        race: bool = False,
        gap: float = 5e-3,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.nu = nu
        self.gamma = gamma
        self.cv = cv
        self.scoring = scoring
        self.rows = rows
        self.race = race
        self.gap = gap
        self.random_state = random_state


@dataclass(frozen=True)
class Given:
    """The rows of a search: truth is class codes or numbers, weight multiplies the cost, own weighs scores (or None);
    a kernel learns from `more` unlabelled rows too."""

    table: Table
    truth: NDArray[Any]
    weight: Floats
    own: Floats | None = None
    more: Any = None

    def take(self, rows: NDArray[np.int64], *, square: bool) -> Given:
        """Some of the rows; of a square table the same columns."""
        table = from_array(self.table.numbers()[np.ix_(rows, rows)]) if square else self.table.take(rows)
        own = None if self.own is None else self.own[rows]
        return replace(self, table=table, truth=self.truth[rows], weight=self.weight[rows], own=own)


@dataclass(frozen=True)
class Hunt:
    """What all points of a search share."""

    given: Given
    folds: Folds
    judge: Judge
    grid: Grid


@dataclass(frozen=True)
class Scores:
    """scores (gammas, costs, folds), exact and rejected (gammas, costs) of one tube or nu; as `Search` has them."""

    scores: Floats
    exact: NDArray[np.bool_]
    rejected: NDArray[np.bool_]


class TunedMachine(KernelMachine):
    """A kernel machine whose parameters named in `tuned` may be "cv"; it has the parameter `grid`.

    fit sets C_, gamma_ (and epsilon_ or nu_), as given or as found, and `tuning_` when something was searched.
    """

    tuned: ClassVar[tuple[str, ...]] = ("C", "gamma")
    middle: ClassVar[str] = "epsilon"  # what is tried between costs and widths, where the machine has it
    is_class_machine: ClassVar[bool] = True

    @abstractmethod
    def _scores(
        self, hunt: Hunt, costs: list[Any], tube: float | None, matrix: NDArray[Any], gammas: Floats | None
    ) -> Scores | Search:
        """The points of these costs, values of C, and of each gamma: k = exp(-gamma matrix), or the matrix itself."""

    def _middles(self, given: Given, grid: Grid) -> list[float]:
        """Tubes to try."""
        return grid_values("epsilon", grid.epsilon, [self._units(given)[1] * t for t in TUBES], of_zero=True)

    def _units(self, given: Given) -> tuple[float, float]:
        """What the costs and tubes of a grid that are not given are multiplied with."""
        return 1.0, 1.0

    def _searched(self) -> tuple[str, ...]:
        """Which parameters are "cv"; a width that the kernel does not have is not searched."""
        kernel = self.kernel
        wide = has_gamma(kernel) if isinstance(kernel, Kernel) else kernel in ("rbf", "poly", "sigmoid")
        return tuple(n for n in self.tuned if is_cv(getattr(self, n)) and (n != "gamma" or wide))

    def _take_given(self) -> tuple[str, ...]:
        """Set the parameters that are given; the names of those to be searched."""
        for name in self.tuned:
            value = getattr(self, name)
            setattr(self, f"{name}_", None if is_cv(value) else value)
        self.__dict__.pop("tuning_", None)
        return self._searched()

    def _settle(self, given: Given) -> None:
        names = self._take_given()
        if names:
            self.tuning_ = tune_machine(self, given, names, Grid() if self.grid is None else self.grid)
            for name, value in self.tuning_.best_params.items():
                setattr(self, f"{name}_", value)

    def _value(self, name: str) -> Any:
        return getattr(self, f"{name}_") if name in self.tuned else getattr(self, name)

    def _make_kernel(self, table: Table, gamma: Any, more: Any = None, weight: Floats | None = None) -> Kernel:
        if isinstance(self.kernel, Kernel) and is_cv(self.gamma) and gamma is not None:
            return scale_gamma(self.kernel, gamma, table, more, weight)
        return super()._make_kernel(table, gamma, more, weight)


class PathMachine(TunedMachine):
    """A machine that follows a path of costs, each solution starting the next (`mercer.solvers.svm.cv_path`)."""

    @abstractmethod
    def _plan(self, given: Given, folds: Folds, costs: Floats, tube: float | None) -> Plan:
        """The problems of a search over costs, which are values of C."""

    def _scores(
        self, hunt: Hunt, costs: list[Any], tube: float | None, matrix: NDArray[Any], gammas: Floats | None
    ) -> Search:
        if not np.isfinite(costs[-1]):
            raise MercerError("C=inf: the widths of a hard margin cannot be searched. Give a finite C, or C='cv'.")
        tol, gap = self._exactness(hunt.given, float(hunt.grid.gap))
        return search(
            matrix, gammas, self._plan(hunt.given, hunt.folds, np.array(costs), tube), hunt.judge, tol=tol, gap=gap,
            race=bool(hunt.grid.race), max_iter=self.max_iter, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _exactness(self, given: Given, gap: float) -> tuple[float, float]:
        """`tol`, and the gap of a grid, in the units of the problem."""
        return float(self.tol), gap


def is_cv(value: Any) -> bool:
    return isinstance(value, str) and value == "cv"


def tune_machine(machine: TunedMachine, given: Given, names: tuple[str, ...], grid: Grid) -> Tuning:
    """Search the machine's grid on folds dealt for it; `names` are the parameters searched."""
    rows, seed = drawn_rows(grid, given.truth, machine.is_class_machine)
    if len(rows) < len(given.truth):
        given = given.take(rows, square=machine._given)
    return search_grid(machine, given, fold_numbers(grid.cv, given.truth, machine.is_class_machine, seed), names, grid)


def drawn_rows(grid: Grid, truth: NDArray[Any], classes: bool) -> tuple[NDArray[np.int64], int]:
    """The rows that a search uses, and the seed of its folds."""
    if not isinstance(grid.rows, int | np.integer) or grid.rows < 10:
        raise MercerError(f"grid: rows={grid.rows!r}; expected a whole number of at least 10.")
    seed = int(check_random_state(grid.random_state).randint(2**31 - 1))
    return sample_rows(truth if classes else None, len(truth), int(grid.rows), seed), seed


def search_grid(machine: TunedMachine, given: Given, folds: Folds, names: tuple[str, ...], grid: Grid) -> Tuning:
    """The surface over every combination of costs, tubes and widths."""
    hunt = Hunt(given, folds, Judge(machine, given.truth, given.own, grid.scoring), grid)
    path = KernelPath(machine, given.table, given.more, given.own)
    costs, tubes, widths = _axes(machine, given, path, names, grid)
    scores = np.full((len(costs), len(tubes), len(widths), int(folds.max()) + 1), np.nan)
    exact, rejected = np.zeros((2, *scores.shape[:3]), dtype=bool)
    for places, matrix, gammas in path.matrices(widths):
        for e, tube in enumerate(tubes):
            found = machine._scores(hunt, costs, tube, matrix, gammas)
            scores[:, e, places] = np.swapaxes(found.scores, 0, 1)
            exact[:, e, places], rejected[:, e, places] = found.exact.T, found.rejected.T
    axes = ("C", machine.middle, "gamma")
    settings = [dict(zip(axes, point, strict=True)) for point in product(costs, tubes, widths)]
    n = len(settings)
    return Tuning.of_points(
        names, hunt.judge.name, len(folds), LEVEL, settings, scores.reshape(n, -1), exact.reshape(n),
        rejected.reshape(n),
    )  # fmt: skip


def fold_numbers(cv: Any, truth: NDArray[Any], classes: bool, seed: Any) -> Folds:
    """The fold that holds each row out, -1 for none: dealt at random for a number of folds, else as a splitter says."""
    n = len(truth)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2 or n < 2:
            raise BadTable(f"cv={cv} with n_samples = {n}: cross-validation takes at least two folds and two rows.")
        return deal_folds(truth if classes else None, n, min(int(cv), n), seed)
    return split_numbers(cv, truth, classes)


def split_numbers(cv: Any, truth: NDArray[Any], classes: bool) -> Folds:
    """The fold that holds each row out, by a splitter or splits; a number stands for scikit-learn's splitter."""
    n = len(truth)
    folds = np.full(n, -1, dtype=np.int32)
    for fold, (teach, held) in enumerate(check_cv(cv, truth, classifier=classes).split(np.empty((n, 1)), truth)):
        if (folds[held] >= 0).any() or len(np.union1d(teach, held)) != n or len(teach) + len(held) != n:
            raise MercerError(
                "cv: work is shared between folds that hold a row out at most once and train on all others, as those "
                "of KFold and StratifiedKFold do."
            )
        folds[held] = fold
    return folds


def _axes(
    machine: TunedMachine, given: Given, path: KernelPath, names: tuple[str, ...], grid: Grid
) -> tuple[list[Any], list[float | None], list[Any]]:
    """Costs, tubes or nus, and widths to try: ascending; a single value for what is not searched."""
    costs = [getattr(machine, "C_", None)]
    if "C" in names:
        costs = [*grid_values("C", grid.C, [machine._units(given)[0] * c for c in COSTS])]
    tubes: list[float | None] = [getattr(machine, f"{machine.middle}_", None)]
    if machine.middle in names:
        tubes = [*machine._middles(given, grid)]
    if "gamma" not in names:
        return costs, tubes, [machine._value("gamma")]
    if grid.gamma is None:
        return costs, tubes, [path.number("scale") * w for w in WIDTHS]
    words = [g for g in grid.gamma if isinstance(g, str)]
    if any(w not in ("scale", "auto") for w in words):
        raise MercerError(f"grid: gamma={words[0]!r}; expected numbers above 0, 'scale' or 'auto'.")
    numbers = [g for g in grid.gamma if not isinstance(g, str)]
    return costs, tubes, [*words, *(grid_values("gamma", numbers, []) if numbers or not words else [])]


def grid_values(name: str, given: Sequence[float] | None, usual: list[float], *, of_zero: bool = False) -> list[float]:
    """Distinct values in ascending order, finite and above 0."""
    try:
        values = np.unique(np.asarray(usual if given is None else given, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.empty(0)
    if not len(values) or not np.isfinite(values).all() or not (values[0] > 0 or (of_zero and values[0] == 0)):
        raise MercerError(
            f"grid: {name}={given!r}; expected at least one number {'of at least' if of_zero else 'above'} 0."
        )
    return [float(v) for v in values]


def target_unit(target: Floats, weight: Floats) -> float:
    """The weighted standard deviation, 1 when that is 0: what costs and tubes of regression are counted in."""
    mean = np.average(target, weights=weight)
    return float(np.sqrt(np.average((target - mean) ** 2, weights=weight))) or 1.0

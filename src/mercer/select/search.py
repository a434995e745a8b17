"""Cross-validation over a grid of parameters, for every model that shares work between points and folds.

A model takes part through a `TunableProblem`: itself with its training rows. The search draws rows, deals folds, asks
the problem which values to try and for the scores of all points, and makes a `Tuning` of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, ClassVar, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from mercer.arrays import Bools, Floats, Ints, Longs
from mercer.errors import BadTable, MercerError
from mercer.select.copies import MIN_DISTINCT, Copies
from mercer.select.cv_scores import DecisionReader, FoldScorer
from mercer.select.grid import Grid
from mercer.select.sampling import deal_folds, sample_rows
from mercer.select.tuning_result import Tuning
from mercer.state import Reader, State
from mercer.tasks import each_task, shares

Axes: TypeAlias = dict[str, list[Any]]  # parameter -> values to try, one for what is not searched
_LEVEL = 0.95


@dataclass(frozen=True)
class GridScores:
    """scores (length of each axis, ..., folds), larger is better; exact and rejected (length of each axis, ...).

    exact : solved to the model's tolerance; rejected : left out after some folds
    """

    scores: Floats
    exact: Bools
    rejected: Bools


class TunableProblem(Protocol):
    """A model and its training rows, as a search sees them. Write one to let `mercer.tune` search your model."""

    @property
    def target(self) -> NDArray[Any]:
        """Class codes or numbers, (n_rows,)."""

    @property
    def score_weight(self) -> Floats | None:
        """Weight of each row in scores, (n_rows,), or None."""

    @property
    def reader(self) -> DecisionReader:
        """What the decision values of the model mean."""

    def take(self, rows: Longs) -> TunableProblem:
        """The same problem on some of the rows."""

    def copies(self) -> Copies | None:
        """Rows that were written more than once, which folds keep together; None for none."""

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """The values to try, in ascending order; a single one for a parameter that is not searched."""

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """The scores of every point: train without each fold, score the decisions on it."""

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The constructor parameters that make a model of the best point."""


@runtime_checkable
class Tunable(Protocol):
    """An estimator that `tune` takes: SVC, SVR, NuSVC, NuSVR, LinearSVC, LinearSVR, and yours if it has these."""

    tunable: ClassVar[tuple[str, ...]]  # the parameters that can be searched, in the order of the points

    def searched_parameters(self) -> tuple[str, ...]:
        """Those of `tunable` that are "cv" and have a meaning with the other parameters."""

    def tunable_problem(self, X: Any, y: Any) -> TunableProblem:
        """The estimator and its training rows as the problem of a search."""

    def set_params(self, **parameters: Any) -> Self: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def fit(self, X: Any, y: Any) -> Self: ...


def is_searched(value: Any) -> bool:
    """Whether a parameter is "cv"."""
    return isinstance(value, str) and value == "cv"


def given_parameters(model: Tunable) -> dict[str, Any]:
    """The values of the tunable parameters, None where they are "cv"."""
    values = {name: getattr(model, name) for name in model.tunable}
    return {name: None if is_searched(value) else value for name, value in values.items()}


def choose_parameters(model: Tunable, problem: TunableProblem, grid: Grid | None) -> dict[str, Any]:
    """The tunable parameters as given, or as found where they are "cv"; set as `C_` and so on, and as `tuning_`."""
    searched = model.searched_parameters()
    return set_parameters(model, search(problem, searched, grid) if searched else None)


def tuning_state(model: Tunable) -> State:
    """The search of a fitted model as plain data, for its model file."""
    tuning: Tuning | None = getattr(model, "tuning_", None)
    return {} if tuning is None else {"tuning": tuning.to_state()}


def restore_parameters(model: Tunable, state: Reader) -> None:
    """Set what `choose_parameters` set, from what `tuning_state` gave."""
    set_parameters(model, Tuning.from_state(state.child("tuning")) if state.has("tuning") else None)


def set_parameters(model: Tunable, tuning: Tuning | None) -> dict[str, Any]:
    """What the search found, or the parameters as they are, set as `C_` and so on; the values."""
    values = given_parameters(model) | ({} if tuning is None else tuning.best_params)
    for name, value in values.items():
        setattr(model, f"{name}_", value)
    if tuning is not None:
        setattr(model, "tuning_", tuning)  # noqa: B010  (no attribute of every model)
    elif hasattr(model, "tuning_"):
        delattr(model, "tuning_")
    return values


def search(problem: TunableProblem, searched: tuple[str, ...], grid: Grid | None) -> Tuning:
    """Search the parameters named, on rows drawn and folds dealt as the grid says."""
    grid = Grid() if grid is None else grid
    grid.check()
    seed = int(check_random_state(grid.random_state).randint(2**31 - 1))
    n_rows, classes = len(problem.target), problem.reader.classes is not None
    rows = sample_rows(problem.target if classes else None, n_rows, int(grid.rows), seed)
    if len(rows) < n_rows:
        problem = problem.take(rows)
    folds = fold_numbers(grid.cv, problem.target, classes, seed, problem.copies())
    return search_folds(problem, searched, grid, folds)


def search_folds(problem: TunableProblem, searched: tuple[str, ...], grid: Grid, folds: Ints) -> Tuning:
    """Search the parameters named on given folds: the fold whose test rows each row is among, -1 for none."""
    scorer = FoldScorer(problem.reader, problem.target, problem.score_weight, grid.scoring)
    axes = problem.axes(searched, grid)
    found = _scores(problem, axes, folds, scorer, grid)
    settings = [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
    n = len(settings)
    return Tuning.of_points(
        searched, scorer.name, len(folds), _LEVEL, settings, found.scores.reshape(n, -1), found.exact.reshape(n),
        found.rejected.reshape(n),
    )  # fmt: skip


def _scores(problem: TunableProblem, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
    """The scores of every point; each worker of a cluster takes some gammas, and keeps their matrix meanwhile."""
    gammas = axes.get("gamma", [])
    taken = shares(range(len(gammas)))
    if len(taken) == 1:
        return problem.cross_validate(axes, folds, scorer, grid)
    points = [axes | {"gamma": [gammas[place] for place in share]} for share in taken]
    found = each_task(partial(problem.cross_validate, folds=folds, scorer=scorer, grid=grid), points)
    axis, order = list(axes).index("gamma"), np.argsort([place for share in taken for place in share])

    def joined(name: str) -> Any:
        return np.take(np.concatenate([getattr(one, name) for one in found], axis=axis), order, axis=axis)

    return GridScores(joined("scores"), joined("exact"), joined("rejected"))


def fold_numbers(cv: Any, target: NDArray[Any], classes: bool, seed: Any, copies: Copies | None = None) -> Ints:
    """The fold whose test rows each row is among, -1 for none: drawn for a number of folds, else as a splitter says.

    Copies of a row lie in one fold where folds are drawn, unless the distinct rows are too few for that.
    """
    n = len(target)
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        if cv < 2 or n < 2:
            raise BadTable(f"cv={cv} with n_samples = {n}: cross-validation takes at least two folds and two rows.")
        if copies is not None and _enough(copies, target, classes, int(cv)):
            distinct = target[copies.first]
            return deal_folds(distinct if classes else None, len(distinct), int(cv), seed)[copies.group]
        return deal_folds(target if classes else None, n, min(int(cv), n), seed)
    return splitter_folds(cv, target, classes)


def _enough(copies: Copies, target: NDArray[Any], classes: bool, n_folds: int) -> bool:
    """Whether there are distinct rows for every fold, and of every class for training and for test."""
    distinct = target[copies.first]
    if len(distinct) < max(MIN_DISTINCT, n_folds):
        return False
    return not classes or int(np.unique(distinct, return_counts=True)[1].min()) >= 2


def splitter_folds(cv: Any, target: NDArray[Any], classes: bool) -> Ints:
    """The fold of each row by a splitter or splits; a number stands for scikit-learn's splitter."""
    n = len(target)
    folds = np.full(n, -1, dtype=np.int32)
    for fold, (train, test) in enumerate(check_cv(cv, target, classifier=classes).split(np.empty((n, 1)), target)):
        if (folds[test] >= 0).any() or len(np.union1d(train, test)) != n or len(train) + len(test) != n:
            raise MercerError(
                "cv: work is shared between folds that hold a row out at most once and train on all others, as those "
                "of KFold and StratifiedKFold do."
            )
        folds[test] = fold
    return folds

"""Cross-validation of a model over a grid of parameters, on folds of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sklearn.base import clone

from mercer.docstrings import shares_docs
from mercer.errors import MercerError, did_you_mean
from mercer.select.grid import Grid
from mercer.select.search import Tunable, search_folds, splitter_folds
from mercer.select.tuning_result import Tuning


@shares_docs()
def tune(
    estimator: Tunable,
    X: Any,
    y: Any,
    grid: Mapping[str, Sequence[Any]],
    *,
    cv: Any = 5,
    scoring: str | Callable[..., float] | None = None,
    race: bool = False,
    gap: float = 5e-3,
) -> Tuning:
    """Cross-validate a kernel machine over its cost or penalty, epsilon or nu, and gamma.

    Distances are computed once for all gammas of an RBF kernel (numbers, or numbers and categories), other kernels once
    per gamma for all folds, costs and pairs of classes; in SVC and SVR each solution starts the next cost. What a
    kernel learns without labels (scales, frequencies) it learns from all rows, once.

    Parameters
    ----------
    estimator : SVC, SVR, NuSVC, NuSVR, LinearSVC, LinearSVR or another kernel machine
        The model, of those that take "cv" in a parameter; parameters that the grid does not name stay as they are.
    {X}
    y : array-like of shape (n_rows,)
        Classes or numbers, as for `fit`.
    grid : dict of str to sequence
        The values to try, of "C", "gamma", for SVR "epsilon", for NuSVC and NuSVR "nu", for kernel ridge and TwinSVC
        "alpha", for LaplacianSVC "gamma_manifold". For a kernel given as an object, "gamma" holds factors of every
        gamma in it.
    cv : int, splitter or sequence of (training rows, test rows), default 5
        Number of folds (stratified for classes), a splitter, or splits; each row is a test row at most once.
    {scoring}
    {race}
    {gap}

    Returns
    -------
    tuning : Tuning
        Every point with its scores; `best_estimator` is the best one fitted to all rows.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.tune(mercer.SVC(), X, y, {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]})
    >>> found.best_params, found.best_estimator.score(X, y) > 0.95
    ({'C': 1.0, 'gamma': 0.1}, True)
    """
    searched = _searched(estimator, grid)
    model = clone(estimator).set_params(**dict.fromkeys(searched, "cv"))
    if model.searched_parameters() != searched:
        raise MercerError(f"grid: the kernel {estimator.get_params()['kernel']!r} has no gamma. Leave it out.")
    options = Grid(scoring=scoring, race=race, gap=gap).set_params(**{name: grid[name] for name in searched})
    options.check()
    problem = model.tunable_problem(X, y)
    folds = splitter_folds(cv, problem.target, problem.reader.classes is not None)
    found = search_folds(problem, searched, options, folds)
    best = clone(estimator).set_params(**problem.parameters_of(found.best_params))
    return replace(found, best_estimator=best.fit(X, y))


def _searched(estimator: Tunable, grid: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    if not isinstance(estimator, Tunable):
        raise MercerError(
            "tune shares work between the points of SVC, SVR, NuSVC, NuSVR, LinearSVC and LinearSVR; "
            f"{type(estimator).__name__} has none to share. Use scikit-learn's GridSearchCV."
        )
    for name in grid:
        if name not in estimator.tunable:
            raise MercerError(f"grid: {name!r} cannot be shared over folds. {did_you_mean(name, estimator.tunable)}")
    if not grid:
        raise MercerError(f"grid: nothing to try. {did_you_mean('', estimator.tunable)}")
    return tuple(name for name in estimator.tunable if name in grid)

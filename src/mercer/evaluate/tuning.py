"""Cross-validation of a kernel machine over costs, tubes and widths, on folds of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.errors import MercerError, did_you_mean
from mercer.estimators.svm.classifier import DuelClassifier
from mercer.estimators.svm.search import Given, Grid, TunedMachine, search_grid, split_numbers
from mercer.kernels import Kernel
from mercer.kernels.nested_gamma import scale_gamma
from mercer.select.tuning_result import Tuning


def tune(
    estimator: TunedMachine,
    X: Any,
    y: Any,
    grid: Mapping[str, Sequence[Any]],
    *,
    cv: Any = 5,
    scoring: str | Callable[..., float] | None = None,
    race: bool = False,
    gap: float = 5e-3,
) -> Tuning:
    """Cross-validate a kernel machine over costs, tubes or nus, and widths.

    Distances are computed once for all gammas of an RBF kernel (numbers, or numbers and categories), other kernels once
    per gamma for all folds, costs and pairs of classes; in SVC and SVR each solution starts the next cost. What a
    kernel learns without labels (scales, frequencies) it learns from all rows, once.

    Parameters
    ----------
    estimator : SVC, SVR, NuSVC or NuSVR; its other parameters stay as they are
    X, y : as for fit
    grid : the values to try, of "C", "gamma", for SVR "epsilon" and for NuSVC and NuSVR "nu". For a kernel given as an
        object, "gamma" holds factors of every gamma in it
    cv : number of folds (stratified for classes), a splitter, or a list of (training rows, held-out rows); each row is
        held out at most once
    scoring : the name of a scorer of scikit-learn, or a function of (estimator, X, y) such as make_scorer makes;
        accuracy or R^2 when None. Scorers of probabilities see decisions calibrated on the other folds
    race : after two folds and each further one, leave out points that are behind by three standard errors
    gap : how exactly points that cannot win are solved, as in `mercer.Grid`

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.tune(mercer.SVC(), X, y, {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]})
    >>> found.best_params, found.best_estimator.score(X, y) > 0.95
    ({'C': 1.0, 'gamma': 0.1}, True)
    """
    names = _names(estimator, grid)
    machine = clone(estimator).set_params(**dict.fromkeys(names, "cv"))
    if machine._take_given() != names:
        raise MercerError(f"grid: the kernel {estimator.kernel!r} has no gamma. Leave it out.")
    given = _given(machine, X, y)
    folds = split_numbers(cv, given.truth, machine.is_class_machine)
    options = Grid(scoring=scoring, race=race, gap=gap).set_params(**{n: grid[n] for n in names})
    found = search_grid(machine, given, folds, names, options)
    best = found.best_params
    if "gamma" in names and isinstance(estimator.kernel, Kernel):
        kernel = clone(scale_gamma(estimator.kernel, best["gamma"], given.table))
        best = {n: best[n] for n in names if n != "gamma"} | {"kernel": kernel}
    return replace(found, best_estimator=clone(estimator).set_params(**best).fit(X, y))


def _names(estimator: TunedMachine, grid: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    if not isinstance(estimator, TunedMachine):
        raise MercerError(
            f"tune shares the kernel of SVC, SVR, NuSVC and NuSVR; {type(estimator).__name__} has none to share. Use "
            "scikit-learn's GridSearchCV."
        )
    able = estimator.tuned
    for name in grid:
        if name not in able:
            raise MercerError(f"grid: {name!r} cannot be shared over folds. {did_you_mean(name, able)}")
    if not grid:
        raise MercerError(f"grid: nothing to try. {did_you_mean('', able)}")
    return tuple(n for n in able if n in grid)


def _given(machine: TunedMachine, X: Any, y: Any) -> Given:
    table = machine._fit_table(X)
    ones = np.ones(len(table))
    if isinstance(machine, DuelClassifier):
        machine._check_options()
        codes = machine._fit_labels(y, len(table))
        return Given(table, codes, machine._class_weights(codes, ones))
    machine._check_own()
    return Given(table, machine._fit_target(y, len(table)), ones)

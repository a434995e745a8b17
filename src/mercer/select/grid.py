"""What a search tries and how it compares: `Grid`, and the values that stand for a parameter that it leaves open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.parameters import (
    RANDOM_STATE,
    Either,
    Flag,
    Number,
    Parameters,
    Part,
    Text,
    Unstored,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.state import Reader, State

Scoring: TypeAlias = str | Callable[..., float] | None  # a scorer of scikit-learn by name, or such as make_scorer makes
ALPHAS = tuple(float(10**e) for e in np.linspace(-6, 2, 50))
COSTS = tuple(4.0**k for k in range(-2, 6))
EPSILONS = (0.03, 0.1, 0.3)
GAMMAS = tuple(4.0**k for k in range(-4, 3))
MANIFOLDS = (0.0, 0.01, 0.1, 1.0, 10.0)
NUS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)


class _Values:
    """A sequence of numbers and words, or None: checked by the search, which knows the range of each parameter."""

    def accepts(self, value: Any) -> bool:
        return value is None or (isinstance(value, Sequence | np.ndarray) and not isinstance(value, str))

    def write(self, value: Any) -> Any:
        return None if value is None else [v.item() if isinstance(v, np.generic) else v for v in value]

    def read(self, state: Reader, name: str) -> Any:
        return list(state.scalars(name)) if state.has(name) else None

    def __str__(self) -> str:
        return "a sequence of numbers or None"


@shares_docs()
class Grid(BaseEstimator):
    """What "cv" tries for C, epsilon, nu, gamma, alpha and gamma_manifold, and how the points are compared.

    Parameters
    ----------
    C : sequence of float or None, default None
        Costs to try; None for 4^-2, 4^-1, ..., 4^5, in regression times the standard deviation of the target.
    epsilon : sequence of float or None, default None
        Half widths of the tube to try; None for 0.03, 0.1 and 0.3 standard deviations of the target.
    nu : sequence of float or None, default None
        Of NuSVC and NuSVR; None for 0.02, 0.05, 0.1, 0.2, 0.4, 0.6 and 0.8 of the largest that the classes allow.
    gamma : sequence of float or str, or None, default None
        Inverse widths to try, numbers, "scale" or "auto"; None for the gamma of "scale" times 4^-4, ..., 4^2. For a
        kernel given as an object they are factors of every gamma in it, and None stands for 4^-4, ..., 4^2.
    alpha : sequence of float or None, default None
        Penalties to try; None for 50 from 1e-6 to 100 times the mean of k(x, x) in kernel ridge, and for 0.01, 0.1, 1
        and 10 in TwinSVC.
    gamma_manifold : sequence of float or None, default None
        Of LaplacianSVC; None for 0, 0.01, 0.1, 1 and 10.
    cv : int, splitter or sequence of (training rows, test rows), default 5
        Number of folds, or a splitter of scikit-learn whose test sets do not overlap.
    {scoring}
    rows : int, default 5000
        The search uses at most so many rows, drawn at random, and at least 10; in cells (`approximation="cells"`) whole
        cells, as many as have no more kernel values than so many rows.
    {race}
    {gap}
    time_limit : float or None, default None
        Seconds after which no further width is tried; each solution then takes 100 steps a row at most. For SVC and
        SVR.
    random_state : int, RandomState or None, default 0
        Seed of the folds and of the rows drawn.

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

    parameters: ClassVar[Parameters] = {
        "C": _Values(),
        "epsilon": _Values(),
        "nu": _Values(),
        "gamma": _Values(),
        "alpha": _Values(),
        "gamma_manifold": _Values(),
        "cv": Either(Number(2, whole=True), Unstored("a splitter", lambda cv: not np.isscalar(cv), instead=5)),
        "scoring": Either(Text(optional=True), Unstored("a function of (estimator, X, y)", callable)),
        "rows": Number(10, whole=True),
        "race": Flag(),
        "gap": Number(0),
        "time_limit": Number(0, above=True, optional=True),
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        *,
        C: Sequence[float] | None = None,
        epsilon: Sequence[float] | None = None,
        nu: Sequence[float] | None = None,
        gamma: Sequence[float | str] | None = None,
        alpha: Sequence[float] | None = None,
        gamma_manifold: Sequence[float] | None = None,
        cv: Any = 5,
        scoring: Scoring = None,
        rows: int = 5000,
        race: bool = False,
        gap: float = 5e-3,
        time_limit: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.nu = nu
        self.gamma = gamma
        self.alpha = alpha
        self.gamma_manifold = gamma_manifold
        self.cv = cv
        self.scoring = scoring
        self.rows = rows
        self.race = race
        self.gap = gap
        self.time_limit = time_limit
        self.random_state = random_state

    def check(self) -> None:
        """Check the parameters.

        Raises
        ------
        BadParameter
            When a parameter is outside its set.
        """
        check_parameters(self)

    def to_state(self) -> State:
        """The parameters as plain data; a function, a splitter and a RandomState are left out."""
        return parameters_state(self)

    @classmethod
    def from_state(cls, state: Reader) -> Grid:
        """The grid of checked values."""
        return cls(**read_parameters(state, cls.parameters))


GRID = Part("a mercer.Grid", Grid, Grid.to_state, Grid.from_state, optional=True)


def grid_values(
    name: str, values: Sequence[float] | None, default: Sequence[float], *, zero: bool = False
) -> list[float]:
    """Distinct values in ascending order, the default ones when there are none; finite, above 0, or 0 with `zero`."""
    try:
        found = np.unique(np.asarray(default if values is None else values, dtype=np.float64))
    except (TypeError, ValueError):
        found = np.empty(0)
    if not len(found) or not np.isfinite(found).all() or not (found[0] > 0 or (zero and found[0] == 0)):
        least = "of at least" if zero else "above"
        raise MercerError(f"grid: {name}={values!r}; expected at least one number {least} 0.")
    return [float(v) for v in found]


def gamma_values(values: Sequence[float | str]) -> list[float | str]:
    """The words "scale" and "auto" as they are, then distinct numbers above 0 in ascending order."""
    words = [v for v in values if isinstance(v, str)]
    if any(word not in ("scale", "auto") for word in words):
        raise MercerError(f"grid: gamma={words[0]!r}; expected numbers above 0, 'scale' or 'auto'.")
    numbers = [v for v in values if not isinstance(v, str)]
    return [*words, *(grid_values("gamma", numbers, ()) if numbers or not words else ())]


def standard_deviation(target: Any, weight: Any) -> float:
    """The weighted standard deviation of a target, 1 when that is 0: the unit of costs and tubes in regression."""
    mean = np.average(target, weights=weight)
    return float(np.sqrt(np.average((target - mean) ** 2, weights=weight))) or 1.0

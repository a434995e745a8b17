"""The result of a search as plain data: every point with its scores and interval, and which was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.state import Reader, State

AXES = ("C", "alpha", "epsilon", "nu", "gamma_manifold", "gamma")  # points come in this order, the last running fastest
_RARE = ("alpha", "gamma_manifold")  # in a state only where the model has them
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class TuningPoint:
    """One point of a grid and its scores, larger is better; None for a parameter that the model does not have.

    scores : by fold, NaN for a fold that was not run or where the score is not defined
    standard_error : of the mean over folds
    low, high : interval of the mean that allows for overlapping training sets (`resampled_interval`)
    exact : solved to the tolerance of the model, as every point that could be the best is; others only nearly
    rejected : left out after some folds, too far behind to win
    """

    C: float | None
    gamma: float | str | None
    epsilon: float | None
    scores: tuple[float, ...]
    mean: float
    standard_error: float
    low: float
    high: float
    exact: bool = True
    rejected: bool = False
    nu: float | None = None
    alpha: float | None = None
    gamma_manifold: float | None = None

    @classmethod
    def of_scores(
        cls, setting: dict[str, Any], scores: Sequence[float], level: float, exact: bool, rejected: bool
    ) -> Self:
        """The point with its mean, standard error and interval."""
        known = np.array([s for s in scores if np.isfinite(s)])
        mean = float(known.mean()) if len(known) else np.nan
        error = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else np.nan
        low, high = resampled_interval(known, 1 / max(len(scores) - 1, 1), level)
        return cls(setting.get("C"), setting.get("gamma"), setting.get("epsilon"), tuple(map(float, scores)),
                   mean, error, low, high, exact, rejected, setting.get("nu"), setting.get("alpha"),
                   setting.get("gamma_manifold"))  # fmt: skip


@dataclass(frozen=True)
class Tuning:
    """Every point of a search over C or alpha, epsilon or nu, and gamma.

    Parameters
    ----------
    names : tuple of str
        What was searched, of "C", "alpha", "epsilon", "nu", "gamma_manifold" and "gamma".
    scoring : str
        The metric; larger is better.
    n_rows : int
        Rows of the search.
    n_folds : int
        Folds of the search.
    level : float
        Level of the intervals.
    points : tuple of TuningPoint
        Every point, by C or alpha, then epsilon, nu or gamma_manifold, then gamma.
    chosen : int
        Index of the best point; of equal ones, the first.
    one_standard_error : int
        Index of the simplest point (smallest C or largest alpha, widest tube, smallest gamma; of NuSVC the largest nu,
        of NuSVR the smallest) whose mean is within one standard error of the best (Breiman et al. 1984).
    best_estimator : estimator or None, default None
        The model of the best point fitted to all rows, where `mercer.tune` found it.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.SVC(C="cv", grid=mercer.Grid(C=[0.1, 1, 10])).fit(X, y).tuning_
    >>> found.names, found.costs, found.mean.shape, found.best.C == found.best_params["C"]
    (('C',), (0.1, 1.0, 10.0), (1, 3), True)
    """

    names: tuple[str, ...]
    scoring: str
    n_rows: int
    n_folds: int
    level: float
    points: tuple[TuningPoint, ...]
    chosen: int
    one_standard_error: int
    best_estimator: Any = field(default=None, repr=False, compare=False)

    @property
    def best(self) -> TuningPoint:
        """The point chosen."""
        return self.points[self.chosen]

    @property
    def best_score(self) -> float:
        """Its mean score."""
        return self.best.mean

    @property
    def best_params(self) -> dict[str, Any]:
        """Its searched parameters."""
        return self._params(self.chosen)

    @property
    def one_se_params(self) -> dict[str, Any]:
        """The searched parameters of the simplest point within one standard error of the best."""
        return self._params(self.one_standard_error)

    def leading(self, n: int) -> list[dict[str, Any]]:
        """The searched parameters of the best points, the best first.

        Parameters
        ----------
        n : int
            How many, at most; points that were left out or solved only nearly are not among them.

        Returns
        -------
        parameters : list of dict
            As `best_params` gives them.
        """
        able = [i for i, p in enumerate(self.points) if p.exact and not p.rejected and np.isfinite(p.mean)]
        order = sorted({*able} - {self.chosen}, key=lambda i: (-self.points[i].mean, i))
        return [self._params(i) for i in (self.chosen, *order)[:n]]

    def _params(self, place: int) -> dict[str, Any]:
        return {name: getattr(self.points[place], name) for name in AXES if name in self.names}

    @property
    def costs(self) -> tuple[float | None, ...]:
        """The values of C."""
        return tuple(dict.fromkeys(p.C for p in self.points))

    @property
    def gammas(self) -> tuple[float | str | None, ...]:
        """The values of gamma."""
        return tuple(dict.fromkeys(p.gamma for p in self.points))

    @property
    def epsilons(self) -> tuple[float | None, ...]:
        """The values of epsilon."""
        return tuple(dict.fromkeys(p.epsilon for p in self.points))

    @property
    def nus(self) -> tuple[float | None, ...]:
        """The values of nu."""
        return tuple(dict.fromkeys(p.nu for p in self.points))

    @property
    def alphas(self) -> tuple[float | None, ...]:
        """The values of alpha."""
        return tuple(dict.fromkeys(p.alpha for p in self.points))

    @property
    def gamma_manifolds(self) -> tuple[float | None, ...]:
        """The values of gamma_manifold."""
        return tuple(dict.fromkeys(p.gamma_manifold for p in self.points))

    @property
    def scores(self) -> Floats:
        """(gammas, costs, folds); (gammas, others, costs, folds) when several of epsilon, nu, alpha or gamma_manifold
        were tried; without C, (gammas, nus or alphas, folds)."""
        return self._on_grid([p.scores for p in self.points])

    @property
    def mean(self) -> Floats:
        """(gammas, costs), (gammas, others, costs), or without C (gammas, nus or alphas)."""
        return self._on_grid([p.mean for p in self.points])

    @property
    def standard_error(self) -> Floats:
        """Of the mean over folds, shaped as `mean`."""
        return self._on_grid([p.standard_error for p in self.points])

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Which points were solved to the tolerance of the model, shaped as `mean`."""
        return self._on_grid([p.exact for p in self.points])

    @property
    def rejected(self) -> NDArray[np.bool_]:
        """Which points were left out before all folds were run, shaped as `mean`."""
        return self._on_grid([p.rejected for p in self.points])

    def _on_grid(self, values: Sequence[Any]) -> NDArray[Any]:
        """Values of the points in the shape of the grid."""
        flat = np.array(values)
        others = (self.epsilons, self.nus, self.alphas, self.gamma_manifolds)
        lengths = len(self.costs), prod(map(len, others)), len(self.gammas)
        found = np.moveaxis(flat.reshape(*lengths, *flat.shape[1:]), (0, 1, 2), (2, 1, 0))
        if self.costs == (None,):
            return found[:, :, 0]
        return found[:, 0] if lengths[1] == 1 else found

    def __str__(self) -> str:
        if self.mean.ndim > 2:
            return "\n".join(f"{self.scoring} {p.mean:.4f} at {self._params(i)}" for i, p in enumerate(self.points))
        nu_or_alpha = ("nu", self.nus) if self.alphas == (None,) else ("alpha", self.alphas)
        name, columns = nu_or_alpha if self.costs == (None,) else ("C", self.costs)
        head = f"{self.scoring} by gamma (rows) and {name} (columns)\n" + " " * 10
        lines = [head + "".join(f"{c:>10.4g}" for c in columns)]
        shown = self._on_grid([f"({p.mean:.4f})" if p.rejected else f"{p.mean:.4f}" for p in self.points])
        for gamma, row in zip(self.gammas, shown, strict=True):
            name = f"{gamma:.4g}" if isinstance(gamma, float) else str(gamma)
            lines.append(f"{name:>10}" + "".join(f"{v:>10}" for v in row))
        return "\n".join(lines)

    def to_state(self) -> State:
        """The points as plain data, without the estimator."""
        return {
            "names": list(self.names),
            "scoring": self.scoring,
            "n_rows": self.n_rows,
            "level": float(self.level),
            **{name: values for name, values in self._settings() if name not in _RARE or set(values) != {None}},
            "scores": np.array([p.scores for p in self.points]),
            "exact": np.array([p.exact for p in self.points]),
            "rejected": np.array([p.rejected for p in self.points]),
        }

    def _settings(self) -> list[tuple[str, list[Any]]]:
        return [(name, [getattr(p, name) for p in self.points]) for name in AXES]

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        names = state.texts("names")
        n = len(state.scalars("gamma"))
        if not n or not set(names) <= set(AXES):
            raise BadFile(f"{state.where}: a search has names among {', '.join(AXES)}, and at least one point.")
        given = {name: name not in _RARE or state.has(name) for name in AXES}
        found = {name: state.scalars(name) if given[name] else [None] * n for name in AXES}
        settings = {name: [_parameter(v, state, name) for v in values] for name, values in found.items()}
        scores = state.array("scores", "float64", (n, None), finite=False, low=-_LARGEST, high=_LARGEST)
        exact, rejected = (state.array(k, "bool", (n,)) for k in ("exact", "rejected"))
        scoring, n_rows = state.text("scoring"), state.integer("n_rows", 1)
        level = state.number("level", 0.5, 1.0)
        state.finish()
        if any(None in settings[name] for name in names):
            raise BadFile(f"{state.where}: a parameter that was searched has a value at every point.")
        if any(len(values) != n for values in settings.values()) or not np.isfinite(scores).any():
            raise BadFile(f"{state.where}: every point needs a setting, and some of them a score.")
        made = [dict(zip(settings, values, strict=True)) for values in zip(*settings.values(), strict=True)]
        return cls.of_points(names, scoring, n_rows, level, made, scores, exact, rejected)

    @classmethod
    def of_points(
        cls, names: Sequence[str], scoring: str, n_rows: int, level: float, settings: Sequence[dict[str, Any]],
        scores: Floats, exact: NDArray[np.bool_], rejected: NDArray[np.bool_],
    ) -> Self:  # fmt: skip
        """The result with the choice among its points.

        Parameters
        ----------
        names : sequence of str
            What was searched.
        scoring : str
            The metric; larger is better.
        n_rows : int
            Rows of the search.
        level : float
            Level of the intervals.
        settings : sequence of dict
            The parameters of each point.
        scores : ndarray of shape (n_points, n_folds)
            Scores, NaN where there is none.
        exact : ndarray of shape (n_points,)
            Which points are solved to the tolerance of the model.
        rejected : ndarray of shape (n_points,)
            Which points were left out after some folds.

        Returns
        -------
        tuning : Tuning
            Without an estimator.
        """
        rows = zip(settings, scores.tolist(), exact.tolist(), rejected.tolist(), strict=True)
        points = tuple(TuningPoint.of_scores(s, v, level, e, r) for s, v, e, r in rows)
        best, simplest = _choose(points)
        return cls(tuple(names), scoring, n_rows, scores.shape[1], level, points, best, simplest)


def resampled_interval(scores: Floats, test_share: float, level: float) -> tuple[float, float]:
    """mean -+ t_{J-1} sqrt((1/J + n_test/n_train) s^2) over J scores; NaN for fewer than two.

    The plain t interval takes the scores of a cross-validation for independent, but their training sets overlap; the
    second term corrects for it (Nadeau & Bengio 2003).
    """
    n = len(scores)
    if n < 2:
        return np.nan, np.nan
    half = float(stdtrit(n - 1, (1 + level) / 2) * np.sqrt((1 / n + test_share) * scores.var(ddof=1)))
    mean = float(scores.mean())
    return mean - half, mean + half


def _choose(points: tuple[TuningPoint, ...]) -> tuple[int, int]:
    """Indices of the best exact point, and of the simplest within one standard error of it."""
    able = [i for i, p in enumerate(points) if not p.rejected and np.isfinite(p.mean)]
    if not able:
        raise MercerError("No point of the grid has a score that is a finite number: there is none to choose.")
    best = max(able, key=lambda i: (points[i].exact, points[i].mean, -i))
    least = points[best].mean - (points[best].standard_error if np.isfinite(points[best].standard_error) else 0.0)
    near = [i for i in able if points[i].mean >= least or i == best]
    return best, min(near, key=lambda i: _complexity(points[i], i))


def _complexity(point: TuningPoint, place: int) -> tuple[float, float, float, int]:
    """Smaller is simpler. A large nu is a wide margin between classes, but a narrow tube around numbers."""
    nu, smooth = point.nu or 0.0, (point.epsilon or 0.0) + (point.gamma_manifold or 0.0)
    return (point.C or 0.0) - (point.alpha or 0.0), -nu if point.C is None else nu, -smooth, place


def _parameter(value: Any, state: Reader, name: str) -> float | str | None:
    if value is None or (name == "gamma" and isinstance(value, str) and value in ("scale", "auto")):
        return value
    if isinstance(value, bool | str) or not 0 <= float(value) <= _LARGEST:
        raise BadFile(f"{state.where}.{name}: {value!r} is none.")
    return float(value)

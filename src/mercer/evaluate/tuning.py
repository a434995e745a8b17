"""Choosing the cost and width of a kernel machine, with the work shared between folds, costs and pairs of classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

from mercer._core.gram import KernelSpec, gram
from mercer.errors import MercerError, did_you_mean
from mercer.estimators.kernel_machine import choose_kernel
from mercer.estimators.pairs import duels, pair_votes
from mercer.estimators.svm import SVC
from mercer.estimators.svm_regression import SVR
from mercer.solvers.path import Plan, search
from mercer.table import Kind, Table
from mercer.table.target import class_codes, one_column

Floats: TypeAlias = NDArray[np.float64]
_AXES = ("gamma", "C")


@dataclass(frozen=True)
class Tuning:
    """The whole surface: `scores` (gammas, costs, folds), larger is better.

    `exact` (gammas, costs) marks the points solved to the estimator's tolerance: every one that could be the best. The
    others were solved to a duality gap that is enough to leave them behind.
    """

    gammas: tuple[float | str, ...]
    costs: tuple[float, ...]
    scores: Floats
    exact: NDArray[np.bool_]
    scoring: str
    best_params: dict[str, Any]
    one_se_params: dict[str, Any]
    best_estimator: Any = field(repr=False)

    @property
    def mean(self) -> Floats:
        """(gammas, costs)."""
        return self.scores.mean(axis=-1)

    @property
    def standard_error(self) -> Floats:
        """Of the mean over folds, (gammas, costs)."""
        return self.scores.std(axis=-1, ddof=1) / np.sqrt(self.scores.shape[-1])

    @property
    def best_score(self) -> float:
        return float(self.mean[self.exact].max())

    def __str__(self) -> str:
        head = f"{self.scoring} by gamma (rows) and C (columns)\n" + " " * 10
        lines = [head + "".join(f"{c:>10.4g}" for c in self.costs)]
        for gamma, row in zip(self.gammas, self.mean, strict=True):
            name = gamma if isinstance(gamma, str) else f"{gamma:.4g}"
            lines.append(f"{name:>10}" + "".join(f"{v:>10.4f}" for v in row))
        return "\n".join(lines)


def tune(
    estimator: SVC | SVR,
    X: Any,
    y: Any,
    grid: Mapping[str, Sequence[Any]],
    *,
    cv: Any = 5,
    scoring: str | None = None,
    gap: float = 5e-3,
) -> Tuning:
    """Cross-validate a kernel machine over costs and widths.

    Distances are computed once for all gammas of an RBF kernel on numbers, the kernel once per gamma for all folds,
    costs and pairs of classes, and each solution starts the next cost. What a kernel learns without labels (scales,
    frequencies) it learns from all rows, once.

    Parameters
    ----------
    estimator : SVC or SVR; its other parameters stay as they are
    X, y : as for fit
    grid : "C" and, if wanted, "gamma": the values to try
    cv : number of folds (stratified for classes), a splitter, or a list of (training rows, held-out rows)
    scoring : name of a scikit-learn scorer that needs labels or decisions; accuracy or R^2 when None
    gap : how exactly points that cannot win are solved, relative to the sum of costs; 0 solves every point exactly

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.tune(mercer.SVC(), X, y, {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]})
    >>> found.best_params, found.best_estimator.score(X, y) > 0.95
    ({'C': 1.0, 'gamma': 0.1}, True)
    """
    task = _Task(estimator, X, y, cv, scoring or ("accuracy" if is_classifier(estimator) else "r2"))
    gammas, costs = _axes(estimator, grid)
    found = [search(matrix, widths, task.plan(costs), task.score, tol=estimator.tol, gap=gap, n_jobs=estimator.n_jobs)
             for matrix, widths in task.matrices(gammas)]  # fmt: skip
    scores = np.concatenate([f.scores for f in found])
    exact = np.concatenate([f.exact for f in found])
    best, modest = _choose(scores, exact)
    best_params, one_se_params = (_params(gammas, costs, place, grid) for place in (best, modest))
    winner = clone(estimator).set_params(**best_params).fit(X, y)
    return Tuning(gammas, tuple(costs.tolist()), scores, exact, task.scoring, best_params, one_se_params, winner)


def _axes(estimator: Any, grid: Mapping[str, Sequence[Any]]) -> tuple[tuple[float | str, ...], Floats]:
    for name in grid:
        if name not in _AXES:
            raise MercerError(f"grid: {name!r} cannot be shared over folds. {did_you_mean(name, _AXES)}")
    costs = np.unique(np.asarray(grid.get("C", [estimator.C]), dtype=np.float64))
    if not len(costs) or not (np.isfinite(costs).all() and costs[0] > 0):
        raise MercerError("grid['C']: at least one cost, each a number above 0.")
    gammas = tuple(g if isinstance(g, str) else float(g) for g in grid.get("gamma", [estimator.gamma]))
    if not gammas or any(not isinstance(g, str) and not 0 < g < np.inf for g in gammas):
        raise MercerError("grid['gamma']: at least one width, each a number above 0, 'scale' or 'auto'.")
    return gammas, costs


def _choose(scores: Floats, exact: NDArray[np.bool_]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The best exact point; and the smallest cost and gamma within one standard error of it (Breiman et al. 1984)."""
    means = scores.mean(axis=-1)
    c, g = np.unravel_index(int(np.argmax(np.where(exact, means, -np.inf).T)), means.T.shape)
    error = scores[g, c].std(ddof=1) / np.sqrt(scores.shape[-1])
    c1, g1 = np.argwhere((means >= means[g, c] - error).T)[0]
    return (int(g), int(c)), (int(g1), int(c1))


def _params(gammas: tuple[Any, ...], costs: Floats, place: tuple[int, int], grid: Mapping[str, Any]) -> dict[str, Any]:
    values = {"C": float(costs[place[1]]), "gamma": gammas[place[0]]}
    return {name: values[name] for name in ("C", "gamma") if name in grid}


class _Task:
    """Rows, signs and folds of one tuning, and how decisions become a score."""

    def __init__(self, estimator: Any, X: Any, y: Any, cv: Any, scoring: str) -> None:
        self.estimator, self.scoring, self.scorer = clone(estimator), scoring, get_scorer(scoring)
        self.table: Table = self.estimator._fit_table(X)
        self.classes = is_classifier(estimator)
        n = len(self.table)
        if self.classes:
            self.labels, codes = class_codes(y, n)
            self.truth: NDArray[Any] = codes
            self.duels = duels(codes, len(self.labels), estimator.multi_class)
        else:
            self.truth = one_column(y, n).astype(np.float64)
        self.folds = np.full(n, -1, dtype=np.int32)
        for fold, (_, held) in enumerate(
            check_cv(cv, self.truth, classifier=self.classes).split(np.empty(n), self.truth)
        ):
            self.folds[held] = fold

    def plan(self, costs: Floats) -> Plan:
        squared = self.estimator.slack == "l2"
        if not self.classes:
            estimator = self.estimator
            return Plan(
                self.truth[None], self.folds, costs, regression=True, squared_slack=squared, epsilon=estimator.epsilon
            )
        n = len(self.table)
        targets, members = np.zeros((len(self.duels), n)), np.zeros((len(self.duels), n), np.uint8)
        for p, duel in enumerate(self.duels):
            targets[p, duel.rows], members[p, duel.rows] = duel.y, 1
        self.estimator.classes_ = self.labels
        weight = self.estimator._class_weights(self.truth, np.ones(n))
        return Plan(targets, self.folds, costs, members=members, weight=weight, squared_slack=squared)

    def matrices(self, gammas: tuple[Any, ...]) -> list[tuple[NDArray[Any], Floats | None]]:
        """Squared distances with all gammas, where they are all that is needed; else one Gram matrix per gamma."""
        estimator, table = self.estimator, self.table
        dtype = estimator._dtype(len(table))
        plain = all(c.kind is Kind.NUMERIC for c in table.schema) and not table.is_sparse
        if estimator.kernel == "rbf" and plain and not any(isinstance(g, str) for g in gammas):
            x = np.ascontiguousarray(table.numbers(), dtype=dtype)
            if np.isfinite(x).all():
                return [(gram(x, None, KernelSpec("distance"), estimator.n_jobs), np.array(gammas, dtype=np.float64))]
        made = (choose_kernel(estimator.kernel, table, g, estimator.coef0, estimator.degree).fit(table) for g in gammas)
        return [(np.ascontiguousarray(k.gram(table, dtype=dtype)), None) for k in made]

    def score(self, decisions: Floats) -> Floats:
        """One score per fold from decisions (problems, rows)."""
        answer = self._answers(decisions)
        function: Callable[..., float] = self.scorer._score_func
        extra = self.scorer._kwargs
        found = [function(self.truth[f], answer[f], **extra) for f in self._fold_rows()]
        return self.scorer._sign * np.array(found, dtype=np.float64)

    def _fold_rows(self) -> list[NDArray[np.intp]]:
        return [np.flatnonzero(self.folds == f) for f in range(int(self.folds.max()) + 1)]

    def _answers(self, decisions: Floats) -> NDArray[Any]:
        if not self.classes:
            return decisions[0]
        if self.scorer._response_method != "predict":
            if len(self.duels) > 1:
                raise MercerError(f"scoring={self.scoring!r} needs one decision per row: two classes.")
            return decisions[0]
        if len(self.labels) == 2:
            return (decisions[0] > 0).astype(np.int32)
        if self.estimator.multi_class == "ovr":
            return np.argmax(decisions, axis=0)
        votes = pair_votes(decisions.T, len(self.labels))
        return np.argmax(votes, axis=1)

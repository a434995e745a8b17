"""A model of one's own is searched through the public protocols, `Tunable` and `TunableProblem`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

import mercer
from mercer.select.cv_scores import FoldScorer, NumberDecisions
from mercer.select.grid import Grid, grid_values
from mercer.select.search import Axes, GridScores, choose_parameters


@dataclass(frozen=True)
class RidgeProblem:
    x: np.ndarray
    target: np.ndarray
    C: float | None
    score_weight: None = None
    reader: NumberDecisions = field(default_factory=NumberDecisions)

    def take(self, rows: np.ndarray) -> RidgeProblem:
        return replace(self, x=self.x[rows], target=self.target[rows])

    def copies(self) -> None:
        return None

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        return {"C": [*grid_values("C", grid.C, [0.1, 1.0])] if "C" in searched else [self.C]}

    def cross_validate(self, axes: Axes, folds: np.ndarray, scorer: FoldScorer, grid: Grid) -> GridScores:
        scores = np.empty((len(axes["C"]), folds.max() + 1))
        for (c, f), _ in np.ndenumerate(scores):
            model = Ridge(1 / axes["C"][c]).fit(self.x[folds != f], self.target[folds != f])
            scores[c, f] = scorer(model.predict(self.x)[None], np.flatnonzero(folds == f))
        return GridScores(scores, np.ones(len(scores), dtype=bool), np.zeros(len(scores), dtype=bool))

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        return dict(best)


class TunableRidge(RegressorMixin, BaseEstimator):
    tunable: ClassVar[tuple[str, ...]] = ("C",)

    def __init__(self, C: Any = 1.0) -> None:
        self.C = C

    def searched_parameters(self) -> tuple[str, ...]:
        return ("C",) if self.C == "cv" else ()

    def tunable_problem(self, X: Any, y: Any) -> RidgeProblem:
        return RidgeProblem(np.asarray(X), np.asarray(y), None if self.C == "cv" else self.C)

    def fit(self, X: Any, y: Any) -> Self:
        values = choose_parameters(self, self.tunable_problem(X, y), Grid(C=[0.01, 1.0, 100.0], rows=50))
        self.model_ = Ridge(1 / values["C"]).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


def rows(n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 5))
    return x, x[:, 0] + rng.normal(size=n)


def test_tune_is_an_exhaustive_search() -> None:
    x, y = rows()
    costs = [0.01, 0.1, 10.0]
    found = mercer.tune(TunableRidge(), x, y, {"C": costs})
    theirs = GridSearchCV(Ridge(), {"alpha": [1 / c for c in costs]}).fit(x, y)
    assert_allclose(found.mean.ravel(), theirs.cv_results_["mean_test_score"])
    assert_allclose(found.best_estimator.predict(x), theirs.predict(x))
    assert found.best_params == {"C": 1 / theirs.best_params_["alpha"]}


def test_fit_searches_what_is_cv_on_a_sample() -> None:
    model = TunableRidge("cv").fit(*rows())
    assert model.C_ in (0.01, 1.0, 100.0) and model.tuning_.n_rows == 50
    plain = model.set_params(C=2.0).fit(*rows())
    assert plain.C_ == 2.0 and not hasattr(plain, "tuning_")

"""The linear machines as problems of a search: each fold from the smallest cost to the largest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints, Longs
from mercer.errors import MercerError
from mercer.estimators.svm.linear.problems import LinearAnswer, LinearProblem
from mercer.select.copies import Copies, find_copies
from mercer.select.cv_scores import DecisionReader, FoldScorer, RowNumbers
from mercer.select.grid import COSTS, Grid, grid_values
from mercer.select.search import Axes, GridScores
from mercer.table import from_array


@dataclass(frozen=True)
class LinearDecisions:
    """How decisions (n_problems, n_rows) of a plane per class, or of one plane for two classes, are read."""

    classes: NDArray[Any]

    def class_codes(self, decisions: Floats) -> Longs:
        """The class of each row."""
        return plane_classes(decisions.T)

    def decision_function(self, decisions: Floats) -> Floats:
        """As the machine gives them."""
        return decisions[0] if len(decisions) == 1 else decisions.T

    def test_probabilities(self, decisions: Floats, test: RowNumbers) -> Floats:
        """A plane gives none."""
        raise MercerError(
            "scoring asks for probabilities, which LinearSVC does not give. Use SVC(probability='sigmoid')."
        )


def plane_classes(decisions: Floats) -> Longs:
    """The class of each row by decisions (n_rows, n_problems): of two the second above 0, else the largest."""
    return (decisions[:, 0] > 0).astype(np.int64) if decisions.shape[1] == 1 else np.argmax(decisions, axis=1)


@dataclass(frozen=True)
class LinearSearch:
    """A linear machine and its training rows as a `mercer.select.search.TunableProblem`.

    formulate : the problems of a target and the cost of each row
    plane : weights (n_problems, n_columns) and intercepts of solved problems
    cost_unit : what the default costs are multiplied with, for a target and its weights
    """

    C: float | None
    rows: Any
    target: NDArray[Any]
    weight: Floats
    score_weight: Floats | None
    reader: DecisionReader
    formulate: Callable[[NDArray[Any], Floats], list[LinearProblem]]
    plane: Callable[[Sequence[LinearAnswer]], tuple[Floats, Floats]]
    cost_unit: Callable[[NDArray[Any], Floats], float]

    def take(self, rows: Longs) -> LinearSearch:
        """The same problem on some of the rows."""
        own = None if self.score_weight is None else self.score_weight[rows]
        return replace(self, rows=self.rows[rows], target=self.target[rows], weight=self.weight[rows], score_weight=own)

    def copies(self) -> Copies | None:
        """Rows that were written more than once, target included."""
        return find_copies(from_array(self.rows), self.target)

    def axes(self, searched: tuple[str, ...], grid: Grid) -> Axes:
        """The costs to try."""
        if "C" not in searched:
            return {"C": [self.C]}
        unit = self.cost_unit(self.target, self.weight)
        return {"C": [*grid_values("C", grid.C, [unit * c for c in COSTS])]}

    def cross_validate(self, axes: Axes, folds: Ints, scorer: FoldScorer, grid: Grid) -> GridScores:
        """Each fold from the smallest cost to the largest, every time from the solution at the cost before."""
        n_folds, n_costs = int(folds.max()) + 1, len(axes["C"])
        decisions: list[Floats] = [np.empty((0, 0))] * n_costs
        for fold in range(n_folds):
            test, last = folds == fold, list[LinearAnswer]()
            train_rows = self.rows[~test]
            for c, cost in enumerate(axes["C"]):
                problems = self.formulate(self.target[~test], cost * self.weight[~test])
                last = [p.solve_from(train_rows, last[m] if last else None) for m, p in enumerate(problems)]
                coef, intercept = self.plane(last)
                if not len(decisions[c]):
                    decisions[c] = np.full((len(coef), len(self.target)), np.nan)
                decisions[c][:, test] = (np.asarray(self.rows[test] @ coef.T) + intercept).T
        tests = [np.flatnonzero(folds == fold) for fold in range(n_folds)]
        scores = np.array([[scorer(d, test) for test in tests] for d in decisions])
        return GridScores(scores, np.ones(n_costs, dtype=bool), np.zeros(n_costs, dtype=bool))

    def parameters_of(self, best: Mapping[str, Any]) -> dict[str, Any]:
        """The best cost."""
        return dict(best)

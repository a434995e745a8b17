"""What the decisions of models cost on rows whose class is known, and how much one costs more than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.evaluation.assessment.paired import PairedComparison
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.intervals import Score
from mercer.evaluation.uncertainty.costs import cost_interval
from mercer.evaluation.uncertainty.difference import loss_difference
from mercer.select.costs import CostMatrix, Costs, RowAmounts
from mercer.table.formats.containers import as_container, column_cells, column_names
from mercer.workbench.decided import Decided
from mercer.workbench.sources import amounts_of


@dataclass(frozen=True)
class Prices:
    """What errors cost, with the columns that say so of each row."""

    matrix: CostMatrix
    amounts: RowAmounts | None = None

    @classmethod
    def of_model(cls, model: Any) -> Prices | None:
        """Those that the file of a model holds; None where it holds none."""
        if not isinstance(model, Decided) or (found := model.rule.prices or model.rule.costs) is None:
            return None
        return cls(found, model.by_row)

    @classmethod
    def given(cls, cost: Any, tested: Predictions, X: Any) -> Prices | None:
        """As a caller writes them; columns of amounts are taken from X."""
        costs = Costs.read(cost)
        if costs is None:
            return None
        matrix = costs.matrix(tested.classes, tested.positive)
        if not matrix.names:
            return cls(matrix)
        X = as_container(X)
        columns = {n: column_cells(X, j) for j, n in enumerate(column_names(X)) if n in matrix.names}
        return cls(matrix, amounts_of(columns, matrix.names))

    def losses(self, tested: Predictions) -> Floats | None:
        """What each row cost; None where a class, or the cost of each row, is not known."""
        classes = self._classes(tested)
        return None if classes is None else self.matrix.incurred(*classes, self.amounts)

    def score(self, tested: Predictions, level: float) -> dict[str, Score]:
        """The mean cost of a row with its interval; nothing where it is not known."""
        classes = self._classes(tested)
        if classes is None:
            return {}
        return {"cost": cost_interval(self.matrix, *classes, self.amounts, level, tested.weight, tested.groups)}

    def _classes(self, tested: Predictions) -> tuple[Longs, Longs] | None:
        """The class of each row and the one it is called, as places in the matrix."""
        names = self.matrix.classes
        places = np.array([names.index(name) if name in names else -1 for name in tested.classes], dtype=np.int64)
        truth, called = places[tested.truth], places[tested.guess]
        if (truth < 0).any() or (called < 0).any() or any(n not in (self.amounts or {}) for n in self.matrix.names):
            return None
        return truth, called


def with_costs(
    comparison: PairedComparison, tested: Sequence[Predictions], prices: Prices | None, whose: str = ""
) -> PairedComparison:
    """The comparison with the cost of a row of each model, and the differences of these: a paired t over the rows."""
    losses = [] if prices is None else [prices.losses(one) for one in tested]
    known = [one for one in losses if one is not None]
    if prices is None or not known or len(known) < len(tested):
        return comparison
    level, first = comparison.level, tested[0]
    pairs = zip(comparison.evaluations, tested, strict=True)
    scored = tuple(replace(e, scores=e.scores | prices.score(one, level)) for e, one in pairs)
    gaps = [loss_difference("cost", known[0], other, first, level) for other in known[1:]]
    differences = tuple((gap, *found) for gap, found in zip(gaps, comparison.differences, strict=True))
    notes = (*comparison.notes, f"Costs are those of {whose}.") if whose else comparison.notes
    return replace(comparison, evaluations=scored, differences=differences, notes=notes)

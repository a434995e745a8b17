"""Models compared on the same rows or folds, as plain data, as text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mercer.evaluation.assessment.cross_validation import Fold, share_tested
from mercer.evaluation.assessment.display import Grid, as_html, as_text, interval_text, number_text
from mercer.evaluation.assessment.evaluation import Evaluation, evaluate_folds, evaluate_predictions
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.intervals import Score
from mercer.evaluation.metrics import METRICS, metric_key
from mercer.evaluation.result import plain
from mercer.evaluation.uncertainty.difference import Difference, fold_difference, row_differences
from mercer.formatting import NOTHING, counted


@dataclass(frozen=True)
class PairedComparison:
    """The first model against each of the others: differences of every metric, as `mercer.compare` returns them.

    Parameters
    ----------
    evaluations : tuple of Evaluation
        Of each model.
    differences : tuple of tuple of Difference
        For each model but the first, a line a metric: score of the first minus that of this one, interval, p-value
        of no difference, method.
    level : float
        Confidence level of the intervals.
    notes : tuple of str, default ()
        What to know when reading the differences.

    Examples
    --------
    >>> import mercer
    >>> y = ["a", "b"] * 20
    >>> found = mercer.compare_predictions(y, ["a"] * 40, ["b"] * 40)
    >>> found.difference("accuracy").value, found.better("accuracy") is None
    (0.0, True)
    """

    evaluations: tuple[Evaluation, ...]
    differences: tuple[tuple[Difference, ...], ...]
    level: float
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the models are called."""
        return tuple(e.name for e in self.evaluations)

    def difference(self, metric: str, other: int = 1) -> Difference:
        """Score of the first model minus that of another.

        Parameters
        ----------
        metric : str
            Key of the metric.
        other : int, default 1
            Which model: 1 is the second.

        Returns
        -------
        Difference
            Value, interval, p-value and method.
        """
        return next(d for d in self.differences[other - 1] if d.metric == metric_key(metric))

    def better(self, metric: str, other: int = 1) -> str | None:
        """Name of the better model, the first or another.

        Parameters
        ----------
        metric : str
            Key of the metric.
        other : int, default 1
            Which model the first is compared with.

        Returns
        -------
        str or None
            None when the interval of the difference holds 0: these rows do not tell the two apart.
        """
        return self._better(self.difference(metric, other), other)

    def _better(self, found: Difference, other: int) -> str | None:
        if found.low is None or found.high is None or found.low <= 0 <= found.high:
            return None
        first = (found.low > 0) == METRICS[found.metric].higher_is_better
        return self.names[0 if first else other]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field; numbers that are not finite are None.
        """
        return plain(self)

    def __str__(self) -> str:
        return as_text(self.title, self._grids(), self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.title, self._grids(), self.notes)

    @property
    def title(self) -> str:
        """What was compared, on which rows."""
        first = self.evaluations[0]
        rows = counted(first.n_rows, "row")
        return f"{' against '.join(self.names)}: {f'{first.n_folds} folds of {rows}' if first.n_folds else rows}"

    def _grids(self) -> list[Grid]:
        return [self._grid(other) for other in range(1, len(self.evaluations))]

    def _grid(self, other: int) -> Grid:
        one, two = self.evaluations[0], self.evaluations[other]
        rows = []
        for d in self.differences[other - 1]:
            values = [number_text(e.scores[d.metric].value) if d.metric in e.scores else NOTHING for e in (one, two)]
            ends = interval_text(Score(d.value, d.low, d.high))
            verdict = self._better(d, other) or ("" if d.low is None else "no difference shown")
            p_value = "" if d.p_value is None else "< 0.001" if d.p_value < 0.001 else f"{d.p_value:.3f}"
            rows.append([METRICS[d.metric].title, *values, number_text(d.value), ends, p_value, d.method, verdict])
        interval = f"{100 * self.level:g} % interval"
        return Grid(["metric", one.name, two.name, "difference", interval, "p", "method", "better"], rows)


def compare_rows(tested: list[Predictions], names: Sequence[str], level: float, seed: int) -> PairedComparison:
    """The first against each of the others on test rows."""
    evaluations = [evaluate_predictions(t, name, level, seed) for t, name in zip(tested, names, strict=True)]
    found = tuple(tuple(_shown(row_differences(tested[0], t, level), evaluations)) for t in tested[1:])
    return PairedComparison(tuple(evaluations), found, level, _notes(len(tested)))


def compare_folds(folds: list[list[Fold]], names: Sequence[str], level: float, seed: int) -> PairedComparison:
    """The first against each of the others over the same folds."""
    evaluations = [evaluate_folds(f, name, level, seed) for f, name in zip(folds, names, strict=True)]
    share, first = share_tested(folds[0]), evaluations[0].folds
    found = tuple(
        tuple(_shown([fold_difference(k, first[k], e.folds[k], share, level) for k in first], evaluations))
        for e in evaluations[1:]
    )
    return PairedComparison(tuple(evaluations), found, level, _notes(len(folds)))


def _notes(n_models: int) -> tuple[str, ...]:
    return () if n_models < 3 else (f"{n_models - 1} comparisons: intervals and p-values are of each alone.",)


def _shown(found: list[Difference], evaluations: list[Evaluation]) -> list[Difference]:
    """Without metrics that no model has."""
    return [d for d in found if any(d.metric in e.scores for e in evaluations)]

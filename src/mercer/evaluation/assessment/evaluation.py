"""How good a model is and how sure that is, as plain data, as text and as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mercer.arrays import Longs
from mercer.evaluation.assessment.cross_validation import Fold, pooled, share_tested
from mercer.evaluation.assessment.display import Grid, as_html, as_text, interval_text, number_text
from mercer.evaluation.assessment.predictions import Predictions
from mercer.evaluation.assessment.weights import weight_name
from mercer.evaluation.diagnostics import Diagnostics, diagnose_errors
from mercer.evaluation.intervals import Score, corrected_t
from mercer.evaluation.metrics import METRICS, metric_key
from mercer.evaluation.result import plain
from mercer.evaluation.uncertainty.held_out import fold_intervals
from mercer.formatting import amount, counted
from mercer.table import Task

FEW_ROWS = 30  # of a class: with fewer, its scores are hardly more than a guess
_NO_WEIGHTS = "The fit of this model takes no weights: rows count alike in it, and by their weights in the scores."
MOST_CLASSES = 12  # of a confusion matrix that is shown


@dataclass(frozen=True)
class Evaluation:
    """Every metric of a model with its interval, and its errors, as `mercer.evaluate` returns them.

    Parameters
    ----------
    name : str
        What was evaluated.
    task : Task
        "classification" or "regression".
    n_rows : int
        Rows that were scored.
    classes : tuple of str
        Names of the classes; empty in regression.
    positive : str or None
        The positive class of two, which areas, average precision and recall are about.
    level : float
        Confidence level of the intervals.
    scores : dict of str to Score
        By key of the metric: value, low, high, and the method of the interval.
    diagnostics : Diagnostics
        Confusion matrix (rows of the table, without weights), precision and recall of each class, ROC and
        precision-recall curves with bands, calibration, residuals.
    n_folds : int, default 0
        Folds of the cross-validation; 0 for a fitted model on test rows.
    training : dict of str to float, default {}
        Mean score on the training rows of the folds.
    folds : dict of str to list of float, default {}
        Score of each fold.
    notes : tuple of str, default ()
        What to know when reading the scores.

    Examples
    --------
    >>> import mercer
    >>> found = mercer.score_predictions(["a", "b", "b", "a"], ["a", "b", "b", "b"])
    >>> isinstance(found, mercer.Evaluation), found.diagnostics.confusion
    (True, [[1, 1], [0, 2]])
    """

    name: str
    task: Task
    n_rows: int
    classes: tuple[str, ...]
    positive: str | None
    level: float
    scores: dict[str, Score]
    diagnostics: Diagnostics
    n_folds: int = 0
    training: dict[str, float | None] = field(default_factory=dict)
    folds: dict[str, list[float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Score:
        """The score of a metric: `evaluation["roc_auc"].low`."""
        return self.scores[metric_key(key)]

    def __str__(self) -> str:
        return as_text(self.title, self.grids(), self.notes)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self.title, self.grids(), self.notes)

    @property
    def title(self) -> str:
        """What was scored, on which rows."""
        on = f"{counted(self.n_folds, 'fold')} of {counted(self.n_rows, 'row')}" if self.n_folds else ""
        about = f"; positive class: {self.positive}" if self.positive is not None else ""
        return f"{self.name}: {self.task}, {on or counted(self.n_rows, 'row')}{about}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON.

        Returns
        -------
        dict
            Every field; numbers that are not finite are None.
        """
        return plain(self)

    def grids(self) -> list[Grid]:
        """The scores, and the confusion matrix of a few classes, as tables to show.

        Returns
        -------
        list of Grid
            One or two.
        """
        return [self._score_grid(), *self._confusion_grid()]

    def _score_grid(self) -> Grid:
        head = ["metric", "test" if self.training else "score", f"{100 * self.level:g} % interval"]
        rows = []
        for key, score in self.scores.items():
            line = [METRICS[key].title, number_text(score.value), interval_text(score)]
            rows.append([*line, number_text(self.training.get(key))] if self.training else line)
        return Grid([*head, "training"] if self.training else head, rows)

    def _confusion_grid(self) -> list[Grid]:
        names, matrix = self.classes, self.diagnostics.confusion
        if not matrix or len(names) > MOST_CLASSES:
            return []
        rows = [
            [name, *(f"{n:,}" if isinstance(n, int) else amount(n) for n in line)]  # rows, or their weights
            for name, line in zip(names, matrix, strict=True)
        ]
        return [Grid(["true \\ predicted", *names], rows)]


def evaluate_predictions(tested: Predictions, name: str, level: float, seed: int) -> Evaluation:
    """The evaluation of predictions for test rows."""
    return _evaluation(tested, name, level, seed, tested.intervals(level))


def evaluate_folds(folds: list[Fold], name: str, level: float, seed: int) -> Evaluation:
    """The evaluation of a cross-validation: means over the folds; errors of the first prediction of each row."""
    tested = pooled(folds)[1]
    test, train = [fold.tested.scores() for fold in folds], [fold.trained.scores() for fold in folds]
    parts = len(np.unique(np.concatenate([fold.test for fold in folds]))) / np.mean([len(fold.test) for fold in folds])
    scores = fold_intervals(test, tested.intervals(level), round(parts), share_tested(folds), level)
    found = _evaluation(
        tested,
        name,
        level,
        seed,
        scores,
        n_folds=len(folds),
        training={key: corrected_t([t[key] for t in train], 0.0).value for key in train[0]},
        folds={key: [t[key] for t in test] for key in test[0]},
    )
    unweighted = tested.weight is not None and weight_name(folds[0].model) is None
    return replace(found, notes=(*found.notes, _NO_WEIGHTS)) if unweighted else found


def _evaluation(
    tested: Predictions, name: str, level: float, seed: int, scores: dict[str, Score], **found: Any
) -> Evaluation:
    positive = None if tested.positive is None else tested.classes[tested.positive]
    kept = {k: s for k, s in scores.items() if s.value is not None or tested.scale == "probability"}
    asked = name, tested.task, len(tested), tested.classes, positive, level
    return Evaluation(*asked, kept, diagnose_errors(tested, level, seed), notes=_notes(tested), **found)


def _notes(tested: Predictions) -> tuple[str, ...]:
    if tested.task is Task.REGRESSION:
        return () if tested.groups is None else (_group_note(tested.groups),)
    found = []
    if tested.scale == "score":
        found.append("No probabilities: areas are by decision values; no log loss, Brier score or calibration.")
    if tested.scale == "label":
        found.append("Labels alone: areas, losses and curves need probabilities or decision values.")
    if tested.groups is not None:
        found.append(_group_note(tested.groups))
    counts = np.bincount(tested.truth, minlength=len(tested.classes))
    few = [f"{name} ({n})" for name, n in zip(tested.classes, counts.tolist(), strict=True) if 0 < n < FEW_ROWS]
    if few:
        found.append(f"Few rows of {', '.join(few[:5])}: what is said of them is uncertain.")
    return tuple(found)


def _group_note(groups: Longs) -> str:
    n = len(np.unique(groups))
    return f"{counted(len(groups), 'row')} in {counted(n, 'group')} or distinct rows: intervals count these, not rows."

"""The protocol of Yao's thesis: a third of the rows trains the models, a third selects, a third tests; rotated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.combine.ensemble.forward import Forward, Selection, select, weighted_mean
from mercer.combine.ensemble.library import ModelLibrary, TaskName, deal_folds
from mercer.combine.ensemble.metric import MetricLike, SelectionMetric
from mercer.combine.ensemble.models import ModelsLike, named_models
from mercer.combine.ensemble.training import predict_member


@dataclass(frozen=True)
class ThirdsResult:
    """Scores on test thirds, that neither training nor selection saw.

    Attributes
    ----------
    names : list of str
        The models.
    metric : str
        Name of the metric.
    member_scores : ndarray of shape (3, n_models)
        Score of each model in each rotation.
    ensemble_scores : ndarray of shape (3,)
        Score of the ensemble in each rotation.
    selections : list of Selection
        What was chosen on the second third of each rotation.
    """

    names: list[str]
    metric: str
    member_scores: Floats
    ensemble_scores: Floats
    selections: list[Selection]


def thirds(
    models: ModelsLike,
    X: Any,
    y: Any,
    metric: MetricLike = None,
    *,
    forward: Forward | None = None,
    task: TaskName | None = None,
    random_state: int = 0,
) -> ThirdsResult:
    """Train on one third of the rows, select on the next, test on the last, three times round (Yao, section 3.2).

    Parameters
    ----------
    models : {"small", "full"}, list of str, or list of (str, estimator)
        As `ModelLibrary` takes them.
    X : array-like, data frame, dict of columns or Table, of shape (n_rows, n_columns)
        The rows.
    y : array-like of shape (n_rows,)
        The class or the number of each row.
    metric : str, callable or None, default None
        By which models are selected and judged, as in `EnsembleSelection`.
    forward : Forward or None, default None
        How models are added.
    task : {"classification", "regression"} or None, default None
        What y is; None takes numbers with decimals as numbers, and all else as classes.
    random_state : int, default 0
        Seed of the thirds.

    Returns
    -------
    result : ThirdsResult
        Scores of every model and of the ensemble on each test third.

    Examples
    --------
    >>> import mercer
    >>> from mercer.combine.ensemble.thirds import thirds
    >>> penguins = mercer.load_penguins()
    >>> penguins = penguins.take(~penguins.missing("Sex"))
    >>> X = penguins.select(["Culmen Length (mm)", "Body Mass (g)"])
    >>> found = thirds(["naive_bayes", "linear"], X, penguins.column("Sex"))
    >>> found.names, found.member_scores.shape, found.ensemble_scores.shape
    (['naive_bayes', 'linear'], (3, 2), (3,))
    """
    data = ModelLibrary(models).read(X, y, task=task)
    pairs = named_models(models, data.task, len(data.y), random_state)
    parts = deal_folds(data, 3, random_state)
    members, ensembles, selections, name = [], [], [], ""
    for r in range(3):
        train, choose, test = (parts[(r + k) % 3] for k in range(3))
        fitted = [data.fit(model, train) for _, model in pairs]
        chosen, tested = (
            np.stack([predict_member(model, data.table.take(rows), data.classes) for model in fitted])
            for rows in (choose, test)
        )
        found = select(chosen, data.codes[choose], metric, task=data.task, forward=forward, random_state=random_state)
        measure = SelectionMetric(metric, data.task, data.codes[test], 0 if data.classes is None else data.n_outputs)
        members.append([measure.score(measure.gain(predicted)) for predicted in tested])
        ensembles.append(measure.score(measure.gain(weighted_mean(tested, found.weights))))
        selections.append(found)
        name = measure.name
    return ThirdsResult([n for n, _ in pairs], name, np.array(members), np.array(ensembles), selections)

"""The protocol of Yao's thesis: a third of the rows trains the models, a third selects, a third tests; rotated."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer._core import effective_jobs
from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.forward import Forward, Selection, select, selection_metric, weighted_mean
from mercer.combine.ensemble.group import ModelGroup
from mercer.combine.ensemble.library import ModelLibrary, TaskName, deal_folds, every_model_failed
from mercer.combine.ensemble.metric import MetricLike
from mercer.combine.ensemble.models import ModelsLike, named_models
from mercer.combine.ensemble.training import TrainingData
from mercer.estimators.sharing import sharing_groups


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


@dataclass(frozen=True)
class TrainedThirds:
    """What models trained on one third of the rows predict for the other two, three times round.

    Attributes
    ----------
    names : list of str
        The models that were trained in every rotation.
    errors : dict of str to str
        Why a model was not.
    data : TrainingData
        The rows.
    parts : list of ndarray of int
        The thirds: in rotation r, part r trains, the next selects, the last tests.
    chosen, tested : list of ndarray of shape (n_models, n_rows, n_outputs)
        Predictions for the rows that select and for those that test, in each rotation.
    """

    names: list[str]
    errors: dict[str, str]
    data: TrainingData
    parts: list[Longs]
    chosen: list[Floats]
    tested: list[Floats]

    def select(
        self, metric: MetricLike = None, *, forward: Forward | None = None, random_state: int = 0
    ) -> ThirdsResult:
        """Select on the second third and test on the last, by any metric, without training again.

        Parameters
        ----------
        metric : str, callable or None, default None
            By which models are selected and scored, as in `EnsembleSelection`.
        forward : Forward or None, default None
            How models are added.
        random_state : int, default 0
            Seed of the bags.

        Returns
        -------
        result : ThirdsResult
            Scores of every model and of the ensemble on each test third.
        """
        data, members, ensembles, selections = self.data, [], [], []
        for r, tested in enumerate(self.tested):
            codes = data.codes[self.parts[(r + 1) % 3]], data.codes[self.parts[(r + 2) % 3]]
            found = select(
                self.chosen[r],
                codes[0],
                metric,
                task=data.task,
                forward=forward,
                n_classes=data.n_classes,
                random_state=random_state,
            )
            measure = selection_metric(metric, data.task, codes[1], data.n_classes)
            members.append([measure.score(measure.gain(predicted)) for predicted in tested])
            ensembles.append(measure.score(measure.gain(weighted_mean(tested, found.weights))))
            selections.append(found)
        return ThirdsResult(self.names, measure.name, np.array(members), np.array(ensembles), selections)


def train_thirds(
    models: ModelsLike,
    X: Any,
    y: Any,
    *,
    task: TaskName | None = None,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> TrainedThirds:
    """Train every model on each third of the rows, and predict the other two.

    Parameters
    ----------
    models : {"small", "full"}, list of str, or list of (str, estimator)
        As `ModelLibrary` takes them; those that it lets share work do so here.
    X : array-like, data frame, dict of columns or Table, of shape (n_rows, n_columns)
        The rows.
    y : array-like of shape (n_rows,)
        The class or the number of each row.
    task : {"classification", "regression"} or None, default None
        What y is; None takes numbers with decimals as numbers, and all else as classes.
    memory_limit : float or None, default None
        As in `ModelLibrary`.
    n_jobs : int or None, default None
        Models trained at the same time; None for as many as there are cores. Results do not depend on it.
    random_state : int, default 0
        Seed of the thirds.

    Returns
    -------
    trained : TrainedThirds
        Predictions, from which ensembles are selected by any metric.

    Raises
    ------
    MercerError
        No model could be trained; the message has the error of each.

    Examples
    --------
    >>> import mercer
    >>> from mercer.combine.ensemble.thirds import train_thirds
    >>> penguins = mercer.load_penguins()
    >>> penguins = penguins.take(~penguins.missing("Sex"))
    >>> X = penguins.select(["Culmen Length (mm)", "Body Mass (g)"])
    >>> trained = train_thirds(["naive_bayes", "linear"], X, penguins.column("Sex"))
    >>> [trained.select(metric).ensemble_scores.shape for metric in ("roc_auc", "average_precision")]
    [(3,), (3,)]
    """
    library = ModelLibrary(models, memory_limit=memory_limit, n_jobs=n_jobs)
    data = library.read(X, y, task=task)
    listed = named_models(models, data.task, len(data.y), random_state)
    pairs = [(name, data.model_for(model)) for name, model in listed]
    parts = [*deal_folds(data, 3, random_state)]
    budget = library._budget(2 * len(pairs) * len(data.y) * data.n_outputs * 8)
    groups = sharing_groups([model for _, model in pairs])

    def train(rotation: int, places: list[int]) -> tuple[dict[int, list[Floats]], dict[int, str]]:
        group = ModelGroup({m: pairs[m][1] for m in places}, data, budget)
        tests = parts[(rotation + 1) % 3], parts[(rotation + 2) % 3]
        return group.predictions(parts[rotation], tests), group.errors

    # Filters of warnings belong to all threads: models that set their own at once leave others behind.
    with warnings.catch_warnings(), ThreadPoolExecutor(effective_jobs(n_jobs)) as pool:
        tasks = [[pool.submit(train, r, places) for places in groups] for r in range(3)]
        found = [[task.result() for task in rotation] for rotation in tasks]
    errors = {m: error for rotation in found for _, failed in rotation for m, error in failed.items()}
    kept = [m for m in range(len(pairs)) if m not in errors]
    if not kept:
        raise every_model_failed([(pairs[m][0], error) for m, error in errors.items()])
    predictions = [{m: two for one, _ in rotation for m, two in one.items()} for rotation in found]
    chosen, tested = ([np.stack([one[m][k] for m in kept]) for one in predictions] for k in range(2))
    failed = {pairs[m][0]: error for m, error in errors.items()}
    return TrainedThirds([pairs[m][0] for m in kept], failed, data, parts, chosen, tested)


def thirds(
    models: ModelsLike,
    X: Any,
    y: Any,
    metric: MetricLike = None,
    *,
    forward: Forward | None = None,
    task: TaskName | None = None,
    n_jobs: int | None = None,
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
        By which models are selected and scored, as in `EnsembleSelection`.
    forward : Forward or None, default None
        How models are added.
    task : {"classification", "regression"} or None, default None
        What y is; None takes numbers with decimals as numbers, and all else as classes.
    n_jobs : int or None, default None
        Models trained at the same time; None for as many as there are cores. Results do not depend on it.
    random_state : int, default 0
        Seed of the thirds, and of the bags.

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
    trained = train_thirds(models, X, y, task=task, n_jobs=n_jobs, random_state=random_state)
    return trained.select(metric, forward=forward, random_state=random_state)

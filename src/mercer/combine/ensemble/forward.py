"""Forward selection of models: Algorithm 3.1 of Yao, of Caruana et al. 2004, with what these and 2006 add to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from mercer.arrays import Floats, Longs
from mercer.combine.ensemble.metric import MeanOfTargets, MetricLike, SelectionMetric
from mercer.errors import MercerError
from mercer.parameters import (
    Flag,
    Number,
    Parameters,
    Part,
    check_parameters,
    parameters_state,
    read_parameters,
)
from mercer.select.costs import CostMatrix
from mercer.state import Reader, State
from mercer.table import Task


class Forward(BaseEstimator):
    """How models are added to an ensemble, one at a time, each the one that makes the mean of all best.

    Parameters
    ----------
    steps : int, default 50
        Members at most, a model that is added twice counted twice.
    replace : bool, default True
        Whether a model may be added again, which gives it more weight.
    start : int, default 1
        Sorted initialisation: begin with the mean of so many models, those best by themselves.
    best_of_trajectory : bool, default True
        Whether all steps are made and the best ensemble on the way is taken; otherwise the selection ends at the first
        step that brings no gain, as Algorithm 3.1 does.
    bags : int, default 1
        Selections, each from models drawn at random, whose weights are averaged (Caruana et al. 2006: 20); 1 selects
        once, from all.
    share : float, default 0.5
        Of the models that a bag draws, where there are several.
    keep : float, default 1.0
        Share of the library that is selected from: the models best by themselves.

    Examples
    --------
    >>> from mercer import Forward
    >>> Forward(steps=20, replace=False)
    Forward(replace=False, steps=20)
    """

    parameters: ClassVar[Parameters] = {
        "steps": Number(1, 10_000, whole=True),
        "replace": Flag(),
        "start": Number(1, 10_000, whole=True),
        "best_of_trajectory": Flag(),
        "bags": Number(1, 10_000, whole=True),
        "share": Number(0, 1, above=True),
        "keep": Number(0, 1, above=True),
    }

    def __init__(
        self,
        *,
        steps: int = 50,
        replace: bool = True,
        start: int = 1,
        best_of_trajectory: bool = True,
        bags: int = 1,
        share: float = 0.5,
        keep: float = 1.0,
    ) -> None:
        self.steps = steps
        self.replace = replace
        self.start = start
        self.best_of_trajectory = best_of_trajectory
        self.bags = bags
        self.share = share
        self.keep = keep

    def to_state(self) -> State:
        """The parameters as plain data."""
        return parameters_state(self)

    @classmethod
    def from_state(cls, state: Reader) -> Forward:
        """The parameters of checked values."""
        return cls(**read_parameters(state, cls.parameters))


FORWARD = Part("a mercer.Forward", Forward, Forward.to_state, Forward.from_state)


@dataclass(frozen=True)
class Selection:
    """Weights of models, and how they were found.

    Attributes
    ----------
    weights : ndarray of shape (n_models,)
        Weight of each model in the mean, at least 0, with sum 1.
    trajectory : ndarray of shape (n_bags, n_steps)
        Score of the ensemble after each step of each bag; NaN after its end.
    score : float
        Of the weighted mean, on the rows that it was selected on: an optimistic one.
    scores : ndarray of shape (n_models,)
        Of each model by itself; NaN for one whose predictions are not finite.
    metric : str
        Name of the metric.
    higher_is_better : bool
        Its direction.
    """

    weights: Floats
    trajectory: Floats
    score: float
    scores: Floats
    metric: str
    higher_is_better: bool

    @property
    def members(self) -> Longs:
        """Places of the models with a weight, the largest first."""
        order = np.argsort(-self.weights, kind="stable")
        return order[self.weights[order] > 0]


def select(
    predictions: ArrayLike,
    y: ArrayLike,
    metric: MetricLike = None,
    *,
    task: Task = Task.CLASSIFICATION,
    forward: Forward | None = None,
    weight: Floats | None = None,
    positive: int = 1,
    costs: CostMatrix | None = None,
    n_classes: Sequence[int] = (),
    kinds: Sequence[str] = (),
    most_alike: int = 1,
    random_state: int = 0,
) -> Selection:
    """Choose and weigh models on predictions for rows that they were not fitted to.

    The mean of the chosen models is never worse on these rows than the best model alone.

    Parameters
    ----------
    predictions : array-like of shape (n_models, n_rows, n_outputs)
        Probabilities in a column per class, or numbers, for which the last axis may be left out.
    y : array-like of shape (n_rows,) or (n_rows, n_targets)
        Class codes 0, 1, ..., or numbers.
    metric : str, callable or None, default None
        A key of mercer's metrics ("roc_auc", "average_precision", "accuracy", "f1_macro", "log_loss", "cost", "r2",
        "mse", ...), the name of a scorer of scikit-learn, or a function of (y, predictions) whose larger values are
        better; None for "roc_auc" of two classes, "accuracy" of several, "r2" of numbers.
    task : Task, default Task.CLASSIFICATION
        What is predicted.
    forward : Forward or None, default None
        How models are added.
    weight : ndarray of shape (n_rows,) or None, default None
        Of the rows.
    positive : int, default 1
        Code of the positive one of two classes.
    costs : CostMatrix or None, default None
        What errors cost, for the metric "cost".
    n_classes : sequence of int, default ()
        Of each target, needed where there are several: predictions have the columns of one after the other, and the
        metric is the mean over the targets.
    kinds : sequence of str, default ()
        Of each model, where at most `most_alike` of a kind are selected from.
    most_alike : int, default 1
        The best so many; the others of the kind have no weight.
    random_state : int, default 0
        Seed of the bags.

    Returns
    -------
    selection : Selection
        Weights, trajectory and score.

    Raises
    ------
    MercerError
        No model has finite predictions, or the metric is not defined on these rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.combine.ensemble.forward import select
    >>> from mercer.table import Task
    >>> above, below, far = [1.0, 2.0, 4.0], [-1.0, 2.0, 2.0], [5.0, 5.0, 5.0]
    >>> select([above, below, far], [0.0, 2.0, 3.0], "mse", task=Task.REGRESSION).weights
    array([0.5, 0.5, 0. ])
    """
    forward = Forward() if forward is None else forward
    check_parameters(forward)
    cube, target = _checked(predictions, y, task, n_classes)
    measure = selection_metric(metric, task, target, n_classes or (cube.shape[2],), weight, positive, costs)
    gains = own_gains(cube, measure)
    order = np.argsort(-np.where(np.isnan(gains), -np.inf, gains), kind="stable")[: int((~np.isnan(gains)).sum())]
    size = max(int(np.ceil(forward.keep * len(order))), 1)
    order = (_varied(order, kinds, most_alike) if len(kinds) else order)[:size]
    weights, trajectory = _bagged(cube, measure, order, forward, random_state)
    return chosen(cube, weights, measure, gains, trajectory)


def selection_metric(
    metric: MetricLike,
    task: Task,
    y: NDArray[Any],
    n_classes: Sequence[int],
    weight: Floats | None = None,
    positive: int = 1,
    costs: CostMatrix | None = None,
) -> SelectionMetric:
    """The metric of one target, or its mean over several; numbers ignore the numbers of classes."""
    if task is Task.CLASSIFICATION and y.ndim > 1:
        return MeanOfTargets(metric, y, n_classes, weight=weight)
    n = n_classes[0] if task is Task.CLASSIFICATION else 0
    return SelectionMetric(metric, task, y, n, weight=weight, positive=positive, costs=costs)


def chosen(cube: Floats, weights: Floats, measure: SelectionMetric, gains: Floats, trajectory: Floats) -> Selection:
    """The selection with these weights, or of the best model alone where that is better."""
    gain, best = measure.gain(weighted_mean(cube, weights)), int(np.nanargmax(gains))
    if not gain >= gains[best]:
        weights, gain = np.eye(len(cube))[best], gains[best]
    found = (float(measure.score(gain)), measure.score(gains), measure.name, measure.higher_is_better)
    return Selection(weights, measure.score(trajectory), *found)


def weighted_mean(predictions: Sequence[Floats] | Floats, weights: Floats) -> Floats:
    """sum_m w_m f_m, of the models with a weight, one after the other."""
    found = np.zeros_like(predictions[0], dtype=np.float64)
    for m in np.flatnonzero(weights).tolist():
        found += weights[m] * predictions[m]
    return found


def own_gains(cube: Floats, measure: SelectionMetric) -> Floats:
    """What each model is worth alone; NaN where its predictions are not finite."""
    finite = np.array([np.isfinite(predicted).all() for predicted in cube])
    gains = np.array([measure.gain(p) if ok else np.nan for p, ok in zip(cube, finite, strict=True)])
    if not finite.any():
        raise MercerError("No model has finite predictions for every row: there is nothing to select from.")
    if np.isnan(gains).all():
        raise MercerError(
            f"metric {measure.name!r} is not defined on these rows, of one class or of one value perhaps. "
            "Use another metric, or more rows."
        )
    return gains


def _checked(predictions: ArrayLike, y: ArrayLike, task: Task, n_classes: Sequence[int]) -> tuple[Floats, NDArray[Any]]:
    cube = np.asarray(predictions, dtype=np.float64)
    cube = cube[:, :, None] if cube.ndim == 2 and task is Task.REGRESSION else cube
    target = np.asarray(y)
    if cube.ndim != 3 or not cube.shape[0] or cube.shape[1] != len(target):
        raise MercerError(
            f"Predictions of shape {np.shape(predictions)} for {len(target)} rows: "
            "expected (n_models, n_rows, n_outputs)."
        )
    if task is Task.REGRESSION:
        return cube, target.astype(np.float64)
    sizes = np.array(n_classes or (cube.shape[2],))
    if sizes.sum() != cube.shape[2] or target.shape[1:] != ((len(sizes),) if len(sizes) > 1 else ()):
        raise MercerError(
            f"y of shape {target.shape} and probabilities in {cube.shape[2]} columns: expected a column of y, and as "
            f"many columns of probabilities, for each of n_classes = {tuple(n_classes)}."
        )
    if target.dtype.kind not in "iu" or target.min() < 0 or (target >= sizes).any():
        raise MercerError(f"y must be class codes from 0 to {sizes.max() - 1}, the columns of the probabilities.")
    return cube, target


def _varied(order: Longs, kinds: Sequence[str], most: int) -> Longs:
    """Of models in order the first so many of each kind."""
    codes = np.unique([kinds[m] for m in order], return_inverse=True)[1]
    places = [np.flatnonzero(codes == kind)[:most] for kind in range(codes.max() + 1)]
    found: Longs = order[np.sort(np.concatenate(places))]
    return found


def _bagged(
    cube: Floats, measure: SelectionMetric, order: Longs, forward: Forward, random_state: int
) -> tuple[Floats, Floats]:
    """Mean weights over the bags, and the gains after each step of each, (n_bags, n_steps)."""
    if forward.bags == 1:
        weights, gains = _forward(cube, measure, order, forward)
        return weights, gains[None]
    rng, size = np.random.default_rng(random_state), max(int(np.ceil(forward.share * len(order))), 1)
    found = [
        _forward(cube, measure, order[np.sort(rng.choice(len(order), size, replace=False))], forward)
        for _ in range(forward.bags)
    ]
    trajectory = np.full((forward.bags, max(len(gains) for _, gains in found)), np.nan)
    for row, (_, gains) in zip(trajectory, found, strict=True):
        row[: len(gains)] = gains
    return np.mean([weights for weights, _ in found], axis=0), trajectory


def _forward(cube: Floats, measure: SelectionMetric, order: Longs, forward: Forward) -> tuple[Floats, Floats]:
    """Weights and gains of one selection among models in the order of their own gains: ties go to the better one."""
    added = list(order[: min(forward.start, forward.steps)])
    total = cube[added].sum(axis=0)
    gains = [measure.gain(total / len(added))]
    while len(added) < forward.steps:
        allowed = order if forward.replace else [m for m in order if m not in added]
        if not len(allowed):
            break
        found = np.array([measure.gain((total + cube[m]) / (len(added) + 1)) for m in allowed])
        if np.isnan(found).all():
            break
        best = int(np.nanargmax(found))
        if not forward.best_of_trajectory and found[best] <= gains[-1]:
            break
        added.append(allowed[best])
        total = total + cube[allowed[best]]
        gains.append(found[best])
    first = len(added) - len(gains) + 1
    size = first + int(np.nanargmax(gains)) if not np.isnan(gains).all() else len(added)
    return np.bincount(added[:size], minlength=len(cube)) / size, np.array(gains)

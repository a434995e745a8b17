"""What ensembles of classes and of numbers share: library, selection, members, model file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from mercer.arrays import Floats
from mercer.combine.ensemble.forward import FORWARD, Forward, Selection, select, selection_metric, weighted_mean
from mercer.combine.ensemble.group import fit_all
from mercer.combine.ensemble.library import LIBRARY, ModelLibrary
from mercer.combine.ensemble.models import Models, ModelsLike
from mercer.combine.ensemble.stacking import stack
from mercer.combine.ensemble.training import Classes, TrainingData, class_lists, predict_member
from mercer.combine.members import members_state, read_members
from mercer.errors import BadFile
from mercer.parameters import Choice, Dictionary, Either, Number, Parameters, Text, Unstored, check_parameters
from mercer.select.costs import CostMatrix
from mercer.select.decisions import without_class_weights
from mercer.state import LARGEST, Reader, State
from mercer.table import Table
from mercer.table.estimator import TableEstimator

LibraryLike: TypeAlias = ModelLibrary | ModelsLike
Combiner: TypeAlias = Literal["stacking"] | Forward
Metric: TypeAlias = str | Callable[[Any, Any], float] | None

SHARED_DOCS = {
    "library": """
        library : ModelLibrary, {"small", "full"}, list of str, or list of (str, estimator), default "small"
            The models to select from. `ModelLibrary` sets folds, time limit, folder and progress; what it takes as
            `models` may be given in its place.""",
    "combiner": """
        combiner : Forward, "stacking" or None, default None
            How models are chosen and weighed: by forward selection, with steps, bags and the like as in `Forward`, or
            by non-negative weights of least squares (numbers) or greatest likelihood (classes). None: `Forward()`.""",
    "members_": """
        members_ : list of Member
            The models with a weight, fitted to all rows, largest weight first: name, weight, score alone, model.""",
    "weights_": """
        weights_ : ndarray of shape (n_members,)
            Their weights.""",
    "trajectory_": """
        trajectory_ : ndarray of shape (n_bags, n_steps)
            Score of the ensemble after each step of each bag, on out-of-fold predictions; NaN after its end.""",
    "score_": """
        score_ : float
            Score of the ensemble on out-of-fold predictions, by which it was chosen: an optimistic one.""",
    "metric_": """
        metric_ : str
            Name of the metric.""",
    "library_": """
        library_ : ModelLibrary
            The library with predictions and records; a model read from a file has none.""",
    "ensemble_seed": """
        random_state : int, default 0
            Seed of the folds, of the bags, and of the models that mercer lists.""",
}
SHARED_PARAMETERS: Parameters = {
    "library": Either(Models(), LIBRARY),
    "metric": Either(Text(optional=True), Unstored("a function of (y, predictions)", callable)),
    "combiner": Either(Choice(("stacking", None)), FORWARD),
    "kinds": Dictionary(),
    "n_jobs": Number(whole=True, optional=True),
    "random_state": Number(0, 2**32 - 1, whole=True),
}


@dataclass(frozen=True, slots=True)
class Member:
    """A model of an ensemble.

    Attributes
    ----------
    name : str
        Its name in the library.
    weight : float
        In the weighted mean.
    score : float
        Of the model alone, on its out-of-fold predictions.
    model : estimator
        Fitted to every row.
    class_weights : ndarray of shape (n_classes,) or None
        That it was fitted with: they are taken out of its probabilities before the mean.
    """

    name: str
    weight: float
    score: float
    model: Any
    class_weights: Floats | None = None

    def predict(self, table: Table, classes: Classes) -> Floats:
        """Its numbers, or its probabilities in a column per class."""
        found = predict_member(self.model, table, classes)
        return found if self.class_weights is None else without_class_weights(found, self.class_weights)


class BaseEnsemble(TableEstimator):
    """Fitting, predicting and storing of a weighted mean of models."""

    parameters: ClassVar[Parameters] = SHARED_PARAMETERS
    library: LibraryLike
    metric: Metric
    combiner: Combiner | None
    n_jobs: int | None
    random_state: int
    members_: list[Member]

    def _fit_ensemble(self, data: TrainingData, costs: CostMatrix | None = None) -> None:
        """Train the library, weigh its models, and fit those with a weight to every row."""
        if isinstance(self.library, ModelLibrary):
            library = ModelLibrary(**self.library.get_params(deep=False))  # a fit leaves its parameters as they are
        else:
            library = ModelLibrary(self.library, n_jobs=self.n_jobs, random_state=self.random_state)
        self.library_ = library.train(data)
        found = self._weigh(data, self.library_.predictions_, costs)
        fitted = fit_all([self.library_.models_[m] for m in found.members], data, self.library_._budget(0))
        self.members_ = [
            Member(self.library_.names_[m], float(found.weights[m]), float(found.scores[m]), model)
            for m, model in zip(found.members, fitted, strict=True)
        ]
        self.trajectory_, self.score_, self.metric_ = found.trajectory, found.score, found.metric

    def _assemble(self, table: Table, members: Sequence[Member], selection: Selection) -> None:
        """Take members that are fitted already, the largest weight first."""
        self._fit_table(table)
        self.members_ = sorted(members, key=lambda member: -member.weight)
        self.trajectory_, self.score_, self.metric_ = selection.trajectory, selection.score, selection.metric

    def _weigh(self, data: TrainingData, predictions: Floats, costs: CostMatrix | None) -> Selection:
        if self.combiner == "stacking":
            measure = selection_metric(self.metric, data.task, data.codes, data.n_classes, data.weight, costs=costs)
            return stack(predictions, measure)
        forward = Forward() if self.combiner is None else self.combiner
        return select(
            predictions,
            data.codes,
            self.metric,
            task=data.task,
            forward=forward,
            weight=data.weight,
            costs=costs,
            n_classes=data.n_classes,
            random_state=self.random_state,
        )

    def _check(self) -> None:
        check_parameters(self)
        for part in (self.library, self.combiner):
            if isinstance(part, ModelLibrary | Forward):
                check_parameters(part)

    @property
    def weights_(self) -> Floats:
        """The weights of the members."""
        return np.array([member.weight for member in self.members_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _mean(self, table: Table, classes: Classes) -> Floats:
        """sum_m w_m f_m(x), (n_rows, n_outputs)."""
        found = [member.predict(table, classes) for member in self.members_]
        if len({len(predicted.T) for predicted in found}) > 1:
            raise BadFile("The members of the ensemble predict different numbers of targets.")
        return weighted_mean(found, self.weights_)

    def _fitted_state(self) -> State:
        return {
            "models": members_state(member.model for member in self.members_),
            "names": [member.name for member in self.members_],
            "weights": self.weights_,
            "scores": np.array([member.score for member in self.members_]),
            "class_weights": _class_weights(self.members_),
            "trajectory": self.trajectory_,
            "score": self.score_,
            "metric": self.metric_,
        }

    def _restore_members(self, state: Reader, classes: Classes) -> None:
        models, names = read_members(state, "models"), state.texts("names")
        weights = state.array("weights", "float64", (len(models),), low=0.0)
        scores = state.array("scores", "float64", (len(models),))
        if not models or len(names) != len(models) or (classes is not None and not abs(weights.sum() - 1) <= 1e-9):
            raise BadFile(f"{state.where}: names and weights that sum to 1 are expected, one for each model.")
        if not all(model.schema_ == self.schema_ and _answers(model, classes) for model in models):
            raise BadFile(f"{state.where}.models: their columns or classes are not those of the ensemble.")
        factors: list[Floats | None] = [None] * len(models)
        if state.has("class_weights"):
            shape = (len(models), sum(map(len, class_lists(classes))))
            factors = list(state.array("class_weights", "float64", shape, low=1e-12, high=LARGEST))
        self.members_ = [
            Member(n, float(w), float(s), m, f)
            for n, w, s, m, f in zip(names, weights, scores, models, factors, strict=True)
        ]
        self.metric_, self.score_ = state.text("metric"), state.number("score")
        self.trajectory_ = state.cells("trajectory", (None, None))


def _class_weights(members: Sequence[Member]) -> Floats | None:
    """A row for each member, 1 where it has none; None where no member has any."""
    known = [member.class_weights for member in members if member.class_weights is not None]
    if not known:
        return None
    return np.stack([np.ones(len(known[0])) if m.class_weights is None else m.class_weights for m in members])


def _answers(model: Any, classes: Classes) -> bool:
    """Whether a model answers with these classes or, as always of several targets, their codes; numbers for None."""
    if classes is None or not is_classifier(model):
        return classes is None and is_regressor(model)
    if isinstance(classes, list):
        known = class_lists(model.classes_)
        return len(known) == len(classes) and all(map(_are_codes, known, classes))
    if isinstance(model.classes_, list):
        return False
    same = bool(model.classes_.dtype == classes.dtype and np.array_equal(model.classes_, classes))
    return same or _are_codes(model.classes_, classes)


def _are_codes(seen: NDArray[Any], classes: NDArray[Any]) -> bool:
    return seen.dtype.kind in "iu" and np.array_equal(seen, np.arange(len(classes)))

"""Choosing k and the votes: every k up to a limit is scored from one search of neighbours."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold, check_cv

from mercer.arrays import Floats, Ints, Longs
from mercer.distances import Neighbours
from mercer.errors import BadTable, MercerError
from mercer.estimators.neighbours.training_rows import TrainingRows
from mercer.estimators.neighbours.votes import VOTE_NAMES, VoteName, votes
from mercer.select.copies import MIN_DISTINCT, Copies
from mercer.select.grid import Scoring


@dataclass(frozen=True)
class KCurve:
    """The cross-validated score of every k tried, by the name of the votes.

    Attributes
    ----------
    k : ndarray of shape (n_tried,)
        The numbers of neighbours.
    scores : dict of str to ndarray of shape (n_tried,)
        Accuracy of classes, or mean squared error of numbers; what `scoring` says where it is given.
    folds : int
        Number of folds; 0 for leave-one-out.
    """

    k: Longs
    scores: dict[str, Floats]
    folds: int


@dataclass(frozen=True)
class KSearch:
    """Which numbers of neighbours and which votes are compared, and by which folds: the estimator's parameters."""

    n_neighbors: Any  # a number, or "cv"
    weights: Any  # a name of votes, "cv", or a function
    max_neighbors: int
    cv: Any  # a number of folds, "loo", a splitter, or splits

    @property
    def needed(self) -> bool:
        """Whether there is anything to choose."""
        return "cv" in (self.n_neighbors, self.weights)

    def folds(self, target: NDArray[Any], *, stratify: bool, copies: Copies | None = None) -> Ints:
        """The fold of each row; with leave-one-out every row is a fold of its own, with its copies if there are any."""
        n = len(target)
        if copies is not None and isinstance(self.cv, int | str) and len(copies.first) >= MIN_DISTINCT:
            return self.folds(target[copies.first], stratify=stratify)[copies.group]
        if self.cv == "loo":
            return np.arange(n, dtype=np.int32)
        splitter = check_cv(self.cv)  # a splitter, or the splits themselves
        if isinstance(self.cv, int):
            if self.cv > n:
                raise MercerError(f"cv={self.cv!r} must be 'loo' or a number of folds from 2 to the {n} rows.")
            if stratify and np.bincount(target).min() >= self.cv:
                splitter = StratifiedKFold(self.cv)
        tests = [np.arange(n)[test] for _, test in splitter.split(np.zeros(n), target)]
        if not np.array_equal(np.sort(np.concatenate(tests)), np.arange(n)):
            raise MercerError("cv: choosing k needs every row in exactly one test fold.")
        folds = np.zeros(n, np.int32)
        for number, test in enumerate(tests):
            folds[test] = number
        return folds

    def choose(
        self,
        rows: TrainingRows,
        folds: Ints,
        score: Callable[[Neighbours], Floats],
        *,
        odd: bool,
        lowest: bool,
        n_jobs: int,
    ) -> tuple[int, VoteName, KCurve]:
        """The k and the votes of the best score, and the score of every k.

        score : neighbours from other folds, (n_rows, k), to a score of 1, 2, ..., k neighbours for each of VOTE_NAMES
        odd : whether even numbers of neighbours are left out
        lowest : whether the lowest score is the best
        """
        largest = len(rows) - int(np.bincount(folds).max())
        most = min(self.max_neighbors if self.n_neighbors == "cv" else int(self.n_neighbors), largest)
        if most < 1:
            raise BadTable("Choosing k needs at least two rows.")
        names = [name for name in VOTE_NAMES if (self.weights or "uniform") in ("cv", name)]
        if not names:
            raise MercerError(
                "n_neighbors='cv' scores the votes it knows. Use weights 'uniform', 'distance', 'distance2' or 'cv'."
            )
        found = rows.distance.nearest(rows.cells, rows.cells, most, groups=(folds, folds), n_jobs=n_jobs)
        scores = dict(zip(VOTE_NAMES, score(found), strict=True))
        allowed = np.arange(1, most + 1) if self.n_neighbors == "cv" else np.array([most])
        if odd and self.n_neighbors == "cv":
            allowed = allowed[allowed % 2 == 1]
        table = np.array([scores[name][allowed - 1] for name in names]) * (-1.0 if lowest else 1.0)
        if np.isnan(table).all():
            raise BadTable("Choosing k: the score is not defined on these rows. Choose another scoring.")
        vote, place = np.unravel_index(int(np.nanargmax(table)), table.shape)
        tried, n_folds = np.arange(1, most + 1), 0 if self.cv == "loo" else int(folds.max()) + 1
        return int(allowed[place]), names[int(vote)], KCurve(tried, {name: scores[name] for name in names}, n_folds)


class KPredictions(BaseEstimator):
    """What k neighbours from other folds predict for the training rows, in the shape of a fitted estimator.

    Scorers give it row numbers in place of X.
    """

    def __init__(self, predicted: NDArray[Any], proba: Floats | None = None, classes: NDArray[Any] | None = None):
        self.predicted = predicted
        self.proba = proba
        if classes is not None:
            self.classes_ = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.proba is None else "classifier"
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, rows: Longs) -> NDArray[Any]:
        """Classes or numbers."""
        return self.predicted[rows]

    def predict_proba(self, rows: Longs) -> Floats:
        """Shares of the classes in the votes."""
        assert self.proba is not None
        return self.proba[rows]


def score_curve(
    predict: Callable[[Ints, Floats], KPredictions],
    found: Neighbours,
    truth: NDArray[Any],
    weight: Floats | None,
    scoring: Scoring,
    names: tuple[VoteName, ...],
    odd: bool,
) -> Floats:
    """The score of 1, 2, ..., k neighbours for each of VOTE_NAMES, (3, k), larger is better; NaN where not asked for.

    predict : rows of the neighbours and their votes, both (n_rows, k), to predictions
    """
    scorer, rows = get_scorer(scoring), np.arange(len(truth))
    extra = {} if weight is None else {"sample_weight": weight}
    mass = np.ones_like(found.distance) if weight is None else weight[found.row]
    scores = np.full((len(VOTE_NAMES), found.row.shape[1]), np.nan)
    for name in names:
        for k in range(1, found.row.shape[1] + 1, 2 if odd else 1):
            predicted = predict(found.row[:, :k], votes(name, found.distance[:, :k], mass[:, :k]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UndefinedMetricWarning)  # the score is NaN, and k not chosen
                scores[VOTE_NAMES.index(name), k - 1] = scorer(predicted, rows, truth, **extra)
    return scores


def is_splits(value: Any) -> bool:
    """Whether it is a splitter of scikit-learn, or a list of splits."""
    return isinstance(value, list | tuple) or (hasattr(value, "split") and not isinstance(value, str))

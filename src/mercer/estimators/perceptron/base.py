"""What the perceptrons share: prediction from the scores of hyperplanes, and the classes they part."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import minimize_scalar

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadTarget
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.explanations.compared import class_scores
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT
from mercer.parameters import MOST_STEPS, RANDOM_STATE, Dictionary, Flag, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Table

# What both perceptrons take, and their docstring entries.
PERCEPTRON_PARAMETERS: Parameters = {
    "eta0": Number(0.0, above=True),
    "margin": Number(0.0),
    "max_iter": Number(1, MOST_STEPS, whole=True),
    "n_iter_no_change": Number(1, whole=True),
    "shuffle": Flag(),
    "random_state": RANDOM_STATE,
    "class_weight": CLASS_WEIGHT,
    "kinds": Dictionary(),
}
PERCEPTRON_DOCS = {
    "eta0": """
        eta0 : float, default 1.0
            Learning rate, above 0.""",
    "margin": """
        margin : float, default 0.0
            Rows with y f(x) up to the margin are mistakes: 0 is Rosenblatt's rule, 1 counts rows inside the margin
            too.""",
    "shuffle": """
        shuffle : bool, default True
            Whether each pass is in a random order. False shows the rows as they come, as textbooks do; on rows sorted
            by class, that forgets one class while it learns the other.""",
    "random_state": """
        random_state : int, RandomState or None, default 0
            Seed of the orders; None draws afresh in every fit.""",
    "separated_": """
        separated_ : bool
            Whether the last pass was without mistakes.""",
    "link_": """
        link_ : float
            P(c | x) is proportional to exp(link_ * score of c).""",
}  # fmt: skip


class PerceptronBase(TableClassifier):
    """A hyperplane for each class against the rest, one for two classes."""

    separated_: bool
    n_iter_: int
    link_: float

    @abstractmethod
    def _scores(self, table: Table) -> Floats:
        """(n_rows, 1) for two classes, otherwise (n_rows, n_classes)."""

    @property
    def _n_planes(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _expect_two_classes(self) -> None:
        if len(self.classes_) < 2:
            raise BadTarget(
                f"The number of classes has to be greater than one; got 1 class: the target has only one class, "
                f"'{self.classes_[0]}'. Use MajorityClass."
            )

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Positive on the side of the second class; with more classes, a column of scores for each.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            The score of each row.
        """
        scores = self._scores(self._predict_table(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row is; the first of `classes_` on a tie.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def _probabilities(self, X: Any) -> Floats:
        scores = self._scores(self._predict_table(X))
        return np.asarray(special.softmax(self._found("link_") * class_scores(scores), axis=1))

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_), "passes": int(self.n_iter_), "separated": bool(self.separated_),
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        if len(self.classes_) < 2:
            raise state.refuse("classes", "two classes or more")
        self.n_iter_, self.separated_ = state.integer("passes"), state.flag("separated")


def known_codes(y: Any, classes: NDArray[Any]) -> Ints:
    """The place of each label among known classes; another label is refused."""
    labels = np.asarray(y)
    place = np.clip(np.searchsorted(classes, labels), 0, len(classes) - 1)
    unknown = classes[place] != labels
    if unknown.any():
        raise BadTarget(
            f"The label '{labels[unknown][0]}' is not among the classes {', '.join(map(str, classes))}: "
            "name them all in classes=."
        )
    return np.asarray(place, dtype=np.int32)


def class_signs(codes: Ints, n_classes: int) -> Floats:
    """-1 and 1: (n_rows, 1) for two classes, otherwise a column for each class against the rest."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def fit_link(scores: Floats, codes: Ints, weight: Floats) -> float:
    """The link of least log-loss, where P(c | x) is proportional to exp(link * score of c).

    One number for all classes, so that the most probable class is the one with the highest score.
    """
    size = max(float(np.abs(scores).max(initial=0.0)), 1e-300)
    unit = class_scores(scores / size)
    own = unit[np.arange(len(codes)), codes]

    def loss(power: float) -> float:
        scaled = np.exp(power) * unit
        # logsumexp takes ten times as long.
        total = np.logaddexp(*scaled.T) if scaled.shape[1] == 2 else special.logsumexp(scaled, axis=1)
        return float(weight @ (total - np.exp(power) * own))

    found = minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded")
    return float(np.exp(found.x)) / size

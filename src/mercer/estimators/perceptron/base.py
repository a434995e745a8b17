"""What perceptrons share: passes until no mistake, and probabilities from scores."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.optimize import minimize_scalar
from sklearn.utils import check_random_state

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.errors import BadTarget, MercerError, MercerWarning
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.solvers.linear.moments import Moments
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import class_codes


class PerceptronBase(TableClassifier):
    """Passes over the rows until none is a mistake; a vector of scores for each class, one for two classes."""

    eta0: float
    margin: float
    max_iter: int
    n_iter_no_change: int
    shuffle: bool
    random_state: Any
    kinds: Mapping[str, Any] | None
    mean_: Floats
    scale_: Floats

    def _check_options(self) -> None:
        if not 0 < self.eta0 < np.inf:
            raise MercerError(f"eta0={self.eta0}: a learning rate above 0.")
        if not 0 <= self.margin < np.inf:
            raise MercerError(f"margin={self.margin}: a number from 0 up.")
        if self.max_iter < 1 or self.n_iter_no_change < 1:
            raise MercerError("max_iter and n_iter_no_change must be at least 1.")

    def _start(
        self, X: Any, y: Any, sample_weight: Any, classes: Any = None
    ) -> tuple[Table, NDArray[np.int32], Floats]:
        """Rows in the order they are shown, their codes, and how often each is shown."""
        self._check_options()
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        turns = np.ones(len(table)) if weight is None else weight
        if not turns.all():
            table, turns = table.take(turns > 0), turns[turns > 0]
            codes = self._fit_labels(np.asarray(y)[np.asarray(weight) > 0], len(table))
        if classes is not None:
            known = np.unique(classes)
            codes, self.classes_ = check_labels(self.classes_[codes], known), known
        if len(self.classes_) < 2:
            raise BadTarget(
                f"The target has only one class, '{self.classes_[0]}'; classification needs two. Use MajorityClass."
            )
        return table, codes, turns

    def _further(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, NDArray[np.int32], Floats]:
        """Later rows, for the columns and classes that are known."""
        self._check_options()
        table = self._predict_table(X)
        labels, codes = class_codes(y, len(table))
        weight = self._weights(sample_weight, len(table))
        return table, check_labels(labels[codes], self.classes_), np.ones(len(table)) if weight is None else weight

    def _learn_design(self, table: Table, turns: Floats) -> None:
        """Columns as numbers, centred and divided by their deviation."""
        self.design_ = Design.learn(table, turns)
        matrix = self.design_.matrix(table)
        moments = Moments.of(matrix, np.zeros(len(table)), turns)
        spread = np.sqrt(np.maximum(np.diag(moments.scatter)[:-1], 0.0) / moments.weight)
        constant = spread <= 1e-13 * np.abs(moments.mean[:-1])
        self.mean_, self.scale_ = moments.mean[:-1], np.where(constant, 1.0, spread)

    @property
    def _n_planes(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _signs(self, codes: NDArray[np.int32]) -> Floats:
        """-1 and 1, (n_rows, 1) for two classes, otherwise a column for each class against the rest."""
        if len(self.classes_) == 2:
            return np.where(codes == 1, 1.0, -1.0)[:, None]
        return np.where(codes[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)

    def _passes(self, n_rows: int, one_pass: Callable[[NDArray[np.intp]], float]) -> None:
        """Pass after pass, until one is without mistakes or the mistakes do not become fewer.

        Where the classes do not separate, the answer is that of the pass with the fewest mistakes (Gallant 1990).
        """
        random = check_random_state(self.random_state)
        fewest, idle, self.separated_ = np.inf, 0, False
        for number in range(1, self.max_iter + 1):
            self.n_iter_ = number
            order = random.permutation(n_rows) if self.shuffle else np.arange(n_rows)
            self.mistakes_ = one_pass(order)
            if self.mistakes_ == 0:
                self.separated_ = True
                return
            if self.mistakes_ < fewest:
                fewest, idle, best = self.mistakes_, 0, self._snapshot()
            else:
                idle += 1
            if idle >= self.n_iter_no_change:
                break
        self._recall(best)
        if getattr(self, "average", False):
            return  # made for classes that overlap
        warnings.warn(
            f"The classes did not separate: {self.mistakes_:g} mistakes in pass {self.n_iter_}, {fewest:g} in the "
            f"best. {self._advice} or raise max_iter and n_iter_no_change.", MercerWarning, stacklevel=4,
        )  # fmt: skip

    @abstractmethod
    def _snapshot(self) -> Any:
        """The hyperplanes as they are now."""

    @abstractmethod
    def _recall(self, snapshot: Any) -> None:
        """Back to the hyperplanes of a snapshot."""

    _advice = "Use average=True, LogisticRegression or KernelPerceptron,"

    def _learn_link(self, scores: Floats, codes: NDArray[np.int32], turns: Floats) -> None:
        """P(c | x) proportional to exp(link * score of c): the link of least log-loss on these rows.

        One number, so that the most probable class stays the one on whose side the row is.
        """
        size = max(float(np.abs(scores).max(initial=0.0)), 1e-300)
        unit = self._both_sides(scores / size)
        own = unit[np.arange(len(codes)), codes]

        def loss(power: float) -> float:
            return float(turns @ (special.logsumexp(np.exp(power) * unit, axis=1) - np.exp(power) * own))

        found = minimize_scalar(loss, bounds=(-5.0, 5.0), method="bounded")
        self.link_ = float(np.exp(found.x)) / size

    def _both_sides(self, scores: Floats) -> Floats:
        """A column for each class."""
        return np.column_stack([np.zeros(len(scores)), scores]) if len(self.classes_) == 2 else scores

    def _two_sides(self, scores: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The classes compared in each row: the second and the first, or of several the best and the runner-up."""
        if len(self.classes_) == 2:
            return np.ones(len(scores), dtype=np.intp), np.zeros(len(scores), dtype=np.intp)
        order = np.argsort(-scores, axis=1, kind="stable")
        return order[:, 0], order[:, 1]

    @abstractmethod
    def _scores(self, table: Table) -> Floats:
        """(n_rows, 1) for two classes, otherwise (n_rows, n_classes)."""

    def decision_function(self, X: Any) -> Floats:
        """Positive on the side of the second class, (n_rows,); with more classes, a column of scores each."""
        scores = self._scores(self._predict_table(X))
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row is; the first of `classes_` on a tie."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) by a logistic curve of the score, (n_rows, n_classes)."""
        scores = self._scores(self._predict_table(X))
        return np.asarray(special.softmax(self.link_ * self._both_sides(scores), axis=1))

    def _shared_state(self) -> State:
        return {
            "input": self._input_state(), "design": self.design_.to_state(), "mean": self.mean_, "scale": self.scale_,
        } | self._outcome_state()  # fmt: skip

    def _outcome_state(self) -> State:
        """The classes, the link, and how the last pass went."""
        return {
            "classes": labels_state(self.classes_), "link": self.link_, "passes": int(self.n_iter_),
            "mistakes": float(self.mistakes_), "separated": bool(self.separated_),
        }  # fmt: skip

    def _restore_outcome(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        if len(self.classes_) < 2:
            raise state.refuse("classes", "two classes or more")
        self.link_ = state.number("link", 0.0, float(np.finfo(float).max))
        self.n_iter_, self.mistakes_ = state.integer("passes"), state.number("mistakes", 0.0)
        self.separated_ = state.flag("separated")

    def _restore_shared(self, state: Reader) -> Self:
        self._restore_input(state.child("input"))
        self._restore_outcome(state)
        self.design_ = Design.from_state(state.child("design"), self.schema_)
        d = len(self.design_.names)
        self.mean_ = state.array("mean", "float64", (d,))
        self.scale_ = state.array("scale", "float64", (d,), low=np.nextafter(0.0, 1.0))
        return self


def check_labels(y: Any, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Codes of labels among known classes; a new label is refused."""
    labels = np.asarray(y)
    place = np.clip(np.searchsorted(classes, labels), 0, len(classes) - 1)
    strange = classes[place] != labels
    if strange.any():
        odd = labels[strange][0]
        raise BadTarget(
            f"The label '{odd}' is not among the classes {', '.join(map(str, classes))}: name them all in classes=."
        )
    return np.asarray(place, dtype=np.int32)

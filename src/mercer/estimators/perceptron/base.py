"""What the perceptrons share: fit and partial_fit, prediction from scores, and storing."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.utils import check_random_state

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter, BadTarget, MercerWarning
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.class_weight import CLASS_WEIGHT, class_factors
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.sample_weight import row_counts
from mercer.estimators.perceptron.passes import (
    Examples,
    Trainer,
    class_scores,
    class_signs,
    fit_link,
    run_passes,
)
from mercer.parameters import Dictionary, Either, Flag, Number, Parameters, Unstored, check_parameters
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import class_codes

PASS_PARAMETERS: Parameters = {
    "eta0": Number(0, above=True),
    "margin": Number(0),
    "max_iter": Number(1, whole=True),
    "n_iter_no_change": Number(1, whole=True),
    "shuffle": Flag(),
    "random_state": Either(
        Number(0, 2**32 - 1, whole=True, optional=True),
        Unstored("a RandomState", lambda value: isinstance(value, np.random.RandomState)),
    ),
    "class_weight": CLASS_WEIGHT,
    "kinds": Dictionary(),
}

# Docstring entries of both perceptrons.
PERCEPTRON_DOCS = {
    "eta0": """
        eta0 : float, default 1.0
            Learning rate, above 0.""",
    "margin": """
        margin : float, default 0.0
            Rows with y f(x) up to the margin are mistakes: 0 is Rosenblatt's rule, 1 counts rows inside the margin
            too.""",
    "max_iter": """
        max_iter : int, default 1000
            Largest number of passes.""",
    "n_iter_no_change": """
        n_iter_no_change : int, default 50
            Number of passes after which the fit stops if none of them was better: fewer training rows misclassified
            after the pass, or as many and fewer mistakes during it.""",
    "shuffle": """
        shuffle : bool, default True
            Whether each pass of `fit` is in a random order. False shows the rows as they come, as textbooks do; on rows
            sorted by class, that forgets one class while it learns the other.""",
    "random_state": """
        random_state : int, RandomState or None, default 0
            Seed of the orders; None draws afresh in every fit.""",
    "class_weight": """
        class_weight : dict, "balanced" or None, default None
            Factor on the step, and on the count of mistakes, of the rows of each class; "balanced" makes the classes
            weigh alike in sum.""",
    "separated_": """
        separated_ : bool
            Whether the last pass was without mistakes.""",
    "n_iter_": """
        n_iter_ : int
            Number of passes.""",
    "mistakes_": """
        mistakes_ : float
            Mistakes during the last pass, by the weight of rows and classes.""",
    "link_": """
        link_ : float
            P(c | x) is proportional to exp(link_ * score of c).""",
    "repeats": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            How often each row is shown, one time after the other; 0.5 has half a step. In `fit` a common factor changes
            nothing: whole multiples of the smallest positive weight are numbers of times, other weights are scaled to a
            mean of 1. In `partial_fit` weights are taken as they are, since they go with those of other calls.""",
}  # fmt: skip


class PerceptronBase(TableClassifier):
    """Passes over the rows until none is a mistake; a hyperplane for each class against the rest, one for two."""

    separated_: bool
    n_iter_: int
    mistakes_: float
    link_: float
    _advice: ClassVar[str]  # what to do when classes do not separate

    @abstractmethod
    def _begin(self, examples: Examples) -> None:
        """Fit what turns rows into numbers, and set the hyperplanes to 0."""

    @abstractmethod
    def _trainer(self, examples: Examples) -> Trainer:
        """What moves the hyperplanes from where they are."""

    @abstractmethod
    def _scores(self, table: Table) -> Floats:
        """(n_rows, 1) for two classes, otherwise (n_rows, n_classes)."""

    @shares_docs(**PERCEPTRON_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Pass over the rows until the classes are separated, or no pass is better than the best for long.

        Parameters
        ----------
        {X}
        {y_class}
        {repeats}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        examples = self._first_examples(X, y, sample_weight, unit=row_counts)
        self._begin(examples)
        random = check_random_state(self.random_state) if self.shuffle else None
        limits = {"max_iter": self.max_iter, "n_iter_no_change": self.n_iter_no_change}
        with single_blas_thread():
            trainer = self._trainer(examples)
            passes = run_passes(trainer, examples, **limits, random=random)
            scores = trainer.finish()
        self.n_iter_, self.mistakes_, self.separated_ = passes.n_iter, passes.mistakes, passes.separated
        if not passes.separated and not getattr(self, "average", False):  # averages are made for classes that overlap
            warnings.warn(
                f"The classes did not separate: {passes.mistakes:g} mistakes in pass {passes.n_iter}; the model of the "
                f"best pass misclassifies training rows of weight {passes.errors:g}. {self._advice} or raise max_iter "
                "and n_iter_no_change.",
                MercerWarning,
                stacklevel=2,
            )
        self.link_ = fit_link(scores, examples.codes, examples.weight)
        return self

    @shares_docs(**PERCEPTRON_DOCS)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over further rows, in their order.

        Parameters
        ----------
        {X}
        {y_class}
        classes : array-like of shape (n_classes,) or None, default None
            All classes that will occur, in the first call; None for those of its y.
        {repeats}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        if isinstance(self.class_weight, str):
            raise BadParameter("class_weight='balanced' needs all rows at once: pass a dict to use partial_fit.")
        if not hasattr(self, "link_"):
            examples = self._first_examples(X, y, sample_weight, classes)
            self._begin(examples)
            self.n_iter_ = 0
        else:
            examples = self._further_examples(X, y, sample_weight)
        with single_blas_thread():
            trainer = self._trainer(examples)
            self.mistakes_ = trainer.one_pass(np.arange(len(examples)))
            scores = trainer.finish()
        self.n_iter_ += 1
        self.separated_ = self.mistakes_ == 0
        self.link_ = fit_link(scores, examples.codes, examples.weight)
        return self

    def _first_examples(
        self, X: Any, y: Any, sample_weight: Any, classes: Any = None, *, unit: Callable[[Any], Any] | None = None
    ) -> Examples:
        """The rows of positive weight, `unit` applied to the weights; sets the schema and `classes_`."""
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        weight = weight if unit is None else unit(weight)
        if weight is not None and not weight.all():
            table, codes, weight = table.take(weight > 0), codes[weight > 0], weight[weight > 0]
            present, places = np.unique(codes, return_inverse=True)
            codes, self.classes_ = places.astype(np.int32), self.classes_[present]
        if classes is not None:
            known = np.unique(classes)
            codes, self.classes_ = known_codes(self.classes_[codes], known), known
        if len(self.classes_) < 2:
            raise BadTarget(
                f"The target has only one class, '{self.classes_[0]}'; classification needs two. Use MajorityClass."
            )
        if self._flags_missing:
            table = self._flag_missing(table, [codes], row_counts(weight))
        return self._examples(table, codes, weight)

    @property
    def _flags_missing(self) -> bool:
        """Whether missing cells may get columns of their own; those of a design matrix have them already."""
        return False

    def _further_examples(self, X: Any, y: Any, sample_weight: Any) -> Examples:
        """Later rows, of the columns and classes that are known."""
        table = self._predict_table(X)
        labels, codes = class_codes(y, len(table))
        return self._examples(
            table, known_codes(labels[codes], self.classes_), self._weights(sample_weight, len(table))
        )

    def _examples(self, table: Table, codes: Ints, weight: Floats | None) -> Examples:
        factor = class_factors(self.class_weight, self.classes_, codes, weight)[codes]
        repeats = np.ones(len(table)) if weight is None else weight
        return Examples(table, codes, repeats, factor, class_signs(codes, len(self.classes_)))

    @property
    def _n_planes(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

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

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) by a logistic curve of the score.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        scores = self._scores(self._predict_table(X))
        return np.asarray(special.softmax(self.link_ * class_scores(scores), axis=1))

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_), "link": self.link_, "passes": int(self.n_iter_),
            "mistakes": float(self.mistakes_), "separated": bool(self.separated_),
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        if len(self.classes_) < 2:
            raise state.refuse("classes", "two classes or more")
        self.link_ = state.number("link", 0.0)
        self.n_iter_, self.mistakes_ = state.integer("passes"), state.number("mistakes", 0.0)
        self.separated_ = state.flag("separated")


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

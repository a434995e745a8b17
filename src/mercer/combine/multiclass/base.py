"""What classifiers by binary problems share: a code, a model for each of its columns, answers side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints, Longs
from mercer.combine.members import members_state, read_members
from mercer.combine.multiclass.binary import (
    expect_weights,
    fit_binary,
    margins,
    positive_probability,
    shared_rows,
)
from mercer.docstrings import shares_docs
from mercer.errors import BadFile
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.sklearn_api.availability import available_if
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.estimators.multiclass.codes import Code, checked_code, code_problems, column_separation, row_separation
from mercer.estimators.multiclass.strategy import Multiclass, expect_two_classes
from mercer.parameters import check_parameters
from mercer.state import Reader, State
from mercer.tasks import each_task

SHARED_DOCS = {
    "estimator": """
        estimator : classifier or None, default None
            Of two classes, mercer's or another library's; None is LogisticRegression(). mercer's share one table;
            others are given X as it is.""",
    "estimators_": """
        estimators_ : list of classifiers
            The model of each column of the code, fitted to classes 0 and 1; equal columns have one model.""",
    "code_book_": """
        code_book_ : ndarray of shape (n_classes, n_problems)
            A row for each class: in a column, the classes with +1 are told from those with -1; 0 takes no part.""",
    "separations_": """
        row_separation_ : float
            The smallest distance of two rows of the code; a 0 counts half.
        column_separation_ : int
            In how many classes the two most alike columns differ, whichever way their signs are turned.""",
}


def _has_probabilities(self: BinaryReduction) -> None:
    if not hasattr(self._binary, "predict_proba"):
        name = type(self._binary).__name__
        raise AttributeError(
            f"predict_proba is not available, because {name} has none: use an estimator that has, such as "
            f"SVC(probability='sigmoid') or CalibratedClassifierCV({name}())."
        )


class BinaryReduction(TableClassifier):
    """Base of OneVsOne, OneVsRest and OutputCode, which differ in their code and in how they read its answers."""

    estimator: Any
    estimators_: list[Any]
    code_book_: Code

    @property
    def kinds(self) -> Any:
        """The kinds of columns that the estimator is told, by which the table is read."""
        return getattr(self._binary, "kinds", None)

    @property
    def _binary(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    @abstractmethod
    def _design(self, n_classes: int) -> Code:
        """The code of this many classes."""

    @property
    @abstractmethod
    def _multiclass(self) -> Multiclass:
        """How answers become classes."""

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit a copy of the estimator to each binary problem.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        weight = self._weights(sample_weight, len(table))
        expect_two_classes(self, codes, np.ones(len(table)) if weight is None else weight)
        if weight is not None:
            expect_weights(self._binary)
        self.code_book_ = checked_code(self._design(len(self.classes_)), len(self.classes_))
        rows = shared_rows(self._binary, X, table)
        first, place = self._distinct_columns()
        problems = code_problems(self.code_book_[:, first], codes)
        models = each_task(partial(fit_binary, self._binary, rows, weight=weight), problems)
        self.estimators_ = [models[i] for i in place]
        self._after_fit(rows, codes, weight)
        return self

    def _after_fit(self, rows: Any, codes: Ints, weight: Floats | None) -> None:
        """What else is learned from the fitted models."""

    def _distinct_columns(self) -> tuple[Longs, Longs]:
        """Where each different column of the code is first, and which of them each column is."""
        _, first, place = np.unique(self.code_book_, axis=1, return_index=True, return_inverse=True)
        return first, place.ravel()

    @property
    def row_separation_(self) -> float:
        """The smallest distance of two rows of the code."""
        check_is_fitted(self)
        return row_separation(self.code_book_)

    @property
    def column_separation_(self) -> int:
        """In how many classes the two most alike columns of the code differ."""
        check_is_fitted(self)
        return column_separation(self.code_book_)

    def _answers(self, rows: Any, answer: Callable[[Any, Any], Floats]) -> Floats:
        """The answers of all models to rows as `shared_rows` gives them, (n_rows, n_problems)."""
        first, place = self._distinct_columns()
        return np.column_stack([answer(self.estimators_[i], rows) for i in first])[:, place]

    def _rows(self, X: Any) -> Any:
        table = self._input_table(X)
        return shared_rows(self._binary, X, table)

    def _decisions(self, rows: Any) -> Floats:
        """(n_rows,) for two classes, else (n_rows, n_classes)."""
        return self._multiclass.decision_function(self._answers(rows, margins), "ovr")

    def _class_codes(self, rows: Any) -> Longs:
        decisions = self._decisions(rows)
        return (decisions > 0).astype(np.int64) if decisions.ndim == 1 else np.argmax(decisions, axis=1)

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """How much speaks for each class.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, above 0 for the second, else a column per class, the largest wins.
        """
        return self._decisions(self._rows(X))

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class for which most speaks.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        codes = self._class_codes(self._rows(X))
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @available_if(_has_probabilities)
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class from those of the problems; the largest is always that of the class predicted.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        rows = self._rows(X)
        return self._multiclass.probabilities(self._answers(rows, positive_probability), self._class_codes(rows))

    def _fitted_state(self) -> State:
        first, _ = self._distinct_columns()
        return {
            "classes": labels_state(self.classes_),
            "code_book": self.code_book_,
            "members": members_state(self.estimators_[i] for i in first),
        }

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        book = state.array("code_book", "int8", (len(self.classes_), None), low=-1, high=1)
        self.code_book_ = checked_code(book, len(self.classes_))
        first, place = self._distinct_columns()
        models = read_members(state, "members")
        if len(models) != len(first):
            raise BadFile(f"{state.where}.members: expected {len(first)}, one for each different column of the code.")
        if not all(is_classifier(m) and np.array_equal(m.classes_, [0, 1]) for m in models):
            raise BadFile(f"{state.where}.members: expected classifiers of the classes 0 and 1.")
        self.estimators_ = [models[i] for i in place]

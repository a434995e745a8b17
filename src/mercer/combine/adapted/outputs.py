"""Models of several targets: one target of such a model by itself, and one model for each target as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.multioutput import ClassifierChain, MultiOutputRegressor, RegressorChain
from sklearn.utils import get_tags

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadTable, MercerError
from mercer.estimators.common.labels import stack_labels
from mercer.estimators.common.sklearn_api.availability import available_if
from mercer.table import Table


def n_outputs(model: Any) -> int:
    """How many targets a fitted model predicts."""
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):
        return len(classes)
    if isinstance(model, MultiOutputRegressor | RegressorChain):
        return len(model.estimators_)
    return int(getattr(model, "n_outputs_", 1))


def _has_probabilities(one: Any) -> None:
    if not hasattr(one.model, "predict_proba") or (len(one.classes_) != 2 and hasattr(one.model, "order_")):
        raise AttributeError("predict_proba is not available: the model gives no probabilities of this target")


class OneOutput(BaseEstimator):
    """One target of a fitted model of several, as an estimator of that target alone.

    Parameters
    ----------
    model : estimator
        Fitted to several targets.
    place : int, default 0
        Which of them, from 0.
    """

    def __init__(self, model: Any, place: int = 0) -> None:
        self.model = model
        self.place = place

    def __sklearn_tags__(self) -> Any:
        tags = get_tags(self.model)
        tags.target_tags.multi_output = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def schema_(self) -> Any:
        """What the columns are."""
        return self.model.schema_

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes of the target."""
        order = getattr(self.model, "order_", None)  # by which a chain lists its models and their classes
        place = self.place if order is None else order.tolist().index(self.place)
        found: NDArray[Any] = self.model.classes_[place]
        return found

    def fit(self, X: Any, y: Any) -> Any:
        """Refused: it is one target of a model that is fitted to all of them."""
        raise MercerError("This is one target of a fitted model of several. Fit that model.")

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """What the model predicts of this target.

        Parameters
        ----------
        {X}

        Returns
        -------
        predicted : ndarray of shape (n_rows,)
            Classes or numbers.
        """
        found: NDArray[Any] = np.asarray(self.model.predict(self._rows(X)))[:, self.place]
        if hasattr(self.model, "classes_"):  # a chain gives the numbers of classes as floats
            found = found.astype(self.classes_.dtype)
        return found

    @available_if(_has_probabilities)
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class of this target.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        found = self.model.predict_proba(self._rows(X))
        if isinstance(found, list):
            return np.asarray(found[self.place])
        return np.column_stack([1 - found[:, self.place], found[:, self.place]])

    def _rows(self, X: Any) -> Any:
        """The rows as the model takes them: a chain makes an array of them, and takes no missing cells."""
        if not isinstance(X, Table) or not isinstance(self.model, ClassifierChain | RegressorChain):
            return X
        cells = np.asarray(X)
        if np.isnan(cells).any():
            row, column = np.argwhere(np.isnan(cells))[0]
            raise BadTable(
                f"Row {row + 1} has no {X.schema.names[column]!r}, and {type(self.model).__name__} takes no missing "
                "cells: fill them in, or use MultiOutputClassifier or MultiOutputRegressor."
            )
        return X.to_polars() if hasattr(self.model, "feature_names_in_") else cells


def outputs_of(model: Any) -> list[Any]:
    """A model for each target of a fitted model; the model itself where it has one."""
    n = n_outputs(model)
    return [model] if n == 1 else [OneOutput(model, j) for j in range(n)]


class SeveralTargets(BaseEstimator):
    """y_j = f_j(x): one fitted model for each target, of classes or of numbers, as `mercer.load` gives them.

    Parameters
    ----------
    models : mapping of str to estimator
        Fitted models, by the names of their targets.

    Examples
    --------
    >>> import mercer
    >>> from mercer.combine.adapted.outputs import SeveralTargets
    >>> X = {"size": [1.0, 2.0, 8.0, 9.0]}
    >>> size = mercer.NaiveBayes().fit(X, ["small", "small", "large", "large"])
    >>> price = mercer.LinearRegression().fit(X, [10.0, 20.0, 80.0, 90.0])
    >>> found = SeveralTargets({"class": size, "price": price}).predict({"size": [1.5]})
    >>> found[0, 0], round(found[0, 1], 6)
    ('small', 15.0)
    """

    def __init__(self, models: Mapping[str, Any]) -> None:
        self.models = models

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @property
    def schema_(self) -> Any:
        """What the columns of the first target's model are."""
        return next(iter(self.models.values())).schema_

    def fit(self, X: Any, y: Any) -> Any:
        """Refused: its models are fitted each by itself."""
        raise MercerError("The models of several targets are fitted each by itself: see mercer.train.")

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class or number of every target.

        Parameters
        ----------
        {X}

        Returns
        -------
        predicted : ndarray of shape (n_rows, n_targets)
            Columns in the order of `models`; objects where classes stand beside numbers.
        """
        return stack_labels([np.asarray(model.predict(X)) for model in self.models.values()])

    @shares_docs()
    def predict_proba(self, X: Any) -> list[Floats | None]:
        """Probability of each class, of every target.

        Parameters
        ----------
        {X}

        Returns
        -------
        probabilities : list of ndarray of shape (n_rows, n_classes)
            In the order of `models`; None for a target that is a number.
        """
        return [m.predict_proba(X) if hasattr(m, "predict_proba") else None for m in self.models.values()]

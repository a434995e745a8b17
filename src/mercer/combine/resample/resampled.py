"""A learner that is fitted to resampled rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.combine.members import CLASSIFIER, members_state, read_members, storable
from mercer.combine.resample.inner import as_input, fit_inner, inner_probabilities
from mercer.combine.resample.methods import Method, Resampling
from mercer.combine.resample.priors import correct_priors
from mercer.combine.resample.sample import Sample
from mercer.distances import METRIC, Distance, as_distance
from mercer.docstrings import shares_docs
from mercer.errors import BadFile
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.sklearn_api.availability import available_if
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.parameters import RANDOM_STATE, Choice, Flag, Number, Parameters, check_parameters
from mercer.state import Reader, State

RESAMPLING_DOCS = {
    "correct": """
        correct : bool, default True
            Whether probabilities are corrected for the class shares that resampling changed. Then they are of use as
            probabilities, and a rare class is predicted where it is the more probable one: to find more of it at more
            false alarms, lower the threshold (`mercer train --cost`, or TunedThresholdClassifierCV).""",
    "shares": """
        class_prior_ : ndarray of shape (n_classes,)
            Share of each class in the rows given, by weight.
        fitted_prior_ : ndarray of shape (n_classes,)
            Share of each class in the rows fitted to.""",
    "random_state_0": """
        random_state : int, RandomState or None, default 0
            Seed of what is drawn at random; None draws afresh in every fit.""",
}


def _has_probabilities(model: Any) -> None:
    inner = getattr(model, "estimator_", None) or model._learner()
    if not hasattr(inner, "predict_proba"):
        raise AttributeError(
            f"predict_proba is not available: {type(inner).__name__} gives no probabilities. Set it to give some "
            "(probability='sigmoid' of SVC), or put it into CalibratedClassifierCV."
        )


def _has_decisions(model: Any) -> None:
    inner = getattr(model, "estimator_", None) or model._learner()
    if hasattr(inner, "predict_proba") or not hasattr(inner, "decision_function"):
        raise AttributeError("decision_function is there for learners without predict_proba: use predict_proba")


@storable
@shares_docs(**RESAMPLING_DOCS)
class Resampled(TableClassifier):
    """p(c | x) ~ p_s(c | x) pi_c / s_c: a learner p_s fitted to rows resampled from class shares pi to s, corrected.

    Only the rows given to `fit` are resampled, so cross-validation of a Resampled resamples inside the training folds
    and leaves test rows as they are. The correction (Saerens et al. 2002; Elkan 2001) is exact for "over" and "under",
    which draw rows by their class alone, and close for the others.

    Methods, to `ratio`:

    - "over": rows of small classes repeated; equally often as far as that goes, the rest drawn without replacement.
    - "under": rows of large classes drawn without replacement.
    - "smote": new rows between a row and one of its nearest neighbours of the same class (Chawla et al. 2002).
    - "borderline": the same from rows half of whose neighbours, or more but not all, are of other classes (Han 2005).
    - "adasyn": the same, more from rows with more neighbours of other classes (He et al. 2008).

    Methods that clean where classes meet, whatever the ratio; the smallest class keeps its rows:

    - "tomek": without rows of larger classes that are mutual nearest neighbours with a row of another class.
    - "edited": without rows of larger classes that have a row of another class among their neighbours (Wilson 1972).

    imbalanced-learn does the last five on tables of numbers, and "smote" on numbers and levels, without missing cells
    (`pip install mercer[imbalance]`); numbers are compared in units of their standard deviations. Elsewhere, and where
    `metric` is given, neighbours are those of a distance of mercer, and a new row has numbers a + u (b - a), the most
    frequent level of the neighbours, a missing cell with the share of the neighbours that lack it, and the row's text.

    Parameters
    ----------
    estimator : classifier or None, default None
        What is fitted: one of mercer's, or any with scikit-learn's API; None for LogisticRegression with scaled
        columns.
    method : {"over", "under", "smote", "borderline", "adasyn", "tomek", "edited"}, default "over"
        How rows are resampled.
    ratio : float, default 1.0
        Rows of the smallest class over those of the largest, from 0 to 1, that resampling aims at; a class that is
        there already stays as it is.
    n_neighbors : int or None, default None
        Neighbours of a row; None for 5, and 3 of "edited". A class that has fewer rows uses all it has.
    metric : str, Distance or "auto", default "auto"
        The distance by which neighbours are found: "heom", "gower", "hvdm", `mercer.distances`; "auto" is
        imbalanced-learn where it takes the table, HEOM elsewhere.
    {correct}
    {random_state_0}

    Attributes
    ----------
    estimator_ : classifier
        The learner, fitted to the resampled rows.
    {classes_}
    {shares}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    BalancedBagging : Several under-sampled fits, averaged.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> random = np.random.default_rng(0)
    >>> rare = random.random(2000) < 0.05
    >>> X = {"size": random.normal(size=2000) + 2 * rare, "job": random.choice(["clerk", "cook"], 2000)}
    >>> model = mercer.Resampled(mercer.NaiveBayes(), "over").fit(X, rare)
    >>> model.class_prior_.round(3), model.fitted_prior_.round(3)
    (array([0.945, 0.055]), array([0.5, 0.5]))
    >>> model.predict_proba(X)[:, 1].mean().round(3)
    np.float64(0.056)
    """

    parameters: ClassVar[Parameters] = {
        "estimator": CLASSIFIER,
        "method": Choice(Method),
        "ratio": Number(0, 1, above=True),
        "n_neighbors": Number(1, 10**6, whole=True, optional=True),
        "metric": METRIC,
        "correct": Flag(),
        "random_state": RANDOM_STATE,
    }
    estimator_: Any
    class_prior_: Floats
    fitted_prior_: Floats

    def __init__(
        self,
        estimator: Any = None,
        method: Method = "over",
        *,
        ratio: float = 1.0,
        n_neighbors: int | None = None,
        metric: str | Distance = "auto",
        correct: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.ratio = ratio
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.correct = correct
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags

    @property
    def kinds(self) -> Any:
        """Kinds of columns that the learner inside was given."""
        return getattr(self.estimator, "kinds", None)

    def _learner(self) -> Any:
        return LogisticRegression(max_iter=1000, scale=True) if self.estimator is None else self.estimator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Resample the rows and fit the learner to them.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row, at least 0; None weighs all alike. Rows of weight 0 are left out, rows drawn keep
            their weights, and a new row weighs the mean of its class. The learner has to take weights.

        Returns
        -------
        {self}
        """
        check_parameters(self)
        table = self._fit_table(X)
        rows = training_sample(self, table, y, sample_weight)
        resampled = self._resampling().apply(rows, self.classes_)
        self.class_prior_ = rows.shares(len(self.classes_))
        self.fitted_prior_ = resampled.shares(len(self.classes_))
        self.estimator_ = fit_inner(self._learner(), resampled, self.classes_)
        return self

    def _resampling(self) -> Resampling:
        distance = None if isinstance(self.metric, str) and self.metric == "auto" else as_distance(self.metric)
        return Resampling(self.method, self.ratio, self.n_neighbors, distance, self.random_state)

    @available_if(_has_probabilities)
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, for the class shares of the rows given to `fit` unless `correct` is False.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        table = self._input_table(X)
        found = inner_probabilities(self.estimator_, table)
        return correct_priors(found, self.fitted_prior_, self.class_prior_) if self.correct else found

    @available_if(_has_decisions)
    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Decisions of a learner without probabilities, as fitted to the resampled rows.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            As the learner gives them.
        """
        table = self._input_table(X)
        found: Floats = self.estimator_.decision_function(as_input(self.estimator_, table))
        return found

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; what the learner predicts where it has no probabilities.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        table = self._input_table(X)
        if self.correct and hasattr(self.estimator_, "predict_proba"):
            labels: NDArray[Any] = self.classes_[np.argmax(self.predict_proba(table), axis=1)]
            return labels
        return np.asarray(self.estimator_.predict(as_input(self.estimator_, table)))

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_),
            "class_prior": self.class_prior_,
            "fitted_prior": self.fitted_prior_,
            "estimators": members_state([self.estimator_]),
        }

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self.class_prior_, self.fitted_prior_ = read_shares(state, len(self.classes_))
        (self.estimator_,) = read_learners(state, self.classes_, 1)


def training_sample(model: TableClassifier, table: Any, y: Any, sample_weight: Any) -> Sample:
    """The rows that count, with their classes; sets `classes_`, of those rows alone."""
    codes = model._fit_labels(y, len(table))
    weight = model._weights(sample_weight, len(table))
    if weight is None or (weight > 0).all():
        return Sample(table, codes, weight)
    kept = np.flatnonzero(weight > 0)
    codes = model._fit_labels(model.classes_[codes[kept]], len(kept))
    return Sample(table.take(kept), codes, weight[kept])


def read_shares(state: Reader, n_classes: int) -> tuple[Floats, Floats]:
    """Shares of the classes, as given and as fitted, each above 0."""
    found = [state.probabilities(name, (n_classes,)) for name in ("class_prior", "fitted_prior")]
    if not all((shares > 0).all() for shares in found):
        raise BadFile(f"{state.where}: every class has a share above 0.")
    return found[0], found[1]


def read_learners(state: Reader, classes: NDArray[Any], n: int) -> list[Any]:
    """The fitted learners inside, which have the classes of the model."""
    found = read_members(state, "estimators")
    if len(found) != n or not all(np.array_equal(getattr(m, "classes_", ()), classes) for m in found):
        raise BadFile(f"{state.where}.estimators: {n} learners with the classes of the model are expected.")
    return found

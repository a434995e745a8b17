"""Several under-sampled fits, averaged."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from mercer.arrays import Floats
from mercer.combine.members import CLASSIFIER, members_state, storable
from mercer.combine.resample.inner import fit_inner, inner_probabilities
from mercer.combine.resample.priors import correct_priors
from mercer.combine.resample.resampled import RESAMPLING_DOCS, read_learners, read_shares, training_sample
from mercer.combine.resample.sample import expect_classes, undersample
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.tree.classifier import DecisionTreeClassifier
from mercer.parameters import RANDOM_STATE, Flag, Number, Parameters, check_parameters
from mercer.state import Reader, State
from mercer.tasks import each_task

MOST = 10_000


@storable
@shares_docs(**RESAMPLING_DOCS)
class BalancedBagging(TableClassifier):
    """p(c | x) ~ pi_c / s_c mean_b p_b(c | x): the mean of learners on under-sampled rows, corrected for their shares.

    Each learner sees every row of the smallest class and other rows of the larger ones, so that together they see many
    more than one under-sampled fit. EasyEnsemble (Liu, Wu and Zhou 2009) with boosted trees inside. The mean is taken
    first: a tree that is sure of a row stays sure under any correction.

    Parameters
    ----------
    estimator : classifier or None, default None
        What is fitted, with `predict_proba`: one of mercer's, or any with scikit-learn's API; None for
        DecisionTreeClassifier.
    n_estimators : int, default 10
        Number of fits.
    ratio : float, default 1.0
        Rows of the smallest class over those of the largest in each fit, from 0 to 1.
    {correct}
    {random_state_0}

    Attributes
    ----------
    estimators_ : list of classifier
        The learners, fitted.
    {classes_}
    {shares}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    See Also
    --------
    Resampled : One fit to rows resampled by any method.

    Examples
    --------
    >>> import numpy as np
    >>> import mercer
    >>> random = np.random.default_rng(0)
    >>> rare = random.random(2000) < 0.05
    >>> X = {"size": random.normal(size=2000) + 2 * rare, "job": random.choice(["clerk", "cook"], 2000)}
    >>> model = mercer.BalancedBagging(mercer.NaiveBayes()).fit(X, rare)
    >>> len(model.estimators_), model.fitted_prior_
    (10, array([0.5, 0.5]))
    >>> model.predict_proba(X)[:, 1].mean().round(2)
    np.float64(0.05)
    """

    parameters: ClassVar[Parameters] = {
        "estimator": CLASSIFIER,
        "n_estimators": Number(1, MOST, whole=True),
        "ratio": Number(0, 1, above=True),
        "correct": Flag(),
        "random_state": RANDOM_STATE,
    }
    estimators_: list[Any]
    class_prior_: Floats
    fitted_prior_: Floats

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        ratio: float = 1.0,
        correct: bool = True,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.ratio = ratio
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

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw the rows of each fit and fit the learners.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row, at least 0; None weighs all alike. Rows of weight 0 are left out, rows drawn keep
            their weights. The learner has to take weights.

        Returns
        -------
        {self}
        """
        check_parameters(self)
        learner = DecisionTreeClassifier() if self.estimator is None else self.estimator
        if not hasattr(learner, "predict_proba"):
            raise MercerError(
                f"BalancedBagging averages probabilities, and {type(learner).__name__} gives none. Set it to give some "
                "(probability='sigmoid' of SVC), or put it into CalibratedClassifierCV."
            )
        rows = training_sample(self, self._fit_table(X), y, sample_weight)
        expect_classes(rows.counts())
        random = check_random_state(self.random_state)
        drawn = [undersample(rows, self.ratio, random) for _ in range(self.n_estimators)]
        shares = [sample.shares(len(self.classes_)) for sample in drawn]
        self.estimators_ = each_task(partial(fit_inner, learner, classes=self.classes_), drawn)
        self.class_prior_, self.fitted_prior_ = rows.shares(len(self.classes_)), np.mean(shares, axis=0)
        return self

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
        found: Floats = np.mean([inner_probabilities(model, table) for model in self.estimators_], axis=0)
        return correct_priors(found, self.fitted_prior_, self.class_prior_) if self.correct else found

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_),
            "class_prior": self.class_prior_,
            "fitted_prior": self.fitted_prior_,
            "estimators": members_state(self.estimators_),
        }

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        self.class_prior_, self.fitted_prior_ = read_shares(state, len(self.classes_))
        self.estimators_ = read_learners(state, self.classes_, self.n_estimators)

"""scikit-learn's tests of its naive Bayes classifiers, with ours in their place: one class here, five there."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import mercer
from mercer.likelihoods import Complement, Gaussian

from .borrowed import Borrowed, stand_in


def _unused(self: Any, value: Any) -> None:
    """What our constructor sets comes from a parameter of theirs."""


class GaussianNB(mercer.NaiveBayes):
    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        super().__init__(priors=priors)
        self.var_smoothing = var_smoothing

    likelihoods = property(lambda self: Gaussian(ddof=0, floor=0.0, var_smoothing=self.var_smoothing), _unused)
    theta_ = property(lambda self: self.likelihoods_[0].moments()[0])
    var_ = property(lambda self: self.likelihoods_[0].moments()[1])


class _Counting(mercer.NaiveBayes):
    likelihood = ""

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None
    ) -> None:
        super().__init__(self.likelihood)
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    smoothing = property(lambda self: self.alpha, _unused)
    class_log_prior_ = property(lambda self: np.log(self.class_prior_))

    @property
    def priors(self) -> Any:
        given = None if self.fit_prior else "uniform"
        return given if self.class_prior is None else self.class_prior

    @priors.setter
    def priors(self, value: Any) -> None: ...


class MultinomialNB(_Counting):
    likelihood = "multinomial"
    feature_count_ = property(lambda self: self.likelihoods_[0].counts)
    feature_log_prob_ = property(lambda self: self.likelihoods_[0].log_weights())


class ComplementNB(_Counting):
    likelihood = "complement"

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        norm: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    likelihoods = property(lambda self: Complement(self.alpha, self.norm), _unused)
    feature_count_ = property(lambda self: self.likelihoods_[0].counts)
    feature_all_ = property(lambda self: self.likelihoods_[0].counts.sum(axis=0))
    feature_log_prob_ = property(lambda self: self.likelihoods_[0].log_weights())


class BernoulliNB(_Counting):
    likelihood = "bernoulli"
    feature_count_ = property(lambda self: self.likelihoods_[0].present)
    feature_log_prob_ = property(lambda self: self.likelihoods_[0].log_outcomes()[1])


class CategoricalNB(_Counting):
    """Whole numbers from 0 up are levels there; here a column of levels is one of texts, or named so in `kinds`."""

    likelihood = "gaussian"  # of numbers, of which there are none

    def __init__(
        self, *, alpha: Any = 1.0, force_alpha: bool = True, fit_prior: bool = True, class_prior: Any = None,
        min_categories: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.min_categories = min_categories

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        self._set_kinds(X)
        return super().fit(self._levels(X), y, sample_weight)

    def _set_kinds(self, X: Any) -> None:
        if self.min_categories is None:
            self.kinds = dict.fromkeys(self._levels(X), "category")
        else:
            many = np.maximum(np.max(X, axis=0) + 1, self.min_categories)
            self.kinds = {f"x{j}": [str(level) for level in range(n)] for j, n in enumerate(many)}

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        if not hasattr(self, "likelihoods_"):
            self._set_kinds(X)
        return super().partial_fit(self._levels(X), y, classes, sample_weight)

    def predict_joint_log_proba(self, X: Any) -> Any:
        return super().predict_joint_log_proba(self._levels(X))

    @staticmethod
    def _levels(X: Any) -> dict[str, list[str]]:
        return {f"x{j}": [str(int(v)) for v in column] for j, column in enumerate(np.asarray(X).T)}

    @property
    def category_count_(self) -> list[Any]:
        return [table.counts.T for table in self.likelihoods_[0].tables()]

    @property
    def n_categories_(self) -> Any:
        return np.array([len(column.levels) for column in self.schema_])


def _book() -> Borrowed:
    return BORROWED


OURS = {c.__name__: stand_in(_book, c) for c in (GaussianNB, MultinomialNB, ComplementNB, BernoulliNB, CategoricalNB)}
EXCEPTIONS = {
    "calls a private function": ["test_check_alpha"],
    "smoothing is one number for all columns, not one for each": ["test_alpha_vector"],
    "classes need not be known beforehand: later rows may bring new ones": ["test_NB_partial_fit_no_first_classes"],
    "levels are those met or declared, of any name, not the numbers from 0 up": [
        "test_categoricalnb",
        "test_categoricalnb_min_categories_errors",
    ],
    "alpha = 0 is no smoothing here, not almost none with a warning": ["test_alpha"],
    "every table may hold categories": [
        "test_categorical_input_tag[BernoulliNB]",
        "test_categorical_input_tag[MultinomialNB]",
        "test_categorical_input_tag[ComplementNB]",
        "test_categorical_input_tag[GaussianNB]",
    ],
}
OTHERS = {
    "arrays of other libraries (the array API)": ["test_gnb_array_api_compliance"],
    "calls a private function": ["test_gnb_check_update_with_no_data"],
}
WORDED = frozenset({"test_discretenb_provide_prior", "test_cnb"})

BORROWED = Borrowed("sklearn.tests.test_naive_bayes", {"sklearn.naive_bayes": OURS}, EXCEPTIONS, OTHERS, WORDED)
globals().update(BORROWED.tests())

"""Which learners can be fitted in chunks, and by which function."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import isclass
from typing import Any, TypeAlias

from mercer.encode import Encoder
from mercer.errors import MercerError
from mercer.estimators.bayes.classifier import BayesClassifier
from mercer.estimators.boosting.classifier import HistGradientBoostingClassifier
from mercer.estimators.boosting.regressor import HistGradientBoostingRegressor
from mercer.estimators.common.baseline import MajorityClass, MeanTarget
from mercer.estimators.forest.classifier import ForestClassifier
from mercer.estimators.forest.regressor import ForestRegressor
from mercer.estimators.least_squares.kernel_ridge import KernelRidge
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.svm.linear.svc import LinearSVC
from mercer.estimators.svm.linear.svr import LinearSVR
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.estimators.tree.classifier import DecisionTreeClassifier
from mercer.estimators.tree.regressor import DecisionTreeRegressor
from mercer.scale.encoders.fits import check_encoder, fit_encoder
from mercer.scale.learners.baseline import fit_majority, fit_mean
from mercer.scale.learners.bayes import fit_bayes
from mercer.scale.learners.kernel_machines import fit_kernel_ridge, fit_svc, fit_svr
from mercer.scale.learners.linear import fit_linear
from mercer.scale.learners.linear_svm import fit_linear_svc, fit_linear_svr
from mercer.scale.learners.logistic import fit_logistic_chunks
from mercer.scale.learners.neighbours import fit_neighbours
from mercer.scale.learners.tree.boosting import fit_boosted_classifier, fit_boosted_regressor
from mercer.scale.learners.tree.trees import fit_forest, fit_tree
from mercer.scale.rows import Rows

Fit: TypeAlias = Callable[[Any, Rows], None]
FITS: dict[type, Fit] = {
    BayesClassifier: fit_bayes,
    LinearRegression: fit_linear,
    LogisticRegression: fit_logistic_chunks,
    LinearSVC: fit_linear_svc,
    LinearSVR: fit_linear_svr,
    SVC: fit_svc,
    SVR: fit_svr,
    KernelRidge: fit_kernel_ridge,
    KNeighborsClassifier: fit_neighbours,
    KNeighborsRegressor: fit_neighbours,
    HistGradientBoostingClassifier: fit_boosted_classifier,
    HistGradientBoostingRegressor: fit_boosted_regressor,
    DecisionTreeClassifier: fit_tree,
    DecisionTreeRegressor: fit_tree,
    ForestClassifier: fit_forest,
    ForestRegressor: fit_forest,
    MajorityClass: fit_majority,
    MeanTarget: fit_mean,
}


def fit_of(model: Any) -> Fit:
    """How a model is fitted in chunks; MercerError if it cannot be."""
    if isinstance(model, Encoder):
        check_encoder(model)
        return fit_encoder
    for cls in type(model).__mro__:
        if cls in FITS:
            return FITS[cls]
    known = ", ".join(learners_in_chunks())
    raise MercerError(
        f"{type(model).__name__} needs all rows at once. In chunks these can be fitted: {known}. Or fit it to a sample "
        "of the rows."
    )


def learners_in_chunks() -> list[str]:
    """The learners that can be fitted in chunks.

    Returns
    -------
    names : list of str
        Their names in `mercer`.

    Examples
    --------
    >>> import mercer
    >>> "NaiveBayes" in mercer.scale.learners_in_chunks()
    True
    """
    package = import_module("mercer")
    public = {name: getattr(package, name) for name in package.__all__}
    return sorted(name for name, value in public.items() if isclass(value) and issubclass(value, tuple(FITS)))

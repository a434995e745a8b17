"""Every estimator that mercer exports, found by looking, so that none is missed."""

from __future__ import annotations

import inspect
from typing import Any

from sklearn.base import ClassifierMixin, RegressorMixin, is_classifier, is_regressor

import mercer


def exported() -> list[type[Any]]:
    """The public classes with `fit` and `predict`."""
    public = (getattr(mercer, name) for name in mercer.__all__)
    learners = (ClassifierMixin, RegressorMixin)
    return [c for c in public if inspect.isclass(c) and issubclass(c, learners)]


# Estimators as they are checked: each exported class at its defaults, and options that take another path.
VARIANTS: list[Any] = [
    mercer.NaiveBayes("density"),
    mercer.NaiveBayes("binned"),
    mercer.NaiveBayesRegressor("intervals"),
    mercer.LinearRegression(method="normal", alpha=1.0),
    mercer.LinearRegression(positive=True),
    mercer.LogisticRegression(l1_ratio=1.0, solver="saga"),
    mercer.Perceptron(average="voted"),
    mercer.DecisionTreeClassifier(oblique=True),
    mercer.DecisionTreeRegressor(oblique=True),
    mercer.SVC(probability="sigmoid"),
    mercer.SVC(kernel="linear", multi_class="ovr", probability="isotonic", loss="squared_hinge"),
    mercer.SVC(C="cv", gamma="cv", grid=mercer.Grid(C=[0.5, 50.0], cv=3)),
    mercer.SVR(C="cv", epsilon="cv", gamma="cv", grid=mercer.Grid(C=[0.5, 50.0], gamma=["scale", 0.1], cv=3)),
    mercer.NuSVC(nu="cv", gamma="cv", grid=mercer.Grid(gamma=["scale", 0.1], cv=3)),
    mercer.NuSVR(C="cv", nu="cv", grid=mercer.Grid(C=[0.5, 50.0], nu=[0.2, 0.6], cv=3)),
    mercer.LinearSVC(C="cv", grid=mercer.Grid(C=[0.5, 50.0], cv=3)),
    mercer.LinearSVR(C="cv", max_iter=100_000, grid=mercer.Grid(C=[0.05, 0.5], cv=3)),
    mercer.SVC(multi_class="ecoc", probability="sigmoid"),
    mercer.KernelRidge(alpha="cv", kernel="rbf", gamma="cv", grid=mercer.Grid(alpha=[0.01, 1.0], gamma=["scale", 0.1])),
    mercer.LSSVC(C="cv", multi_class="ovo", probability="sigmoid", grid=mercer.Grid(C=[0.5, 50.0])),
    mercer.OutputCode(code="exhaustive", decoding="weighted"),
    mercer.OutputCode(mercer.DecisionTreeClassifier(), code="one_vs_one", decoding="probabilistic"),
    mercer.QuantileSVR(0.7, loss="expectile", tol=1e-10),
    mercer.QuantileSVR(C="cv", gamma="cv", grid=mercer.Grid(C=[0.5, 50.0], gamma=["scale", 0.1], cv=3)),
    mercer.TwinSVC(loss="squared", tol=1e-10),
    mercer.OneClassSVM(),
    mercer.SVDD(),
    *(learner(tol=1e-10) for learner in (mercer.SVC, mercer.SVR, mercer.NuSVR, mercer.OneClassSVM, mercer.SVDD)),
    *(learner(tol=1e-10) for learner in (mercer.QuantileSVR, mercer.TwinSVC)),
    mercer.CoreVectorMachine(tol=1e-10, multi_class="ovr"),
    mercer.LaplacianSVC(loss="squared", multi_class="ovo"),
    mercer.SVC(tol=1e-10, loss="squared_hinge", kernel="linear"),
    *(learner(tol=1e-10, max_iter=1_000_000) for learner in (mercer.LinearSVC, mercer.LinearSVR)),
    mercer.LinearSVC(penalty="l1", tol=1e-10, max_iter=1_000_000),
    mercer.LinearSVC(multi_class="crammer_singer", tol=1e-10, max_iter=1_000_000),
]
PAIRWISE = [
    *(learner(kernel="precomputed") for learner in (mercer.SVC, mercer.SVR, mercer.KernelRidge)),
    *(learner(metric="precomputed") for learner in (mercer.KNeighborsClassifier, mercer.KNeighborsRegressor)),
]
# Of a forest: a hundred trees take ten times as long and are no other path.
FEW_TREES = {"n_estimators": 10, "random_state": 0}
CHECKED: list[Any] = [*(c(**FEW_TREES if "bootstrap" in c.parameters else {}) for c in exported()), *VARIANTS]
CLASSIFIERS = [e for e in CHECKED if is_classifier(e)]
REGRESSORS = [e for e in CHECKED if is_regressor(e)]

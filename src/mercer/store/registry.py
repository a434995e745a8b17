"""The classes that a model file may name: a closed list, written here and nowhere else.

A name in a file is looked up in this dict; it is never imported, never resolved. To make an estimator
storable, give it `to_state` and `from_state` and add it here.
"""

from __future__ import annotations

from typing import Any, Protocol, Self

from mercer.errors import BadFile, MercerError, did_you_mean
from mercer.estimators.bayes.naive_bayes import NaiveBayes
from mercer.estimators.bayes.regression import NaiveBayesRegressor
from mercer.estimators.common.baseline import MajorityClass, MeanTarget
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic_regression import LogisticRegression
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.local_regression import LocallyWeightedRegression
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.neighbours.rote import RoteLearner
from mercer.estimators.perceptron.kernel_perceptron import KernelPerceptron
from mercer.estimators.perceptron.perceptron import Perceptron
from mercer.estimators.svm.linear.svc import LinearSVC
from mercer.estimators.svm.linear.svr import LinearSVR
from mercer.estimators.svm.one_class import OneClassSVM
from mercer.estimators.svm.svc import SVC, NuSVC
from mercer.estimators.svm.svr import SVR, NuSVR
from mercer.estimators.tree.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from mercer.state import Reader, State


class Storable(Protocol):
    """What can be written to a model file."""

    def to_state(self) -> State: ...

    @classmethod
    def from_state(cls, state: Reader) -> Self: ...


STORABLE: dict[str, type[Storable]] = {
    "DecisionTreeClassifier": DecisionTreeClassifier,
    "DecisionTreeRegressor": DecisionTreeRegressor,
    "KNeighborsClassifier": KNeighborsClassifier,
    "KNeighborsRegressor": KNeighborsRegressor,
    "KernelPerceptron": KernelPerceptron,
    "LinearRegression": LinearRegression,
    "LocallyWeightedRegression": LocallyWeightedRegression,
    "LogisticRegression": LogisticRegression,
    "LinearSVC": LinearSVC,
    "LinearSVR": LinearSVR,
    "MajorityClass": MajorityClass,
    "MeanTarget": MeanTarget,
    "NaiveBayes": NaiveBayes,
    "NaiveBayesRegressor": NaiveBayesRegressor,
    "Perceptron": Perceptron,
    "NuSVC": NuSVC,
    "NuSVR": NuSVR,
    "OneClassSVM": OneClassSVM,
    "RoteLearner": RoteLearner,
    "SVC": SVC,
    "SVR": SVR,
}


def name_of(model: Any) -> str:
    """The name under which a model is stored; an error when it cannot be."""
    name = type(model).__name__
    if STORABLE.get(name) is not type(model):
        raise MercerError(f"A {name} cannot be stored in a file. Storable: {', '.join(sorted(STORABLE))}.")
    return name


def class_named(name: str) -> type[Storable]:
    """The class of that name in the list above."""
    if name not in STORABLE:
        raise BadFile(f"There is no class {name[:60]!r} to build. {did_you_mean(name[:60], STORABLE)}")
    return STORABLE[name]

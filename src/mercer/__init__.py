"""mercer: supervised learning on mixed tables.

Names are imported when they are first used, so that `import mercer` and `mercer --help` cost next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.data import load_penguins
    from mercer.encode.selection import FeatureSelection, SelectByForest, select_features
    from mercer.estimators.baseline import MajorityClass, MeanTarget
    from mercer.estimators.bayes_rule import posterior
    from mercer.estimators.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
    from mercer.estimators.kernel_perceptron import KernelPerceptron
    from mercer.estimators.linear import LinearRegression
    from mercer.estimators.local_regression import LocallyWeightedRegression
    from mercer.estimators.logistic import LogisticRegression
    from mercer.estimators.naive_bayes import NaiveBayes
    from mercer.estimators.naive_bayes_regression import NaiveBayesRegressor
    from mercer.estimators.neighbours import KNeighborsClassifier, KNeighborsRegressor
    from mercer.estimators.one_class import OneClassSVM
    from mercer.estimators.perceptron import Perceptron
    from mercer.estimators.rote import RoteLearner
    from mercer.estimators.surface import Tuning
    from mercer.estimators.svm import SVC, NuSVC
    from mercer.estimators.svm_linear import LinearSVC, LinearSVR
    from mercer.estimators.svm_regression import SVR, NuSVR
    from mercer.estimators.tuning import Grid
    from mercer.evaluate.importance import Importance, Importances, permutation_importance
    from mercer.evaluate.tuning import tune
    from mercer.store import load, save
    from mercer.table import Table, read_table

__version__ = "0.1.0"

_PLACES = {
    "DecisionTreeClassifier": "mercer.estimators.decision_tree",
    "DecisionTreeRegressor": "mercer.estimators.decision_tree",
    "FeatureSelection": "mercer.encode.selection",
    "Importance": "mercer.evaluate.importance",
    "Importances": "mercer.evaluate.importance",
    "KNeighborsClassifier": "mercer.estimators.neighbours",
    "KNeighborsRegressor": "mercer.estimators.neighbours",
    "KernelPerceptron": "mercer.estimators.kernel_perceptron",
    "Grid": "mercer.estimators.tuning",
    "LinearRegression": "mercer.estimators.linear",
    "LogisticRegression": "mercer.estimators.logistic",
    "LocallyWeightedRegression": "mercer.estimators.local_regression",
    "LinearSVC": "mercer.estimators.svm_linear",
    "LinearSVR": "mercer.estimators.svm_linear",
    "MajorityClass": "mercer.estimators.baseline",
    "MeanTarget": "mercer.estimators.baseline",
    "NaiveBayes": "mercer.estimators.naive_bayes",
    "NaiveBayesRegressor": "mercer.estimators.naive_bayes_regression",
    "Perceptron": "mercer.estimators.perceptron",
    "NuSVC": "mercer.estimators.svm",
    "NuSVR": "mercer.estimators.svm_regression",
    "OneClassSVM": "mercer.estimators.one_class",
    "RoteLearner": "mercer.estimators.rote",
    "SVC": "mercer.estimators.svm",
    "SVR": "mercer.estimators.svm_regression",
    "SelectByForest": "mercer.encode.selection",
    "Table": "mercer.table",
    "Tuning": "mercer.estimators.surface",
    "load": "mercer.store",
    "load_penguins": "mercer.data",
    "permutation_importance": "mercer.evaluate.importance",
    "posterior": "mercer.estimators.bayes_rule",
    "read_table": "mercer.table",
    "save": "mercer.store",
    "select_features": "mercer.encode.selection",
    "tune": "mercer.evaluate.tuning",
}

__all__ = [
    "SVC",
    "SVR",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "FeatureSelection",
    "Grid",
    "Importance",
    "Importances",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelPerceptron",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LocallyWeightedRegression",
    "LogisticRegression",
    "MajorityClass",
    "MeanTarget",
    "NaiveBayes",
    "NaiveBayesRegressor",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "RoteLearner",
    "SelectByForest",
    "Table",
    "Tuning",
    "load",
    "load_penguins",
    "permutation_importance",
    "posterior",
    "read_table",
    "save",
    "select_features",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

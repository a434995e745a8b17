"""The public names, listed once: `__init__.py` imports each from here when it is first used."""

from . import distances as distances
from . import encode as encode
from . import errors as errors
from . import gallery as gallery
from . import kernels as kernels
from . import likelihoods as likelihoods
from . import plot as plot
from . import scale as scale
from .combine.ensemble.classifier import EnsembleSelection as EnsembleSelection
from .combine.ensemble.forward import Forward as Forward
from .combine.ensemble.library import ModelLibrary as ModelLibrary
from .combine.ensemble.regressor import EnsembleSelectionRegressor as EnsembleSelectionRegressor
from .combine.multiclass.one_vs_one import OneVsOne as OneVsOne
from .combine.multiclass.one_vs_rest import OneVsRest as OneVsRest
from .combine.multiclass.output_code import OutputCode as OutputCode
from .combine.resample.bagging import BalancedBagging as BalancedBagging
from .combine.resample.priors import correct_priors as correct_priors
from .combine.resample.resampled import Resampled as Resampled
from .data import load_penguins as load_penguins
from .errors import MercerError as MercerError
from .estimators.bayes.drop_in.categorical import CategoricalNB as CategoricalNB
from .estimators.bayes.drop_in.counts import BernoulliNB as BernoulliNB
from .estimators.bayes.drop_in.counts import ComplementNB as ComplementNB
from .estimators.bayes.drop_in.counts import MultinomialNB as MultinomialNB
from .estimators.bayes.drop_in.gaussian import GaussianNB as GaussianNB
from .estimators.bayes.naive_bayes import NaiveBayes as NaiveBayes
from .estimators.bayes.posterior import posterior as posterior
from .estimators.bayes.regression import NaiveBayesRegressor as NaiveBayesRegressor
from .estimators.boosting.classifier import HistGradientBoostingClassifier as HistGradientBoostingClassifier
from .estimators.boosting.regressor import HistGradientBoostingRegressor as HistGradientBoostingRegressor
from .estimators.common.baseline import MajorityClass as MajorityClass
from .estimators.common.baseline import MeanTarget as MeanTarget
from .estimators.common.explanations.explanation import Explanation as Explanation
from .estimators.core_vector.classifier import CoreVectorMachine as CoreVectorMachine
from .estimators.forest.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
from .estimators.forest.extra_trees import ExtraTreesRegressor as ExtraTreesRegressor
from .estimators.forest.random_forest import RandomForestClassifier as RandomForestClassifier
from .estimators.forest.random_forest import RandomForestRegressor as RandomForestRegressor
from .estimators.forest.selection import FeatureSelection as FeatureSelection
from .estimators.forest.selection import SelectByForest as SelectByForest
from .estimators.forest.selection import select_features as select_features
from .estimators.kernel_logistic.regression import KernelLogisticRegression as KernelLogisticRegression
from .estimators.laplacian.classifier import LaplacianSVC as LaplacianSVC
from .estimators.least_squares.kernel_ridge import KernelRidge as KernelRidge
from .estimators.least_squares.kernel_ridge_classifier import KernelRidgeClassifier as KernelRidgeClassifier
from .estimators.least_squares.lssvm import LSSVC as LSSVC
from .estimators.least_squares.lssvm import LSSVR as LSSVR
from .estimators.linear.linear_regression import LinearRegression as LinearRegression
from .estimators.linear.logistic.regression import LogisticRegression as LogisticRegression
from .estimators.neighbours.classifier import KNeighborsClassifier as KNeighborsClassifier
from .estimators.neighbours.local.regression import LocallyWeightedRegression as LocallyWeightedRegression
from .estimators.neighbours.regressor import KNeighborsRegressor as KNeighborsRegressor
from .estimators.neighbours.rote import RoteLearner as RoteLearner
from .estimators.perceptron.kernel.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .estimators.perceptron.perceptron import Perceptron as Perceptron
from .estimators.projection.kernel_components import KernelComponents as KernelComponents
from .estimators.projection.nystroem import Nystroem as Nystroem
from .estimators.projection.random_features import RandomFeatures as RandomFeatures
from .estimators.relevance.classifier import RVC as RVC
from .estimators.relevance.regressor import RVR as RVR
from .estimators.svm.linear.svc import LinearSVC as LinearSVC
from .estimators.svm.linear.svr import LinearSVR as LinearSVR
from .estimators.svm.novelty.one_class import OneClassSVM as OneClassSVM
from .estimators.svm.novelty.svdd import SVDD as SVDD
from .estimators.svm.quantile import QuantileSVR as QuantileSVR
from .estimators.svm.svc import SVC as SVC
from .estimators.svm.svc import NuSVC as NuSVC
from .estimators.svm.svr import SVR as SVR
from .estimators.svm.svr import NuSVR as NuSVR
from .estimators.tree.classifier import DecisionTreeClassifier as DecisionTreeClassifier
from .estimators.tree.regressor import DecisionTreeRegressor as DecisionTreeRegressor
from .estimators.twin.classifier import TwinSVC as TwinSVC
from .evaluation.assessment.evaluation import Evaluation as Evaluation
from .evaluation.assessment.paired import PairedComparison as PairedComparison
from .evaluation.assessment.score_curves import LearningCurve as LearningCurve
from .evaluation.assessment.score_curves import ValidationCurve as ValidationCurve
from .evaluation.attribution.changes import Change as Change
from .evaluation.attribution.changes import Counterfactual as Counterfactual
from .evaluation.effects import EffectLine as EffectLine
from .evaluation.effects import PartialDependence as PartialDependence
from .evaluation.effects import partial_dependence as partial_dependence
from .evaluation.importance import Importance as Importance
from .evaluation.importance import Importances as Importances
from .evaluation.importance import permutation_importance as permutation_importance
from .patch import patch_sklearn as patch_sklearn
from .patch import unpatch_sklearn as unpatch_sklearn
from .select.grid import Grid as Grid
from .select.tune import tune as tune
from .select.tuning_result import Tuning as Tuning
from .store import load as load
from .store import save as save
from .table import Table as Table
from .table import read_table as read_table
from .workbench.compare import compare as compare
from .workbench.compare import compare_predictions as compare_predictions
from .workbench.counterfactual import counterfactual as counterfactual
from .workbench.evaluate import evaluate as evaluate
from .workbench.evaluate import score_predictions as score_predictions
from .workbench.explain import explain as explain
from .workbench.nested import NestedEvaluation as NestedEvaluation
from .workbench.nested import nested_cv as nested_cv
from .workbench.prediction.predict import predict as predict
from .workbench.prediction.predicted import Predicted as Predicted
from .workbench.prediction.stream import predict_file as predict_file
from .workbench.runs import RunComparison as RunComparison
from .workbench.runs import compare_runs as compare_runs
from .workbench.score_curves import learning_curve as learning_curve
from .workbench.score_curves import validation_curve as validation_curve
from .workbench.train import train as train
from .workbench.training.result import TrainResult as TrainResult

__version__: str

__all__ = [
    "LSSVC",
    "LSSVR",
    "RVC",
    "RVR",
    "SVC",
    "SVDD",
    "SVR",
    "BalancedBagging",
    "BernoulliNB",
    "CategoricalNB",
    "Change",
    "ComplementNB",
    "CoreVectorMachine",
    "Counterfactual",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "EffectLine",
    "EnsembleSelection",
    "EnsembleSelectionRegressor",
    "Evaluation",
    "Explanation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FeatureSelection",
    "Forward",
    "GaussianNB",
    "Grid",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "Importance",
    "Importances",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KernelComponents",
    "KernelLogisticRegression",
    "KernelPerceptron",
    "KernelRidge",
    "KernelRidgeClassifier",
    "LaplacianSVC",
    "LearningCurve",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LocallyWeightedRegression",
    "LogisticRegression",
    "MajorityClass",
    "MeanTarget",
    "MercerError",
    "ModelLibrary",
    "MultinomialNB",
    "NaiveBayes",
    "NaiveBayesRegressor",
    "NestedEvaluation",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "OneVsOne",
    "OneVsRest",
    "OutputCode",
    "PairedComparison",
    "PartialDependence",
    "Perceptron",
    "Predicted",
    "QuantileSVR",
    "RandomFeatures",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Resampled",
    "RoteLearner",
    "RunComparison",
    "SelectByForest",
    "Table",
    "TrainResult",
    "Tuning",
    "TwinSVC",
    "ValidationCurve",
    "compare",
    "compare_predictions",
    "compare_runs",
    "correct_priors",
    "counterfactual",
    "distances",
    "encode",
    "errors",
    "evaluate",
    "explain",
    "gallery",
    "kernels",
    "learning_curve",
    "likelihoods",
    "load",
    "load_penguins",
    "nested_cv",
    "partial_dependence",
    "patch_sklearn",
    "permutation_importance",
    "plot",
    "posterior",
    "predict",
    "read_table",
    "save",
    "score_predictions",
    "select_features",
    "train",
    "tune",
    "unpatch_sklearn",
    "validation_curve",
]

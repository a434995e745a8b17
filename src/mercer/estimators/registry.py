"""One record per learner: `mercer train`, the model file, the report and the documentation read it from here.

To add a learner, write its estimator and its `explain` function in a family, add a record to `LEARNERS`, and list the
public name in `mercer/__init__.pyi`. A template `report/templates/explanations/FAMILY.html` is needed only if the
explanation has more to show than facts.
"""

from __future__ import annotations

from collections.abc import Sequence

from mercer.errors import MercerError, did_you_mean
from mercer.estimators import settings
from mercer.estimators.bayes.drop_in.categorical import CategoricalNB
from mercer.estimators.bayes.drop_in.counts import BernoulliNB, ComplementNB, MultinomialNB
from mercer.estimators.bayes.drop_in.gaussian import GaussianNB
from mercer.estimators.bayes.model_explanation import explain_naive_bayes, explain_naive_bayes_regressor
from mercer.estimators.bayes.naive_bayes import NaiveBayes
from mercer.estimators.bayes.regression import NaiveBayesRegressor
from mercer.estimators.boosting.classifier import HistGradientBoostingClassifier
from mercer.estimators.boosting.model_explanation import explain_boosting
from mercer.estimators.boosting.regressor import HistGradientBoostingRegressor
from mercer.estimators.common.baseline import MajorityClass, MeanTarget, explain_baseline
from mercer.estimators.core_vector.classifier import CoreVectorMachine
from mercer.estimators.core_vector.model_explanation import explain_core_vectors
from mercer.estimators.forest.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from mercer.estimators.forest.model_explanation import explain_forest
from mercer.estimators.forest.random_forest import RandomForestClassifier, RandomForestRegressor
from mercer.estimators.kernel_logistic.model_explanation import explain_kernel_logistic
from mercer.estimators.kernel_logistic.regression import KernelLogisticRegression
from mercer.estimators.laplacian.classifier import LaplacianSVC
from mercer.estimators.laplacian.model_explanation import explain_laplacian
from mercer.estimators.learner import Learner, ManyRows, TaskModel
from mercer.estimators.least_squares.kernel_ridge import KernelRidge
from mercer.estimators.least_squares.kernel_ridge_classifier import KernelRidgeClassifier
from mercer.estimators.least_squares.lssvm import LSSVC, LSSVR
from mercer.estimators.least_squares.model_explanation import explain_least_squares
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.estimators.linear.model_explanation import explain_linear
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.local.regression import LocallyWeightedRegression
from mercer.estimators.neighbours.model_explanation import explain_neighbours
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.neighbours.rote import RoteLearner
from mercer.estimators.perceptron.kernel.kernel_perceptron import KernelPerceptron
from mercer.estimators.perceptron.model_explanation import explain_perceptron
from mercer.estimators.perceptron.perceptron import Perceptron
from mercer.estimators.relevance.classifier import RVC
from mercer.estimators.relevance.model_explanation import explain_relevance
from mercer.estimators.relevance.regressor import RVR
from mercer.estimators.svm.linear.svc import LinearSVC
from mercer.estimators.svm.linear.svr import LinearSVR
from mercer.estimators.svm.model_explanation import explain_svm
from mercer.estimators.svm.novelty.one_class import OneClassSVM
from mercer.estimators.svm.novelty.svdd import SVDD
from mercer.estimators.svm.quantile import QuantileSVR
from mercer.estimators.svm.svc import SVC, NuSVC
from mercer.estimators.svm.svr import SVR, NuSVR
from mercer.estimators.tree.classifier import DecisionTreeClassifier
from mercer.estimators.tree.model_explanation import explain_tree
from mercer.estimators.tree.regressor import DecisionTreeRegressor
from mercer.estimators.twin.classifier import TwinSVC
from mercer.estimators.twin.model_explanation import explain_twin
from mercer.table.target import Task

__all__ = ["LEARNERS", "Learner", "TaskModel", "learners"]


LEARNERS: tuple[Learner, ...] = (
    Learner(
        "naive_bayes",
        "Naive Bayes",
        "One likelihood per column, multiplied as if the columns were independent given the class.",
        TaskModel(NaiveBayes, explain_naive_bayes, settings.threads),
        TaskModel(NaiveBayesRegressor, explain_naive_bayes_regressor, settings.threads),
        complexity=1,
        effort=1,
    ),
    Learner(
        "linear",
        "Linear model",
        "A weighted sum of the columns: logistic regression for classes, least squares for numbers.",
        TaskModel(LogisticRegression, explain_linear, settings.logistic),
        TaskModel(LinearRegression, explain_linear, settings.defaults),
        complexity=1,
        effort=2,
    ),
    Learner(
        "svm",
        "Support vector machine",
        "The widest margin under a kernel on numbers and categories; cost and width chosen by cross-validation.",
        TaskModel(SVC, explain_svm, settings.svc),
        TaskModel(SVR, explain_svm, settings.svr),
        holds_rows=True,
        max_rows=10_000,
        max_classes=30,  # 435 pairs; of 780 pairs and 1,000 rows a fit with its probabilities takes 2.5 s
        many_rows=ManyRows({"approximation": "cells"}, "in cells of about 2,000 rows", 40_000),
        searches=True,
    ),
    Learner(
        "tree",
        "Decision tree",
        "Binary splits on one column at a time, pruned by cross-validation.",
        TaskModel(DecisionTreeClassifier, explain_tree, settings.classification_tree),
        TaskModel(DecisionTreeRegressor, explain_tree, settings.regression_tree),
        complexity=2,
        effort=4,
    ),
    Learner(
        "boosting",
        "Boosted trees",
        "Many small trees added up, each grown on what the sum of those before it gets wrong.",
        TaskModel(HistGradientBoostingClassifier, explain_boosting, settings.boosting),
        TaskModel(HistGradientBoostingRegressor, explain_boosting, settings.boosting),
        effort=2,
        time_share=0.4,
    ),
    Learner(
        "forest",
        "Random forest",
        "Many trees, each on rows and columns drawn at random, and their answers averaged.",
        TaskModel(RandomForestClassifier, explain_forest, settings.classification_forest),
        TaskModel(RandomForestRegressor, explain_forest, settings.regression_forest),
        max_rows=20_000,
        effort=3,
        time_share=0.2,
    ),
    Learner(
        "extra_trees",
        "Extra trees",
        "Many trees whose splits are the best of some drawn at random, and their answers averaged.",
        TaskModel(ExtraTreesClassifier, explain_forest, settings.classification_extra_trees),
        TaskModel(ExtraTreesRegressor, explain_forest, settings.regression_extra_trees),
        max_rows=20_000,
        effort=3,
        time_share=0.1,
    ),
    Learner(
        "neighbours",
        "Nearest neighbours",
        "The majority or mean of the k nearest training rows; k chosen by leave-one-out cross-validation.",
        TaskModel(KNeighborsClassifier, explain_neighbours, settings.neighbours),
        TaskModel(KNeighborsRegressor, explain_neighbours, settings.neighbours),
        holds_rows=True,
        max_rows=10_000,
        scores_neighbours=True,
        complexity=3,
        effort=5,
    ),
    Learner(
        "local",
        "Locally weighted regression",
        "A linear model around each row, weighted by distance; k chosen by leave-one-out cross-validation.",
        regression=TaskModel(LocallyWeightedRegression, explain_neighbours, settings.neighbours),
        holds_rows=True,
        max_rows=10_000,
        complexity=3,
    ),
    Learner(
        "perceptron",
        "Averaged perceptron",
        "A hyperplane updated by each misclassified row, its weights averaged over all rows shown.",
        TaskModel(Perceptron, explain_perceptron, settings.perceptron),
        complexity=2,
        effort=3,
    ),
    Learner(
        "baseline",
        "Baseline",
        "Ignores every column: the share of each class, or the mean of the target.",
        TaskModel(MajorityClass, explain_baseline, settings.defaults),
        TaskModel(MeanTarget, explain_baseline, settings.defaults),
        is_baseline=True,
        complexity=0,
        effort=0,
    ),
    Learner(
        "gaussian_nb",
        "Gaussian naive Bayes",
        "Naive Bayes with a normal density for each column and class.",
        TaskModel(GaussianNB, explain_naive_bayes),
    ),
    Learner(
        "categorical_nb",
        "Categorical naive Bayes",
        "Naive Bayes that counts the levels of each column in each class.",
        TaskModel(CategoricalNB, explain_naive_bayes),
    ),
    Learner(
        "multinomial_nb",
        "Multinomial naive Bayes",
        "Naive Bayes of counts that share one total, such as of words.",
        TaskModel(MultinomialNB, explain_naive_bayes),
    ),
    Learner(
        "complement_nb",
        "Complement naive Bayes",
        "Naive Bayes of counts, estimated from the rows that are not of the class.",
        TaskModel(ComplementNB, explain_naive_bayes),
    ),
    Learner(
        "bernoulli_nb",
        "Bernoulli naive Bayes",
        "Naive Bayes of what is there or not.",
        TaskModel(BernoulliNB, explain_naive_bayes),
    ),
    Learner(
        "nu_svm",
        "Support vector machine with nu",
        "As the support vector machine, with nu, a bound on the share of margin errors, in place of the cost.",
        TaskModel(NuSVC, explain_svm),
        TaskModel(NuSVR, explain_svm),
        holds_rows=True,
    ),
    Learner(
        "kernel_ridge",
        "Kernel ridge",
        "Least squares with a penalty in the feature space of a kernel; penalty and width chosen by leaving rows out.",
        TaskModel(KernelRidgeClassifier, explain_least_squares, settings.kernel_ridge_classes),
        TaskModel(KernelRidge, explain_least_squares, settings.kernel_ridge),
        holds_rows=True,
        on_request=True,
        max_rows=5_000,
        searches=True,
    ),
    Learner(
        "kernel_logistic",
        "Kernel logistic regression",
        "Logistic regression in the feature space of a kernel: probabilities that need no calibration.",
        TaskModel(KernelLogisticRegression, explain_kernel_logistic, settings.kernel_machine),
        holds_rows=True,
        on_request=True,
        max_rows=5_000,
        searches=True,
    ),
    Learner(
        "column_weights",
        "Weighted kernels of columns",
        "A kernel for each column, whose learned weights say which columns matter.",
        TaskModel(KernelLogisticRegression, explain_kernel_logistic, settings.column_weights),
        TaskModel(KernelRidge, explain_least_squares, settings.column_weights),
        holds_rows=True,
        on_request=True,
        max_rows=2_000,
    ),
    Learner(
        "measure_weights",
        "Weighted measures of levels",
        "Eight measures for each column of levels, whose learned weights say which suits it.",
        TaskModel(KernelLogisticRegression, explain_kernel_logistic, settings.measure_weights),
        TaskModel(KernelRidge, explain_least_squares, settings.measure_weights),
        holds_rows=True,
        on_request=True,
        max_rows=1_000,
    ),
    Learner(
        "least_squares_svm",
        "Least squares support vector machine",
        "As the support vector machine, with squared errors on both sides: a linear system for each fit.",
        TaskModel(LSSVC, explain_least_squares, settings.kernel_classes),
        TaskModel(LSSVR, explain_least_squares, settings.kernel_machine),
        holds_rows=True,
        on_request=True,
        max_rows=5_000,
        searches=True,
    ),
    Learner(
        "relevance",
        "Relevance vector machine",
        "A weighted sum over the few training rows that the marginal likelihood leaves, with its own uncertainty.",
        TaskModel(RVC, explain_relevance, settings.relevance),
        TaskModel(RVR, explain_relevance, settings.relevance),
        holds_rows=True,
        on_request=True,
        max_rows=2_000,
        searches=True,
    ),
    Learner(
        "linear_svm",
        "Linear support vector machine",
        "The widest margin without a kernel: a weight per numeric column and per level.",
        TaskModel(LinearSVC),
        TaskModel(LinearSVR),
    ),
    Learner(
        "one_class_svm",
        "One-class support vector machine",
        "The region that holds most of the rows; those outside it are outliers.",
        outliers=TaskModel(OneClassSVM),
        holds_rows=True,
    ),
    Learner(
        "twin_svm",
        "Twin support vector machine",
        "A plane for each class in the feature space of a kernel, near its rows and away from all others.",
        TaskModel(TwinSVC, explain_twin),
        holds_rows=True,
    ),
    Learner(
        "laplacian_svm",
        "Laplacian support vector machine",
        "A support vector machine whose decision is smooth along a graph of neighbours, with a label or without.",
        TaskModel(LaplacianSVC, explain_laplacian),
        holds_rows=True,
    ),
    Learner(
        "core_vector",
        "Core vector machine",
        "The smallest ball around the rows in the feature space of a kernel, known from few of them.",
        TaskModel(CoreVectorMachine, explain_core_vectors),
        holds_rows=True,
    ),
    Learner(
        "quantile_svm",
        "Support vector quantile regression",
        "Quantiles or expectiles of the target as functions in the feature space of a kernel.",
        regression=TaskModel(QuantileSVR),
        holds_rows=True,
    ),
    Learner(
        "svdd",
        "Support vector data description",
        "The smallest ball of a kernel's space that holds most of the rows; those outside it are outliers.",
        outliers=TaskModel(SVDD),
        holds_rows=True,
    ),
    Learner(
        "rote",
        "Rote learner",
        "The majority class of the training rows that are equal to the row.",
        TaskModel(RoteLearner),
        holds_rows=True,
    ),
    Learner(
        "kernel_perceptron",
        "Kernel perceptron",
        "A perceptron in the feature space of a kernel, as a weighted sum over misclassified training rows.",
        TaskModel(KernelPerceptron),
        holds_rows=True,
    ),
)


def learner_keys(task: Task) -> tuple[str, ...]:
    """The names of all learners that `mercer train` can run for a task."""
    return tuple(learner.key for learner in LEARNERS if learner.model(task) is not None)


def learners(task: Task, keys: Sequence[str] | None = None) -> tuple[Learner, ...]:
    """The learners that `mercer train` runs for a task by itself, or those named, in the order of the list."""
    able = {learner.key: learner for learner in LEARNERS if learner.model(task) is not None}
    if keys is None:
        return tuple(learner for learner in able.values() if not learner.on_request)
    for key in keys:
        if key not in able:
            raise MercerError(f"There is no {task} learner {key!r}. {did_you_mean(key, able)}")
    if not keys:
        raise MercerError(f"No learner was named. {did_you_mean('', able)}")
    return tuple(learner for key, learner in able.items() if key in keys)

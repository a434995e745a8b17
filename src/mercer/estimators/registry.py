"""Every learner that `mercer train` runs, in one list: train, report and documentation read it from here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mercer.errors import MercerError, did_you_mean
from mercer.estimators.bayes.naive_bayes import NaiveBayes
from mercer.estimators.bayes.regression import NaiveBayesRegressor
from mercer.estimators.common.baseline import MajorityClass, MeanTarget
from mercer.estimators.linear.linear_regression import LinearRegression
from mercer.estimators.linear.logistic_regression import LogisticRegression
from mercer.estimators.neighbours.classifier import KNeighborsClassifier
from mercer.estimators.neighbours.local_regression import LocallyWeightedRegression
from mercer.estimators.neighbours.regressor import KNeighborsRegressor
from mercer.estimators.perceptron.perceptron import Perceptron
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.estimators.tree.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from mercer.select.grid import Grid
from mercer.table import Task

Factory: TypeAlias = Callable[[int, int | None], Any]  # (seed, n_jobs) -> an estimator, not fitted


@dataclass(frozen=True, slots=True)
class Learner:
    """One learner: what it is called, what it can do, how it is made and what it cannot take."""

    key: str
    title: str
    summary: str
    factories: Mapping[Task, Factory]
    is_baseline: bool = False
    holds_rows: bool = False  # whether the fitted model contains rows of the training table
    max_rows: int | None = None  # more rows than this are sampled down to it
    searches: bool = False  # whether it has a `grid` to search, which is told the metric that ranks the learners

    @property
    def tasks(self) -> tuple[Task, ...]:
        return tuple(self.factories)

    def make(self, task: Task, seed: int = 0, n_jobs: int | None = None) -> Any:
        """An estimator, not fitted."""
        return self.factories[task](seed, n_jobs)


def _svm_grid(seed: int, rows: int) -> Grid:
    """Few enough rows that a search takes no longer than the fit that follows."""
    return Grid(rows=rows, race=True, random_state=seed)


LEARNERS: tuple[Learner, ...] = (
    Learner(
        "naive_bayes",
        "Naive Bayes",
        "One likelihood per column, multiplied as if the columns were independent given the class.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: NaiveBayes(n_jobs=n_jobs),
            Task.REGRESSION: lambda seed, n_jobs: NaiveBayesRegressor(n_jobs=n_jobs),
        },
    ),
    Learner(
        "linear",
        "Linear model",
        "A weighted sum of the columns: logistic regression for classes, least squares for numbers.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: LogisticRegression(),
            Task.REGRESSION: lambda seed, n_jobs: LinearRegression(),
        },
    ),
    Learner(
        "svm",
        "Support vector machine",
        "The widest margin under a kernel that compares numbers and categories alike; cost and width are searched.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: SVC(
                C="cv", gamma="cv", probability="sigmoid", grid=_svm_grid(seed, 2000), n_jobs=n_jobs
            ),
            Task.REGRESSION: lambda seed, n_jobs: SVR(
                C="cv", gamma="cv", relative=True, grid=_svm_grid(seed, 1000), n_jobs=n_jobs
            ),
        },
        holds_rows=True,
        max_rows=10_000,
        searches=True,
    ),
    Learner(
        "tree",
        "Decision tree",
        "Questions asked one after the other, pruned back to those that pay.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: DecisionTreeClassifier(
                criterion="entropy", min_samples_leaf=5, prune="cv", n_jobs=n_jobs
            ),
            Task.REGRESSION: lambda seed, n_jobs: DecisionTreeRegressor(min_samples_leaf=5, prune="cv", n_jobs=n_jobs),
        },
    ),
    Learner(
        "neighbours",
        "Nearest neighbours",
        "The answer of the rows most alike; how many are asked is chosen by leaving one out.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: KNeighborsClassifier("cv", n_jobs=n_jobs),
            Task.REGRESSION: lambda seed, n_jobs: KNeighborsRegressor("cv", n_jobs=n_jobs),
        },
        holds_rows=True,
        max_rows=10_000,
    ),
    Learner(
        "local",
        "Locally weighted regression",
        "A plane fitted around each row, near rows weighing more; how many are asked is chosen by leaving one out.",
        {Task.REGRESSION: lambda seed, n_jobs: LocallyWeightedRegression("cv", n_jobs=n_jobs)},
        holds_rows=True,
        max_rows=10_000,
    ),
    Learner(
        "perceptron",
        "Averaged perceptron",
        "A hyperplane moved by each row it gets wrong, averaged over its way.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: Perceptron(
                average=True,
                max_iter=10,
                shuffle=True,
                random_state=seed,  # more passes change the AUC by 0.002
            ),
        },
        max_rows=20_000,  # one pass after the other in Python: seconds a fit
    ),
    Learner(
        "baseline",
        "Baseline",
        "Ignores every column: the share of each class, or the mean of the target.",
        {
            Task.CLASSIFICATION: lambda seed, n_jobs: MajorityClass(),
            Task.REGRESSION: lambda seed, n_jobs: MeanTarget(),
        },
        is_baseline=True,
    ),
)


def learners(task: Task, keys: Sequence[str] | None = None) -> tuple[Learner, ...]:
    """The learners for this task, all or those named, in the order of the list."""
    able = {learner.key: learner for learner in LEARNERS if task in learner.factories}
    if keys is None:
        return tuple(able.values())
    for key in keys:
        if key not in able:
            raise MercerError(f"There is no {task} learner {key!r}. {did_you_mean(key, able)}")
    if not keys:
        raise MercerError(f"No learner was named. {did_you_mean('', able)}")
    return tuple(learner for key, learner in able.items() if key in keys)

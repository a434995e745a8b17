"""Two laws of sample_weight: a common factor changes nothing, and a row of weight 2 is two rows.

Together they say that a table with every row twice gives the same model, which no method that counts rows (smoothing,
significance, k neighbours) can give. Such methods read weights by `row_counts`: both laws hold where the smallest
positive weight is 1 and the others are whole, and of weights that are all equal the first law holds.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone, is_classifier

import mercer
from mercer.patch import REPLACED

from .estimators import exported

RNG = np.random.default_rng(0)
N = 90
GROUP = np.arange(N) % 3
X = {
    "age": (RNG.normal(40, 9, N) + 9 * GROUP).round(2),
    "pay": np.exp(RNG.normal(size=N) + GROUP / 2).round(3),
    "job": np.where(RNG.random(N) < 0.6, np.array(["clerk", "cook", "smith"])[GROUP], "clerk"),
}
KINDS = {"age": "numeric", "pay": "numeric", "job": "category"}
LABELS = np.array(["a", "b", "c"])[np.where(RNG.random(N) < 0.85, GROUP, (GROUP + 1) % 3)]
NUMBERS = X["age"] / 10 + 2 * GROUP + RNG.normal(size=N).round(2)
WEIGHTED = [
    c for c in [*exported(), mercer.OneClassSVM, mercer.SVDD] if "sample_weight" in inspect.signature(c.fit).parameters
]
TIGHT = {"tol": 1e-10}
ESTIMATORS: list[Any] = [
    *(c(**{k: v for k, v in TIGHT.items() if k in inspect.signature(c).parameters}) for c in WEIGHTED
      if "bootstrap" not in c.parameters),
    *(c(n_estimators=5, random_state=0) for c in WEIGHTED if "bootstrap" in c.parameters),
    mercer.NaiveBayes("density"), mercer.NaiveBayes("binned"), mercer.NaiveBayes(smoothing=0.1, variance="pooled"),
    mercer.NaiveBayesRegressor("intervals"), mercer.LinearRegression(alpha=1.0),
    mercer.DecisionTreeClassifier(algorithm="c4.5"), mercer.DecisionTreeClassifier(algorithm="id3"),
    mercer.DecisionTreeClassifier(algorithm="cart"), mercer.DecisionTreeClassifier(class_weight="balanced"),
    mercer.DecisionTreeClassifier(oblique=True), mercer.DecisionTreeRegressor(prune="cv"),
    mercer.KNeighborsClassifier(weights="distance"), mercer.KNeighborsClassifier("cv"),
    mercer.LocallyWeightedRegression(degree=0), mercer.LocallyWeightedRegression(bandwidth=0.5),
    mercer.Perceptron(average=True), mercer.Perceptron(shuffle=False), mercer.KernelPerceptron(shuffle=False),
]  # fmt: skip

COST = "weights multiply C, as in scikit-learn and LIBSVM: a factor on all of them is a factor on C"
FACTOR_COUNTS = dict.fromkeys(
    (
        "SVC",
        "SVR",
        "NuSVR",
        "LinearSVC",
        "LinearSVR",
        "LogisticRegression",
        "LSSVC",
        "LSSVR",
        "KernelLogisticRegression",
        "QuantileSVR",
        "CoreVectorMachine",
    ),
    COST,
)
STEP = "weights multiply steps, as in scikit-learn: two steps of one row are no step of twice the size"
FOLDS = "folds are of rows: a row of weight 2 is in one of them, two equal rows may be in two"
ORDER = "rows are shown in a random order: a row of weight 2 at once, two equal rows apart"
DRAWN = "rows are drawn: a row of weight 2 at once, two equal rows each by itself"
REPEATS_COUNT: dict[str, str] = {
    "DecisionTreeClassifier(algorithm='cart')": FOLDS, "DecisionTreeRegressor(prune='cv')": FOLDS,
    "KNeighborsClassifier(n_neighbors='cv')": FOLDS,
    "EnsembleSelection()": FOLDS, "EnsembleSelectionRegressor()": FOLDS,
    "Perceptron()": STEP, "Perceptron(average=True)": STEP, "Perceptron(shuffle=False)": STEP,
    "KernelPerceptron()": ORDER, "Resampled()": DRAWN, "BalancedBagging()": DRAWN,
    "RandomForestClassifier(n_estimators=5, random_state=0)": DRAWN,
    "RandomForestRegressor(n_estimators=5, random_state=0)": DRAWN,
}  # fmt: skip


def named(estimator: Any) -> str:
    given = {k: v for k, v in estimator.get_params(deep=False).items() if k != "tol"}
    return repr(type(estimator)(**given)).replace("\n", "")


def answers(estimator: Any, weight: Any, rows: Any = None) -> list[np.ndarray]:
    """What the model of these rows and weights says of the table."""
    rows = np.arange(N) if rows is None else rows
    model = clone(estimator)
    if model.get_params().get("kinds", KINDS) is None:
        model.set_params(kinds=KINDS)
    target = LABELS if is_classifier(model) else NUMBERS
    table = {name: np.asarray(cells)[rows] for name, cells in X.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table, target[rows], sample_weight=weight)
        if not is_classifier(model) and not hasattr(model, "decision_function"):
            return [model.predict(X)]
        methods = [m for m in ("predict_proba", "decision_function") if hasattr(model, m)]
        return [getattr(model, method)(X) for method in methods]


def assert_same(found: list[np.ndarray], expected: list[np.ndarray]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_a_common_factor_on_all_weights_changes_nothing(estimator: Any) -> None:
    if type(estimator).__name__ in FACTOR_COUNTS:
        doubled = clone(estimator).set_params(C=2 * estimator.C)
        assert_same(answers(estimator, np.full(N, 2.0)), answers(doubled, None))
        return
    if isinstance(estimator, mercer.OneVsOne | mercer.OneVsRest | mercer.OutputCode):  # a logistic one takes it for C
        estimator = clone(estimator).set_params(estimator=mercer.NaiveBayes())
    if hasattr(estimator, "library"):  # to a linear member of "small" a factor is one on C
        estimator = clone(estimator).set_params(library=["naive_bayes", "baseline"])
    if isinstance(estimator, mercer.OneClassSVM):
        doubled = [2 * scores for scores in answers(estimator, None)]  # as in scikit-learn; no prediction changes
        assert_same(answers(estimator, np.full(N, 2.0)), doubled)
        return
    if isinstance(estimator, mercer.Perceptron):
        doubled = clone(estimator).set_params(eta0=2 * estimator.eta0)  # a factor on all weights is one on the steps
        assert_same(answers(estimator, np.full(N, 2.0)), answers(doubled, None))
        return
    if getattr(estimator, "alpha", 0) > 0:
        halved = clone(estimator).set_params(alpha=estimator.alpha / 2)  # a sum of squares + alpha |b|^2, as Ridge's
        assert_same(answers(estimator, np.full(N, 2.0)), answers(halved, None))
        return
    if isinstance(estimator, mercer.Resampled):  # the factor that its logistic regression takes for one on C
        estimator = clone(estimator).set_params(estimator=mercer.NaiveBayes())
    if isinstance(estimator, mercer.GaussianNB):  # weights are numbers of rows, which Laplace's rule of levels sees
        estimator = clone(estimator).set_params(kinds={"job": "skip"})
    draw = np.random.default_rng(2)  # alike in any order of the tests
    for weight in (np.ones(N), draw.integers(1, 4, N).astype(float), draw.uniform(0.5, 3, N)):
        expected = answers(estimator, weight)
        for factor in (1e-6, 1 / N, 3.0, 1e6):
            assert_same(answers(estimator, weight * factor), expected)
    assert_same(answers(estimator, np.full(N, 1 / N)), answers(estimator, None))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=named)
def test_a_row_of_weight_two_is_two_rows_and_one_of_zero_none(estimator: Any) -> None:
    if named(estimator) in REPEATS_COUNT:
        pytest.skip(REPEATS_COUNT[named(estimator)])
    times = np.random.default_rng(1).integers(0, 4, N)
    assert_same(answers(estimator, times.astype(float)), answers(estimator, None, np.repeat(np.arange(N), times)))


NOT_FITTED = ("NuSVC", "ComplementNB")  # nu is infeasible for no rows; a complement without its class is all rows


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if is_classifier(e) and type(e).__name__ not in NOT_FITTED], ids=named
)
def test_a_class_whose_rows_weigh_nothing_is_never_predicted(estimator: Any) -> None:
    model = clone(estimator).fit(mercer.read_table(X, kinds=KINDS), LABELS, sample_weight=(LABELS != "b") * 1.0)
    assert "b" not in model.predict(X)
    if len(model.classes_) == 3 and hasattr(model, "predict_proba"):
        assert model.predict_proba(X)[:, 1].max() < 1e-6
    if type(model).__name__ in {name for names in REPLACED.values() for name in names}:
        assert list(model.classes_) == ["a", "b", "c"]  # as scikit-learn's, whose ensembles draw rows by weights


def test_every_exception_is_of_an_estimator_that_is_tested() -> None:
    assert set(FACTOR_COUNTS) <= {type(e).__name__ for e in ESTIMATORS}
    assert set(REPEATS_COUNT) <= {named(e) for e in ESTIMATORS}


def test_standard_errors_under_weights_are_those_that_the_docs_name() -> None:
    times = np.random.default_rng(1).integers(1, 4, N)
    repeated = np.repeat(np.arange(N), times)
    numbers = np.column_stack([X["age"], X["pay"]])

    def errors(estimator: Any, target: Any, weight: Any, rows: Any) -> Any:
        return clone(estimator).fit(numbers[rows], target[rows], weight).summary().coefficients.error

    linear = [errors(mercer.LinearRegression(), NUMBERS, times * f, np.arange(N)) for f in (1.0, 1e-6, 1e6)]
    assert_allclose(linear[1:], np.array([linear[0]] * 2), rtol=1e-6)
    classes, plain = mercer.LogisticRegression(C=np.inf), (LABELS == "a").astype(int)
    as_counts = errors(classes, plain, times * 1.0, np.arange(N))
    assert_allclose(as_counts, errors(classes, plain, None, repeated), rtol=1e-6)

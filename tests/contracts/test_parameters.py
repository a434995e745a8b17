"""Every constructor parameter is declared, and a loaded model has the parameters that the saved one was made with."""

from __future__ import annotations

import inspect
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.model_selection import KFold

import mercer
from mercer.distances import Gower, Manhattan
from mercer.errors import BadParameter
from mercer.kernels import RBF, Matern, Overlap, RationalQuadratic
from mercer.likelihoods import Alpha, Gaussian

from .estimators import exported

CLASSES = [*exported(), mercer.OneClassSVM]
RNG = np.random.default_rng(0)
N = 60
X = {
    "age": RNG.normal(40, 9, N),
    "pay": np.exp(RNG.normal(size=N)),
    "job": RNG.choice(["clerk", "cook", "smith"], N),
    "note": [f"the {w} words of row {i} of many" for i, w in enumerate(RNG.choice(["blue", "red"], N))],
}
LABELS = np.where((X["age"] > 40) ^ (X["job"] == "cook"), "yes", "no")
NUMBERS = X["age"] + 5 * (X["job"] == "cook")

# A value of each parameter that is not its default, by name; and where one name means several things, by class.
VALUES: dict[str, Any] = {
    "C": 2.0, "alpha": 0.5, "approximation": "nystroem", "average": "voted", "bandwidth": 0.5, "baseline": "common",
    "break_ties": True,
    "cache_size": 50.0, "ccp_alpha": 0.01, "class_weight": {"no": 1.0, "yes": 2.5}, "coef0": 1.0,
    "confidence": 0.1, "conformal": True, "copy_X": False, "criterion": "entropy", "cut": "width", "cv": 3, "ddof": 0,
    "decision_function_shape": "ovo", "dual": True,
    "default": "abstain", "degree": 2, "early_stopping": True, "epsilon": 0.2, "errors": "HC1", "eta0": 0.5,
    "fit_intercept": False, "gamma": 0.5, "grid": mercer.Grid(C=[0.5, 50.0], cv=3), "intercept_scaling": 2.0,
    "kernel": "linear", "kernel_params": {"degree": 2}, "kinds": {"job": "category"}, "l1_ratio": 0.5, "leaf_size": 7,
    "likelihoods": {"age": "density"}, "margin": 0.1,
    "max_bins": 8, "max_depth": 3, "max_features": "sqrt", "max_iter": 500, "max_leaf_nodes": 9, "max_neighbors": 9,
    "metric": "gower", "monotonic_cst": (1.0, 0.0, 0.0, 0.0), "splitter": "random",
    "metric_params": {"scale": "std", "w": [1.0, 2.0]}, "min_impurity_decrease": 0.01, "min_samples_leaf": 3,
    "min_samples_level": 2, "min_samples_split": 4, "min_weight_fraction_leaf": 0.1, "missing": "surrogate",
    "missing_indicator": True,
    "multi_class": "ovr", "n_intervals": 4, "n_iter_no_change": 7, "n_jobs": 1, "n_neighbors": 3, "n_support": 0.5,
    "nominal": "multiway", "nu": 0.3, "oblique": True, "outliers": 3.0, "p": np.inf, "penalty": "l1", "pocket": True,
    "polish": True, "rank": 20,
    "positive": True, "precision": "single", "priors": {"no": 0.4, "yes": 0.6}, "probability": "sigmoid",
    "prune": "cv", "random_state": 3, "relative": True, "ridge": 0.5, "scale": False, "set_penalty": 0.5,
    "shrinking": False, "shuffle": False, "smoothing": 0.5, "solver": "lbfgs", "terms": ["log(pay)"],
    "time_limit": 60.0,
    "tol": 1e-5, "transductive": True,
    "validation_fraction": 0.3, "variance": "pooled", "verbose": 1, "variance_floor": 0.01, "warm_start": True,
    "weights": "distance", "words": 7,
    "categorical_features": ["job"], "growth": "depth", "interaction_cst": [[0, 1], [2]], "keep_best": True,
    "l2_regularization": 0.5, "learning_rate": 0.3, "quantile": 0.3, "subsample": 0.7,
    "binarize": 0.5, "class_prior": [0.4, 0.6], "fit_prior": False, "force_alpha": False, "min_categories": 99,
    "combiner": "stacking", "costs": "fn=2,fp=1", "library": ["naive_bayes", "baseline"],
    "code": "sparse", "decoding": "hinge", "estimator": mercer.NaiveBayes("density"), "length": 1,
    "n_estimators": 7, "oob_score": True, "max_samples": 0.5,
    "norm": True, "scoring": "balanced_accuracy", "var_smoothing": 0.001,
}  # fmt: skip
OWN_VALUES: dict[tuple[str, str], Any] = {
    ("DecisionTreeClassifier", "algorithm"): "cart", ("DecisionTreeRegressor", "algorithm"): "cart",
    ("DecisionTreeRegressor", "criterion"): "absolute_error",
    **{(c, "bootstrap"): False for c in ("RandomForestClassifier", "RandomForestRegressor")},
    **{(c, "bootstrap"): True for c in ("ExtraTreesClassifier", "ExtraTreesRegressor")},
    **{(c, "criterion"): "poisson" for c in ("RandomForestRegressor", "ExtraTreesRegressor")},
    **{(c, "max_features"): 2 for c in ("RandomForestClassifier", "ExtraTreesClassifier")},
    ("HistGradientBoostingRegressor", "loss"): "huber",
    ("HistGradientBoostingRegressor", "scoring"): "r2",
    **{(c, "max_features"): 0.5 for c in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")},
    ("KernelRidge", "kernel"): "rbf", ("KernelRidge", "coef0"): 0.5, ("KernelRidge", "criterion"): "gcv",
    ("KernelRidge", "solver"): "cg", ("KernelRidge", "grid"): mercer.Grid(alpha=[0.5, 5.0]),
    **{(c, "solver"): "cg" for c in ("LSSVC", "LSSVR", "KernelRidgeClassifier")},
    ("LSSVC", "multi_class"): "ovo", ("KernelRidgeClassifier", "grid"): mercer.Grid(alpha=[0.5, 5.0]),
    ("KNeighborsClassifier", "algorithm"): "brute", ("KNeighborsRegressor", "algorithm"): "brute",
    ("EnsembleSelection", "metric"): "log_loss", ("EnsembleSelectionRegressor", "metric"): "mse",
    ("LogisticRegression", "scale"): True,
    ("LogisticRegression", "dual"): True, ("LogisticRegression", "solver"): "saga",
    ("LinearRegression", "method"): "normal", ("NaiveBayesRegressor", "method"): "intervals",
    ("LinearSVC", "multi_class"): "crammer_singer", ("LinearSVC", "loss"): "hinge",
    ("SVC", "loss"): "squared_hinge", ("SVR", "loss"): "squared_epsilon_insensitive",
    ("LinearSVR", "loss"): "squared_epsilon_insensitive", ("TwinSVC", "loss"): "squared",
    ("LaplacianSVC", "loss"): "squared", ("LaplacianSVC", "gamma_manifold"): 0.5,
    ("LaplacianSVC", "multi_class"): "ovo",
    ("QuantileSVR", "loss"): "expectile", ("QuantileSVR", "noncrossing"): True,
    ("LocallyWeightedRegression", "degree"): 0, ("LocallyWeightedRegression", "kernel"): "gaussian",
    ("LocallyWeightedRegression", "terms"): 2, ("Perceptron", "probability"): True,
    ("NuSVC", "grid"): mercer.Grid(gamma=["scale", 0.1], cv=3),
    ("Resampled", "method"): "under", ("Resampled", "n_neighbors"): 3,
    **{(c, "ratio"): 0.9 for c in ("Resampled", "BalancedBagging")},
    **{(c, "correct"): False for c in ("Resampled", "BalancedBagging")},
    **{(c, "estimator"): mercer.NaiveBayes(smoothing=0.5) for c in ("Resampled", "BalancedBagging")},
    ("BalancedBagging", "n_estimators"): 2,
}  # fmt: skip
# What must be set beside a parameter for it to be allowed, or to count.
BESIDE: dict[str, dict[str, Any]] = {
    "metric_params": {"metric": "euclidean", "kinds": {"job": "skip", "note": "skip"}},
    "grid": {"C": "cv"},
    "polish": {"approximation": "nystroem"},
    "rank": {"approximation": "nystroem"},
    "dual": {"solver": "liblinear"},
    "penalty": {"solver": "saga"},
    "l1_ratio": {"solver": "saga"},
    "confidence": {"prune": "pessimistic"},
    "oob_score": {"bootstrap": True},
    "max_samples": {"bootstrap": True},
}

ONE_VALUE = {(mercer.HistGradientBoostingClassifier, "loss")}  # there is no other
CASES = [(c, name) for c in CLASSES for name in c.parameters if (c, name) not in ONE_VALUE]

# Objects, and other values that a parameter takes.
OBJECTS: list[tuple[Any, str]] = [
    (mercer.KNeighborsClassifier(metric=Gower()), "metric"),
    (mercer.KNeighborsRegressor(metric=Manhattan(scale="std"), kinds={"note": "skip"}), "metric"),
    (mercer.LocallyWeightedRegression(metric=Gower()), "metric"),
    (mercer.KNeighborsClassifier("cv", weights="cv", class_weight="balanced"), "class_weight"),
    (mercer.KNeighborsClassifier(class_weight=[{"no": 2.0}]), "class_weight"),
    *((learner(kernel=RBF(0.5) + 2 * Overlap()), "kernel") for learner in (mercer.SVC, mercer.SVR, mercer.OneClassSVM)),
    (mercer.KernelPerceptron(RBF(0.5) * Overlap(), class_weight="balanced"), "kernel"),
    (mercer.NaiveBayes({"age": Gaussian(variance="pooled")}, smoothing=Alpha(0.5)), "likelihoods"),
    (mercer.NaiveBayes(priors=[0.4, 0.6]), "priors"),
    (mercer.CategoricalNB(min_categories=[80, 90], class_prior=np.array([2.0, 1.0]).tolist()), "min_categories"),
    (mercer.MultinomialNB(alpha=[0.5, 2.0], kinds={"job": "skip", "note": "skip"}), "alpha"),
    (mercer.BernoulliNB(alpha=[0.5, 2.0], kinds={"job": "skip", "note": "skip"}), "alpha"),
    (mercer.DecisionTreeClassifier(min_samples_leaf=0.1), "min_samples_leaf"),
    (mercer.OneVsRest(mercer.OneVsOne(mercer.SVC(kernel=RBF(0.5) + 2 * Overlap()))), "estimator"),
]
for _ensemble, _learner in (
    (mercer.EnsembleSelection, mercer.NaiveBayes),
    (mercer.EnsembleSelectionRegressor, mercer.NaiveBayesRegressor),
):
    _library = mercer.ModelLibrary([("first", _learner()), ("second", _learner(kinds={"job": "category"}))], cv=2)
    OBJECTS.append((_ensemble(_library), "library"))
    OBJECTS.append((_ensemble(["naive_bayes"], combiner=mercer.Forward(steps=3, bags=2)), "combiner"))
FUNCTION = "a file holds no functions: to_state refuses"
# Values that do not come back, each with the reason.
UNSTORED: list[tuple[Any, str, str]] = [
    (mercer.KNeighborsClassifier(weights=np.exp), "weights", FUNCTION),
    (mercer.KNeighborsRegressor(metric=lambda a, b: abs(a - b).sum()), "metric", FUNCTION),
    (mercer.SVC(kernel=lambda a, b: a @ b.T), "kernel", FUNCTION),
    (mercer.KernelPerceptron(lambda a, b: a @ b.T), "kernel", FUNCTION),
    (mercer.KNeighborsRegressor("cv", cv=KFold(3)), "cv", "a splitter is read back as 'loo'; k is chosen already"),
    (mercer.Perceptron(random_state=np.random.RandomState(0)), "random_state", "a generator is read back as None"),
]


def fitted(estimator: Any) -> Any:
    numbers = {"age": X["age"], "pay": X["pay"]}
    functions = any(callable(v) and not hasattr(v, "fit") for v in estimator.get_params(deep=False).values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(numbers if functions else X, LABELS if is_classifier(estimator) else NUMBERS)


def assert_comes_back(model: Any, path: Path) -> None:
    mercer.save(model, path)
    again = mercer.load(path)
    given, found = model.get_params(deep=False), again.get_params(deep=False)
    assert list(found) == list(given)
    for name, value in given.items():
        back = list(found[name]) if isinstance(value, list) else found[name]
        alike = repr(back) == repr(value) if hasattr(value, "get_params") else back == value
        assert alike, f"{name}: {back!r} in place of {value!r}"
    assert type(again.predict(X)) is np.ndarray


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_the_declared_parameters_are_those_of_the_constructor(kind: type[Any]) -> None:
    assert set(kind.parameters) == set(kind._get_param_names())
    defaults = {n: p.default for n, p in inspect.signature(kind).parameters.items()}
    refused = [name for name, parameter in kind.parameters.items() if not parameter.accepts(defaults[name])]
    assert not refused


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_each_parameter_comes_back_from_a_file(kind: type[Any], name: str, tmp_path: Path) -> None:
    value = OWN_VALUES.get((kind.__name__, name), VALUES.get(name))
    assert value != inspect.signature(kind).parameters[name].default, "a value that is not the default is needed here"
    beside = {n: v for n, v in BESIDE.get(name, {}).items() if n in kind.parameters}
    if kind is mercer.NuSVC and name == "grid":
        beside = {"gamma": "cv"}
    if kind in (mercer.KernelRidge, mercer.KernelRidgeClassifier) and name == "grid":
        beside = {"alpha": "cv"}
    few = {"n_estimators": 5} if "bootstrap" in kind.parameters else {}
    assert_comes_back(fitted(kind(**few | {name: value} | beside)), tmp_path / "model.mercer")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_numbers_of_numpy_are_pythons(kind: type[Any]) -> None:
    """An int8 of 100 would overflow where it is doubled, and silently: the numbers of each parameter, as they come."""
    hundred = {n: np.int8(100) for n in ("gamma", "max_iter", "n_estimators") if n in kind.parameters}
    defaults = {n: p.default for n, p in inspect.signature(kind).parameters.items()}
    small = {n: np.int8(v) for n, v in defaults.items() if type(v) is int and abs(v) < 128}
    given = small | hundred | ({"random_state": np.int8(3)} if "random_state" in kind.parameters else {})
    model = fitted(kind(**given))
    assert all(type(getattr(model, name)) in (int, float) for name in given)
    plain = fitted(kind(**{name: int(value) for name, value in given.items()}))
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.parametrize("kernel", [Matern, RationalQuadratic, RBF], ids=lambda k: k.__name__)
def test_numbers_of_numpy_are_pythons_in_kernels(kernel: type[Any]) -> None:
    rows = np.array([[0.0], [0.3]])
    np.testing.assert_array_equal(kernel(np.int8(100)).fit(rows).gram(rows), kernel(100).fit(rows).gram(rows))


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        *OBJECTS,
        *(pytest.param(e, name, marks=pytest.mark.xfail(strict=True, reason=why)) for e, name, why in UNSTORED),
    ],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
def test_objects_come_back_from_a_file(estimator: Any, name: str, tmp_path: Path) -> None:
    assert_comes_back(fitted(estimator), tmp_path / "model.mercer")


@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda v: v if isinstance(v, str) else v.__name__)
def test_what_no_parameter_takes_is_refused_in_one_sentence(kind: type[Any], name: str) -> None:
    with pytest.raises(BadParameter, match=f"The '{name}' parameter of {kind.__name__} must be .* Got .* instead"):
        fitted(kind(**{name: object()}))

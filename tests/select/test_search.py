"""C, epsilon, nu and gamma searched by cross-validation in fit: the winner of an exhaustive search."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR
from sklearn.svm import NuSVC as TheirNuSVC
from sklearn.svm import NuSVR as TheirNuSVR

import mercer
from mercer import SVC, SVR, Grid, NuSVC, NuSVR
from mercer.errors import BadFile, MercerError
from mercer.kernels import RBF, Exp, Lin, Overlap
from mercer.state import Reader


def mixed(n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.choice(["x", "y", "z"], n)})
    X.loc[::10, "a"] = np.nan
    return X, np.where((X["a"].fillna(0) > 0) ^ (X["b"] == "x"), "yes", "no")


def waves(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    X = rng.uniform(-3, 3, size=(n, 2))
    return X, 100 * np.sin(2 * X[:, 0]) + 5 * rng.normal(size=n)


def test_the_winner_is_that_of_an_exhaustive_search_on_the_same_folds() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = (X[:300] - X.mean(axis=0)) / X.std(axis=0), y[:300]
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    space = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.001, 0.01, 0.1]}
    ours = SVC(C="cv", gamma="cv", grid=Grid(**space, cv=folds, scoring="neg_log_loss"), tol=1e-5).fit(X, y)
    assert ours.tuning_.scoring == "neg_log_loss"
    ours = SVC(C="cv", gamma="cv", grid=Grid(**space, cv=folds), tol=1e-5).fit(X, y)
    theirs = GridSearchCV(TheirSVC(tol=1e-5), space, cv=folds).fit(X, y)
    assert {"C": ours.C_, "gamma": ours.gamma_} == theirs.best_params_
    np.testing.assert_array_equal(ours.predict(X), theirs.best_estimator_.predict(X))


def test_the_winner_in_regression_over_cost_epsilon_and_gamma() -> None:
    X, y = waves()
    folds = KFold(4, shuffle=True, random_state=3)
    space = {"C": [10.0, 100.0], "epsilon": [1.0, 10.0], "gamma": [0.1, 1.0]}
    ours = SVR(C="cv", epsilon="cv", gamma="cv", grid=Grid(**space, cv=folds), tol=1e-4).fit(X, y)
    theirs = GridSearchCV(TheirSVR(tol=1e-4), space, cv=folds).fit(X, y)
    assert ours.tuning_.best_params == theirs.best_params_
    assert (ours.C_, ours.epsilon_, ours.gamma_) == tuple(theirs.best_params_[n] for n in ("C", "epsilon", "gamma"))
    points = [p.mean for p in ours.tuning_.points]  # in the order of ParameterGrid
    exact = np.array([p.exact for p in ours.tuning_.points])
    np.testing.assert_allclose(np.array(points)[exact], theirs.cv_results_["mean_test_score"][exact], atol=1e-3)
    assert ours.tuning_.mean.shape == (2, 2, 2)
    assert ours.tube_ == ours.epsilon_


def test_default_grids_find_a_good_model() -> None:
    X, y = make_moons(200, noise=0.2, random_state=0)
    tuned = SVC(C="cv", gamma="cv").fit(X * [1.0, 1000.0], y)  # columns of unlike size, as users bring them
    assert len(tuned.tuning_.points) == 56
    assert tuned.tuning_.best_score >= tuned.tuning_.mean.max() - 1e-12
    X, y = waves()
    for relative in (True, False):
        model = SVR(C="cv", epsilon="cv", gamma="cv", relative=relative).fit(X, y)
        assert model.score(X, y) > 0.95
        assert model.tuning_.best_score > 0.9


def test_units_of_the_target_do_not_matter() -> None:
    X, y = waves(80)
    small, large = (SVR(C="cv", epsilon="cv").fit(X, scale * y) for scale in (1.0, 1024.0))
    assert pytest.approx(1024 * small.C_) == large.C_
    assert large.epsilon_ == pytest.approx(1024 * small.epsilon_)
    np.testing.assert_allclose(large.predict(X), 1024 * small.predict(X), rtol=1e-2, atol=1e4)


@pytest.mark.parametrize(
    "kernel",
    ["rbf", "linear", RBF() + Lin(), RBF(sigma=2.0) * Exp(Overlap()), Overlap()],
    ids=["default", "linear", "sum", "product", "categories"],
)
def test_mixed_tables_and_composite_kernels(kernel: object) -> None:
    X, y = mixed()
    if kernel not in ("rbf", "linear"):
        X["a"] = X["a"].fillna(0.0)
    model = SVC(C="cv", gamma="cv", kernel=kernel, grid=Grid(cv=3)).fit(X, y)
    has_width = kernel != "linear" and not isinstance(kernel, Overlap)
    assert model.tuning_.names == (("C", "gamma") if has_width else ("C",))
    assert (model.gamma_ is None) is not has_width
    plain = SVC(C=model.C_, kernel=kernel) if not has_width else None
    if plain is not None:
        np.testing.assert_array_equal(plain.fit(X, y).predict(X), model.predict(X))


def test_a_factor_of_a_kernels_gammas_is_applied() -> None:
    X, y = mixed()
    X["a"] = X["a"].fillna(0.0)
    model = SVC(C="cv", gamma="cv", kernel=RBF(gamma=0.5) + Overlap(), grid=Grid(gamma=[4.0], C=[2.0])).fit(X, y)
    same = SVC(C=2.0, kernel=RBF(gamma=2.0) + Overlap()).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), same.decision_function(X))


def test_shared_distances_of_mixed_rows_are_those_of_the_kernel() -> None:
    X, y = mixed()
    space = {"C": [0.5, 5.0], "gamma": [0.02, 0.2, 2.0]}
    shared = mercer.tune(SVC(tol=1e-6), X, y, space, gap=0.0)
    for g, gamma in enumerate(shared.gammas):
        alone = mercer.tune(SVC(tol=1e-6, gamma=gamma), X, y, {"C": space["C"]}, gap=0.0)
        np.testing.assert_allclose(shared.scores[g], alone.scores[0], atol=0.02)


def test_a_precomputed_matrix_of_many_rows_is_sampled_both_ways() -> None:
    X, y = load_iris(return_X_y=True)
    gram = RBF(gamma=0.1).fit(X).gram(X)
    model = SVC(C="cv", gamma="cv", kernel="precomputed", grid=Grid(rows=60)).fit(gram, y)
    assert model.tuning_.n_rows == 60
    assert model.score(gram, y) > 0.9


def test_deterministic_for_a_random_state_and_any_number_of_threads() -> None:
    X, y = load_iris(return_X_y=True)

    def run(seed: int, jobs: int) -> mercer.Tuning:
        return SVC(C="cv", gamma="cv", grid=Grid(random_state=seed, rows=100), n_jobs=jobs).fit(X, y).tuning_

    assert run(0, 1) == run(0, 2)
    assert run(0, 1) != run(1, 1)


def test_intervals_and_the_simpler_choice() -> None:
    X, y = make_moons(120, noise=0.3, random_state=0)
    found = SVC(C="cv", gamma="cv").fit(X, y).tuning_
    best, simple = found.best, found.points[found.one_standard_error]
    assert best.low < best.mean < best.high
    assert best.standard_error == pytest.approx(np.std(best.scores, ddof=1) / np.sqrt(5))
    # Nadeau and Bengio's correction for 5 folds: 1/5 + 1/4 in place of 1/5; t with 4 degrees of freedom
    assert best.high - best.mean == pytest.approx(2.7764451 * best.standard_error * np.sqrt(0.45 / 0.2))
    assert simple.mean >= best.mean - best.standard_error
    assert min(p.C for p in found.points if p.mean >= best.mean - best.standard_error) == simple.C


def test_a_race_marks_the_points_it_left_out() -> None:
    X, y = make_moons(300, noise=0.1, random_state=0)
    raced = SVC(C="cv", gamma="cv", grid=Grid(race=True)).fit(X, y)
    whole = SVC(C="cv", gamma="cv").fit(X, y)
    assert raced.tuning_.rejected.any()
    assert whole.tuning_.rejected.sum() == 0
    assert raced.tuning_.best_params == whole.tuning_.best_params
    dropped = [p for p in raced.tuning_.points if p.rejected]
    assert all(np.isnan(p.scores).any() for p in dropped)


def test_a_function_as_scoring_and_probabilities() -> None:
    X, y = load_iris(return_X_y=True)
    several = SVC(C="cv", grid=Grid(scoring="roc_auc_ovr", cv=3)).fit(X, y)
    assert several.tuning_.best_score > 0.99
    two = y != 2
    named = SVC(C="cv", grid=Grid(scoring="roc_auc")).fit(X[two], y[two])
    made = make_scorer(roc_auc_score, response_method="decision_function")
    assert SVC(C="cv", grid=Grid(scoring=made)).fit(X[two], y[two]).tuning_.points == named.tuning_.points


def test_weights_count_in_training_and_in_the_score() -> None:
    X, y = make_moons(100, noise=0.2, random_state=0)
    wrong = np.r_[y, 1 - y]
    weight = np.r_[np.ones(100), np.zeros(100)]
    model = SVC(C="cv", gamma="cv").fit(np.r_[X, X], wrong, sample_weight=weight)
    assert model.tuning_.best_score > 0.9
    assert SVC(C="cv", loss="squared_hinge").fit(np.r_[X, X], wrong, sample_weight=weight).tuning_.best_score > 0.8


def test_nothing_is_left_of_an_earlier_search() -> None:
    X, y = load_iris(return_X_y=True)
    model = SVC(C="cv").fit(X, y)
    assert model.gamma_ == "scale"
    model.set_params(C=3.0).fit(X, y)
    assert model.C_ == 3.0
    assert not hasattr(model, "tuning_")
    nested = clone(SVC(C="cv", grid=Grid(cv=3))).set_params(grid__cv=4)
    assert nested.fit(X, y).tuning_.n_folds == 4


def test_the_tuning_is_stored_with_the_model() -> None:
    X, y = make_moons(100, noise=0.2, random_state=0)
    for model in (
        SVC(C="cv", gamma="cv", grid=Grid(race=True)).fit(X, y),
        SVC(C="cv", grid=Grid(scoring="roc_auc")).fit(X, y),
        SVR(C="cv", epsilon="cv", grid=Grid(cv=3)).fit(X, y.astype(float)),
    ):
        again = type(model).from_state(Reader(model.to_state()))
        np.testing.assert_equal(again.tuning_.to_state(), model.tuning_.to_state())
        assert again.tuning_.best_params == model.tuning_.best_params
        assert all(getattr(again, f"{n}_") == getattr(model, f"{n}_") for n in model.tuning_.names)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["C", "kernel"]}, "names among"),
        ({"names": ["C", "nu"]}, "a value at every point"),
        ({"C": [-1.0]}, "C: -1.0 is none"),
        ({"C": ["scale"]}, "C: 'scale' is none"),
        ({"gamma": ["wide"]}, "gamma: 'wide' is none"),
        ({"gamma": [True]}, "gamma: True is none"),
        ({"epsilon": []}, "every point needs a setting"),
        ({"scores": np.full((1, 3), np.nan)}, "some of them a score"),
        ({"scores": np.full((1, 3), np.inf)}, "values from"),
        ({"exact": np.array([1], dtype=np.uint8)}, "array of bool"),
        ({"level": 2.0}, "number from 0.5"),
        ({"more": 1}, "does not belong there"),
    ],
)
def test_a_stored_tuning_is_checked(change: dict[str, object], message: str) -> None:
    state = {
        "names": ["C"], "scoring": "accuracy", "n_rows": 9, "level": 0.95, "C": [1.0], "gamma": [None],
        "epsilon": [None], "nu": [None], "scores": np.full((1, 3), 0.5), "exact": np.ones(1, bool),
        "rejected": np.zeros(1, bool),
    }  # fmt: skip
    assert mercer.Tuning.from_state(Reader(dict(state))).best_params == {"C": 1.0}
    with pytest.raises(BadFile, match=message):
        mercer.Tuning.from_state(Reader(state | change))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SVC(C="CV"), "must be a number above 0"),
        (SVC(C=np.inf, gamma="cv"), "hard margin cannot be searched"),
        (SVC(C="cv", grid=Grid(C=[])), "at least one number above 0"),
        (SVC(C="cv", grid=Grid(C=["a"])), "at least one number above 0"),
        (SVC(gamma="cv", grid=Grid(gamma=[0.1, "wide"])), "'scale' or 'auto'"),
        (SVC(C="cv", grid=Grid(cv=1)), "must be a whole number of at least 2"),
        (SVC(C="cv", grid=Grid(cv=ShuffleSplit(3))), "at most once"),
        (SVC(C="cv", grid=Grid(rows=3)), "at least 10"),
        (SVC(C="cv", grid=Grid(scoring="acuracy")), "acuracy"),
        (SVC(C="cv", grid=Grid(scoring="roc_auc")), "3 classes"),
    ],
)
def test_refusals(model: SVC, message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_refusals_in_regression() -> None:
    X, y = waves(30)
    with pytest.raises(MercerError, match="not for regression"):
        SVR(C="cv", grid=Grid(scoring="roc_auc")).fit(X, y)
    with pytest.raises(MercerError, match="epsilon"):
        SVR(epsilon="wide").fit(X, y)


def test_a_class_of_one_row_does_not_stop_the_search() -> None:
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:20, 50:70, 100]
    model = SVC(C="cv", gamma="cv").fit(X[few], y[few])
    assert np.isfinite(model.tuning_.mean).all()
    assert set(model.predict(X)) <= {0, 1, 2}


@pytest.mark.parametrize("strategy", ["two", "ovo"])
def test_nu_of_classes_is_that_of_an_exhaustive_search(strategy: str) -> None:
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + np.random.default_rng(2).normal(size=X.shape)
    y = y == 1 if strategy == "two" else y
    folds = StratifiedKFold(4, shuffle=True, random_state=3)
    space = {"gamma": [0.05, 0.5], "nu": [0.2, 0.4, 0.6]}
    ours = NuSVC(nu="cv", gamma="cv", grid=Grid(**space, cv=folds), tol=1e-5).fit(X, y)
    theirs = GridSearchCV(TheirNuSVC(tol=1e-5), space, cv=folds).fit(X, y)
    np.testing.assert_allclose(ours.tuning_.mean.ravel(), theirs.cv_results_["mean_test_score"], atol=0.01)
    assert theirs.cv_results_["mean_test_score"][list(theirs.cv_results_["params"]).index(ours.tuning_.best_params)] > (
        theirs.best_score_ - 0.01
    )
    assert (ours.nu_, ours.gamma_) == (ours.tuning_.best.nu, ours.tuning_.best.gamma)
    direct = NuSVC(nu=ours.nu_, gamma=ours.gamma_, tol=1e-5).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), direct.decision_function(X))
    assert "gamma (rows) and nu (columns)" in str(ours.tuning_) and not hasattr(ours, "C_")


def test_nu_and_cost_of_numbers_are_those_of_an_exhaustive_search() -> None:
    X, y = waves()
    folds = KFold(4, shuffle=True, random_state=3)
    space = {"C": [10.0, 100.0], "gamma": [0.1, 1.0], "nu": [0.2, 0.5]}
    ours = NuSVR(C="cv", nu="cv", gamma="cv", grid=Grid(**space, cv=folds), tol=1e-4).fit(X, y)
    theirs = GridSearchCV(TheirNuSVR(tol=1e-4), space, cv=folds).fit(X, y)
    assert ours.tuning_.best_params == theirs.best_params_
    found = np.moveaxis(ours.tuning_.mean, 2, 0).ravel()  # (gammas, nus, costs) in the order of ParameterGrid
    np.testing.assert_allclose(found, theirs.cv_results_["mean_test_score"], atol=1e-3)
    assert len(str(ours.tuning_).splitlines()) == 8
    usual = NuSVR(nu="cv").fit(X, y)
    np.testing.assert_allclose(usual.tuning_.nus, [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8])
    assert usual.C_ == 1.0 and usual.gamma_ == "scale"


def test_default_nus_are_feasible_and_others_are_refused_before_any_kernel() -> None:
    X, y = mixed(120)
    y = np.where(np.arange(120) < 12, "yes", "no")  # at most nu = 0.2
    model = NuSVC(nu="cv", probability="sigmoid", grid=Grid(cv=3, scoring="neg_log_loss")).fit(X, y)
    np.testing.assert_allclose(model.tuning_.nus[-1], 0.16)
    assert model.tuning_.scoring == "neg_log_loss" and model.nu_ in model.tuning_.nus
    again = NuSVC.from_state(Reader(model.to_state()))
    assert again.tuning_ == model.tuning_ and again.nu_ == model.nu_

    def broken(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        raise AssertionError("no kernel yet")

    for kernel in (broken, "rbf"):
        with pytest.raises(MercerError, match=r"grid: nu=0.5 is infeasible, at most 0.2"):
            NuSVC(nu="cv", kernel=kernel, grid=Grid(nu=[0.1, 0.5])).fit(np.arange(120.0)[:, None], y)
    for word in (NuSVC(nu="best"), NuSVR(nu="best"), NuSVR(C="best")):
        with pytest.raises(MercerError, match="'best'"):
            word.fit(X, np.arange(120.0) if isinstance(word, NuSVR) else y)


def test_the_simplest_nu_within_one_standard_error() -> None:
    def place(costs: float | None) -> float | None:
        settings = [{"C": costs, "nu": nu} for nu in (0.1, 0.3, 0.5)]
        scores = np.array([[0.7, 0.9], [0.75, 0.9], [0.7, 0.85]])
        found = mercer.Tuning.of_points(
            ("nu",), "accuracy", 9, 0.95, settings, scores, np.ones(3, bool), np.zeros(3, bool)
        )
        return found.one_se_params["nu"]

    assert (place(None), place(1.0)) == (0.5, 0.1)

"""The shared-work cross-validation equals one solver call per point, and picks GridSearchCV's winner."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.svm import SVC

from mercer._core import select
from mercer._core.gram import KernelSpec, gram, rows_of_gram
from mercer._core.reference import path as reference_path
from mercer._core.stopping import Limits
from mercer.errors import MercerError
from mercer.select.auc import roc_auc
from mercer.solvers.svm import cv_path, duals
from mercer.solvers.svm.smo import solve

GAMMAS, COSTS = np.logspace(-1, 1, 4), np.logspace(-1, 2, 5)


def sample(n: int = 150, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    z = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.4 * rng.normal(size=n)
    return x, np.where(z > 0.1, 1.0, -1.0), z, np.arange(n, dtype=np.int32) % 5


def accuracy(y: np.ndarray):
    def score(decisions: np.ndarray, held: np.ndarray) -> float:
        return float((np.where(decisions[0, held] > 0, 1.0, -1.0) == y[held]).mean())

    return score


def distances(x: np.ndarray) -> np.ndarray:
    return gram(x, None, KernelSpec("distance"))


@pytest.mark.parametrize("kind", ["classify", "squared", "regress", "members", "no offset"])
def test_every_point_is_a_fit_of_its_own(kind: str) -> None:
    x, y, z, folds = sample()
    weight = 0.5 + np.arange(len(y)) / len(y)
    members = np.ones((1, len(y)), np.uint8)
    if kind == "members":
        members[0, ::3] = 0
    regress, squared = kind == "regress", kind == "squared"
    target, bias = z if regress else y, kind != "no offset"
    plan = cv_path.Plan(target[None], folds, COSTS, members, weight, regress, squared, 0.2, bias)
    found = cv_path.follow(distances(x), GAMMAS, plan, limits=Limits(tol=1e-5))
    for g, c, f in [(0, 0, 0), (1, 3, 2), (3, 4, 4)]:
        train, held = np.flatnonzero((folds != f) & (members[0] > 0)), np.flatnonzero(folds == f)
        k = gram(x, None, KernelSpec("rbf", GAMMAS[g]))
        cost = COSTS[c] * weight[train]
        classes = duals.svc(y[train], cost, squared_slack=squared, bias=bias)
        problem = duals.svr(z[train], cost, 0.2) if regress else classes
        one = solve(problem, rows_of_gram(np.ascontiguousarray(k[np.ix_(train, train)])), limits=Limits(tol=1e-5))
        expected = k[np.ix_(held, train)] @ one.beta + one.bias[0]
        np.testing.assert_allclose(found.decisions[g, c, 0, held], expected, atol=2e-3)
        assert abs(found.gaps[g, c, 0, f]) < 1e-4
        assert bias or found.offsets[g, c, 0, f] == 0


@pytest.mark.parametrize("regress", [False, True], ids=["classify", "regress"])
def test_points_left_out_do_not_change_the_others(regress: bool) -> None:
    """A large cost at one gamma may start a small cost at the next, whose box its solution does not fit into."""
    x, y, z, folds = sample()
    plan = cv_path.Plan((z if regress else y)[None], folds, COSTS, regression=regress)
    whole = cv_path.follow(distances(x), GAMMAS, plan, limits=Limits(tol=1e-5))
    stairs = np.repeat(np.eye(len(GAMMAS), len(COSTS), dtype=bool)[:, ::-1, None], 5, axis=2)
    found = cv_path.follow(distances(x), GAMMAS, plan, active=stairs, limits=Limits(tol=1e-5))
    np.testing.assert_allclose(found.decisions[stairs[..., 0]], whole.decisions[stairs[..., 0]], atol=2e-3)
    assert np.isnan(found.decisions[~stairs[..., 0]]).all()


def test_nothing_held_out_trains_every_problem() -> None:
    x, y, _, _ = sample(100)
    members = np.ones((2, 100), np.uint8)
    members[1, 50:] = 0
    k = gram(x, None, KernelSpec("rbf", 0.5))
    plan = cv_path.Plan(np.stack([y, -y]), np.full(100, -1, np.int32), np.array([2.0]), members)
    found = cv_path.follow(k, None, plan, keep=True, limits=Limits(tol=1e-5))
    assert np.isnan(found.decisions).all()
    for p, n in ((0, 100), (1, 50)):
        one = solve(duals.svc(plan.targets[p, :n], np.full(n, 2.0)), rows_of_gram(k[:n, :n]), limits=Limits(tol=1e-5))
        np.testing.assert_allclose(found.betas[0, 0, p, 0, :n], one.beta, atol=1e-3)
        np.testing.assert_allclose(found.offsets[0, 0, p, 0], one.bias[0], atol=1e-3)


def test_twin() -> None:
    x, y, _, folds = sample(40)
    plan = cv_path.Plan(y[None], folds, COSTS[:2])
    matrix = distances(x)
    ours = cv_path.follow(matrix, GAMMAS[:2], plan, keep=True, limits=Limits(tol=1e-5))
    twin = cv_path.CVPath.empty(plan, 2, True)
    active = np.ones((2, 2, 5), np.uint8)
    reference_path.path_solve(matrix, GAMMAS[:2], plan.checked(), active, twin, False, Limits(1e-5), 1, 1)
    np.testing.assert_allclose(ours.decisions, twin.decisions, atol=1e-3)
    np.testing.assert_allclose(ours.betas, twin.betas, atol=1e-2)


def test_few_rows_of_many_are_solved_on_a_copy() -> None:
    x, y, _, folds = sample(200)
    members = np.zeros((2, 200), np.uint8)
    members[0, :60], members[1, 60:] = 1, 1
    plan = cv_path.Plan(np.stack([y, y]), folds, COSTS, members)
    k = gram(x, None, KernelSpec("rbf", 0.5))
    both = cv_path.follow(k, None, plan, limits=Limits(tol=1e-5))
    alone = cv_path.follow(k, None, cv_path.Plan(y[None], folds, COSTS, members[:1]), limits=Limits(tol=1e-5))
    np.testing.assert_array_equal(both.decisions[:, :, 0], alone.decisions[:, :, 0])
    train, held = np.flatnonzero((folds != 1) & (members[0] > 0)), np.flatnonzero(folds == 1)
    one = solve(
        duals.svc(y[train], np.full(len(train), COSTS[2])),
        rows_of_gram(k[np.ix_(train, train)]),
        limits=Limits(tol=1e-5),
    )
    np.testing.assert_allclose(
        both.decisions[0, 2, 0, held], k[np.ix_(held, train)] @ one.beta + one.bias[0], atol=2e-3
    )


def test_threads_and_buffers_do_not_change_the_answer() -> None:
    x, y, _, folds = sample()
    plan = cv_path.Plan(y[None], folds, COSTS)
    matrix = distances(x.astype(np.float32))
    runs = [cv_path.follow(matrix, GAMMAS, plan, n_jobs=j, buffers=b).decisions for j, b in ((1, 1), (3, 2), (2, 1))]
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[2])


@pytest.mark.parametrize("seed", range(4))
def test_search_finds_the_winner_of_an_exhaustive_search(seed: int) -> None:
    x, y, _, folds = sample(150, seed)
    grid = GridSearchCV(SVC(), {"C": COSTS, "gamma": GAMMAS}, cv=PredefinedSplit(folds)).fit(x, y)
    theirs = grid.cv_results_["mean_test_score"].reshape(len(COSTS), len(GAMMAS)).T
    found = cv_path.search(distances(x), GAMMAS, cv_path.Plan(y[None], folds, COSTS), accuracy(y))
    assert found.exact[found.best]
    np.testing.assert_allclose(found.scores[found.best].mean(), theirs.max())
    np.testing.assert_allclose(theirs[found.best], theirs.max())
    exhaustive = cv_path.search(distances(x), GAMMAS, cv_path.Plan(y[None], folds, COSTS), accuracy(y), gap=0.0)
    np.testing.assert_allclose(exhaustive.scores.mean(axis=-1), theirs, atol=0.011)
    assert exhaustive.exact.all()


def test_a_race_drops_points_far_behind_and_keeps_the_winner() -> None:
    x, y, _, folds = sample(300)
    gammas = np.array([1e-6, 0.1, 1e4])
    plan = cv_path.Plan(y[None], folds, COSTS)
    whole = cv_path.search(distances(x), gammas, plan, accuracy(y))
    raced = cv_path.search(distances(x), gammas, plan, accuracy(y), race=True)
    assert raced.best == whole.best
    assert not whole.rejected.any()
    assert raced.rejected[[0, 2]].any()
    assert not raced.rejected[raced.best]
    assert np.isnan(raced.scores[raced.rejected]).any(axis=-1).all()
    np.testing.assert_allclose(raced.scores[raced.best], whole.scores[whole.best])


def test_a_race_against_time_begins_with_folds_that_have_both_classes() -> None:
    x, _, _, folds = sample(60)
    y = np.where((folds >= 3) & (np.arange(60) < 10), 1.0, -1.0)  # rows of the class in the last two folds alone

    def area(decisions: np.ndarray, held: np.ndarray) -> float:
        return roc_auc(y[held] > 0, decisions[0, held], None)

    plan = cv_path.Plan(y[None], folds, COSTS)
    found = cv_path.search(distances(x), GAMMAS, plan, area, race=True, time_limit=1e-9)
    assert not found.complete
    assert np.isfinite(found.scores[0]).sum(axis=1).tolist() == [2] * len(COSTS)
    assert np.isfinite(found.scores[0, 0]).tolist() == [False, False, False, True, True]
    assert found.best[0] == 0


def test_a_score_that_is_nowhere_defined() -> None:
    x, y, _, folds = sample(30)
    with pytest.raises(MercerError, match="not defined on any fold"):
        cv_path.search(distances(x), GAMMAS, cv_path.Plan(y[None], folds, COSTS), lambda decisions, held: np.nan)


def test_a_screen_keeps_its_promise_on_the_gap() -> None:
    x, y, _, folds = sample(400)
    found = cv_path.follow(distances(x), GAMMAS, cv_path.Plan(y[None], folds, COSTS), limits=Limits(gap_tol=5e-3))
    assert found.gaps.max() <= 5e-3 * (1 + 1e-9)
    assert np.isfinite(found.decisions).all()


def test_bad_input() -> None:
    x, y, _, folds = sample(20)
    with pytest.raises(ValueError, match="ascending"):
        cv_path.follow(distances(x), GAMMAS, cv_path.Plan(y[None], folds, COSTS[::-1]))
    with pytest.raises(ValueError, match="one entry for each"):
        cv_path.follow(distances(x), GAMMAS, cv_path.Plan(y[None], folds[:-1], COSTS))
    if select.native:
        with pytest.raises(ValueError, match="square"):
            cv_path.follow(distances(x)[:10], GAMMAS, cv_path.Plan(y[None], folds, COSTS))

"""Perceptrons: the algorithm as printed, margins, averages, votes, kernels, one row at a time, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import mercer
from mercer.errors import BadFile, BadTarget, MercerError, MercerWarning
from mercer.kernels import RBF, Overlap
from mercer.solvers.perceptron import run_block
from mercer.state import Reader

RNG = np.random.default_rng(2)
N = 700  # more than one block of rows
X = RNG.normal(size=(N, 3))
SIDE = X @ [1.0, 2.0, -1.0] + 0.3
X = X[np.abs(SIDE) > 0.1]
Y = np.where(SIDE[np.abs(SIDE) > 0.1] > 0, 1, -1)


def rosenblatt(x: np.ndarray, y: np.ndarray, eta: Any, margin: float, passes: int) -> tuple[np.ndarray, list[Any]]:
    """The algorithm as it is printed, row by row, `eta` for all rows or for each; w and b, and w after every row."""
    w, b, radius = np.zeros(x.shape[1]), 0.0, np.linalg.norm(x, axis=1).max()
    path = []
    for _ in range(passes):
        mistakes = 0
        for xi, yi, step in zip(x, y, np.broadcast_to(eta, len(y)), strict=True):
            if yi * (w @ xi + b) <= margin:
                w, b = w + step * yi * xi, b + step * yi * radius**2
                mistakes += 1
            path.append(np.append(b, w))
        if not mistakes:
            break
    return np.append(b, w), path


@pytest.mark.parametrize("eta", [1.0, 0.3])
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_the_printed_algorithm(eta: float, margin: float) -> None:
    expected, _ = rosenblatt(X, Y, eta, margin, 1000)
    model = mercer.Perceptron(eta, margin=margin, scale=False, n_iter_no_change=1000, shuffle=False).fit(X, Y)
    assert model.separated_ and model.mistakes_ == 0
    assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)
    assert (Y * model.decision_function(X) > margin).all()


def test_the_average_is_over_all_rows_shown() -> None:
    _, path = rosenblatt(X, Y, 1.0, 0.0, 3)
    model = mercer.Perceptron(scale=False, average=True, max_iter=3, shuffle=False).fit(X, Y)
    assert not model.separated_
    # the printed path holds w after each row, the mean that of w before the next: the same but for the first row
    assert_allclose(np.append(model.intercept_, model.coef_), np.mean(path, axis=0), rtol=1e-2)


def test_votes_are_shares() -> None:
    model = mercer.Perceptron(average="voted").fit(X, Y)
    votes = model.decision_function(X)
    assert (np.abs(votes) <= 1 + 1e-12).all()
    assert model.score(X, Y) > 0.97


def test_separated_rows_are_all_right() -> None:
    model = mercer.Perceptron(n_iter_no_change=1000).fit(X, Y)
    assert model.separated_ and model.score(X, Y) == 1.0


@pytest.mark.parametrize("estimator", [mercer.Perceptron(), mercer.KernelPerceptron("linear")], ids=repr)
def test_a_warning_when_classes_do_not_separate(estimator: Any) -> None:
    square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    with pytest.warns(MercerWarning, match=r"did not separate: \d+ mistakes in pass"):
        model = estimator.fit(square, [0, 1, 1, 0])
    assert not model.separated_ and model.n_iter_ < 1000


@pytest.mark.parametrize("estimator", [mercer.Perceptron(), mercer.KernelPerceptron()], ids=repr)
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_rows_sorted_by_class_are_learnt_as_well_as_shuffled_ones(estimator: Any) -> None:
    rows, labels = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    in_order = estimator.fit(rows, labels).score(rows, labels)
    assert in_order > 0.95
    assert abs(in_order - estimator.fit(rows[order], labels[order]).score(rows, labels)) < 0.02


@pytest.mark.parametrize("kind", [mercer.Perceptron, mercer.KernelPerceptron])
@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_the_model_is_that_of_the_pass_with_the_fewest_training_errors(kind: Any) -> None:
    rows, labels = load_iris(return_X_y=True)
    options = {"shuffle": False, "n_iter_no_change": 1000}
    scores = [kind(max_iter=n, **options).fit(rows, labels).score(rows, labels) for n in (1, 2, 5, 20, 60)]
    assert scores == sorted(scores)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_kernels_separate_what_hyperplanes_cannot(kernel: str) -> None:
    angle, ring = RNG.uniform(0, 6.28, 300), np.repeat([1.0, 2.0], 150)
    rows = ring[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    model = mercer.KernelPerceptron(kernel, degree=2).fit(rows, ring)
    assert model.separated_ and model.score(rows, ring) == 1.0
    assert model.dual_coef_.shape[1] < 300


def test_the_linear_kernel_is_the_perceptron() -> None:
    plain = mercer.Perceptron(scale=False, n_iter_no_change=1000).fit(X, Y)
    dual = mercer.KernelPerceptron("linear", n_iter_no_change=1000).fit(X, Y)
    assert_allclose(dual.decision_function(X), plain.decision_function(X), rtol=1e-8)
    assert dual.n_iter_ == plain.n_iter_


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b.T


def test_a_kernel_may_be_a_function_of_two_arrays() -> None:
    dual = mercer.KernelPerceptron(inner, n_iter_no_change=1000).fit(X, Y)
    plain = mercer.Perceptron(scale=False, n_iter_no_change=1000).fit(X, Y)
    assert_allclose(dual.decision_function(X), plain.decision_function(X), rtol=1e-8)
    with pytest.raises(MercerError, match="a model file holds none"):
        dual.to_state()
    more = mercer.KernelPerceptron(inner).partial_fit(X[:300], Y[:300]).partial_fit(X[300:], Y[300:])
    assert more.score(X, Y) > 0.8


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
def test_a_name_means_the_kernel_it_means_in_svc(kernel: str) -> None:
    mixed = {"x": X[:60, 0], "job": np.where(X[:60, 1] > 0, "a", "b")}
    for rows in (X[:60], mixed):
        ours = mercer.KernelPerceptron(kernel, max_iter=2, n_iter_no_change=1, margin=1e9)
        with pytest.warns(MercerWarning, match="did not separate"):
            ours.fit(rows, Y[:60])
        assert repr(ours.kernel_) == repr(mercer.SVC(kernel=kernel).fit(rows, Y[:60]).kernel_)


def test_a_gram_matrix_is_no_table_of_rows() -> None:
    with pytest.raises(MercerError, match="SVC takes kernel='precomputed'"):
        mercer.KernelPerceptron("precomputed").fit(np.eye(4), [0, 1, 0, 1])


def test_kernel_objects_work_on_mixed_tables_and_are_stored() -> None:
    rows = {"x": X[:200, 0], "job": np.where(X[:200, 1] > 0, "a", "b")}
    model = mercer.KernelPerceptron(RBF(gamma=2.0) + 2 * Overlap()).fit(rows, Y[:200])
    assert model.score(rows, Y[:200]) > 0.75
    again = mercer.KernelPerceptron.from_state(Reader(model.to_state()))
    assert_array_equal(again.decision_function(rows), model.decision_function(rows))
    with pytest.raises(BadFile):
        mercer.KernelPerceptron.from_state(Reader(changed(model.to_state(), "dual_coef", np.zeros((1, 3)))))


@pytest.mark.parametrize("estimator", [mercer.Perceptron(), mercer.KernelPerceptron(gamma=0.5)], ids=repr)
def test_partial_fit_is_one_pass_a_call(estimator: Any) -> None:
    first = estimator.partial_fit(X[:200], Y[:200], classes=[-1, 1])
    for start in range(200, len(X), 100):
        first = first.partial_fit(X[start : start + 100], Y[start : start + 100])
    assert first.n_iter_ == 1 + len(range(200, len(X), 100))
    assert first.score(X, Y) > 0.85
    with pytest.raises(BadTarget, match="'7' is not among the classes -1, 1"):
        first.partial_fit(X[:2], [1, 7])


def test_partial_fit_with_scale_off_continues() -> None:
    model = mercer.Perceptron(scale=False)
    for _ in range(2):
        model.partial_fit(X, Y)
    expected, _ = rosenblatt(X, Y, 1.0, 0.0, 2)
    assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)


def test_a_first_chunk_of_one_class() -> None:
    model = mercer.Perceptron().partial_fit(X[:5], ["a"] * 5, classes=["a", "b"])
    assert model.partial_fit(X[5:10], ["b"] * 5).classes_.tolist() == ["a", "b"]


def test_several_classes_and_explanations() -> None:
    centres = np.array([[0.0, 5.0], [5.0, 0.0], [-5.0, -5.0]])
    y = np.arange(90) % 3
    rows = centres[y] + RNG.normal(size=(90, 2))
    model = mercer.Perceptron().fit(rows, y)
    assert model.score(rows, y) == 1.0
    found = model.explain(rows)
    scores = np.sort(model.decision_function(rows), axis=1)
    assert_allclose(found.total, scores[:, -1] - scores[:, -2], rtol=1e-8, atol=1e-8)
    assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)


def test_a_row_of_weight_two_is_shown_twice() -> None:
    repeats = RNG.integers(1, 4, len(X))
    weighted = mercer.Perceptron(scale=False, shuffle=False).fit(X, Y, repeats)
    repeated = mercer.Perceptron(scale=False, shuffle=False).fit(np.repeat(X, repeats, axis=0), np.repeat(Y, repeats))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_class_weight_multiplies_the_step_of_a_row() -> None:
    expected, _ = rosenblatt(X, Y, np.where(Y > 0, 2.5, 0.5), 0.0, 1000)
    weight = {-1: 0.5, 1: 2.5}
    model = mercer.Perceptron(scale=False, class_weight=weight, n_iter_no_change=1000, shuffle=False).fit(X, Y)
    assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-9)
    dual = mercer.KernelPerceptron("linear", class_weight=weight, n_iter_no_change=1000, shuffle=False).fit(X, Y)
    assert_allclose(dual.decision_function(X), model.decision_function(X), rtol=1e-8)
    with pytest.raises(MercerError, match="there is no class 7"):
        mercer.Perceptron(class_weight={7: 2.0}).fit(X, Y)


@pytest.mark.parametrize("kind", [mercer.Perceptron, mercer.KernelPerceptron])
def test_class_weight_moves_classes_that_overlap(kind: Any) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(300, 2)), rng.permutation(np.repeat([0, 1], [240, 60]))
    x[y == 1] += 0.8
    limits = {"max_iter": 20, "n_iter_no_change": 5}
    found = {}
    for weight in (None, "balanced", {0: 0.625, 1: 2.5}, {1: 50.0}):
        with pytest.warns(MercerWarning, match="did not separate"):
            model = kind(class_weight=weight, **limits).fit(x, y)
        found[str(weight)] = model.predict_proba(x)
    assert_array_equal(found["balanced"], found[str({0: 0.625, 1: 2.5})])
    shares = [float((p[:, 1] > 0.5).mean()) for p in found.values()]
    assert shares[0] < shares[3] and shares[3] > 0.9
    with pytest.raises(MercerError, match="'balanced' needs all rows at once"):
        kind(class_weight="balanced").partial_fit(x, y)
    again = kind(class_weight={0: 0.5}).partial_fit(x, y)
    assert again.partial_fit(x, y).n_iter_ == 2


def test_run_block_counts_mistakes_in_place() -> None:
    products = np.array([[2.0, 0.0], [0.0, 2.0]])
    scores = np.zeros(2)
    wrong = run_block(products, scores, np.array([1.0, -1.0]), np.array([1.0, 1.0]), np.ones(2), 0.0)
    assert_array_equal(wrong, [1.0, 1.0])
    assert_array_equal(scores, [2.0, -2.0])


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.Perceptron(0.0), mercer.Perceptron(margin=-1.0), mercer.Perceptron(average="often"),
        mercer.Perceptron(max_iter=0), mercer.KernelPerceptron("rbff"), mercer.KernelPerceptron(gamma=-1.0),
    ],
    ids=repr,
)  # fmt: skip
def test_options_are_checked(estimator: Any) -> None:
    with pytest.raises(MercerError):
        estimator.fit(X, Y)


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.Perceptron(0.5, average="voted", margin=0.1, scale=False, max_iter=9, random_state=3, shuffle=True),
        mercer.KernelPerceptron("poly", gamma=0.5, degree=2, coef0=1.0, margin=0.1, class_weight={1: 2.0}),
    ],
    ids=repr,
)
def test_states_are_checked(estimator: Any) -> None:
    model = estimator.fit(X, Y)
    state = model.to_state()
    again = type(model).from_state(Reader(state))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.get_params() == model.get_params()
    assert_array_equal(again.partial_fit(X, Y).predict(X), model.partial_fit(X, Y).predict(X))
    changes: dict[str, Any] = {
        "planes": {}, "mean": np.zeros(7), "scale": np.zeros(3), "link": float("inf"), "surplus": 1,
        "eta0": -1.0, "dual_coef": np.zeros((3, 9)), "radius2": -1.0, "kernel": 3, "separated": 2, "intercept": 1.0,
    }  # fmt: skip
    for name, value in changes.items():
        with pytest.raises(BadFile):
            type(model).from_state(Reader(changed(state, name, value)))


def changed(state: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The state with another value of this name, wherever it is; added where there is none."""
    for part in ("fitted", "parameters"):
        if name in state.get(part, {}):
            return state | {part: state[part] | {name: value}}
    return state | {name: value}


@pytest.mark.parametrize("estimator", [mercer.Perceptron(), mercer.KernelPerceptron()], ids=repr)
def test_bad_rows(estimator: Any) -> None:
    with pytest.raises(BadTarget, match="only one class"):
        estimator.fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(BadTarget, match="NaN"):
        estimator.fit([[1.0], [2.0]], [1.0, np.nan])
    assert estimator.fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0], [2.0]]).tolist() == ["a", "b"]
    wide = RNG.normal(size=(6, 30))
    assert estimator.fit(wide, np.arange(6) % 2).score(wide, np.arange(6) % 2) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_rows_add_up_to_the_score(n_classes):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 2))
    y = np.digitize(np.hypot(*x.T), [0.9, 1.6][: n_classes - 1])
    model = mercer.KernelPerceptron(gamma=1.0, max_iter=20, n_iter_no_change=5).fit(x, y)
    scores = model.decision_function(x)
    for path, row, answer in zip(model.explain(x), scores, model.predict(x), strict=True):
        if n_classes == 2:
            assert path.total == pytest.approx(row)
            assert (path.for_class, path.against_class) == (1, 0)
        else:
            best = np.sort(row)
            assert path.total == pytest.approx(best[-1] - best[-2])
            assert path.for_class == answer
        assert (np.diff(np.abs(path.terms)) <= 0).all()
    path = model.explain(x[:1])[0]
    assert_allclose(path.similarity, np.exp(-((model.support_.numbers()[path.rows] - x[0]) ** 2).sum(axis=1)))
    shown = repr(model.explain(x[:1])[0])
    assert "support row" in shown
    assert "(sum)" in shown

"""KernelPerceptron: the algorithm as printed, kernels, the best pass, weights, one row at a time, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import mercer
from mercer.errors import BadFile, BadTarget, MercerError, MercerWarning
from mercer.kernels import RBF, Overlap
from mercer.solvers.kernel_perceptron import run_block
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
def test_with_the_linear_kernel_it_is_the_printed_algorithm(eta: float, margin: float) -> None:
    expected, _ = rosenblatt(X, Y, eta, margin, 1000)
    options: dict[str, Any] = {"eta0": eta, "margin": margin, "n_iter_no_change": 1000, "shuffle": False}
    model = mercer.KernelPerceptron("linear", **options).fit(X, Y)
    assert model.separated_ and model.mistakes_ == 0
    assert_allclose(model.decision_function(X), X @ expected[1:] + expected[0], rtol=1e-7)
    assert (Y * model.decision_function(X) > margin).all()


def test_a_warning_when_classes_do_not_separate() -> None:
    square = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    with pytest.warns(MercerWarning, match=r"did not separate: \d+ mistakes in pass"):
        model = mercer.KernelPerceptron("linear").fit(square, [0, 1, 1, 0])
    assert not model.separated_ and model.n_iter_ < 1000


@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_rows_sorted_by_class_are_learnt_as_well_as_shuffled_ones() -> None:
    estimator = mercer.KernelPerceptron()
    rows, labels = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    in_order = estimator.fit(rows, labels).score(rows, labels)
    assert in_order > 0.95
    assert abs(in_order - estimator.fit(rows[order], labels[order]).score(rows, labels)) < 0.02


@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
def test_the_model_is_that_of_the_pass_with_the_fewest_training_errors() -> None:
    rows, labels = load_iris(return_X_y=True)
    options: dict[str, Any] = {"shuffle": False, "n_iter_no_change": 1000}
    scores = [
        mercer.KernelPerceptron(max_iter=n, **options).fit(rows, labels).score(rows, labels) for n in (1, 2, 5, 20, 60)
    ]
    assert scores == sorted(scores)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_kernels_separate_what_hyperplanes_cannot(kernel: str) -> None:
    angle, ring = RNG.uniform(0, 6.28, 300), np.repeat([1.0, 2.0], 150)
    rows = ring[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    model = mercer.KernelPerceptron(kernel, degree=2).fit(rows, ring)
    assert model.separated_ and model.score(rows, ring) == 1.0
    assert model.dual_coef_.shape[1] < 300


def inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a @ b.T


def test_a_kernel_may_be_a_function_of_two_arrays() -> None:
    dual = mercer.KernelPerceptron(inner, n_iter_no_change=1000).fit(X, Y)
    plain = mercer.KernelPerceptron("linear", n_iter_no_change=1000).fit(X, Y)
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


def test_partial_fit_is_one_pass_a_call() -> None:
    first = mercer.KernelPerceptron(gamma=0.5).partial_fit(X[:200], Y[:200], classes=[-1, 1])
    for start in range(200, len(X), 100):
        first = first.partial_fit(X[start : start + 100], Y[start : start + 100])
    assert first.n_iter_ == 1 + len(range(200, len(X), 100))
    assert first.score(X, Y) > 0.85
    with pytest.raises(BadTarget, match="'7' is not among the classes -1, 1"):
        first.partial_fit(X[:2], [1, 7])


def test_a_row_of_weight_two_is_shown_twice() -> None:
    repeats = RNG.integers(1, 4, len(X))
    weighted = mercer.KernelPerceptron("linear", shuffle=False).fit(X, Y, repeats)
    repeated = mercer.KernelPerceptron("linear", shuffle=False).fit(
        np.repeat(X, repeats, axis=0), np.repeat(Y, repeats)
    )
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-7)


def test_class_weight_multiplies_the_step_of_a_row() -> None:
    expected, _ = rosenblatt(X, Y, np.where(Y > 0, 2.5, 0.5), 0.0, 1000)
    options: dict[str, Any] = {"class_weight": {-1: 0.5, 1: 2.5}, "n_iter_no_change": 1000, "shuffle": False}
    model = mercer.KernelPerceptron("linear", **options).fit(X, Y)
    assert_allclose(model.decision_function(X), X @ expected[1:] + expected[0], rtol=1e-7)


def test_class_weight_moves_classes_that_overlap() -> None:
    kind, rng = mercer.KernelPerceptron, np.random.default_rng(3)
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


@pytest.mark.parametrize("options", [{"kernel": "rbff"}, {"gamma": -1.0}, {"max_iter": 0}, {"eta0": 0.0}], ids=str)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(MercerError):
        mercer.KernelPerceptron(**options).fit(X, Y)


def test_states_are_checked() -> None:
    estimator = mercer.KernelPerceptron("poly", gamma=0.5, degree=2, coef0=1.0, margin=0.1, class_weight={1: 2.0})
    model = estimator.fit(X, Y)
    state = model.to_state()
    again = type(model).from_state(Reader(state))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.get_params() == model.get_params()
    assert_array_equal(again.partial_fit(X, Y).predict(X), model.partial_fit(X, Y).predict(X))
    changes: dict[str, Any] = {
        "link": float("inf"), "surplus": 1,
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


def test_bad_rows() -> None:
    estimator = mercer.KernelPerceptron()
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

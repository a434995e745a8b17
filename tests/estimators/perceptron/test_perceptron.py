"""Perceptron: scikit-learn's hyperplanes on arrays; margins, averages, votes, the pocket, mixed tables, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.errors import BadFile, BadParameter, BadTable, BadTarget, MercerError
from mercer.estimators.perceptron.training import hold_out
from mercer.state import Reader

RNG = np.random.default_rng(2)
N = 700  # more than one block of rows
X = RNG.normal(size=(N, 3))
SIDE = X @ [1.0, 2.0, -1.0] + 0.3
X = X[np.abs(SIDE) > 0.1]
Y = np.where(SIDE[np.abs(SIDE) > 0.1] > 0, 1, -1)
MIXED = {"x": X[:, 0], "job": np.where(X[:, 1] > 0, "a", "b"), "y": 1000 + 500 * X[:, 2]}
TEXTS = MIXED | {"note": [f"word{i % 7} other{i % 80} thing{i}" for i in range(len(Y))]}


def rosenblatt(x: np.ndarray, y: np.ndarray, eta: Any, margin: float, passes: int) -> tuple[np.ndarray, list[Any]]:
    """The algorithm as it is printed, row by row, `eta` for all rows or for each; b and w, and both after every row."""
    w, b, path = np.zeros(x.shape[1]), 0.0, []
    for _ in range(passes):
        for xi, yi, step in zip(x, y, np.broadcast_to(eta, len(y)), strict=True):
            if yi * (w @ xi + b) <= margin:
                w, b = w + step * yi * xi, b + step * yi
            path.append(np.append(b, w))
    return np.append(b, w), path


def plane(model: Any) -> np.ndarray:
    return np.append(model.intercept_, model.coef_)


@pytest.mark.parametrize("eta", [1.0, 0.3])
@pytest.mark.parametrize("margin", [0.0, 1.0])
def test_the_printed_algorithm(eta: float, margin: float) -> None:
    expected, _ = rosenblatt(X, Y, eta, margin, 300)
    model = mercer.Perceptron(eta0=eta, margin=margin, max_iter=300, tol=None, shuffle=False).fit(X, Y)
    assert model.separated_ and model.mistakes_ == 0
    assert_allclose(plane(model), expected, rtol=1e-9)
    assert (Y * model.decision_function(X) > margin).all()


def test_threads_do_not_change_the_hyperplanes() -> None:
    x, y = load_digits(return_X_y=True)
    one, two = (mercer.Perceptron(n_jobs=jobs).fit(x, y) for jobs in (1, 2))
    assert_array_equal(one.coef_, two.coef_)


def test_single_precision_and_sparse_coefficients() -> None:
    model = mercer.Perceptron().fit(X.astype(np.float32), Y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    expected = model.predict(X)
    assert sp.issparse(model.sparsify().coef_)
    assert_array_equal(model.predict(X), expected)
    assert_array_equal(model.predict(sp.csr_array(X)), expected)
    assert isinstance(model.densify().coef_, np.ndarray)


def test_a_fit_that_ends_by_max_iter_says_so() -> None:
    x, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="Maximum number of iteration reached before convergence"):
        mercer.Perceptron(max_iter=2).fit(x, y)


@pytest.mark.parametrize("seed", range(3))
def test_rows_sorted_by_class_are_learnt_as_well_as_shuffled_ones(seed: int) -> None:
    x, y = load_digits(return_X_y=True)
    in_order, shuffled = np.argsort(y, kind="stable"), np.random.default_rng(seed).permutation(len(y))
    model = mercer.Perceptron(random_state=seed)
    scores = [model.fit(x[order], y[order]).score(x, y) for order in (in_order, shuffled)]
    assert min(scores) > 0.9
    assert abs(scores[0] - scores[1]) < 0.03


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_pocket_keeps_the_pass_with_the_fewest_training_errors() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    options: dict[str, Any] = {"tol": None, "pocket": True}
    scores = [mercer.Perceptron(max_iter=n, **options).fit(x, y).score(x, y) for n in (1, 2, 5, 20, 60)]
    assert scores == sorted(scores)
    assert scores[-1] > mercer.Perceptron(max_iter=60, tol=None).fit(x, y).score(x, y)


def test_the_average_is_over_all_rows_shown() -> None:
    _, path = rosenblatt(X, Y, 1.0, 0.0, 3)
    model = mercer.Perceptron(average=True, max_iter=3, tol=None, shuffle=False).fit(X, Y)
    assert_allclose(plane(model), np.mean(path, axis=0), rtol=1e-8)
    long = mercer.Perceptron(average=True, max_iter=400, tol=None, shuffle=False).fit(X, Y)
    assert_allclose(plane(long), np.mean(rosenblatt(X, Y, 1.0, 0.0, 400)[1], axis=0), rtol=1e-8)


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_votes_are_shares(rows: Any) -> None:
    model = mercer.Perceptron(average="voted").fit(rows, Y)
    votes = model.decision_function(rows)
    assert (np.abs(votes) <= 1 + 1e-12).all()
    assert model.score(rows, Y) > 0.97
    kept = model.planes_.votes[0]
    last = np.append(model.planes_.states[0, 0], model.planes_.w[0])
    assert_allclose(kept.vectors[-1], last, rtol=1e-9)


def test_votes_of_too_many_columns_are_refused() -> None:
    wide = sp.csr_array((np.ones(4), ([0, 1, 2, 3], [0, 5, 7, 10**6 - 1])), shape=(4, 10**6))
    with pytest.raises(BadTable, match=r"voted.*GB.*average=True"):
        mercer.Perceptron(average="voted").fit(wide, [0, 1, 0, 1])
    assert mercer.Perceptron(average=True).fit(wide, [0, 1, 0, 1]).coef_.shape == (1, 10**6)


def test_numbers_are_standardised_beside_levels() -> None:
    model = mercer.Perceptron(pocket=False, shuffle=False).fit(MIXED, Y)
    z = StandardScaler().fit_transform(np.column_stack([MIXED["x"], MIXED["y"]]))
    encoded = np.column_stack([z[:, 0], np.asarray(MIXED["job"]) == "b", z[:, 1]])
    expected = linear_model.Perceptron(shuffle=False).fit(encoded, Y)
    assert_allclose(model.decision_function(MIXED), expected.decision_function(encoded), rtol=1e-8, atol=1e-8)
    assert model.term_names_ == ["x", "job=b", "y"]
    assert_allclose(model.coef_[0, 1], expected.coef_[0, 1], rtol=1e-8)
    numbers = {name: MIXED[name] for name in ("x", "y")}
    assert mercer.Perceptron().fit(numbers, Y).terms_.scale is None


def test_texts_are_sparse_and_give_the_model_of_dense_terms() -> None:
    model = mercer.Perceptron(pocket=False).fit(TEXTS, Y)
    rows = model.terms_.rows(model._predict_table(TEXTS))
    assert sp.issparse(rows)
    expected = mercer.Perceptron(pocket=False).fit(rows.toarray(), Y)
    assert_allclose(model.decision_function(TEXTS), expected.decision_function(rows.toarray()), rtol=1e-7, atol=1e-7)


def test_sparse_numbers_are_scaled_and_not_centred() -> None:
    x = sp.csr_array(sp.random(200, 30, density=0.2, format="csr", random_state=0))
    y = (x @ np.random.default_rng(0).normal(size=30) > 0).astype(int)
    expected = mercer.Perceptron().fit(StandardScaler(with_mean=False).fit_transform(x), y)
    found = mercer.Perceptron(scale=True).fit(x, y)
    assert_allclose(found.intercept_, expected.intercept_, rtol=1e-8)
    assert_allclose(found.coef_ * found.terms_.scale, expected.coef_, rtol=1e-8)


def test_partial_fit_is_one_pass_a_call() -> None:
    model = mercer.Perceptron(scale=True).partial_fit(X[:200], Y[:200], classes=[-1, 1])
    for start in range(200, len(X), 100):
        model = model.partial_fit(X[start : start + 100], Y[start : start + 100])
    assert (model.n_iter_, model.t_) == (1, 1 + len(X))
    assert model.score(X, Y) > 0.85
    with pytest.raises(BadTarget, match="'7' is not among the classes -1, 1"):
        model.partial_fit(X[:2], [1, 7])
    with pytest.raises(MercerError, match="is not supported for partial_fit"):
        mercer.Perceptron(class_weight="balanced").partial_fit(X, Y)


def test_a_first_chunk_of_one_class() -> None:
    model = mercer.Perceptron().partial_fit(X[:5], ["a"] * 5, classes=["a", "b"])
    assert model.partial_fit(X[5:10], ["b"] * 5).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("probability", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up(n_classes: int, probability: bool) -> None:
    centres = np.array([[0.0, 5.0], [5.0, 0.0], [-5.0, -5.0]])
    y = np.arange(90) % n_classes
    rows = centres[y] + 3 * RNG.normal(size=(90, 2))
    model = mercer.Perceptron(average=True, probability=probability).fit(rows, y)
    found = model.explain(rows)
    if probability:
        odds = np.sort(np.log(model.predict_proba(rows)), axis=1)
        expected = odds[:, -1] - odds[:, -2]
        assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)
    else:
        scores = model.decision_function(rows)
        expected = np.abs(scores) if n_classes == 2 else np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0]
    assert_allclose(np.abs(found.total), expected, rtol=1e-6, atol=1e-8)
    assert ("log odds" if probability else "score") in found.row(0)


def test_sparse_rows_of_many_columns_are_explained() -> None:
    random = np.random.default_rng(0)
    cells = random.normal(size=3000), (np.arange(3000) % 300, random.integers(0, 60_000, 3000))
    rows = sp.csr_array(cells, shape=(300, 60_000))  # its square is 29 GB
    model = mercer.Perceptron().fit(rows, np.arange(300) % 2)
    found = model.explain(rows[:2])
    assert_allclose(found.total, model.decision_function(rows[:2]), rtol=1e-9)
    assert_allclose(found.base, model.intercept_[0])


def test_probabilities_are_asked_for() -> None:
    assert not hasattr(mercer.Perceptron(), "predict_proba")
    model = mercer.Perceptron(probability=True).fit(X, Y)
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


def test_class_weight_multiplies_the_step_of_a_row() -> None:
    expected, _ = rosenblatt(X, Y, np.where(Y > 0, 2.5, 0.5), 0.0, 300)
    model = mercer.Perceptron(class_weight={-1: 0.5, 1: 2.5}, max_iter=300, tol=None, shuffle=False).fit(X, Y)
    assert_allclose(plane(model), expected, rtol=1e-9)
    with pytest.raises(MercerError, match="there is no class 7"):
        mercer.Perceptron(class_weight={7: 2.0}).fit(X, Y)


def test_rows_of_weight_zero_move_nothing() -> None:
    weight = (np.arange(len(Y)) % 3 > 0).astype(float)
    model = mercer.Perceptron(shuffle=False, max_iter=5, tol=None).fit(X, Y, sample_weight=weight)
    expected, _ = rosenblatt(X[weight > 0], Y[weight > 0], 1.0, 0.0, 5)
    assert_allclose(plane(model), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"eta0": 0.0}, {"margin": -1.0}, {"average": "often"}, {"max_iter": 0}, {"penalty": "l3"}, {"l1_ratio": 1.5},
        {"tol": -1.0}, {"validation_fraction": 1.0}, {"verbose": "much"}, {"penalty": "l2", "average": True},
    ],
    ids=str,
)  # fmt: skip
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(BadParameter):
        mercer.Perceptron(**options).fit(X, Y)


def test_numbers_that_overflow_are_refused() -> None:
    with pytest.raises(BadTable, match="Floating-point under-/overflow occurred at epoch #1"):
        mercer.Perceptron(eta0=1e300).fit(1e300 * X, Y)
    weight = np.ones(len(Y))
    weight[hold_out((Y > 0).astype(np.int32), None, 0.1, 0)] = 0.0
    with pytest.raises(BadTable, match="The sample weights for validation set are all zero"):
        mercer.Perceptron(early_stopping=True).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    "estimator",
    [
        mercer.Perceptron(
            eta0=0.5, average="voted", margin=0.1, scale=True, max_iter=9, random_state=3, probability=True
        ),
        mercer.Perceptron(average=True, probability=True),
        mercer.Perceptron(penalty="elasticnet", alpha=0.01, probability=True),
    ],
    ids=repr,
)
@pytest.mark.parametrize("rows", [X, TEXTS], ids=["array", "texts"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_states_are_checked(estimator: Any, rows: Any) -> None:
    model = estimator.fit(rows, Y)
    state = model.to_state()
    again = type(model).from_state(Reader(state))
    assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))
    assert again.get_params() == model.get_params()
    assert_array_equal(again.partial_fit(rows, Y).predict(rows), model.partial_fit(rows, Y).predict(rows))
    changes: dict[str, Any] = {
        "planes": {}, "terms": {}, "link": float("inf"), "surplus": 1, "eta0": -1.0, "separated": 2, "shown": 0.0,
    }  # fmt: skip
    for name, value in changes.items():
        with pytest.raises(BadFile):
            type(model).from_state(Reader(changed(state, name, value)))


def test_votes_out_of_order_are_refused() -> None:
    state = mercer.Perceptron(average="voted").fit(X, Y).to_state()
    voters = state["fitted"]["planes"]["voters"][0]
    voters["began"] = voters["began"][::-1].copy()
    with pytest.raises(BadFile, match="in their order"):
        mercer.Perceptron.from_state(Reader(state))


def changed(state: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The state with another value of this name, wherever it is; added where there is none."""
    for part in ("fitted", "parameters"):
        if name in state.get(part, {}):
            return state | {part: state[part] | {name: value}}
    return state | {name: value}


def test_bad_rows() -> None:
    model = mercer.Perceptron()
    with pytest.raises(BadTarget, match=r"greater than one; got 1 class.*only one class"):
        model.fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(BadTarget, match="NaN"):
        model.fit([[1.0], [2.0]], [1.0, np.nan])
    assert model.fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0], [2.0]]).tolist() == ["a", "b"]
    wide = RNG.normal(size=(6, 30))
    assert model.fit(wide, np.arange(6) % 2).score(wide, np.arange(6) % 2) == 1.0

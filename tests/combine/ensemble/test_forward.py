"""Forward selection against exhaustive search, its laws, and scikit-learn's metrics."""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from mercer.combine.ensemble.forward import Forward, select, weighted_mean
from mercer.combine.ensemble.metric import SelectionMetric
from mercer.combine.ensemble.stacking import stack
from mercer.errors import BadParameter, MercerError
from mercer.select.costs import Costs
from mercer.table import Task

N = 60


def library(seed: int, n_models: int = 5, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Class codes and the probabilities of models that know something of them."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, N - n_classes)])
    noise = rng.normal(size=(n_models, N, n_classes)) * rng.uniform(0.5, 3, size=(n_models, 1, 1))
    odds = np.exp(noise + np.eye(n_classes)[y])
    return y, odds / odds.sum(axis=2, keepdims=True)


def numbers(seed: int, n_models: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=N)
    return y, y + rng.normal(size=(n_models, N)) * rng.uniform(0.3, 2, size=(n_models, 1))


KEYS = ["roc_auc", "average_precision", "accuracy", "f1_macro", "log_loss", "brier", "balanced_accuracy"]
RULES = [
    Forward(steps=8),
    Forward(replace=False),
    Forward(start=3, steps=6),
    Forward(best_of_trajectory=False),
    Forward(bags=3, share=0.4, steps=4),
    Forward(keep=0.4, steps=4),
    Forward(steps=1),
]


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("key", KEYS)
def test_never_worse_than_the_best_model(key: str, n_classes: int, rule: Forward) -> None:
    for seed in range(2):
        y, predictions = library(seed, n_classes=n_classes)
        found = select(predictions, y, key, forward=rule)
        best = found.scores.max() if found.higher_is_better else found.scores.min()
        assert found.score >= best if found.higher_is_better else found.score <= best
        assert found.weights.sum() == pytest.approx(1) and found.weights.min() >= 0
        assert rule.replace or set(np.round(found.weights[found.weights > 0], 9)) == {round(found.weights.max(), 9)}
        again = SelectionMetric(key, Task.CLASSIFICATION, y, n_classes)
        assert found.score == again.score(again.gain(weighted_mean(predictions, found.weights)))


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("key", ["r2", "mse", "mae", "rmse"])
def test_never_worse_than_the_best_model_of_numbers(key: str, rule: Forward) -> None:
    y, predictions = numbers(3)
    found = select(predictions, y, key, task=Task.REGRESSION, forward=rule)
    assert (found.score >= found.scores.max()) if key == "r2" else (found.score <= found.scores.min())


@pytest.mark.parametrize("key", ["roc_auc", "log_loss", "accuracy"])
def test_exhaustive_search_is_never_worse_and_greedy_comes_near(key: str) -> None:
    """Every multiset of up to four of four models."""
    behind = []
    for seed in range(3):
        y, predictions = library(seed, 4)
        measure = SelectionMetric(key, Task.CLASSIFICATION, y, 2)
        sets = [s for size in range(1, 5) for s in combinations_with_replacement(range(4), size)]
        best = max(measure.gain(predictions[list(s)].mean(axis=0)) for s in sets)
        found = select(predictions, y, key, forward=Forward(steps=4))
        gain = found.score if found.higher_is_better else -found.score
        assert gain <= best + 1e-12
        behind.append(best - gain)
    assert np.median(behind) < 0.005


def test_greedy_finds_the_best_weights_where_they_are_known() -> None:
    """Two models whose errors cancel in the ratio 1:3, and one that only harms."""
    y = np.arange(8.0)
    error = np.array([1.0, -1, 1, -1, 1, -1, 1, -1])
    found = select([y + 3 * error, y - error, y + 9.0], y, "mse", task=Task.REGRESSION, forward=Forward(steps=8))
    assert found.weights.tolist() == [0.25, 0.75, 0.0] and found.score == 0


def test_the_steps_are_those_of_the_algorithm() -> None:
    """Written again, plainly: the model that makes the mean best is added, as long as there is a gain."""
    y, predictions = library(5, 6)
    added: list[int] = []
    scores: list[float] = []
    while True:
        trials = [sk.log_loss(y, predictions[[*added, m]].mean(axis=0)) for m in range(6)]
        if scores and min(trials) >= scores[-1]:
            break
        added.append(int(np.argmin(trials)))
        scores.append(min(trials))
    found = select(predictions, y, "log_loss", forward=Forward(best_of_trajectory=False))
    np.testing.assert_allclose(found.trajectory[0], scores, rtol=1e-12)
    np.testing.assert_allclose(found.weights, np.bincount(added, minlength=6) / len(added))


def test_the_order_of_models_does_not_matter() -> None:
    y, predictions = library(8, 4)
    few = Forward(steps=9)
    expected = select(predictions, y, "log_loss", forward=few).weights
    for order in permutations(range(4)):
        found = select(predictions[list(order)], y, "log_loss", forward=few).weights
        np.testing.assert_allclose(found, expected[list(order)])


def test_two_identical_models_are_as_good_as_one() -> None:
    y, predictions = library(1, 4)
    twice = select(predictions[[0, 1, 2, 3, 0]], y, "log_loss")
    once = select(predictions, y, "log_loss")
    assert twice.score == once.score
    np.testing.assert_allclose(
        weighted_mean(predictions[[0, 1, 2, 3, 0]], twice.weights), weighted_mean(predictions, once.weights)
    )


def test_one_model_has_all_the_weight() -> None:
    y, predictions = library(1, 1)
    for rule in RULES:
        assert select(predictions, y, forward=rule).weights.tolist() == [1.0]


def test_sorted_start_bags_and_pruning() -> None:
    y, predictions = library(2, 10)
    alone = select(predictions, y, "log_loss").scores
    best = np.argsort(alone)
    started = select(predictions, y, "log_loss", forward=Forward(start=4, steps=4))
    if started.score < alone.min():
        assert set(started.members) == set(best[:4])
    assert started.trajectory.shape == (1, 1)
    pruned = select(predictions, y, "log_loss", forward=Forward(keep=0.3))
    assert set(pruned.members) <= set(best[:3])
    bagged = select(predictions, y, "log_loss", forward=Forward(bags=6, steps=9))
    assert bagged.trajectory.shape == (6, 9)
    assert not np.array_equal(
        select(predictions, y, "log_loss", forward=Forward(bags=6), random_state=1).weights, bagged.weights
    )


def test_of_a_kind_the_best_are_selected_from() -> None:
    y, predictions = library(3, 8)
    order = np.argsort(select(predictions, y, "log_loss").scores)
    kinds = np.array(list("aaaabbcc"))
    two_of_each = np.sort(np.concatenate([order[kinds[order] == kind][:2] for kind in "abc"]))
    found = select(predictions, y, "log_loss", kinds=kinds.tolist(), most_alike=2)
    alone = select(predictions[two_of_each], y, "log_loss")
    np.testing.assert_array_equal(found.weights[two_of_each], alone.weights)
    assert found.weights[two_of_each].sum() == pytest.approx(1)
    assert len(two_of_each) == 6


WITNESSES: dict[str, Any] = {
    "roc_auc": lambda y, p: sk.roc_auc_score(y, p[:, 1]),
    "average_precision": lambda y, p: sk.average_precision_score(y, p[:, 1]),
    "accuracy": lambda y, p: sk.accuracy_score(y, p.argmax(1)),
    "balanced_accuracy": lambda y, p: sk.balanced_accuracy_score(y, p.argmax(1)),
    "f1_macro": lambda y, p: sk.f1_score(y, p.argmax(1), average="macro"),
    "f1_weighted": lambda y, p: sk.f1_score(y, p.argmax(1), average="weighted"),
    "positive_accuracy": lambda y, p: sk.recall_score(y, p.argmax(1)),
    "precision": lambda y, p: sk.precision_score(y, p.argmax(1), zero_division=0),
    "mcc": lambda y, p: sk.matthews_corrcoef(y, p.argmax(1)),
    "log_loss": sk.log_loss,
    "brier": lambda y, p: sk.brier_score_loss(y, p[:, 1]),
    "f1": lambda y, p: sk.f1_score(y, p.argmax(1)),
    "neg_log_loss": lambda y, p: -sk.log_loss(y, p),
    "matthews_corrcoef": lambda y, p: sk.matthews_corrcoef(y, p.argmax(1)),
}


@pytest.mark.parametrize("key", WITNESSES)
def test_metrics_are_those_of_scikit_learn(key: str) -> None:
    y, predictions = library(4)
    found = select(predictions, y, key, forward=Forward(steps=5))
    np.testing.assert_allclose(found.scores, [WITNESSES[key](y, p) for p in predictions], rtol=1e-9)
    assert found.score == pytest.approx(WITNESSES[key](y, weighted_mean(predictions, found.weights)), rel=1e-9)


def test_cost_is_that_of_the_decisions_of_least_expected_cost() -> None:
    y, predictions = library(4)
    found = select(predictions, y, "cost", costs=Costs(20, 1).matrix(("no", "yes"), 1))
    called = predictions[:, :, 1] > 1 / 21
    expected = [(20 * ((y == 1) & ~c) + 1 * ((y == 0) & c)).mean() for c in called]
    np.testing.assert_allclose(found.scores, expected)
    assert found.score <= min(expected)
    with pytest.raises(MercerError, match="say what the errors cost"):
        select(predictions, y, "cost")


def test_a_function_is_a_metric_and_weights_are_rows() -> None:
    y, predictions = library(6)
    few = Forward(steps=5)
    by_name = select(predictions, y, "log_loss", forward=few)
    assert select(predictions, y, lambda y, p: -sk.log_loss(y, p), forward=few).score == pytest.approx(-by_name.score)
    times = np.random.default_rng(0).integers(1, 4, N)
    rows = np.repeat(np.arange(N), times)
    for key in ("roc_auc", "log_loss", "f1_macro", "neg_brier_score"):
        weighted = select(predictions, y, key, weight=times.astype(float), forward=few)
        repeated = select(predictions[:, rows], y[rows], key, forward=few)
        np.testing.assert_allclose(weighted.weights, repeated.weights)
        assert weighted.score == pytest.approx(repeated.score)


@pytest.mark.parametrize(
    ("metric", "said"), [(lambda y: 1.0, "1 positional argument"), (lambda y, p: "x", "could not convert string")]
)
def test_a_function_that_is_no_metric_is_told_how_it_is_called(metric: Any, said: str) -> None:
    y, predictions = library(6)
    with pytest.raises(MercerError, match=rf"'<lambda>': .*{said}.* class codes and probabilities, and gives one"):
        select(predictions, y, metric)


def test_several_numbers_at_once() -> None:
    (a, first), (b, second) = numbers(0), numbers(1)
    found = select(np.stack([first, second], axis=2), np.column_stack([a, b]), "mse", task=Task.REGRESSION)
    alone = [
        sk.mean_squared_error(np.column_stack([a, b]), np.column_stack([p, q]))
        for p, q in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(found.scores, alone)
    assert found.score < min(alone)


def test_bad_input_is_told() -> None:
    y, predictions = library(0)
    broken = predictions.copy()
    broken[1, 3] = np.nan
    found = select(broken, y)
    assert np.isnan(found.scores[1]) and found.weights[1] == 0
    with pytest.raises(MercerError, match="No model has finite predictions"):
        select(np.full_like(predictions, np.nan), y)
    with pytest.raises(MercerError, match="'roc_auc' is not defined on these rows"):
        select(predictions, np.zeros(N, int))
    with pytest.raises(MercerError, match=r"'r2' is not defined"):
        select(numbers(0)[1], np.ones(N), task=Task.REGRESSION)
    with pytest.raises(MercerError, match=r"Did you mean 'log_loss'"):
        select(predictions, y, "logloss")
    with pytest.raises(MercerError, match="expected \\(n_models, n_rows, n_outputs\\)"):
        select(predictions[:, :5], y)
    with pytest.raises(MercerError, match="class codes from 0 to 1"):
        select(predictions, y + 1)
    with pytest.raises(BadParameter, match="'steps' parameter of Forward"):
        select(predictions, y, forward=Forward(steps=0))


def test_a_class_absent_from_the_rows_is_left_out_of_areas() -> None:
    y, predictions = library(3, n_classes=3)
    here = y < 2
    found = select(predictions[:, here], y[here], "roc_auc")
    expected = [np.mean([sk.roc_auc_score(y[here] == c, p[here, c]) for c in (0, 1)]) for p in predictions]
    np.testing.assert_allclose(found.scores, expected)


def test_stacking_meets_the_conditions_of_its_optimum() -> None:
    """At the best mixture no model's mean of p_m / mixture is above 1 (Karush, Kuhn, Tucker), and members' is 1."""
    y, predictions = library(9, 6)
    found = stack(predictions, SelectionMetric("log_loss", Task.CLASSIFICATION, y, 2))
    mixture = weighted_mean(predictions, found.weights)
    ratio = (predictions[:, np.arange(N), y] / mixture[np.arange(N), y]).mean(axis=1)
    assert ratio.max() < 1 + 1e-3
    np.testing.assert_allclose(ratio[found.weights > 0.01], 1, atol=1e-3)
    assert found.score <= select(predictions, y, "log_loss").score + 1e-6


def test_stacking_of_numbers_is_least_squares() -> None:
    y, predictions = numbers(2, 4)
    found = stack(predictions[:, :, None], SelectionMetric("mse", Task.REGRESSION, y))
    active = found.weights > 0
    solved = np.linalg.lstsq(predictions[active].T, y, rcond=None)[0]
    np.testing.assert_allclose(found.weights[active], solved)
    slope = predictions @ (y - predictions.T @ found.weights)
    assert (slope[~active] <= 1e-9).all() and found.score <= select(predictions, y, "mse", task=Task.REGRESSION).score

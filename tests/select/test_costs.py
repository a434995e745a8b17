"""Costs as users write them, and decisions by least expected cost against brute force."""

import numpy as np
import pandas as pd
import pytest

from mercer.errors import BadFile, MercerError
from mercer.select.costs import CostMatrix, Costs
from mercer.select.decisions import DecisionRule, without_class_weights
from mercer.state import Reader

THREE = ("a", "b", "c")
PAIRS = {(i, j): 1.0 + 2 * THREE.index(i) + THREE.index(j) for i in THREE for j in THREE if i != j}
MATRIX = np.array([[PAIRS.get((i, j), 0.0) for j in THREE] for i in THREE])


def test_every_form_says_the_same(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text(
        "true,a,b,c\n" + "\n".join(f"{k},{','.join(map(str, r))}" for k, r in zip(THREE, MATRIX, strict=True))
    )
    semicolons = tmp_path / "matrix.txt"
    semicolons.write_text(path.read_text().replace(",", ";").replace(".", ","))
    inline = ", ".join(f"{i}>{j}={amount}" for (i, j), amount in PAIRS.items())
    nested = {i: {j: PAIRS[i, j] for j in THREE if j != i} for i in THREE}
    frame = pd.DataFrame(MATRIX, index=THREE, columns=THREE)
    for given in (str(path), path, semicolons, inline, PAIRS, nested, frame, MATRIX, MATRIX.tolist()):
        np.testing.assert_array_equal(Costs.read(given).matrix(THREE).amounts, MATRIX)


def test_two_classes_have_fn_and_fp():
    for given in ("fn=20,fp=1", " fp = 1 , fn = 20 ", "fn=20", {"fn": 20}, Costs(20, 1)):
        assert Costs.read(given) == Costs(20, 1)
    np.testing.assert_array_equal(Costs(20, 1).matrix(("no", "yes"), 1).amounts, [[0, 1], [20, 0]])
    np.testing.assert_array_equal(Costs(20, 1).matrix(("no", "yes"), 0).amounts, [[0, 20], [1, 0]])
    assert Costs.read("fn=amount,fp=1") == Costs("amount", 1)
    assert Costs.read(None) is None
    assert Costs.read({0: {1: 1}, 1: {0: 20}}).matrix(("0", "1")).amounts.tolist() == [[0, 1], [20, 0]]


def test_the_cost_that_is_not_given_is_said():
    assert Costs.read("fn=20,fp=1").assumption == Costs.read("a>b=1,b>a=2").assumption == ""
    assert (
        "a false alarm costs. It is taken to cost 1, the other error 20; give it with fp="
        in Costs.read("fn=20").assumption
    )
    assert "cost 1, as much as the other error" in Costs.read("fn=1").assumption
    assert "a missed positive row costs" in Costs.read("fp=5").assumption
    assert "the other error the amount in 'loss'" in Costs.read("fn=loss").assumption


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("fn=-2", "a cost is 0 or more"),
        ({"fn": float("nan")}, "a cost is 0 or more"),
        ("fn=inf", "a cost is 0 or more"),
        ("fn=0,fp=0", "every error costs nothing"),
        ("a>b=0", "every error costs nothing"),
        ("fn=20;fp=1,", "write fn=20,fp=1"),
        ("20", "write fn=20,fp=1"),
        ("", "write fn=20,fp=1"),
        ("fn=2,a>b=3", "each pair once"),
        ("a>b=3,a>b=4", "each pair once"),
        ({"fn": [1]}, "write fn=20,fp=1"),
        ({"fn": {"a": 1}, "fp": 2}, "write fn=20,fp=1"),
        ([[1, 2, 3]], "square array"),
        (object(), "square array"),
        ("nowhere.csv", "cannot be read"),
    ],
)
def test_costs_that_are_none(given, words):
    with pytest.raises(MercerError, match=words):
        Costs.read(given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("a>b=1,b>a=1", "what a row of 'a' costs that is called 'c', nor of 3 more pairs"),
        ("a>b=1,b>d=1", "there is no class 'd'"),
        ("fn=1,fp=2", "for two classes, and there are 3"),
        (np.ones((4, 4)), "more than 3 lines"),
        (np.ones((2, 2)), "called 'c'"),
    ],
)
def test_costs_that_do_not_fit_the_classes(given, words):
    with pytest.raises(MercerError, match=words):
        Costs.read(given).matrix(THREE)


@pytest.mark.parametrize("text", ["true,a,b\na,0,x\nb,1,0\n", "a,b\n", "true,a,b\na,0\nb,1,0\n"])
def test_a_matrix_file_that_is_none(tmp_path, text):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(BadFile, match=r"is not a number|expected a line with the classes"):
        Costs.read(path)


def probabilities(n=200, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(3), n)


def test_decisions_are_those_of_least_expected_cost():
    proba = probabilities()
    called = DecisionRule(THREE, costs=Costs.read(MATRIX).matrix(THREE)).decide(proba)
    for p, found in zip(proba, called, strict=True):
        expected = [sum(p[i] * MATRIX[i, j] for i in range(3)) for j in range(3)]
        assert expected[found] == pytest.approx(min(expected))


def test_decisions_that_were_right_on_average_cost_least():
    """Of labels drawn from the probabilities, no other constant rule costs less than the least expected cost."""
    rng = np.random.default_rng(4)
    proba = probabilities(20_000)
    truth = np.array([rng.choice(3, p=p) for p in proba[:4000]])
    proba = proba[:4000]
    matrix = Costs.read(MATRIX).matrix(THREE)
    ours = matrix.incurred(truth, DecisionRule(THREE, costs=matrix).decide(proba)).mean()
    assert ours < matrix.incurred(truth, proba.argmax(axis=1)).mean()
    assert all(ours < matrix.incurred(truth, j).mean() for j in range(3))


def test_amounts_of_each_row_decide_where_they_are_known():
    rng = np.random.default_rng(5)
    p, amount = rng.random(100), 50 * rng.random(100)
    proba = np.column_stack([1 - p, p])
    matrix = Costs("amount", 4).matrix(("no", "yes"), 1)
    matrix = matrix.with_means(np.repeat([0, 1], 50), {"amount": amount})
    assert matrix.amounts[1, 0] == pytest.approx(amount[50:].mean())
    rule = DecisionRule(("no", "yes"), 1, 0.3, costs=matrix)
    expected = (p * amount > (1 - p) * 4).astype(int)
    np.testing.assert_array_equal(rule.decide(proba, {"amount": amount}), expected)
    np.testing.assert_array_equal(rule.decide(proba, {}), (p >= 0.3).astype(int))
    truth = rng.integers(0, 2, 100)
    paid = [
        amount[i] if t and not c else 4.0 * (c and not t) for i, (t, c) in enumerate(zip(truth, expected, strict=True))
    ]
    np.testing.assert_allclose(matrix.incurred(truth, expected, {"amount": amount}), paid)


def test_the_top_rows_are_as_many_as_asked_for_also_where_they_tie():
    proba = np.column_stack([np.full(10, 0.6), np.full(10, 0.4)])
    proba[3] = [0.1, 0.9]
    assert np.flatnonzero(DecisionRule(("no", "yes"), 1, 0.5, top=3).decide(proba)).tolist() == [0, 1, 3]
    assert DecisionRule(("no", "yes"), 1, 0.5, top=99).decide(proba).all()


def test_without_costs_or_threshold_the_most_probable_class():
    proba = probabilities()
    np.testing.assert_array_equal(DecisionRule(THREE).decide(proba), proba.argmax(axis=1))


def test_an_order_of_classes_does_not_matter():
    proba = probabilities()
    rule = DecisionRule(THREE, costs=Costs.read(MATRIX).matrix(THREE))
    turned = rule.in_order_of(["c", "a", "b"])
    names = np.array(THREE)[rule.decide(proba)]
    assert (np.array(turned.classes)[turned.decide(proba[:, [2, 0, 1]])] == names).all()
    two = DecisionRule(("no", "yes"), 1, 0.2).in_order_of(["yes", "no"])
    assert two.positive == 0
    assert two.decide(np.array([[0.3, 0.7], [0.1, 0.9]])).tolist() == [0, 1]


def test_class_weights_are_what_the_errors_on_a_class_cost():
    assert Costs(20, 1).matrix(("no", "yes"), 1).class_weights().tolist() == [1, 20]
    found = Costs.read(MATRIX).matrix(THREE).class_weights()
    np.testing.assert_allclose(found, MATRIX.sum(axis=1) / MATRIX.sum(axis=1).min())


def test_class_weights_are_taken_out_of_probabilities():
    """Weights are repeated rows: the model of repeated rows, without them, is that of the rows."""
    rng = np.random.default_rng(6)
    x = rng.integers(0, 3, 2000)
    y = (rng.random(2000) < 0.1 + 0.2 * x).astype(int)
    shares = np.array([[np.sum((x == k) & (y == c)) for c in (0, 1)] for k in range(3)], dtype=float)
    plain, weighted = (c / c.sum(axis=1, keepdims=True) for c in (shares, shares * [1, 20]))
    np.testing.assert_allclose(without_class_weights(weighted, np.array([1.0, 20.0])), plain)
    rule = DecisionRule(("no", "yes"), 1, 0.2, class_weights=(1.0, 20.0))
    np.testing.assert_allclose(rule.probabilities(weighted), plain)
    np.testing.assert_array_equal(weighted[:, 1] >= rule.own_threshold, plain[:, 1] >= 0.2)
    assert rule.in_order_of(["yes", "no"]).class_weights == (20.0, 1.0)


@pytest.mark.parametrize(
    "rule",
    [
        DecisionRule(("no", "yes"), 1, 0.2),
        DecisionRule(("no", "yes"), 1, 0.2, class_weights=(1.0, 20.0)),
        DecisionRule(("no", "yes"), 0, 0.2, top=9),
        DecisionRule(("no", "yes"), 1, 0.2, costs=Costs("amount", 4).matrix(("no", "yes"), 1)),
        DecisionRule(THREE, costs=Costs.read(MATRIX).matrix(THREE)),
    ],
)
def test_rules_are_stored(rule):
    reader = Reader(rule.to_state())
    found = DecisionRule.from_state(reader)
    reader.finish()
    assert (found.classes, found.positive, found.threshold, found.top) == (
        rule.classes,
        rule.positive,
        rule.threshold,
        rule.top,
    )
    assert found.columns == rule.columns
    assert found.class_weights == rule.class_weights
    proba = probabilities()[:, : len(rule.classes)]
    np.testing.assert_array_equal(found.decide(proba), rule.decide(proba))


@pytest.mark.parametrize(
    "change",
    [
        {"classes": ["no"]},
        {"classes": ["no", "yes", "maybe"]},
        {"positive": 2},
        {"positive": None},
        {"threshold": -0.1},
        {"top": 0},
        {"class_weights": np.array([1.0, 0.0])},
        {"class_weights": np.array([1.0])},
        {"costs": {**Costs(2, 1).matrix(("no", "si"), 1).to_state()}},
        {"costs": {**Costs(2, 1).matrix(("no", "yes"), 1).to_state(), "amounts": -np.ones((2, 2))}},
        {"costs": {**Costs("x", 1).matrix(("no", "yes"), 1).to_state(), "cells": np.array([[0, 2]])}},
    ],
)
def test_altered_rules_are_refused(change):
    state = {**DecisionRule(("no", "yes"), 1, 0.2).to_state(), **change}
    with pytest.raises(BadFile):
        DecisionRule.from_state(Reader(state))


def test_some_of_the_classes():
    matrix = CostMatrix(THREE, MATRIX, ((0, 2, "x"), (1, 0, "y")))
    some = matrix.take(np.array([2, 0]))
    assert some.classes == ("c", "a")
    assert some.columns == ((1, 0, "x"),)
    np.testing.assert_array_equal(some.amounts, MATRIX[np.ix_([2, 0], [2, 0])])


def test_names_of_errors_in_capitals() -> None:
    assert Costs.read("FN=20,Fp=1") == Costs(20, 1)


@pytest.mark.parametrize("given", ["fn=20,fn=3", {"fn": 20, "FN": 3}])
def test_an_error_with_two_costs_is_refused(given: object) -> None:
    with pytest.raises(MercerError, match="each pair once"):
        Costs.read(given)

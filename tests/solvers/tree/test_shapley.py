"""Shapley values of trees against brute force over all sets of columns."""

from __future__ import annotations

import pickle
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import mercer


def people(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"age": rng.normal(size=n), "pay": rng.normal(size=n), "job": rng.choice(list("pqrs"), n)})
    y = rows.age * (rows.job == "q") + rows.pay + rng.normal(size=n) * 0.3
    rows.loc[rng.random(n) < 0.15, "age"] = np.nan
    rows.loc[rng.random(n) < 0.1, "job"] = None
    return rows, y.to_numpy()


def brute_force(worth, players: int) -> np.ndarray:
    """phi_j = sum over S of |S|! (d - 1 - |S|)! / d! (v(S + j) - v(S)), by the definition."""
    values = np.zeros(players)
    for j in range(players):
        for k in range(players):
            for known in combinations([i for i in range(players) if i != j], k):
                weight = factorial(k) * factorial(players - 1 - k) / factorial(players)
                values[j] += weight * (worth({*known, j}) - worth(set(known)))
    return values


def worth_of(tree, columns, i):
    """v(S) by walking down the tree, both branches in shares of their weight where a column is unknown."""

    def walk(known: set[int], node: int) -> float:
        if not tree.branches[node]:
            return float(tree.answer[node, 0])
        first, count, column = int(tree.first[node]), int(tree.branches[node]), int(tree.column[node])
        kids = range(first, first + count)
        p = columns.numbers.shape[1]
        branch = None
        if column in known and tree.kind[node] == 1:
            cell = columns.numbers[i, column]
            branch = None if np.isnan(cell) else int(cell > tree.threshold[node])
        elif column in known:
            part = slice(tree.level_start[node], tree.level_start[node + 1])
            found = dict(zip(tree.level[part].tolist(), tree.branch[part].tolist(), strict=True))
            code = int(columns.codes[i, column - p])
            if code >= 0 and code not in found and tree.kind[node] == 2:
                return float(tree.answer[node, 0])  # a level without a branch stays
            branch = found.get(code)
        if column in known and branch is None and tree.missing == "learned":
            branch = int(tree.missing_branches()[node])
        if branch is not None:
            return walk(known, first + branch)
        total = sum(tree.weight[k] for k in kids)
        return float(sum(tree.weight[k] / total * walk(known, k) for k in kids))

    return lambda known: walk(known, 0)


@pytest.mark.parametrize("nominal", ["multiway", "subset"])
@pytest.mark.parametrize("missing", ["learned", "fraction"])
def test_as_by_the_definition(missing: str, nominal: str) -> None:
    rows, y = people()
    model = mercer.DecisionTreeRegressor(missing=missing, nominal=nominal, min_samples_leaf=10).fit(rows, y)
    some = rows.iloc[:6].copy()
    some.loc[0, "job"] = "never seen"
    some.loc[1, "age"], some.loc[2, "job"] = np.nan, None
    found = mercer.explain(model, some)
    columns = model.columns_.transform(model._predict_table(some))
    for i in range(len(some)):
        expected = brute_force(worth_of(model.tree_, columns, i), 3)
        assert_allclose(found.values[i], expected, atol=1e-12)


@pytest.mark.parametrize("missing", ["learned", "fraction", "surrogate"])
@pytest.mark.parametrize("task", ["number", "two classes", "three classes"])
def test_they_add_up_to_the_answer(task: str, missing: str) -> None:
    rows, y = people()
    some = rows.iloc[:20]
    if task == "number":
        model = mercer.DecisionTreeRegressor(missing=missing, nominal="subset").fit(rows, y)
        assert_allclose(mercer.explain(model, some).total, model.predict(some), atol=1e-12)
        return
    labels = np.digitize(y, [0.0] if task == "two classes" else [-0.5, 0.5])
    model = mercer.DecisionTreeClassifier(missing=missing, nominal="subset").fit(rows, labels)
    found = mercer.explain(model, some)
    shares = model.predict_proba(some)[np.arange(len(some)), found.for_class]
    assert_allclose(found.total, shares, atol=1e-12)
    assert found.unit == "probability" and (found.against_class is None) == (task == "three classes")


def test_words_count_for_their_text_and_sums_for_their_columns() -> None:
    rng = np.random.default_rng(1)
    words = [" ".join(rng.choice(["good", "bad", "fine", "poor", "dull"], 6)) for _ in range(120)]
    size = rng.normal(size=120)
    rows = pd.DataFrame({"review": words, "size": size})
    model = mercer.DecisionTreeClassifier(kinds={"review": "text"}).fit(rows, [w.count("good") > 1 for w in words])
    found = mercer.explain(model, rows.iloc[:5])
    assert found.columns == ("review", "size")
    assert_allclose(found.total, model.predict_proba(rows.iloc[:5])[:, 1], atol=1e-12)
    assert np.abs(found.values[:, 0]).min() > 0.1 > np.abs(found.values[:, 1]).max()


def test_what_is_kept_for_the_next_row_is_no_part_of_the_model() -> None:
    rows, y = people()
    model = mercer.RandomForestRegressor(5, missing="fraction", random_state=0).fit(rows, y)
    first = mercer.explain(model, rows, rows=3)
    assert "ways" in vars(model.trees_[0])
    again = pickle.loads(pickle.dumps(model))
    assert "ways" not in vars(again.trees_[0])
    assert_allclose(mercer.explain(again, rows, rows=3).values, first.values, rtol=0)
    model.fit(rows.iloc[::-1], -y[::-1])
    assert_allclose(mercer.explain(model, rows, rows=3).total, model.predict(rows.iloc[[3]]), atol=1e-12)

"""Notices: alike ones become one, those that doubt the scores come first, and nothing that differs is lost."""

import numpy as np
import pytest

from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.notices import merged
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source


@pytest.mark.parametrize(
    ("notices", "expected"),
    [
        ([], []),
        (["A: Column 'x' is odd.", "A: Column 'y' is odd."], ["A: Columns 'x', 'y' are odd."]),
        (["A: Column 'x': gaps.", "B: Column 'x': gaps."], ["A, B: Column 'x': gaps."]),
        (["A: 3 of 9 terms: 'u'.", "A: 5 of 9 terms: 'v'."], ["A: 5 of 9 terms: 'v'."]),
        (["A: 3 of 9 terms: 'u'.", "B: 5 of 9 terms: 'v'."], ["A: 3 of 9 terms: 'u'.", "B: 5 of 9 terms: 'v'."]),
        (["A: Column 'V1': x.", "A: Column 'V2': y."], ["A: Column 'V1': x.", "A: Column 'V2': y."]),
        (["Column 2 repeats 'a'.", "Column 3 repeats 'a'."], ["Column 2 repeats 'a'.", "Column 3 repeats 'a'."]),
        (["C: Column 'x' is odd."], ["C: Column 'x' is odd."]),  # C is no learner: nothing is known of its words
    ],
)
def test_alike_notices_become_one(notices, expected):
    assert merged(notices, {"A", "B"}) == expected


def test_many_columns_are_counted():
    found = merged([f"Column 'c{j}' has gaps." for j in range(30)])
    assert found == ["Columns 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 24 more have gaps."]


def test_what_doubts_the_scores_comes_first():
    rng = np.random.default_rng(0)
    n = 240
    y = rng.random(n) < 0.5
    data = {
        "leak": np.where(y, 5.0, 1.0).tolist(),
        "id": rng.integers(0, 50, n).tolist(),
        "zip": rng.integers(0, 50, n).tolist(),
        **{f"town {j}": [f"place {k}" for k in rng.integers(0, 150, n)] for j in range(3)},
        "y": ["" if i < 5 else "yes" if v else "no" for i, v in enumerate(y)],
    }
    options = ComparisonOptions(
        folds=3, repeats=1, learners=["linear", "perceptron"], kinds={f"town {j}": "category" for j in range(3)}
    )
    found = compare_learners(prepare(open_source(data), "y", options), lambda what, share: None).notices
    assert found[0].startswith("Look at 'leak': by itself it predicts 'y' almost perfectly")
    assert found[1].startswith("Look at 'id', 'zip': of each, its name says")
    assert found[1].endswith("--drop 'id' --drop 'zip'.")
    assert found[2] == "5 rows without a value of 'y' left out."
    towns = [n for n in found if "'town 0', 'town 1', 'town 2'" in n]
    assert len(towns) == len([n for n in found if "town" in n]) == 2
    assert all(
        n.split(":")[0] in ("Linear model, Averaged perceptron", "Averaged perceptron, Linear model") for n in towns
    )
    assert len(found) <= 6

"""Notices: alike ones become one, those that doubt the scores come first, and nothing that differs is lost."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mercer.errors import Aliased, ColumnWarning, OutliersLeftOut
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.notice import Notice, merged, with_notices
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source


@pytest.mark.parametrize(
    ("notices", "expected"),
    [
        ([], []),
        ([Notice("odd.", "A", "x"), Notice("odd.", "A", "y")], ["A: Columns 'x', 'y': odd."]),
        ([Notice("gaps.", "A", "x"), Notice("gaps.", "B", "x")], ["A, B: Column 'x': gaps."]),
        (
            [Notice("3 terms: 'u'.", "A", kind=Aliased), Notice("5 terms: 'v'.", "A", kind=Aliased)],
            ["A: 5 terms: 'v'."],
        ),
        (
            [Notice("3 terms.", "A", kind=Aliased), Notice("5 terms.", "B", kind=Aliased)],
            ["A: 3 terms.", "B: 5 terms."],
        ),
        ([Notice("3 terms.", "A"), Notice("5 terms.", "A")], ["A: 3 terms.", "A: 5 terms."]),  # not of one kind
        (
            [Notice("3 terms.", "A", kind=Aliased), Notice("5 rows.", "A", kind=OutliersLeftOut)],
            ["A: 3 terms.", "A: 5 rows."],
        ),
        ([Notice("x.", "A", "V1"), Notice("y.", "A", "V2")], ["A: Column 'V1': x.", "A: Column 'V2': y."]),
        ([Notice("Column 'x': odd."), Notice("Column 'y': odd.")], ["Column 'x': odd.", "Column 'y': odd."]),
    ],
)
def test_alike_notices_become_one(notices, expected):
    assert merged(notices) == expected


def test_many_columns_are_counted():
    found = merged([Notice("gaps.", column=f"c{j}") for j in range(30)])
    assert found == ["Columns 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 24 more: gaps."]


def test_warnings_tell_their_column_and_kind_in_this_process_and_in_another():
    def fit():
        warnings.warn(ColumnWarning("a", "gaps."), stacklevel=1)
        warnings.warn("3 terms", Aliased, stacklevel=1)
        warnings.warn("stopped", ConvergenceWarning, stacklevel=1)
        warnings.warn("else", UserWarning, stacklevel=1)
        return 1

    assert with_notices("A", fit) == (
        1,
        (
            Notice("gaps.", "A", "a"),
            Notice("3 terms", "A", kind=Aliased),
            Notice("stopped", "A", kind=ConvergenceWarning),
            Notice("else", "A"),
        ),
    )
    assert str(pickle.loads(pickle.dumps(ColumnWarning("a", "gaps.")))) == "Column 'a': gaps."


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

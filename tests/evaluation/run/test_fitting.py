"""What a fit says of its rows, and what its predictions may be."""

from types import SimpleNamespace

import numpy as np
import pytest

from mercer.errors import MercerError
from mercer.evaluation.run.fitting import predict, sample_note
from mercer.table.target import Task


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ([], "learned from 100 of 6,000 rows, its row limit: a random sample"),
        (["rare"], "every row of 'rare' and a random sample of the others"),
        (["a", "b"], "every row of 'a' and 'b' and"),
        (list("abcd"), "every row of 4 rare classes and"),
    ],
)
def test_a_sample_of_rows_says_which_classes_it_has_whole(whole, said):
    assert said in sample_note(100, 6000, "its row limit", whole)


def test_classes_that_a_model_has_not_seen_have_probability_0_and_class_weights_are_taken_out():
    target = SimpleNamespace(task=Task.CLASSIFICATION, classes=("a", "b", "c"))
    model = SimpleNamespace(classes_=np.array([0, 2]), predict_proba=lambda rows: np.tile([0.25, 0.75], (len(rows), 1)))
    np.testing.assert_allclose(predict(model, [0], target), [[0.25, 0.0, 0.75]])
    np.testing.assert_allclose(predict(model, [0], target, np.array([1.0, 1.0, 3.0])), [[0.5, 0.0, 0.5]])


def test_a_prediction_that_is_not_finite_is_refused_by_its_row():
    target = SimpleNamespace(task=Task.REGRESSION)
    model = SimpleNamespace(predict=lambda rows: np.array([1.0, np.inf]))
    with pytest.raises(MercerError, match="row 2 of the test rows"):
        predict(model, [0, 1], target)

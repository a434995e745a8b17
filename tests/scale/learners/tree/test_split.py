"""Rows set aside of a table in chunks: those that scikit-learn sets aside of one in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from mercer.scale.learners.tree import split
from mercer.scale.learners.tree.split import split_rows


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(20, 400),
    n_classes=st.integers(1, 5),
    share=st.floats(0.05, 0.9),
    seed=st.integers(0, 2**32 - 1),
    stratify=st.booleans(),
)
def test_the_rows_of_train_test_split(n, n_classes, share, seed, stratify):
    y = np.random.default_rng(seed).integers(0, n_classes, n).astype(np.uint8)
    found = split_rows(y, share, stratify, seed)
    if found is None:
        assert stratify
        return
    expected = train_test_split(np.arange(n), test_size=share, stratify=y if stratify else None, random_state=seed)
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)
        assert own.dtype == np.uint32


def test_rows_are_looked_at_in_blocks(monkeypatch):
    y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 1], dtype=np.uint8)
    whole = split_rows(y, 0.3, True, 0)
    monkeypatch.setattr(split, "_BLOCK", 3)
    for own, other in zip(split_rows(y, 0.3, True, 0), whole, strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.parametrize(("y", "share"), [([0, 0, 0, 1], 0.5), ([0, 0, 1, 1, 2, 2], 0.2)])
def test_too_few_rows_of_a_class_are_left_to_scikit_learn(y, share):
    assert split_rows(np.array(y), share, True, 0) is None
    with pytest.raises(ValueError, match="class"):
        train_test_split(np.arange(len(y)), test_size=share, stratify=y, random_state=0)
